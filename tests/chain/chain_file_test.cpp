// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <clearance/chain/chain_file.h>
#include <clearance/chain/chain_tree.h>
#include <clearance/mesh/write.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"
#include "support/urdf_text.h"

namespace clearance {
namespace {

using namespace clearance::test;

/// A snake of 2 n modules that bend in turn up and sideways.
std::string snake_text(int n) {
  return R"({"format": "clearance-chain-1", "units": {"length": "mm", "angle": "deg"}, "chain": [
    {"repeat": )" +
         std::to_string(n) + R"(, "chain": [
      {"name": "pitch", "capsules": [{"from": [0, 0, 0], "to": [40, 0, 0], "radius": 15}],
       "joint": {"origin": {"xyz": [60, 0, 0]}, "axis": [0, 1, 0], "lower": -90, "upper": 90}},
      {"name": "yaw", "capsules": [{"from": [0, 0, 0], "to": [40, 0, 0], "radius": 15}],
       "joint": {"origin": {"xyz": [60, 0, 0]}, "axis": [0, 0, 2], "lower": -90, "upper": 90,
                 "value": 30}}]}]})";
}

ChainFile accepted(const std::string& text) {
  Result<ChainFile> file = parse_chain_json(text, "test.json");
  EXPECT_TRUE(file) << (file ? "" : file.error().message());
  return file ? std::move(file.value()) : ChainFile{};
}
std::string refused(const std::string& text) {
  const Result<ChainFile> file = parse_chain_json(text, "test.json");
  return file ? "accepted" : file.error().message();
}
/// A document with these links.
std::string with_links(const std::string& links) {
  return R"({"format": "clearance-chain-1", "chain": [)" + links + "]}";
}
/// A document of two balls with this joint between them.
std::string with_joint(const std::string& joint) {
  return with_links(R"({"spheres": [{"radius": 1}]}, {"spheres": [{"radius": 1}], "joint": )" +
                    joint + "}");
}

TEST(ChainJson, ReadsASnakeOfRepeatedModules) {
  const ChainFile file = accepted(snake_text(100));
  ASSERT_EQ(file.chain.links.size(), 200U);
  EXPECT_EQ(file.chain.neighbours, 1U);
  ASSERT_EQ(file.joints.size(), 199U);
  EXPECT_EQ(file.body_names[0], "pitch_0");
  EXPECT_EQ(file.body_names[199], "yaw_99");
  const auto& capsule = std::get<Capsule>(file.chain.links[7]);
  EXPECT_DOUBLE_EQ(capsule.axis.b.x, 0.04);
  EXPECT_DOUBLE_EQ(capsule.radius, 0.015);
  // Joint 0 is that before the first "yaw": at 30 degrees about z.
  const MovableJoint& joint = file.joints[0];
  EXPECT_EQ(joint.joint, 0U);
  EXPECT_EQ(joint.motion, JointMotion::Turn);
  EXPECT_DOUBLE_EQ(joint.upper, std::numbers::pi / 2.0);
  EXPECT_DOUBLE_EQ(joint.value, std::numbers::pi / 6.0);
  EXPECT_EQ(joint.unit_axis, (Vec3{0.0, 0.0, 1.0}));
  const Vec3 tip = file.chain.joints[0] * Vec3{1.0, 0.0, 0.0};
  EXPECT_NEAR(tip.x, 0.06 + std::cos(std::numbers::pi / 6.0), 1e-15);
  EXPECT_NEAR(tip.y, 0.5, 1e-15);
  EXPECT_TRUE(ChainTree::build(file.chain));
}

TEST(ChainJson, PosesOfJointsFollowTheirValues) {
  const ChainFile file = accepted(with_links(R"({"spheres": [{"radius": 0.1}]},
    {"spheres": [{"radius": 0.1}],
     "joint": {"type": "prismatic", "origin": {"xyz": [1, 2, 3], "rpy": [0, 0, 1.5707963267948966]},
               "axis": [3, 0, 0], "lower": -1, "upper": 2, "value": 0.5}},
    {"spheres": [{"radius": 0.1}],
     "joint": {"origin": {"xyz": [1, 0, 0], "rpy": [0, 0, 1.5707963267948966]}, "axis": [1, 0, 0]}},
    {"spheres": [{"radius": 0.1}], "joint": {"type": "fixed", "origin": {"xyz": [0, 0, 5]}}})"));
  ASSERT_EQ(file.joints.size(), 2U);
  // Turned by 90 degrees about z, the x of the joint is the y of the link before.
  EXPECT_EQ(file.joints[0].motion, JointMotion::Slide);
  EXPECT_NEAR(norm(file.chain.joints[0].translation - Vec3{1.0, 2.5, 3.0}), 0.0, 1e-15);
  EXPECT_NEAR(norm(pose_at(file.joints[0], -1.0).translation - Vec3{1.0, 1.0, 3.0}), 0.0, 1e-15);
  // A turn about that axis: the same as origin * rotation about x.
  const Pose turned_by = pose_at(file.joints[1], 0.7);
  const Pose expected = Pose{rotation_from_rpy(0, 0, std::numbers::pi / 2), {1, 0, 0}} *
                        Pose{rotation_about({1, 0, 0}, 0.7), {}};
  for (const Vec3& p : {Vec3{}, Vec3{1, 2, 3}, Vec3{-1, 0, 2}})
    EXPECT_NEAR(norm(turned_by * p - expected * p), 0.0, 1e-14);
  EXPECT_TRUE(std::isinf(file.joints[1].upper));
  EXPECT_EQ(file.chain.joints[2], Pose::translate({0, 0, 5}));
}

TEST(ChainJson, BodyOfSeveralShapesBecomesLinksThatIgnoreEachOther) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_mesh(folder.file("cube.stl"), cube(2.0)));
  std::ofstream(folder.file("chain.json")) << with_links(R"(
    {"name": "a", "spheres": [{"radius": 1}, {"center": [3, 0, 0], "radius": 1}],
     "capsules": [{"from": [0, 0, 0], "to": [3, 0, 0], "radius": 0.5}],
     "boxes": [{"size": [1, 1, 1], "origin": {"xyz": [0, 0, 1]}}],
     "convex": [[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]],
     "meshes": [{"file": "cube.stl"}, {"file": "cube.stl", "unit": "mm", "scale": 2}]},
    {"name": "nothing", "joint": {"type": "fixed", "origin": {"xyz": [2, 0, 0]}}},
    {"name": "b", "spheres": [{"radius": 1}],
     "joint": {"origin": {"xyz": [1.5, 0, 0]}, "axis": [0, 0, 1]}},
    {"name": "c", "spheres": [{"radius": 1}],
     "joint": {"origin": {"xyz": [0.1, 0, 0]}, "axis": [0, 0, 1]}})");
  const Result<ChainFile> file = read_chain(folder.file("chain.json"));
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->chain.links.size(), 8U);
  EXPECT_EQ(std::get<LinkSpheres>(file->chain.links[0]).size(), 2U);
  EXPECT_EQ(std::get<ConvexBody>(file->chain.links[2]).corners().size(), 8U);
  EXPECT_EQ(std::get<ConvexBody>(file->chain.links[3]).corners().size(), 4U);
  const Bvh& mesh = std::get<Bvh>(file->chain.links[4]);
  EXPECT_EQ(mesh.triangle_count(), 24U);
  EXPECT_EQ(mesh.bounds().high, (Vec3{2.0, 2.0, 2.0}));
  EXPECT_EQ(file->body_of_link, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(file->joints[0].joint, 5U);
  // a and b are neighbours, since nothing is between them; b and c as well; a and c are not.
  const ChainTree tree = std::move(ChainTree::build(file->chain).value());
  const std::vector<LinkPair> pairs = tree.contacts();
  ASSERT_FALSE(pairs.empty());
  for (const LinkPair& pair : pairs) {
    EXPECT_LT(pair.a, 5U);
    EXPECT_EQ(pair.b, 7U);
  }
}

TEST(ChainJson, IgnoresPairsByNameAndNumber) {
  const std::string ball = R"({"name": "ball", "spheres": [{"radius": 1}],
     "joint": {"origin": {"xyz": [0.1, 0, 0]}, "axis": [0, 0, 1]}})";
  const std::string chain =
      R"({"format": "clearance-chain-1", "chain": [{"repeat": 4, "chain": [)" + ball +
      R"(]}], "ignored": )";
  const ChainFile file = accepted(chain + R"([["ball_0", 2], ["ball_3", "ball_1"]]})");
  const ChainTree tree = std::move(ChainTree::build(file.chain).value());
  EXPECT_EQ(tree.contacts(), (std::vector<LinkPair>{{0, 3}}));
  EXPECT_SAYS(refused(chain + R"([["ball_0", "ball_7"]]})"),
              "test.json: ignored/0/1: there is no link 'ball_7'");
  EXPECT_SAYS(refused(chain + R"([["ball_0", 4]]})"), "not a whole number from 0 to 3");
  EXPECT_SAYS(refused(chain + R"([[1, 1]]})"), "names one link twice");
  EXPECT_SAYS(refused(chain + R"([[1]]})"), "not a pair");
}

TEST(ChainJson, RefusesWithPlaceAndReason) {
  EXPECT_SAYS(refused(""), "test.json: byte");
  EXPECT_SAYS(refused("{\"format\": "), "is not JSON");
  EXPECT_SAYS(refused("[1, 2]"), "is not a JSON object");
  EXPECT_SAYS(refused("{\"chain\": []}"), "has no 'format'");
  EXPECT_SAYS(refused(R"({"format": "x", "chain": []})"), "format: is not");
  EXPECT_SAYS(refused(R"({"format": "clearance-chain-1", "chain": []})"), "the chain has no link");
  EXPECT_SAYS(refused(R"({"format": "clearance-chain-1", "chain": [], "colour": 3})"),
              "unknown key 'colour'");
  EXPECT_SAYS(refused(with_links("7")), "chain/0: is not an object");
  EXPECT_SAYS(refused(with_links(R"({"sphere": []})")), "chain/0: has an unknown key 'sphere'");
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"radius": -1}]})")),
              "chain/0/spheres/0/radius: is negative");
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"radius": "big"}]})")),
              "\"big\" is not a number");
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"radius": 1e999}]})")), "cannot be read");
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"radius": [[1]]}]})")),
              "radius: an array is not a number");
  const std::string brackets = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"radius": )" + brackets + "}]}")),
              "nested too deeply");
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"radius": NaN}]})")), "is not JSON");
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"center": [1, 2], "radius": 1}]})")),
              "chain/0/spheres/0/center: is not an array of three numbers");
  EXPECT_SAYS(refused(with_links(R"({"capsules": [{"from": [0, 0, 0], "radius": 1}]})")),
              "has no 'to'");
  EXPECT_SAYS(refused(with_links(R"({"convex": [[]]})")), "chain/0/convex/0");
  EXPECT_SAYS(refused(with_links(R"({"boxes": [{"size": [1, 1, -1]}]})")), "size: is negative");
  EXPECT_SAYS(refused(with_links(R"({"meshes": [{"file": "gone.stl"}]})")), "gone.stl");
  EXPECT_SAYS(refused(with_links(R"({"spheres": [{"radius": 1e300}]})")), "farther than 1e15");
  EXPECT_SAYS(refused(with_links("{}, {}")), "chain/1: has no 'joint'");
  EXPECT_SAYS(refused(with_links(R"({"repeat": 0, "chain": [{}]})")), "chain/0/repeat: 0 is not");
  EXPECT_SAYS(refused(with_links(R"({"repeat": -3, "chain": [{}]})")), "is not a whole number");
  EXPECT_SAYS(refused(with_links(R"({"repeat": 99999999999, "chain": [{}]})")), "is not a whole");
  EXPECT_SAYS(refused(with_links(R"({"repeat": 10000000, "chain": []})")), "has no link");
  EXPECT_SAYS(
      refused(R"({"format": "clearance-chain-1", "units": {"length": "mile"}, "chain": []})"),
      "units/length: is not a unit");
  EXPECT_SAYS(refused(R"({"format": "clearance-chain-1", "neighbours": -1, "chain": []})"),
              "neighbours: -1 is not");
  std::string deep = "{}";
  for (int i = 0; i < 50; ++i) deep = R"({"repeat": 1, "chain": [)" + deep + "]}";
  EXPECT_SAYS(refused(with_links(deep)), "nested too deeply");
}

TEST(ChainJson, RefusesBadJoints) {
  EXPECT_SAYS(refused(with_joint(R"({"axis": [0, 0, 0]})")),
              "test.json: chain/1/joint: the axis has no length");
  EXPECT_SAYS(refused(with_joint("{}")), "chain/1/joint: has no 'axis'");
  EXPECT_SAYS(refused(with_joint(R"({"type": "ball", "axis": [0, 0, 1]})")),
              "'ball' is not a type");
  EXPECT_SAYS(refused(with_joint(R"({"axis": [0, 0, 1], "lower": 2, "upper": 1})")),
              "above the upper one");
  EXPECT_SAYS(refused(with_joint(R"({"axis": [0, 0, 1], "lower": 1, "upper": 2})")),
              "is not within the limits");
  EXPECT_SAYS(refused(with_joint(R"({"type": "fixed", "axis": [0, 0, 1]})")), "means nothing");
  EXPECT_SAYS(refused(with_joint(R"({"origin": [1, 2, 3], "axis": [0, 0, 1]})")),
              "origin: is not an object");
}

TEST(ReadChain, NeedsAnExtensionItKnows) {
  EXPECT_SAYS(read_chain("snake.txt").error().message(), "neither .json nor .urdf");
  EXPECT_SAYS(read_chain("no_such_file.json").error().message(), "no_such_file.json");
  TemporaryFolder folder;
  std::ofstream(folder.file("a.json")) << snake_text(1);
  EXPECT_SAYS(read_chain(folder.file("a.json"), {.tip = "x"}).error().message(), "only a URDF");
}

// URDF

std::string urdf_refused(const std::string& text, const ChainFileOptions& options = {}) {
  const Result<ChainFile> file = parse_chain_urdf(text, "test.urdf", options);
  return file ? "accepted" : file.error().message();
}

TEST(ChainUrdf, FollowsTheLongestWayAndMergesTheRest) {
  // base - arm -(fixed) flange - slider, and beside it base - lamp, with a ball each.
  const std::string text = robot_text(
      link_text("base", kBall) + link_text("arm", kBall) + link_text("flange", kBall) +
      link_text("slider", shape_text(R"(<box size="1 2 3"/>)")) +
      link_text("lamp", shape_text(R"(<cylinder radius="0.1" length="2"/>)", "0 0 1")) +
      joint_text("j1", "revolute", "base", "arm", kTurn) +
      joint_text("j2", "fixed", "arm", "flange") +
      joint_text("j3", "prismatic", "flange", "slider",
                 R"(<axis xyz="0 2 0"/><limit lower="0.5" upper="2" effort="1" velocity="1"/>)") +
      joint_text("j4", "continuous", "base", "lamp", R"(<axis xyz="0 0 1"/>)"));
  const Result<ChainFile> file = parse_chain_urdf(text, "test.urdf");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->body_names, (std::vector<std::string>{"base", "arm", "slider"}));
  ASSERT_EQ(file->joints.size(), 2U);
  EXPECT_EQ(file->joints[0].lower, -1.0);
  EXPECT_EQ(file->joints[0].upper, 2.0);
  // 0 is not within the limits of the slider: it stands at 0.5. It hangs on the flange, 1 along x.
  EXPECT_EQ(file->joints[1].motion, JointMotion::Slide);
  EXPECT_EQ(file->joints[1].value, 0.5);
  EXPECT_EQ(file->chain.joints[file->joints[1].joint].translation, (Vec3{2.0, 0.5, 0.0}));
  // base: the ball, and the lamp as a prism; arm: two balls in one link; slider: a box.
  ASSERT_EQ(file->chain.links.size(), 4U);
  const auto& prism = std::get<ConvexBody>(file->chain.links[1]);
  for (int i = 0; i < 1000; ++i) {
    const double angle = 0.01 * i;
    const Vec3 rim{1.0 + 0.1 * std::cos(angle), 0.1 * std::sin(angle), 2.0};
    for (const Face& face : prism.faces()) {
      const Vec3 a = prism.corners()[face[0]];
      const Vec3 normal = cross(prism.corners()[face[1]] - a, prism.corners()[face[2]] - a);
      ASSERT_LE(dot(normal, rim - a), 1e-15);
    }
  }
  EXPECT_EQ(std::get<LinkSpheres>(file->chain.links[2])[1].center, (Vec3{1.0, 0.0, 0.0}));
  std::string notes;
  for (const std::string& note : file->notes) notes += note + "\n";
  EXPECT_SAYS(notes, "from 'base' to 'slider'");
  EXPECT_SAYS(notes, "1 fixed joint was merged");
  EXPECT_SAYS(notes, "1 link beside the chain is attached rigidly, 1 movable joint held");
  EXPECT_SAYS(notes, "1 cylinder is a prism of 32 sides");
  // Another tip by name.
  const Result<ChainFile> lamp = parse_chain_urdf(text, "test.urdf", {.tip = "lamp"});
  ASSERT_TRUE(lamp);
  EXPECT_EQ(lamp->body_names, (std::vector<std::string>{"base", "lamp"}));
  EXPECT_TRUE(std::isinf(lamp->joints[0].upper));
  EXPECT_SAYS(urdf_refused(text, {.tip = "hand"}), "has no link 'hand'");
}

TEST(ChainUrdf, FindsMeshesBesideItAndInPackagesAbove) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "arm_description" / "urdf");
  ASSERT_TRUE(write_mesh(folder.file("arm_description/cube.stl"), cube(1.0)));
  ASSERT_TRUE(write_mesh(folder.file("arm_description/urdf/near.stl"), cube(1.0)));
  const std::string path = folder.file("arm_description/urdf/arm.urdf");
  std::ofstream(path) << robot_text(link_text(
      "base",
      shape_text(R"(<mesh filename="package://arm_description/cube.stl" scale="2 3 -4"/>)") +
          shape_text(R"(<mesh filename="near.stl"/>)")));
  const Result<ChainFile> file = read_chain(path);
  ASSERT_TRUE(file) << file.error().message();
  const Bvh& mesh = std::get<Bvh>(file->chain.links[0]);
  EXPECT_EQ(mesh.triangle_count(), 24U);
  EXPECT_EQ(mesh.bounds(), (Box{{0.0, 0.0, -4.0}, {2.0, 3.0, 1.0}}));
  // Mirrored, and still facing outward: 24 and 1.
  double volume = 0.0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    volume += dot(t.a, cross(t.b, t.c)) / 6.0;
  }
  EXPECT_NEAR(volume, 25.0, 1e-12);
  EXPECT_SAYS(
      urdf_refused(robot_text(link_text("base", shape_text(R"(<mesh filename="no.stl"/>)")))),
      "test.urdf: link 'base': mesh 'no.stl' was not found");
  EXPECT_SAYS(urdf_refused(robot_text(
                  link_text("base", shape_text(R"(<mesh filename="package://x/no.stl"/>)")))),
              "in the folders above");
}

TEST(ChainUrdf, RefusesWithPlaceAndReason) {
  EXPECT_SAYS(urdf_refused(""), "is not a URDF");
  EXPECT_SAYS(urdf_refused("<robot"), "is not a URDF");
  EXPECT_SAYS(urdf_refused("{}"), "is not a URDF");
  EXPECT_SAYS(urdf_refused(robot_text("")), "is not a URDF");
  const std::string two = link_text("a", kBall) + link_text("b", kBall);
  EXPECT_SAYS(
      urdf_refused(robot_text(
          two +
          joint_text(
              "j", "revolute", "a", "b",
              R"(<axis xyz="0 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>)"))),
      "joint 'j': the axis has no length");
  EXPECT_SAYS(
      urdf_refused(robot_text(
          two +
          joint_text(
              "j", "revolute", "a", "b",
              R"(<axis xyz="0 0 1"/><limit lower="1" upper="-1" effort="1" velocity="1"/>)"))),
      "above the upper one");
  EXPECT_SAYS(urdf_refused(robot_text(two + joint_text("j", "floating", "a", "b"))),
              "joint 'j': cannot be part of a chain: it moves in more than one way");
  EXPECT_SAYS(urdf_refused(robot_text(two + joint_text("j", "revolute", "a", "zzz", kTurn))),
              "zzz");
  // A loop of all links, one beside the tree, and a link on two joints.
  EXPECT_NE(urdf_refused(robot_text(two + joint_text("j", "revolute", "a", "b", kTurn) +
                                    joint_text("k", "revolute", "b", "a", kTurn))),
            "accepted");
  EXPECT_SAYS(urdf_refused(robot_text(two + link_text("root") +
                                      joint_text("j", "revolute", "a", "b", kTurn) +
                                      joint_text("k", "revolute", "b", "a", kTurn))),
              "loop");
  EXPECT_SAYS(
      urdf_refused(robot_text(two + link_text("c") + joint_text("j", "revolute", "a", "b", kTurn) +
                              joint_text("k", "revolute", "b", "c", kTurn) +
                              joint_text("l", "revolute", "a", "c", kTurn))),
      "link 'c': hangs on two joints, 'k' and 'l': a loop");
  // A joint that mimics is passed over, unless it is asked for or there is no other.
  const std::string mimic =
      robot_text(two + link_text("c") + joint_text("j", "revolute", "a", "b", kTurn) +
                 joint_text("k", "revolute", "b", "c", kTurn + R"(<mimic joint="j"/>)"));
  const Result<ChainFile> file = parse_chain_urdf(mimic, "test.urdf");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->body_names.size(), 2U);
  EXPECT_SAYS(urdf_refused(mimic, {.tip = "c"}),
              "joint 'k': is on the way to 'c', and it mimics joint 'j'");
  // Tags within tags, with and without end.
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_SAYS(urdf_refused(deep), "is not XML");
  for (int i = 0; i < 100000; ++i) deep += "</a>";
  EXPECT_SAYS(urdf_refused(deep), "it has no <robot>");
  EXPECT_SAYS(urdf_refused(robot_text(link_text("a", deep))), "accepted");
}

struct RealRobot {
  const char* file;
  const char* tip;
  std::size_t bodies;
  std::size_t movable;
};

TEST(ChainUrdf, ReadsRealRobots) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  for (const RealRobot& robot : {
           RealRobot{"abb_irb4400_support/urdf/irb4400l_30_243.urdf", "", 7, 6},
           RealRobot{"example-robot-data/robots/panda_description/urdf/panda_collision_only.urdf",
                     "", 9, 8},
           RealRobot{"example-robot-data/robots/ur_description/urdf/ur5_robot_collision_only.urdf",
                     "", 7, 6},
           RealRobot{"example-robot-data/robots/ur_description/urdf/ur10_robot_collision_only.urdf",
                     "", 7, 6},
           RealRobot{"snake_sim/urdf/snake.urdf", "", 8, 7},
       }) {
    SCOPED_TRACE(robot.file);
    const std::filesystem::path path = data_path(std::string("robots/") + robot.file);
    if (path.empty()) continue;
    const Result<ChainFile> file = read_chain(path.string(), {.tip = robot.tip});
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(file->body_names.size(), robot.bodies);
    EXPECT_EQ(file->joints.size(), robot.movable);
    EXPECT_EQ(file->body_of_link.size(), file->chain.links.size());
    ASSERT_TRUE(ChainTree::build(file->chain));
  }
}

TEST(ChainUrdf, BrokenFilesOfOthersAreRefusedByName) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  std::size_t refused_files = 0;
  for (const auto& path : files_below(data_folder() / "malformed", {".urdf"})) {
    const Result<ChainFile> file = read_chain(path.string());
    // Some lack only meshes of <visual>, which a chain does not read.
    EXPECT_FALSE(file && path.filename() == "invalid.urdf");
    if (file) continue;
    ++refused_files;
    EXPECT_SAYS(file.error().message(), path.string());
  }
  EXPECT_GT(refused_files, 0U);
}

}  // namespace
}  // namespace clearance
