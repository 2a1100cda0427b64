// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bounds that probers drop pairs with: never above the distance, and not much below where it
// matters.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/bvh/bvh.h>
#include <clearance/contour/segment_distance.h>
#include <clearance/query/shapes.h>

#include "contour/probe_contest.h"
#include "contour/probe_hull8.h"
#include "contour/probe_shell.h"
#include "contour/probe_spheres.h"
#include "contour/probe_stand_in.h"
#include "support/contour_scenes.h"

namespace clearance {
namespace {

using test::ProbeScene;

detail::ProbeMesh probe_mesh(const Mesh& mesh) {
  detail::ProbeMesh result{.mesh = mesh, .vertices = mesh.vertices(), .faces = mesh.faces()};
  result.center = mesh.bounds().center();
  for (const Vec3& v : mesh.vertices()) {
    result.radius = std::max(result.radius, 1.000001 * distance(v, result.center));
    result.reach = std::max(result.reach, norm(v));
  }
  return result;
}

Vec3 random_point(Random& random, double size) {
  return size * Vec3{random.normal(), random.normal(), random.normal()};
}

// What distance() may call contact, and what the bounds may lose in double precision: the slack of
// a query.
double slack_of(const detail::ProbeMesh& mesh, const ContourSegment& segment) {
  return detail::ProbeQuery(mesh, {&segment, 1}, 1.0).slack;
}

TEST(SegmentShell, IsNeverFartherThanTheSegment) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const ContourSegment segment = test::random_contour_segment(random);
    const detail::SegmentShell shell(segment);
    const Vec3 p = random_point(random, std::pow(10.0, random.uniform(-2.0, 2.0)));
    EXPECT_LE(shell.lower(p), distance(segment, p).distance + 1e-12 * (1.0 + norm(p)));
  }
}

TEST(SegmentShell, IsExactForCylindersAndBesideCones) {
  const auto made = [](double start, double end) {
    return make_segment({{0, 0, 0}, {0, 0, 1}, start}, {{0, 0, 2}, {0, 0, 1}, end}).value();
  };
  // Above the flat end, over the rim at (3, 4) from it, and beside.
  const detail::SegmentShell cylinder(made(1.0, 1.0));
  EXPECT_NEAR(cylinder.lower({0.5, 0.0, 2.25}), 0.25, 1e-15);
  EXPECT_NEAR(cylinder.lower({0.0, 4.0, 6.0}), 5.0, 1e-14);
  EXPECT_NEAR(cylinder.lower({0.0, -1.5, 1.0}), 0.5, 1e-15);
  // A side that rises by one in two: the point (3, 1) is 1.5 above it, along r.
  const detail::SegmentShell cone(made(1.0, 2.0));
  EXPECT_NEAR(cone.lower({3.0, 0.0, 1.0}), 1.5 / std::sqrt(1.25), 1e-14);
}

TEST(PackedSpheres, HoldTheirTriangles) {
  for (const ProbeScene& scene : test::probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const detail::ProbeMesh mesh = probe_mesh(scene.mesh);
    detail::PackedSpheres packed;
    packed.pack_triangles(mesh, Threads{1});
    double looseness = 0.0;
    for (std::size_t t = 0; t < mesh.faces.size(); ++t) {
      const detail::Sphere8& group = packed.groups[t / 8];
      const std::size_t lane = t % 8;
      const Vec3 center =
          packed.center + Vec3{group.center[0][lane], group.center[1][lane], group.center[2][lane]};
      const Triangle corners = mesh.triangle(t);
      // To the rounding of the coordinates themselves.
      const double radius = group.radius[lane] + 1e-15 * mesh.reach;
      for (const Vec3& corner : {corners.a, corners.b, corners.c})
        EXPECT_LE(distance(corner, center), radius) << t;
      looseness = std::max(looseness, group.radius[lane] - detail::sphere_of(corners).radius);
    }
    EXPECT_LE(looseness, 1e-5 * mesh.radius + 1e-15 * mesh.reach);
  }
}

TEST(Shell8, IsNeverFartherThanTheTriangle) {
  for (const ProbeScene& scene : test::probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const detail::ProbeMesh mesh = probe_mesh(scene.mesh);
    detail::PackedSpheres packed;
    packed.pack_triangles(mesh, Threads{1});
    for (const ContourSegment& segment : scene.segments) {
      const detail::Shell8 shell(detail::SegmentShell(segment), packed);
      const double slack = slack_of(mesh, segment);
      for (std::size_t t = 0; t < mesh.faces.size(); t += 7) {
        const auto lower = static_cast<double>(shell.lower(packed.groups[t / 8])[t % 8]) -
                           static_cast<double>(shell.margin);
        EXPECT_LE(lower, distance(segment, mesh.triangle(t)).distance + slack) << t;
      }
    }
  }
}

TEST(SegmentHull8, IsNeverFartherThanTheTriangleAndOftenNearlyAsFar) {
  for (const ProbeScene& scene : test::probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const detail::ProbeMesh mesh = probe_mesh(scene.mesh);
    std::size_t apart = 0;
    std::size_t good = 0;
    for (const ContourSegment& segment : scene.segments) {
      const detail::SegmentHull8 hull(segment);
      const double slack = slack_of(mesh, segment);
      std::vector<std::uint32_t> some;
      for (std::uint32_t t = 0; t < mesh.faces.size(); t += 7) {
        some.push_back(t);
        if (some.size() < 8 && t + 7 < mesh.faces.size()) continue;
        // With a limit out of reach it does all its steps.
        const detail::Float8 lower = hull.lower(mesh, some, 0.0);
        for (std::size_t i = 0; i < some.size(); ++i) {
          const double exact = distance(segment, mesh.triangle(some[i])).distance;
          EXPECT_LE(static_cast<double>(lower[i]), exact + slack) << some[i];
          if (exact <= slack) continue;
          ++apart;
          good += lower[i] > 0.0F ? 1 : 0;
        }
        some.clear();
      }
    }
    // What is apart is mostly seen to be: held against a limit of 0.
    EXPECT_GE(10 * good, 8 * apart);
  }
}

TEST(StandIn, IsWithinItsErrorOfEveryPoint) {
  const ProbeScene scene = test::large_probe_scene(3000);
  const detail::ProbeMesh mesh = probe_mesh(scene.mesh);
  std::vector<std::uint32_t> triangles(mesh.faces.size() / 2);
  std::iota(triangles.begin(), triangles.end(), 100U);
  const detail::StandIn stand_in = detail::stand_in_for(mesh, triangles, triangles.size() / 20);
  EXPECT_LE(stand_in.mesh.triangle_count(), triangles.size() / 8);
  EXPECT_GT(stand_in.error, 0.0);
  EXPECT_LT(stand_in.error, 0.1 * mesh.radius);
  const Bvh tree = Bvh::build(stand_in.mesh.vertices(), stand_in.mesh.faces()).value();
  Random random(3);
  double farthest = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const Triangle t = mesh.triangle(triangles[random.below(triangles.size())]);
    double x = random.uniform();
    double y = random.uniform();
    if (x + y > 1.0) x = 1.0 - x, y = 1.0 - y;
    farthest = std::max(farthest, distance(tree, t.a + x * (t.b - t.a) + y * (t.c - t.a)).distance);
  }
  EXPECT_LE(farthest, stand_in.error);
  // The proof is not far from the truth.
  EXPECT_GT(farthest, 0.4 * stand_in.error);
}

TEST(StandIn, IsThePartItselfWhereNothingCanGo) {
  const ProbeScene& broken = test::probe_scenes()[7];
  const detail::ProbeMesh mesh = probe_mesh(broken.mesh);
  const std::vector<std::uint32_t> triangles{3, 4, 5};
  const detail::StandIn stand_in = detail::stand_in_for(mesh, triangles, 16);
  EXPECT_EQ(stand_in.mesh.triangle_count(), 3U);
  EXPECT_EQ(stand_in.error, 0.0);
}

}  // namespace
}  // namespace clearance
