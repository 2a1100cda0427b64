// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A path while it is being improved: its poses, the proof of a change, and the budget. Changes are
// tried many at a time, each by itself, and kept in the order of the path: the number of threads
// changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <clearance/plan/improve.h>
#include <clearance/plan/proof.h>

namespace clearance::detail {

class PathEditor {
 public:
  PathEditor(const PlanProblem& problem, const PlanPath& path, const ImproveOptions& options);

  std::vector<Pose> poses;

  [[nodiscard]] const PlanProblem& problem() const { return problem_; }
  [[nodiscard]] const Vec3& pivot() const { return pivot_; }
  [[nodiscard]] double radius() const { return radius_; }
  /// As pose_distance, with the radius of gyration.
  [[nodiscard]] double apart(const Pose& a, const Pose& b) const;
  [[nodiscard]] RigidMotion motion(const Pose& a, const Pose& b) const {
    return RigidMotion::interpolated(a, b, pivot_);
  }

  /// Is the motion between two poses proven to keep this clearance?
  [[nodiscard]] bool keeps(const Pose& a, const Pose& b, double clearance, std::size_t looks,
                           Work& work) const;
  [[nodiscard]] bool free(const Pose& a, const Pose& b, Work& work) const;

  /// The closest look at the motion, and when: within a factor of two of its clearance.
  struct Narrowest {
    double time = 0.0;
    double distance = 0.0;
  };
  [[nodiscard]] Narrowest narrowest(const Pose& a, const Pose& b, Work& work) const;

  /// Calls attempt(i, work) for each i below count, on all threads, and charges the work.
  void each(std::size_t count, const std::function<void(std::size_t, Work&)>& attempt);

  /// The budget is used up, or the caller wants it to end.
  [[nodiscard]] bool spent() const;
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  const PlanProblem& problem_;
  const ImproveOptions& options_;
  MotionProver prover_;
  Vec3 pivot_;
  double radius_;
  std::uint64_t operations_ = 0;
};

/// Poses left out and corners cut, until it hardly gets shorter.
void shorten(PathEditor& editor);
/// Poses moved away from the obstacles, up to a clearance of `widen_to` [m].
void widen(PathEditor& editor, double widen_to);

}  // namespace clearance::detail
