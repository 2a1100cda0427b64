// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The questions asked of pairs of links, as visitors of a descent over a chain tree:
//
//   double threshold() const;            // farther pairs need not be shown; may shrink
//   bool links(a, b, a_from_b, slack);   // true: stop, the answer is known
//
// a < b are links, a_from_b the pose of b in the frame of a, and slack what that may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "chain/chain_state.h"
#include "chain/link_pair.h"

namespace clearance::detail {

/// What all visitors share: the exact tests of two links.
class LinkVisitor {
 public:
  LinkVisitor(const ChainTree::State& state, bool changed_only, ChainWork& work)
      : state_(state), changed_only_(changed_only), work_(work) {}

 protected:
  [[nodiscard]] bool matters(std::uint32_t a, std::uint32_t b) const {
    return state_.is_tested(a, b) && (!changed_only_ || state_.proposal.changed(a, b));
  }
  /// Distance of two links, 0 when they may touch.
  [[nodiscard]] double apart(std::uint32_t a, std::uint32_t b, const Pose& a_from_b, double slack) {
    const LinkShape& shape_a = state_.chain.links[a];
    const LinkShape& shape_b = state_.chain.links[b];
    work_.link_tests += parts(shape_a) * parts(shape_b);
    const double gap = link_distance(shape_a, shape_b, a_from_b);
    return gap <= slack ? 0.0 : gap;
  }
  static std::size_t parts(const LinkShape& shape) {
    const auto* spheres = std::get_if<LinkSpheres>(&shape);
    return spheres != nullptr ? spheres->size() : 1;
  }

  const ChainTree::State& state_;
  bool changed_only_;
  ChainWork& work_;
};

/// Does any pair touch?
class TouchVisitor : LinkVisitor {
 public:
  using LinkVisitor::LinkVisitor;
  static double threshold() { return 0.0; }
  bool links(std::uint32_t a, std::uint32_t b, const Pose& a_from_b, double slack) {
    if (!matters(a, b) || apart(a, b, a_from_b, slack) > 0.0) return false;
    pair = {a, b};
    return true;
  }
  [[nodiscard]] bool hit() const { return pair.a != kNoTriangle; }

  LinkPair pair;
};

/// All pairs that touch.
class ContactsVisitor : LinkVisitor {
 public:
  using LinkVisitor::LinkVisitor;
  static double threshold() { return 0.0; }
  bool links(std::uint32_t a, std::uint32_t b, const Pose& a_from_b, double slack) {
    if (matters(a, b) && apart(a, b, a_from_b, slack) == 0.0) pairs.push_back({a, b});
    return false;
  }

  std::vector<LinkPair> pairs;
};

/// The closest pair, of equally close ones the lowest.
class ClosestVisitor : LinkVisitor {
 public:
  using LinkVisitor::LinkVisitor;
  [[nodiscard]] double threshold() const { return distance; }
  bool links(std::uint32_t a, std::uint32_t b, const Pose& a_from_b, double slack) {
    if (!matters(a, b)) return false;
    // Links without a body are infinitely far from all others.
    const double here = apart(a, b, a_from_b, slack);
    if (!std::isfinite(here)) return false;
    const LinkPair candidate{a, b};
    if (here < distance || (here == distance && candidate < pair)) {
      distance = here;
      pair = candidate;
    }
    return false;
  }

  double distance = std::numeric_limits<double>::infinity();
  LinkPair pair;
};

/// Pairs at a cutoff or closer.
class CutoffVisitor : LinkVisitor {
 public:
  CutoffVisitor(const ChainTree::State& state, bool changed_only, ChainWork& work, double cutoff,
                const ChainTree::PairVisitor& visit)
      : LinkVisitor(state, changed_only, work), cutoff_(cutoff), visit_(visit) {}
  [[nodiscard]] double threshold() const { return cutoff_; }
  bool links(std::uint32_t a, std::uint32_t b, const Pose& a_from_b, double slack) {
    if (!matters(a, b)) return false;
    const double here = apart(a, b, a_from_b, slack);
    if (here <= cutoff_ + slack) visit_(a, b, here);
    return false;
  }

 private:
  double cutoff_;
  const ChainTree::PairVisitor& visit_;
};

/// Pairs of spheres with centres at a cutoff or closer.
class CenterCutoffVisitor : LinkVisitor {
 public:
  CenterCutoffVisitor(const ChainTree::State& state, bool changed_only, ChainWork& work,
                      double cutoff, const ChainTree::SphereVisitor& visit)
      : LinkVisitor(state, changed_only, work), cutoff_(cutoff), visit_(visit) {}
  /// Surfaces are nearer than centres.
  [[nodiscard]] double threshold() const { return cutoff_; }
  bool links(std::uint32_t a, std::uint32_t b, const Pose& a_from_b, double slack) {
    const auto* in_a = std::get_if<LinkSpheres>(&state_.chain.links[a]);
    const auto* in_b = std::get_if<LinkSpheres>(&state_.chain.links[b]);
    if (in_a == nullptr || in_b == nullptr || !matters(a, b)) return false;
    work_.link_tests += in_a->size() * in_b->size();
    for (std::uint32_t j = 0; j < in_b->size(); ++j) {
      const Vec3 center = a_from_b * (*in_b)[j].center;
      for (std::uint32_t i = 0; i < in_a->size(); ++i) {
        const double here = distance((*in_a)[i].center, center);
        if (here <= cutoff_ + slack) visit_({a, i, b, j, here});
      }
    }
    return false;
  }

 private:
  double cutoff_;
  const ChainTree::SphereVisitor& visit_;
};

}  // namespace clearance::detail
