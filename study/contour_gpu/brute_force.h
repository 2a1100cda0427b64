// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's way to the closest pair: its own distances over all pairs of segments and triangles,
// and the smallest of them. The rival, so written with care: an edge that two triangles share is
// measured once, in tiles of triangles that fit the cache, as the paper does in local memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/contour/contour.h>
#include <clearance/contour/paper_distance.h>
#include <clearance/mesh/mesh.h>

namespace clearance::study {

/// The criterion of eq. (5), as the paper has it for CPUs. Fewer digits would stop earlier and be
/// less right; more cost rounds without changing the distance much (docs/probe_study.md).
inline constexpr PaperOptions kPaperOnCpu{.rounds = 10, .epsilon = 1e-3};
/// A fixed number of rounds, as the paper has it for GPUs; it does not say how many.
inline constexpr PaperOptions kPaperOnGpu{.rounds = 10, .epsilon = 0.0};
inline constexpr PaperOptions kPaperInHaste{.rounds = 3, .epsilon = 0.0};

struct PaperClosest {
  double distance = std::numeric_limits<double>::infinity();  ///< [m]
  std::uint32_t segment = 0;
  std::uint32_t triangle = 0;
};

class PaperBruteForce {
 public:
  /// Lists the edges: not counted in any time.
  explicit PaperBruteForce(const Mesh& mesh, const PaperOptions& options = kPaperOnCpu);

  /// The smallest of all distances; of equal ones the lowest segment's lowest triangle. The same
  /// for any number of threads.
  [[nodiscard]] PaperClosest closest(std::span<const ContourSegment> segments,
                                     Threads threads = {1}) const;

  /// Edges measured for each segment; those between two tiles count twice.
  [[nodiscard]] std::size_t edge_count() const;

 private:
  /// Triangles that follow each other, and their edges as pairs of vertices.
  struct Tile {
    std::uint32_t first_triangle = 0;
    std::vector<std::array<std::uint32_t, 2>> edges;
    std::vector<std::array<std::uint16_t, 3>> triangles;  ///< edges ab, bc, ca
  };
  [[nodiscard]] PaperClosest closest_in(const Tile& tile,
                                        std::span<const ContourSegment> segments) const;

  Mesh mesh_;
  PaperOptions options_;
  std::vector<Tile> tiles_;
};

}  // namespace clearance::study
