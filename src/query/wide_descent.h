// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent over pairs of nodes of two wide trees. A Visitor says which distances still matter
// and looks at the pairs of triangles that may be that close:
//
//   float threshold() const;   // pairs proven farther than this are dropped; may shrink
//   bool triangles(std::uint32_t a, std::uint32_t b);   // true: stop, the answer is known
//   const Vec3& direction() const;  // unit vector in A's frame that may separate A from B; a
//                                   // visitor that knows of none need not have it
//
// Order: of the pairs a node pair opens into, the nearest is taken first, the rest wait on the
// stack. The visitors' answers do not depend on the order (query.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <clearance/query/query.h>

#include "query/wide_pair.h"

namespace clearance::detail {

struct NodePair {
  std::uint32_t a;
  std::uint32_t b;
  float bound;  // proven lower bound of the distance
};

/// A node is opened alone when it is this many times larger than the other.
inline constexpr float kOpenAlone = 3.0F;

/// Products of edges whose square is below this are left alone: their squares may have underflowed.
inline constexpr float kLeastProductSq = 1e-30F;

template <class Visitor>
class WideDescent {
 public:
  WideDescent(const Bvh& a, const Bvh& b, const Pose& a_from_b, std::vector<NodePair>& stack,
              Visitor& visitor, Work& work)
      : a_(*a.wide()),
        b_(*b.wide()),
        pose_(a_, b_, a_from_b),
        stack_(stack),
        visitor_(visitor),
        work_(work) {}

  /// Visits all pairs below the roots that matter.
  void run() {
    stack_.clear();
    stack_.push_back({a_.root, b_.root, 0.0F});
    while (!stack_.empty()) {
      const NodePair pair = stack_.back();
      stack_.pop_back();
      if (pair.bound > visitor_.threshold()) continue;
      if (open(pair)) return;
    }
  }

 protected:
  // Does the visitor know a direction to look along?
  static constexpr bool kDirected = requires(const Visitor& visitor) { visitor.direction(); };

  // A direction in the frames of two nodes, and along it what is farthest out of A and nearest of
  // B.
  struct alignas(16) Slab {
    float in_a[4];
    float in_b[4];
    float offset;  // of B's origin
  };
  [[nodiscard]] Slab slab(const WideFrame& a, const RelativeFrame& r) const requires(!kDirected) {
    static_cast<void>(a), static_cast<void>(r);
    return {};
  }
  [[nodiscard]] Slab slab(const WideFrame& a, const RelativeFrame& r) const requires kDirected {
    const Vec3& n = visitor_.direction();
    const Transposed axes(load3(a.axes[0]), load3(a.axes[1]), load3(a.axes[2]));
    const Float4 in_a = combine(axes.x, static_cast<float>(n.x), axes.y, static_cast<float>(n.y),
                                axes.z, static_cast<float>(n.z));
    const Float4 in_b = combine(load4(r.rotation[0]), in_a[0], load4(r.rotation[1]), in_a[1],
                                load4(r.rotation[2]), in_a[2]);
    Slab s;
    store4(s.in_a, in_a);
    store4(s.in_b, in_b);
    s.offset = sum3(in_a * load4(r.translation));
    return s;
  }
  enum class Opening : std::uint8_t { A, B, Both };
  // Which of two nodes that are not both leaves to open.
  static Opening opening_of(bool leaf_a, const WideFrame& a, bool leaf_b, const WideFrame& b) {
    if (leaf_b || (!leaf_a && a.radius > kOpenAlone * b.radius)) return Opening::A;
    if (leaf_a || b.radius > kOpenAlone * a.radius) return Opening::B;
    return Opening::Both;
  }
  // True when the visitor is done.
  bool open(const NodePair& pair) {
    const bool leaf_a = (pair.a & kLeafBit) != 0;
    const bool leaf_b = (pair.b & kLeafBit) != 0;
    const WideFrame& frame_a = a_.frame(pair.a);
    const WideFrame& frame_b = b_.frame(pair.b);
    const RelativeFrame r = pose_.relative(frame_a, frame_b);
    const Slab s = slab(frame_a, r);
    if (own_boxes_apart(frame_a, frame_b, r, s)) return false;
    if (leaf_a && leaf_b)
      return open_leaves(a_.leaves[pair.a & ~kLeafBit], b_.leaves[pair.b & ~kLeafBit], r, s);
    const std::size_t base = stack_.size();
    const Opening opening = opening_of(leaf_a, frame_a, leaf_b, frame_b);
    if (opening == Opening::A) {
      open_a(pair, frame_b, r);
    } else if (opening == Opening::B) {
      open_b(pair, frame_a, r);
    } else {
      const WideNode& a = a_.nodes[pair.a];
      const WideNode& b = b_.nodes[pair.b];
      open_both(a, b, r, s,
                [&](std::size_t j, const PairBounds& bounds, Float8 along, unsigned mask) {
                  if (mask == 0) return;
                  push(max(bounds.bound(), along), mask, r.margin, [&](int i) {
                    return NodePair{a.child[i], b.child[j], 0.0F};
                  });
                });
    }
    // The nearest on top.
    std::size_t nearest = base;
    for (std::size_t i = base + 1; i < stack_.size(); ++i) {
      if (stack_[i].bound < stack_[nearest].bound) nearest = i;
    }
    if (stack_.size() > base) std::swap(stack_[nearest], stack_.back());
    return false;
  }

  // The boxes of the two nodes, each in the frame that fits it best: tighter than what their
  // parents knew of them.
  [[nodiscard]] bool own_boxes_apart(const WideFrame& a, const WideFrame& b, const RelativeFrame& r,
                                     const Slab& s) const {
    const float limit = (visitor_.threshold() + r.margin) * 1.000001F;
    const OwnBoxes boxes(a, b, r);
    if (boxes.faces_sq() > limit * limit) return true;
    const auto [line, length_sq] = boxes.line();
    if (line > 0.0F && line * line > limit * limit * length_sq) return true;
    if constexpr (kDirected) {
      if (along(boxes, s) > limit) return true;
    }
    return boxes.edges() > limit;
  }
  // The same as a bound of the distance, not yet lowered by the margin.
  [[nodiscard]] static float own_boxes_bound(const WideFrame& a, const WideFrame& b,
                                             const RelativeFrame& r, const Slab& s) {
    const OwnBoxes boxes(a, b, r);
    const auto [line, length_sq] = boxes.line();
    const float least =
        std::max(std::sqrt(boxes.faces_sq()), line > 0.0F ? line / std::sqrt(length_sq) : 0.0F);
    if constexpr (kDirected) return std::max(std::max(least, along(boxes, s)), boxes.edges());
    return std::max(least, boxes.edges());
  }
  static float along(const OwnBoxes& boxes, const Slab& s) {
    return s.offset - sum3(abs4(load4(s.in_a)) * boxes.half_a + abs4(load4(s.in_b)) * boxes.half_b);
  }

  // One bit for each child there is.
  static unsigned children_of(const WideNode& node) { return bits(load8(node.child) != -1); }

  // The square up to which a raw bound matters.
  [[nodiscard]] Float8 limit_sq(float margin) const {
    const float limit = (visitor_.threshold() + margin) * 1.000001F;
    return broadcast8(limit * limit);
  }

  template <class Ref>
  void push(Float8 raw, unsigned mask, float margin, const Ref& ref) {
    alignas(32) float bound[kWidth];
    store8(bound, max(raw - broadcast8(margin), broadcast8(0.0F)));
    while (mask != 0) {
      const int i = std::countr_zero(mask);
      mask &= mask - 1;
      NodePair pair = ref(i);
      pair.bound = bound[i];
      stack_.push_back(pair);
    }
  }

  static Float8 farthest(const Boxes8& a, const float (&n)[4]) {
    Float8 sum = broadcast8(0.0F);
    for (int k = 0; k < 3; ++k) {
      const Float8 nk = broadcast8(n[k]);
      sum = fused(a.center[k], nk, fused(a.half[k], abs(nk), sum));
    }
    return sum;
  }
  static Float8 nearest(const Boxes8& b, const float (&n)[4], float offset) {
    Float8 sum = broadcast8(offset);
    for (int k = 0; k < 3; ++k) {
      const Float8 nk = broadcast8(n[k]);
      sum = fused(b.center[k], nk, fused(b.half[k], -abs(nk), sum));
    }
    return sum;
  }

  // Calls row(j, bounds, along, mask) for each child j of B: the bounds of its distances from A's
  // children, and which of them matter.
  template <class Row>
  void open_both(const WideNode& a, const WideNode& b, const RelativeFrame& r, const Slab& s,
                 const Row& row) {
    const Boxes8 boxes_a = boxes_of(a);
    const Boxes8 boxes_b = boxes_of(b);
    const Boxes8 a_in_b = seen_in_b(boxes_a, r);
    const BoxColumns b_in_a(seen_in_a(boxes_b, r));
    const Float8 reach = broadcast8((visitor_.threshold() + r.margin) * 1.000001F);
    const Float8 limit = reach * reach;
    const unsigned used = children_of(a);
    Float8 far_a = broadcast8(0.0F);
    alignas(32) float near_b[kWidth];
    if constexpr (kDirected) {
      far_a = farthest(boxes_a, s.in_a);
      store8(near_b, nearest(boxes_b, s.in_b, s.offset));
    }
    for (std::size_t j = 0; j < kWidth && b.child[j] != kNoChild; ++j) {
      const float in_a_center[3] = {b_in_a.center[0][j], b_in_a.center[1][j], b_in_a.center[2][j]};
      const float in_a_half[3] = {b_in_a.half[0][j], b_in_a.half[1][j], b_in_a.half[2][j]};
      const float own_center[3] = {b.center[0][j], b.center[1][j], b.center[2][j]};
      const float own_half[3] = {b.half[0][j], b.half[1][j], b.half[2][j]};
      const PairBounds bounds(boxes_a, a_in_b, in_a_center, in_a_half, own_center, own_half);
      if constexpr (kDirected) {
        const Float8 along = broadcast8(near_b[j]) - far_a;
        row(j, bounds, along, bounds.below(limit) & ~bits_less(reach, along) & used);
      } else {
        row(j, bounds, broadcast8(0.0F), bounds.below(limit) & used);
      }
      work_.volume_tests += kWidth;
    }
  }

  // Squared bounds of A's children from B's own box.
  Float8 squares_a(const WideNode& a, const WideFrame& frame_b, const RelativeFrame& r) {
    const Boxes8 boxes_a = boxes_of(a);
    float half[3];  // of B's own box, in A's frame; its centre is the translation
    for (int k = 0; k < 3; ++k) {
      half[k] = std::abs(r.rotation[k][0]) * frame_b.half_size[0] +
                std::abs(r.rotation[k][1]) * frame_b.half_size[1] +
                std::abs(r.rotation[k][2]) * frame_b.half_size[2];
    }
    const float zero[3] = {0.0F, 0.0F, 0.0F};
    work_.volume_tests += kWidth;
    return max(squared_gaps(boxes_a, {r.translation[0], r.translation[1], r.translation[2]}, half),
               squared_gaps(seen_in_b(boxes_a, r), zero, frame_b.half_size));
  }
  void open_a(const NodePair& pair, const WideFrame& frame_b, const RelativeFrame& r) {
    const WideNode& a = a_.nodes[pair.a];
    const Float8 squares = squares_a(a, frame_b, r);
    const unsigned mask = ~bits_less(limit_sq(r.margin), squares) & children_of(a);
    if (mask != 0)
      push(sqrt(squares), mask, r.margin, [&](int i) {
        return NodePair{a.child[i], pair.b, 0.0F};
      });
  }

  Float8 squares_b(const WideNode& b, const WideFrame& frame_a, const RelativeFrame& r) {
    const Boxes8 boxes_b = boxes_of(b);
    // A's own box in B's frame.
    float center[3];
    float half[3];
    for (int k = 0; k < 3; ++k) {
      center[k] = -(r.rotation[0][k] * r.translation[0] + r.rotation[1][k] * r.translation[1] +
                    r.rotation[2][k] * r.translation[2]);
      half[k] = std::abs(r.rotation[0][k]) * frame_a.half_size[0] +
                std::abs(r.rotation[1][k]) * frame_a.half_size[1] +
                std::abs(r.rotation[2][k]) * frame_a.half_size[2];
    }
    const float zero[3] = {0.0F, 0.0F, 0.0F};
    work_.volume_tests += kWidth;
    return max(squared_gaps(boxes_b, center, half),
               squared_gaps(seen_in_a(boxes_b, r), zero, frame_a.half_size));
  }
  void open_b(const NodePair& pair, const WideFrame& frame_a, const RelativeFrame& r) {
    const WideNode& b = b_.nodes[pair.b];
    const Float8 squares = squares_b(b, frame_a, r);
    const unsigned mask = ~bits_less(limit_sq(r.margin), squares) & children_of(b);
    if (mask != 0)
      push(sqrt(squares), mask, r.margin, [&](int i) {
        return NodePair{pair.a, b.child[i], 0.0F};
      });
  }

  // The corners of eight triangles in a frame, and their boxes.
  struct Corners8 {
    Float8 c[9];
  };
  static Boxes8 boxes_around(const Corners8& t) {
    Boxes8 b;
    for (int k = 0; k < 3; ++k) {
      const Float8 low = min(t.c[k], min(t.c[3 + k], t.c[6 + k]));
      const Float8 high = max(t.c[k], max(t.c[3 + k], t.c[6 + k]));
      b.center[k] = broadcast8(0.5F) * (low + high);
      b.half[k] = broadcast8(0.5F) * (high - low);
    }
    return b;
  }

  // The normals of eight triangles, and what each triangle spans along its own: nearly nothing, but
  // the rounded normal of a sliver may lean. A degenerate triangle has the zero normal, which
  // separates nothing.
  struct Planes8 {
    Float8 n[3];
    Float8 low;
    Float8 high;
  };
  static Planes8 planes_of(const Corners8& t) {
    const Float8 e0 = t.c[3] - t.c[0];
    const Float8 e1 = t.c[4] - t.c[1];
    const Float8 e2 = t.c[5] - t.c[2];
    const Float8 f0 = t.c[6] - t.c[0];
    const Float8 f1 = t.c[7] - t.c[1];
    const Float8 f2 = t.c[8] - t.c[2];
    Planes8 p;
    p.n[0] = e1 * f2 - e2 * f1;
    p.n[1] = e2 * f0 - e0 * f2;
    p.n[2] = e0 * f1 - e1 * f0;
    const Float8 length = sqrt(fused(p.n[0], p.n[0], fused(p.n[1], p.n[1], p.n[2] * p.n[2])));
    const Float8 zero = broadcast8(0.0F);
    const Float8 inverse = length > broadcast8(1e-18F) ? broadcast8(1.0F) / length : zero;
    for (Float8& n : p.n) n = n * inverse;
    Float8 d[3];
    for (int k = 0; k < 3; ++k)
      d[k] = fused(p.n[0], t.c[3 * k], fused(p.n[1], t.c[3 * k + 1], p.n[2] * t.c[3 * k + 2]));
    p.low = min(d[0], min(d[1], d[2]));
    p.high = max(d[0], max(d[1], d[2]));
    return p;
  }
  struct PlaneColumns {
    alignas(32) float n[3][kWidth];
    alignas(32) float low[kWidth];
    alignas(32) float high[kWidth];
    explicit PlaneColumns(const Planes8& p) {
      for (int k = 0; k < 3; ++k) store8(n[k], p.n[k]);
      store8(low, p.low);
      store8(high, p.high);
    }
  };
  struct CornerColumns {
    alignas(32) float c[9][kWidth];
    explicit CornerColumns(const Corners8& t) {
      for (int k = 0; k < 9; ++k) store8(c[k], t.c[k]);
    }
  };
  // How far triangle j is from the planes of eight, and eight triangles from the plane of j.
  static Float8 gap_along(const Planes8& planes, const CornerColumns& corners, std::size_t j) {
    Float8 d[3];
    for (int k = 0; k < 3; ++k) {
      d[k] = fused(planes.n[0], broadcast8(corners.c[3 * k][j]),
                   fused(planes.n[1], broadcast8(corners.c[3 * k + 1][j]),
                         planes.n[2] * broadcast8(corners.c[3 * k + 2][j])));
    }
    return max(min(d[0], min(d[1], d[2])) - planes.high, planes.low - max(d[0], max(d[1], d[2])));
  }
  static Float8 gap_along(const PlaneColumns& planes, std::size_t j, const Corners8& corners) {
    Float8 d[3];
    for (int k = 0; k < 3; ++k) {
      d[k] = fused(broadcast8(planes.n[0][j]), corners.c[3 * k],
                   fused(broadcast8(planes.n[1][j]), corners.c[3 * k + 1],
                         broadcast8(planes.n[2][j]) * corners.c[3 * k + 2]));
    }
    return max(min(d[0], min(d[1], d[2])) - broadcast8(planes.high[j]),
               broadcast8(planes.low[j]) - max(d[0], max(d[1], d[2])));
  }

  // The lanes whose triangle is farther than the limit from triangle j along the line of their
  // centroids.
  static unsigned centers_apart(const Corners8& a, const CornerColumns& b, std::size_t j,
                                Float8 limit) {
    const Float8 third = broadcast8(1.0F / 3.0F);
    Float8 n[3];
    for (int k = 0; k < 3; ++k) {
      n[k] = third * (broadcast8(b.c[k][j] + b.c[3 + k][j] + b.c[6 + k][j]) -
                      (a.c[k] + a.c[3 + k] + a.c[6 + k]));
    }
    Float8 high = broadcast8(-3e38F);
    Float8 low = broadcast8(3e38F);
    for (int c = 0; c < 9; c += 3) {
      high = max(high, fused(n[0], a.c[c], fused(n[1], a.c[c + 1], n[2] * a.c[c + 2])));
      low =
          min(low, fused(n[0], broadcast8(b.c[c][j]),
                         fused(n[1], broadcast8(b.c[c + 1][j]), n[2] * broadcast8(b.c[c + 2][j]))));
    }
    const Float8 gap = max(low - high, broadcast8(0.0F));
    const Float8 length_sq = fused(n[0], n[0], fused(n[1], n[1], n[2] * n[2]));
    return bits_less(limit * limit * length_sq, gap * gap) &
           bits_less(broadcast8(kLeastProductSq), length_sq);
  }

  // The lanes whose triangle is farther than the limit from triangle j along a product of two
  // edges.
  static unsigned crossed_apart(const Corners8& a, const CornerColumns& b, std::size_t j,
                                Float8 limit) {
    const Float8 limit_sq = limit * limit;
    Int8 apart{};
    for (int ea = 0; ea < 3; ++ea) {
      const int a0 = 3 * ea;
      const int a1 = 3 * ((ea + 1) % 3);
      const int a2 = 3 * ((ea + 2) % 3);
      const Float8 ax = a.c[a1] - a.c[a0];
      const Float8 ay = a.c[a1 + 1] - a.c[a0 + 1];
      const Float8 az = a.c[a1 + 2] - a.c[a0 + 2];
      // Everything relative to the start of A's edge.
      const Float8 tx = a.c[a2] - a.c[a0];
      const Float8 ty = a.c[a2 + 1] - a.c[a0 + 1];
      const Float8 tz = a.c[a2 + 2] - a.c[a0 + 2];
      Float8 bx[3];
      Float8 by[3];
      Float8 bz[3];
      for (int k = 0; k < 3; ++k) {
        bx[k] = broadcast8(b.c[3 * k][j]) - a.c[a0];
        by[k] = broadcast8(b.c[3 * k + 1][j]) - a.c[a0 + 1];
        bz[k] = broadcast8(b.c[3 * k + 2][j]) - a.c[a0 + 2];
      }
      for (int eb = 0; eb < 3; ++eb) {
        const int b1 = (eb + 1) % 3;
        const int b2 = (eb + 2) % 3;
        const Float8 fx = bx[b1] - bx[eb];
        const Float8 fy = by[b1] - by[eb];
        const Float8 fz = bz[b1] - bz[eb];
        const Float8 nx = fused(ay, fz, -(az * fy));
        const Float8 ny = fused(az, fx, -(ax * fz));
        const Float8 nz = fused(ax, fy, -(ay * fx));
        const auto along = [&](Float8 x, Float8 y, Float8 z) {
          return fused(nx, x, fused(ny, y, nz * z));
        };
        // Both ends of an edge count: the product of nearly parallel edges leans after rounding.
        const Float8 zero = broadcast8(0.0F);
        const Float8 end_a = along(ax, ay, az);
        const Float8 third_a = along(tx, ty, tz);
        const Float8 low_a = min(zero, min(end_a, third_a));
        const Float8 high_a = max(zero, max(end_a, third_a));
        const Float8 start_b = along(bx[eb], by[eb], bz[eb]);
        const Float8 end_b = along(bx[b1], by[b1], bz[b1]);
        const Float8 third_b = along(bx[b2], by[b2], bz[b2]);
        const Float8 low_b = min(start_b, min(end_b, third_b));
        const Float8 high_b = max(start_b, max(end_b, third_b));
        const Float8 gap = max(low_b - high_a, low_a - high_b);
        const Float8 length_sq = fused(nx, nx, fused(ny, ny, nz * nz));
        apart |= (gap > zero) & (gap * gap > limit_sq * length_sq) &
                 (length_sq > broadcast8(kLeastProductSq));
      }
    }
    return bits(apart);
  }

  static Corners8 corners_of(const WideLeaf& leaf) {
    Corners8 t;
    for (int k = 0; k < 9; ++k) t.c[k] = load8(leaf.corner[k]);
    return t;
  }
  static Corners8 moved_to_a(const Corners8& b, const RelativeFrame& r) {
    Corners8 t;
    for (int corner = 0; corner < 9; corner += 3) {
      for (int k = 0; k < 3; ++k) {
        t.c[corner + k] = fused(broadcast8(r.rotation[k][0]), b.c[corner],
                                fused(broadcast8(r.rotation[k][1]), b.c[corner + 1],
                                      fused(broadcast8(r.rotation[k][2]), b.c[corner + 2],
                                            broadcast8(r.translation[k]))));
      }
    }
    return t;
  }
  static Float8 along(const Corners8& t, int corner, const float (&n)[4]) {
    return fused(t.c[corner], broadcast8(n[0]),
                 fused(t.c[corner + 1], broadcast8(n[1]), t.c[corner + 2] * broadcast8(n[2])));
  }

  // Two leaves, all in A's frame. First the boxes of the triangles and the direction of the moment,
  // for all pairs; what is left of them by normals and products of edges; the rest in full.
  // `bound`, where asked for: a lower bound of the distance of what is in the leaves.
  bool open_leaves(const WideLeaf& a, const WideLeaf& b, const RelativeFrame& r, const Slab& s,
                   float* bound = nullptr) {
    const Corners8 ca = corners_of(a);
    const Corners8 own_b = corners_of(b);
    const float reach = (visitor_.threshold() + r.margin) * 1.000001F;
    work_.volume_tests += 1;
    Float8 far_a = broadcast8(0.0F);
    alignas(32) float near_b[kWidth];
    if constexpr (kDirected) {
      far_a = max(along(ca, 0, s.in_a), max(along(ca, 3, s.in_a), along(ca, 6, s.in_a)));
      const Float8 near =
          min(along(own_b, 0, s.in_b), min(along(own_b, 3, s.in_b), along(own_b, 6, s.in_b)));
      const float slab_gap = s.offset + lowest(near) - highest(far_a);
      if (bound != nullptr) *bound = slab_gap - r.margin;
      if (slab_gap > reach) return false;
      store8(near_b, near + broadcast8(s.offset));
    } else if (bound != nullptr) {
      *bound = -r.margin;
    }
    const Corners8 cb = moved_to_a(own_b, r);
    const Boxes8 boxes_a = boxes_around(ca);
    const BoxColumns boxes_b(boxes_around(cb));
    const unsigned used = bits(load8(a.triangle) != -1);
    const Float8 limit = broadcast8(reach);
    const Float8 limit_sq = limit * limit;
    unsigned masks[kWidth];
    unsigned any = 0;
    std::size_t count = 0;
    Float8 least_sq = broadcast8(std::numeric_limits<float>::max());
    for (; count < kWidth && b.triangle[count] != kNoChild; ++count) {
      const float center[3] = {boxes_b.center[0][count], boxes_b.center[1][count],
                               boxes_b.center[2][count]};
      const float half[3] = {boxes_b.half[0][count], boxes_b.half[1][count],
                             boxes_b.half[2][count]};
      const Float8 squares = squared_gaps(boxes_a, center, half);
      masks[count] = ~bits_less(limit_sq, squares) & used;
      if constexpr (kDirected) {
        const Float8 apart = broadcast8(near_b[count]) - far_a;
        masks[count] &= ~bits_less(limit, apart);
        if (bound != nullptr)
          least_sq =
              min(least_sq, max(squares, apart > broadcast8(0.0F) ? apart * apart : squares));
      } else if (bound != nullptr) {
        least_sq = min(least_sq, squares);
      }
      any |= masks[count];
    }
    work_.volume_tests += kWidth * count;
    if (bound != nullptr) *bound = std::max(*bound, std::sqrt(lowest(least_sq)) - r.margin);
    return any != 0 && test_triangles(a, b, ca, cb, masks, count, r.margin);
  }

  bool test_triangles(const WideLeaf& a, const WideLeaf& b, const Corners8& ca, const Corners8& cb,
                      const unsigned* masks, std::size_t count, float margin) {
    const Planes8 planes_a = planes_of(ca);
    const PlaneColumns planes_b(planes_of(cb));
    const CornerColumns columns_b(cb);
    for (std::size_t j = 0; j < count; ++j) {
      unsigned mask = masks[j];
      if (mask == 0) continue;
      const Float8 limit = broadcast8((visitor_.threshold() + margin) * 1.000001F);
      mask &= ~centers_apart(ca, columns_b, j, limit);
      if (mask == 0) continue;
      mask &= ~bits_less(limit, max(gap_along(planes_a, columns_b, j), gap_along(planes_b, j, ca)));
      if (mask == 0) continue;
      mask &= ~crossed_apart(ca, columns_b, j, limit);
      while (mask != 0) {
        const int i = std::countr_zero(mask);
        mask &= mask - 1;
        ++work_.triangle_tests;
        if (visitor_.triangles(a.triangle[i], b.triangle[j])) return true;
      }
    }
    return false;
  }

  const WideTree& a_;
  const WideTree& b_;
  WidePose pose_;
  std::vector<NodePair>& stack_;
  Visitor& visitor_;
  Work& work_;
};

}  // namespace clearance::detail
