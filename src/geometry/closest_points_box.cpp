// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes, axis-aligned and oriented, against points, segments and each other. Oriented ones are
// handled in their own frame, centred at the origin.
#include <array>

#include <clearance/geometry/closest_points.h>

#include "geometry/box_frame.h"
#include "geometry/segment_core.h"
#include "geometry/separation.h"

namespace clearance {
namespace {

using detail::Candidate;
using detail::candidate;

/// p in the frame of the box.
Vec3 to_box(const OrientedBox& box, const Vec3& p) {
  return transpose_times(box.world_from_box.rotation, p - box.world_from_box.translation);
}

/// The segment start + t d, t in [0, 1], as a; the box [-half, half] as b.
Candidate segment_to_box(const Vec3& start, const Vec3& d, const Vec3& half) {
  if (const auto t = detail::entry_fraction(half, start, d)) {
    const Vec3 p = start + *t * d;
    return candidate(p, p, Vec3{});
  }
  // Apart, the nearest pair has an end of the segment or an edge of the box in it.
  Candidate best;
  for (const Vec3& p : {start, start + d}) {
    const Vec3 q = detail::clamp_to(half, p);
    best.improve(candidate(p, q, q - p));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Vec3 along = detail::edge_along(half, axis);
    for (unsigned i = 0; i < 4; ++i) {
      best.improve(detail::nearest_on_segments(start, d, detail::edge_start(half, axis, i), along));
    }
  }
  return best;
}

/// Two boxes in the frame of the first: a = [-half_a, half_a], b at a_from_b.
class BoxPair {
 public:
  BoxPair(const OrientedBox& a, const OrientedBox& b)
      : half_a_(a.half_size),
        half_b_(b.half_size),
        rotation_(transpose(a.world_from_box.rotation) * b.world_from_box.rotation),
        center_b_(to_box(a, b.world_from_box.translation)),
        tolerance_(detail::kCertificate * (norm(half_a_) + norm(half_b_) + norm(center_b_))) {}

  [[nodiscard]] Candidate closest() const {
    Candidate best = nearest_corner();
    if (is_closest(best)) return best;
    // An edge of each. Where they are nearest in their inside, the line between them is
    // perpendicular to both, so the pair to try first is the one furthest out along that line.
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        improve_by_facing_edges(i, j, best);
      }
    }
    if (is_closest(best)) return best;
    if (const auto common = common_point()) return candidate(*common, *common, Vec3{});
    // Left over: edges parallel to a face of the other box, where "furthest out" is a tie.
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (unsigned k = 0; k < 16; ++k) best.improve(nearest_on_edges(i, k & 3u, j, k >> 2));
      }
    }
    return best;
  }

 private:
  [[nodiscard]] Vec3 from_b(const Vec3& p) const { return rotation_ * p + center_b_; }
  [[nodiscard]] Vec3 to_b(const Vec3& p) const { return transpose_times(rotation_, p - center_b_); }

  [[nodiscard]] bool is_closest(const Candidate& c) const {
    const Vec3 v = c.gap;
    const double gap =
        dot(v, center_b_) - dot(abs(v), half_a_) - dot(abs(transpose_times(rotation_, v)), half_b_);
    return detail::certifies(gap, v, tolerance_);
  }

  /// The corner of one box that is nearest to the other box.
  [[nodiscard]] Candidate nearest_corner() const {
    Candidate best;
    for (unsigned i = 0; i < 8; ++i) {
      const Vec3 p = from_b(detail::box_corner(half_b_, i));
      const Vec3 q = detail::clamp_to(half_a_, p);
      best.improve(candidate(q, p, p - q));
      const Vec3 r = detail::box_corner(half_a_, i);
      const Vec3 r_b = to_b(r);
      const Vec3 s_b = detail::clamp_to(half_b_, r_b);
      best.improve(candidate(r, from_b(s_b), rotation_ * (s_b - r_b)));
    }
    return best;
  }

  [[nodiscard]] Candidate nearest_on_edges(std::size_t i, unsigned index_a, std::size_t j,
                                           unsigned index_b) const {
    return detail::nearest_on_segments(detail::edge_start(half_a_, i, index_a),
                                       detail::edge_along(half_a_, i),
                                       from_b(detail::edge_start(half_b_, j, index_b)),
                                       rotation_ * detail::edge_along(half_b_, j));
  }

  void improve_by_facing_edges(std::size_t i, std::size_t j, Candidate& best) const {
    Vec3 unit;
    unit[i] = 1.0;
    Vec3 v = cross(unit, rotation_.column(j));
    if (dot(v, center_b_) < 0.0) v = -v;
    const Vec3 v_b = transpose_times(rotation_, v);
    const auto edge = [](const Vec3& outward, std::size_t axis) {
      return (outward[(axis + 1) % 3] > 0.0 ? 1u : 0u) | (outward[(axis + 2) % 3] > 0.0 ? 2u : 0u);
    };
    best.improve(nearest_on_edges(i, edge(v, i), j, edge(-v_b, j)));
  }

  /// A point in both boxes. If there is one, an edge of one box meets the other box.
  [[nodiscard]] std::optional<Vec3> common_point() const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (unsigned i = 0; i < 4; ++i) {
        const Vec3 start_b = from_b(detail::edge_start(half_b_, axis, i));
        const Vec3 along_b = rotation_ * detail::edge_along(half_b_, axis);
        if (const auto t = detail::entry_fraction(half_a_, start_b, along_b)) {
          return start_b + *t * along_b;
        }
        const Vec3 start_a = detail::edge_start(half_a_, axis, i);
        const Vec3 along_a = detail::edge_along(half_a_, axis);
        if (const auto t = detail::entry_fraction(half_b_, to_b(start_a),
                                                  transpose_times(rotation_, along_a))) {
          return start_a + *t * along_a;
        }
      }
    }
    return std::nullopt;
  }

  Vec3 half_a_, half_b_;
  Mat3 rotation_;  // from b's axes to a's
  Vec3 center_b_;
  double tolerance_;
};

}  // namespace

Vec3 closest_point(const Vec3& p, const Box& box) { return max(box.low, min(box.high, p)); }

double squared_distance(const Vec3& p, const Box& box) {
  return squared_norm(p - closest_point(p, box));
}

ClosestPoints closest_points(const Vec3& p, const Box& box) {
  const Vec3 q = closest_point(p, box);
  return {p, q, distance(p, q)};
}

Vec3 closest_point(const Vec3& p, const OrientedBox& box) { return closest_points(p, box).on_b; }

double squared_distance(const Vec3& p, const OrientedBox& box) {
  const Vec3 local = to_box(box, p);
  return squared_norm(local - detail::clamp_to(box.half_size, local));
}

ClosestPoints closest_points(const Vec3& p, const OrientedBox& box) {
  const Vec3 local = to_box(box, p);
  const Vec3 q = detail::clamp_to(box.half_size, local);
  if (q == local) return {p, p, 0.0};
  return {p, box.world_from_box * q, distance(local, q)};
}

ClosestPoints closest_points(const Segment& s, const Box& box) {
  // Relative to a corner first: the centre itself would be rounded at the size of its coordinates.
  const Vec3 half = 0.5 * box.size();
  const ClosestPoints local =
      to_result(segment_to_box((s.a - box.low) - half, s.b - s.a, half), half);
  return {box.low + local.on_a, box.low + local.on_b, local.distance};
}

ClosestPoints closest_points(const Segment& s, const OrientedBox& box) {
  const Candidate c = segment_to_box(
      to_box(box, s.a), transpose_times(box.world_from_box.rotation, s.b - s.a), box.half_size);
  const ClosestPoints local = to_result(c, Vec3{});
  return {box.world_from_box * local.on_a, box.world_from_box * local.on_b, local.distance};
}

double squared_distance(const Box& a, const Box& b) {
  const Vec3 gap = max(Vec3{}, max(b.low - a.high, a.low - b.high));
  return squared_norm(gap);
}

ClosestPoints closest_points(const Box& a, const Box& b) {
  ClosestPoints result;
  for (std::size_t i = 0; i < 3; ++i) {
    if (b.low[i] > a.high[i]) {
      result.on_a[i] = a.high[i];
      result.on_b[i] = b.low[i];
    } else if (a.low[i] > b.high[i]) {
      result.on_a[i] = a.low[i];
      result.on_b[i] = b.high[i];
    } else {
      // The intervals overlap: any common value will do.
      result.on_a[i] = result.on_b[i] = std::max(a.low[i], b.low[i]);
    }
  }
  result.distance = std::sqrt(squared_distance(a, b));
  return result;
}

ClosestPoints closest_points(const OrientedBox& a, const OrientedBox& b) {
  const ClosestPoints local = to_result(BoxPair(a, b).closest(), Vec3{});
  return {a.world_from_box * local.on_a, a.world_from_box * local.on_b, local.distance};
}

}  // namespace clearance
