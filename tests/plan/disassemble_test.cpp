// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include <clearance/plan/disassemble.h>
#include <clearance/plan/verify.h>

#include "plan/assembly_parts.h"

namespace clearance {
namespace {

using test::box;

Disassembly taken_apart(const std::vector<DisassemblyPart>& parts,
                        const DisassembleOptions& options = {}) {
  const Result<Disassembly> result = disassemble(parts, options);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return result.ok() ? *result : Disassembly{};
}

/// Every path holds by separate code, against the parts that are still there.
void expect_verified(const std::vector<DisassemblyPart>& parts, const Disassembly& result) {
  for (const RemovalStep& step : result.steps) {
    const Result<PlanProblem> problem = problem_of(parts, step, 0.0);
    ASSERT_TRUE(problem.ok());
    EXPECT_EQ(step.proof.status, ProofStatus::Free);
    EXPECT_TRUE(verify_path(*problem, step.path).holds()) << parts[step.parts.front()].name;
  }
}

/// A tray with two blocks in it, one on the other, and a lid above; all touch.
std::vector<DisassemblyPart> stack() {
  const Mesh tray =
      test::together({box({-1, -1, -1}, {1, 1, -0.8}), box({-1, -1, -0.9}, {-0.8, 1, 0.5}),
                      box({0.8, -1, -0.9}, {1, 1, 0.5}), box({-1, -1, -0.9}, {1, -0.8, 0.5}),
                      box({-1, 0.8, -0.9}, {1, 1, 0.5})});
  return {{"tray", tray},
          {"lower", box({-0.8, -0.8, -0.8}, {0.8, 0.8, -0.2})},
          {"upper", box({-0.5, -0.5, -0.2}, {0.5, 0.5, 0.4})},
          {"lid", box({-0.8, -0.8, 0.4}, {0.8, 0.8, 0.5})}};
}

TEST(Disassemble, TakesAStackApartFromTheTop) {
  const std::vector<DisassemblyPart> parts = stack();
  const Disassembly result = taken_apart(parts);
  EXPECT_TRUE(result.complete());
  ASSERT_EQ(result.steps.size(), 3U);
  EXPECT_EQ(result.steps[0].parts, std::vector<std::size_t>{3});
  EXPECT_EQ(result.steps[1].parts, std::vector<std::size_t>{2});
  EXPECT_EQ(result.steps[2].parts, std::vector<std::size_t>{1});
  EXPECT_EQ(result.stays, std::vector<std::size_t>{0});
  EXPECT_EQ(result.rounds, 3U);
  // Only what lies on it must be gone: the lower block needs the upper one and the lid away.
  EXPECT_TRUE(result.steps[0].after.empty());
  EXPECT_EQ(result.steps[1].after, std::vector<std::size_t>{3});
  EXPECT_EQ(result.steps[2].after, (std::vector<std::size_t>{2, 3}));
  // They touch: relieved, and the result says by how much.
  EXPECT_GT(result.steps[0].relief, 0.0);
  EXPECT_LT(result.steps[0].relief, 1e-2);
  expect_verified(parts, result);
}

TEST(Disassemble, SaysWhatHoldsAPartThatCannotComeOut) {
  const std::vector<DisassemblyPart> parts{{"box", test::hollow_box(0.6)},
                                           {"ball", test::uv_sphere(0.3, 8)},
                                           {"cube", box({2, 2, 2}, {3, 3, 3})}};
  DisassembleOptions options;
  options.turning = false;
  const Disassembly result = taken_apart(parts, options);
  EXPECT_FALSE(result.complete());
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps[0].parts, std::vector<std::size_t>{2});
  ASSERT_EQ(result.stuck.size(), 1U);
  EXPECT_EQ(result.stuck[0].part, 1U);
  EXPECT_EQ(result.stuck[0].held_by, std::vector<std::size_t>{0});
  EXPECT_EQ(result.stuck[0].blocked, result.stuck[0].directions);
  EXPECT_TRUE(result.stuck[0].proof.all);
}

TEST(Disassemble, MovesPartsThatHoldEachOtherAsOne) {
  // A pin caught in a closed capsule leaves the hole only with the capsule.
  const Mesh capsule = test::together({box({-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}),
                                       test::turned(box({-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}))});
  const Mesh slot = test::blind_hole(0.35);
  const std::vector<DisassemblyPart> parts{
      {"block", slot},
      {"capsule", transformed(capsule, Pose::translate({0, 0, -0.45}))},
      {"pin", box({-0.1, -0.1, -0.55}, {0.1, 0.1, -0.35})}};
  DisassembleOptions options;
  options.turning = false;
  const Disassembly result = taken_apart(parts, options);
  // The capsule alone is held by the pin only along ways longer than the play: it is closed around
  // it, so neither leaves alone.
  ASSERT_FALSE(result.steps.empty());
  EXPECT_EQ(result.steps[0].parts, (std::vector<std::size_t>{1, 2}));
  // Taken on its own the capsule still holds the pin.
  ASSERT_EQ(result.stuck.size(), 1U);
  EXPECT_EQ(result.stuck[0].part, 2U);
  EXPECT_EQ(result.stuck[0].held_by, std::vector<std::size_t>{1});
  expect_verified(parts, result);
}

TEST(Disassemble, UnscrewsANutToFreeThePlateBelow) {
  const std::vector<DisassemblyPart> parts{
      {"bolt", test::together(
                   {test::thread(1.0, 0.2, 0.8, -1.0, 1.4), test::ring(0.0, 2.0, -1.6, -0.9, 24)})},
      {"plate", test::ring(1.3, 2.2, -0.85, -0.65, 24)},
      {"nut", test::thread(1.05, 0.2, 0.8, -0.6, 0.2, 2.0)}};
  DisassembleOptions options;
  options.base = 0;
  const Disassembly result = taken_apart(parts, options);
  EXPECT_TRUE(result.complete());
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].method, RemovalMethod::Screw);
  EXPECT_EQ(result.steps[1].parts, std::vector<std::size_t>{1});
  EXPECT_EQ(result.steps[1].after, std::vector<std::size_t>{2});
  expect_verified(parts, result);
}

TEST(Disassemble, GivesTheSameForAnyNumberOfThreads) {
  DisassembleOptions one;
  one.threads = {1};
  DisassembleOptions three;
  three.threads = {3};
  const Disassembly a = taken_apart(stack(), one);
  const Disassembly b = taken_apart(stack(), three);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].parts, b.steps[i].parts);
    EXPECT_EQ(a.steps[i].path.poses, b.steps[i].path.poses);
    EXPECT_EQ(a.steps[i].relief, b.steps[i].relief);
    EXPECT_EQ(a.steps[i].after, b.steps[i].after);
  }
  EXPECT_EQ(a.work, b.work);
}

TEST(Disassemble, RefusesOneAloneAndTouchingPartsWhereThatIsNotAllowed) {
  const std::vector<DisassemblyPart> one{{"a", test::cube()}};
  EXPECT_FALSE(disassemble(one).ok());
  DisassembleOptions strict;
  strict.touching = 0.0;
  strict.turning = false;
  const Disassembly result = taken_apart(stack(), strict);
  EXPECT_EQ(result.stuck.size(), 3U);
  EXPECT_TRUE(result.stuck[0].overlaps);
  EXPECT_EQ(result.stuck[0].start.touch, Touch::Surfaces);
}

TEST(Disassemble, DrawsThePrecedenceGraph) {
  const std::vector<DisassemblyPart> parts = stack();
  const std::string dot = precedence_dot(parts, taken_apart(parts));
  EXPECT_NE(dot.find("p3 -> p2;"), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"lid\""), std::string::npos);
}

TEST(Disassemble, TakesABracketOfAs1OffItsPlate) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  // A bracket, the plate under it, three bolts and their nuts: faces coincide everywhere.
  std::vector<DisassemblyPart> parts;
  for (const char* name : {"11", "10", "04", "05", "06", "07", "08", "09"}) {
    parts.push_back({name, test::read_part(std::string("as1/as1_") + name + ".stl")});
  }
  DisassembleOptions options;
  options.turning = false;
  const Disassembly result = taken_apart(parts, options);
  EXPECT_TRUE(result.complete());
  ASSERT_EQ(result.steps.size(), 7U);
  // The bracket goes last, when the bolts are out.
  EXPECT_EQ(result.steps.back().parts, std::vector<std::size_t>{1});
  EXPECT_EQ(result.steps.back().after, (std::vector<std::size_t>{2, 4, 6}));
}

TEST(Disassemble, TakesTheBeamApart) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const double quarter = 1.570796;
  const auto placed = [](const char* file, const Vec3& at, double yaw) {
    return DisassemblyPart{file, transformed(test::read_part(std::string("asap_beam/") + file),
                                             {rotation_from_rpy(0, 0, yaw), at})};
  };
  const std::vector<DisassemblyPart> parts{placed("0.obj", {12.245, 3.8152, 7.0889}, quarter),
                                           placed("1.obj", {21.135, 3.8152, 7.0889}, quarter),
                                           placed("2.obj", {12.2424, 3.8152, 3.8614}, -quarter),
                                           placed("3.obj", {21.1376, 3.8152, 3.8614}, -quarter),
                                           placed("6.obj", {16.69, 3.8152, 0.6321}, quarter)};
  DisassembleOptions options;
  options.turning = false;
  const Disassembly result = taken_apart(parts, options);
  EXPECT_TRUE(result.complete());
}

}  // namespace
}  // namespace clearance
