// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent over pairs of nodes of one wide chain, both of the same level. A Visitor says which
// distances still matter and looks at the pairs of links that may be that close:
//
//   double threshold() const;   // pairs proven farther apart than this are dropped; may shrink
//   bool links(a, b, a_from_b, slack);     // as in link_visitors.h, or instead of it
//   bool candidate(const LinkCandidate&);  // true: stop, the answer is known
//
// Order: of the pairs that two nodes open into, those that overlap deepest (or are nearest) first.
//
// After a change of one joint, the chain is two rigid parts: A up to the joint, B behind it. On
// each level one node holds links of both. The descent sees it as two: with the boxes of its links
// of A, and with those of B (`parts_`). Without that, the node would overlap the neighbours of
// either part at every step.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "chain/wide_chain.h"

namespace clearance::detail {

/// Two links that may be close: in the slots of two nodes of level 0.
struct LinkCandidate {
  std::uint32_t a, b;  // links, a < b
  const Affine& node_a_from_a;
  const Affine& node_b_from_b;
  const Affine& node_a_from_node_b;
  double extent;  // of the part of the chain the pose was taken through
  bool certain;   // equal spheres that touch, whatever rounding did

  [[nodiscard]] Pose a_from_b() const {
    return inverse_times(node_a_from_a, node_a_from_node_b * node_b_from_b).pose();
  }
  [[nodiscard]] double slack() const { return kChainPoseError * extent; }
};

/// Levels a chain of 2^32 links can have.
inline constexpr std::uint32_t kMostChainLevels = 11;

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

  void run() {
    const std::uint32_t top = chain_.level_count() - 1;
    const ChainProposal& proposal = chain_.proposal;
    if (!changed_only_) {
      inside(top, 0, true);
    } else if (proposal.joints().size() == 1 && proposal.links().empty()) {
      const Affine moved = split_at(proposal.joints()[0]);
      between(top, 0, 0, moved, Scope::Parts,
              2.0 * static_cast<double>(chain_.node(top, 0).radius));
    } else if (!proposal.empty()) {
      inside(top, 0, false);
    }
  }

 private:
  /// Which pairs of links of two nodes are to be looked at.
  enum class Scope : std::uint8_t {
    All,
    Some,   // some are as accepted: ask for each pair of children
    PartA,  // the first node is the divided one: those of A's links
    PartB,  // the second node is the divided one: those of B's links
    Parts,  // both are the divided one
  };
  struct Candidate {
    float order;   // lower is visited first: the depth below zero, or the squared gap
    float square;  // of the gap of the cores
    std::uint8_t i, j;
    Scope scope;
  };
  struct Range {
    std::uint32_t first, last;  // links, both included
  };
  /// The part of the divided node of one level that belongs to A, or to B.
  struct Part {
    ChainBoxes boxes;
    ChainBox box;
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
  /// Of two parts of the chain, one before the other. False when there is nothing to look at.
  [[nodiscard]] bool needed(const Range& a, const Range& b, Scope& scope) const {
    if (b.last - a.first <= chain_.chain.neighbours) return false;
    if (scope == Scope::All) return true;
    const ChainProposal& p = chain_.proposal;
    if (p.joint_in(a.last, b.first)) {
      scope = Scope::All;
      return true;
    }
    return p.joint_in(a.first, b.last) || p.link_in(a.first, a.last + 1) ||
           p.link_in(b.first, b.last + 1);
  }
  /// Inside one part.
  [[nodiscard]] bool needed_inside(const Range& a, bool all) const {
    if (a.last - a.first <= chain_.chain.neighbours) return false;
    const ChainProposal& p = chain_.proposal;
    return all || p.joint_in(a.first, a.last) || p.link_in(a.first, a.last + 1);
  }
  [[nodiscard]] float limit(float margin) const {
    // The last factor is for the rounding of the threshold as well.
    return (static_cast<float>(visitor_.threshold()) + twice_skin_ + margin) *
           (1.0F + kChainBoxError);
  }

  /// The divided nodes, from the bottom up. Returns how B moved against A, in the frame of the
  /// root.
  Affine split_at(std::uint32_t joint) {
    std::uint32_t index = joint;
    Affine node_from_link = Affine::identity();
    for (std::uint32_t level = 0; level < chain_.level_count(); ++level) {
      const std::uint32_t slot = index % kChainWidth;
      index /= kChainWidth;
      slot_[level] = slot;
      const ChainNode& node = chain_.node(level, index);
      const Affine& pose = node.child[slot];
      Part& a = part_a_[level];
      Part& b = part_b_[level];
      const unsigned before = (1U << slot) - 1U;
      a.boxes = node.boxes;
      b.boxes = node.boxes;
      a.boxes.keep(level == 0 ? before | (1U << slot) : before);
      b.boxes.keep(0xfeU << slot);
      if (level > 0) {
        const float radius = chain_.node(level - 1, index * kChainWidth + slot).radius;
        fit_box(a.boxes, slot, part_a_[level - 1].boxes, radius, pose);
        fit_box(b.boxes, slot, part_b_[level - 1].boxes, radius, pose);
      }
      a.box = box_around(a.boxes);
      b.box = box_around(b.boxes);
      node_from_link = pose * node_from_link;
    }
    if (!chain_.pending()) return Affine::identity();
    return node_from_link * (chain_.pending_motion() * inverse(node_from_link));
  }

  /// All pairs inside one node. True when the visitor is done.
  bool inside(std::uint32_t level, std::uint32_t index, bool all) {
    const ChainNode& node = chain_.node(level, index);
    const float margin = kChainFloatError * 2.0F * node.radius;
    const float reach = limit(margin);
    const unsigned used = node.boxes.used();
    Found found;
    for (std::uint32_t j = 1; j < kChainWidth; ++j) {
      if ((used & (1U << j)) == 0) continue;
      const unsigned lanes = used & ((1U << j) - 1U);
      const Range range_b = child_range(level, index * kChainWidth + j);
      const BoxGaps g = gaps(node.boxes, node.boxes, j);
      (level == 0 && chain_.all_points() ? work_.link_tests : work_.volume_tests) +=
          static_cast<unsigned>(std::popcount(lanes));
      unsigned mask = ~bits_less(broadcast8(reach * reach), g.square) & lanes;
      for (; mask != 0; mask &= mask - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(mask));
        Scope scope = all ? Scope::All : Scope::Some;
        if (needed(child_range(level, index * kChainWidth + i), range_b, scope))
          found.add(g, i, j, scope);
      }
    }
    const double extent = 2.0 * static_cast<double>(node.radius);
    if (visit_inside(level, index, node, found, margin, extent)) return true;
    if (level == 0) return false;
    for (unsigned left = used; left != 0; left &= left - 1) {
      const std::uint32_t child =
          index * kChainWidth + static_cast<std::uint32_t>(std::countr_zero(left));
      if (needed_inside(range(level - 1, child), all) && inside(level - 1, child, all)) return true;
    }
    return false;
  }

  /// All pairs of links of two nodes, a before b.
  bool between(std::uint32_t level, std::uint32_t a, std::uint32_t b, const Affine& a_from_b,
               Scope scope, double extent) {
    const ChainNode& node_a = chain_.node(level, a);
    const ChainNode& node_b = chain_.node(level, b);
    const bool part_a = scope == Scope::PartA || scope == Scope::Parts;
    const bool part_b = scope == Scope::PartB || scope == Scope::Parts;
    const ChainBoxes& boxes_a = part_a ? part_a_[level].boxes : node_a.boxes;
    const ChainBoxes& boxes_b = part_b ? part_b_[level].boxes : node_b.boxes;
    const ChainBox& box_a = part_a ? part_a_[level].box : node_a.box;
    const ChainBox& box_b = part_b ? part_b_[level].box : node_b.box;
    const FloatAffine rounded(a_from_b);
    const float margin = kChainFloatError * (rounded.shift() + node_a.radius + node_b.radius) +
                         static_cast<float>(kChainPoseError * extent);
    const float reach = limit(margin);
    const Float8 reach_sq = broadcast8(reach * reach);
    const bool points = level == 0 && chain_.all_points();
    std::uint64_t& tests = points ? work_.link_tests : work_.volume_tests;
    // First each of B's boxes against the one around A's, then the other way round.
    ChainBoxes b_in_a;
    see_in_a(boxes_b, rounded, b_in_a);
    const unsigned all_b = boxes_b.used();
    unsigned near_b = ~bits_less(reach_sq, square_gaps(b_in_a, box_a)) & all_b;
    work_.volume_tests += static_cast<unsigned>(std::popcount(all_b));
    if (near_b == 0) return false;
    unsigned near_a = boxes_a.used();
    Found found;
    if (points) {
      for (; near_b != 0; near_b &= near_b - 1) {
        const auto j = static_cast<std::uint32_t>(std::countr_zero(near_b));
        Float8 square = broadcast8(0.0F);
        for (int k = 0; k < 3; ++k) {
          const Float8 apart = load8(boxes_a.center[k]) - broadcast8(b_in_a.center[k][j]);
          square = fused(apart, apart, square);
        }
        const unsigned mask = ~bits_less(reach_sq, square) & near_a;
        tests += static_cast<unsigned>(std::popcount(near_a));
        if (mask != 0) add(found, {square, square}, mask, level, a, b, j, scope);
      }
    } else {
      ChainBoxes a_in_b;
      see_in_b(boxes_a, rounded, a_in_b);
      work_.volume_tests += static_cast<unsigned>(std::popcount(near_a));
      near_a &= ~bits_less(reach_sq, square_gaps(a_in_b, box_b));
      if (near_a == 0) return false;
      for (; near_b != 0; near_b &= near_b - 1) {
        const auto j = static_cast<std::uint32_t>(std::countr_zero(near_b));
        const BoxGaps g = gaps(boxes_a, b_in_a, a_in_b, boxes_b, j);
        const unsigned mask = ~bits_less(reach_sq, g.square) & near_a;
        tests += static_cast<unsigned>(std::popcount(near_a));
        if (mask != 0) add(found, g, mask, level, a, b, j, scope);
      }
    }
    while (const Candidate* c = found.next()) {
      const float now = limit(margin);
      if (c->square > now * now) continue;
      const std::uint32_t child_a = a * kChainWidth + c->i;
      const std::uint32_t child_b = b * kChainWidth + c->j;
      if (level == 0) {
        if (show({child_a, child_b, node_a.child[c->i], node_b.child[c->j], a_from_b, extent,
                  certain(c->square, margin)}))
          return true;
      } else if (between(level - 1, child_a, child_b,
                         inverse_times(node_a.child[c->i], a_from_b * node_b.child[c->j]), c->scope,
                         extent)) {
        return true;
      }
    }
    return false;
  }

  /// Candidates in the order in which they are visited.
  struct Found {
    Candidate list[kChainWidth * kChainWidth];
    std::uint32_t count = 0;
    std::uint32_t taken = 0;

    void add(const BoxGaps& g, std::uint32_t i, std::uint32_t j, Scope scope) {
      const float square = g.square[i];
      list[count++] = {square > 0.0F ? square : g.deepest[i], square, static_cast<std::uint8_t>(i),
                       static_cast<std::uint8_t>(j), scope};
    }
    /// The first of the rest; nullptr at the end. Of equal ones the one found first.
    const Candidate* next() {
      if (taken == count) return nullptr;
      std::uint32_t best = taken;
      for (std::uint32_t i = taken + 1; i < count; ++i) {
        if (list[i].order < list[best].order) best = i;
      }
      std::rotate(list + taken, list + best, list + best + 1);
      return &list[taken++];
    }
  };

  void add(Found& found, const BoxGaps& g, unsigned mask, std::uint32_t level, std::uint32_t a,
           std::uint32_t b, std::uint32_t j, Scope scope) const {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(mask));
      Scope child = Scope::All;
      if (scope == Scope::Some) {
        child = Scope::Some;
        if (!needed(child_range(level, a * kChainWidth + i),
                    child_range(level, b * kChainWidth + j), child))
          continue;
      } else if (level > 0 && scope != Scope::All) {
        const bool part_a = scope != Scope::PartB && i == slot_[level];
        const bool part_b = scope != Scope::PartA && j == slot_[level];
        child =
            part_a ? (part_b ? Scope::Parts : Scope::PartA) : (part_b ? Scope::PartB : Scope::All);
      }
      found.add(g, i, j, child);
    }
  }

  bool visit_inside(std::uint32_t level, std::uint32_t index, const ChainNode& node, Found& found,
                    float margin, double extent) {
    while (const Candidate* c = found.next()) {
      const float now = limit(margin);
      if (c->square > now * now) continue;
      const std::uint32_t a = index * kChainWidth + c->i;
      const std::uint32_t b = index * kChainWidth + c->j;
      if (level == 0) {
        if (show({a, b, node.child[c->i], node.child[c->j], kSame, extent,
                  certain(c->square, margin)}))
          return true;
      } else if (between(level - 1, a, b, inverse_times(node.child[c->i], node.child[c->j]),
                         c->scope, extent)) {
        return true;
      }
    }
    return false;
  }

  bool show(const LinkCandidate& c) {
    if (!chain_.is_tested(c.a, c.b)) return false;
    if constexpr (requires { visitor_.candidate(c); }) {
      return visitor_.candidate(c);
    } else {
      return visitor_.links(c.a, c.b, c.a_from_b(), c.slack());
    }
  }

  [[nodiscard]] bool certain(float square, float margin) const {
    const float sure = (twice_skin_ - margin) * (1.0F - 4.0F * kChainBoxError);
    return chain_.all_points() && sure > 0.0F && square < sure * sure;
  }

  const Affine kSame = Affine::identity();
  const WideChain& chain_;
  Visitor& visitor_;
  ChainWork& work_;
  bool changed_only_;
  float twice_skin_;
  // The divided nodes, by level: set by split_at().
  std::uint32_t slot_[kMostChainLevels];
  Part part_a_[kMostChainLevels];
  Part part_b_[kMostChainLevels];
};

}  // namespace clearance::detail
