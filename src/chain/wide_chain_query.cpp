// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The questions asked of a wide chain.
#include <algorithm>
#include <cmath>
#include <limits>

#include "chain/link_pair.h"
#include "chain/wide_chain_descent.h"

namespace clearance::detail {
namespace {

/// Pairs that collided and are tested first the next time.
constexpr std::size_t kRemembered = 4;

float rounded_up(double x) {
  return std::nextafter(static_cast<float>(x), std::numeric_limits<float>::infinity());
}

Pose link_a_from_link_b(const LinkCandidate& c) {
  return inverse_times(c.node_a_from_a, c.node_a_from_node_b * c.node_b_from_b).pose();
}

/// Do two groups of spheres touch, or come within `slack`?
bool spheres_touch(const LinkSpheres& a, const LinkSpheres& b, const Pose& a_from_b, double slack) {
  for (const Sphere& sb : b) {
    const Vec3 center = a_from_b * sb.center;
    for (const Sphere& sa : a) {
      const double reach = sa.radius + sb.radius + slack;
      if (squared_norm(sa.center - center) <= reach * reach) return true;
    }
  }
  return false;
}

/// What all visitors share: the exact tests of two links.
class LinkTests {
 public:
  LinkTests(const WideChain& chain, bool changed_only, ChainWork& work)
      : chain_(chain), changed_only_(changed_only), work_(work) {}

 protected:
  [[nodiscard]] bool matters(const LinkCandidate& c) const {
    return chain_.is_tested(c.a, c.b) && (!changed_only_ || chain_.proposal.changed(c.a, c.b));
  }
  /// Distance of two links, 0 when they touch.
  double apart(const LinkCandidate& c) {
    const LinkShape& a = chain_.chain.links[c.a];
    const LinkShape& b = chain_.chain.links[c.b];
    count(a, b);
    return link_distance(a, b, link_a_from_link_b(c));
  }
  void count(const LinkShape& a, const LinkShape& b) {
    const auto* in_a = std::get_if<LinkSpheres>(&a);
    const auto* in_b = std::get_if<LinkSpheres>(&b);
    work_.link_tests += (in_a != nullptr ? in_a->size() : 1) * (in_b != nullptr ? in_b->size() : 1);
  }
  [[nodiscard]] static double slack(const LinkCandidate& c) { return kChainPoseError * c.extent; }

  const WideChain& chain_;
  bool changed_only_;
  ChainWork& work_;
};

class CollisionVisitor : LinkTests {
 public:
  using LinkTests::LinkTests;
  static float threshold() { return 0.0F; }
  bool links(const LinkCandidate& c) {
    if (!matters(c) || !touch(c)) return false;
    pair = {c.a, c.b};
    return true;
  }
  bool touch(const LinkCandidate& c) {
    // Centres of equal spheres, nearer than rounding could make them.
    if (c.certain) return true;
    const LinkShape& a = chain_.chain.links[c.a];
    const LinkShape& b = chain_.chain.links[c.b];
    count(a, b);
    const Pose pose = link_a_from_link_b(c);
    const auto* in_a = std::get_if<LinkSpheres>(&a);
    const auto* in_b = std::get_if<LinkSpheres>(&b);
    return in_a != nullptr && in_b != nullptr ? spheres_touch(*in_a, *in_b, pose, slack(c))
                                              : links_touch(a, b, pose, slack(c));
  }

  LinkPair pair;
};

class ContactVisitor : LinkTests {
 public:
  using LinkTests::LinkTests;
  static float threshold() { return 0.0F; }
  bool links(const LinkCandidate& c) {
    if (matters(c) && apart(c) <= slack(c)) pairs.push_back({c.a, c.b});
    return false;
  }

  std::vector<LinkPair> pairs;
};

class NearestVisitor : LinkTests {
 public:
  using LinkTests::LinkTests;
  [[nodiscard]] float threshold() const { return threshold_; }
  bool links(const LinkCandidate& c) {
    if (!matters(c)) return false;
    double d = apart(c);
    if (d <= slack(c)) d = 0.0;
    // Links without a body are infinitely far from all others.
    if (std::isinf(d)) return false;
    const LinkPair here{c.a, c.b};
    if (d < distance || (d == distance && here < pair)) {
      distance = d;
      pair = here;
      threshold_ = rounded_up(d);
    }
    return false;
  }

  double distance = std::numeric_limits<double>::infinity();
  LinkPair pair;

 private:
  float threshold_ = std::numeric_limits<float>::infinity();
};

class WithinVisitor : LinkTests {
 public:
  WithinVisitor(const WideChain& chain, bool changed_only, ChainWork& work, double cutoff,
                const ChainTree::PairVisitor& visit)
      : LinkTests(chain, changed_only, work), cutoff_(cutoff), visit_(visit) {}
  [[nodiscard]] float threshold() const { return rounded_up(cutoff_); }
  bool links(const LinkCandidate& c) {
    if (!matters(c)) return false;
    double d = apart(c);
    if (d > cutoff_ + slack(c)) return false;
    if (d <= slack(c)) d = 0.0;
    visit_(c.a, c.b, d);
    return false;
  }

 private:
  double cutoff_;
  const ChainTree::PairVisitor& visit_;
};

class SpheresVisitor : LinkTests {
 public:
  SpheresVisitor(const WideChain& chain, bool changed_only, ChainWork& work, double cutoff,
                 const ChainTree::SphereVisitor& visit)
      : LinkTests(chain, changed_only, work), cutoff_(cutoff), visit_(visit) {}
  // Centres at the cutoff are nearer at their surfaces by both radii: the skin at least.
  [[nodiscard]] float threshold() const {
    return std::max(rounded_up(cutoff_ - 2.0 * chain_.skin()), 0.0F);
  }
  bool links(const LinkCandidate& c) {
    if (!matters(c)) return false;
    const auto* in_a = std::get_if<LinkSpheres>(&chain_.chain.links[c.a]);
    const auto* in_b = std::get_if<LinkSpheres>(&chain_.chain.links[c.b]);
    if (in_a == nullptr || in_b == nullptr) return false;
    work_.link_tests += in_a->size() * in_b->size();
    const Pose pose = link_a_from_link_b(c);
    for (std::uint32_t j = 0; j < in_b->size(); ++j) {
      const Vec3 center = pose * (*in_b)[j].center;
      for (std::uint32_t i = 0; i < in_a->size(); ++i) {
        const double d = distance((*in_a)[i].center, center);
        if (d <= cutoff_ + slack(c)) visit_({c.a, i, c.b, j, d});
      }
    }
    return false;
  }

 private:
  double cutoff_;
  const ChainTree::SphereVisitor& visit_;
};

}  // namespace

ChainCollision WideChain::collide_changed(ChainMemory* memory) const {
  ChainCollision answer;
  CollisionVisitor visitor(*this, true, answer.work);
  const auto remember = [&](const LinkPair& pair) {
    auto& recent = memory->recent;
    recent.reserve(kRemembered + 1);
    std::erase(recent, pair);
    recent.insert(recent.begin(), pair);
    recent.resize(std::min(recent.size(), kRemembered));
  };
  if (memory != nullptr) {
    for (const LinkPair& pair : memory->recent) {
      if (pair.a >= pair.b || pair.b >= link_count() || !proposal.changed(pair.a, pair.b) ||
          !is_tested(pair.a, pair.b))
        continue;
      const Affine pose = between_links(pair.a, pair.b);
      const double extent = 2.0 * static_cast<double>(levels_.back()[0].radius);
      const Affine same = Affine::identity();
      if (!visitor.touch({pair.a, pair.b, same, same, pose, extent, false})) continue;
      answer.hit = answer.remembered = true;
      answer.pair = pair;
      remember(answer.pair);
      return answer;
    }
  }
  if (proposal.empty()) return answer;
  ChainDescent(*this, true, visitor, answer.work).run();
  answer.hit = visitor.pair.a != kNoTriangle;
  answer.pair = visitor.pair;
  if (answer.hit && memory != nullptr) remember(answer.pair);
  return answer;
}

ChainCollision WideChain::collide_self() const {
  settle();
  ChainCollision answer;
  CollisionVisitor visitor(*this, false, answer.work);
  ChainDescent(*this, false, visitor, answer.work).run();
  answer.hit = visitor.pair.a != kNoTriangle;
  answer.pair = visitor.pair;
  return answer;
}

std::vector<LinkPair> WideChain::contacts() const {
  settle();
  ChainWork work;
  ContactVisitor visitor(*this, false, work);
  ChainDescent(*this, false, visitor, work).run();
  std::sort(visitor.pairs.begin(), visitor.pairs.end());
  return std::move(visitor.pairs);
}

ChainDistance WideChain::distance_self() const {
  settle();
  ChainDistance answer;
  NearestVisitor visitor(*this, false, answer.work);
  ChainDescent(*this, false, visitor, answer.work).run();
  answer.distance = visitor.distance;
  answer.pair = visitor.pair;
  return answer;
}

void WideChain::pairs_within(double cutoff, bool changed_only,
                             const ChainTree::PairVisitor& visit) const {
  if (!changed_only) settle();
  ChainWork work;
  WithinVisitor visitor(*this, changed_only, work, cutoff, visit);
  ChainDescent(*this, changed_only, visitor, work).run();
}

void WideChain::sphere_pairs_within(double cutoff, bool changed_only,
                                    const ChainTree::SphereVisitor& visit) const {
  if (!changed_only) settle();
  ChainWork work;
  SpheresVisitor visitor(*this, changed_only, work, cutoff, visit);
  ChainDescent(*this, changed_only, visitor, work).run();
}

}  // namespace clearance::detail
