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

PairDistance sphere_distance(const SphereGroups& a, const SphereGroups& b, const Pose& a_from_b,
                             double upper) {
  PairDistance best;
  best.lower = upper;
  const double coordinates = norm(a_from_b.translation) + norm(a.whole.center) + a.whole.radius +
                             norm(b.whole.center) + b.whole.radius;
  const double rounding = kSphereRounding * 3.0 * coordinates;
  double least = upper + rounding;
  // Farther than the best so far: no root needed.
  const auto is_nearer = [&](const Sphere& s, const Vec3& center, double radius) {
    const double near = s.radius + radius + least + rounding;
    return near > 0.0 && squared_norm(center - s.center) < near * near;
  };
  const auto look_at = [&](const Sphere& s, const Vec3& center, double radius) {
    if (!is_nearer(s, center, radius)) return;
    const double apart = distance(center, s.center);
    if (!(apart - s.radius - radius < least)) return;
    least = apart - s.radius - radius;
    best.distance = least;
    best.point = apart > 0.0 ? s.center + (s.radius / apart) * (center - s.center) : s.center;
  };
  for (std::size_t h = 0; h < b.around.size(); ++h) {
    const Vec3 group_center = a_from_b * b.around[h].center;
    if (!is_nearer(a.whole, group_center, b.around[h].radius)) continue;
    for (std::size_t g = 0; g < a.around.size(); ++g) {
      if (!is_nearer(a.around[g], group_center, b.around[h].radius)) continue;
      for (std::size_t j = b.first[h]; j < b.first[h + 1]; ++j) {
        const Vec3 center = a_from_b * b.spheres[j].center;
        for (std::size_t i = a.first[g]; i < a.first[g + 1]; ++i)
          look_at(a.spheres[i], center, b.spheres[j].radius);
      }
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
