// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The proof of a motion along narrow passages, triangle by triangle. One distance of the whole
// bodies covers a motion as far as its fastest point moves by that distance, in whatever direction:
// a nut on its thread takes a thousand of them for a turn. But flanks move along each other, hardly
// towards each other. So each pair of triangles that may come close is separated by a direction of
// its own, the normal of one of them as a rule, for as long as no corner crosses it: to second
// order of its motion along that direction.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/query/model.h>

#include "plan/proof_motion.h"

namespace clearance::detail {

class PairProver {
 public:
  /// Builds a tree of boxes over the obstacles: some time for a million triangles.
  PairProver(const Model& obstacles, const Model& body);

  /// Covers all that is left of a motion, or refuses it, as advance() does (proof_motion.h): what
  /// the looks so far have seen says how much of the clearance is to stay proven. `it` is of the
  /// same bodies.
  void cover(const MotionToProve& it, const Monitor* monitor, Coherence& coherence,
             Looks& looks) const;

  /// Is it likely to take less work than looks at what is left would?
  [[nodiscard]] static bool is_better(const MotionToProve& it, const Looks& looks);

 private:
  struct Node {
    Box box;
    std::uint32_t first = 0;  ///< of its triangles
    std::uint32_t count = 0;  ///< of a leaf; 0: children at `first` and the next
  };
  struct Facet {
    Triangle triangle;
    Vec3 normal;
    Box box;
  };
  class Cover;

  std::vector<Facet> obstacles_;  ///< in the order of the leaves
  std::vector<Node> nodes_;
  std::vector<Facet> body_;
};

/// A prover that is made when it is first asked for, by whichever thread asks.
class LazyPairProver {
 public:
  explicit LazyPairProver(const PlanProblem& problem) : problem_(problem) {}
  [[nodiscard]] const PairProver& get() {
    std::call_once(made_, [this] { prover_.emplace(problem_.obstacles, problem_.body); });
    return *prover_;
  }

 private:
  const PlanProblem& problem_;
  std::once_flag made_;
  std::optional<PairProver> prover_;
};

/// Covers what is left: by looks, `most` at most, or pair by pair where that is less work.
void cover_rest(const MotionToProve& it, std::size_t most, LazyPairProver& pairs,
                const Monitor* monitor, Coherence& coherence, Looks& looks);

}  // namespace clearance::detail
