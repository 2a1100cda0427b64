// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/sphere_clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace clearance::detail {
namespace {

float rounded_up(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// The sphere as floats: what the centre moves is added to the radius.
FloatSphere narrowed(const Sphere& s, double margin) {
  const FloatSphere f{static_cast<float>(s.center.x), static_cast<float>(s.center.y),
                      static_cast<float>(s.center.z), 0.0F};
  const double moved = distance(s.center, {f.x, f.y, f.z});
  return {f.x, f.y, f.z, rounded_up((s.radius + moved) * (1.0 + 1e-12) + margin)};
}

/// A sphere around spheres: about the middle of their box.
Sphere around(std::span<const Sphere> spheres) {
  Box box;
  for (const Sphere& s : spheres) {
    const Vec3 r{s.radius, s.radius, s.radius};
    box.include(s.center - r);
    box.include(s.center + r);
  }
  double radius = 0.0;
  for (const Sphere& s : spheres)
    radius = std::max(radius, distance(s.center, box.center()) + s.radius);
  return {box.center(), radius * (1.0 + 1e-12)};
}

}  // namespace

SphereGroups groups_of(std::span<const Sphere> given) {
  SphereGroups result;
  if (given.empty()) return result;
  result.whole = around(given);
  result.spheres.assign(given.begin(), given.end());
  // Halved along the longest side, at multiples of the group's size.
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, given.size()}};
  while (!open.empty()) {
    const auto [first, count] = open.back();
    open.pop_back();
    const auto part = std::span(result.spheres).subspan(first, count);
    if (count <= kClusterSize) {
      result.around.push_back(around(part));
      result.first.push_back(first + count);
      continue;
    }
    Box box;
    for (const Sphere& s : part) box.include(s.center);
    const Vec3 size = box.size();
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    const std::size_t groups = (count + kClusterSize - 1) / kClusterSize;
    const std::size_t left = kClusterSize * ((groups + 1) / 2);
    std::stable_sort(part.begin(), part.end(), [axis](const Sphere& a, const Sphere& b) {
      return a.center[axis] < b.center[axis];
    });
    open.emplace_back(first + left, count - left);
    open.emplace_back(first, left);
  }
  return result;
}

SphereClusters clusters_of(std::span<const Sphere> given, double margin) {
  SphereClusters result;
  if (given.empty()) return result;
  const SphereGroups groups = groups_of(given);
  result.whole = narrowed(groups.whole, margin);
  for (std::size_t g = 0; g < groups.around.size(); ++g) {
    result.clusters.push_back(narrowed(groups.around[g], margin));
    for (std::size_t i = 0; i < kClusterSize; ++i) {
      const std::size_t last = groups.first[g + 1] - 1;
      result.spheres.push_back(
          narrowed(groups.spheres[std::min(groups.first[g] + i, last)], margin));
    }
  }
  return result;
}

}  // namespace clearance::detail
