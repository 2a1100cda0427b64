// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/contour_fit_slabs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include <clearance/geometry/mass.h>

namespace clearance::detail {
namespace {

// All in units of FitSlabs::unit.

/// Slabs of even height. More find a better place for a circle, and cost in proportion.
constexpr std::size_t kEvenSlabs = 24;
/// Steps that get stations of their own: those with the largest faces.
constexpr std::size_t kMostSteps = 6;
/// The height within which a step happens: what it encloses in vain is a fraction of this,
/// and the solid between two circles this close is still far above rounding.
constexpr double kStepHeight = 1e-4;
/// Faces of a step have at least this area together; rims of small holes have less.
constexpr double kLeastStepArea = 0.01;
/// From the ends of the mesh to the first and last station; a mesh without thickness gets one of
/// twice this.
constexpr double kEndGap = 1e-6;
/// Directions across the axis in which outermost points are looked for.
constexpr int kDirections = 24;

struct FlatFace {
  double z = 0.0;
  double area = 0.0;
};

/// A run of flat faces at about one height.
struct Step {
  double low = 0.0;
  double high = 0.0;
  double area = 0.0;
};

std::vector<Step> steps_of(const std::vector<Vec3>& points, const Mesh& mesh) {
  std::vector<FlatFace> flat;
  for (const Face& face : mesh.faces()) {
    const Triangle t{points[face[0]], points[face[1]], points[face[2]]};
    const double low = std::min({t.a.z, t.b.z, t.c.z});
    const double high = std::max({t.a.z, t.b.z, t.c.z});
    if (high - low < kStepHeight) flat.push_back({0.5 * (low + high), triangle_area(t)});
  }
  std::sort(flat.begin(), flat.end(), [](const FlatFace& a, const FlatFace& b) {
    return std::pair(a.z, a.area) < std::pair(b.z, b.area);
  });
  std::vector<Step> steps;
  for (const FlatFace& face : flat) {
    if (steps.empty() || face.z - steps.back().high > kStepHeight)
      steps.push_back({face.z, face.z, 0.0});
    steps.back().high = face.z;
    steps.back().area += face.area;
  }
  std::erase_if(steps, [](const Step& s) { return s.area < kLeastStepArea; });
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.area > b.area; });
  if (steps.size() > kMostSteps) steps.resize(kMostSteps);
  return steps;
}

std::vector<double> stations_of(double low, double high, double margin,
                                const std::vector<Step>& steps) {
  std::vector<double> stations{low, high};
  const auto add = [&](double z, double least_distance) {
    if (std::all_of(stations.begin(), stations.end(),
                    [&](double s) { return std::abs(s - z) > least_distance; }))
      stations.push_back(z);
  };
  // Those of steps first: an even one near them is left out. The ends are no steps.
  for (const Step& step : steps) {
    const double below = step.low - margin - kStepHeight;
    const double above = step.high + margin + kStepHeight;
    if (below < low + kStepHeight || above > high - kStepHeight) continue;
    // The wider side ends at the step itself: a cone that widens has to be that wide there, and
    // must not go on widening.
    add(below, kStepHeight);
    add(above, kStepHeight);
    add(0.5 * (below + above), 0.5 * kStepHeight);
  }
  const double height = (high - low) / static_cast<double>(kEvenSlabs);
  for (std::size_t i = 1; i < kEvenSlabs; ++i)
    add(low + static_cast<double>(i) * height, 0.25 * height);
  std::sort(stations.begin(), stations.end());
  return stations;
}

/// Corners of the hull of points at one height (Andrew's monotone chain). Rounding may leave a
/// point outside by 1e-16; radii have more to spare.
std::vector<Vec3> hull_corners(std::vector<Vec3> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec3& a, const Vec3& b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec3> hull;
  const auto turn_around = [&](auto first, auto last) {
    const std::size_t start = hull.size();
    for (auto p = first; p != last; ++p) {
      const auto is_inside = [&] {
        const Vec3& a = hull[hull.size() - 2];
        const Vec3& b = hull.back();
        return (b.x - a.x) * (p->y - a.y) <= (b.y - a.y) * (p->x - a.x);
      };
      while (hull.size() >= start + 2 && is_inside()) hull.pop_back();
      hull.push_back(*p);
    }
    hull.pop_back();
  };
  turn_around(points.begin(), points.end());
  turn_around(points.rbegin(), points.rend());
  return hull;
}

/// Moves the points that are outermost in one of some directions to the front.
std::size_t outermost_first(std::vector<Vec3>& points) {
  std::vector<bool> is_outer(points.size(), false);
  for (int i = 0; i < kDirections; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kDirections;
    for (const double slope : {-1.0, -0.25, 0.0, 0.25, 1.0}) {
      const Vec3 direction{std::cos(angle), std::sin(angle), slope};
      double farthest = -std::numeric_limits<double>::infinity();
      std::size_t which = 0;
      for (std::size_t k = 0; k < points.size(); ++k) {
        const double reach = dot(direction, points[k]);
        if (reach > farthest) farthest = reach, which = k;
      }
      if (!points.empty()) is_outer[which] = true;
    }
  }
  std::vector<Vec3> sorted;
  sorted.reserve(points.size());
  for (std::size_t k = 0; k < points.size(); ++k)
    if (is_outer[k]) sorted.push_back(points[k]);
  const std::size_t count = sorted.size();
  for (std::size_t k = 0; k < points.size(); ++k)
    if (!is_outer[k]) sorted.push_back(points[k]);
  points = std::move(sorted);
  return count;
}

/// What of the mesh is at these heights, as corners of hulls.
std::vector<std::vector<Vec3>> slices(const std::vector<Vec3>& points, const Mesh& mesh,
                                      const std::vector<double>& heights) {
  std::vector<std::vector<Vec3>> found(heights.size());
  for (const Face& face : mesh.faces()) {
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 a = points[face[k]];
      Vec3 b = points[face[(k + 1) % 3]];
      if (a.z > b.z) std::swap(a, b);
      const auto first = std::upper_bound(heights.begin(), heights.end(), a.z);
      for (auto h = first; h != heights.end() && *h < b.z; ++h) {
        const double t = (*h - a.z) / (b.z - a.z);
        found[static_cast<std::size_t>(h - heights.begin())].push_back(
            {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), *h});
      }
    }
  }
  for (std::vector<Vec3>& slice : found) slice = hull_corners(std::move(slice));
  return found;
}

}  // namespace

FitSlabs cut_into_slabs(const Mesh& mesh, const Vec3& unit_axis, double margin) {
  FitSlabs slabs;
  const Box bounds = mesh.bounds();
  slabs.unit = bounds.diagonal() > 0.0 ? 0.5 * bounds.diagonal() : 1.0;
  const Vec3 across = any_perpendicular(unit_axis);
  slabs.mesh_from_frame = {Mat3::from_columns(across, cross(unit_axis, across), unit_axis),
                           bounds.center()};
  margin /= slabs.unit;

  std::vector<Vec3> points;
  points.reserve(mesh.vertex_count());
  for (const Vec3& v : mesh.vertices())
    points.push_back(
        transpose_times(slabs.mesh_from_frame.rotation, v - slabs.mesh_from_frame.translation) /
        slabs.unit);
  std::vector<Vec3> corners;
  corners.reserve(3 * mesh.triangle_count());
  for (const Face& face : mesh.faces())
    for (const std::uint32_t v : face) corners.push_back(points[v]);
  std::sort(corners.begin(), corners.end(), [](const Vec3& a, const Vec3& b) {
    return std::tie(a.z, a.x, a.y) < std::tie(b.z, b.x, b.y);
  });
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());

  slabs.stations = stations_of(corners.front().z - margin - kEndGap,
                               corners.back().z + margin + kEndGap, margin, steps_of(points, mesh));

  // A point of the mesh stands for the line from `margin` below it to `margin` above it. In the
  // slab [a, b] that line ends at a and b if not before; from triangles cut at the heights where
  // this begins, the ends of the lines at their corners bound all of them.
  std::vector<double> heights;
  for (const double s : slabs.stations) {
    heights.push_back(s - margin);
    if (margin > 0.0) heights.push_back(s + margin);
  }
  std::sort(heights.begin(), heights.end());
  const std::vector<std::vector<Vec3>> cuts = slices(points, mesh, heights);
  for (std::size_t i = 0; i + 1 < slabs.stations.size(); ++i) {
    const double low = slabs.stations[i];
    const double high = slabs.stations[i + 1];
    std::vector<Vec3> held;
    const auto hold = [&](const Vec3& p) {
      held.push_back({p.x, p.y, std::clamp(p.z - margin, low, high)});
      if (margin > 0.0) held.push_back({p.x, p.y, std::clamp(p.z + margin, low, high)});
    };
    const auto first = std::lower_bound(corners.begin(), corners.end(), low - margin,
                                        [](const Vec3& p, double z) { return p.z < z; });
    for (auto p = first; p != corners.end() && p->z <= high + margin; ++p) hold(*p);
    for (std::size_t h = 0; h < heights.size(); ++h) {
      if (heights[h] < low - margin || heights[h] > high + margin) continue;
      for (const Vec3& p : cuts[h]) hold(p);
    }
    slabs.outer.push_back(outermost_first(held));
    slabs.points.push_back(std::move(held));
  }
  return slabs;
}

}  // namespace clearance::detail
