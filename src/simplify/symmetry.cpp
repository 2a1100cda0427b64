// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/symmetry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/query/shapes.h>

namespace clearance::detail {
namespace {

// Principal moments that differ by less than this part of the largest are equal: their axes are
// anywhere in a plane.
constexpr double kEqualMoments = 1e-3;
// Turns by a whole divided by up to this.
constexpr int kMostFold = 6;
// Triangles looked at, at most about: a tenth of a second for each motion.
constexpr std::size_t kMostTriangles = 20'000;
// Matrices of motions that are the same differ by rounding alone.
constexpr double kSameTurn = 1e-6;

double difference(const Mat3& a, const Mat3& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < 3; ++i) most = std::max(most, largest_component(abs(a[i] - b[i])));
  return most;
}

Mat3 outer(const Vec3& a) { return {{a.x * a, a.y * a, a.z * a}}; }

Mat3 mirror(const Vec3& axis) { return Mat3::identity() - 2.0 * outer(axis); }

Mat3 turn(const Vec3& axis, double angle) {
  const Mat3 across{
      {Vec3{0.0, -axis.z, axis.y}, Vec3{axis.z, 0.0, -axis.x}, Vec3{-axis.y, axis.x, 0.0}}};
  return Mat3::identity() + std::sin(angle) * across +
         (1.0 - std::cos(angle)) * (outer(axis) - Mat3::identity());
}

// All products of some motions; empty when there are more than `most`.
std::vector<Mat3> group_of(const std::vector<Mat3>& some, std::size_t most) {
  std::vector<Mat3> all{Mat3::identity()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Mat3& one : some) {
      const Mat3 product = one * all[i];
      const bool is_known = std::any_of(all.begin(), all.end(), [&](const Mat3& known) {
        return difference(known, product) < kSameTurn;
      });
      if (is_known) continue;
      if (all.size() == most) return {};
      all.push_back(product);
    }
  }
  return all;
}

}  // namespace

Symmetry::Symmetry() : turns_(1, Mat3::identity()) {}

Symmetry::Symmetry(const Vec3& center, std::vector<Mat3> turns, const Vec3& home, double same)
    : center_(center), turns_(std::move(turns)), same_(same) {
  // Nearer to a place in it than to all images of that place.
  for (std::size_t i = 1; i < turns_.size(); ++i) {
    const Vec3 there = image(home, i);
    const Vec3 normal = normalized(there - home);
    walls_.push_back({normal, dot(normal, 0.5 * (home + there))});
  }
}

std::vector<Symmetry> Symmetry::find(const Model& body, double tolerance, std::size_t most) {
  const Mesh& mesh = body.mesh();
  const SurfaceProperties surface = surface_properties(mesh.vertices(), mesh.faces());
  const SymmetricEigen principal = eigen_of_symmetric(surface.inertia);
  const double equal = kEqualMoments * principal.values.x;
  // Corners and middles of triangles stay on the surface.
  const auto is_own = [&](const Mat3& motion) {
    const auto stays = [&](const Vec3& p) {
      const Vec3 there = surface.centroid + motion * (p - surface.centroid);
      return !distance(body.bvh(), there, Pose::identity(), tolerance).beyond;
    };
    const std::size_t every = mesh.triangle_count() / kMostTriangles + 1;
    for (std::size_t t = 0; t < mesh.triangle_count(); t += every) {
      const Triangle triangle = mesh.triangle(t);
      if (!stays(triangle.a) || !stays(triangle.b) || !stays(triangle.c) ||
          !stays(triangle_centroid(triangle)))
        return false;
    }
    return true;
  };
  // Of each axis, what turns about it and mirrors at the plane across it.
  std::vector<std::vector<Mat3>> sets;
  std::vector<Mat3> mirrors;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool is_alone =
        std::abs(principal.values[axis] - principal.values[(axis + 1) % 3]) > equal &&
        std::abs(principal.values[axis] - principal.values[(axis + 2) % 3]) > equal;
    if (!is_alone) continue;
    const Vec3 along = principal.vectors.column(axis);
    const Mat3 mirrored = mirror(along);
    const bool is_mirror = is_own(mirrored);
    if (is_mirror) mirrors.push_back(mirrored), sets.push_back({mirrored});
    for (int fold = 2; fold <= kMostFold; ++fold) {
      const Mat3 turned = turn(along, 2.0 * std::numbers::pi / fold);
      if (!is_own(turned)) continue;
      sets.push_back({turned});
      if (is_mirror) sets.push_back({turned, mirrored});
    }
    // As round bodies have them: at planes along it, through the corner that is farthest from it.
    Vec3 far;
    for (const Vec3& p : mesh.vertices()) {
      const Vec3 off = p - surface.centroid - dot(p - surface.centroid, along) * along;
      if (norm(off) > norm(far)) far = off;
    }
    const Mat3 upright = mirror(normalized(cross(along, far)));
    const bool is_upright = is_own(upright);
    if (is_upright) {
      const std::vector<std::vector<Mat3>> known = sets;
      for (std::vector<Mat3> some : known) {
        some.push_back(upright);
        sets.push_back(std::move(some));
      }
      sets.push_back({upright});
    }
  }
  sets.push_back(mirrors);
  // A place that none of the motions leaves where it is.
  const Vec3 home =
      surface.centroid +
      body.mesh().bounds().diagonal() * (principal.vectors * normalized(Vec3{0.831, 0.713, 0.917}));
  std::vector<Symmetry> found(1);
  for (const std::vector<Mat3>& some : sets) {
    std::vector<Mat3> all = group_of(some, most);
    if (all.size() > 1) found.push_back({surface.centroid, std::move(all), home, tolerance});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Symmetry& a, const Symmetry& b) { return a.order() < b.order(); });
  return found;
}

double Symmetry::beyond(const Vec3& p) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const Wall& wall : walls_) most = std::max(most, dot(wall.normal, p) - wall.offset);
  return most;
}

Vec3 Symmetry::settled(const Vec3& p, double near) const {
  // The nearest image first; then those that the place between leaves as near.
  Vec3 at = p;
  for (int round = 0; round < 3; ++round) {
    Vec3 sum;
    double count = 0.0;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const Vec3 there = image(at, i);
      if (distance(there, at) > near) continue;
      sum += there;
      count += 1.0;
    }
    at = sum / count;
  }
  return at;
}

Mat3 Symmetry::freedom(const Vec3& p) const {
  Mat3 sum = Mat3::zero();
  double count = 0.0;
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    if (distance(image(p, i), p) > same_) continue;
    sum = sum + turns_[i];
    count += 1.0;
  }
  return (1.0 / count) * sum;
}

std::size_t Symmetry::image_count(const Vec3& p) const {
  std::size_t same = 0;
  for (std::size_t i = 0; i < turns_.size(); ++i)
    same += distance(image(p, i), p) <= same_ ? 1U : 0U;
  return turns_.size() / same;
}

Symmetry::Images Symmetry::images(std::span<const Sphere> balls, double reach) const {
  Images images;
  for (std::size_t k = 0; k < balls.size(); ++k) {
    std::vector<Vec3> seen;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const Vec3 there = image(balls[k].center, i);
      if (std::any_of(seen.begin(), seen.end(),
                      [&](const Vec3& other) { return distance(other, there) <= same_; }))
        continue;
      seen.push_back(there);
      if (beyond(there) - balls[k].radius > reach) continue;
      images.balls.push_back({there, balls[k].radius});
      images.of.push_back(static_cast<std::uint32_t>(k));
      images.turn.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return images;
}

}  // namespace clearance::detail
