// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/contour/contour_fit.h>
#include <clearance/contour/segment_distance.h>
#include <clearance/robot/robot_file.h>

#include "support/data.h"
#include "support/random_shapes.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using std::numbers::pi;

struct Rim {
  double z = 0.0;
  double radius = 0.0;
  Vec3 shift{};
};

/// A solid of revolution about z with flat ends; each rim may be shifted sideways.
Mesh turned_part(const std::vector<Rim>& rims, std::uint32_t sides = 48) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  const auto count = static_cast<std::uint32_t>(rims.size());
  for (const Rim& rim : rims) {
    for (std::uint32_t k = 0; k < sides; ++k) {
      const double angle = 2.0 * pi * k / sides;
      vertices.push_back(rim.shift +
                         Vec3{rim.radius * std::cos(angle), rim.radius * std::sin(angle), rim.z});
    }
  }
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    for (std::uint32_t k = 0; k < sides; ++k) {
      const std::uint32_t a = i * sides + k;
      const std::uint32_t b = i * sides + (k + 1) % sides;
      faces.push_back({a, b, b + sides});
      faces.push_back({a, b + sides, a + sides});
    }
  }
  for (std::uint32_t k = 1; k + 1 < sides; ++k) {
    const std::uint32_t top = (count - 1) * sides;
    faces.push_back({0, k + 1, k});
    faces.push_back({top, top + k, top + k + 1});
  }
  return *Mesh::make(vertices, faces);
}

ContourSegment straight(const Vec3& from, const Vec3& to, double start, double end) {
  const Vec3 tangent = normalized(to - from);
  return *make_segment({from, tangent, start}, {to, tangent, end});
}

Mesh one_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  return *Mesh::make({a, b, c}, {{0, 1, 2}});
}

/// How far a point is outside a segment between parallel circles, along its axis or across it: by a
/// formula of its own, for fits.
double outside(const ContourSegment& s, const Vec3& p) {
  const Vec3 normal = normalized(cross(s.start.u, s.start.v) + cross(s.end.u, s.end.v));
  const double height = dot(normal, s.end.center - s.start.center);
  const double z = dot(normal, p - s.start.center);
  const double eta = std::clamp(z / height, 0.0, 1.0);
  const Vec3 d = p - s.at(eta, 0.0, 0.0);
  const double radius = (1.0 - eta) * norm(s.start.u) + eta * norm(s.end.u);
  return std::max(std::abs(z - eta * height), norm(d - dot(normal, d) * normal) - radius);
}
double outside_all(std::span<const ContourSegment> segments, const Vec3& p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const ContourSegment& s : segments) nearest = std::min(nearest, outside(s, p));
  return nearest;
}
/// Of the farthest of the points.
double outside_all(std::span<const ContourSegment> segments, std::span<const Vec3> points) {
  double farthest = -std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) farthest = std::max(farthest, outside_all(segments, p));
  return farthest;
}

std::vector<Vec3> points_on(const Mesh& mesh, std::size_t count, Random& random) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const Triangle t = mesh.triangle(random.below(mesh.triangle_count()));
    const double u = random.uniform();
    const double v = random.uniform() * (1.0 - u);
    points.push_back(t.a + u * (t.b - t.a) + v * (t.c - t.a));
  }
  return points;
}

// covers()

TEST(Covers, TriangleInOneSegment) {
  const std::vector segments{straight({0, 0, 0}, {0, 0, 2}, 1.0, 1.0)};
  EXPECT_TRUE(covers(segments, one_triangle({0.9, 0, 0.1}, {-0.9, 0, 0.1}, {0, 0.9, 1.9})));
  EXPECT_FALSE(covers(segments, one_triangle({0.9, 0, 0.1}, {-0.9, 0, 0.1}, {0, 1.1, 1.9})));
  EXPECT_FALSE(covers(segments, one_triangle({0.9, 0, 0.1}, {-0.9, 0, 0.1}, {0, 0.5, 2.1})));
}

TEST(Covers, ContactWithTheBoundaryIsInside) {
  const std::vector segments{straight({0, 0, 0}, {0, 0, 2}, 1.0, 1.0)};
  EXPECT_TRUE(covers(segments, one_triangle({1, 0, 0}, {-1, 0, 0}, {0, 1, 2})));
}

TEST(Covers, AVertexOutsideByAHairIsOutside) {
  const std::vector segments{straight({0, 0, 0}, {0, 0, 2}, 1.0, 1.0)};
  EXPECT_FALSE(covers(segments, one_triangle({1 + 1e-9, 0, 1}, {-1, 0, 0}, {0, 1, 2})));
  EXPECT_FALSE(covers(segments, one_triangle({0, 0, -1e-9}, {-1, 0, 0}, {0, 1, 2})));
  EXPECT_TRUE(covers(segments, one_triangle({1 + 1e-9, 0, 1}, {-1, 0, 0}, {0, 1, 2}), 1e-8));
}

TEST(Covers, TriangleAcrossManySegmentsOfASeries) {
  std::vector<Vec3> line;
  std::vector<double> radii;
  for (int i = 0; i <= 10; ++i) {
    line.push_back({0.0, 0.0, 0.1 * i});
    radii.push_back(i % 2 == 0 ? 0.5 : 0.4);
  }
  const auto series = Contour::along(line, radii);
  EXPECT_TRUE(covers(series->segments(), one_triangle({0.4, 0, 0}, {-0.4, 0, 0}, {0, 0.4, 1})));
}

TEST(Covers, AnEdgeOverANotchByAHairIsOutside) {
  // The corners are in the segments; half way the radius is too small by 1e-9.
  const std::vector segments{straight({0, 0, 0}, {0, 0, 1}, 1.0, 1.0 - 1e-9),
                             straight({0, 0, 1}, {0, 0, 2}, 1.0 - 1e-9, 1.0)};
  const Mesh bridge = one_triangle({1, 0, 0}, {1, 0, 2}, {0, 0, 1});
  EXPECT_FALSE(covers(segments, bridge));
  EXPECT_TRUE(covers(segments, bridge, 1e-8));
}

TEST(Covers, AHoleInTheMiddleOfAFaceIsFound) {
  // Three tubes along the edges of a triangle leave its middle free unless they are wide enough:
  // the radius of the inscribed circle is 0.2886751...
  const Vec3 a{0, 0, 0};
  const Vec3 b{1, 0, 0};
  const Vec3 c{0.5, std::sqrt(0.75), 0};
  const double inscribed = std::sqrt(0.75) / 3.0;
  const auto tubes = [&](double radius) {
    const auto tube = [&](const Vec3& p, const Vec3& q) {
      const Vec3 over = 0.5 * (q - p);
      return straight(p - over, q + over, radius, radius);
    };
    return std::vector{tube(a, b), tube(b, c), tube(c, a)};
  };
  EXPECT_TRUE(covers(tubes(inscribed + 1e-3), one_triangle(a, b, c)));
  EXPECT_FALSE(covers(tubes(inscribed - 1e-6), one_triangle(a, b, c)));
}

TEST(Covers, TiltedCirclesHoldWhatIsInTheirDiscs) {
  // A quarter of a bend about the y axis: from a disc at x = 3 facing z to one at z = 3 facing -x.
  const ContourSegment bend =
      *make_segment({{3, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 3}, {-1, 0, 0}, 1.0});
  ASSERT_FALSE(is_convex(bend));
  const std::vector segments{bend};
  EXPECT_TRUE(covers(segments, one_triangle({1.6, 0.3, 1.6}, {1.4, -0.3, 1.4}, {1.8, 0, 1.2})));
  // Random small triangles: told right whichever side they are on.
  Random random(3);
  int inside = 0;
  for (int i = 0; i < 300; ++i) {
    const double eta = random.uniform(0.05, 0.95);
    const double angle = random.uniform(0.0, 2.0 * pi);
    const double rho = random.uniform(0.5, 1.4);
    const Vec3 p = bend.at(eta, rho * std::cos(angle), rho * std::sin(angle));
    const auto near = [&] {
      return p + 0.05 * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    };
    const Mesh mesh = one_triangle(near(), near(), near());
    if (!covers(segments, mesh, 1e-9, 100'000)) {
      // Something of it is outside, or so near to the surface that it cannot be told.
      continue;
    }
    ++inside;
    const std::vector<Vec3> points = points_on(mesh, 50, random);
    for (const Vec3& on : points) EXPECT_LE(distance(bend, on).distance, 2e-9);
  }
  EXPECT_GT(inside, 100);
  EXPECT_LT(inside, 250);
}

TEST(Covers, WhatOnlyTheHullOfTiltedCirclesHoldsIsOutside) {
  // From a disc facing z to one facing x: the discs between them shrink towards the middle, the
  // hull does not.
  const ContourSegment bend =
      *make_segment({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 3}, {1, 0, 0}, 1.0});
  Random random(5);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    const double angle = random.uniform(0.0, 2.0 * pi);
    const double other = random.uniform(0.0, 2.0 * pi);
    const Vec3 p = 0.5 * (bend.at(0.0, std::cos(angle), std::sin(angle)) +
                          bend.at(1.0, std::cos(other), std::sin(other)));
    if (distance(bend, p).lower < 1e-3) continue;
    ++found;
    EXPECT_FALSE(covers(std::vector{bend}, one_triangle(p, p, p)));
  }
  EXPECT_GT(found, 10);
}

TEST(Covers, DiscsAndNeedles) {
  // A disc without thickness, two discs in one plane, a line.
  const std::vector disc{*make_segment({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 0}, {0, 0, 1}, 0.5})};
  EXPECT_TRUE(covers(disc, one_triangle({1, 0, 0}, {-1, 0, 0}, {0, 1, 0})));
  EXPECT_FALSE(covers(disc, one_triangle({1, 0, 0}, {-1, 0, 0}, {0, 1, 1e-9})));
  const std::vector plate{*make_segment({{0, 0, 0}, {0, 0, 1}, 1.0}, {{4, 0, 0}, {0, 0, 1}, 1.0})};
  EXPECT_TRUE(covers(plate, one_triangle({0, -1, 0}, {0, 1, 0}, {5, 0, 0})));
  EXPECT_FALSE(covers(plate, one_triangle({0, -1, 0}, {0, 1, 0}, {4.9, 0.9, 0})));
  const std::vector needle{straight({0, 0, 0}, {0, 0, 1}, 0.0, 0.0)};
  EXPECT_TRUE(covers(needle, one_triangle({0, 0, 0}, {0, 0, 0.5}, {0, 0, 1})));
  EXPECT_FALSE(covers(needle, one_triangle({0, 0, 0}, {1e-9, 0, 0.5}, {0, 0, 1})));
}

TEST(Covers, GivesUpAfterSoManyPieces) {
  const std::vector segments{straight({0, 0, 0}, {0, 0, 1}, 1.0, 1.0),
                             straight({0, 0, 1}, {0, 0, 2}, 1.0, 1.0)};
  const Mesh mesh = one_triangle({0.5, 0, 0}, {-0.5, 0, 0}, {0, 0, 2});
  EXPECT_TRUE(covers(segments, mesh));
  EXPECT_FALSE(covers(segments, mesh, 1e-12, 1));
}

TEST(Covers, NothingIsCoveredByNoSegments) { EXPECT_FALSE(covers({}, test::cube())); }

// fit_contour()

TEST(FitContour, ACylinderIsOneSegmentAboutIt) {
  const auto fit = fit_contour(turned_part({{0.0, 0.5}, {2.0, 0.5}}));
  ASSERT_TRUE(fit.ok()) << fit.error().message();
  EXPECT_EQ(fit->contour.segments().size(), 1U);
  EXPECT_NEAR(fit->enclosed_volume, pi * 0.25 * 2.0, 2e-3);
  EXPECT_GT(fit->enclosed_volume, fit->hull_volume);
  EXPECT_NEAR(std::abs(fit->contour.nodes()[0].tangent.z), 1.0, 1e-9);
  EXPECT_LT(fit->farthest, 2e-3);
}

TEST(FitContour, AConeIsOneSegment) {
  const auto fit = fit_contour(turned_part({{0.0, 0.5}, {2.0, 0.001}}), {.axis = Vec3{0, 0, 3}});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->contour.segments().size(), 1U);
  EXPECT_NEAR(fit->enclosed_volume, pi / 3.0 * 0.25 * 2.0, 5e-3);
}

TEST(FitContour, ASlantedTubeIsOneSegmentAlongIt) {
  // Circles stay perpendicular to the axis, the centre line runs to the side.
  const auto fit =
      fit_contour(turned_part({{0.0, 0.2}, {2.0, 0.2, {1, 0, 0}}}), {.axis = Vec3{0, 0, 1}});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->contour.segments().size(), 1U);
  EXPECT_NEAR(fit->enclosed_volume, pi * 0.04 * 2.0, 2e-3);
  EXPECT_NEAR(fit->contour.nodes()[1].position.x, 1.0, 1e-2);
}

TEST(FitContour, ASteppedShaftIsFollowedStepByStep) {
  const Mesh shaft =
      turned_part({{0.0, 0.1}, {1.0, 0.1}, {1.0, 0.4}, {1.5, 0.4}, {1.5, 0.1}, {3.0, 0.1}});
  const auto fit = fit_contour(shaft, {.axis = Vec3{0, 0, 1}, .most_segments = 5});
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->contour.segments().size(), 5U);
  const double volume = pi * (0.01 * 2.5 + 0.16 * 0.5);
  EXPECT_NEAR(fit->enclosed_volume, volume, 0.02 * volume);
  // The convex hull is larger.
  EXPECT_LT(fit->enclosed_volume, 0.7 * fit->hull_volume);
}

TEST(FitContour, MoreSegmentsEncloseLess) {
  const Mesh sphere = test::uv_sphere(1.0, 24);
  double last = std::numeric_limits<double>::infinity();
  for (std::size_t most = 1; most <= 6; ++most) {
    const auto fit =
        fit_contour(sphere, {.axis = Vec3{0, 0, 1}, .most_segments = most, .least_gain = 0.0});
    ASSERT_TRUE(fit.ok());
    EXPECT_LE(fit->contour.segments().size(), most);
    EXPECT_LT(fit->enclosed_volume, last);
    last = fit->enclosed_volume;
  }
  EXPECT_LT(last, 1.08 * 4.0 / 3.0 * pi);
}

TEST(FitContour, AFurtherSegmentMustGainSomething) {
  const Mesh sphere = test::uv_sphere(1.0, 24);
  const auto few =
      fit_contour(sphere, {.axis = Vec3{0, 0, 1}, .most_segments = 8, .least_gain = 0.1});
  const auto many =
      fit_contour(sphere, {.axis = Vec3{0, 0, 1}, .most_segments = 8, .least_gain = 0.01});
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_LT(few->contour.segments().size(), many->contour.segments().size());
}

TEST(FitContour, TakesTheAxisThatEnclosesLeast) {
  // Longest along y, but round about x.
  const Mesh wheel = transformed(turned_part({{0.0, 1.0}, {1.5, 1.0}}),
                                 Pose{rotation_about({0, 1, 0}, pi / 2), {}});
  const auto fit = fit_contour(wheel);
  ASSERT_TRUE(fit.ok());
  EXPECT_GT(std::abs(fit->contour.nodes()[0].tangent.x), 0.99);
  EXPECT_LT(fit->enclosed_volume, 1.01 * pi * 1.5);
}

TEST(FitContour, HoldsEverythingWithinTheMargin) {
  const double margin = 0.05;
  const Mesh shaft = turned_part({{0.0, 0.1}, {1.0, 0.1}, {1.0, 0.4}, {1.5, 0.2}}, 16);
  const auto fit = fit_contour(shaft, {.most_segments = 5, .margin = margin});
  ASSERT_TRUE(fit.ok());
  Random random(7);
  std::vector<Vec3> points = points_on(shaft, 2000, random);
  for (const Vec3& v : shaft.vertices()) points.push_back(v);
  for (Vec3& p : points) {
    const Vec3 direction =
        normalized({random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    p += margin * direction;
  }
  EXPECT_LT(outside_all(fit->contour.segments(), points), 1e-9);
  const auto tight = fit_contour(shaft, {.most_segments = 5});
  ASSERT_TRUE(tight.ok());
  EXPECT_GT(outside_all(tight->contour.segments(), points), 0.5 * margin);
}

TEST(FitContour, TurnsWithTheMesh) {
  const Mesh part = turned_part({{0.0, 0.3}, {0.5, 0.5}, {2.0, 0.2, {0.1, 0, 0}}}, 24);
  const Pose pose{rotation_from_rpy(0.3, 0.8, -2.0), {100, -50, 20}};
  const auto fit = fit_contour(part, {.axis = Vec3{0, 0, 1}});
  const auto moved = fit_contour(transformed(part, pose), {.axis = pose.rotation * Vec3{0, 0, 1}});
  ASSERT_TRUE(fit.ok() && moved.ok());
  EXPECT_NEAR(moved->enclosed_volume, fit->enclosed_volume, 0.02 * fit->enclosed_volume);
}

TEST(FitContour, TheSameMeshGivesTheSameContour) {
  const Mesh sphere = test::uv_sphere(0.3, 12, {1, 2, 3});
  const auto a = fit_contour(sphere);
  const auto b = fit_contour(sphere);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(std::equal(a->contour.nodes().begin(), a->contour.nodes().end(),
                         b->contour.nodes().begin(), b->contour.nodes().end()));
}

TEST(FitContour, MeshesWithoutThickness) {
  const Vec3 far{1e3, -1e3, 1e3};
  for (const Mesh& mesh :
       {one_triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0}),
        one_triangle({0, 0, 0}, {1, 2, 3}, {2, 4, 6}),
        one_triangle({1, 2, 3}, {1, 2, 3}, {1, 2, 3}), one_triangle(far, far, far),
        one_triangle(far, far + Vec3{1e-6, 0, 0}, far + Vec3{0, 0, 1}),
        one_triangle({0, 0, 0}, {1e-30, 0, 0}, {0, 1e-30, 0})}) {
    for (const std::optional<Vec3> axis : {std::optional<Vec3>{}, std::optional<Vec3>{{0, 0, 1}}}) {
      const auto fit = fit_contour(mesh, {.axis = axis});
      ASSERT_TRUE(fit.ok()) << fit.error().message();
      EXPECT_TRUE(covers(fit->contour.segments(), mesh, 1e-11));
      EXPECT_TRUE(std::isfinite(fit->enclosed_volume));
    }
  }
}

TEST(FitContour, AnySoupIsCovered) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    test::RandomShapes shapes(seed);
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    const std::uint64_t count = 1 + shapes.random().below(30);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Triangle t = shapes.triangle();
      const auto first = static_cast<std::uint32_t>(vertices.size());
      vertices.insert(vertices.end(), {t.a, t.b, t.c});
      faces.push_back({first, first + 1, first + 2});
    }
    const Mesh soup = *Mesh::make(vertices, faces);
    const auto fit = fit_contour(soup, {.most_segments = 3});
    ASSERT_TRUE(fit.ok()) << "seed " << seed << ": " << fit.error().message();
    const double extent = soup.bounds().diagonal() + norm(soup.bounds().center());
    const std::vector<Vec3> points = points_on(soup, 200, shapes.random());
    EXPECT_LE(outside_all(fit->contour.segments(), points), 1e-11 * extent) << "seed " << seed;
  }
}

TEST(FitContour, RefusesWhatItCannotFit) {
  EXPECT_FALSE(fit_contour(Mesh()).ok());
  EXPECT_FALSE(fit_contour(test::cube(), {.axis = Vec3{}}).ok());
  EXPECT_FALSE(fit_contour(test::cube(), {.most_segments = 0}).ok());
  EXPECT_FALSE(fit_contour(test::cube(), {.margin = -1.0}).ok());
  EXPECT_FALSE(fit_contour(test::cube(), {.least_gain = std::nan("")}).ok());
}

// fit_contours()

Robot robot_with(std::vector<std::vector<RobotShape>> shapes) {
  std::vector<RobotLink> links(shapes.size());
  std::vector<RobotJoint> joints;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    links[i].name = "link" + std::to_string(i);
    links[i].collision = std::move(shapes[i]);
    if (i == 0) continue;
    links[i].parent = i - 1;
    links[i].joint = i - 1;
    RobotJoint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::Continuous;
    joint.parent = i - 1;
    joint.child = i;
    joint.parent_from_joint = Pose::translate({0, 0, 1});
    joints.push_back(joint);
  }
  return *Robot::make("made", links, joints);
}

const RobotShape kRod{"rod", Pose::translate({0, 0, 0.5}), CylinderShape{0.05, 1.0}};
const RobotShape kBall{"ball", Pose::identity(), SphereShape{0.3}};
const RobotShape kRodAcross{
    "across", {rotation_about({0, 1, 0}, pi / 2), {0.8, 0, 0}}, CylinderShape{0.05, 1.0}};

TEST(FitContours, ASeriesForEachLinkWithAShape) {
  const auto fit = fit_contours(robot_with({{kRod}, {}, {kBall}}));
  ASSERT_TRUE(fit.ok()) << fit.error().message();
  ASSERT_EQ(fit->links.size(), 2U);
  EXPECT_EQ(fit->links[0].link, "link0");
  EXPECT_EQ(fit->links[1].link, "link2");
  EXPECT_EQ(fit->contours.series()[1].link, 2U);
  EXPECT_EQ(fit->links[0].segments, 1U);
  EXPECT_EQ(fit->contours.segment_count(), fit->links[0].segments + fit->links[1].segments);
  EXPECT_GT(fit->links[1].enclosed_volume, fit->links[1].hull_volume);
}

TEST(FitContours, ASeriesForEachShapeWhereThatEnclosesLess) {
  const auto apart = fit_contours(robot_with({{kRod, kRodAcross}}));
  ASSERT_TRUE(apart.ok());
  EXPECT_EQ(apart->links.size(), 2U);
  // Rods behind each other are one series.
  RobotShape behind = kRod;
  behind.link_from_shape = Pose::translate({0, 0, 1.5});
  const auto together = fit_contours(robot_with({{kRod, behind}}));
  ASSERT_TRUE(together.ok());
  EXPECT_EQ(together->links.size(), 1U);
  // One segment is not enough for both.
  const auto one = fit_contours(robot_with({{kRod, kRodAcross}}), {.most_segments = 1});
  ASSERT_TRUE(one.ok()) << one.error().message();
  EXPECT_EQ(one->contours.segment_count(), 1U);
  EXPECT_GT(one->links[0].farthest, apart->links[0].farthest);
}

TEST(FitContours, SharesSegmentsWhereTheySaveMost) {
  const Robot robot = robot_with({{kRod}, {kBall}, {kRod}});
  const auto fit = fit_contours(robot, {.most_segments = 5});
  ASSERT_TRUE(fit.ok()) << fit.error().message();
  EXPECT_EQ(fit->contours.segment_count(), 5U);
  EXPECT_EQ(fit->links[1].segments, 3U);
  EXPECT_FALSE(fit_contours(robot, {.most_segments = 2}).ok());
}

TEST(FitContours, DoesNotDependOnTheNumberOfThreads) {
  const Robot robot = robot_with({{kRod}, {kBall}, {kRod, kRodAcross}});
  const auto one = fit_contours(robot, {.threads = {1}});
  const auto four = fit_contours(robot, {.threads = {4}});
  ASSERT_TRUE(one.ok() && four.ok());
  ASSERT_EQ(one->contours.series().size(), four->contours.series().size());
  for (std::size_t i = 0; i < one->contours.series().size(); ++i) {
    const auto a = one->contours.series()[i].contour.nodes();
    const auto b = four->contours.series()[i].contour.nodes();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
}

TEST(FitContours, RefusesARobotWithoutShapes) {
  const auto fit = fit_contours(robot_with({{}, {}}));
  ASSERT_FALSE(fit.ok());
  EXPECT_THAT(fit.error().reason, testing::HasSubstr("no collision shapes"));
  EXPECT_FALSE(fit_contours(robot_with({{kRod}}), {.visual = true}).ok());
}

TEST(FitContours, CanBeCancelled) {
  struct Stop : Monitor {
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return true; }
  } stop;
  const auto fit = fit_contours(robot_with({{kRod}}), {}, &stop);
  ASSERT_FALSE(fit.ok());
  EXPECT_EQ(fit.error().code, ErrorCode::Cancelled);
}

TEST(FitContours, TheExampleHandIsHeldByItsContours) {
  const auto hand = read_robot(test::source_path("examples/hand.urdf"));
  ASSERT_TRUE(hand.ok()) << hand.error().message();
  const auto fit = fit_contours(hand->robot);
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->links.size(), 7U);
  for (const LinkFit& link : fit->links) EXPECT_LT(link.enclosed_volume, 1.05 * link.hull_volume);
}

// Real robots.

/// Rounding in the world, ten metres from the origin [m]. The radii of a fit are larger by more.
constexpr double kHeld = 1e-12;

/// Places links and contours by the kinematics and looks at vertices of the meshes in the world:
/// all of them in every hundredth configuration, else about 2,000.
void expect_held_anywhere(const Robot& robot, const ContourRobot& contours) {
  std::vector<Mesh> surfaces(robot.links().size());
  std::size_t vertex_count = 0;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    std::vector<Mesh> shapes;
    std::vector<std::string> names;
    for (const RobotShape& shape : robot.links()[i].collision) {
      shapes.push_back(surface_of(shape));
      names.emplace_back("shape");
    }
    if (shapes.empty()) continue;
    surfaces[i] = welded(*merged(shapes, names));
    vertex_count += surfaces[i].vertex_count();
  }
  const std::size_t stride = vertex_count / 2000 + 1;
  Random random(11);
  for (int configuration = 0; configuration < 1000; ++configuration) {
    const std::vector<double> values = robot.random(random);
    const Pose world_from_root{
        rotation_from_rpy(random.uniform(-3, 3), random.uniform(-1, 1), random.uniform(-3, 3)),
        {random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)}};
    const std::vector<Pose> poses = robot.link_poses(values, world_from_root);
    const std::vector<ContourSegment> segments = contours.place(values, world_from_root);
    const std::size_t step = configuration % 100 == 0 ? 1 : stride;
    for (std::size_t link = 0; link < surfaces.size(); ++link) {
      std::vector<ContourSegment> own;
      for (std::size_t s = 0; s < segments.size(); ++s)
        if (contours.series()[contours.series_of(s)].link == link) own.push_back(segments[s]);
      const auto vertices = surfaces[link].vertices();
      for (std::size_t v = random.below(step); v < vertices.size(); v += step) {
        const Vec3 p = poses[link] * vertices[v];
        ASSERT_LE(outside_all(own, p), kHeld)
            << robot.links()[link].name << " vertex " << v << " configuration " << configuration;
      }
    }
  }
}

RobotFile real_robot(const std::string& relative) {
  RobotFileOptions options;
  options.visual = false;
  options.package_folders = {test::data_path("robots").string(),
                             test::data_path("robots/example-robot-data/robots").string()};
  auto file = read_robot(test::data_path("robots/" + relative).string(), options);
  EXPECT_TRUE(file.ok()) << file.error().message();
  return std::move(*file);
}

void record(const RobotFit& fit) {
  double enclosed = 0.0;
  double hulls = 0.0;
  for (const LinkFit& link : fit.links) {
    enclosed += link.enclosed_volume;
    hulls += link.hull_volume;
  }
  testing::Test::RecordProperty("series", static_cast<int>(fit.links.size()));
  testing::Test::RecordProperty("segments", static_cast<int>(fit.contours.segment_count()));
  testing::Test::RecordProperty("enclosed_over_hulls", std::to_string(enclosed / hulls));
}

TEST(FitContoursReal, ArmAndHandAreHeldAtAThousandConfigurations) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const RobotFile atlas = real_robot("atlas_description/urdf/atlas_v3_right_arm_sandia_hand.urdf");
  const auto fit = fit_contours(atlas.robot);
  ASSERT_TRUE(fit.ok()) << fit.error().message();
  record(*fit);
  // As many series as the paper's Fig. 1.
  EXPECT_EQ(fit->links.size(), 20U);
  expect_held_anywhere(atlas.robot, fit->contours);
}

TEST(FitContoursReal, PandaIsHeldAtAThousandConfigurations) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const RobotFile panda =
      real_robot("example-robot-data/robots/panda_description/urdf/panda_collision_only.urdf");
  const auto fit = fit_contours(panda.robot, {.most_segments = 30});
  ASSERT_TRUE(fit.ok()) << fit.error().message();
  record(*fit);
  EXPECT_LE(fit->contours.segment_count(), 30U);
  expect_held_anywhere(panda.robot, fit->contours);
}

}  // namespace
}  // namespace clearance
