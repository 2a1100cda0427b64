// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/brute_force.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace clearance::study {
namespace {

/// Triangles of a tile: the edges' results, some 3,000 of 64 bytes, stay in the second-level cache.
constexpr std::size_t kTileTriangles = 2048;

bool closer(const PaperClosest& a, const PaperClosest& b) {
  return std::tie(a.distance, a.segment, a.triangle) < std::tie(b.distance, b.segment, b.triangle);
}

}  // namespace

PaperBruteForce::PaperBruteForce(const Mesh& mesh, const PaperOptions& options)
    : mesh_(mesh), options_(options) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint16_t> numbers;
  for (std::size_t first = 0; first < mesh.triangle_count(); first += kTileTriangles) {
    Tile tile;
    tile.first_triangle = static_cast<std::uint32_t>(first);
    numbers.clear();
    const std::size_t last = std::min(first + kTileTriangles, mesh.triangle_count());
    for (std::size_t t = first; t < last; ++t) {
      const Face& face = mesh.faces()[t];
      std::array<std::uint16_t, 3>& edges = tile.triangles.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(face[k], face[(k + 1) % 3]);
        const auto [entry, fresh] =
            numbers.try_emplace({low, high}, static_cast<std::uint16_t>(tile.edges.size()));
        if (fresh) tile.edges.push_back({low, high});
        edges[k] = entry->second;
      }
    }
    tiles_.push_back(std::move(tile));
  }
}

std::size_t PaperBruteForce::edge_count() const {
  std::size_t count = 0;
  for (const Tile& tile : tiles_) count += tile.edges.size();
  return count;
}

PaperClosest PaperBruteForce::closest_in(const Tile& tile,
                                         std::span<const ContourSegment> segments) const {
  PaperClosest best;
  std::vector<PaperDistance> edges(tile.edges.size());
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const PaperTube tube = paper_tube(segments[s]);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const Segment edge{mesh_.vertices()[tile.edges[e][0]], mesh_.vertices()[tile.edges[e][1]]};
      edges[e] = paper_distance(tube, edge, options_);
    }
    for (std::size_t t = 0; t < tile.triangles.size(); ++t) {
      const auto& [ab, bc, ca] = tile.triangles[t];
      const auto triangle = static_cast<std::uint32_t>(tile.first_triangle + t);
      const PaperDistance found =
          paper_distance(tube, mesh_.triangle(triangle), {edges[ab], edges[bc], edges[ca]});
      const PaperClosest pair{found.distance, static_cast<std::uint32_t>(s), triangle};
      if (closer(pair, best)) best = pair;
    }
  }
  return best;
}

PaperClosest PaperBruteForce::closest(std::span<const ContourSegment> segments,
                                      Threads threads) const {
  std::vector<PaperClosest> found(tiles_.size());
  parallel_for(threads, tiles_.size(),
               [&](std::size_t i) { found[i] = closest_in(tiles_[i], segments); });
  return *std::min_element(found.begin(), found.end(), closer);
}

}  // namespace clearance::study
