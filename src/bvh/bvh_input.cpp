// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/bvh_input.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bvh/wide_tree.h"

namespace clearance::detail {
namespace {

/// Largest size of a coordinate [m]. Squares of distances must fit into a float.
constexpr double kLargestCoordinate = 1e15;

Error refuse(std::string place, std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), std::move(advice)};
}

}  // namespace

Result<Box> checked_bounds(std::span<const Vec3> vertices, Faces faces) {
  if (faces.empty()) return refuse("", "no triangles");
  if (faces.size() >= kLeafBit) return refuse("", "more than 2147483647 triangles");
  std::uint32_t largest = 0;
  for (const auto& f : faces) largest = std::max({largest, f[0], f[1], f[2]});
  if (largest >= vertices.size()) {
    for (std::size_t i = 0; i < faces.size(); ++i) {
      for (const std::uint32_t v : faces[i]) {
        if (v >= vertices.size()) {
          return refuse("triangle " + std::to_string(i), "uses vertex " + std::to_string(v) +
                                                             ", but there are only " +
                                                             std::to_string(vertices.size()));
        }
      }
    }
  }
  // A NaN slips through min and max; the products below catch it.
  Box box;
  double zero = 0.0;
  for (const auto& f : faces) {
    for (const std::uint32_t v : f) {
      const Vec3& p = vertices[v];
      zero += p.x * 0.0 + p.y * 0.0 + p.z * 0.0;
      box.include(p);
    }
  }
  if (zero != 0.0) {
    for (const auto& face : faces) {
      for (const std::uint32_t v : face) {
        if (!is_finite(vertices[v]))
          return refuse("vertex " + std::to_string(v), "coordinate is not finite");
      }
    }
  }
  if (std::max(largest_component(abs(box.low)), largest_component(abs(box.high))) >
      kLargestCoordinate) {
    return refuse("", "coordinates beyond 1e15 m", "check the unit of the file");
  }
  return box;
}

}  // namespace clearance::detail
