// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Brute force in blocks of triangles. First every pair of a block and a segment gets one lower
// bound, the smallest of its triangles' (this is the work: every pair of triangle and segment is
// looked at, with no tree). Then the blocks are opened from the nearest on, until those left are
// proven to lose. How a triangle is bounded is up to the derived class; SphereBlocks does eight at
// a time, and also serves ways that got their block bounds elsewhere (from a device).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>

#include "contour/probe_contest.h"
#include "contour/probe_hull8.h"
#include "contour/probe_spheres.h"

namespace clearance::detail {

/// Triangles of a block: their spheres fit into the first-level cache with room to spare.
inline constexpr std::size_t kBlockTriangles = 512;

class BlockSearch {
 public:
  BlockSearch() = default;
  BlockSearch(const BlockSearch&) = delete;
  BlockSearch& operator=(const BlockSearch&) = delete;
  virtual ~BlockSearch() = default;

  /// kBlockTriangles of the order to a block, the last may have fewer.
  [[nodiscard]] std::size_t block_count() const {
    return (triangle_count() + kBlockTriangles - 1) / kBlockTriangles;
  }
  /// Answers the query; `wanted` says for which segments (0: not), without it for all. start() must
  /// have been called for it.
  void find(Contest& contest, Threads threads, std::span<const std::uint8_t> wanted = {});
  /// The same with bounds that are there already: lower[block * segment_count + segment] is not
  /// above the distance of any triangle of the block from the segment; infinity: not wanted.
  void settle(Contest& contest, std::span<const float> lower, Threads threads);

  [[nodiscard]] virtual std::size_t triangle_count() const = 0;

 protected:
  /// A lower bound of the distances of all triangles of a block.
  [[nodiscard]] virtual float bound(std::size_t block, std::size_t segment) const = 0;
  /// Measures what could win in a block.
  virtual void open(std::size_t block, std::size_t segment, Contest& contest) const = 0;

 private:
  struct Waiting {
    float bound;
    std::uint32_t segment;
    std::uint32_t block;
  };
  void open_waiting(std::size_t begin, std::size_t end, Contest& contest) const;

  // Kept from query to query for their memory.
  std::vector<float> lower_;
  std::vector<Waiting> waiting_;
  std::vector<Contest> forks_;
};

/// Eight triangles at a time.
class SphereBlocks final : public BlockSearch {
 public:
  /// Of these spheres, which must stay: around the triangles order[0], order[1], ... or, without an
  /// order, 0, 1, ...
  void set(const PackedSpheres& spheres, std::span<const std::uint32_t> order = {}) {
    spheres_ = &spheres;
    order_ = order;
  }
  /// For each query, before find() or settle().
  void start(const ProbeQuery& query);
  [[nodiscard]] std::size_t triangle_count() const override { return spheres_->count; }

 protected:
  [[nodiscard]] float bound(std::size_t block, std::size_t segment) const override;
  void open(std::size_t block, std::size_t segment, Contest& contest) const override;

 private:
  [[nodiscard]] std::span<const Sphere8> groups(std::size_t block) const;

  const PackedSpheres* spheres_ = nullptr;
  std::span<const std::uint32_t> order_;
  std::vector<Shell8> shells_;
  std::vector<SegmentHull8> hulls_;
};

}  // namespace clearance::detail
