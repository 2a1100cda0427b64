// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For programs that plan with OMPL (ompl.kavrakilab.org): our collision queries as its state
// validity checker, and our proof as its motion validator. Header only: compiled with the caller's
// OMPL, which the library itself need not be built with.
//
//   auto space = std::make_shared<ompl::base::SE3StateSpace>();
//   ompl::geometric::SimpleSetup setup(space);
//   const auto& si = setup.getSpaceInformation();
//   setup.setStateValidityChecker(std::make_shared<clearance::ompl::StateValidityChecker>(si, p));
//   si->setMotionValidator(std::make_shared<clearance::ompl::MotionValidator>(si, p));
//
// A state of SE3StateSpace is the pose of the body: the place of its pivot in the world, and its
// rotation. With the pivot at the origin of the body's frame, the default, that is world_from_body.
// Between two states OMPL moves the pivot straight and turns by the shorter way, as a PlanPath
// does: a path whose motions this validator has accepted is proven free, at any resolution of
// OMPL's.
//
// Both may be used by several threads at once. They keep what makes the next query cheaper for
// each thread, and with it the two trees, until the thread ends or queries others.
#pragma once

#include <utility>

#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/SE3StateSpace.h>

#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>
#include <clearance/plan/proof.h>

namespace clearance::ompl {

/// The pose world_from_body that a state of SE3StateSpace stands for.
[[nodiscard]] inline Pose pose_from(const ::ompl::base::State* state, const Vec3& pivot = {}) {
  const auto& se3 = *state->as<::ompl::base::SE3StateSpace::StateType>();
  const auto& q = se3.rotation();
  const Mat3 rotation = rotation_from({q.x, q.y, q.z, q.w});
  return {rotation, Vec3{se3.getX(), se3.getY(), se3.getZ()} - rotation * pivot};
}

/// Sets a state of SE3StateSpace to a pose.
inline void to_state(const Pose& pose, ::ompl::base::State* state, const Vec3& pivot = {}) {
  auto& se3 = *state->as<::ompl::base::SE3StateSpace::StateType>();
  const Vec3 place = pose * pivot;
  se3.setXYZ(place.x, place.y, place.z);
  const Quaternion q = quaternion_from(pose.rotation);
  auto& rotation = se3.rotation();
  rotation.x = q.x;
  rotation.y = q.y;
  rotation.z = q.z;
  rotation.w = q.w;
}

/// Free: farther than the problem's clearance, nothing inside the other, and within OMPL's bounds.
class StateValidityChecker : public ::ompl::base::StateValidityChecker {
 public:
  StateValidityChecker(const ::ompl::base::SpaceInformationPtr& si, PlanProblem problem,
                       const Vec3& pivot = {})
      : ::ompl::base::StateValidityChecker(si), problem_(std::move(problem)), pivot_(pivot) {
    specs_.clearanceComputationType = ::ompl::base::StateValidityCheckerSpecs::EXACT;
  }

  bool isValid(const ::ompl::base::State* state) const override {
    if (!si_->satisfiesBounds(state)) return false;
    thread_local Coherence coherence;
    const Pose pose = pose_from(state, pivot_);
    if (!problem_.solid) {
      return !within(problem_.obstacles.bvh(), problem_.body.bvh(), pose, problem_.clearance,
                     &coherence)
                  .within;
    }
    if (problem_.clearance > 0.0) {
      return !within(problem_.obstacles, problem_.body, pose, problem_.clearance, &coherence)
                  .within;
    }
    return !collide(problem_.obstacles, problem_.body, pose, &coherence).hit;
  }

  /// Distance of the body from the obstacles [m]; 0 when they touch.
  double clearance(const ::ompl::base::State* state) const override {
    thread_local Coherence coherence;
    const Pose pose = pose_from(state, pivot_);
    if (!problem_.solid) {
      return distance(problem_.obstacles.bvh(), problem_.body.bvh(), pose, {}, &coherence).distance;
    }
    return distance(problem_.obstacles, problem_.body, pose, {}, &coherence).distance;
  }

 private:
  PlanProblem problem_;
  Vec3 pivot_;
};

/// A motion is valid when it is proven free over its whole length; OMPL's resolution does not
/// matter. As OMPL has it, the first state is known to be valid.
class MotionValidator : public ::ompl::base::MotionValidator {
 public:
  MotionValidator(const ::ompl::base::SpaceInformationPtr& si, const PlanProblem& problem,
                  const Vec3& pivot = {}, std::size_t looks = 20000)
      : ::ompl::base::MotionValidator(si), prover_(problem), pivot_(pivot), looks_(looks) {}

  bool checkMotion(const ::ompl::base::State* s1, const ::ompl::base::State* s2) const override {
    const bool valid = si_->satisfiesBounds(s2) && free(s1, s2);
    ++(valid ? valid_ : invalid_);
    return valid;
  }

  /// The last valid state is found to a thousandth of the motion.
  bool checkMotion(const ::ompl::base::State* s1, const ::ompl::base::State* s2,
                   std::pair<::ompl::base::State*, double>& last_valid) const override {
    if (checkMotion(s1, s2)) return true;
    constexpr int kHalvings = 10;
    double free_until = 0.0;
    double blocked = 1.0;
    ::ompl::base::State* middle = si_->allocState();
    for (int i = 0; i < kHalvings; ++i) {
      const double time = 0.5 * (free_until + blocked);
      si_->getStateSpace()->interpolate(s1, s2, time, middle);
      (si_->satisfiesBounds(middle) && free(s1, middle) ? free_until : blocked) = time;
    }
    last_valid.second = free_until;
    // s1 or s2 may be where the answer goes: made in a state of its own.
    if (last_valid.first != nullptr) {
      si_->getStateSpace()->interpolate(s1, s2, free_until, middle);
      si_->copyState(last_valid.first, middle);
    }
    si_->freeState(middle);
    return false;
  }

 private:
  [[nodiscard]] bool free(const ::ompl::base::State* a, const ::ompl::base::State* b) const {
    thread_local Coherence coherence;
    Work work;
    const RigidMotion motion =
        RigidMotion::interpolated(pose_from(a, pivot_), pose_from(b, pivot_), pivot_);
    return prover_.prove(motion, looks_, coherence, work) == ProofStatus::Free;
  }

  MotionProver prover_;
  Vec3 pivot_;
  std::size_t looks_;
};

}  // namespace clearance::ompl
