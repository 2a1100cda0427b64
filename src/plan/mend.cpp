// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mend.h"

#include <algorithm>

namespace clearance::detail {
namespace {

// Distances for one piece, at most: a piece of a hundredth of the body through a play of a
// millionth of it.
constexpr std::size_t kLooks = 20'000;
// ...for a step of one that is mended...
constexpr std::size_t kLooksOfMend = 2000;
// ...and for a short cut over several: those in the open need a few.
constexpr std::size_t kLooksOfShortCut = 60;
constexpr std::size_t kFirstJump = 4;
// Steps are shortened by this when a piece is mended, twice at most.
constexpr double kShorter = 8.0;
constexpr int kMends = 2;
// Steps of a mended piece, at most: more than a straight piece would have, for the bends.
constexpr int kMostSteps = 64;

}  // namespace

bool Mender::is_free(FreeSpace& space, const Place& from, const Place& to, std::size_t looks) {
  Work work;
  const RigidMotion motion = RigidMotion::interpolated(pose_of(from, space.pivot()),
                                                       pose_of(to, space.pivot()), space.pivot());
  const ProofStatus status = prover_->prove(motion, looks, coherence_, work);
  space.count(work);
  return status == ProofStatus::Free;
}

std::vector<Place> Mender::mended(FreeSpace& space, const Place& from, const Place& to, double step,
                                  double margin) {
  double shorter = step;
  for (int mend = 0; mend < kMends; ++mend) {
    shorter /= kShorter;
    Slider slider(space, {.step = shorter, .margin = margin, .pull = 4.0});
    std::vector<Place> steps;
    Place place = from;
    Near near = space.look(place, 2.0 * shorter);
    for (int count = 0; count < kMostSteps; ++count) {
      const Slider::Outcome next = slider.step(place, near, between(place, to, space.radius()));
      if (!next.moved) break;
      const bool last = norm(between(next.place, to, space.radius())) < 1e-9 * space.size();
      const Place there = last ? to : next.place;
      if (!is_free(space, place, there, kLooksOfMend)) break;
      steps.push_back(there);
      if (last) return steps;
      place = there;
      near = next.near;
    }
  }
  return {};
}

std::optional<std::vector<Place>> Mender::prove(FreeSpace& space, const std::vector<Place>& way,
                                                double step, double margin,
                                                const Monitor* monitor) {
  if (!prover_) prover_.emplace(problem_);
  std::vector<Place> proven{way.front()};
  std::size_t jump = kFirstJump;
  for (std::size_t piece = 0; piece + 1 < way.size();) {
    if (is_cancelled(monitor)) return std::nullopt;
    const std::size_t next = std::min(piece + jump, way.size() - 1);
    const bool single = next == piece + 1;
    if (is_free(space, way[piece], way[next], single ? kLooks : kLooksOfShortCut)) {
      proven.push_back(way[next]);
      piece = next;
      jump *= 2;
      continue;
    }
    if (!single) {
      jump = std::max<std::size_t>(1, (next - piece) / 4);
      continue;
    }
    const std::vector<Place> steps = mended(space, way[piece], way[next], step, margin);
    if (steps.empty()) {
      refused_ = piece;
      return std::nullopt;
    }
    proven.insert(proven.end(), steps.begin(), steps.end());
    piece = next;
  }
  return proven;
}

}  // namespace clearance::detail
