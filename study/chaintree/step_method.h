// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One step of a simulation with rejection, as every structure under comparison takes it: change
// some joints, ask whether the chain touches itself, keep the change when it does not and undo it
// when it does. All methods get the same moves and must give the same answers.
//
// Chains of links that are groups of spheres only. The starting state must be free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clearance/chain/chain.h>

namespace clearance::study {

/// What all steps so far did.
struct StepWork {
  std::uint64_t steps = 0;
  std::uint64_t hits = 0;          ///< steps that collided and were undone
  std::uint64_t box_tests = 0;     ///< pairs of bounding volumes; 0 for grids
  std::uint64_t sphere_tests = 0;  ///< pairs of spheres whose distance was taken
  std::uint64_t remembered = 0;    ///< hits found by the pair of an earlier hit, without a descent
  double update_seconds = 0.0;     ///< timed_step() only: update, keep and undo
  double test_seconds = 0.0;       ///< timed_step() only
};

class StepMethod {
 public:
  StepMethod() = default;
  StepMethod(const StepMethod&) = delete;
  StepMethod& operator=(const StepMethod&) = delete;
  virtual ~StepMethod() = default;

  /// True when the changed chain touched itself and the change was undone.
  bool step(std::span<const JointChange> changes);
  /// The same, with update and test timed apart. Three looks at the clock, about 0.1 microseconds.
  bool timed_step(std::span<const JointChange> changes);

  [[nodiscard]] const StepWork& work() const { return work_; }
  void reset_work() { work_ = {}; }

  [[nodiscard]] virtual std::string name() const = 0;
  /// The joint as last kept.
  [[nodiscard]] virtual const Pose& joint(std::size_t i) const = 0;
  /// Centres of all spheres as last kept, link by link, in the frame of link 0. O(N).
  [[nodiscard]] virtual std::vector<Vec3> centers() const = 0;

 protected:
  /// Makes the changed chain the one that is tested.
  virtual void update(std::span<const JointChange> changes) = 0;
  /// Does any pair of spheres touch that moved relative to each other? May stop at the first.
  virtual bool test() = 0;
  /// The changed chain becomes the kept one.
  virtual void keep() = 0;
  /// Back to the kept chain.
  virtual void undo() = 0;

  StepWork work_;
};

}  // namespace clearance::study
