// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The online stage of the bin-picking paper: 428 grasps of 15 candidates in a pile of 25 con-rods.
// The rival is the same loop on FCL's trees of oriented boxes, as in the paper: each grasp against
// the floor and each other part until one is hit. One thread, the same answers.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <fcl/narrowphase/collision.h>

#include <clearance/grasp/pick.h>

#include "bin_picking/bin_picking.h"
#include "fcl_mesh.h"
#include "harness.h"

namespace clearance::bench {
namespace {

constexpr std::size_t kGrasps = 428;
constexpr std::size_t kParts = 25;
constexpr std::size_t kCandidates = 15;

struct PickRun {
  study::ConRod rod;
  Gripper gripper;
  std::vector<Grasp> grasps;
  Pile pile;
  Picker picker;
  PickOptions options;
};

std::shared_ptr<const PickRun> pick_run() {
  study::ConRod rod = study::con_rod(6000).value();
  Gripper gripper = Gripper::of_boxes({}).value();
  const GraspSet set =
      generate_grasps(rod.model, gripper, rod.wire_frame, {.quality = {.friction = 1.0}}).value();
  std::vector<Grasp> grasps(set.grasps.begin(),
                            set.grasps.begin() + static_cast<std::ptrdiff_t>(kGrasps));
  const double diagonal = rod.model.mesh().bounds().diagonal();
  PileOptions options;
  options.bin.length = options.bin.width = 1.2 * diagonal;
  options.count = kParts;
  options.seed = seed();
  options.pieces_error = 0.05 * diagonal;
  Pile pile = simulate_pile(rod.model, options).value().pile;
  Picker picker = Picker::make(rod.model, gripper, grasps).value();
  PickOptions pick;
  pick.measure_clearance = false;
  pick.threads = {1};
  for (std::size_t i = kParts - kCandidates; i < kParts; ++i) pick.candidates.push_back(i);
  return std::make_shared<const PickRun>(PickRun{std::move(rod), std::move(gripper),
                                                 std::move(grasps), std::move(pile),
                                                 std::move(picker), std::move(pick)});
}

/// Free grasps of each candidate, by the loop of the paper.
class FclPicks {
 public:
  explicit FclPicks(std::shared_ptr<const PickRun> run)
      : run_(std::move(run)),
        part_(FclMesh(run_->rod.model.mesh()).tree<fcl::OBBd>()),
        gripper_(FclMesh(run_->gripper.open().mesh()).tree<fcl::OBBd>()) {
    for (const Pose& pose : run_->pile.parts) poses_.push_back(fcl_pose(pose));
  }
  [[nodiscard]] std::vector<std::size_t> free_counts() const {
    std::vector<std::size_t> counts(kParts, 0);
    for (const std::size_t candidate : run_->options.candidates) {
      for (const Grasp& grasp : run_->grasps)
        counts[candidate] += is_free(candidate, grasp) ? 1 : 0;
    }
    return counts;
  }

 private:
  [[nodiscard]] bool is_free(std::size_t candidate, const Grasp& grasp) const {
    const Pose pose = run_->pile.parts[candidate] * grasp.part_from_gripper;
    for (const Vec3& v : run_->gripper.open().mesh().vertices())
      if ((pose * v).z <= 0.0) return false;
    const fcl::Transform3d placed = fcl_pose(pose);
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      if (i == candidate) continue;
      const fcl::CollisionRequestd request;
      fcl::CollisionResultd result;
      if (fcl::collide(part_.get(), poses_[i], gripper_.get(), placed, request, result) > 0)
        return false;
    }
    return true;
  }

  std::shared_ptr<const PickRun> run_;
  std::shared_ptr<fcl::BVHModel<fcl::OBBd>> part_;
  std::shared_ptr<fcl::BVHModel<fcl::OBBd>> gripper_;
  std::vector<fcl::Transform3d> poses_;
};

std::vector<std::size_t> our_free_counts(const PickRun& run) {
  std::vector<std::size_t> counts(kParts, 0);
  const PickResult result = run.picker.evaluate(run.pile, {}, run.options).value();
  for (const Candidate& candidate : result.ranked) counts[candidate.part] = candidate.free.size();
  return counts;
}

const RowEntry kOnline{
    "pick/conrod_pile/428x15", [] {
      const std::shared_ptr<const PickRun> run = pick_run();
      auto theirs = std::make_shared<FclPicks>(run);
      return Row{.rival = "fcl OBB",
                 .ours = [=] { keep(our_free_counts(*run)); },
                 .theirs = [=] { keep(theirs->free_counts()); },
                 .equal = [=] { return our_free_counts(*run) == theirs->free_counts(); },
                 .bar = 20.0,
                 .items = kGrasps * kCandidates};
    }};

const FigureEntry kTwoCores{"pick/conrod_pile/428x15/two cores", [] {
                              const std::shared_ptr<const PickRun> run = pick_run();
                              PickOptions options = run->options;
                              options.threads = {2};
                              std::vector<double> times;
                              for (int i = 0; i < 31; ++i) {
                                const auto start = std::chrono::steady_clock::now();
                                keep(run->picker.evaluate(run->pile, {}, options).value().valid);
                                times.push_back(std::chrono::duration<double, std::milli>(
                                                    std::chrono::steady_clock::now() - start)
                                                    .count());
                              }
                              return Figure{.value = median(times), .unit = "ms", .at_most = 20.0};
                            }};

}  // namespace
}  // namespace clearance::bench
