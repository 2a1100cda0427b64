// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The moves of the study: one torsion a step, undone when the chain touches itself. The sequence is
// given by the seed and by which moves were kept, so that methods that give the same answers get
// the same moves.
#pragma once

#include <cstdint>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/chain/chain.h>

#include "chaintree/step_method.h"

namespace clearance::study {

/// Largest angle of a move [rad]: 10 degrees. The paper does not give its own; with this one a
/// K-OBBTree needs about as many box tests a step as the paper counted.
inline constexpr double kLargestTurn = 0.17453292519943295;

class TorsionWalk {
 public:
  /// `joints`: those that may turn, each about the x axis of the link before it; all of the chain
  /// when empty. At least one joint.
  TorsionWalk(const Chain& chain, std::vector<std::uint32_t> joints, std::uint64_t seed,
              double largest_turn = kLargestTurn);

  /// The next move: a joint at random, turned on by an angle uniform in ±largest_turn. Always from
  /// the joint as it was at the start, so that nothing drifts.
  [[nodiscard]] JointChange propose();
  /// Whether the last move was kept.
  void answer(bool kept);

 private:
  std::vector<Pose> joints_;         ///< at the start
  std::vector<double> angles_;       ///< since then, by joint
  std::vector<std::uint32_t> free_;  ///< joints that may turn
  Random random_;
  double largest_turn_;
  std::uint32_t proposed_joint_ = 0;
  double proposed_angle_ = 0.0;
};

/// A walk as it went: to be repeated by other methods.
struct Recording {
  std::vector<JointChange> moves;
  std::vector<bool> hits;  ///< the move collided and was undone
};
/// `steps` moves with a method that has just been made.
[[nodiscard]] Recording record(StepMethod& method, TorsionWalk& walk, std::uint64_t steps);

}  // namespace clearance::study
