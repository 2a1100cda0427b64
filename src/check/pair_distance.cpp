// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/pair_distance.h"

#include <algorithm>
#include <cmath>

namespace clearance::detail {
namespace {

/// What a distance may be off by itself (query.h).
constexpr double kDistanceError = 1e-9;
/// Rounding of a centre that is moved by a pose, and of a distance, as a fraction of coordinates.
constexpr double kSphereRounding = 1e-14;

}  // namespace

PairDistance model_distance(const CheckBody& a, const CheckBody& b, const Pose& a_from_b,
                            double upper, PairMemory& memory, Work& work) {
  memory.resize(a.models.size() * b.models.size());
  PairDistance best;
  best.lower = std::numeric_limits<double>::infinity();
  std::size_t k = 0;
  for (const Model& model_a : a.models) {
    for (const Model& model_b : b.models) {
      DistanceOptions options;
      options.upper_bound = std::min(upper, best.distance);
      // A bound of 0 would hide contact.
      options.upper_bound = std::max(options.upper_bound, std::numeric_limits<double>::min());
      const SolidDistance found = distance(model_a, model_b, a_from_b, options, &memory[k++]);
      work += found.work;
      best.lower = std::min(best.lower, (1.0 - kDistanceError) * found.lower);
      if (!(found.distance < best.distance)) continue;
      best.distance = found.distance;
      best.point = found.touch == Touch::AInsideB || found.touch == Touch::BInsideA
                       ? found.inside_point
                       : 0.5 * (found.surface.on_a + found.surface.on_b);
    }
  }
  best.lower = std::min(best.lower, best.distance);
  return best;
}

PairDistance sphere_distance(std::span<const Sphere> a, std::span<const Sphere> b,
                             const Pose& a_from_b, double upper) {
  PairDistance best;
  best.lower = upper;
  std::vector<Sphere> moved(b.begin(), b.end());
  double coordinates = norm(a_from_b.translation);
  for (Sphere& sphere : moved) {
    coordinates = std::max(coordinates, norm(sphere.center) + sphere.radius);
    sphere.center = a_from_b * sphere.center;
  }
  for (const Sphere& s : a) coordinates = std::max(coordinates, norm(s.center) + s.radius);
  const double rounding = kSphereRounding * 3.0 * coordinates;
  double least = upper + rounding;
  for (const Sphere& s : a) {
    for (const Sphere& t : moved) {
      // Farther than the best so far: no root needed.
      const double near = s.radius + t.radius + least;
      const Vec3 way = t.center - s.center;
      const double squared = squared_norm(way);
      if (near < 0.0 || squared >= near * near) continue;
      const double apart = std::sqrt(squared);
      least = apart - s.radius - t.radius;
      best.distance = least;
      best.point = apart > 0.0 ? s.center + (s.radius / apart) * way : s.center;
    }
  }
  best.distance -= rounding;
  best.lower = std::min(best.lower, best.distance);
  return best;
}

double box_distance(const Box& a, const Box& b) {
  const Vec3 gap = max(max(a.low - b.high, b.low - a.high), Vec3{});
  return norm(gap);
}

Box box_of(const Corners& corners) {
  Box box;
  for (const Vec3& corner : corners) box.include(corner);
  return box;
}

}  // namespace clearance::detail
