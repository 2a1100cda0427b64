// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/contour/paper_distance.h>

namespace clearance {
namespace {

ContourSegment segment_of(const ContourNode& start, const ContourNode& end) {
  return make_segment(start, end).value();
}

// Radius 1 about the z axis, from 0 to 2.
const ContourSegment kCylinder =
    segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 2}, {0, 0, 1}, 1.0});

TEST(PaperDistance, PointBesideBehindAndInsideACylinder) {
  EXPECT_NEAR(paper_distance(kCylinder, Vec3{3, 0, 1}).distance, 2.0, 1e-15);
  // Over the rim: 3 up, 4 out.
  const PaperDistance rim = paper_distance(kCylinder, Vec3{0, 5, 5});
  EXPECT_NEAR(rim.distance, 5.0, 1e-15);
  EXPECT_NEAR(distance(rim.on_segment, Vec3{0, 1, 2}), 0.0, 1e-15);
  // Over the end disc.
  EXPECT_NEAR(paper_distance(kCylinder, Vec3{0.5, 0, -3}).distance, 3.0, 1e-15);
  EXPECT_EQ(paper_distance(kCylinder, Vec3{0.5, 0, 1}).distance, 0.0);
}

TEST(PaperDistance, PointOnTheCentreLine) {
  EXPECT_EQ(paper_distance(kCylinder, Vec3{0, 0, 1}).distance, 0.0);
  EXPECT_NEAR(paper_distance(kCylinder, Vec3{0, 0, 5}).distance, 3.0, 1e-15);
}

TEST(PaperDistance, SegmentWithoutLengthOrRadius) {
  const ContourSegment disc = segment_of({{0, 0, 1}, {0, 0, 1}, 2.0}, {{0, 0, 1}, {0, 0, 1}, 2.0});
  EXPECT_NEAR(paper_distance(disc, Vec3{5, 0, 5}).distance, 5.0, 1e-15);
  EXPECT_NEAR(paper_distance(disc, Vec3{1, 0, 5}).distance, 4.0, 1e-15);
  const ContourSegment line = segment_of({{0, 0, 0}, {0, 0, 1}, 0.0}, {{0, 0, 1}, {0, 0, 1}, 0.0});
  EXPECT_NEAR(paper_distance(line, Vec3{3, 0, 5}).distance, 5.0, 1e-15);
  const ContourSegment point = segment_of({{0, 0, 0}, {0, 0, 1}, 0.0}, {{0, 0, 0}, {0, 0, 1}, 0.0});
  EXPECT_NEAR(paper_distance(point, Vec3{2, 3, 6}).distance, 7.0, 1e-15);
}

TEST(PaperDistance, EdgeConvergesOnAConvexSegment) {
  // Skew beside the cylinder: passes the axis at (3, 0, 1) along (0, 1, 1); the lines are 3 apart.
  const Segment edge{{3, -4, -3}, {3, 4, 5}};
  const PaperDistance found = paper_distance(kCylinder, edge);
  EXPECT_NEAR(found.distance, 2.0, 1e-12);
  EXPECT_NEAR(distance(found.on_shape, Vec3{3, 0, 1}), 0.0, 1e-6);
  // The first guess is the answer: nothing moves any more.
  EXPECT_EQ(found.rounds, 1);
}

TEST(PaperDistance, CriterionStopsEarly) {
  const Segment edge{{3, -4, -3}, {3, 4, 5}};
  const PaperDistance found = paper_distance(kCylinder, edge, {.rounds = 1000, .epsilon = 1e-9});
  EXPECT_LT(found.rounds, 1000);
  EXPECT_NEAR(found.distance, 2.0, 1e-12);
}

}  // namespace
}  // namespace clearance
