// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which orientation a set of triangles gets in the wide tree: its principal axes.
#pragma once

#include <array>
#include <cstddef>

#include <clearance/geometry/vector.h>

#include "bvh/wide_tree.h"

namespace clearance::detail {

/// Weight of a triangle without area, as a fraction of the squared radius of the model: enough to
/// orient a set of needles, too little to matter beside any area.
inline constexpr double kLeastWeight = 1e-20;

/// Area-weighted moments of a set of triangles, in model coordinates; sums of parts add up.
struct Moments {
  double weight = 0.0;
  Vec3 first;
  std::array<double, 6> second{};  // xx xy xz yy yz zz
  void add(const Moments& m);
  [[nodiscard]] Mat3 covariance() const;
  [[nodiscard]] Vec3 centroid() const { return weight > 0.0 ? first / weight : first; }
};

/// The axes of a frame as rows, as it keeps them.
using FrameAxes = std::array<std::array<float, 3>, 3>;

/// Finds the principal axes of up to eight sets at once: one after the other, each would wait for a
/// long chain of divisions and roots.
class AxesBatch {
 public:
  static constexpr std::size_t kRoom = 8;

  /// With a unit `normal` the last axis will be that, and the others the principal ones within the
  /// plane. Needs room.
  void add(const Moments& moments, const Vec3& normal = {});
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Finds the axes of all sets added since the last time, and makes room for others.
  void solve();
  /// Of the i-th set of the last solve(). The longest first, right-handed; the coordinate axes for
  /// a set without extent.
  [[nodiscard]] FrameAxes axes(std::size_t i) const;

 private:
  std::size_t size_ = 0;
  // Lane i is set i: covariance as in Moments::second, normal, and the axes found.
  alignas(32) double covariance_[6][kRoom] = {};
  alignas(32) double normal_[3][kRoom] = {};
  alignas(32) float axes_[9][kRoom] = {};
};

/// The principal axes of a single set.
[[nodiscard]] FrameAxes principal_axes(const Moments& moments);

}  // namespace clearance::detail
