// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#if defined(CLEARANCE_WITH_OMPL)
#include <gtest/gtest.h>
#include <ompl/base/ScopedState.h>

#include <clearance/plan/ompl.h>

#include "plan/plan_paths.h"

namespace clearance {
namespace {

namespace ob = ::ompl::base;

/// A space large enough for the paths of plan_paths.h.
ob::SpaceInformationPtr large_space() {
  const auto space = std::make_shared<ob::SE3StateSpace>();
  ob::RealVectorBounds bounds(3);
  bounds.setLow(-20.0);
  bounds.setHigh(20.0);
  space->setBounds(bounds);
  return std::make_shared<ob::SpaceInformation>(space);
}

TEST(OmplStates, AreThePosesOfTheBodyWithItsPivot) {
  const ob::SpaceInformationPtr si = large_space();
  ob::ScopedState<ob::SE3StateSpace> state(si);
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    const Pose pose = test::random_path(random, 1).poses.front();
    const Vec3 pivot{0.3, -0.2, 0.7};
    ompl::to_state(pose, state.get(), pivot);
    EXPECT_NEAR(state->getX(), (pose * pivot).x, 1e-12);
    const Pose back = ompl::pose_from(state.get(), pivot);
    EXPECT_NEAR(distance(back.translation, pose.translation), 0.0, 1e-12);
    EXPECT_NEAR(pose_distance(back, pose, pivot, 1.0), 0.0, 1e-7);
  }
}

TEST(OmplStateValidityChecker, SaysWhatOurQueriesSay) {
  const ob::SpaceInformationPtr si = large_space();
  const PlanProblem problem = test::unit_cube_among(test::cube(2.0), 0.25);
  const ompl::StateValidityChecker checker(si, problem);
  ob::ScopedState<ob::SE3StateSpace> state(si);
  const auto valid = [&](double x) {
    ompl::to_state(Pose::translate({x, 0.0, 0.0}), state.get());
    return checker.isValid(state.get());
  };
  EXPECT_TRUE(valid(2.3));
  EXPECT_FALSE(valid(2.2));   // closer than the clearance
  EXPECT_FALSE(valid(0.5));   // inside
  EXPECT_FALSE(valid(30.0));  // beyond the bounds
  ompl::to_state(Pose::translate({2.5, 0.0, 0.0}), state.get());
  EXPECT_DOUBLE_EQ(checker.clearance(state.get()), 0.5);
}

TEST(OmplMotionValidator, SeesAPlateBetweenAnyTwoStates) {
  const ob::SpaceInformationPtr si = large_space();
  const PlanProblem problem =
      test::unit_cube_among(test::box({5.0, -9.0, -9.0}, {5.0 + 1e-6, 9.0, 9.0}));
  const ompl::MotionValidator validator(si, problem);
  ob::ScopedState<ob::SE3StateSpace> a(si);
  ob::ScopedState<ob::SE3StateSpace> b(si);
  ompl::to_state(Pose::identity(), a.get());
  ompl::to_state(Pose::translate({3.0, 0.0, 0.0}), b.get());
  EXPECT_TRUE(validator.checkMotion(a.get(), b.get()));
  ompl::to_state(Pose::translate({8.0, 0.0, 0.0}), b.get());
  EXPECT_FALSE(validator.checkMotion(a.get(), b.get()));
  // The last valid state is where the cube comes to the plate: half way. It may be told in place.
  std::pair<ob::State*, double> last{b.get(), 0.0};
  EXPECT_FALSE(validator.checkMotion(a.get(), b.get(), last));
  EXPECT_NEAR(last.second, 0.5, 2e-3);
  EXPECT_LE(b->getX(), 4.0);
  EXPECT_GT(b->getX(), 3.9);
  EXPECT_EQ(validator.getValidMotionCount(), 1U);
  EXPECT_EQ(validator.getInvalidMotionCount(), 2U);
}

TEST(OmplMotionValidator, MovesAsAPathDoes) {
  const ob::SpaceInformationPtr si = large_space();
  Random random(8);
  ob::ScopedState<ob::SE3StateSpace> a(si);
  ob::ScopedState<ob::SE3StateSpace> b(si);
  ob::ScopedState<ob::SE3StateSpace> between(si);
  for (int n = 0; n < 20; ++n) {
    const PlanPath path = test::random_path(random, 1);
    ompl::to_state(path.poses[0], a.get(), path.pivot);
    ompl::to_state(path.poses[1], b.get(), path.pivot);
    for (const double time : {0.25, 0.5, 0.9}) {
      si->getStateSpace()->interpolate(a.get(), b.get(), time, between.get());
      EXPECT_NEAR(pose_distance(ompl::pose_from(between.get(), path.pivot), path.motion(0).at(time),
                                path.pivot, 1.0),
                  0.0, 1e-6);
    }
  }
}

}  // namespace
}  // namespace clearance
#endif
