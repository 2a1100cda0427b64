// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/geometry/mass.h>
#include <clearance/grasp/gripper.h>
#include <clearance/mesh/generate.h>

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

}  // namespace
}  // namespace clearance
