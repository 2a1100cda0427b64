// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far a body reaches from another: best-first search over cells. In a cell of half diagonal r
// about c, no point is farther from the other body than s + r, where s is the distance of c from
// it, below 0 inside; and the point of the first body that is nearest to c is a point that is as
// far as it is.
#include <queue>

#include <clearance/simplify/representations.h>

#include "simplify/body_probe.h"

namespace clearance {
namespace {

using detail::BodyProbe;
using detail::SurfacePoint;

/// Of the diagonal, where options do not say.
constexpr double kTolerance = 0.002;

struct Cell {
  Vec3 center;
  double half = 0.0;         // side of the cube [m]
  double upper = 0.0;        // of the distance within it [m]
  std::uint64_t number = 0;  // breaks ties
  bool operator<(const Cell& other) const {
    return upper != other.upper ? upper < other.upper : number > other.number;
  }
};

/// How far a point is from a body; inside a solid below 0, by how deep it is.
double distance_from(const BodyProbe& body, const Vec3& p) {
  const double surface = body.surface(p).distance;
  return surface > 0.0 && body.side(p) == Side::Inside ? -surface : surface;
}

}  // namespace

Enclosure farthest_from(const Model& from, const Model& to, const FarthestOptions& options) {
  const BodyProbe source(from);
  const BodyProbe target(to);
  const Box box = from.bvh().bounds();
  const double tolerance =
      options.tolerance > 0.0 ? options.tolerance : kTolerance * box.diagonal();
  Enclosure out;
  std::uint64_t looked_at = 0;
  std::priority_queue<Cell> open;
  // Looks at a cell: a better point, and the cell itself where it may hold a better one still.
  const auto add = [&](const Vec3& center, double half) {
    ++looked_at;
    const double radius = std::sqrt(3.0) * half;
    const double slack = source.slack(center) + target.slack(center);
    const double here = distance_from(target, center);
    if (here + radius + slack <= out.lower) return;
    const SurfacePoint surface = source.surface(center, radius);
    const bool crossed = surface.distance <= radius + slack;
    if (!crossed && source.side(center) != Side::Inside) return;
    // A point of the first body: on its surface, or the middle of a cell that is all inside.
    if (!crossed) {
      out.lower = std::max(out.lower, here - slack);
    } else if (here + surface.distance > out.lower) {
      out.lower = std::max(out.lower, distance_from(target, surface.nearest) - slack);
    }
    open.push({center, half, here + radius + slack, looked_at});
  };
  add(box.center(), 0.5 * largest_component(box.size()));
  while (!open.empty()) {
    const Cell cell = open.top();
    if (cell.upper - out.lower <= tolerance || looked_at >= options.most_cells) {
      out.upper = std::max(cell.upper, out.lower);
      return out;
    }
    open.pop();
    const double quarter = 0.5 * cell.half;
    for (const double x : {-quarter, quarter})
      for (const double y : {-quarter, quarter})
        for (const double z : {-quarter, quarter}) add(cell.center + Vec3{x, y, z}, quarter);
  }
  out.upper = out.lower;
  return out;
}

}  // namespace clearance
