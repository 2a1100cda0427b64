// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which directions the shapes around a body suggest for its removal.
#include <algorithm>
#include <cmath>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/mesh/sample.h>
#include <clearance/plan/directions.h>
#include <clearance/query/shapes.h>

#include "plan/way_out.h"

namespace clearance {
namespace {

// Points of each surface at which the other is looked for.
constexpr std::size_t kSamples = 600;
constexpr std::uint64_t kSampleSeed = 8;
// Surfaces count as near up to this part of the smaller box's diagonal, or twice their distance.
constexpr double kNear = 0.03;
// Normals within this cosine are one family: the facets of a plane, not those of a cylinder.
constexpr double kSameNormal = 0.9999;
// Families used, the largest first; each pair of the first few gives the axis of a groove.
constexpr std::size_t kFamilies = 12;
constexpr std::size_t kGrooveFamilies = 5;
// An axis is made exact with the normals nearly square to it, in three rounds (sine of the angle).
constexpr double kAxisRounds[] = {0.3, 0.1, 0.02};
// Directions this close to an axis of the world are meant to be it [rad].
constexpr double kSnap = 1e-5;
// Suggested directions closer than this (cosine) are one: in a hole with little play 5 microradians
// can matter.
constexpr double kSameDirection = 1.0 - 1e-11;

/// The triangles of a mesh that come into a box, as a mesh of their own; empty when none do.
Mesh triangles_in(const Mesh& mesh, const Pose& world_from_mesh, const Box& box) {
  std::vector<Face> faces;
  for (const Face& face : mesh.faces()) {
    Box own;
    for (const std::uint32_t i : face) own.include(world_from_mesh * mesh.vertices()[i]);
    const bool apart = own.low.x > box.high.x || own.high.x < box.low.x || own.low.y > box.high.y ||
                       own.high.y < box.low.y || own.low.z > box.high.z || own.high.z < box.low.z;
    if (!apart) faces.push_back(face);
  }
  if (faces.empty()) return {};
  Result<Mesh> result =
      Mesh::make({mesh.vertices().begin(), mesh.vertices().end()}, std::move(faces));
  return result.ok() ? std::move(result).value() : Mesh();
}

Box enlarged(Box box, double by) {
  box.low -= Vec3{by, by, by};
  box.high += Vec3{by, by, by};
  return box;
}

/// Unit normals of the obstacles where they are near the body, towards the body, in the world.
std::vector<Vec3> near_normals(const PlanProblem& problem) {
  const Bvh& body = problem.body.bvh();
  const Bvh& obstacles = problem.obstacles.bvh();
  if (body.volume() != Volume::Wide || obstacles.volume() != Volume::Wide) return {};
  const Box box = detail::body_box(problem);
  const double gap = distance(obstacles, body, problem.start).distance;
  const double near =
      std::max(2.0 * gap, kNear * std::min(box.diagonal(), obstacles.bounds().diagonal()));

  std::vector<Vec3> normals;
  const Mesh of_obstacles =
      triangles_in(problem.obstacles.mesh(), Pose::identity(), enlarged(box, near));
  if (of_obstacles.empty()) return normals;
  const Pose body_from_world = inverse(problem.start);
  for (const SurfaceSample& sample : sample_surface(of_obstacles, kSamples, kSampleSeed)) {
    const ShapeDistance d =
        distance(body, Shape(body_from_world * sample.point), Pose::identity(), near);
    if (!d.beyond) normals.push_back(sample.normal);
  }
  const Mesh of_body =
      triangles_in(problem.body.mesh(), problem.start, enlarged(obstacles.bounds(), near));
  if (of_body.empty()) return normals;
  for (const SurfaceSample& sample : sample_surface(of_body, kSamples, kSampleSeed)) {
    const Vec3 point = problem.start * sample.point;
    const ShapeDistance d = distance(obstacles, Shape(point), Pose::identity(), near);
    if (!d.beyond) normals.push_back(-(problem.start.rotation * sample.normal));
  }
  return normals;
}

/// Families of equal normals, the largest first; each stands for itself by its first member.
std::vector<Vec3> families_of(const std::vector<Vec3>& normals) {
  struct Family {
    Vec3 normal;
    std::size_t count;
  };
  std::vector<Family> families;
  for (const Vec3& n : normals) {
    if (!(norm(n) > 0.5)) continue;
    const auto same = std::find_if(families.begin(), families.end(),
                                   [&](const Family& f) { return dot(f.normal, n) > kSameNormal; });
    if (same != families.end()) {
      ++same->count;
    } else {
      families.push_back({n, 1});
    }
  }
  std::stable_sort(families.begin(), families.end(),
                   [](const Family& f, const Family& g) { return f.count > g.count; });
  std::vector<Vec3> result;
  for (std::size_t i = 0; i < std::min(kFamilies, families.size()); ++i) {
    result.push_back(families[i].normal);
  }
  return result;
}

Mat3 spread_of(const std::vector<Vec3>& normals, const Vec3& axis, double sine) {
  Mat3 sum = Mat3::zero();
  for (const Vec3& n : normals) {
    if (std::abs(dot(n, axis)) < sine) sum = sum + outer(n, n);
  }
  return sum;
}

/// The axis square to all normals that are nearly square to it: that of the hole or groove.
Vec3 exact_axis(const std::vector<Vec3>& normals, Vec3 axis) {
  for (const double sine : kAxisRounds) {
    const SymmetricEigen eigen = eigen_of_symmetric(spread_of(normals, axis, sine));
    if (!(eigen.values.y > 0.0)) return axis;  // one family alone leaves the axis open
    const Vec3 next = eigen.vectors.column(2);
    axis = dot(next, axis) < 0.0 ? -next : next;
  }
  return axis;
}

/// A direction that is an axis of the world but for the rounding of a file, made one.
Vec3 snapped(const Vec3& unit) {
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 axis;
    axis[k] = unit[k] < 0.0 ? -1.0 : 1.0;
    if (norm(unit - axis) < kSnap) return axis;
  }
  return unit;
}

class DirectionList {
 public:
  void add(const Vec3& direction) {
    const Vec3 unit = snapped(normalized(direction));
    if (!(norm(unit) > 0.5)) return;
    for (const Vec3& there : list_) {
      if (dot(there, unit) > kSameDirection) return;
    }
    list_.push_back(unit);
  }
  void add_both(const Vec3& direction) {
    add(direction);
    add(-direction);
  }
  [[nodiscard]] std::vector<Vec3> take() { return std::move(list_); }

 private:
  std::vector<Vec3> list_;
};

}  // namespace

std::vector<Vec3> removal_directions(const PlanProblem& problem, const DirectionOptions& options) {
  DirectionList list;
  // Assemblies are drawn along the axes, and an axis by number beats one by measurement.
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 axis;
    axis[k] = 1.0;
    list.add_both(axis);
  }
  const std::vector<Vec3> normals = near_normals(problem);
  if (!normals.empty()) {
    const SymmetricEigen eigen = eigen_of_symmetric(spread_of(normals, {}, 2.0));
    for (std::size_t k = 3; k-- > 0;) list.add_both(exact_axis(normals, eigen.vectors.column(k)));
  }
  // Away from everything near.
  Vec3 sum;
  for (const Vec3& n : normals) sum += n;
  if (norm(sum) > 0.01 * static_cast<double>(normals.size())) list.add(sum);
  const std::vector<Vec3> families = families_of(normals);
  for (const Vec3& n : families) list.add_both(n);
  for (std::size_t i = 0; i < std::min(kGrooveFamilies, families.size()); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 along = cross(families[i], families[j]);
      if (norm(along) > 0.1) list.add_both(exact_axis(normals, normalized(along)));
      list.add(families[i] + families[j]);
    }
  }
  const Bvh& body = problem.body.bvh();
  const SymmetricEigen own =
      eigen_of_symmetric(surface_properties(body.vertices(), body.faces()).inertia);
  for (std::size_t k = 0; k < 3; ++k) list.add_both(problem.start.rotation * own.vectors.column(k));
  std::vector<Vec3> result = list.take();
  for (std::size_t i = 0; i < options.spread; ++i) {
    result.push_back(detail::spread_direction(i, options.spread));
  }
  return result;
}

}  // namespace clearance
