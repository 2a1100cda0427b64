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

#include "query/wide_lid_bound.h"
#include "query/wide_triangles.h"

namespace clearance::detail {

struct NodePair {
  std::uint32_t a;
  std::uint32_t b;
  float bound;  // proven lower bound of the distance
};

/// A node is opened alone when it is this many times larger than the other.
inline constexpr float kOpenAlone = 3.0F;

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
    const Float4 in_a = combine(
        axes.x, axes.y, axes.z,
        Float4{static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z), 0.0F});
    const Float4 in_b =
        combine(load4(r.rotation[0]), load4(r.rotation[1]), load4(r.rotation[2]), in_a);
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
      open_both<Wanted::Near>(
          a, b, r, s, [&](std::size_t j, const PairBounds& bounds, Float8 along, unsigned mask) {
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
        std::sqrt(std::max(boxes.faces_sq(), line > 0.0F ? line * (line / length_sq) : 0.0F));
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

  // How far the children of a node reach along a direction, from the node's origin.
  static Float8 farthest(const WideNode& node, const Boxes8& boxes, const float (&n)[4]) {
    Float8 sum = broadcast8(0.0F);
    for (int k = 0; k < 3; ++k) {
      const Float8 nk = broadcast8(n[k]);
      sum = fused(boxes.center[k], nk, fused(boxes.half[k], abs(nk), sum));
    }
    return reach_under_lid(node.lid, boxes, n, sum);
  }
  static Float8 nearest(const WideNode& node, const Boxes8& boxes, const float (&n)[4],
                        float offset) {
    const float back[4] = {-n[0], -n[1], -n[2], 0.0F};
    return broadcast8(offset) - farthest(node, boxes, back);
  }

  /// Which pairs of children a visit of two nodes is about.
  enum class Wanted : std::uint8_t {
    All,
    Near  // only those that may matter: the rest is dropped row by row where that is possible
  };

  // Calls row(j, bounds, along, mask) for child j of B: the bounds of its distances from A's
  // children, and which of them matter.
  template <Wanted wanted, class Row>
  void open_both(const WideNode& a, const WideNode& b, const RelativeFrame& r, const Slab& s,
                 const Row& row) {
    const Boxes8 boxes_a = boxes_of(a);
    const Boxes8 boxes_b = boxes_of(b);
    const Float8 reach = broadcast8((visitor_.threshold() + r.margin) * 1.000001F);
    const Float8 limit = reach * reach;
    unsigned used = children_of(a);
    unsigned rows = children_of(b);
    // All pairs count, however they were dropped: the planner's rounds are of counted work.
    work_.volume_tests += kWidth * static_cast<unsigned>(std::popcount(rows));
    Float8 far_a = broadcast8(0.0F);
    alignas(32) float near_b[kWidth];
    if constexpr (kDirected) {
      far_a = farthest(a, boxes_a, s.in_a);
      const Float8 near = nearest(b, boxes_b, s.in_b, s.offset);
      store8(near_b, near);
      if constexpr (wanted == Wanted::Near) {
        const Float8 none = broadcast8(std::numeric_limits<float>::max());
        const float farthest_a = highest(load8(a.child) != -1 ? far_a : -none);
        const float nearest_b = lowest(load8(b.child) != -1 ? near : none);
        rows &= ~bits_less(reach + broadcast8(farthest_a), near);
        used &= ~bits_less(reach + far_a, broadcast8(nearest_b));
        if (used == 0 || rows == 0) return;
      }
    }
    const Boxes8 a_in_b = seen_in_b(boxes_a, r);
    const Boxes8 seen_b = seen_in_a(boxes_b, r);
    if constexpr (wanted == Wanted::Near) {
      // What is too far from the other node as a whole.
      const float zero[3] = {0.0F, 0.0F, 0.0F};
      rows &= ~bits_less(limit, squared_gaps(seen_b, zero, a.frame.half_size));
      used &= ~bits_less(limit, squared_gaps(a_in_b, zero, b.frame.half_size));
      if (used == 0 || rows == 0) return;
    }
    const BoxColumns b_in_a(seen_b);
    for (; rows != 0; rows &= rows - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(rows));
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

  // Two leaves, all in A's frame. First the boxes of the triangles and the direction of the moment,
  // for all pairs; what is left of them is put together, eight pairs at a time, and looked at along
  // more directions; the rest in full.
  // `bound`, where asked for: a lower bound of the distance of what is in the leaves.
  bool open_leaves(const WideLeaf& a, const WideLeaf& b, const RelativeFrame& r, const Slab& s,
                   float* bound = nullptr) {
    const Corners8 ca = corners_of(a);
    const Corners8 own_b = corners_of(b);
    const float reach = (visitor_.threshold() + r.margin) * 1.000001F;
    work_.volume_tests += 1;
    Float8 far_a = broadcast8(0.0F);
    Float8 near = far_a;
    if constexpr (kDirected) {
      far_a = max(corner_along(ca, 0, s.in_a),
                  max(corner_along(ca, 3, s.in_a), corner_along(ca, 6, s.in_a)));
      near = min(corner_along(own_b, 0, s.in_b),
                 min(corner_along(own_b, 3, s.in_b), corner_along(own_b, 6, s.in_b))) +
             broadcast8(s.offset);
      const float slab_gap = lowest(near) - highest(far_a);
      if (bound != nullptr) *bound = slab_gap - r.margin;
      if (slab_gap > reach) return false;
    } else if (bound != nullptr) {
      *bound = -r.margin;
    }
    const Float8 limit_sq = broadcast8(reach * reach);
    const Corners8 cb = moved_to_a(own_b, r);
    const Boxes8 all_b = boxes_around(cb);
    // Most of B's triangles are too far from A's box, or from all of its triangles along the
    // direction.
    const float zero[3] = {0.0F, 0.0F, 0.0F};
    Float8 rows = squared_gaps(all_b, zero, a.frame.half_size);
    if constexpr (kDirected) {
      const Float8 apart = max(near - broadcast8(highest(far_a)), broadcast8(0.0F));
      rows = max(rows, apart * apart);
    }
    const Int8 used_b = load8(b.triangle) != -1;
    const Int8 beyond_b = rows > limit_sq;
    Float8 least_sq = used_b & beyond_b ? rows : broadcast8(std::numeric_limits<float>::max());
    const Boxes8 boxes_a = boxes_around(ca);
    const BoxColumns boxes_b(all_b);
    alignas(32) float near_b[kWidth];
    store8(near_b, near);
    const unsigned used = bits(load8(a.triangle) != -1);
    alignas(32) float squares[kWidth * kWidth];
    std::uint64_t left = 0;  // bit 8 j + i: A's triangle i and B's j
    for (unsigned todo = bits(used_b & ~beyond_b); todo != 0; todo &= todo - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(todo));
      const float center[3] = {boxes_b.center[0][j], boxes_b.center[1][j], boxes_b.center[2][j]};
      const float half[3] = {boxes_b.half[0][j], boxes_b.half[1][j], boxes_b.half[2][j]};
      Float8 square = squared_gaps(boxes_a, center, half);
      if constexpr (kDirected) {
        const Float8 apart = max(broadcast8(near_b[j]) - far_a, broadcast8(0.0F));
        square = max(square, apart * apart);
      }
      left |= std::uint64_t{~bits_less(limit_sq, square) & used} << (kWidth * j);
      store8(squares + kWidth * j, square);
      const Int8 beyond = square > limit_sq;
      least_sq = min(beyond ? square : least_sq, least_sq);
    }
    // All pairs count, however they were dropped: the planner's rounds are of counted work.
    work_.volume_tests += kWidth * static_cast<unsigned>(std::popcount(bits(used_b)));
    float least = lowest(least_sq);
    if (left != 0 && test_triangles(a, b, ca, cb, left, squares, r.margin, least)) return true;
    if (bound != nullptr) *bound = std::max(*bound, std::sqrt(least) - r.margin);
    return false;
  }

  // The pairs of triangles named by `left`, of which `squares` are bounds known before. `least` is
  // brought down to the least of what is found out about them.
  bool test_triangles(const WideLeaf& a, const WideLeaf& b, const Corners8& ca, const Corners8& cb,
                      std::uint64_t left, const float* squares, float margin, float& least) {
    while (left != 0) {
      alignas(32) std::uint32_t lane_a[kWidth] = {};
      alignas(32) std::uint32_t lane_b[kWidth] = {};
      alignas(32) float known[kWidth] = {};
      unsigned count = 0;
      for (; count < kWidth && left != 0; ++count, left &= left - 1) {
        const auto pair = static_cast<std::uint32_t>(std::countr_zero(left));
        lane_a[count] = pair % kWidth;
        lane_b[count] = pair / kWidth;
        known[count] = squares[pair];
      }
      const Corners8 corners_a = taken(ca, load8(lane_a));
      const Corners8 corners_b = taken(cb, load8(lane_b));
      TrianglePairs8 pairs(corners_a, corners_b, load8(known));
      float threshold = visitor_.threshold();
      unsigned mask =
          pairs.below(limit_sq(margin), (1U << count) - 1U, !(visitor_.threshold() > 0.0F));
      store8(known, pairs.squares());
      while (mask != 0) {
        const int i = std::countr_zero(mask);
        mask &= mask - 1;
        ++work_.triangle_tests;
        if (visitor_.triangles(a.triangle[lane_a[i]], b.triangle[lane_b[i]])) return true;
        if (visitor_.threshold() < threshold) {
          threshold = visitor_.threshold();
          mask &= ~bits_less(limit_sq(margin), pairs.squares());
        }
      }
      for (unsigned i = 0; i < count; ++i) least = std::min(least, known[i]);
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
