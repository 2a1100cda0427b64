// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/wire_lines.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace clearance::detail {
namespace {

/// A regular polygon in the plane z = 0, or waving across it.
std::vector<Segment> ring_of(int corners, double radius, double wave = 0.0) {
  std::vector<Vec3> points;
  for (int i = 0; i < corners; ++i) {
    const double a = 2.0 * std::numbers::pi * i / corners;
    points.push_back({radius * std::cos(a), radius * std::sin(a), wave * std::sin(2.0 * a + 0.3)});
  }
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < points.size(); ++i)
    segments.push_back({points[i], points[(i + 1) % points.size()]});
  return segments;
}

double angle(const Vec3& a, const Vec3& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); }

TEST(WireLines, SegmentsThatGoOnAreOneLine) {
  // The middle one is drawn the other way round, and out of order.
  const std::vector<Segment> segments{
      {{0.0, 0.0, 0.0}, {0.01, 0.0, 0.0}},
      {{0.03, 0.005, 0.0}, {0.05, 0.005, 0.0}},
      {{0.03, 0.005, 0.0}, {0.01, 0.0, 0.0}},
      {{0.1, 0.0, 0.0}, {0.1, 0.02, 0.0}},
  };
  const std::vector<WireLine> lines = lines_of(segments);
  ASSERT_EQ(lines.size(), 2U);
  ASSERT_EQ(lines[0].pieces.size(), 3U);
  EXPECT_EQ(lines[0].pieces[1].segment, 2U);
  EXPECT_TRUE(lines[0].pieces[1].is_reversed);
  EXPECT_EQ(lines[0].pieces[2].segment, 1U);
  EXPECT_FALSE(lines[0].pieces[2].is_reversed);
  EXPECT_FALSE(lines[0].is_closed);
  EXPECT_NEAR(lines[0].length, 0.03 + std::hypot(0.02, 0.005), 1e-15);
  EXPECT_EQ(lines[1].pieces.size(), 1U);
}

TEST(WireLines, BranchesCornersAndGapsEndALine) {
  const Vec3 o{0.0, 0.0, 0.0};
  const Vec3 x{0.1, 0.0, 0.0};
  const Vec3 back{-0.1, 0.0, 0.0};
  EXPECT_EQ(lines_of(std::vector<Segment>{{back, o}, {o, x}}).size(), 1U);
  EXPECT_EQ(lines_of(std::vector<Segment>{{back, o}, {o, x}, {o, {0.0, 0.1, 0.0}}}).size(), 3U);
  EXPECT_EQ(lines_of(std::vector<Segment>{{back, o}, {o, {0.0, 0.1, 0.0}}}).size(), 2U);
  EXPECT_EQ(lines_of(std::vector<Segment>{{back, {-1e-12, 0.0, 0.0}}, {o, x}}).size(), 2U);
  // Back upon itself is a corner as well, and a point is a line of its own.
  EXPECT_EQ(lines_of(std::vector<Segment>{{back, o}, {o, back}}).size(), 2U);
  EXPECT_EQ(lines_of(std::vector<Segment>{{o, o}}).size(), 1U);
  EXPECT_TRUE(lines_of({}).empty());
}

TEST(WireLines, RingsOfFivePiecesCloseAndThoseOfFourDoNot) {
  for (const int corners : {5, 6, 20}) {
    const std::vector<WireLine> lines = lines_of(ring_of(corners, 0.03));
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].is_closed);
    EXPECT_EQ(lines[0].pieces.size(), static_cast<std::size_t>(corners));
  }
  EXPECT_EQ(lines_of(ring_of(4, 0.03)).size(), 4U);
}

TEST(WirePlaces, OfOneSegmentAreStepsAlongIt) {
  const std::vector<Segment> segments{{{0.01, 0.02, 0.03}, {0.04, 0.02, 0.03}}};
  const std::vector<WireLine> lines = lines_of(segments);
  EXPECT_EQ(place_count(lines[0], 0.007), 5.0);
  const std::vector<WirePlace> places = places_of(lines[0], segments, 0.007, 0.01);
  ASSERT_EQ(places.size(), 5U);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double length = 0.007 * static_cast<double>(i);
    EXPECT_EQ(places[i].point, (Vec3{0.01, 0.02, 0.03} + length * Vec3{1.0, 0.0, 0.0}));
    EXPECT_EQ(places[i].along, (Vec3{1.0, 0.0, 0.0}));
    EXPECT_EQ(places[i].across, places[0].across);
  }
  // The last one is there when the length is that of so many steps but for rounding.
  EXPECT_EQ(place_count(lines[0], 0.003), 11.0);
}

TEST(WirePlaces, GoOnPastJoints) {
  // Bent by 40 degrees after 25 mm.
  const double bend = 40.0 * std::numbers::pi / 180.0;
  const Vec3 corner{0.025, 0.0, 0.0};
  const std::vector<Segment> segments{
      {{0.0, 0.0, 0.0}, corner},
      {corner, corner + 0.05 * Vec3{std::cos(bend), std::sin(bend), 0.0}}};
  const double step = 0.002;
  const double reach = 0.01;
  const std::vector<WireLine> lines = lines_of(segments);
  ASSERT_EQ(lines.size(), 1U);
  const std::vector<WirePlace> places = places_of(lines[0], segments, step, reach);
  ASSERT_EQ(places.size(), 38U);
  EXPECT_EQ(places.size(), place_count(lines[0], step));
  // Far from the corner as the segments are; there, gradually from one to the other.
  EXPECT_NEAR(angle(places[5].along, {1.0, 0.0, 0.0}), 0.0, 1e-12);
  EXPECT_NEAR(angle(places[37].along, {std::cos(bend), std::sin(bend), 0.0}), 0.0, 1e-12);
  double turned = 0.0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    // A step of the line; the one around the corner cuts it.
    EXPECT_NEAR(norm(places[i].point - places[i - 1].point), step, i == 13 ? 1.5e-4 : 1e-12);
    EXPECT_LT(angle(places[i].along, places[i - 1].along), 0.2 * bend);
    turned += angle(places[i].along, places[i - 1].along);
    EXPECT_NEAR(dot(places[i].along, places[i].across), 0.0, 1e-12);
    EXPECT_NEAR(norm(places[i].across), 1.0, 1e-12);
    EXPECT_EQ(places[i].segment, i < 13 ? 0U : 1U);
    // In a plane it turns with the line: what is at right angles to the plane stays.
    EXPECT_NEAR(places[i].across.z, places[0].across.z, 1e-12);
  }
  EXPECT_NEAR(turned, bend, 1e-9);
}

TEST(WirePlaces, OfARingHaveNoEnds) {
  for (const double wave : {0.0, 0.008}) {
    const std::vector<Segment> segments = ring_of(12, 0.03, wave);
    const std::vector<WireLine> lines = lines_of(segments);
    ASSERT_EQ(lines.size(), 1U);
    const double step = 0.004;
    ASSERT_TRUE(is_ring(lines[0], step));
    const std::vector<WirePlace> places = places_of(lines[0], segments, step, 0.008);
    ASSERT_EQ(places.size(), static_cast<std::size_t>(std::lround(lines[0].length / step)));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const WirePlace& a = places[i];
      const WirePlace& b = places[(i + 1) % places.size()];
      // Around a corner it is cut short.
      EXPECT_NEAR(norm(a.point - b.point), step, 0.12 * step);
      EXPECT_LT(angle(a.along, b.along), 0.3);
      // From the last to the first as between any two.
      EXPECT_LT(angle(a.across, b.across), 0.3);
      EXPECT_NEAR(dot(a.along, a.across), 0.0, 1e-12);
      EXPECT_NEAR(norm(a.across), 1.0, 1e-12);
    }
  }
  // Too few places to go round.
  const std::vector<Segment> small = ring_of(6, 0.001);
  EXPECT_FALSE(is_ring(lines_of(small)[0], 0.004));
  EXPECT_EQ(places_of(lines_of(small)[0], small, 0.004, 0.008).size(), 2U);
}

}  // namespace
}  // namespace clearance::detail
