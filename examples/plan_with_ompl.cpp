// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// OMPL plans, Clearance checks: a stick through a hole in a wall, with every motion of the path
// proven free instead of looked at in samples.
#include <cstdio>
#include <exception>
#include <memory>

#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <clearance/mesh/generate.h>
#include <clearance/plan/ompl.h>

int main() try {
  namespace ob = ompl::base;
  namespace og = ompl::geometric;
  ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
  ompl::RNG::setSeed(1);

  // A thin pipe on one side of a wall with a hole of 0.5 m; its axis is z in its own frame.
  clearance::PipeOptions pipe;
  pipe.length = 0.9;
  clearance::WallOptions wall;
  wall.hole_diameter = 0.5;
  clearance::PlanProblem problem{clearance::Model::build(*clearance::make_pipe(pipe)).value(),
                                 clearance::Model::build(*clearance::make_wall(wall)).value()};
  problem.start = clearance::Pose::translate({-0.6, 0.3, 0.0});
  problem.goal = clearance::Pose::translate({0.6, -0.3, 0.0});

  // OMPL's states are the poses of the body.
  const auto space = std::make_shared<ob::SE3StateSpace>();
  ob::RealVectorBounds bounds(3);
  bounds.setLow(-0.8);
  bounds.setHigh(0.8);
  space->setBounds(bounds);
  og::SimpleSetup setup(space);
  const auto& si = setup.getSpaceInformation();
  setup.setStateValidityChecker(
      std::make_shared<clearance::ompl::StateValidityChecker>(si, problem));
  si->setMotionValidator(std::make_shared<clearance::ompl::MotionValidator>(si, problem));
  ob::ScopedState<ob::SE3StateSpace> start(space);
  ob::ScopedState<ob::SE3StateSpace> goal(space);
  clearance::ompl::to_state(problem.start, start.get());
  clearance::ompl::to_state(*problem.goal, goal.get());
  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(std::make_shared<og::RRTConnect>(si));
  if (setup.solve(60.0) != ob::PlannerStatus::EXACT_SOLUTION) {
    std::printf("no path\n");
    return 1;
  }

  clearance::PlanPath path;
  for (const ob::State* state : setup.getSolutionPath().getStates())
    path.poses.push_back(clearance::ompl::pose_from(state));
  const clearance::PathProof proof = clearance::prove_path(problem, path);
  std::printf("%zu poses, %s, clearance at least %.1f mm\n", path.poses.size(),
              name_of(proof.status), 1e3 * proof.clearance_lower);
  return proof.status == clearance::ProofStatus::Free ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "OMPL: %s\n", error.what());
  return 1;
}
