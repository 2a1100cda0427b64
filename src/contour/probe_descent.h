// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent of a wide tree with several contour segments at once, the nearest first: one queue
// holds nodes, leaves and triangles, each with the segment it was bounded for. What is taken from
// it was nearest of all that wait, so that no node is opened that a smaller bound could have
// spared, and a segment far from the mesh costs no more than the root.
//
// Where many wait at distance 0 the lowest numbers go first: the contact that wins is the one of
// the lowest segment and triangle, and once it is found the others are dropped unopened. The tree
// knows the lowest triangle below each node for that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bvh/wide_tree.h"
#include "contour/probe_contest.h"
#include "contour/probe_kernel.h"

namespace clearance::detail {

/// The lowest triangle below each node and in each leaf of a tree.
struct LowestTriangles {
  std::vector<std::uint32_t> of_node;
  std::vector<std::uint32_t> of_leaf;

  void compute(const WideTree& tree);
  [[nodiscard]] std::uint32_t operator[](std::uint32_t ref) const {
    return (ref & kLeafBit) != 0 ? of_leaf[ref & ~kLeafBit] : of_node[ref];
  }
};

class ProbeDescent {
 public:
  /// What is descended, and with what: the kernels are those of all segments.
  struct Scene {
    const WideTree& tree;
    const LowestTriangles& lowest;
    std::span<const SegmentKernel> kernels;
  };
  /// Measures all that could win of segment_count segments from first_segment on. Those that win
  /// each by itself are descended with one after the other: in one queue they would only wait for
  /// each other.
  void run(const Scene& scene, std::size_t first_segment, std::size_t segment_count,
           Contest& contest);

 private:
  /// What waits for its turn.
  struct Waiting {
    std::uint64_t rank;     // the bound, then what goes first among equals: the least is next
    std::uint32_t ref;      // of a node or leaf, or the number of a triangle
    std::uint32_t segment;  // with a bit for triangles
    [[nodiscard]] float bound() const;
    bool operator<(const Waiting& other) const { return rank > other.rank; }  // for std::push_heap
  };
  /// The segments from begin to end have one limit.
  void run_together(const Scene& scene, std::uint32_t begin, std::uint32_t end, Contest& contest);
  /// What is in a node or leaf joins the queue.
  void open(const Scene& scene, std::uint32_t ref, std::uint32_t segment, Contest& contest);
  /// Straight down to a triangle, which is measured.
  static void plunge(const Scene& scene, std::uint32_t segment, Contest& contest);

  std::vector<Waiting> queue_;  // a heap, the next on top
};

}  // namespace clearance::detail
