// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The questions asked of a binary chain.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "chain/binary_chain.h"
#include "chain/found_pairs.h"
#include "chain/link_visitors.h"

namespace clearance::detail {
namespace {

/// Pairs that collided and are tested first the next time.
constexpr std::size_t kRemembered = 4;

/// The descent over pairs of nodes. Of two nodes that are not apart the larger is opened; of the
/// two pairs that gives, the one that overlaps more is looked into first.
template <class Visitor>
class BinaryDescent {
 public:
  /// `changed_only`: only pairs that are not as accepted.
  BinaryDescent(const BinaryChain& chain, bool changed_only, Visitor& visitor, ChainWork& work)
      : chain_(chain), visitor_(visitor), work_(work), changed_only_(changed_only) {
    volumes_.kind_a = volumes_.kind_b = chain.kind();
  }

  void run() { inside({chain_.level_count() - 1, 0}, !changed_only_); }

 private:
  struct Part {
    std::uint32_t level, index;
  };
  enum class Need : std::uint8_t { None, Some, All };

  [[nodiscard]] std::uint32_t first(const Part& p) const {
    return chain_.first_link(p.level, p.index);
  }
  [[nodiscard]] std::uint32_t end(const Part& p) const { return chain_.end_link(p.level, p.index); }
  [[nodiscard]] const RoundedBox& volume(const Part& p) const {
    return chain_.node_volume(p.level, p.index);
  }
  [[nodiscard]] bool exists(const Part& p) const { return p.index < chain_.node_count(p.level); }
  static Part left(const Part& p) { return {p.level - 1, 2 * p.index}; }
  static Part right(const Part& p) { return {p.level - 1, 2 * p.index + 1}; }
  static double size_of(const RoundedBox& box) { return norm(box.half_size) + box.radius; }

  /// Which pairs of links of two parts, a before b, have to be looked at.
  [[nodiscard]] Need need(const Part& a, const Part& b, bool all) const {
    if (end(b) - 1 - first(a) <= chain_.chain.neighbours) return Need::None;
    if (all) return Need::All;
    const ChainProposal& p = chain_.proposal;
    if (p.joint_in(end(a) - 1, first(b))) return Need::All;
    const bool some = p.joint_in(first(a), end(b) - 1) || p.link_in(first(a), end(a)) ||
                      p.link_in(first(b), end(b));
    return some ? Need::Some : Need::None;
  }
  [[nodiscard]] bool needed_inside(const Part& part, bool all) const {
    if (end(part) - 1 - first(part) <= chain_.chain.neighbours) return false;
    const ChainProposal& p = chain_.proposal;
    return all || p.joint_in(first(part), end(part) - 1) || p.link_in(first(part), end(part));
  }

  /// All pairs of links of one part. True when the visitor is done.
  bool inside(const Part& part, bool all) {
    if (part.level == 0 || is_empty(volume(part)) || !needed_inside(part, all)) return false;
    const Part a = left(part);
    const Part b = right(part);
    // Small parts around a changed joint collide sooner than large ones, and cost less to look at:
    // a quarter fewer tests in all where most steps collide, and no more where few do.
    if (inside(a, all)) return true;
    if (!exists(b)) return false;
    if (inside(b, all)) return true;
    const Need needed = need(a, b, all);
    if (needed == Need::None) return false;
    link_slack_ = chain_.pose_error(part.level, part.index);
    volumes_.motion.slack = chain_.volume_error(part.level, part.index);
    const Pose& a_from_b = chain_.shortcut(a.level, a.index);
    return !apart(a, b, a_from_b) && between(a, b, a_from_b, needed == Need::All);
  }

  /// Proven to be farther apart than matters?
  bool apart(const Part& a, const Part& b, const Pose& a_from_b) {
    const RoundedBox& volume_a = volume(a);
    const RoundedBox& volume_b = volume(b);
    if (is_empty(volume_a) || is_empty(volume_b)) return true;
    // Links are tested themselves, unless they are complex.
    if (a.level == 0 && b.level == 0 && is_simple(a) && is_simple(b)) return false;
    ++work_.volume_tests;
    volumes_.motion.a_from_b = a_from_b;
    return volumes_.farther_than(volume_a, volume_b, visitor_.threshold());
  }
  [[nodiscard]] bool is_simple(const Part& link) const {
    const auto* spheres = std::get_if<LinkSpheres>(&chain_.chain.links[link.index]);
    return spheres != nullptr && spheres->size() == 1;
  }

  /// All pairs of links of two parts that are not apart, a before b.
  bool between(const Part& a, const Part& b, const Pose& a_from_b, bool all) {
    if (a.level == 0 && b.level == 0) {
      return visitor_.links(a.index, b.index, a_from_b, link_slack_);
    }
    const bool open_a = a.level > 0 && (b.level == 0 || size_of(volume(a)) >= size_of(volume(b)));
    const Part parent = open_a ? a : b;
    const Part near = left(parent);
    const Part far = right(parent);
    if (!exists(far)) {
      return open_a ? between(near, b, a_from_b, all) : between(a, near, a_from_b, all);
    }
    const Pose& step = chain_.shortcut(near.level, near.index);
    const Pose far_pose = open_a ? inverse(step) * a_from_b : a_from_b * step;

    struct Candidate {
      Part a, b;
      const Pose& pose;
      bool all;
      double overlap;
    };
    Candidate found[2]{{open_a ? near : a, open_a ? b : near, a_from_b, all, 0.0},
                       {open_a ? far : a, open_a ? b : far, far_pose, all, 0.0}};
    std::size_t count = 0;
    std::size_t which[2];
    for (std::size_t i = 0; i < 2; ++i) {
      Candidate& c = found[i];
      const Need needed = need(c.a, c.b, all);
      if (needed == Need::None || apart(c.a, c.b, c.pose)) continue;
      c.all = needed == Need::All;
      c.overlap = size_of(volume(open_a ? c.a : c.b)) -
                  norm(c.pose * volume(c.b).center - volume(c.a).center);
      which[count++] = i;
    }
    if (count == 2 && found[which[1]].overlap > found[which[0]].overlap) {
      std::swap(which[0], which[1]);
    }
    const double threshold = visitor_.threshold();
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate& c = found[which[i]];
      // What was found in the first pair may have made the second one too far away.
      if (visitor_.threshold() < threshold && apart(c.a, c.b, c.pose)) continue;
      if (between(c.a, c.b, c.pose, c.all)) return true;
    }
    return false;
  }

  const BinaryChain& chain_;
  Visitor& visitor_;
  ChainWork& work_;
  bool changed_only_;
  double link_slack_ = 0.0;
  VolumePair volumes_;
};

}  // namespace

ChainCollision BinaryChain::collide_changed(ChainMemory* memory) const {
  ChainCollision answer;
  if (proposal.empty()) return answer;
  TouchVisitor visitor(*this, true, answer.work);
  if (memory != nullptr) {
    for (const LinkPair& pair : memory->recent) {
      if (pair.a >= pair.b || pair.b >= link_count()) continue;
      const double slack = pose_error(level_count() - 1, 0);
      if (!proposal.changed(pair.a, pair.b)) continue;
      answer.remembered = visitor.links(pair.a, pair.b, relative(pair.a, pair.b), slack);
      if (answer.remembered) break;
    }
  }
  if (!answer.remembered) BinaryDescent(*this, true, visitor, answer.work).run();
  answer.hit = visitor.hit();
  answer.pair = visitor.pair;
  if (answer.hit && memory != nullptr) remember(memory->recent, answer.pair, kRemembered);
  return answer;
}

ChainCollision BinaryChain::collide_self() const {
  ChainCollision answer;
  TouchVisitor visitor(*this, false, answer.work);
  BinaryDescent(*this, false, visitor, answer.work).run();
  answer.hit = visitor.hit();
  answer.pair = visitor.pair;
  return answer;
}

std::vector<LinkPair> BinaryChain::contacts() const {
  ChainWork work;
  ContactsVisitor visitor(*this, false, work);
  BinaryDescent(*this, false, visitor, work).run();
  std::sort(visitor.pairs.begin(), visitor.pairs.end());
  return std::move(visitor.pairs);
}

ChainDistance BinaryChain::distance_self() const {
  ChainDistance answer;
  ClosestVisitor visitor(*this, false, answer.work);
  BinaryDescent(*this, false, visitor, answer.work).run();
  answer.distance = visitor.distance;
  answer.pair = visitor.pair;
  return answer;
}

void BinaryChain::pairs_within(double cutoff, bool changed_only,
                               const ChainTree::PairVisitor& visit) const {
  ChainWork work;
  CutoffVisitor visitor(*this, changed_only, work, cutoff, visit);
  BinaryDescent(*this, changed_only, visitor, work).run();
}

void BinaryChain::sphere_pairs_within(double cutoff, bool changed_only,
                                      const ChainTree::SphereVisitor& visit) const {
  ChainWork work;
  CenterCutoffVisitor visitor(*this, changed_only, work, cutoff, visit);
  BinaryDescent(*this, changed_only, visitor, work).run();
}

}  // namespace clearance::detail
