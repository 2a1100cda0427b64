// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The planning scenes: each is a problem that can be planned.
#include <gtest/gtest.h>

#include <clearance/plan/problem.h>
#include <clearance/plan/proof.h>

#include "planning.h"
#include "support/data.h"

namespace clearance {
namespace {

class PlanningScenes : public testing::TestWithParam<std::string> {};

TEST_P(PlanningScenes, StartAndGoalAreFreeAndKnownSolutionsHold) {
  const Result<scenes::PlanningScene> scene =
      scenes::planning_scene(GetParam(), test::data_folder());
  if (!scene) {
    for (const auto& info : scenes::planning_scenes()) {
      if (info.name == GetParam() && info.needs_data) GTEST_SKIP() << scene.error().message();
    }
    FAIL() << scene.error().message();
  }
  const PlanProblem& problem = scene->problem;
  EXPECT_EQ(scene->name, GetParam());
  const Status checked = check_problem(problem);
  EXPECT_TRUE(checked.ok()) << checked.error().message();
  EXPECT_FALSE(is_out(problem, problem.start) && !problem.goal);
  if (!scene->known) return;
  EXPECT_EQ(scene->known->poses.front(), problem.start);
  EXPECT_TRUE(problem.goal || is_out(problem, scene->known->poses.back()));
  const PathProof proof = prove_path(problem, *scene->known);
  EXPECT_EQ(proof.status, ProofStatus::Free)
      << "piece " << proof.narrowest.piece << " at " << proof.narrowest.time;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& info : scenes::planning_scenes()) all.push_back(info.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scene, PlanningScenes, testing::ValuesIn(names()),
                         [](const auto& tested) { return tested.param; });

TEST(PlanningSceneByName, UnknownNamesAndMissingFilesAreNotFound) {
  EXPECT_EQ(scenes::planning_scene("no_such_scene").error().code, ErrorCode::NotFound);
  EXPECT_FALSE(scenes::planning_scene("nut", "/nowhere").ok());
}

}  // namespace
}  // namespace clearance
