// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A conformation and its close pairs from scratch, by code that shares nothing with ChainTree and
// FoldMoves: what the audit compares with.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <clearance/chain/fold.h>

namespace clearance::detail {

/// Poses of the links and centres of all spheres, in the frame of link 0.
struct Conformation {
  std::vector<Pose> poses;
  std::vector<Vec3> centers;
};
/// The model at these angles (torsions, then rotors): rotations through quaternions, side chains
/// turned bond by bond from the backbone outward, poses multiplied one after the other.
[[nodiscard]] Conformation conformation_from_scratch(const FoldModel& model,
                                                     std::span<const double> angles);

/// Which link each sphere belongs to, and its number there.
struct SphereIndex {
  explicit SphereIndex(const Chain& chain);
  std::vector<std::uint32_t> first;  ///< sphere 0 of each link, and the number of all at the end
  std::vector<std::uint32_t> link;   ///< of each sphere
  std::vector<double> radius;        ///< of each sphere
  [[nodiscard]] std::uint32_t within_link(std::uint32_t sphere) const {
    return sphere - first[link[sphere]];
  }
};

/// Pairs of links that the chain tests against each other.
class TestedPairs {
 public:
  explicit TestedPairs(const Chain& chain);
  [[nodiscard]] bool contains(std::uint32_t link_a, std::uint32_t link_b) const;

 private:
  std::uint32_t neighbours_;
  std::vector<LinkPair> ignored_;  // sorted, a < b
};

/// Each pair of points at `limit` or closer once, through a grid of cells. The order is that of the
/// cells: the same for the same points.
void visit_close_points(std::span<const Vec3> points, double limit,
                        const std::function<void(std::uint32_t, std::uint32_t, double)>& visit);

/// Pairs of spheres that overlap by more than `tolerance`, deepest first.
[[nodiscard]] std::vector<FoldClash> overlapping_spheres(const Chain& chain,
                                                         std::span<const Vec3> centers,
                                                         double tolerance);

}  // namespace clearance::detail
