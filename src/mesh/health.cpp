// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/predicates.h>
#include <clearance/mesh/health.h>

#include "mesh/health_findings.h"
#include "mesh/topology.h"

namespace clearance {
namespace {

// Triangles per piece of a parallel loop; any fixed number gives the same report.
constexpr std::size_t kBlock = 16384;

// A volume below this fraction of area times size is rounding. The solid is then thinner than 1e-12
// of its size: less than the coordinates can tell.
constexpr double kVolumeRounding = 1e-12;

/// What one look at each triangle by itself gives.
struct TriangleQuality {
  std::vector<double> areas;
  std::vector<double> aspect_ratios;  ///< of the triangles with an area
  std::size_t degenerate = 0;
  std::size_t needles = 0;
  std::size_t caps = 0;
};

TriangleQuality measure_triangles(const Mesh& mesh, const HealthOptions& options) {
  const std::size_t count = mesh.triangle_count();
  const std::size_t block_count = (count + kBlock - 1) / kBlock;
  TriangleQuality result;
  result.areas.resize(count);
  std::vector<TriangleQuality> blocks(block_count);
  parallel_for(options.threads, block_count, [&](std::size_t b) {
    TriangleQuality& block = blocks[b];
    block.aspect_ratios.reserve(kBlock);
    for (std::size_t i = b * kBlock; i < std::min(count, (b + 1) * kBlock); ++i) {
      const Triangle t = mesh.triangle(i);
      if (has_zero_area(t)) {
        ++block.degenerate;
        continue;
      }
      // Overflow (coordinates beyond 1e154) would give NaN, which has no place in an order.
      const double area = triangle_area(t);
      result.areas[i] = std::isnan(area) ? std::numeric_limits<double>::infinity() : area;
      const double ratio = triangle_aspect_ratio(t);
      block.aspect_ratios.push_back(std::isnan(ratio) ? std::numeric_limits<double>::infinity()
                                                      : ratio);
      if (!(ratio > options.nearly_degenerate_aspect_ratio)) continue;
      // A needle's shortest side is about its height; a cap is much flatter than any of its sides.
      const double ab = distance(t.a, t.b);
      const double bc = distance(t.b, t.c);
      const double ca = distance(t.c, t.a);
      const double height = 2.0 * area / std::fmax(ab, std::fmax(bc, ca));
      const bool is_needle = std::fmin(ab, std::fmin(bc, ca)) <= 2.0 * height;
      ++(is_needle ? block.needles : block.caps);
    }
  });
  for (const TriangleQuality& block : blocks) {
    result.aspect_ratios.insert(result.aspect_ratios.end(), block.aspect_ratios.begin(),
                                block.aspect_ratios.end());
    result.degenerate += block.degenerate;
    result.needles += block.needles;
    result.caps += block.caps;
  }
  return result;
}

/// Reorders the numbers.
Spread spread_of(std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  const auto at = [&](std::size_t i) { return numbers.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t middle = numbers.size() / 2;
  const std::size_t high = std::max(middle, (numbers.size() * 99 + 99) / 100 - 1);
  Spread spread;
  std::nth_element(numbers.begin(), at(middle), numbers.end());
  spread.median = numbers[middle];
  spread.min = *std::min_element(numbers.begin(), at(middle) + 1);
  // The median's place is settled: 99 % is to its right.
  if (high > middle) std::nth_element(at(middle) + 1, at(high), numbers.end());
  spread.percentile_99 = numbers[high];
  spread.max = *std::max_element(at(high), numbers.end());
  return spread;
}

}  // namespace

MeshHealth examine(const Mesh& mesh, const HealthOptions& options) {
  MeshHealth health;
  health.vertices = mesh.vertex_count();
  health.triangles = mesh.triangle_count();
  if (mesh.empty()) {
    health.findings = detail::findings_of(health, options);
    return health;
  }

  detail::Topology topology = detail::analyse_topology(mesh, options.threads);
  health.distinct_positions = topology.distinct_positions;
  health.unused_vertices = topology.unused_vertices;
  health.collapsed_triangles = topology.collapsed_triangles;
  health.components = topology.components;
  health.edges = topology.edge_lengths.size();
  health.euler_characteristic =
      static_cast<std::int64_t>(topology.topological_vertices) -
      static_cast<std::int64_t>(health.edges) +
      static_cast<std::int64_t>(health.triangles - health.collapsed_triangles);
  health.open_edges = topology.open_edges;
  health.non_manifold_edges = topology.non_manifold_edges;
  health.inconsistent_edges = topology.inconsistent_edges;
  health.duplicate_triangles = topology.duplicate_triangles;
  health.opposite_triangles = topology.opposite_triangles;
  health.closed = health.edges > 0 && topology.odd_edges == 0;
  health.consistently_oriented = health.inconsistent_edges == 0;

  TriangleQuality quality = measure_triangles(mesh, options);
  health.degenerate_triangles = quality.degenerate;
  health.needles = quality.needles;
  health.caps = quality.caps;
  health.triangle_area = spread_of(quality.areas);
  health.aspect_ratio = spread_of(quality.aspect_ratios);
  health.edge_length = spread_of(topology.edge_lengths);
  if (health.triangle_area.median > 0.0) {
    health.area_max_over_median = health.triangle_area.max / health.triangle_area.median;
  }

  health.bounds = mesh.bounds();
  const SurfaceProperties surface =
      surface_properties(mesh.vertices(), mesh.faces(), options.threads);
  const SolidProperties solid = solid_properties(mesh.vertices(), mesh.faces(), options.threads);
  health.surface_area = surface.area;
  health.volume = solid.volume;
  health.volume_is_meaningful =
      health.closed && health.consistently_oriented &&
      std::abs(solid.volume) > kVolumeRounding * surface.area * health.bounds.diagonal();
  health.inside_out = health.volume_is_meaningful && solid.volume < 0.0;
  health.center_of_mass = health.volume_is_meaningful ? solid.center_of_mass : surface.centroid;

  health.unit = assess_unit(largest_component(health.bounds.size()), options.metres_per_unit);
  health.findings = detail::findings_of(health, options);
  return health;
}

}  // namespace clearance
