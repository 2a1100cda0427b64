// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/model_side.h"

#include <algorithm>
#include <limits>

#include <clearance/base/random.h>
#include <clearance/geometry/predicates.h>
#include <clearance/query/shapes.h>

#include "query/wide_shape.h"

namespace clearance::detail {
namespace {

// Rays that may be tried before giving up. One is spoilt only when it meets an edge exactly, in all
// the digits of its far end, so a second is hardly ever needed.
constexpr int kRays = 32;
// Any seed will do; the directions must be the same each time.
constexpr std::uint64_t kSeed = 20;

// Rays end this far outside of the surface's bounding box, as a fraction of its diagonal: clear of
// rounding.
constexpr double kBeyond = 0.05;

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

/// How far to go from a point in or near the box to be clearly outside of it, and hardly farther:
/// the end of a long ray may be beyond the range of trees.
double length_beyond(const Box& box, const Vec3& point, const Vec3& direction, double tolerance) {
  double length = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    const double side = direction[k] > 0.0 ? box.high[k] : box.low[k];
    length = std::min(length, std::max(0.0, (side - point[k]) / direction[k]));
  }
  return length + kBeyond * (box.diagonal() + tolerance);
}

/// Adds up how often a segment goes through the triangles of a wide tree.
class CrossingVisitor {
 public:
  CrossingVisitor(const Bvh& bvh, const Vec3& from, const Vec3& to)
      : bvh_(bvh), from_(from), to_(to) {}
  [[nodiscard]] static float threshold() { return std::numeric_limits<float>::infinity(); }
  bool triangle(std::uint32_t t) {
    const Crossing c = crossing(from_, to_, bvh_.triangle(t));
    wraps += c == Crossing::Outward ? 1 : (c == Crossing::Inward ? -1 : 0);
    clear = c != Crossing::Unclear;
    return !clear;
  }
  int wraps = 0;
  bool clear = true;

 private:
  const Bvh& bvh_;
  Vec3 from_;
  Vec3 to_;
};

struct Wraps {
  int count = 0;
  bool clear = false;  // no edge was met exactly
};

/// Of a segment from a point off the surface to one outside its bounds.
Wraps wraps_along(const Bvh& bvh, const Vec3& from, const Vec3& to, Work& work) {
  if (bvh.wide() != nullptr && norm(to) <= kLargestTranslation) {
    // No less than the triangles met; those that are not count nothing.
    const Vec3 along = normalized(to - from);
    const Vec3 y = any_perpendicular(along);
    const Pose ray{Mat3::from_columns(along, y, cross(along, y)), from};
    CrossingVisitor visitor(bvh, from, to);
    descend_shape(*bvh.wide(), RayKernel(*bvh.wide(), ray), visitor, work);
    return {visitor.wraps, visitor.clear};
  }
  const SmallSurface segment({from, to, to}, bvh);
  if (!segment.ok()) return {};
  const Contacts met = contacts(bvh, segment.bvh(), Pose::identity());
  work += met.work;
  CrossingVisitor visitor(bvh, from, to);
  for (const Contact& contact : met.pairs) {
    if (visitor.triangle(contact.triangle_a)) break;
  }
  return {visitor.wraps, visitor.clear};
}

/// Is a triangle at `tolerance` or closer?
bool is_near(const Bvh& bvh, const Vec3& point, double tolerance, Work& work) {
  // The quick test may say yes too often, by its rounding; never no.
  if (bvh.wide() != nullptr) {
    const ShapeWithin quick = within(bvh, Shape{point}, tolerance);
    work += quick.work;
    if (!quick.within) return false;
  }
  const SmallSurface dot({point, point, point}, bvh);
  if (!dot.ok()) return true;
  const Within near = within(bvh, dot.bvh(), Pose::identity(), tolerance);
  work += near.work;
  return near.within;
}

}  // namespace

SmallSurface::SmallSurface(const std::array<Vec3, 3>& corners, const Bvh& like)
    : corners_(corners), bvh_(Bvh::build(corners_, kFace, options_like(like))) {}

Side side_of_surface(const Bvh& bvh, const Vec3& point, double tolerance, Work& work) {
  const Box& box = bvh.bounds();
  const Vec3 margin{tolerance, tolerance, tolerance};
  const Vec3 low = box.low - margin;
  const Vec3 high = box.high + margin;
  for (std::size_t k = 0; k < 3; ++k) {
    if (point[k] < low[k] || point[k] > high[k]) return Side::Outside;
  }
  if (is_near(bvh, point, tolerance, work)) return Side::Boundary;

  Random random(kSeed);
  for (int ray = 0; ray < kRays; ++ray) {
    // Off the coordinate axes and planes, along which surfaces like to lie.
    Vec3 direction{random.uniform(0.3, 1.0), random.uniform(0.3, 1.0), random.uniform(0.3, 1.0)};
    if (ray % 2 != 0) direction = -direction;
    const Vec3 end = point + length_beyond(box, point, direction, tolerance) * direction;
    const Wraps wraps = wraps_along(bvh, point, end, work);
    if (wraps.clear) return wraps.count != 0 ? Side::Inside : Side::Outside;
  }
  // Nothing proven: what a caller must not take for free.
  return Side::Boundary;
}

}  // namespace clearance::detail
