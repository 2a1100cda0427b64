// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/grasp_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <clearance/base/file.h>
#include <clearance/grasp/grasp_file.h>

namespace clearance {
namespace detail {
namespace {

/// Normals of contacts are of unit length to this.
constexpr double kUnitTolerance = 1e-6;

/// The header of a file that is whole.
Result<GraspFileHeader> checked_header(std::span<const std::byte> file, const std::string& path) {
  if (Status whole = check_seal(file, kGraspFile, path); !whole) return whole.error();
  GraspFileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  // Sizes without overflow: no count is larger than the file.
  const std::uint64_t most = file.size();
  if (header.grasp_count > most || header.contact_count > most || header.segment_count > most ||
      sizeof header + aligned(header.grasp_count * sizeof(GraspRecord)) +
              aligned(header.contact_count * sizeof(ContactRecord)) +
              aligned(header.segment_count * sizeof(SegmentRecord)) !=
          file.size())
    return Error{ErrorCode::Malformed, path, "header",
                 "grasps, contacts and segments do not add up to the size of the file",
                 kGraspFile.advice};
  return header;
}

/// Copies `count` records from the front of `file`, and drops them with their zeros.
template <class Record>
std::vector<Record> take(std::span<const std::byte>& file, std::uint64_t count) {
  std::vector<Record> records(count);
  if (count > 0) std::memcpy(records.data(), file.data(), count * sizeof(Record));
  file = file.subspan(aligned(count * sizeof(Record)));
  return records;
}

template <class Record>
std::span<const std::byte> bytes_of(const std::vector<Record>& records) {
  return std::as_bytes(std::span(records));
}

Vec3 vector_of(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }
std::array<double, 3> array_of(const Vec3& v) { return {v.x, v.y, v.z}; }

std::array<double, 8> numbers_of(const std::optional<GripperSizes>& sizes) {
  if (!sizes) return {};
  return {sizes->opening, sizes->finger_width, sizes->finger_thickness, sizes->finger_length,
          sizes->tip,     sizes->palm.x,       sizes->palm.y,           sizes->palm.z};
}

std::optional<GripperSizes> sizes_of(const std::array<double, 8>& n) {
  if (n == std::array<double, 8>{}) return std::nullopt;
  return GripperSizes{n[0], n[1], n[2], n[3], n[4], {n[5], n[6], n[7]}};
}

GraspRecord record_of(const Grasp& g) {
  GraspRecord r;
  for (std::size_t i = 0; i < 9; ++i) r.rotation[i] = g.part_from_gripper.rotation[i / 3][i % 3];
  r.translation = array_of(g.part_from_gripper.translation);
  r.width = g.width;
  r.stability = g.stability;
  r.robustness = g.robustness;
  r.quality = g.quality;
  r.sample = {g.segment, g.along, g.theta, g.phi};
  r.first_contact = g.first_contact;
  r.contact_count = g.contact_count;
  return r;
}

Grasp grasp_of(const GraspRecord& r) {
  Grasp g;
  for (std::size_t i = 0; i < 9; ++i) g.part_from_gripper.rotation[i / 3][i % 3] = r.rotation[i];
  g.part_from_gripper.translation = vector_of(r.translation);
  g.width = r.width;
  g.stability = r.stability;
  g.robustness = r.robustness;
  g.quality = r.quality;
  g.segment = r.sample[0];
  g.along = r.sample[1];
  g.theta = r.sample[2];
  g.phi = r.sample[3];
  g.first_contact = r.first_contact;
  g.contact_count = r.contact_count;
  return g;
}

bool is_amount(double v) { return std::isfinite(v) && v >= 0.0; }

/// What is wrong with a grasp; empty when nothing is.
std::string wrong_with(const Grasp& g, const GraspSet& set) {
  if (const Result<Pose> pose = checked_pose(g.part_from_gripper); !pose)
    return pose.error().reason;
  if (!is_amount(g.width) || !is_amount(g.stability) || !is_amount(g.robustness) ||
      !(g.quality >= 0.0 && g.quality <= 1.0))
    return "a width or quality makes no sense";
  if (g.first_contact > set.contacts.size() ||
      g.contact_count > set.contacts.size() - g.first_contact)
    return "names contacts that are not there";
  if (g.segment >= set.wire_frame.size()) return "names a segment that is not there";
  return "";
}

Status check(const GraspSet& set, const std::string& path) {
  const auto refuse = [&](std::string place, std::string reason) {
    return Error{ErrorCode::Malformed, path, std::move(place), std::move(reason),
                 kGraspFile.advice};
  };
  if (set.gripper_sizes) {
    // A gripper can be made of them, and it is the one that the grasps are by.
    const Result<Gripper> boxes = Gripper::of_boxes(*set.gripper_sizes);
    if (!boxes) return refuse("header", "the gripper: " + boxes.error().reason);
    if (boxes->fingerprint() != set.gripper_fingerprint)
      return refuse("header", "the sizes of the gripper are not those of the grasps");
  }
  const GraspCounts& n = set.counts;
  if (!(n.robust <= n.stable && n.stable <= n.feasible && n.feasible <= n.free &&
        n.free <= n.sampled))
    return refuse("header", "the counts make no sense");
  if (!is_amount(set.step) || !is_amount(set.theta_step) || !is_amount(set.phi_step) ||
      !is_amount(set.largest_radius) || !is_finite(set.mass_center))
    return refuse("header", "a length or an angle makes no sense");
  for (std::size_t i = 0; i < set.wire_frame.size(); ++i) {
    if (!is_finite(set.wire_frame[i].a) || !is_finite(set.wire_frame[i].b))
      return refuse("segment " + std::to_string(i), "is not finite");
  }
  for (std::size_t i = 0; i < set.contacts.size(); ++i) {
    const GraspContact& c = set.contacts[i];
    if (!is_finite(c.point) || !(std::abs(norm(c.inward) - 1.0) <= kUnitTolerance) || c.finger > 1)
      return refuse("contact " + std::to_string(i), "makes no sense");
  }
  double last = 1.0;
  for (std::size_t i = 0; i < set.grasps.size(); ++i) {
    const Grasp& g = set.grasps[i];
    if (std::string words = wrong_with(g, set); !words.empty())
      return refuse("grasp " + std::to_string(i), std::move(words));
    if (g.quality > last || (g.robustness > 0.0) != (i < n.robust))
      return refuse("grasp " + std::to_string(i), "is not in the order of quality");
    last = g.quality;
  }
  return {};
}

}  // namespace

}  // namespace detail

Status write_grasps(const std::string& path, const GraspSet& set) {
  using namespace detail;
  std::vector<GraspRecord> grasps;
  grasps.reserve(set.grasps.size());
  for (const Grasp& g : set.grasps) grasps.push_back(record_of(g));
  std::vector<ContactRecord> contacts;
  contacts.reserve(set.contacts.size());
  for (const GraspContact& c : set.contacts)
    contacts.push_back({array_of(c.point), array_of(c.inward), c.finger});
  std::vector<SegmentRecord> segments;
  segments.reserve(set.wire_frame.size());
  for (const Segment& s : set.wire_frame)
    segments.push_back({{s.a.x, s.a.y, s.a.z, s.b.x, s.b.y, s.b.z}});

  GraspFileHeader header;
  header.grasp_count = grasps.size();
  header.contact_count = contacts.size();
  header.segment_count = segments.size();
  header.sampled = set.counts.sampled;
  header.free = set.counts.free;
  header.feasible = set.counts.feasible;
  header.robust = set.counts.robust;
  header.step = set.step;
  header.theta_step = set.theta_step;
  header.phi_step = set.phi_step;
  header.mass_center = array_of(set.mass_center);
  header.largest_radius = set.largest_radius;
  header.part_fingerprint = set.part_fingerprint;
  header.gripper_fingerprint = set.gripper_fingerprint;
  header.gripper_sizes = numbers_of(set.gripper_sizes);
  const std::array sections{bytes_of(grasps), bytes_of(contacts), bytes_of(segments)};
  return write_sealed(path, kGraspFile, std::as_writable_bytes(std::span(&header, 1)), sections);
}

Result<GraspSet> parse_grasps(std::span<const std::byte> bytes, const std::string& path) {
  using namespace detail;
  const Result<GraspFileHeader> header = checked_header(bytes, path);
  if (!header) return header.error();
  std::span<const std::byte> rest = bytes.subspan(sizeof(GraspFileHeader));
  GraspSet set;
  set.grasps.reserve(header->grasp_count);
  for (const GraspRecord& r : take<GraspRecord>(rest, header->grasp_count))
    set.grasps.push_back(grasp_of(r));
  set.contacts.reserve(header->contact_count);
  for (const ContactRecord& c : take<ContactRecord>(rest, header->contact_count))
    set.contacts.push_back({vector_of(c.point), vector_of(c.inward),
                            static_cast<std::uint32_t>(std::min<std::uint64_t>(c.finger, 2))});
  for (const SegmentRecord& s : take<SegmentRecord>(rest, header->segment_count))
    set.wire_frame.push_back(
        {{s.ends[0], s.ends[1], s.ends[2]}, {s.ends[3], s.ends[4], s.ends[5]}});
  set.counts = {header->sampled, header->free, header->feasible, header->grasp_count,
                header->robust};
  set.step = header->step;
  set.theta_step = header->theta_step;
  set.phi_step = header->phi_step;
  set.mass_center = vector_of(header->mass_center);
  set.largest_radius = header->largest_radius;
  set.part_fingerprint = header->part_fingerprint;
  set.gripper_fingerprint = header->gripper_fingerprint;
  set.gripper_sizes = sizes_of(header->gripper_sizes);
  if (const Status status = check(set, path); !status) return status.error();
  return set;
}

Result<GraspSet> read_grasps(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_grasps(file->bytes(), path);
}

}  // namespace clearance
