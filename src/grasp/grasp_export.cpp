// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grasps for others: JSON, as schema/grasps.schema.json has it, and CSV.
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include <clearance/grasp/grasp_file.h>

namespace clearance {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) { return {v.x, v.y, v.z}; }

std::string hexadecimal(std::uint64_t bits) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bits, 16).ptr;
  const std::string text(digits.data(), end);
  return std::string(digits.size() - text.size(), '0') + text;
}

/// The shortest text that reads back as the same number.
void append(std::string& line, double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  line.append(digits.data(), end);
}

Json grasp_json(const GraspSet& set, const Grasp& g) {
  const Quaternion q = quaternion_from(g.part_from_gripper.rotation);
  Json contacts = Json::array();
  for (const GraspContact& c : set.contacts_of(g)) {
    contacts.push_back(
        {{"finger", c.finger}, {"point", to_json(c.point)}, {"inward", to_json(c.inward)}});
  }
  return {
      {"part_from_gripper",
       {{"xyz", to_json(g.part_from_gripper.translation)}, {"quaternion", {q.x, q.y, q.z, q.w}}}},
      {"width", g.width},
      {"stability", g.stability},
      {"robustness", g.robustness},
      {"quality", g.quality},
      {"sample", {g.segment, g.along, g.theta, g.phi}},
      {"contacts", std::move(contacts)}};
}

}  // namespace

std::string grasps_as_json(const GraspSet& set) {
  Json wire_frame = Json::array();
  for (const Segment& s : set.wire_frame) wire_frame.push_back({to_json(s.a), to_json(s.b)});
  Json grasps = Json::array();
  for (const Grasp& g : set.grasps) grasps.push_back(grasp_json(set, g));
  const Json json{{"clearance", "grasps"},
                  {"version", 1},
                  {"counts",
                   {{"sampled", set.counts.sampled},
                    {"free", set.counts.free},
                    {"feasible", set.counts.feasible},
                    {"stable", set.counts.stable},
                    {"robust", set.counts.robust}}},
                  {"step", set.step},
                  {"theta_step", set.theta_step},
                  {"phi_step", set.phi_step},
                  {"mass_center", to_json(set.mass_center)},
                  {"largest_radius", set.largest_radius},
                  {"part", hexadecimal(set.part_fingerprint)},
                  {"gripper", hexadecimal(set.gripper_fingerprint)},
                  {"wire_frame", std::move(wire_frame)},
                  {"grasps", std::move(grasps)}};
  return json.dump(1) + "\n";
}

std::string grasps_as_csv(const GraspSet& set) {
  std::string text =
      "x,y,z,qx,qy,qz,qw,width,stability,robustness,quality,segment,along,theta,phi,contacts\n";
  for (const Grasp& g : set.grasps) {
    const Vec3& p = g.part_from_gripper.translation;
    const Quaternion q = quaternion_from(g.part_from_gripper.rotation);
    for (const double value :
         {p.x, p.y, p.z, q.x, q.y, q.z, q.w, g.width, g.stability, g.robustness, g.quality}) {
      append(text, value);
      text += ',';
    }
    for (const std::uint32_t number : {g.segment, g.along, g.theta, g.phi})
      text += std::to_string(number) + ",";
    text += std::to_string(g.contact_count) + "\n";
  }
  return text;
}

}  // namespace clearance
