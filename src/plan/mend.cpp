// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mend.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/proof_open.h"
#include "plan/solid_query.h"

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
// Looks by halving before a motion is walked through (proof.cpp).
constexpr std::size_t kHalvings = 15;
constexpr std::size_t kHalvingsInTheOpen = 200;
// The part of a proven radius that is used: the rest stays proven everywhere around the look, and
// makes the clearance that the proof states.
constexpr double kUsed = 0.9;
// Steps are shortened by this when a piece is mended, twice at most.
constexpr double kShorter = 8.0;
constexpr int kMends = 2;
// Steps of a mended piece, at most: more than a straight piece would have, for the bends.
constexpr int kMostSteps = 64;
// Parts of a way in the open that are proven side by side are no longer than this, as a part of the
// size of the body.
constexpr double kLongestPart = 0.7;

}  // namespace

PlanPath path_along(const PlanProblem& problem, const std::vector<Place>& way) {
  PlanPath path;
  path.pivot = pivot_of(problem.body);
  for (const Place& place : way) path.poses.push_back(pose_of(place, path.pivot));
  if (!path.poses.empty()) path.poses.front() = problem.start;
  if (problem.goal && path.poses.size() > 1) path.poses.back() = *problem.goal;
  return path;
}

void Mender::begin(FreeSpace& space, const std::vector<Place>& way) {
  if (!prover_) prover_.emplace(problem_);
  space_ = &space;
  way_ = &way;
  path_ = path_along(problem_, way);
  proven_ = {};
  proven_.places.push_back(way.front());
  proven_.proof.status = ProofStatus::Free;
  proven_.proof.clearance_lower = std::numeric_limits<double>::infinity();
  proven_.proof.clearance_upper = std::numeric_limits<double>::infinity();
}

MotionToProve Mender::to_prove(const RigidMotion& motion, const Pose& to) const {
  const double speed = prover_->longest_way(motion);
  return {problem_.obstacles,
          problem_.body,
          motion,
          speed,
          problem_.clearance,
          piece_rounding(problem_, motion, speed, to),
          kUsed};
}

bool Mender::add(const Pose& from, const Pose& to, const Place& place, std::size_t looks,
                 bool open) {
  const RigidMotion motion = RigidMotion::interpolated(from, to, path_.pivot);
  const MotionToProve it = to_prove(motion, to);
  Looks found;
  found.left = {{0.0, 1.0}};
  halve(it, std::min(looks, open ? kHalvingsInTheOpen : kHalvings), coherence_, found);
  if (found.status == ProofStatus::Free)
    advance(it, looks - std::min(looks, found.count), nullptr, coherence_, found);
  return note(found, place);
}

bool Mender::note(const Looks& found, const Place& place) {
  space_->count(found.work);
  if (found.status != ProofStatus::Free) return false;
  PathProof& proof = proven_.proof;
  proof.looks += found.count;
  proof.work += found.work;
  proof.clearance_lower = std::min(proof.clearance_lower, found.lower);
  if (found.narrowest.distance < proof.clearance_upper)
    note_narrowest(proof,
                   {proven_.places.size() - 1, found.narrowest_time, found.narrowest.distance},
                   found.narrowest);
  proven_.places.push_back(place);
  return true;
}

bool Mender::mend(std::size_t piece, double step, double margin) {
  const Place& from = (*way_)[piece];
  const Place& to = (*way_)[piece + 1];
  const ProvenWay before = proven_;
  double shorter = step;
  for (int mend = 0; mend < kMends; ++mend) {
    shorter /= kShorter;
    Slider slider(*space_, {.step = shorter, .margin = margin, .pull = 4.0});
    Place place = from;
    Pose pose = path_.poses[piece];
    Near near = space_->look(place, 2.0 * shorter);
    for (int count = 0; count < kMostSteps; ++count) {
      const Slider::Outcome next = slider.step(place, near, between(place, to, space_->radius()));
      if (!next.moved) break;
      const bool last = norm(between(next.place, to, space_->radius())) < 1e-9 * space_->size();
      const Place there = last ? to : next.place;
      const Pose pose_there = last ? path_.poses[piece + 1] : pose_of(there, path_.pivot);
      if (!add(pose, pose_there, there, kLooksOfMend, false)) break;
      if (last) return true;
      place = there;
      pose = pose_there;
      near = next.near;
    }
    proven_ = before;
  }
  return false;
}

ProvenWay Mender::finished() {
  PathProof& proof = proven_.proof;
  if (path_.size() == 0) {
    proof = prove_path(problem_, path_, {.threads = {1}});
  } else if (!(proof.clearance_upper < std::numeric_limits<double>::infinity())) {
    // All looks were farther than anything that mattered: how far, for people.
    const SolidDistance first = distance_of(problem_, path_.poses.front(), &coherence_);
    proof.work += first.work;
    ++proof.looks;
    note_narrowest(proof, {0, 0.0, first.distance}, first.surface);
  }
  return std::move(proven_);
}

std::optional<ProvenWay> Mender::prove(FreeSpace& space, const std::vector<Place>& way, double step,
                                       double margin, const Monitor* monitor) {
  begin(space, way);
  std::size_t jump = kFirstJump;
  for (std::size_t piece = 0; piece + 1 < way.size();) {
    if (is_cancelled(monitor)) return std::nullopt;
    const std::size_t next = std::min(piece + jump, way.size() - 1);
    const bool single = next == piece + 1;
    if (add(path_.poses[piece], path_.poses[next], way[next], single ? kLooks : kLooksOfShortCut,
            false)) {
      piece = next;
      jump *= 2;
      continue;
    }
    if (!single) {
      jump = std::max<std::size_t>(1, (next - piece) / 4);
      continue;
    }
    if (!mend(piece, step, margin)) {
      refused_ = piece;
      return std::nullopt;
    }
    piece = next;
  }
  return finished();
}

std::optional<ProvenWay> Mender::prove(FreeSpace& space, const std::vector<Place>& way,
                                       const std::vector<std::size_t>& chosen, Threads threads,
                                       const Monitor* monitor) {
  begin(space, way);
  const std::size_t pieces = chosen.size() - 1;
  std::vector<RigidMotion> motions;
  for (std::size_t i = 0; i < pieces; ++i) {
    motions.push_back(
        RigidMotion::interpolated(path_.poses[chosen[i]], path_.poses[chosen[i + 1]], path_.pivot));
  }
  std::vector<MotionToProve> to_prove_them;
  for (std::size_t i = 0; i < pieces; ++i)
    to_prove_them.push_back(to_prove(motions[i], path_.poses[chosen[i + 1]]));
  OpenProof proof(std::move(to_prove_them), kLongestPart * space.size());
  proof.look(threads, monitor);
  for (std::size_t i = 0; i < pieces; ++i) {
    if (is_cancelled(monitor)) return std::nullopt;
    const std::size_t next = chosen[i + 1];
    if (note(proof.looks_at(i), way[next])) continue;
    for (refused_ = chosen[i]; refused_ < next; ++refused_) {
      if (next == chosen[i] + 1 ||
          !add(path_.poses[refused_], path_.poses[refused_ + 1], way[refused_ + 1], kLooks, true))
        return std::nullopt;
    }
  }
  return finished();
}

}  // namespace clearance::detail
