// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/chains.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <clearance/base/random.h>

namespace clearance::study {
namespace {

/// Distance of neighbouring rows. Less than a bond, so that the bond from row to row has some
/// length left for the turns.
constexpr double kPitch = 3.9;
/// How far from the line of its row a sphere may be. Rows are so at least kPitch - 2 kWobble =
/// kCompactLeastDistance apart, whatever the spheres of each do along it.
constexpr double kWobble = 0.35;
static_assert(kPitch - 2 * kWobble >= kCompactLeastDistance);

/// Spheres at these centres, each with the frame that chains.h promises.
Chain chain_through(std::span<const Vec3> centers) {
  Chain chain;
  chain.links.assign(centers.size(), LinkSpheres{{{}, kSphereRadius}});
  chain.joints.reserve(centers.size() - 1);
  Mat3 before = Mat3::identity();
  for (std::size_t i = 0; i < centers.size(); ++i) {
    // The last link has no bond ahead: the axes of the one before.
    Mat3 axes = before;
    if (i + 1 < centers.size()) {
      // x along the bond; y the old one, or where that is along the bond too, the old z.
      const Vec3 x = normalized(centers[i + 1] - centers[i]);
      constexpr double kNearlyAlong = 0.9;
      const Vec3 old_y = before.column(1);
      const Vec3 old = std::abs(dot(old_y, x)) < kNearlyAlong ? old_y : before.column(2);
      const Vec3 y = normalized(old - dot(old, x) * x);
      axes = Mat3::from_columns(x, y, cross(x, y));
    }
    if (i > 0) {
      chain.joints.push_back(
          {transpose(before) * axes, transpose_times(before, centers[i] - centers[i - 1])});
    }
    before = axes;
  }
  return chain;
}

}  // namespace

Chain compact_chain(std::size_t links, std::uint64_t seed) {
  Random random(seed);
  const auto side =
      static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(links)) - 1e-9));
  std::vector<Vec3> centers;
  centers.reserve(links);
  Vec3 p;
  double forward = 1.0;  // along x: which way the row runs
  for (std::size_t i = 0; i < links; ++i) {
    const std::size_t row = i / side;
    const std::size_t layer = row / side;
    // Layers are passed to and fro as well.
    const std::size_t place = layer % 2 == 0 ? row % side : side - 1 - row % side;
    // The place across the row is chosen, in a disc around its line; along it, the bond decides.
    const double radius = kWobble * std::sqrt(random.uniform());
    const double angle = random.uniform(0.0, 6.283185307179586);
    const Vec3 line{0.0, kPitch * static_cast<double>(place), kPitch * static_cast<double>(layer)};
    Vec3 next = line + Vec3{0.0, radius * std::cos(angle), radius * std::sin(angle)};
    const bool first_of_row = i % side == 0;
    const bool last_of_row = i % side == side - 1;
    // Bonds from row to row go from line to line, so that they are never too short to do it.
    if (first_of_row || last_of_row) next = line;
    const Vec3 across = next - Vec3{0.0, p.y, p.z};
    const double along = std::sqrt(kBondLength * kBondLength - dot(across, across));
    next.x = i == 0 ? 0.0 : p.x + forward * along;
    if (last_of_row) forward = -forward;
    p = next;
    centers.push_back(p);
  }
  return chain_through(centers);
}

Chain worst_case_chain(std::size_t d) {
  CLEARANCE_ASSERT(d > 0 && d % 8 == 0);
  const auto at = [](std::size_t x, std::size_t y, std::size_t z) {
    return kBondLength *
           Vec3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  };
  std::vector<Vec3> unit;
  for (std::size_t i = 0; i < d; ++i) unit.push_back(at(i, 0, 0));
  for (std::size_t i = 1; i <= d; ++i) unit.push_back(at(d - 1, i, 0));
  for (std::size_t i = 1; i <= d; ++i) unit.push_back(at(d - 1, d, i));

  // Units are passed from beginning to end and from end to beginning in turn, and the units of a
  // layer from first to last and from last to first in turn.
  const std::size_t count = d / 8;
  std::vector<Vec3> centers;
  centers.reserve(3 * d * count * count);
  bool reversed = false;
  for (std::size_t layer = 0; layer < count; ++layer) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto along = static_cast<double>(layer % 2 == 0 ? k : count - 1 - k);
      const auto up = static_cast<double>(layer);
      const Vec3 shift = kBondLength * Vec3{along, -along - up, up};
      for (const Vec3& p : unit) centers.push_back(p + shift);
      if (reversed)
        std::reverse(centers.end() - static_cast<std::ptrdiff_t>(unit.size()), centers.end());
      reversed = !reversed;
    }
  }
  return chain_through(centers);
}

}  // namespace clearance::study
