// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/model_side.h"

#include <clearance/base/assert.h>
#include <clearance/base/random.h>
#include <clearance/geometry/predicates.h>

namespace clearance::detail {
namespace {

// Rays that may be tried before giving up. One is spoilt only when it meets an edge exactly, in all
// the digits of its far end, so a second is hardly ever needed.
constexpr int kRays = 32;
// Any seed will do; the directions must be the same each time.
constexpr std::uint64_t kSeed = 20;

constexpr std::array<std::array<std::uint32_t, 3>, 1> kFace{{{0, 1, 2}}};

BvhOptions options_like(const Bvh& like) {
  BvhOptions options;
  options.volume = like.volume();
  options.fitter = like.fitter();
  options.threads = Threads{1};
  return options;
}

enum class Crossing { None, Inward, Outward, Unclear };

/// How the segment from p to q goes through a triangle that it may meet; q is off the surface, and
/// p is off the triangle. Exact signs only.
Crossing crossing(const Vec3& p, const Vec3& q, const Triangle& t) {
  // On which side of the line the three edges pass.
  const int ab = orientation(p, q, t.a, t.b);
  const int bc = orientation(p, q, t.b, t.c);
  const int ca = orientation(p, q, t.c, t.a);
  const bool left = ab > 0 || bc > 0 || ca > 0;
  const bool right = ab < 0 || bc < 0 || ca < 0;
  if (left && right) return Crossing::None;
  // A triangle without area has no inside to cross; where the line meets it, it meets the edges of
  // triangles that have one.
  if (!left && !right && has_zero_area(t)) return Crossing::None;
  const int from = orientation(t.a, t.b, t.c, p);
  const int to = orientation(t.a, t.b, t.c, q);
  // Both ends strictly on one side of the plane: no crossing, whatever the edges.
  if (from * to > 0) return Crossing::None;
  if (from == 0 || to == 0 || ab == 0 || bc == 0 || ca == 0) return Crossing::Unclear;
  // Positive: the corners turn clockwise seen from p, so p is behind the triangle.
  return from > 0 ? Crossing::Outward : Crossing::Inward;
}

}  // namespace

SmallSurface::SmallSurface(const std::array<Vec3, 3>& corners, const Bvh& like)
    : corners_(corners), bvh_(Bvh::build(corners_, kFace, options_like(like))) {
  CLEARANCE_ASSERT(bvh_.ok());
}

Side side_of_surface(const Bvh& bvh, const Vec3& point, double tolerance, Work& work) {
  const Box& box = bvh.bounds();
  const Vec3 margin{tolerance, tolerance, tolerance};
  const Vec3 low = box.low - margin;
  const Vec3 high = box.high + margin;
  for (std::size_t k = 0; k < 3; ++k) {
    if (point[k] < low[k] || point[k] > high[k]) return Side::Outside;
  }
  const Pose here;
  const SmallSurface dot({point, point, point}, bvh);
  const Within near = within(bvh, dot.bvh(), here, tolerance);
  work += near.work;
  if (near.within) return Side::Boundary;

  Random random(kSeed);
  for (int ray = 0; ray < kRays; ++ray) {
    // A far end beyond the bounding box, off the coordinate axes and planes, along which surfaces
    // like to lie.
    const Vec3 direction{random.uniform(0.3, 1.0), random.uniform(0.3, 1.0),
                         random.uniform(0.3, 1.0)};
    const double length = 4.0 * (box.diagonal() + tolerance);
    const Vec3 end = (ray % 2 == 0) ? point + length * direction : point - length * direction;
    const SmallSurface segment({point, end, end}, bvh);
    const Contacts met = contacts(bvh, segment.bvh(), here);
    work += met.work;
    int wraps = 0;
    bool clear = true;
    for (const Contact& contact : met.pairs) {
      const Crossing c = crossing(point, end, bvh.triangle(contact.triangle_a));
      clear = clear && c != Crossing::Unclear;
      wraps += c == Crossing::Outward ? 1 : (c == Crossing::Inward ? -1 : 0);
    }
    if (clear) return wraps != 0 ? Side::Inside : Side::Outside;
  }
  // Nothing proven: what a caller must not take for free.
  return Side::Boundary;
}

}  // namespace clearance::detail
