// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/check/tool_angles.h>

#include "check/check_scenes.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;

constexpr double kRight = 0.5 * std::numbers::pi;

TEST(ToolAt, StandsOnThePointAtAnglesZero) {
  const ProcessPoint point{{1, 2, 3}, {0, 0, 2}, {5, 0, 1}};
  const Pose pose = tool_at(point, 0.0, 0.0, 0.0);
  EXPECT_EQ(pose.translation, point.point);
  EXPECT_LT(distance(pose.rotation.column(2), {0, 0, -1}), 1e-15);
  EXPECT_LT(distance(pose.rotation.column(0), {1, 0, 0}), 1e-15);
  EXPECT_LT(rigidity_error(pose.rotation), 1e-15);
  // Leaning across the seam moves z across it, leaning along the seam moves z along it.
  EXPECT_NEAR(tool_at(point, 0.3, 0.0, 0.0).rotation.column(2).x, 0.0, 1e-15);
  EXPECT_GT(std::abs(tool_at(point, 0.3, 0.0, 0.0).rotation.column(2).y), 0.29);
  EXPECT_GT(std::abs(tool_at(point, 0.0, 0.3, 0.0).rotation.column(2).x), 0.29);
  // A rotation leaves z where it is.
  EXPECT_LT(distance(tool_at(point, 0.2, 0.1, 1.0).rotation.column(2),
                     tool_at(point, 0.2, 0.1, 0.0).rotation.column(2)),
            1e-15);
}

/// The six-axis arm with a tool that reaches 0.2 m beyond its last link, tool z along it; a point
/// in front of it, and a wall close to the one side of the point.
ReadyCell arm_with_tool(bool wall) {
  std::vector<CellBody> bodies;
  bodies.push_back({"tool", 6, {}, {box_shape({0.2, 0.01, 0.01}, {0.26, 0.0, 0.0})}});
  if (wall) bodies.push_back(standing("wall", {0.5, 0.01, 0.3}, {0.8, 0.03, 0.4}));
  Cell cell = cell_of(six_axes(), std::move(bodies));
  cell.link_from_tool = {rotation_about({0, 1, 0}, kRight), {0.37, 0.0, 0.0}};
  return ready(cell);
}

TEST(ToolAngles, FindsTheFreeSideOfAWall) {
  const ProcessPoint point{{0.75, 0.0, 0.3}, {0, 0, 1}, {1, 0, 0}};
  ToolAngleOptions options;
  options.work = {-0.5, 0.0, 0.5};
  options.rotation = {0.0, 1.5, 3.0};
  const auto open = tool_angles(arm_with_tool(false), point, options);
  ASSERT_TRUE(open) << open.error().message();
  ASSERT_EQ(open->size(), 9U);
  const auto count = [&](const std::vector<ToolAngle>& angles, double work,
                         ToolAngleStatus status) {
    return std::ranges::count_if(angles, [&](const ToolAngle& angle) {
      return angle.work == work && angle.status == status;
    });
  };
  for (const double work : options.work)
    EXPECT_GT(count(*open, work, ToolAngleStatus::Free), 0) << work;
  const ReadyCell cell = arm_with_tool(true);
  const auto walled = tool_angles(cell, point, options);
  ASSERT_TRUE(walled);
  // The tool leans over the seam towards +y at one sign of the work angle, into the wall.
  const Vec3 back = -tool_at(point, 0.5, 0.0, 0.0).rotation.column(2);
  const double into = back.y > 0.0 ? 0.5 : -0.5;
  EXPECT_EQ(count(*walled, into, ToolAngleStatus::Free), 0);
  EXPECT_GT(count(*walled, into, ToolAngleStatus::Blocked), 0);
  EXPECT_GT(count(*walled, -into, ToolAngleStatus::Free), 0);
  for (const ToolAngle& angle : *walled) {
    if (angle.status == ToolAngleStatus::NotReached) continue;
    const Pose pose = cell.cell.world_from_tool(angle.values);
    EXPECT_LT(distance(pose.translation, point.point), 1e-6);
    EXPECT_EQ(angle.contact.has_value(), angle.status == ToolAngleStatus::Blocked);
  }
  options.threads = {3};
  const auto again = tool_angles(cell, point, options);
  ASSERT_TRUE(again);
  for (std::size_t i = 0; i < again->size(); ++i) {
    EXPECT_EQ((*again)[i].status, (*walled)[i].status);
    EXPECT_EQ((*again)[i].values, (*walled)[i].values);
  }
}

TEST(ToolAngles, SaysWhatIsOutOfReachAndWhatIsWrong) {
  const ReadyCell cell = arm_with_tool(false);
  const auto far = tool_angles(cell, {{5, 0, 0}, {0, 0, 1}, {1, 0, 0}}, {});
  ASSERT_TRUE(far);
  EXPECT_EQ(far->at(0).status, ToolAngleStatus::NotReached);
  const auto refused = [&](const ProcessPoint& point) {
    return tool_angles(cell, point, {}).error().message();
  };
  EXPECT_SAYS(refused({{}, {}, {1, 0, 0}}), "has no length");
  EXPECT_SAYS(refused({{}, {0, 0, 1}, {0, 0, 1}}), "runs along the direction");
  EXPECT_SAYS(refused({{}, {0, 0, std::nan("")}, {0, 0, 1}}), "not finite");
}

}  // namespace
}  // namespace clearance
