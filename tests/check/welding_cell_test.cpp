// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include <clearance/check/check.h>
#include <clearance/check/welding_cell.h>

#include "support/data.h"

namespace clearance {
namespace {

using namespace clearance::test;

struct Written {
  ReadyCell cell;
  RobotProgram program;
  JointPath path;
};

Written written(const TemporaryFolder& folder, bool planted) {
  EXPECT_TRUE(write_welding_cell(folder.path().string(), {.planted = planted}).ok());
  const Cell cell = std::move(read_cell(folder.file("cell.json"), {1}).value());
  RobotProgram program = std::move(read_program(folder.file("program.json"), cell).value());
  JointPath path = std::move(plan_path(cell, program).value());
  return {std::move(prepare(cell, {1}).value()), std::move(program), std::move(path)};
}

/// Pairs that touch at a time.
std::vector<BodyPair> touching(const Written& welding, double time) {
  const std::vector<Pose> poses = welding.cell.body_poses(welding.path.at(time));
  std::vector<BodyPair> pairs;
  for (const BodyPair& pair : welding.cell.matrix.tested) {
    if (touch(welding.cell.bodies[pair.first], poses[pair.first], welding.cell.bodies[pair.second],
              poses[pair.second]))
      pairs.push_back(pair);
  }
  return pairs;
}

TEST(WeldingCell, IsFreeWithoutWhatIsPlanted) {
  const TemporaryFolder folder;
  const Written welding = written(folder, false);
  const CheckResult result = check_path(welding.cell, welding.path);
  EXPECT_TRUE(result.is_free());
  EXPECT_GT(result.lower, 0.001);
  EXPECT_LT(std::ranges::max(welding.path.deviations), 1e-4);
}

TEST(WeldingCell, PlantedCollisionsAreFoundThatWayPointsMiss) {
  const TemporaryFolder folder;
  const Written welding = written(folder, true);
  // Every way-point is free...
  EXPECT_TRUE(touching(welding, 0.0).empty());
  for (const double end : welding.path.ends) EXPECT_TRUE(touching(welding, end).empty()) << end;
  // ...and the motion is not.
  CheckOptions options;
  options.penetration = {.relative_gap = 0.2, .translations = 50, .points = 50};
  const CheckResult result = check_path(welding.cell, welding.path, options);
  EXPECT_FALSE(result.is_free());
  const std::uint32_t post = welding.cell.body("post").value();
  const std::uint32_t line = welding.cell.body("gas line").value();
  bool post_hit = false;
  bool line_hit = false;
  for (const ContactInterval& found : result.intervals) {
    EXPECT_TRUE(found.bodies.second == post || found.bodies.second == line);
    EXPECT_TRUE(found.touches);
    post_hit = post_hit || found.bodies.second == post;
    line_hit = line_hit || found.bodies.second == line;
    const std::string& move = welding.program.moves[found.move].name;
    EXPECT_EQ(move, found.bodies.second == post ? "swing to the right" : "above seam 1");
    // A contact between way-points of less than a third of a second.
    EXPECT_LT(found.to - found.from, 0.34);
    const std::vector<BodyPair> then = touching(welding, found.worst_time);
    EXPECT_NE(std::ranges::find(then, found.bodies), then.end());
    ASSERT_TRUE(found.depth);
    EXPECT_TRUE(found.depth->overlap);
  }
  EXPECT_TRUE(post_hit);
  EXPECT_TRUE(line_hit);
}

}  // namespace
}  // namespace clearance
