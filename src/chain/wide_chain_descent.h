// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent over pairs of nodes of one wide chain, both of the same level. A Visitor says which
// distances still matter and looks at the pairs of links that may be that close:
//
//   float threshold() const;   // pairs proven farther apart than this are dropped; may shrink
//   bool links(const LinkCandidate&);   // true: stop, the answer is known
//
// Order: of the pairs that two nodes open into, those that overlap deepest (or are nearest) first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "chain/wide_chain.h"

namespace clearance::detail {

/// Two links that may be close: in the slots of two nodes of level 0.
struct LinkCandidate {
  std::uint32_t a, b;  // links, a < b
  const Pose& node_a_from_a;
  const Pose& node_b_from_b;
  const Pose& node_a_from_node_b;
  double extent;  // of the part of the chain the pose was taken through
  float gap;      // of the cores, as computed
  float margin;   // what that may be off
  bool points;    // both cores are points
};

template <class Visitor>
class ChainDescent {
 public:
  /// `changed_only`: only pairs that are not as accepted.
  ChainDescent(const WideChain& chain, bool changed_only, Visitor& visitor, ChainWork& work)
      : chain_(chain),
        visitor_(visitor),
        work_(work),
        changed_only_(changed_only),
        twice_skin_(static_cast<float>(2.0 * chain.skin() * (1.0 + kChainBoxError))) {}

  void run() { inside(chain_.level_count() - 1, 0, !changed_only_); }

 private:
  enum class Need : std::uint8_t { None, Some, All };
  struct Candidate {
    float order;  // lower is visited first
    float bound;  // of the squared gap of the cores
    std::uint8_t i, j;
    bool all;
  };
  struct Range {
    std::uint32_t first, last;  // links, both included
  };

  [[nodiscard]] Range range(std::uint32_t level, std::uint32_t index) const {
    const std::uint32_t shift = kChainShift * (level + 1);
    const std::uint64_t first = std::uint64_t{index} << shift;
    const std::uint64_t end =
        std::min<std::uint64_t>(first + (std::uint64_t{1} << shift), chain_.link_count());
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - 1)};
  }
  [[nodiscard]] Range child_range(std::uint32_t level, std::uint32_t child) const {
    return level == 0 ? Range{child, child} : range(level - 1, child);
  }
  // Which pairs of links of two parts, one before the other, have to be looked at.
  [[nodiscard]] Need need(const Range& a, const Range& b, bool all) const {
    if (b.last - a.first <= chain_.chain.neighbours) return Need::None;
    if (all) return Need::All;
    const ChainProposal& p = chain_.proposal;
    if (p.joint_in(a.last, b.first)) return Need::All;
    const bool some = p.joint_in(a.first, b.last) || p.link_in(a.first, a.last + 1) ||
                      p.link_in(b.first, b.last + 1);
    return some ? Need::Some : Need::None;
  }
  // Inside one part.
  [[nodiscard]] bool needed_inside(const Range& a, bool all) const {
    if (a.last - a.first <= chain_.chain.neighbours) return false;
    const ChainProposal& p = chain_.proposal;
    return all || p.joint_in(a.first, a.last) || p.link_in(a.first, a.last + 1);
  }
  [[nodiscard]] float limit(float margin) const {
    return (visitor_.threshold() + twice_skin_ + margin) * (1.0F + kChainBoxError);
  }

  // All pairs inside one node. True when the visitor is done.
  bool inside(std::uint32_t level, std::uint32_t index, bool all) {
    const ChainNode& node = chain_.node(level, index);
    const float margin = kChainFloatError * 2.0F * node.radius;
    const unsigned used = bits(load8(node.half[0]) > broadcast8(kEmptyChainHalf));
    const float reach = limit(margin);
    Candidate found[kChainWidth * kChainWidth];
    std::size_t count = 0;
    for (std::uint32_t j = 1; j < kChainWidth; ++j) {
      if (!has_body(node, j)) continue;
      const Range rb = child_range(level, index * kChainWidth + j);
      Float8 square = broadcast8(0.0F);
      Float8 deepest = broadcast8(-1e30F);
      for (int k = 0; k < 3; ++k) {
        const Float8 apart = abs(load8(node.center[k]) - broadcast8(node.center[k][j])) -
                             (load8(node.half[k]) + broadcast8(node.half[k][j]));
        deepest = max(deepest, apart);
        const Float8 gap = max(apart, broadcast8(0.0F));
        square = fused(gap, gap, square);
      }
      unsigned mask = ~bits_less(broadcast8(reach * reach), square) & used & ((1U << j) - 1U);
      work_.volume_tests += level == 0 ? 0 : std::popcount(used & ((1U << j) - 1U));
      while (mask != 0) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(mask));
        mask &= mask - 1;
        const Need needed = need(child_range(level, index * kChainWidth + i), rb, all);
        if (needed == Need::None) continue;
        found[count++] = {square[i] > 0.0F ? std::sqrt(square[i]) : deepest[i], square[i],
                          static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j),
                          needed == Need::All};
      }
    }
    sort(found, count);
    const double extent = 2.0 * static_cast<double>(node.radius);
    for (std::size_t c = 0; c < count; ++c) {
      const auto [order, bound, i, j, pair_all] = found[c];
      const float now = limit(margin);
      if (bound > now * now) continue;
      const std::uint32_t a = index * kChainWidth + i;
      const std::uint32_t b = index * kChainWidth + j;
      if (level == 0) {
        if (visitor_.links({a, b, node.child[i], node.child[j], kSame, extent, std::sqrt(bound),
                            margin, is_point(node, i) && is_point(node, j)}))
          return true;
      } else if (between(level - 1, a, b, inverse(node.child[i]) * node.child[j], pair_all,
                         extent)) {
        return true;
      }
    }
    if (level == 0) return false;
    for (std::uint32_t i = 0; i < kChainWidth; ++i) {
      if (!has_body(node, i)) continue;
      const std::uint32_t child = index * kChainWidth + i;
      if (needed_inside(range(level - 1, child), all) && inside(level - 1, child, all)) return true;
    }
    return false;
  }

  // All pairs of links of two nodes, a before b.
  bool between(std::uint32_t level, std::uint32_t a, std::uint32_t b, const Pose& a_from_b,
               bool all, double extent) {
    const ChainNode& na = chain_.node(level, a);
    const ChainNode& nb = chain_.node(level, b);
    const Vec3 shift = abs(a_from_b.translation);
    const float margin = kChainFloatError *
                         (static_cast<float>(shift.x + shift.y + shift.z) + na.radius + nb.radius);
    const float reach = limit(margin);
    // B's boxes in A's frame, and A's in B's.
    Float8 center_in_a[3];
    Float8 half_in_a[3];
    Float8 center_in_b[3];
    Float8 half_in_b[3];
    Float8 off[3];
    for (std::size_t k = 0; k < 3; ++k)
      off[k] = load8(na.center[k]) - broadcast8(static_cast<float>(a_from_b.translation[k]));
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& row = a_from_b.rotation[k];
      const Vec3 column = a_from_b.rotation.column(k);
      const Float8 r[3] = {broadcast8(static_cast<float>(row.x)),
                           broadcast8(static_cast<float>(row.y)),
                           broadcast8(static_cast<float>(row.z))};
      const Float8 c[3] = {broadcast8(static_cast<float>(column.x)),
                           broadcast8(static_cast<float>(column.y)),
                           broadcast8(static_cast<float>(column.z))};
      center_in_a[k] = fused(r[0], load8(nb.center[0]),
                             fused(r[1], load8(nb.center[1]),
                                   fused(r[2], load8(nb.center[2]),
                                         broadcast8(static_cast<float>(a_from_b.translation[k])))));
      half_in_a[k] = fused(abs(r[0]), load8(nb.half[0]),
                           fused(abs(r[1]), load8(nb.half[1]), abs(r[2]) * load8(nb.half[2])));
      center_in_b[k] = fused(c[0], off[0], fused(c[1], off[1], c[2] * off[2]));
      half_in_b[k] = fused(abs(c[0]), load8(na.half[0]),
                           fused(abs(c[1]), load8(na.half[1]), abs(c[2]) * load8(na.half[2])));
    }
    const unsigned used = bits(load8(na.half[0]) > broadcast8(kEmptyChainHalf));
    Candidate found[kChainWidth * kChainWidth];
    std::size_t count = 0;
    for (std::uint32_t j = 0; j < kChainWidth; ++j) {
      if (!has_body(nb, j)) continue;
      Float8 square_a = broadcast8(0.0F);
      Float8 square_b = broadcast8(0.0F);
      Float8 deepest = broadcast8(-1e30F);
      for (std::size_t k = 0; k < 3; ++k) {
        const Float8 in_a = abs(load8(na.center[k]) - broadcast8(center_in_a[k][j])) -
                            (load8(na.half[k]) + broadcast8(half_in_a[k][j]));
        const Float8 in_b = abs(center_in_b[k] - broadcast8(nb.center[k][j])) -
                            (half_in_b[k] + broadcast8(nb.half[k][j]));
        deepest = max(deepest, max(in_a, in_b));
        const Float8 gap_a = max(in_a, broadcast8(0.0F));
        const Float8 gap_b = max(in_b, broadcast8(0.0F));
        square_a = fused(gap_a, gap_a, square_a);
        square_b = fused(gap_b, gap_b, square_b);
      }
      const Float8 square = max(square_a, square_b);
      unsigned mask = ~bits_less(broadcast8(reach * reach), square) & used;
      work_.volume_tests += level == 0 ? 0 : std::popcount(used);
      while (mask != 0) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(mask));
        mask &= mask - 1;
        const Need needed = need(child_range(level, a * kChainWidth + i),
                                 child_range(level, b * kChainWidth + j), all);
        if (needed == Need::None) continue;
        found[count++] = {square[i] > 0.0F ? std::sqrt(square[i]) : deepest[i], square[i],
                          static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j),
                          needed == Need::All};
      }
    }
    sort(found, count);
    for (std::size_t c = 0; c < count; ++c) {
      const auto [order, bound, i, j, pair_all] = found[c];
      const float now = limit(margin);
      if (bound > now * now) continue;
      const std::uint32_t child_a = a * kChainWidth + i;
      const std::uint32_t child_b = b * kChainWidth + j;
      if (level == 0) {
        if (visitor_.links({child_a, child_b, na.child[i], nb.child[j], a_from_b, extent,
                            std::sqrt(bound), margin, is_point(na, i) && is_point(nb, j)}))
          return true;
      } else if (between(level - 1, child_a, child_b,
                         inverse(na.child[i]) * (a_from_b * nb.child[j]), pair_all, extent)) {
        return true;
      }
    }
    return false;
  }

  // False for slots behind the end and for links without a body.
  static bool has_body(const ChainNode& node, std::uint32_t slot) {
    return node.half[0][slot] > kEmptyChainHalf;
  }
  static bool is_point(const ChainNode& node, std::uint32_t slot) {
    return node.half[0][slot] == 0.0F && node.half[1][slot] == 0.0F && node.half[2][slot] == 0.0F;
  }
  static void sort(Candidate* found, std::size_t count) {
    std::sort(found, found + count, [](const Candidate& x, const Candidate& y) {
      if (x.order != y.order) return x.order < y.order;
      return x.i != y.i ? x.i < y.i : x.j < y.j;
    });
  }

  static constexpr Pose kSame = Pose::identity();
  const WideChain& chain_;
  Visitor& visitor_;
  ChainWork& work_;
  bool changed_only_;
  float twice_skin_;
};

}  // namespace clearance::detail
