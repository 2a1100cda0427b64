// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The questions asked of a wide chain.
#include <algorithm>
#include <variant>
#include <vector>

#include "chain/found_pairs.h"
#include "chain/link_pair.h"
#include "chain/link_visitors.h"
#include "chain/wide_chain_descent.h"

namespace clearance::detail {
namespace {

/// Pairs that collided and are tested first the next time.
constexpr std::size_t kRemembered = 2;

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

/// Does any pair touch? As TouchVisitor, but takes the descent's word where that is certain, and
/// stops at the first two spheres.
class CollisionVisitor : LinkVisitor {
 public:
  using LinkVisitor::LinkVisitor;
  static double threshold() { return 0.0; }
  bool candidate(const LinkCandidate& c) {
    if (!matters(c.a, c.b)) return false;
    if (!c.certain && !touch(c.a, c.b, c.a_from_b(), c.slack)) return false;
    pair = {c.a, c.b};
    return true;
  }
  bool touch(std::uint32_t a, std::uint32_t b, const Pose& a_from_b, double slack) {
    const LinkShape& shape_a = state_.chain.links[a];
    const LinkShape& shape_b = state_.chain.links[b];
    work_.link_tests += parts(shape_a) * parts(shape_b);
    const auto* in_a = std::get_if<LinkSpheres>(&shape_a);
    const auto* in_b = std::get_if<LinkSpheres>(&shape_b);
    return in_a != nullptr && in_b != nullptr ? spheres_touch(*in_a, *in_b, a_from_b, slack)
                                              : links_touch(shape_a, shape_b, a_from_b, slack);
  }
  [[nodiscard]] bool hit() const { return pair.a != kNoTriangle; }

  LinkPair pair;
};

/// Centres at the cutoff are nearer at their surfaces, by twice the skin at least.
class SkinnedCenterVisitor : public CenterCutoffVisitor {
 public:
  SkinnedCenterVisitor(const WideChain& chain, bool changed_only, ChainWork& work, double cutoff,
                       const ChainTree::SphereVisitor& visit)
      : CenterCutoffVisitor(chain, changed_only, work, cutoff, visit),
        threshold_(std::max(cutoff - 2.0 * chain.skin(), 0.0)) {}
  [[nodiscard]] double threshold() const { return threshold_; }

 private:
  double threshold_;
};

}  // namespace

ChainCollision WideChain::collide_changed(ChainMemory* memory) const {
  ChainCollision answer;
  if (proposal.empty()) return answer;
  if (pending_) fetch_path(proposal.joints()[0]);
  CollisionVisitor visitor(*this, true, answer.work);
  const Tops all_tops = tops();
  if (memory != nullptr) {
    const double slack = pose_slack(2.0 * all_tops.reach);
    for (const LinkPair& pair : memory->recent) {
      if (pair.a >= pair.b || pair.b >= link_count() || !proposal.changed(pair.a, pair.b) ||
          !is_tested(pair.a, pair.b))
        continue;
      if (!visitor.touch(pair.a, pair.b, between_links(pair.a, pair.b, &all_tops).pose(), slack))
        continue;
      answer.remembered = true;
      visitor.pair = pair;
      break;
    }
  }
  if (!answer.remembered) ChainDescent(*this, true, visitor, answer.work).run(all_tops);
  answer.hit = visitor.hit();
  answer.pair = visitor.pair;
  if (answer.hit && memory != nullptr) remember(memory->recent, answer.pair, kRemembered);
  return answer;
}

ChainCollision WideChain::collide_self() const {
  settle();
  ChainCollision answer;
  CollisionVisitor visitor(*this, false, answer.work);
  ChainDescent(*this, false, visitor, answer.work).run();
  answer.hit = visitor.hit();
  answer.pair = visitor.pair;
  return answer;
}

std::vector<LinkPair> WideChain::contacts() const {
  settle();
  ChainWork work;
  ContactsVisitor visitor(*this, false, work);
  ChainDescent(*this, false, visitor, work).run();
  std::sort(visitor.pairs.begin(), visitor.pairs.end());
  return std::move(visitor.pairs);
}

ChainDistance WideChain::distance_self() const {
  settle();
  ChainDistance answer;
  ClosestVisitor visitor(*this, false, answer.work);
  ChainDescent(*this, false, visitor, answer.work).run();
  answer.distance = visitor.distance;
  answer.pair = visitor.pair;
  return answer;
}

void WideChain::pairs_within(double cutoff, bool changed_only,
                             const ChainTree::PairVisitor& visit) const {
  if (!changed_only) settle();
  ChainWork work;
  CutoffVisitor visitor(*this, changed_only, work, cutoff, visit);
  ChainDescent(*this, changed_only, visitor, work).run();
}

void WideChain::sphere_pairs_within(double cutoff, bool changed_only,
                                    const ChainTree::SphereVisitor& visit) const {
  if (!changed_only) settle();
  ChainWork work;
  SkinnedCenterVisitor visitor(*this, changed_only, work, cutoff, visit);
  ChainDescent(*this, changed_only, visitor, work).run();
}

}  // namespace clearance::detail
