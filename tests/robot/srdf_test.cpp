// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/robot/robot_file.h>
#include <clearance/robot/srdf.h>

#include "robot/robot_parts.h"
#include "support/data.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;

std::string refused(const std::string& text) {
  const Result<Srdf> srdf = parse_srdf(text, "test.srdf");
  return srdf ? "accepted" : srdf.error().message();
}

TEST(ReadSrdf, ReadsPairsWithTheirReasons) {
  const Result<Srdf> srdf = parse_srdf(R"(<?xml version="1.0"?><robot name="arm">
    <group name="all"><link name="a"/></group>
    <disable_collisions link1="a" link2="b" reason="Adjacent"/>
    <disable_collisions link1="c" link2="a"/>
    <disable_default_collisions link="c"/></robot>)",
                                       "test.srdf");
  ASSERT_TRUE(srdf) << srdf.error().message();
  EXPECT_EQ(srdf->robot, "arm");
  ASSERT_EQ(srdf->disabled.size(), 2U);
  EXPECT_EQ(srdf->disabled[0].link_b, "b");
  EXPECT_EQ(srdf->disabled[0].reason, "Adjacent");
  EXPECT_EQ(srdf->disabled[1].reason, "");
  ASSERT_EQ(srdf->notes.size(), 1U);
  EXPECT_SAYS(srdf->notes[0], "<disable_default_collisions> is not read");
}

TEST(ReadSrdf, RefusesWithPlaceAndReason) {
  EXPECT_SAYS(refused(""), "test.srdf: byte 0: is not XML");
  EXPECT_SAYS(refused("<robot"), "is not XML");
  EXPECT_SAYS(refused("<sdf/>"), "is not an SRDF");
  EXPECT_SAYS(refused(R"(<robot><disable_collisions link1="a"/></robot>)"),
              "test.srdf: byte 8: <disable_collisions> needs link1 and link2");
  EXPECT_SAYS(refused(R"(<robot><disable_collisions link1="a" link2="a"/></robot>)"), "'a' twice");
  EXPECT_SAYS(read_srdf("no_such_file.srdf").error().message(), "no_such_file.srdf");
}

TEST(DisabledLinks, AreNumbersOfLinksOnceEach) {
  RobotParts parts("a");
  parts.add("b", 0, JointKind::Fixed, {});
  parts.add("c", 0, JointKind::Fixed, {});
  const Srdf srdf{"r", {{"c", "a", ""}, {"a", "c", ""}, {"b", "a", ""}, {"b", "gone", ""}}, {}};
  const DisabledLinks disabled = disabled_links(parts.made(), srdf);
  EXPECT_EQ(disabled.pairs, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {0, 2}}));
  EXPECT_TRUE(disabled.holds(2, 0));
  EXPECT_TRUE(disabled.holds(0, 1));
  EXPECT_FALSE(disabled.holds(1, 2));
  EXPECT_EQ(
      disabled.notes,
      (std::vector<std::string>{"The SRDF names a link 'gone' that robot 'r' does not have."}));
}

struct RealPair {
  const char* urdf;
  const char* srdf;
  std::size_t pairs;
  const char* a;
  const char* b;
};

TEST(ReadSrdf, ReadsRealFiles) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const std::string folder = "robots/example-robot-data/robots/";
  for (const RealPair& real :
       {RealPair{"panda_description/urdf/panda_collision_only.urdf",
                 "panda_description/srdf/panda.srdf", 35, "panda_link5", "panda_hand"},
        RealPair{"ur_description/urdf/ur5_robot_collision_only.urdf",
                 "ur_description/srdf/ur5.srdf", 10, "forearm_link", "wrist_3_link"},
        RealPair{"ur_description/urdf/ur5_robot_collision_only.urdf",
                 "ur_description/srdf/ur5_joint_limited_robot.srdf", 13, "base_link",
                 "shoulder_link"}}) {
    SCOPED_TRACE(real.srdf);
    const auto urdf_path = data_path(folder + real.urdf);
    const auto srdf_path = data_path(folder + real.srdf);
    if (urdf_path.empty() || srdf_path.empty()) continue;
    const Result<RobotFile> file = read_robot(urdf_path.string());
    ASSERT_TRUE(file) << file.error().message();
    const Result<Srdf> srdf = read_srdf(srdf_path.string());
    ASSERT_TRUE(srdf) << srdf.error().message();
    EXPECT_EQ(srdf->disabled.size(), real.pairs);
    const DisabledLinks disabled = disabled_links(file->robot, *srdf);
    EXPECT_EQ(disabled.notes, std::vector<std::string>{});
    EXPECT_TRUE(disabled.holds(*file->robot.link(real.a), *file->robot.link(real.b)));
  }
}

}  // namespace
}  // namespace clearance
