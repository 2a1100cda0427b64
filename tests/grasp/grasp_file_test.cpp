// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/grasp_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/grasp/grasp_file.h>

#include "support/data.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

const GraspSet& bar_grasps() {
  static const GraspSet set = [] {
    const Mesh bar = scaled(test::cube(1.0, {-0.5, -0.5, -0.5}), {0.02, 0.02, 0.1});
    const std::vector<Segment> frame{{{0.0, 0.0, -0.03}, {0.0, 0.0, 0.03}}};
    return generate_grasps(Model::build(bar).value(), Gripper::of_boxes({}).value(), frame,
                           {.step = 0.008})
        .value();
  }();
  return set;
}

std::vector<std::byte> bytes_of(const std::string& path) {
  const std::string text = test::contents(path);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::vector<std::byte> bar_file() {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(write_grasps(folder.file("bar.cgr"), bar_grasps()).ok());
  return bytes_of(folder.file("bar.cgr"));
}

std::string reason_of(const std::vector<std::byte>& bytes) {
  const Result<GraspSet> set = parse_grasps(bytes, "x.cgr");
  if (set.ok()) return "";
  EXPECT_EQ(set.error().file, "x.cgr");
  return set.error().reason;
}

TEST(GraspFile, ReadsBackTheSameBits) {
  const test::TemporaryFolder folder;
  const GraspSet& set = bar_grasps();
  ASSERT_GT(set.counts.robust, 0U);
  ASSERT_TRUE(write_grasps(folder.file("a.cgr"), set).ok());
  const Result<GraspSet> read = read_grasps(folder.file("a.cgr"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->grasps.size(), set.grasps.size());
  for (std::size_t i = 0; i < set.grasps.size(); ++i) {
    EXPECT_EQ(read->grasps[i].part_from_gripper, set.grasps[i].part_from_gripper);
    EXPECT_EQ(read->grasps[i].quality, set.grasps[i].quality);
    EXPECT_EQ(read->grasps[i].stability, set.grasps[i].stability);
    EXPECT_EQ(read->grasps[i].robustness, set.grasps[i].robustness);
    EXPECT_EQ(read->grasps[i].width, set.grasps[i].width);
    EXPECT_EQ(read->grasps[i].phi, set.grasps[i].phi);
    EXPECT_EQ(read->contacts_of(read->grasps[i]).size(), set.contacts_of(set.grasps[i]).size());
  }
  ASSERT_EQ(read->contacts.size(), set.contacts.size());
  EXPECT_EQ(read->contacts.back().point, set.contacts.back().point);
  EXPECT_EQ(read->contacts.back().finger, set.contacts.back().finger);
  EXPECT_EQ(read->counts.sampled, set.counts.sampled);
  EXPECT_EQ(read->counts.free, set.counts.free);
  EXPECT_EQ(read->counts.robust, set.counts.robust);
  EXPECT_EQ(read->wire_frame.size(), 1U);
  EXPECT_EQ(read->theta_step, set.theta_step);
  EXPECT_EQ(read->part_fingerprint, set.part_fingerprint);
  EXPECT_EQ(read->gripper_fingerprint, set.gripper_fingerprint);
  // And writes back the same bytes.
  ASSERT_TRUE(write_grasps(folder.file("b.cgr"), *read).ok());
  EXPECT_EQ(bytes_of(folder.file("a.cgr")), bytes_of(folder.file("b.cgr")));
}

TEST(GraspFile, ASetWithoutGraspsIsAFileToo) {
  const test::TemporaryFolder folder;
  GraspSet none = bar_grasps();
  none.grasps.clear();
  none.contacts.clear();
  none.counts = {none.counts.sampled, 0, 0, 0, 0};
  ASSERT_TRUE(write_grasps(folder.file("none.cgr"), none).ok());
  const Result<GraspSet> read = read_grasps(folder.file("none.cgr"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_TRUE(read->grasps.empty());
}

TEST(GraspFile, HoldsTheGripperOfBoxesAndNoOther) {
  const test::TemporaryFolder folder;
  GraspSet set = bar_grasps();
  const Gripper wide = Gripper::of_boxes({.opening = 0.12, .palm = {0.2, 0.07, 0.05}}).value();
  set.gripper_fingerprint = wide.fingerprint();
  set.gripper_sizes = wide.sizes();
  ASSERT_TRUE(write_grasps(folder.file("wide.cgr"), set).ok());
  const Result<GraspSet> read = read_grasps(folder.file("wide.cgr"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_TRUE(read->gripper_sizes.has_value());
  EXPECT_EQ(Gripper::of_boxes(*read->gripper_sizes).value().fingerprint(), wide.fingerprint());

  const Mesh palm = test::cube(0.05, {-0.025, -0.025, -0.1});
  const Mesh finger = test::cube(0.01, {-0.005, -0.005, -0.005});
  const Gripper meshes =
      Gripper::of_meshes(palm, transformed(finger, Pose::translate({-0.02, 0, 0})),
                         transformed(finger, Pose::translate({0.02, 0, 0})), 0.03, 0.01, 0.005)
          .value();
  EXPECT_FALSE(meshes.sizes().has_value());
  set.gripper_fingerprint = meshes.fingerprint();
  set.gripper_sizes = meshes.sizes();
  ASSERT_TRUE(write_grasps(folder.file("meshes.cgr"), set).ok());
  EXPECT_FALSE(read_grasps(folder.file("meshes.cgr")).value().gripper_sizes.has_value());
}

TEST(GraspFile, RefusesWhatIsNoGraspFile) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_grasps(folder.file("none.cgr")).error().code, ErrorCode::NotFound);
  EXPECT_EQ(reason_of({}), "is not a grasp file of Clearance");
  EXPECT_EQ(reason_of(std::vector<std::byte>(500)), "is not a grasp file of Clearance");
}

TEST(GraspFile, RefusesEveryFileThatIsCutOff) {
  const std::vector<std::byte> whole = bar_file();
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    const std::vector<std::byte> cut(whole.begin(),
                                     whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(reason_of(cut), "") << size;
  }
  std::vector<std::byte> longer = whole;
  longer.resize(longer.size() + 64);
  EXPECT_NE(reason_of(longer), "");
}

TEST(GraspFile, RefusesEveryFileWithAChangedBit) {
  const std::vector<std::byte> whole = bar_file();
  for (std::size_t at = 0; at < whole.size(); at += 101) {
    std::vector<std::byte> changed = whole;
    changed[at] ^= static_cast<std::byte>(1U << (at % 8));
    EXPECT_NE(reason_of(changed), "") << at;
  }
}

TEST(GraspFile, RefusesAnotherVersionAndByteOrder) {
  std::vector<std::byte> file = bar_file();
  file[offsetof(detail::FileSeal, version)] = std::byte{9};
  EXPECT_EQ(reason_of(file), "is a grasp file of version 9; this program reads version 2");
  file = bar_file();
  std::reverse(file.begin() + 16, file.begin() + 20);
  EXPECT_EQ(reason_of(file), "was written on a machine of the other byte order");
}

TEST(GraspFile, RefusesNumbersThatMakeNoSenseUnderATrueChecksum) {
  const auto changed = [](const std::function<void(GraspSet&)>& change) {
    const test::TemporaryFolder folder;
    GraspSet set = bar_grasps();
    change(set);
    EXPECT_TRUE(write_grasps(folder.file("x.cgr"), set).ok());
    return reason_of(bytes_of(folder.file("x.cgr")));
  };
  EXPECT_EQ(changed([](GraspSet&) {}), "");
  EXPECT_NE(changed([](GraspSet& s) { s.grasps[3].part_from_gripper.rotation[0].x = 2.0; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.grasps[3].width = std::nan(""); }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.grasps[0].quality = 1.5; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.grasps[1].contact_count = 1U << 30; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.grasps[1].first_contact = 0xffffffffU; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.grasps[1].segment = 7; }), "");
  EXPECT_NE(changed([](GraspSet& s) { std::swap(s.grasps.front(), s.grasps.back()); }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.contacts[0].inward = {}; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.contacts[0].finger = 2; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.counts.robust = 1; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.counts.feasible = s.counts.sampled + 1; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.step = -1.0; }), "");
  // Sizes that no gripper has, and those of another one than the grasps are by.
  EXPECT_NE(changed([](GraspSet& s) { s.gripper_sizes->opening = -1.0; }), "");
  EXPECT_NE(changed([](GraspSet& s) { s.gripper_sizes->opening = 0.081; }), "");
  EXPECT_NE(
      changed([](GraspSet& s) { s.wire_frame[0].a.x = std::numeric_limits<double>::infinity(); }),
      "");
}

TEST(GraspFile, RefusesCountsBeyondTheFile) {
  std::vector<std::byte> file = bar_file();
  const std::uint64_t huge = ~std::uint64_t{0} / 152;
  std::memcpy(file.data() + offsetof(detail::GraspFileHeader, grasp_count), &huge, sizeof huge);
  detail::seal_bytes(file, detail::kGraspFile);
  EXPECT_EQ(reason_of(file), "grasps, contacts and segments do not add up to the size of the file");
}

TEST(GraspExport, JsonHasAllOfIt) {
  const GraspSet& set = bar_grasps();
  const nlohmann::json json = nlohmann::json::parse(grasps_as_json(set));
  EXPECT_EQ(json["counts"]["stable"], set.counts.stable);
  ASSERT_EQ(json["grasps"].size(), set.grasps.size());
  const nlohmann::json& first = json["grasps"][0];
  EXPECT_EQ(first["quality"].get<double>(), set.grasps[0].quality);
  EXPECT_EQ(first["part_from_gripper"]["xyz"][2].get<double>(),
            set.grasps[0].part_from_gripper.translation.z);
  EXPECT_EQ(first["contacts"].size(), set.grasps[0].contact_count);
  EXPECT_EQ(first["contacts"][0]["point"][0].get<double>(), set.contacts[0].point.x);
}

TEST(GraspExport, CsvHasALineForEach) {
  const GraspSet& set = bar_grasps();
  const std::string text = grasps_as_csv(set);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            set.grasps.size() + 1);
  const std::size_t line = text.find('\n') + 1;
  EXPECT_EQ(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(line), ','), 15);
  EXPECT_EQ(std::stod(text.substr(line)), set.grasps[0].part_from_gripper.translation.x);
}

}  // namespace
}  // namespace clearance
