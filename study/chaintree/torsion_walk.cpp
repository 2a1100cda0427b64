// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/torsion_walk.h"

#include <numeric>
#include <utility>

namespace clearance::study {

TorsionWalk::TorsionWalk(const Chain& chain, std::vector<std::uint32_t> joints, std::uint64_t seed,
                         double largest_turn)
    : joints_(chain.joints),
      angles_(chain.joints.size(), 0.0),
      free_(std::move(joints)),
      random_(seed),
      largest_turn_(largest_turn) {
  if (free_.empty()) {
    free_.resize(joints_.size());
    std::iota(free_.begin(), free_.end(), 0U);
  }
  CLEARANCE_ASSERT(!free_.empty());
}

JointChange TorsionWalk::propose() {
  proposed_joint_ = free_[random_.below(free_.size())];
  proposed_angle_ = angles_[proposed_joint_] + random_.uniform(-largest_turn_, largest_turn_);
  return {proposed_joint_, turned(joints_[proposed_joint_], {}, {1.0, 0.0, 0.0}, proposed_angle_)};
}

void TorsionWalk::answer(bool kept) {
  if (kept) angles_[proposed_joint_] = proposed_angle_;
}

Recording record(StepMethod& method, TorsionWalk& walk, std::uint64_t steps) {
  Recording recording;
  recording.moves.reserve(steps);
  recording.hits.reserve(steps);
  for (std::uint64_t i = 0; i < steps; ++i) {
    const JointChange move = walk.propose();
    const bool hit = method.step({&move, 1});
    walk.answer(!hit);
    recording.moves.push_back(move);
    recording.hits.push_back(hit);
  }
  return recording;
}

}  // namespace clearance::study
