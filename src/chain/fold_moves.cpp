// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/fold_moves.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace clearance::detail {

FoldMoves::FoldMoves(const FoldModel& model)
    : model_(&model), torsion_count_(model.torsions.size()), rotor_count_(model.rotors.size()) {
  rotor_order_.resize(rotor_count_);
  std::iota(rotor_order_.begin(), rotor_order_.end(), 0U);
  std::stable_sort(rotor_order_.begin(), rotor_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return model.rotors[a].link < model.rotors[b].link;
  });
  for (std::uint32_t i = 0; i < rotor_count_; ++i) {
    const std::uint32_t link = model.rotors[rotor_order_[i]].link;
    if (!rotor_links_.empty() && rotor_links_.back() == link) continue;
    rotor_links_.push_back(link);
    first_rotor_.push_back(i);
  }
  first_rotor_.push_back(static_cast<std::uint32_t>(rotor_count_));
}

void FoldMoves::draw(Random& random, const FoldOptions& options, std::span<const double> angles,
                     std::vector<FoldTurn>& turns) const {
  turns.clear();
  const std::uint64_t wanted =
      std::min<std::uint64_t>(1 + random.below(options.moves), angle_count());
  while (turns.size() < wanted) {
    const auto index = static_cast<std::uint32_t>(random.below(angle_count()));
    const bool taken = std::any_of(turns.begin(), turns.end(),
                                   [&](const FoldTurn& turn) { return turn.index == index; });
    if (taken) continue;
    const FoldTorsion* torsion = is_torsion(index) ? &model_->torsions[index] : nullptr;
    const bool slides = torsion != nullptr && torsion->slides;
    const double largest = slides ? options.largest_slide : options.largest_angle;
    FoldTurn turn{index, angles[index] + random.uniform(-largest, largest), true};
    const bool limited =
        torsion != nullptr && (std::isfinite(torsion->lowest) || std::isfinite(torsion->highest));
    if (limited) {
      turn.within_limits = turn.angle >= torsion->lowest && turn.angle <= torsion->highest;
    } else if (!slides) {
      // A full turn is no turn; without this a million steps would carry the angle away.
      turn.angle = std::remainder(turn.angle, 2.0 * std::numbers::pi);
    }
    turns.push_back(turn);
  }
}

JointChange FoldMoves::joint_at(std::uint32_t torsion, double angle) const {
  const FoldTorsion& t = model_->torsions[torsion];
  const Pose& start = model_->chain.joints[t.joint];
  if (t.slides) return {t.joint, {start.rotation, start.translation + angle * t.unit_axis}};
  return {t.joint, turned(start, t.point, t.unit_axis, angle)};
}

std::uint32_t FoldMoves::link_of(std::uint32_t index) const {
  return model_->rotors[index - torsion_count_].link;
}

const LinkSpheres& FoldMoves::spheres_at(std::uint32_t link, std::span<const double> angles) {
  scratch_ = std::get<LinkSpheres>(model_->chain.links[link]);
  const auto at = std::lower_bound(rotor_links_.begin(), rotor_links_.end(), link);
  const auto slot = static_cast<std::size_t>(at - rotor_links_.begin());
  // From the outermost inward, each about its axis at the start: what an inner rotor turns is the
  // side chain as the outer ones left it, and its own axis has not moved yet.
  const LinkSpheres& start = std::get<LinkSpheres>(model_->chain.links[link]);
  for (std::uint32_t i = first_rotor_[slot + 1]; i-- > first_rotor_[slot];) {
    const FoldRotor& rotor = model_->rotors[rotor_order_[i]];
    const double angle = angles[torsion_count_ + rotor_order_[i]];
    if (angle == 0.0) continue;
    const Vec3 point = start[rotor.from].center;
    const Mat3 turn = rotation_about(normalized(start[rotor.to].center - point), angle);
    for (const std::uint32_t sphere : rotor.moved)
      scratch_[sphere].center = turn * (scratch_[sphere].center - point) + point;
  }
  return scratch_;
}

}  // namespace clearance::detail
