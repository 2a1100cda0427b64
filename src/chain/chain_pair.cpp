// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <clearance/chain/chain_pair.h>

#include "chain/found_pairs.h"
#include "chain/link_pair.h"
#include "chain/placed_chain.h"

namespace clearance {
namespace {

using detail::ChainPart;
using detail::PlacedChain;

/// The descent over pairs of parts, one of each chain. Visitors as in chain_obstacles.cpp.
template <class Visitor>
class PairDescent {
 public:
  PairDescent(const PlacedChain& a, const PlacedChain& b, Visitor& visitor, ChainWork& work)
      : a_(a), b_(b), visitor_(visitor), work_(work) {}

  void run() { visit(a_.whole(), b_.whole()); }

 private:
  struct Choice {
    double gap;
    std::size_t at;
  };

  [[nodiscard]] bool too_far(double gap) const {
    return gap > visitor_.threshold() + a_.slack() + b_.slack();
  }

  bool visit(const ChainPart a, const ChainPart b) {
    if (a.is_link && b.is_link) return visitor_.links(a, b);
    // The larger one opens.
    const bool open_b = a.is_link || (!b.is_link && norm(b.box.half_size) > norm(a.box.half_size));
    const std::size_t first = parts_.size();
    if (open_b) {
      b_.open(b, parts_);
    } else {
      a_.open(a, parts_);
    }
    const std::size_t first_choice = choices_.size();
    for (std::size_t i = first; i < parts_.size(); ++i) {
      ++work_.volume_tests;
      const double gap = detail::box_gap(parts_[i].box, open_b ? a.box : b.box);
      if (!too_far(gap)) choices_.push_back({gap, i});
    }
    const std::size_t end = choices_.size();
    std::sort(choices_.begin() + static_cast<std::ptrdiff_t>(first_choice), choices_.end(),
              [](const Choice& x, const Choice& y) {
                return x.gap != y.gap ? x.gap < y.gap : x.at < y.at;
              });
    bool done = false;
    for (std::size_t i = first_choice; i < end && !done; ++i) {
      const auto [gap, at] = choices_[i];
      if (too_far(gap)) break;
      done = open_b ? visit(a, parts_[at]) : visit(parts_[at], b);
    }
    parts_.resize(first);
    choices_.resize(first_choice);
    return done;
  }

  const PlacedChain& a_;
  const PlacedChain& b_;
  Visitor& visitor_;
  ChainWork& work_;
  std::vector<ChainPart> parts_;  // opened and not yet done with
  std::vector<Choice> choices_;   // the order to take them in
};

/// Two chains in the frame of A's link 0.
struct TwoChains {
  TwoChains(const ChainTree& chain_a, const ChainTree& chain_b, const Pose& a_from_b)
      : a(chain_a, Pose::identity(), 0.0, false), b(chain_b, a_from_b, 0.0, false) {}
  [[nodiscard]] double slack() const { return a.slack() + b.slack(); }
  PlacedChain a;
  PlacedChain b;
};

Pose a_from_b(const ChainPart& a, const ChainPart& b) {
  return inverse(a.world_from_part) * b.world_from_part;
}

class ContactsVisitor {
 public:
  ContactsVisitor(const TwoChains& chains, bool all, ChainWork& work)
      : chains_(chains), all_(all), work_(work) {}
  static double threshold() { return 0.0; }
  bool links(const ChainPart& a, const ChainPart& b) {
    ++work_.link_tests;
    if (!detail::links_touch(chains_.a.link(a.index), chains_.b.link(b.index), a_from_b(a, b),
                             chains_.slack()))
      return false;
    pairs.push_back({a.index, b.index});
    return !all_;
  }

  std::vector<LinkPair> pairs;

 private:
  const TwoChains& chains_;
  bool all_;
  ChainWork& work_;
};

class NearestVisitor {
 public:
  NearestVisitor(const TwoChains& chains, double upper_bound, ChainDistance& answer)
      : chains_(chains), nearest_(answer, upper_bound), work_(answer.work) {}
  [[nodiscard]] double threshold() const { return nearest_.threshold(); }
  bool links(const ChainPart& a, const ChainPart& b) {
    ++work_.link_tests;
    const double bound = nearest_.needed_below(chains_.slack());
    const double d = detail::link_distance(chains_.a.link(a.index), chains_.b.link(b.index),
                                           a_from_b(a, b), bound);
    if (d < bound) nearest_.offer(LinkPair{a.index, b.index}, d <= chains_.slack() ? 0.0 : d);
    return false;
  }

 private:
  const TwoChains& chains_;
  detail::NearestPair<ChainDistance> nearest_;
  ChainWork& work_;
};

}  // namespace

ChainCollision collide(const ChainTree& a, const ChainTree& b, const Pose& a_from_b) {
  ChainCollision answer;
  if (!detail::can_be_placed(a_from_b)) {
    answer.hit = true;
    return answer;
  }
  const TwoChains chains(a, b, a_from_b);
  ContactsVisitor visitor(chains, false, answer.work);
  PairDescent(chains.a, chains.b, visitor, answer.work).run();
  answer.hit = !visitor.pairs.empty();
  if (answer.hit) answer.pair = visitor.pairs.front();
  return answer;
}

std::vector<LinkPair> contacts(const ChainTree& a, const ChainTree& b, const Pose& a_from_b) {
  if (!detail::can_be_placed(a_from_b)) return {LinkPair{}};
  ChainWork work;
  const TwoChains chains(a, b, a_from_b);
  ContactsVisitor visitor(chains, true, work);
  PairDescent(chains.a, chains.b, visitor, work).run();
  std::sort(visitor.pairs.begin(), visitor.pairs.end());
  return std::move(visitor.pairs);
}

ChainDistance distance(const ChainTree& a, const ChainTree& b, const Pose& a_from_b,
                       double upper_bound) {
  ChainDistance answer;
  if (!detail::can_be_placed(a_from_b)) {
    answer.distance = 0.0;
    return answer;
  }
  const TwoChains chains(a, b, a_from_b);
  NearestVisitor visitor(chains, upper_bound, answer);
  PairDescent(chains.a, chains.b, visitor, answer.work).run();
  return answer;
}

}  // namespace clearance
