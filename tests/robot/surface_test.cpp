// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Surfaces of shapes. That a polyhedron holds a round shape is proven, not sampled: between each
// face and the shape there is a plane, so no face cuts into it; the surface is closed and has the
// middle of the shape inside, so the whole of it is.
#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/mesh.h>
#include <clearance/robot/robot.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

using namespace clearance::test;

using Real = long double;
struct RealVec {
  Real x, y, z;
};
Real product(const RealVec& a, const RealVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
RealVec real(const Vec3& v) { return {v.x, v.y, v.z}; }

bool is_closed(const Mesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const Face& face : mesh.faces()) {
    for (std::size_t i = 0; i < 3; ++i) ++edges[{face[i], face[(i + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    if (count != 1 || back == edges.end() || back->second != 1) return false;
  }
  return true;
}

/// A direction in the frame of a shape, in that of the link.
RealVec turned(const Pose& pose, const RealVec& n) {
  return {product(real(pose.rotation[0]), n), product(real(pose.rotation[1]), n),
          product(real(pose.rotation[2]), n)};
}
/// How far a cylinder at a pose reaches along a direction, from its middle.
Real reach(const CylinderShape& shape, const Pose& pose, const RealVec& n) {
  const Real x = product(n, real(pose.rotation.column(0)));
  const Real y = product(n, real(pose.rotation.column(1)));
  const Real z = product(n, real(pose.rotation.column(2)));
  return shape.radius * std::sqrt(x * x + y * y) + 0.5L * shape.length * std::abs(z);
}

/// The width of the gap between the cylinder and the face nearest to it, along the best of the
/// directions that are square to the sides and ends of the prism [m]. The corners are taken as the
/// doubles they are.
double gap(const CylinderShape& shape, const Pose& pose, const Mesh& mesh) {
  std::vector<RealVec> directions{turned(pose, {0, 0, 1}), turned(pose, {0, 0, -1})};
  for (int i = 0; i < kRoundSides; ++i) {
    const Real angle = std::numbers::pi_v<Real> * (2 * i + 1) / kRoundSides;
    directions.push_back(turned(pose, {std::cos(angle), std::sin(angle), 0}));
  }
  Real least = std::numeric_limits<Real>::infinity();
  for (const Face& face : mesh.faces()) {
    Real best = -std::numeric_limits<Real>::infinity();
    for (const RealVec& n : directions) {
      Real nearest = std::numeric_limits<Real>::infinity();
      for (const std::uint32_t corner : face) {
        const Vec3& v = mesh.vertices()[corner];
        const RealVec from_middle{Real{v.x} - pose.translation.x, Real{v.y} - pose.translation.y,
                                  Real{v.z} - pose.translation.z};
        nearest = std::min(nearest, product(n, from_middle));
      }
      best = std::max(best, nearest - reach(shape, pose, n));
    }
    least = std::min(least, best);
  }
  return static_cast<double>(least);
}
/// The same for a sphere: the distance of its middle from the nearest face, less the radius, less
/// what that distance may be off.
double gap(const SphereShape& shape, const Pose& pose, const Mesh& mesh) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i)
    least = std::min(least, std::sqrt(squared_distance(pose.translation, mesh.triangle(i))));
  return least * (1.0 - 10.0 * kDistanceError) - shape.radius;
}

/// Is the middle on the inner side of every face?
bool is_inside(const Vec3& middle, const Mesh& mesh) {
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    if (dot(cross(t.b - t.a, t.c - t.a), middle - t.a) >= 0.0) return false;
  }
  return true;
}

Pose random_pose(Random& random, double far) {
  const Vec3 axis = normalized({random.normal(), random.normal(), random.normal()});
  return {rotation_about(axis, random.uniform(-3.0, 3.0)),
          far * Vec3{random.normal(), random.normal(), random.normal()}};
}

TEST(SurfaceOf, PolyhedraHoldAllOfCylindersAndSpheres) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const double radius = std::pow(10.0, random.uniform(-4.0, 2.0));
    // Up to ten kilometres away, where coordinates are rounded by a hundred millionth of the least
    // radius.
    const Pose pose =
        i == 0 ? Pose::identity() : random_pose(random, std::pow(10.0, random.uniform(-3.0, 4.0)));
    const CylinderShape cylinder{radius, radius * std::pow(10.0, random.uniform(-2.0, 2.0))};
    const Mesh prism = surface_of({"", pose, cylinder});
    ASSERT_TRUE(is_closed(prism) && is_inside(pose.translation, prism));
    ASSERT_GT(gap(cylinder, pose, prism), 0.0) << i;
    const SphereShape sphere{radius};
    const Mesh globe = surface_of({"", pose, sphere});
    ASSERT_TRUE(is_closed(globe) && is_inside(pose.translation, globe));
    ASSERT_GT(gap(sphere, pose, globe), 0.0) << i;
  }
}

TEST(SurfaceOf, PolyhedraAreTight) {
  // Sides that touch: corners of the prism stick out by 1 / cos(pi / 32) - 1, less than half a
  // percent. The corners of the globe by less than one percent.
  const CylinderShape cylinder{2.0, 3.0};
  const Mesh prism = surface_of({"", {}, cylinder});
  EXPECT_EQ(prism.triangle_count(), 4U * kRoundSides - 4U);
  EXPECT_LT(gap(cylinder, {}, prism), 1e-11);
  for (const Vec3& v : prism.vertices()) {
    EXPECT_LT(std::hypot(v.x, v.y), 2.0 * 1.005);
    EXPECT_NEAR(std::abs(v.z), 1.5, 1e-11);
  }
  const Mesh globe = surface_of({"", {}, SphereShape{2.0}});
  EXPECT_LT(gap(SphereShape{2.0}, {}, globe), 1e-11);
  for (const Vec3& v : globe.vertices()) EXPECT_LT(norm(v), 2.0 * 1.01);
}

TEST(SurfaceOf, BoxesAreExactAndFaceOutward) {
  const Mesh box = surface_of({"", Pose::translate({1.0, 0.0, 0.0}), BoxShape{{0.5, 1.0, 2.0}}});
  EXPECT_EQ(box.triangle_count(), 12U);
  EXPECT_TRUE(is_closed(box));
  EXPECT_EQ(box.bounds(), (Box{{0.5, -1.0, -2.0}, {1.5, 1.0, 2.0}}));
  EXPECT_DOUBLE_EQ(signed_volume(box), 8.0);
}

TEST(SurfaceOf, MeshesAreMoved) {
  const RobotShape shape{"",
                         {rotation_from_rpy(0.0, 0.0, std::numbers::pi / 2.0), {5.0, 0.0, 0.0}},
                         MeshShape{cube(1.0), "cube.stl"}};
  const Box bounds = surface_of(shape).bounds();
  EXPECT_NEAR(distance(bounds.low, {4.0, 0.0, 0.0}), 0.0, 1e-15);
  EXPECT_NEAR(distance(bounds.high, {5.0, 1.0, 1.0}), 0.0, 1e-15);
}

}  // namespace
}  // namespace clearance
