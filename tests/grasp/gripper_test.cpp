// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/geometry/mass.h>
#include <clearance/grasp/gripper.h>
#include <clearance/mesh/write.h>

#include "support/data.h"

namespace clearance {
namespace {

TEST(Gripper, OfBoxesIsWhereItsSizesSay) {
  const GripperSizes sizes{.opening = 0.05,
                           .finger_width = 0.01,
                           .finger_thickness = 0.008,
                           .finger_length = 0.04,
                           .tip = 0.004,
                           .palm = {0.1, 0.05, 0.03}};
  const Result<Gripper> gripper = Gripper::of_boxes(sizes);
  ASSERT_TRUE(gripper.ok());
  EXPECT_EQ(gripper->opening(), 0.05);
  EXPECT_EQ(gripper->finger_width(), 0.01);
  EXPECT_EQ(gripper->tip(), 0.004);
  EXPECT_TRUE(gripper->open().is_solid());
  // The palm ends where the fingers begin, at z = tip - length; both fingers end at the tip.
  const Box palm = gripper->pieces()[0].mesh().bounds();
  EXPECT_NEAR(palm.high.z, -0.036, 1e-15);
  EXPECT_NEAR(palm.low.z, -0.066, 1e-15);
  const Box left = gripper->pieces()[1].mesh().bounds();
  EXPECT_NEAR(left.high.x, -0.025, 1e-15);
  EXPECT_NEAR(left.low.x, -0.033, 1e-15);
  EXPECT_NEAR(left.high.z, 0.004, 1e-15);
  EXPECT_NEAR(left.low.z, -0.036, 1e-15);
  EXPECT_NEAR(left.high.y, 0.005, 1e-15);
  const Box right = gripper->pieces()[2].mesh().bounds();
  EXPECT_NEAR(right.low.x, 0.025, 1e-15);
  const Mesh& whole = gripper->open().mesh();
  EXPECT_NEAR(solid_properties(whole.vertices(), whole.faces()).volume,
              0.1 * 0.05 * 0.03 + 2.0 * 0.008 * 0.01 * 0.04, 1e-12);
}

TEST(Gripper, ClosesBothFingersByTheSameWay) {
  const Result<Gripper> gripper = Gripper::of_boxes({.opening = 0.06});
  ASSERT_TRUE(gripper.ok());
  const Mesh closed = gripper->mesh_at(0.02);
  ASSERT_EQ(closed.parts().size(), 3U);
  const Result<Mesh> left =
      submesh(closed, closed.parts()[1].first_triangle, closed.parts()[1].triangle_count);
  const Result<Mesh> right =
      submesh(closed, closed.parts()[2].first_triangle, closed.parts()[2].triangle_count);
  ASSERT_TRUE(left.ok() && right.ok());
  EXPECT_NEAR(left->bounds().high.x, -0.01, 1e-15);
  EXPECT_NEAR(right->bounds().low.x, 0.01, 1e-15);
  EXPECT_EQ(gripper->piece_poses(0.06)[1], Pose::identity());
}

TEST(Gripper, RefusesSizesThatMakeNoSense) {
  const auto place_of = [](const GripperSizes& sizes) {
    const Result<Gripper> gripper = Gripper::of_boxes(sizes);
    return gripper.ok() ? std::string() : gripper.error().place;
  };
  EXPECT_EQ(place_of({}), "");
  EXPECT_EQ(place_of({.opening = 0.0}), "opening");
  EXPECT_EQ(place_of({.opening = -1.0}), "opening");
  EXPECT_EQ(place_of({.finger_width = std::nan("")}), "finger width");
  EXPECT_EQ(place_of({.finger_thickness = 0.0}), "finger thickness");
  EXPECT_EQ(place_of({.finger_length = std::numeric_limits<double>::infinity()}), "finger length");
  EXPECT_EQ(place_of({.tip = -0.001}), "tip");
  EXPECT_EQ(place_of({.finger_length = 0.02, .tip = 0.02}), "tip");
  EXPECT_EQ(place_of({.palm = {0.1, 0.0, 0.1}}), "palm along y");
}

TEST(Gripper, FingerprintTellsGrippersApart) {
  const Result<Gripper> a = Gripper::of_boxes({});
  const Result<Gripper> same = Gripper::of_boxes({});
  const Result<Gripper> wider = Gripper::of_boxes({.opening = 0.081});
  const Result<Gripper> other_tip = Gripper::of_boxes({.finger_length = 0.060, .tip = 0.005});
  ASSERT_TRUE(a.ok() && same.ok() && wider.ok() && other_tip.ok());
  EXPECT_EQ(a->fingerprint(), same->fingerprint());
  EXPECT_NE(a->fingerprint(), wider->fingerprint());
  EXPECT_NE(a->fingerprint(), other_tip->fingerprint());
}

TEST(Gripper, OfMeshesTakesPiecesAsTheyAre) {
  const Result<Gripper> boxes = Gripper::of_boxes({});
  ASSERT_TRUE(boxes.ok());
  const Result<Gripper> gripper =
      Gripper::of_meshes(boxes->pieces()[0].mesh(), boxes->pieces()[1].mesh(),
                         boxes->pieces()[2].mesh(), 0.08, 0.012, 0.006);
  ASSERT_TRUE(gripper.ok());
  EXPECT_EQ(gripper->fingerprint(), boxes->fingerprint());
  const Result<Gripper> empty = Gripper::of_meshes(boxes->pieces()[0].mesh(), Mesh(),
                                                   boxes->pieces()[2].mesh(), 0.08, 0.012, 0.006);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().place, "left finger");
}

std::string message_of(const std::string& text) {
  const Result<Gripper> gripper = Gripper::parse(text, "gripper.json");
  return gripper.ok() ? "" : gripper.error().message();
}

TEST(GripperFile, ReadsSizes) {
  const Result<Gripper> gripper = Gripper::read(test::source_path("examples/gripper.json"));
  ASSERT_TRUE(gripper.ok()) << gripper.error().message();
  EXPECT_EQ(gripper->name(), "two-finger gripper");
  EXPECT_NEAR(gripper->opening(), 0.08, 1e-15);
  const Result<Gripper> wide = Gripper::parse(
      R"({"clearance": "gripper", "version": 1, "sizes": {"opening": 0.2}})", "wide.json");
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->name(), "wide");
  EXPECT_EQ(wide->opening(), 0.2);
  EXPECT_EQ(wide->finger_width(), GripperSizes().finger_width);
}

TEST(GripperFile, ReadsMeshesAndMeasuresTheirOpening) {
  const test::TemporaryFolder folder;
  const Result<Gripper> boxes = Gripper::of_boxes({.opening = 0.07, .tip = 0.005});
  ASSERT_TRUE(boxes.ok());
  // In millimetres, approaching along y, 3 mm off to the side.
  const Pose frame{Mat3::from_columns({1, 0, 0}, {0, 0, -1}, {0, 1, 0}), {0.003, 0.1, 0.0}};
  const std::array<std::string, 3> names{"palm.stl", "left.stl", "right.stl"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Mesh moved =
        scaled(transformed(boxes->pieces()[i].mesh(), frame), {1000.0, 1000.0, 1000.0});
    ASSERT_TRUE(write_mesh(folder.file(names[i]), moved).ok());
  }
  const std::string text = R"({"clearance": "gripper", "version": 1, "name": "of files",
      "units": {"length": "mm", "angle": "deg"},
      "meshes": {"palm": "palm.stl", "left": "left.stl", "right": "right.stl", "unit": "mm"},
      "frame": {"xyz": [0, 100, 0], "rpy": [-90, 0, 0]}, "finger_width": 12, "tip": 5})";
  const Result<Gripper> gripper = Gripper::parse(text, folder.file("gripper.json"));
  ASSERT_TRUE(gripper.ok()) << gripper.error().message();
  EXPECT_NEAR(gripper->opening(), 0.07, 1e-7);
  EXPECT_NEAR(gripper->pieces()[1].mesh().bounds().high.x, -0.035, 1e-7);
  EXPECT_NEAR(gripper->pieces()[2].mesh().bounds().high.z, 0.005, 1e-7);
  EXPECT_NEAR(gripper->pieces()[0].mesh().bounds().high.z, -0.055, 1e-7);
}

TEST(GripperFile, NamesPlaceAndReason) {
  EXPECT_NE(message_of("nonsense"), "");
  EXPECT_EQ(message_of(R"({"clearance": "gripper", "version": 1})"),
            "gripper.json: needs one of 'sizes', 'meshes' and 'urdf'");
  EXPECT_EQ(message_of(R"({"clearance": "gripper", "version": 1, "sizes": {"opening": 0}})"),
            "gripper.json: sizes/opening: 0 is not above 0");
  EXPECT_NE(message_of(R"({"clearance": "gripper", "version": 1, "sizes": {"oppening": 1}})"), "");
  EXPECT_EQ(message_of(R"({"clearance": "gripper", "version": 1, "sizes": {"tip": 1}})"),
            "gripper.json: tip: 1.000000 is not between 0 and the length of a finger");
  EXPECT_EQ(message_of(R"({"clearance": "gripper", "version": 1, "sizes": {}, "tip": 1})"),
            "gripper.json: tip: goes with 'meshes' or 'urdf'");
  EXPECT_EQ(message_of(R"({"clearance": "gripper", "version": 1, "meshes": {}, "tip": 1})"),
            "gripper.json: has no 'finger_width'");
  EXPECT_EQ(message_of(R"({"clearance": "gripper", "version": 1, "finger_width": 1, "tip": 1,
                           "meshes": {"palm": "/none.stl"}})")
                .find("gripper.json: meshes/palm: /none.stl"),
            0U);
  EXPECT_EQ(Gripper::read("/none/there.json").error().code, ErrorCode::NotFound);
}

/// A real gripper whose fingers are linkages; its meshes are in centimetres, and the URDF does not
/// say so.
std::string robotiq(const std::string& joints) {
  return R"({"clearance": "gripper", "version": 1, "name": "2F-85",
      "urdf": {"file": ")" +
         test::data_path("robots/robotiq_85/robotiq.urdf").string() +
         R"(", "mesh_scale": 0.01, "joints": {)" + joints + R"(},
        "palm": ["robotiq_base", "left_outer_knuckle", "left_inner_knuckle", "right_outer_knuckle",
                 "right_inner_knuckle"],
        "left": ["right_outer_finger", "right_inner_finger"],
        "right": ["left_outer_finger", "left_inner_finger"]},
      "frame": {"xyz": [0, 0, 0.150]}, "finger_width": 0.022, "tip": 0.009})";
}

TEST(GripperFile, ReadsARealOneFromUrdf) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Result<Gripper> open = Gripper::parse(robotiq(""), "gripper.json");
  ASSERT_TRUE(open.ok()) << open.error().message();
  // It is called after its stroke of 85 mm, without the pads that the meshes have.
  EXPECT_GT(open->opening(), 0.075);
  EXPECT_LT(open->opening(), 0.090);
  const Box bounds = open->open().mesh().bounds();
  EXPECT_NEAR(bounds.high.z, 0.009, 0.001);
  EXPECT_NEAR(bounds.low.z, -0.153, 0.001);
  const Result<Gripper> closer = Gripper::parse(robotiq("\"finger_joint\": 0.3"), "gripper.json");
  ASSERT_TRUE(closer.ok()) << closer.error().message();
  EXPECT_LT(closer->opening(), open->opening() - 0.02);
  const Result<Gripper> beyond = Gripper::parse(robotiq("\"finger_joint\": 3"), "gripper.json");
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().place, "urdf/joints");
  const Result<Gripper> unknown = Gripper::parse(robotiq("\"thumb\": 3"), "gripper.json");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().place, "urdf/joints/thumb");
}

}  // namespace
}  // namespace clearance
