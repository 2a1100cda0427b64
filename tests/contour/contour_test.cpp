// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/contour/contour.h>

namespace clearance {
namespace {

using testing::HasSubstr;

const ContourNode kNode{{1, 2, 3}, {0, 0, 1}, 0.5};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ContourNode node_with(const Vec3& position, const Vec3& tangent, double radius) {
  return {position, tangent, radius};
}

std::string refusal(const ContourNode& second) {
  const auto segment = make_segment(kNode, second);
  EXPECT_FALSE(segment.ok());
  return segment.ok() ? "" : segment.error().message();
}

TEST(MakeSegment, RefusesNumbersThatAreNotFinite) {
  EXPECT_THAT(refusal(node_with({kNaN, 0, 0}, {0, 0, 1}, 1)), HasSubstr("position is not finite"));
  EXPECT_THAT(refusal(node_with({0, 0, 0}, {0, kNaN, 1}, 1)), HasSubstr("tangent is not finite"));
  EXPECT_THAT(refusal(node_with({0, 0, 0}, {0, 0, 1}, std::numeric_limits<double>::infinity())),
              HasSubstr("radius is not finite"));
}

TEST(MakeSegment, RefusesNegativeRadiusAndNamesTheNode) {
  const std::string message = refusal(node_with({0, 0, 0}, {0, 0, 1}, -0.25));
  EXPECT_THAT(message, HasSubstr("node 1"));
  EXPECT_THAT(message, HasSubstr("-0.25"));
  EXPECT_THAT(message, HasSubstr("negative"));
}

TEST(MakeSegment, RefusesTangentsThatAreNotOfUnitLength) {
  EXPECT_THAT(refusal(node_with({0, 0, 0}, {0, 0, 2}, 1)), HasSubstr("length 2"));
  EXPECT_THAT(refusal(node_with({0, 0, 0}, {0, 0, 0}, 1)), HasSubstr("length 0"));
  // What rounding or a file with seven digits leaves is no fault.
  EXPECT_TRUE(make_segment(kNode, node_with({0, 0, 0}, {0, 0, 1.0 + 5e-7}, 1)).ok());
}

TEST(MakeSegment, RefusesOppositeTangents) {
  EXPECT_THAT(refusal(node_with({0, 0, 0}, {0, 0, -1}, 1)), HasSubstr("opposite"));
  const double tilt = 3.1;
  EXPECT_TRUE(
      make_segment(kNode, node_with({0, 0, 0}, {std::sin(tilt), 0, std::cos(tilt)}, 1)).ok());
}

TEST(MakeSegment, CirclesLieInTheirPlanesAndMatchByTheSmallestRotation) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const auto direction = [&] {
      return normalized({random.normal(), random.normal(), random.normal()});
    };
    const ContourNode a{direction(), direction(), random.uniform(0.0, 2.0)};
    const ContourNode b{direction(), direction(), random.uniform(0.0, 2.0)};
    const ContourSegment s = make_segment(a, b).value();
    EXPECT_EQ(s.start.center, a.position);
    EXPECT_EQ(s.end.center, b.position);
    const Vec3 axis = cross(a.tangent, b.tangent);
    for (const auto& [circle, node] : {std::pair{s.start, a}, std::pair{s.end, b}}) {
      EXPECT_NEAR(norm(circle.u), node.radius, 1e-14);
      EXPECT_NEAR(norm(circle.v), node.radius, 1e-14);
      EXPECT_NEAR(dot(circle.u, circle.v), 0.0, 1e-14);
      EXPECT_NEAR(dot(circle.u, node.tangent), 0.0, 1e-14);
      EXPECT_NEAR(dot(circle.v, node.tangent), 0.0, 1e-14);
    }
    // The smallest rotation leaves what is along its axis.
    EXPECT_NEAR(dot(s.start.u, axis) * b.radius, dot(s.end.u, axis) * a.radius, 1e-13);
    EXPECT_NEAR(dot(s.start.v, axis) * b.radius, dot(s.end.v, axis) * a.radius, 1e-13);
  }
}

TEST(MakeSegment, MovesWithItsPose) {
  const ContourSegment s =
      make_segment({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 1, 2}, {0, 1, 0}, 2.0}).value();
  const Pose pose{rotation_about({0, 0, 1}, 0.7), {1, 2, 3}};
  const ContourSegment moved = pose * s;
  for (const double eta : {0.0, 0.3, 1.0})
    EXPECT_NEAR(distance(moved.at(eta, 0.6, -0.8), pose * s.at(eta, 0.6, -0.8)), 0.0, 1e-15);
}

TEST(IsConvex, ParallelCirclesOnly) {
  const ContourNode start{{0, 0, 0}, {0, 0, 1}, 1.0};
  EXPECT_TRUE(is_convex(make_segment(start, {{3, 0, 1}, {0, 0, 1}, 2.0}).value()));
  // A circle without radius lies in every plane.
  EXPECT_TRUE(is_convex(make_segment(start, {{3, 0, 1}, {1, 0, 0}, 0.0}).value()));
  EXPECT_FALSE(is_convex(make_segment(start, {{3, 0, 1}, {std::sin(1e-9), 0, 1}, 1.0}).value()));
}

TEST(BoundsOf, HoldsEveryPointAndTouchesThem) {
  const ContourSegment s =
      make_segment({{0, 0, 0}, {0, 0, 1}, 1.0}, {{5, 0, 0}, {1, 0, 0}, 2.0}).value();
  const Box box = bounds_of(s);
  // The first circle reaches from -1 to 1 in x and y, the second from -2 to 2 in y and z at x = 5.
  EXPECT_NEAR(distance(box.low, Vec3{-1, -2, -2}), 0.0, 1e-15);
  EXPECT_NEAR(distance(box.high, Vec3{5, 2, 2}), 0.0, 1e-15);
}

TEST(MakeContour, RefusesFewerThanTwoNodes) {
  const auto none = Contour::make({});
  ASSERT_FALSE(none.ok());
  const auto one = Contour::make({kNode});
  ASSERT_FALSE(one.ok());
  EXPECT_THAT(one.error().message(), HasSubstr("two nodes at least; this has 1"));
}

TEST(MakeContour, RefusesEqualNodesByNumber) {
  ContourNode other = kNode;
  other.position.x += 1.0;
  const auto contour = Contour::make({kNode, other, other});
  ASSERT_FALSE(contour.ok());
  EXPECT_THAT(contour.error().message(), HasSubstr("node 2"));
  EXPECT_THAT(contour.error().message(), HasSubstr("same as the node before"));
}

TEST(MakeContour, NamesTheBadNode) {
  ContourNode bad = kNode;
  bad.position.x += 1.0;
  bad.radius = -1.0;
  const auto contour = Contour::make({kNode, bad});
  ASSERT_FALSE(contour.ok());
  EXPECT_THAT(contour.error().message(), HasSubstr("node 1"));
  ContourNode opposite = kNode;
  opposite.tangent = {0, 0, -1};
  const auto turned = Contour::make({kNode, opposite});
  ASSERT_FALSE(turned.ok());
  EXPECT_THAT(turned.error().message(), HasSubstr("node 1"));
  EXPECT_THAT(turned.error().message(), HasSubstr("opposite"));
}

TEST(MakeContour, SegmentsJoinNodeToNode) {
  ContourNode second = kNode;
  second.position.z += 1.0;
  ContourNode third = second;
  third.radius = 0.0;
  const Contour contour = Contour::make({kNode, second, third}, "finger").value();
  EXPECT_EQ(contour.name(), "finger");
  ASSERT_EQ(contour.segments().size(), 2u);
  EXPECT_EQ(contour.segments()[0].end.center, contour.segments()[1].start.center);
  EXPECT_EQ(contour.nodes().size(), 3u);
}

TEST(ContourAlong, CirclesAreAcrossTheMeanDirection) {
  const std::vector<Vec3> line{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}};
  const std::vector<double> radii{0.1, 0.2, 0.3};
  const Contour contour = Contour::along(line, radii).value();
  const double half = std::sqrt(0.5);
  EXPECT_NEAR(distance(contour.nodes()[0].tangent, Vec3{0, 0, 1}), 0.0, 1e-15);
  EXPECT_NEAR(distance(contour.nodes()[1].tangent, Vec3{half, 0, half}), 0.0, 1e-15);
  EXPECT_NEAR(distance(contour.nodes()[2].tangent, Vec3{1, 0, 0}), 0.0, 1e-15);
  EXPECT_EQ(contour.nodes()[1].radius, 0.2);
}

TEST(ContourAlong, RefusesWhatIsNoLine) {
  const std::vector<double> two{1.0, 1.0};
  const std::vector<double> three{1.0, 1.0, 1.0};
  const std::vector<Vec3> apart{{0, 0, 0}, {0, 0, 1}};
  const std::vector<Vec3> equal{{0, 0, 1}, {0, 0, 1}};
  const std::vector<Vec3> back{{0, 0, 0}, {0, 0, 1}, {0, 0, 0.5}};
  const auto message = [](const Result<Contour>& contour) {
    EXPECT_FALSE(contour.ok());
    return contour.ok() ? std::string() : contour.error().message();
  };
  EXPECT_THAT(message(Contour::along(apart, three)),
              HasSubstr("2 points of the centre line, but 3"));
  EXPECT_THAT(message(Contour::along(equal, two)), HasSubstr("node 1"));
  EXPECT_THAT(message(Contour::along(back, three)), HasSubstr("turns back on itself"));
}

}  // namespace
}  // namespace clearance
