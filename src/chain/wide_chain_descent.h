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

/// Two links that may be close, in the frames of two nodes.
struct LinkCandidate {
  std::uint32_t a, b;  // links, a < b
  const ChainPose& node_a_from_a;
  const ChainPose& node_b_from_b;
  const ChainPose& node_a_from_node_b;
  double slack;  // what the pose may be off
  bool certain;  // equal spheres that touch, whatever rounding did

  [[nodiscard]] Pose a_from_b() const {
    return inverse_times(node_a_from_a, node_a_from_node_b * node_b_from_b).pose();
  }
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

  void run() { run(chain_.tops()); }
  /// For who knows the tops already.
  void run(const WideChain::Tops& tops) {
    const ChainProposal& proposal = chain_.proposal;
    if (changed_only_ && proposal.empty()) return;
    const std::uint32_t top = chain_.level_count() - 1;
    if (changed_only_ && proposal.joints().size() == 1 && proposal.links().empty()) {
      across(top, tops, proposal.joints()[0]);
    } else {
      inside_all(top, tops, !changed_only_);
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

  /// All pairs of a link before the joint and one behind it.
  void across(std::uint32_t top, const WideChain::Tops& tops, std::uint32_t joint) {
    const ChainPose moved = split_at(joint);
    const std::uint32_t divided = joint >> (kChainShift * (top + 1));
    const double slack = chain_.pose_slack(2.0 * tops.reach);
    for (std::uint32_t b = divided; b < tops.count; ++b) {
      const ChainPose divided_from_b =
          b == divided ? moved : moved * inverse_times(tops.pose[divided], tops.pose[b]);
      for (std::uint32_t a = divided + 1; a-- > 0;) {
        const Scope scope = a == divided ? (b == divided ? Scope::Parts : Scope::PartA)
                                         : (b == divided ? Scope::PartB : Scope::All);
        const ChainPose a_from_b =
            a == divided ? divided_from_b
                         : inverse_times(tops.pose[a], tops.pose[divided] * divided_from_b);
        if (between(top, a, b, a_from_b, scope, slack)) return;
      }
    }
  }

  void inside_all(std::uint32_t top, const WideChain::Tops& tops, bool all) {
    const double slack = chain_.pose_slack(2.0 * tops.reach);
    for (std::uint32_t b = 0; b < tops.count; ++b) {
      const Range range_b = range(top, b);
      if (needed_inside(range_b, all) && inside(top, b, all)) return;
      for (std::uint32_t a = b; a-- > 0;) {
        Scope scope = all ? Scope::All : Scope::Some;
        if (needed(range(top, a), range_b, scope) &&
            between(top, a, b, inverse_times(tops.pose[a], tops.pose[b]), scope, slack))
          return;
      }
    }
  }

  /// The divided nodes, from the bottom up. Returns how B moved against A, in the frame of the
  /// highest.
  ChainPose split_at(std::uint32_t joint) {
    std::uint32_t index = joint;
    ChainPose node_from_link = ChainPose::identity();
    for (std::uint32_t level = 0; level < chain_.level_count(); ++level) {
      const std::uint32_t slot = index % kChainWidth;
      index /= kChainWidth;
      slot_[level] = slot;
      const ChainNode& node = chain_.node(level, index);
      const ChainPose& pose = node.child[slot];
      node_from_link = pose * node_from_link;
      if (level == 0 && chain_.centered()) continue;
      Part& a = part_a_[level];
      Part& b = part_b_[level];
      const unsigned before = (1U << slot) - 1U;
      BoxRows rows_a = BoxRows::from(node.boxes, level == 0 ? before | (1U << slot) : before);
      BoxRows rows_b = BoxRows::from(node.boxes, 0xfeU << slot);
      if (level == 1 && chain_.centered()) {
        const ChainGroup& group = chain_.points(index).group[slot];
        const unsigned of_a = (2U << slot_[0]) - 1U;
        lanes_a_ = lanes(index, slot) & of_a;
        lanes_b_ = lanes(index, slot) & ~of_a;
        const float loss = kChainPointError * node.radius();
        split_group(group, lanes_a_, group_a_);
        split_group(group, lanes_b_, group_b_);
        rows_a.put(slot, fit_points(group, lanes_a_, loss));
        rows_b.put(slot, fit_points(group, lanes_b_, loss));
      } else if (level > 0) {
        const float radius = chain_.node(level - 1, index * kChainWidth + slot).radius();
        rows_a.put(slot, fit_box(part_a_[level - 1].boxes, radius, pose));
        rows_b.put(slot, fit_box(part_b_[level - 1].boxes, radius, pose));
      }
      rows_a.store(a.boxes);
      rows_b.store(b.boxes);
      // Nobody asks for the radius of a part.
      a.box = chain_box(box_around(rows_a), 0.0F);
      b.box = chain_box(box_around(rows_b), 0.0F);
    }
    if (!chain_.pending()) return ChainPose::identity();
    return node_from_link * (chain_.pending_motion() * inverse(node_from_link));
  }

  /// The links there are in a group of a node of level 1, a bit each.
  [[nodiscard]] unsigned lanes(std::uint32_t index, std::uint32_t slot) const {
    return (1U << chain_.child_count(0, index * kChainWidth + slot)) - 1U;
  }
  /// The chosen points of a group; the others far away.
  static void split_group(const ChainGroup& group, unsigned chosen, ChainGroup& part) {
    const Int8 mask = lanes_of(chosen);
    for (int k = 0; k < 3; ++k)
      store8(part.center[k], mask ? load8(group.center[k]) : broadcast8(kFarChainPoint));
  }

  /// All pairs inside one node. True when the visitor is done.
  bool inside(std::uint32_t level, std::uint32_t index, bool all) {
    const ChainNode& node = chain_.node(level, index);
    const bool points = level == 1 && chain_.centered();
    const float margin =
        (kChainFloatError + (points ? kChainPointError : 0.0F)) * 2.0F * node.radius();
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
    const double slack = chain_.pose_slack(2.0 * static_cast<double>(node.radius()));
    if (visit_inside(level, index, node, found, margin, slack)) return true;
    if (level == 0) return false;
    for (unsigned left = used; left != 0; left &= left - 1) {
      const std::uint32_t child =
          index * kChainWidth + static_cast<std::uint32_t>(std::countr_zero(left));
      if (needed_inside(range(level - 1, child), all) && inside(level - 1, child, all)) return true;
    }
    return false;
  }

  /// All pairs of links of two nodes, a before b.
  bool between(std::uint32_t level, std::uint32_t a, std::uint32_t b, const ChainPose& a_from_b,
               Scope scope, double slack) {
    const ChainNode& node_a = chain_.node(level, a);
    const ChainNode& node_b = chain_.node(level, b);
    const bool part_a = scope == Scope::PartA || scope == Scope::Parts;
    const bool part_b = scope == Scope::PartB || scope == Scope::Parts;
    const ChainBoxes& boxes_a = part_a ? part_a_[level].boxes : node_a.boxes;
    const ChainBoxes& boxes_b = part_b ? part_b_[level].boxes : node_b.boxes;
    const ChainBox& box_a = part_a ? part_a_[level].box : node_a.box;
    const ChainBox& box_b = part_b ? part_b_[level].box : node_b.box;
    const bool points = level == 1 && chain_.centered();
    const FloatAffine rounded(a_from_b);
    const float radii = node_a.radius() + node_b.radius();
    const float margin = kChainFloatError * (rounded.shift() + radii) + static_cast<float>(slack) +
                         (points ? kChainPointError * radii : 0.0F);
    const float reach = limit(margin);
    const Float8 reach_sq = broadcast8(reach * reach);
    // First each of B's boxes against the one around A's, then the other way round.
    ChainBoxes b_in_a;
    see_in_a(boxes_b, rounded, b_in_a);
    const unsigned all_b = boxes_b.used();
    unsigned near_b = ~bits_less(reach_sq, square_gaps(b_in_a, box_a)) & all_b;
    work_.volume_tests += static_cast<unsigned>(std::popcount(all_b));
    if (near_b == 0) return false;
    if (points) {
      return points_near({a, b, a_from_b, margin, slack}, boxes_a, part_a, rounded, b_in_a, near_b,
                         part_b);
    }
    unsigned near_a = boxes_a.used();
    ChainBoxes a_in_b;
    see_in_b(boxes_a, rounded, a_in_b);
    work_.volume_tests += static_cast<unsigned>(std::popcount(near_a));
    near_a &= ~bits_less(reach_sq, square_gaps(a_in_b, box_b));
    if (near_a == 0) return false;
    Found found;
    for (; near_b != 0; near_b &= near_b - 1) {
      const auto j = static_cast<std::uint32_t>(std::countr_zero(near_b));
      const BoxGaps g = gaps(boxes_a, b_in_a, a_in_b, boxes_b, j);
      const unsigned mask = ~bits_less(reach_sq, g.square) & near_a;
      work_.volume_tests += static_cast<unsigned>(std::popcount(near_a));
      if (mask != 0) add(found, g, mask, level, a, b, j, scope);
    }
    while (!found.empty()) {
      const Candidate c = found.next();
      const float now = limit(margin);
      if (c.square > now * now) continue;
      const std::uint32_t child_a = a * kChainWidth + c.i;
      const std::uint32_t child_b = b * kChainWidth + c.j;
      if (level == 0) {
        if (show({child_a, child_b, node_a.child[c.i], node_b.child[c.j], a_from_b, slack,
                  certain(c.square, margin)}))
          return true;
      } else if (between(level - 1, child_a, child_b,
                         inverse_times(node_a.child[c.i], a_from_b * node_b.child[c.j]), c.scope,
                         slack)) {
        return true;
      }
    }
    return false;
  }

  /// Two nodes of level 1 whose points are compared.
  struct PointNodes {
    std::uint32_t a, b;
    const ChainPose& a_from_b;
    float margin;
    double slack;
  };

  /// The groups of B in `near_b` against those of A. Their boxes are compared in one frame only:
  /// the points themselves cost little more than a better look at the boxes.
  bool points_near(const PointNodes& nodes, const ChainBoxes& boxes_a, bool part_a,
                   const FloatAffine& rounded, const ChainBoxes& b_in_a, unsigned near_b,
                   bool part_b) {
    const float reach = limit(nodes.margin);
    const Float8 reach_sq = broadcast8(reach * reach);
    const unsigned all_a = boxes_a.used();
    for (; near_b != 0; near_b &= near_b - 1) {
      const auto j = static_cast<std::uint32_t>(std::countr_zero(near_b));
      const unsigned mask = ~bits_less(reach_sq, square_gaps(boxes_a, b_in_a, j)) & all_a;
      work_.volume_tests += static_cast<unsigned>(std::popcount(all_a));
      if (mask != 0 && groups_near(nodes, boxes_a, mask, part_a, rounded, j, part_b)) return true;
    }
    return false;
  }

  /// The points of group j of B against those of the groups of A in `mask`.
  bool groups_near(const PointNodes& nodes, const ChainBoxes& boxes_a, unsigned mask, bool part_a,
                   const FloatAffine& rounded, std::uint32_t j, bool part_b) {
    const bool split_b = part_b && j == slot_[1];
    const ChainGroup& group_b = split_b ? group_b_ : chain_.points(nodes.b).group[j];
    const unsigned lanes_b = split_b ? lanes_b_ : lanes(nodes.b, j);
    ChainGroup b_in_a;
    see_points(group_b.center, lanes_b, rounded, b_in_a);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(mask));
      const float reach = limit(nodes.margin);
      const Float8 reach_sq = broadcast8(reach * reach);
      unsigned near_b = ~bits_less(reach_sq, square_gaps(b_in_a, boxes_a, i)) & lanes_b;
      work_.volume_tests += static_cast<unsigned>(std::popcount(lanes_b));
      if (near_b == 0) continue;
      const bool split_a = part_a && i == slot_[1];
      const ChainGroup& group_a = split_a ? group_a_ : chain_.points(nodes.a).group[i];
      const unsigned lanes_a = split_a ? lanes_a_ : lanes(nodes.a, i);
      for (; near_b != 0; near_b &= near_b - 1) {
        const auto lane_b = static_cast<std::uint32_t>(std::countr_zero(near_b));
        alignas(32) float square[kChainWidth];
        const Float8 squares = square_distances(group_a, b_in_a, lane_b);
        store8(square, squares);
        work_.link_tests += static_cast<unsigned>(std::popcount(lanes_a));
        for (unsigned near_a = ~bits_less(reach_sq, squares) & lanes_a; near_a != 0;
             near_a &= near_a - 1) {
          const auto lane_a = static_cast<std::uint32_t>(std::countr_zero(near_a));
          if (show_points(nodes, i, lane_a, j, lane_b, square[lane_a])) return true;
        }
      }
    }
    return false;
  }

  bool show_points(const PointNodes& nodes, std::uint32_t i, std::uint32_t lane_a, std::uint32_t j,
                   std::uint32_t lane_b, float square) {
    const float now = limit(nodes.margin);
    if (square > now * now) return false;
    const std::uint32_t group_a = nodes.a * kChainWidth + i;
    const std::uint32_t group_b = nodes.b * kChainWidth + j;
    const ChainPose node_a_from_a =
        chain_.node(1, nodes.a).child[i] * chain_.node(0, group_a).child[lane_a];
    const ChainPose node_b_from_b =
        chain_.node(1, nodes.b).child[j] * chain_.node(0, group_b).child[lane_b];
    return show({group_a * kChainWidth + lane_a, group_b * kChainWidth + lane_b, node_a_from_a,
                 node_b_from_b, nodes.a_from_b, nodes.slack, certain(square, nodes.margin)});
  }

  /// Candidates in the order in which they are visited.
  struct Found {
    Candidate list[kChainWidth * kChainWidth];
    std::uint32_t count = 0;

    void add(const BoxGaps& g, std::uint32_t i, std::uint32_t j, Scope scope) {
      const float square = g.square[i];
      list[count++] = {square > 0.0F ? square : g.deepest[i], square, static_cast<std::uint8_t>(i),
                       static_cast<std::uint8_t>(j), scope};
    }
    [[nodiscard]] bool empty() const { return count == 0; }
    /// Takes out the first of the rest.
    Candidate next() {
      std::uint32_t best = 0;
      for (std::uint32_t i = 1; i < count; ++i) {
        if (list[i].order < list[best].order) best = i;
      }
      const Candidate taken = list[best];
      list[best] = list[--count];
      return taken;
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
                    float margin, double slack) {
    while (!found.empty()) {
      const Candidate c = found.next();
      const float now = limit(margin);
      if (c.square > now * now) continue;
      const std::uint32_t a = index * kChainWidth + c.i;
      const std::uint32_t b = index * kChainWidth + c.j;
      if (level == 0) {
        if (show({a, b, node.child[c.i], node.child[c.j], kSame, slack, certain(c.square, margin)}))
          return true;
      } else if (level == 1 && chain_.centered()) {
        if (groups_near({index, index, kSame, margin, slack}, node.boxes, 1U << c.i, false,
                        FloatAffine(kSame), c.j, false))
          return true;
      } else if (between(level - 1, a, b, inverse_times(node.child[c.i], node.child[c.j]), c.scope,
                         slack)) {
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
      return visitor_.links(c.a, c.b, c.a_from_b(), c.slack);
    }
  }

  [[nodiscard]] bool certain(float square, float margin) const {
    const float sure = (twice_skin_ - margin) * (1.0F - 4.0F * kChainBoxError);
    return chain_.all_points() && sure > 0.0F && square < sure * sure;
  }

  const ChainPose kSame = ChainPose::identity();
  const WideChain& chain_;
  Visitor& visitor_;
  ChainWork& work_;
  bool changed_only_;
  float twice_skin_;
  // The divided nodes, by level: set by split_at().
  std::uint32_t slot_[kMostChainLevels];
  Part part_a_[kMostChainLevels];
  Part part_b_[kMostChainLevels];
  // Where links are points: the divided group, in the frame of its node of level 1.
  ChainGroup group_a_;
  ChainGroup group_b_;
  unsigned lanes_a_;
  unsigned lanes_b_;
};

}  // namespace clearance::detail
