// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/check/inverse_kinematics.h>
#include <clearance/check/program.h>

#include "check/check_scenes.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;

/// A cell of the six-axis arm with a table at (0.5, 0, 0).
Cell arm_cell() {
  return cell_of(six_axes(), {standing("table", {0.1, 0.1, 0.1}, {0.5, 0.0, 0.0})});
}

const std::string kGood = R"({
  "clearance": "program", "version": 1, "units": {"length": "mm", "angle": "deg"},
  "way_points": {"home": [0, 0, 0, 0, 0, 0],
    "bent": {"to_link_1": 10, "to_link_2": 20, "to_link_3": 30, "to_link_4": 0, "to_link_5": 40, "to_link_6": 0}},
  "start": "home",
  "moves": [
    {"name": "approach", "joint": "bent", "speed": 0.5},
    {"line": {"xyz": [0, 0, 500], "rpy": [0, 90, 0]}, "in": "table", "speed": 100},
    {"wait": 1.5},
    {"joint": [0, 0, 0, 0, 0, 90], "rate": 45},
    {"line": "bent", "speed": 200, "rate": 90}
  ]})";

std::string refused(const std::string& text) {
  const Result<RobotProgram> program = parse_program(text, "prog.json", arm_cell());
  return program ? "accepted" : program.error().message();
}
std::string refused(const std::string& from, const std::string& to) {
  return refused(replaced(kGood, from, to));
}

TEST(ReadProgram, ReadsMovesInTheirUnits) {
  const Cell cell = arm_cell();
  const Result<RobotProgram> program = parse_program(kGood, "prog.json", cell);
  ASSERT_TRUE(program) << program.error().message();
  ASSERT_EQ(program->moves.size(), 5U);
  EXPECT_EQ(program->moves[0].name, "approach");
  EXPECT_EQ(program->moves[0].place, "moves/0");
  EXPECT_NEAR(program->moves[0].values[4], 40.0 * std::numbers::pi / 180.0, 1e-15);
  EXPECT_EQ(program->moves[1].kind, MoveKind::Line);
  EXPECT_NEAR(program->moves[1].world_from_tool.translation.x, 0.5, 1e-15);
  EXPECT_NEAR(program->moves[1].world_from_tool.translation.z, 0.5, 1e-15);
  EXPECT_NEAR(program->moves[1].speed, 0.1, 1e-15);
  EXPECT_EQ(program->moves[2].seconds, 1.5);
  EXPECT_NEAR(program->moves[3].rate, std::numbers::pi / 4.0, 1e-15);
  const Pose bent = cell.world_from_tool(program->moves[0].values);
  EXPECT_EQ(program->moves[4].world_from_tool.translation, bent.translation);
}

TEST(ReadProgram, RefusesWithPlaceAndReason) {
  EXPECT_SAYS(refused("{"), "prog.json: byte 2: is not JSON");
  EXPECT_SAYS(refused(R"("program")", R"("cell")"), "another kind of file");
  EXPECT_SAYS(refused(R"("start": "home")", R"("start": "rest")"),
              "start: there is no way-point 'rest'");
  EXPECT_SAYS(refused(R"([0, 0, 0, 0, 0, 90])", R"([0, 0, 0])"),
              "moves/3/joint: has 3 numbers, but the robot 6");
  EXPECT_SAYS(refused(R"([0, 0, 0, 0, 0, 90])", R"([0, 0, 0, 0, 0, 500])"),
              "moves/3/joint: joint 'to_link_6': its value");
  EXPECT_SAYS(refused(R"("to_link_4": 0)", R"("to_link_9": 0)"), "has no joint 'to_link_9'");
  EXPECT_SAYS(refused(R"("to_link_4": 0,)", ""), "says nothing of joint 'to_link_4'");
  EXPECT_SAYS(refused(R"("speed": 0.5)", R"("speed": 5)"), "moves/0/speed: is above 1");
  EXPECT_SAYS(refused(R"("speed": 0.5)", R"("speed": 0)"), "moves/0/speed: 0 is not above 0");
  EXPECT_SAYS(refused(R"("in": "table")", R"("in": "chair")"), "moves/1/in: no body 'chair'");
  EXPECT_SAYS(refused(R"("in": "table", "speed": 100)", R"("in": "table")"),
              "moves/1: has neither");
  EXPECT_SAYS(refused(R"("wait": 1.5)", R"("wait": -1)"), "moves/2/wait: is negative");
  EXPECT_SAYS(refused(R"("wait": 1.5)", R"("wait": 1, "speed": 1)"), "means nothing for a wait");
  EXPECT_SAYS(refused(R"({"wait": 1.5})", "{}"), "moves/2: needs one of");
  EXPECT_SAYS(refused(R"({"wait": 1.5})", "3"), "moves/2: is not an object");
  EXPECT_SAYS(refused(R"("angle": "deg")", R"("angle": "rad")"), "not within the limits");
  EXPECT_SAYS(refused(R"([0, 0, 0, 0, 0, 90])", "[[]]"), "moves/3/joint: has 1 numbers");
  EXPECT_SAYS(refused(R"("wait": 1.5)", R"("wait": [[]])"), "moves/2/wait: an array is not");
}

TEST(InverseKinematics, ComesBackToRandomPosesFromNearby) {
  const Cell cell = arm_cell();
  Random random(5);
  int reached = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> goal = cell.robot.random(random);
    std::vector<double> guess = goal;
    for (double& value : guess) value += random.uniform(-0.1, 0.1);
    const InverseTarget target{cell.tool_link, cell.link_from_tool, cell.world_from_tool(goal)};
    const InverseResult found = inverse_kinematics(cell.robot, target, guess);
    EXPECT_TRUE(cell.robot.check(found.values).ok());
    if (!found.reached) continue;
    ++reached;
    const Pose tool = cell.world_from_tool(found.values);
    EXPECT_LT(distance(tool.translation, target.root_from_target.translation), 1e-7);
    EXPECT_LT(rigidity_error(tool.rotation), 1e-9);
  }
  EXPECT_GE(reached, 190);
}

TEST(InverseKinematics, SaysWhatIsOutOfReach) {
  const Cell cell = arm_cell();
  const InverseTarget target{cell.tool_link, {}, Pose::translate({5.0, 0.0, 0.0})};
  const InverseResult found = inverse_kinematics(cell.robot, target, cell.robot.rest());
  EXPECT_FALSE(found.reached);
  EXPECT_GT(found.position_error, 2.0);
}

TEST(PlanPath, JointMovesTakeTheTimeOfTheSlowestJoint) {
  const Cell cell = arm_cell();
  RobotProgram program =
      joint_moves({{0, 0, 0, 0, 0, 0}, {1, 0.5, 0, 0, 0, 0}, {1, 0.5, 0, 0, 0, 1}});
  program.moves[0].speed = 0.25;  // of 2 rad/s
  program.moves[1].speed = 0.0;
  program.moves[1].rate = 0.1;
  const Result<JointPath> path = plan_path(cell, program);
  ASSERT_TRUE(path) << path.error().message();
  ASSERT_EQ(path->pieces.size(), 2U);
  EXPECT_DOUBLE_EQ(path->ends[0], 2.0);
  EXPECT_DOUBLE_EQ(path->ends[1], 12.0);
  EXPECT_DOUBLE_EQ(path->at(1.0)[0], 0.5);
  EXPECT_DOUBLE_EQ(path->at(1.0)[1], 0.25);
  EXPECT_EQ(path->at(-1.0), program.start);
  EXPECT_EQ(path->at(99.0), program.moves[1].values);
  EXPECT_EQ(path->piece_at(5.0), 1U);
}

TEST(PlanPath, LinesStayWithinTheirStatedDeviation) {
  const Cell cell = arm_cell();
  RobotProgram program = joint_moves({{0.1, 0.2, 0.3, 0.1, 0.9, 0.0}});
  const Pose from = cell.world_from_tool(program.start);
  ProgramMove line;
  line.kind = MoveKind::Line;
  line.place = "moves/0";
  line.speed = 0.1;
  line.world_from_tool = {rotation_about({0, 0, 1}, 0.4) * from.rotation,
                          from.translation + Vec3{-0.1, 0.25, 0.1}};
  program.moves = {line};
  const Result<JointPath> path = plan_path(cell, program, {.line_error = 2e-4});
  ASSERT_TRUE(path) << path.error().message();
  const Vec3 to = line.world_from_tool.translation;
  EXPECT_NEAR(path->duration(), distance(from.translation, to) / 0.1, 1e-9);
  EXPECT_GT(path->deviations[0], 0.0);
  EXPECT_LE(path->deviations[0], 2e-4);
  const Vec3 along = normalized(to - from.translation);
  double worst = 0.0;
  for (int i = 0; i <= 2000; ++i) {
    const Vec3 p = cell.world_from_tool(path->at(path->duration() * i / 2000.0)).translation;
    worst = std::max(worst, norm(cross(along, p - from.translation)));
  }
  EXPECT_LE(worst, path->deviations[0]);
  EXPECT_GT(worst, 0.01 * path->deviations[0]);
  const Pose end = cell.world_from_tool(path->at(path->duration()));
  EXPECT_LT(distance(end.translation, to), 1e-7);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_LT(distance(end.rotation[k], line.world_from_tool.rotation[k]), 1e-6);
}

TEST(PlanPath, NamesLinesThatCannotBeFollowed) {
  const Cell cell = arm_cell();
  RobotProgram program = joint_moves({{0.1, 0.2, 0.3, 0.1, 0.9, 0.0}});
  ProgramMove line;
  line.kind = MoveKind::Line;
  line.name = "too far";
  line.place = "moves/0";
  line.speed = 0.1;
  line.world_from_tool = cell.world_from_tool(program.start);
  line.world_from_tool.translation.x += 3.0;
  program.moves = {line};
  const Result<JointPath> path = plan_path(cell, program);
  ASSERT_FALSE(path);
  EXPECT_SAYS(path.error().message(), "moves/0 'too far': the line of 3 m can be followed for 0.");
}

TEST(PlanPath, NamesAProgramWithoutEnd) {
  RobotProgram program = joint_moves({{0.0}, {1.0}});
  program.moves[0].speed = 1e-9;
  EXPECT_SAYS(plan_path(cell_of(slider()), program).error().message(), "more than a hundred days");
}

TEST(PlanPath, NamesSpeedsThatMeanNothing) {
  RobotParts parts("base");
  parts.add("arm", 0, JointKind::Continuous, {});
  parts.links[1].collision.push_back(box_shape({0.1, 0.1, 0.1}));
  const Cell cell = cell_of(parts.made());
  EXPECT_SAYS(plan_path(cell, joint_moves({{0.0}, {1.0}})).error().message(),
              "joint 'to_arm' has no velocity in the URDF");
  const Cell rail = cell_of(slider());
  RobotProgram program = joint_moves({{0.0}, {1.0}});
  program.moves[0].speed = 0.0;
  program.moves[0].rate = 1.0;
  EXPECT_SAYS(plan_path(rail, program).error().message(), "joint 'to_cube' slides");
}

}  // namespace
}  // namespace clearance
