// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/contour/paper_distance.h>
#include <clearance/contour/segment_distance.h>

#include "support/contour_oracle.h"

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

// Where the paper is wrong (docs/contour.md): its answer beside the right one.

TEST(PaperIsWrong, CentroidInPlaceOfTheClosestPointOfAFace) {
  // The plane x = 2 is 1 from the cylinder, at (2, 0, z). The centroid of the closest points of the
  // edges is at y = -1.205, and sqrt(4 + 1.205^2) - 1 = 1.335 away.
  const Triangle triangle{{2, -9, 1}, {2, 3, -8}, {2, 3, 10}};
  EXPECT_NEAR(distance(kCylinder, triangle).distance, 1.0, 1e-10);
  const PaperDistance paper = paper_distance(kCylinder, triangle);
  EXPECT_NEAR(paper.on_shape.y, -1.205, 1e-3);
  EXPECT_NEAR(paper.distance, 1.335, 1e-3);
}

TEST(PaperIsWrong, IterationStopsAtTheCentreOfACircle) {
  // A bend by 90 degrees; the edge passes the first disc, in the x-z plane, below its rim at
  // (-1, 0, 0). The rim is 4/sqrt(145) from the edge, the centre 12/sqrt(145): step 3 looks for the
  // point closest to v_2 v_3 only, and the disc's own radius is never tried.
  const double half = std::sqrt(0.5);
  const ContourSegment bend =
      segment_of({{0, 0, 0}, {0, 0, 1}, 1.0}, {{2 * half, 0, 2 * half}, {1, 0, 0}, 1.0});
  const Segment edge{{-6, 0, 4}, {3, 0, -4}};
  EXPECT_NEAR(distance(bend, edge).distance, 4.0 / std::sqrt(145.0), 1e-10);
  EXPECT_NEAR(paper_distance(bend, edge, {.rounds = 1000}).distance, 12.0 / std::sqrt(145.0),
              1e-10);
}

TEST(PaperIsWrong, IterationStopsAtALeastDistanceThatIsNotTheLeastOfAll) {
  // A sharp bend: the discs z = 0, |x| <= 2 and x = h, |z - h| <= 2 with h = sqrt(1/2). From the
  // edge's end (3, 0, 1), (2, 0, 0) is closest of all near it, sqrt(2) away; the second disc comes
  // as near as (4 - h - (h + 2)) / sqrt(2) = sqrt(2) - 1 to the middle of the edge.
  const double half = std::sqrt(0.5);
  const ContourSegment bend =
      segment_of({{0, 0, 0}, {0, 0, 1}, 2.0}, {{half, 0, half}, {1, 0, 0}, 2.0});
  const Segment edge{{3, 0, 1}, {0, 0, 4}};
  EXPECT_NEAR(distance(bend, edge).distance, std::sqrt(2.0) - 1.0, 1e-10);
  EXPECT_NEAR(paper_distance(bend, edge, {.rounds = 1000}).distance, std::sqrt(2.0), 1e-10);
}

TEST(PaperIsWrong, TriangleThatPiercesWithoutAnEdgeTouchingIsCalledFree) {
  // The edges pass at (-2, 0, 1), (0, -2, 1) and (6, 6, 1); their centroid (4/3, 4/3, 1) is
  // sqrt(32/9) - 1 = 0.886 outside of the cylinder that goes through the triangle.
  const Triangle triangle{{-2, -2, 1}, {-2, 14, 1}, {14, -2, 1}};
  EXPECT_EQ(distance(kCylinder, triangle).distance, 0.0);
  EXPECT_NEAR(paper_distance(kCylinder, triangle).distance, std::sqrt(32.0 / 9.0) - 1.0, 1e-10);
}

TEST(PaperIsWrong, ErrsTowardsFree) {
  // With parallel circles its points are on the shapes, wrong as they may be: what it says is never
  // too small, and often too large, which is the dangerous side.
  Random random(9);
  int sampled = 0;
  int too_large = 0;
  for (int i = 0; i < 5000; ++i) {
    const test::ContourPair pair = test::awkward_contour_pair(random);
    if (!is_convex(pair.segment)) continue;
    const double right = distance(pair.segment, pair.triangle).distance;
    const double paper = paper_distance(pair.segment, pair.triangle).distance;
    ASSERT_GE(paper, right - 1e-10 * pair.extent) << test::describe(pair.segment, pair.triangle);
    ++sampled;
    too_large += paper > right + 1e-6 * pair.extent ? 1 : 0;
  }
  EXPECT_GT(too_large, 0.2 * sampled);
}

TEST(PaperDistance, CriterionStopsEarly) {
  const Segment edge{{3, -4, -3}, {3, 4, 5}};
  const PaperDistance found = paper_distance(kCylinder, edge, {.rounds = 1000, .epsilon = 1e-9});
  EXPECT_LT(found.rounds, 1000);
  EXPECT_NEAR(found.distance, 2.0, 1e-12);
}

}  // namespace
}  // namespace clearance
