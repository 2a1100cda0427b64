// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <clearance/mesh/write.h>
#include <clearance/robot/robot_file.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"
#include "support/urdf_text.h"

namespace clearance {
namespace {

using namespace clearance::test;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string refused(const std::string& text, const RobotFileOptions& options = {}) {
  const Result<RobotFile> file = parse_robot(text, "test.urdf", options);
  return file ? "accepted" : file.error().message();
}
/// A robot of one link with this as its collision shape.
std::string one_shape(const std::string& geometry) {
  return robot_text(link_text("base", shape_text(geometry)));
}
/// An environment variable that has another value for the time of a test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;  // NOLINT(concurrency-mt-unsafe)
    setenv(name, value.c_str(), 1);                       // NOLINT(concurrency-mt-unsafe)
  }
  ~Environment() {
    if (old_) {
      setenv(name_, old_->c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    } else {
      unsetenv(name_);  // NOLINT(concurrency-mt-unsafe)
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(ReadRobot, ReadsLinksJointsAndShapes) {
  const std::string text = robot_text(
      link_text("base", kBall) +
      link_text("arm", R"(<visual name="skin"><geometry><box size="1 2 3"/></geometry></visual>)" +
                           shape_text(R"(<cylinder radius="0.5" length="4"/>)", "0 0 2")) +
      link_text("cart") + link_text("wheel") + link_text("flange") +
      joint_text("a_turn", "revolute", "base", "arm", kTurn) +
      joint_text("b_slide", "prismatic", "arm", "cart",
                 R"(<axis xyz="0 3 0"/><limit lower="0.5" upper="2" effort="1" velocity="0"/>)") +
      joint_text("c_spin", "continuous", "base", "wheel",
                 R"(<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="5"/>)") +
      joint_text("d_hold", "fixed", "wheel", "flange"));
  const Result<RobotFile> file = parse_robot(text, "test.urdf");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_TRUE(file->notes.empty());
  const Robot& robot = file->robot;
  EXPECT_EQ(robot.name(), "r");
  // Branch after branch, by the names of the joints.
  std::vector<std::string> links;
  for (const RobotLink& link : robot.links()) links.push_back(link.name);
  EXPECT_EQ(links, (std::vector<std::string>{"base", "arm", "cart", "wheel", "flange"}));
  EXPECT_EQ(robot.degrees_of_freedom(), 3U);

  EXPECT_EQ(std::get<SphereShape>(robot.links()[0].collision.at(0).geometry).radius, 0.1);
  const RobotShape& skin = robot.links()[1].visual.at(0);
  EXPECT_EQ(skin.name, "skin");
  EXPECT_EQ(std::get<BoxShape>(skin.geometry).half_size, (Vec3{0.5, 1.0, 1.5}));
  const RobotShape& body = robot.links()[1].collision.at(0);
  EXPECT_EQ(body.link_from_shape, Pose::translate({0.0, 0.0, 2.0}));
  EXPECT_EQ(std::get<CylinderShape>(body.geometry).length, 4.0);

  const std::span<const RobotJoint> joints = robot.joints();
  EXPECT_EQ(joints[0].kind, JointKind::Revolute);
  EXPECT_EQ(joints[0].parent_from_joint, Pose::translate({1.0, 0.0, 0.0}));
  EXPECT_EQ(joints[0].lower, -1.0);
  EXPECT_EQ(joints[0].upper, 2.0);
  EXPECT_EQ(joints[0].velocity, 1.0);
  EXPECT_EQ(joints[1].kind, JointKind::Prismatic);
  EXPECT_EQ(joints[1].unit_axis, (Vec3{0.0, 1.0, 0.0}));
  EXPECT_EQ(joints[1].velocity, kInfinity);
  EXPECT_EQ(joints[2].kind, JointKind::Continuous);
  EXPECT_EQ(joints[2].upper, kInfinity);
  EXPECT_EQ(joints[2].velocity, 5.0);
  EXPECT_EQ(joints[3].kind, JointKind::Fixed);
  EXPECT_EQ(robot.rest(), (std::vector<double>{0.0, 1.25, 0.0}));
}

TEST(ReadRobot, RotationsAreRollPitchYaw) {
  const std::string text =
      robot_text(link_text("a") + link_text("b") +
                 R"(<joint name="j" type="fixed"><parent link="a"/><child link="b"/>
         <origin xyz="1 2 3" rpy="0.3 -0.8 2.1"/></joint>)");
  const Result<RobotFile> file = parse_robot(text, "test.urdf");
  ASSERT_TRUE(file) << file.error().message();
  const Pose pose = file->robot.link_poses({})[1];
  const Mat3 expected = rotation_from_rpy(0.3, -0.8, 2.1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(norm(pose.rotation[i] - expected[i]), 0.0, 1e-15);
  EXPECT_EQ(pose.translation, (Vec3{1.0, 2.0, 3.0}));
}

TEST(ReadRobot, ReadsOnlyTheShapesAskedFor) {
  const std::string mesh = R"(<geometry><mesh filename="gone.stl"/></geometry>)";
  const std::string text = robot_text(
      link_text("base", "<visual>" + mesh + "</visual>" + shape_text(R"(<box size="1 1 1"/>)")));
  EXPECT_SAYS(refused(text), "gone.stl");
  const Result<RobotFile> file = parse_robot(text, "test.urdf", {.visual = false});
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_TRUE(file->robot.links()[0].visual.empty());
  EXPECT_EQ(file->robot.links()[0].collision.size(), 1U);
  EXPECT_SAYS(refused(text, {.collision = false}), "gone.stl");
}

TEST(ReadRobot, MimicsOfMimicsFollowTheLast) {
  const std::string links = link_text("a") + link_text("b") + link_text("c") + link_text("d");
  const auto with = [&](const std::string& first, const std::string& second) {
    return robot_text(links + joint_text("ab", "revolute", "a", "b", kTurn) +
                      joint_text("bc", "revolute", "b", "c", kTurn + first) +
                      joint_text("cd", "revolute", "c", "d", kTurn + second));
  };
  // cd = 3 bc + 1 = 3 (2 ab + 0.5) + 1 = 6 ab + 2.5.
  const Result<RobotFile> file =
      parse_robot(with(R"(<mimic joint="ab" multiplier="2" offset="0.5"/>)",
                       R"(<mimic joint="bc" multiplier="3" offset="1"/>)"),
                  "test.urdf");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->robot.degrees_of_freedom(), 1U);
  const JointMimic& mimic = *file->robot.joints()[2].mimic;
  EXPECT_EQ(mimic.joint, 0U);
  EXPECT_EQ(mimic.multiplier, 6.0);
  EXPECT_EQ(mimic.offset, 2.5);
  ASSERT_EQ(file->notes.size(), 1U);
  EXPECT_SAYS(file->notes[0], "'cd' mimics a joint that mimics another");
  EXPECT_SAYS(refused(with(R"(<mimic joint="cd"/>)", R"(<mimic joint="bc"/>)")),
              "joint 'bc': mimics itself");
  EXPECT_SAYS(refused(with(R"(<mimic joint="bc"/>)", "")), "joint 'bc': mimics itself");
  EXPECT_SAYS(refused(with(R"(<mimic joint="zz"/>)", "")), "'zz', which is not there");
}

TEST(ReadRobot, JointThatFloatsInTheWorldIsLeftOut) {
  const std::string rest = link_text("hull", kBall) + link_text("mast", kBall) +
                           joint_text("stay", "revolute", "hull", "mast", kTurn);
  const std::string sea = joint_text("sea", "floating", "world", "hull");
  const Result<RobotFile> file =
      parse_robot(robot_text(link_text("world") + rest + sea), "test.urdf");
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->robot.links().size(), 2U);
  EXPECT_EQ(file->robot.links()[0].name, "hull");
  EXPECT_EQ(file->robot.joints()[0].name, "stay");
  ASSERT_EQ(file->notes.size(), 1U);
  EXPECT_SAYS(file->notes[0], "Joint 'sea'");
  // Not where something would be lost with it: another branch, or a shape.
  EXPECT_SAYS(refused(robot_text(link_text("world") + rest + sea + link_text("quay") +
                                 joint_text("shore", "fixed", "world", "quay"))),
              "joint 'sea': moves in more than one way");
  EXPECT_SAYS(refused(robot_text(link_text("world", kBall) + rest + sea)), "joint 'sea'");
  // Nor elsewhere.
  EXPECT_SAYS(
      refused(robot_text(link_text("a") + link_text("b") + joint_text("slab", "planar", "a", "b"))),
      "joint 'slab': moves in more than one way");
}

TEST(ReadRobot, ScalesMeshesAndReadsEachFileOnce) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_mesh(folder.file("cube.stl"), cube(1.0)));
  const auto mesh = [](const std::string& scale) {
    return shape_text("<mesh filename=\"cube.stl\"" + scale + "/>");
  };
  const std::string text = robot_text(
      link_text("base", mesh("") + mesh("") + mesh(" scale=\"2 3 -4\"")) +
      link_text("arm", mesh(" scale=\"2 3 -4\"")) + joint_text("j", "fixed", "base", "arm"));
  const std::string path = folder.file("robot.urdf");
  std::ofstream(path) << text;
  const Result<RobotFile> file = read_robot(path);
  ASSERT_TRUE(file) << file.error().message();
  const auto mesh_of = [&](std::size_t link, std::size_t shape) -> const Mesh& {
    return std::get<MeshShape>(file->robot.links()[link].collision[shape].geometry).mesh;
  };
  EXPECT_EQ(mesh_of(0, 0).vertices().data(), mesh_of(0, 1).vertices().data());
  EXPECT_EQ(mesh_of(0, 2).vertices().data(), mesh_of(1, 0).vertices().data());
  EXPECT_EQ(mesh_of(0, 2).bounds(), (Box{{0.0, 0.0, -4.0}, {2.0, 3.0, 0.0}}));
  // Mirrored, and still facing outward.
  EXPECT_NEAR(signed_volume(mesh_of(0, 2)), 24.0, 1e-12);

  for (const char* scale : {"0 1 1", "1e-200 1e-200 1", "1 1e300 1", "1 1e16 1"}) {
    const std::string bad =
        robot_text(link_text("base", mesh(std::string(" scale=\"") + scale + "\"")));
    const Result<RobotFile> result = parse_robot(bad, path);
    ASSERT_FALSE(result) << scale;
    EXPECT_SAYS(result.error().message(), "link 'base': the scale of mesh 'cube.stl' is 0, not");
  }
}

TEST(ReadRobot, MeshesInTheirOwnUnitsBecomeMetres) {
  const std::string dae = contents(test::source_path("tests/data/fuzz/dae/tetrahedron.dae"));
  const auto in_unit = [&](const std::string& unit) {
    return replaced(dae, R"(<unit name="centimeter" meter="0.01"/>)", unit);
  };
  TemporaryFolder folder;
  std::ofstream(folder.file("metre.dae")) << in_unit(R"(<unit name="meter" meter="1"/>)");
  std::ofstream(folder.file("inch.dae")) << in_unit(R"(<unit name="inch" meter="0.0254"/>)");
  std::ofstream(folder.file("robot.urdf")) << robot_text(
      link_text("base", shape_text(R"(<mesh filename="metre.dae"/>)") +
                            shape_text(R"(<mesh filename="inch.dae" scale="2 2 2"/>)")));
  const Result<RobotFile> file = read_robot(folder.file("robot.urdf"));
  ASSERT_TRUE(file) << file.error().message();
  const std::vector<RobotShape>& shapes = file->robot.links()[0].collision;
  const Box metres = surface_of(shapes[0]).bounds();
  const Box inches = surface_of(shapes[1]).bounds();
  EXPECT_GT(norm(metres.high - metres.low), 0.0);
  EXPECT_NEAR(distance(inches.high, 0.0508 * metres.high), 0.0, 1e-15);
}

TEST(ReadRobot, NotesWhatIsOddAboutMeshes) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_mesh(folder.file("mm.stl"), cube(200.0)));
  std::ofstream(folder.file("lines.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n";
  const auto notes = [&](const std::string& shapes) {
    const Result<RobotFile> file =
        parse_robot(robot_text(link_text("base", shapes)), folder.file("robot.urdf"));
    EXPECT_TRUE(file) << file.error().message();
    std::string all;
    for (const std::string& note : file->notes) all += note + "\n";
    return all;
  };
  // A cube of 200 mm that a scale makes right, and one without.
  EXPECT_EQ(notes(shape_text(R"(<mesh filename="mm.stl" scale="0.001 0.001 0.001"/>)")), "");
  EXPECT_EQ(notes(shape_text(R"(<mesh filename="mm.stl"/>)") +
                  shape_text(R"(<mesh filename="mm.stl"/>)")),
            "The mesh " + folder.file("mm.stl") +
                " of link 'base' is 200 m across: is its scale missing?\n");
  EXPECT_SAYS(notes(shape_text(R"(<mesh filename="lines.obj"/>)")),
              folder.file("lines.obj") + ": 1 ");
}

TEST(ReadRobot, FindsPackages) {
  TemporaryFolder folder;
  // One package beside the folder of the URDF, one elsewhere, in the ways of ROS 1 and 2.
  for (const char* name :
       {"here/arm/urdf", "here/arm/meshes", "there/tool/meshes", "prefix/share/tool/meshes"})
    std::filesystem::create_directories(folder.path() / name);
  ASSERT_TRUE(write_mesh(folder.file("here/arm/meshes/a.stl"), cube(1.0)));
  ASSERT_TRUE(write_mesh(folder.file("there/tool/meshes/t.stl"), cube(2.0)));
  ASSERT_TRUE(write_mesh(folder.file("prefix/share/tool/meshes/t.stl"), cube(3.0)));
  const std::string path = folder.file("here/arm/urdf/arm.urdf");
  const auto size = [&](const std::string& mesh, const RobotFileOptions& options = {}) {
    const Result<RobotFile> file =
        parse_robot(one_shape("<mesh filename=\"" + mesh + "\"/>"), path, options);
    EXPECT_TRUE(file) << file.error().message();
    return file ? surface_of(file->robot.links()[0].collision[0]).bounds().high.x : 0.0;
  };
  EXPECT_EQ(size("package://arm/meshes/a.stl"), 1.0);
  EXPECT_EQ(size("../meshes/a.stl"), 1.0);
  EXPECT_EQ(size("file://" + folder.file("here/arm/meshes/a.stl")), 1.0);
  EXPECT_EQ(size("file://../meshes/a.stl"), 1.0);
  EXPECT_EQ(size(folder.file("here/arm/meshes/a.stl")), 1.0);
  const std::string tool = "package://tool/meshes/t.stl";
  EXPECT_EQ(size(tool, {.package_folders = {folder.file("there")}}), 2.0);
  EXPECT_EQ(size(tool, {.package_folders = {folder.file("there/tool")}}), 2.0);
  EXPECT_EQ(size(tool, {.package_folders = {folder.file("there/tool/")}}), 2.0);
  {
    const Environment ros("ROS_PACKAGE_PATH", "/nowhere::" + folder.file("there"));
    EXPECT_EQ(size(tool), 2.0);
    // What is given goes first.
    EXPECT_EQ(size(tool, {.package_folders = {folder.file("prefix/share")}}), 3.0);
  }
  const Environment ros("ROS_PACKAGE_PATH", "/opt/ros/share:/nowhere");
  {
    const Environment ament("AMENT_PREFIX_PATH", folder.file("prefix"));
    EXPECT_EQ(size(tool), 3.0);
  }
  // Not there: the places looked at.
  const Environment ament("AMENT_PREFIX_PATH", "");
  const Result<RobotFile> file =
      parse_robot(one_shape("<mesh filename=\"" + tool + "\"/>"), path,
                  {.package_folders = {folder.file("here"), "/elsewhere"}});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::NotFound);
  EXPECT_EQ(file.error().file, path);
  EXPECT_EQ(file.error().place, "link 'base'");
  EXPECT_EQ(file.error().reason, "mesh '" + tool + "' was not found");
  const std::string& advice = file.error().advice;
  EXPECT_SAYS(advice, "package 'tool'");
  EXPECT_SAYS(advice, "from " + folder.file("here/arm/urdf") + " up");
  EXPECT_SAYS(advice, "given: " + folder.file("here") + ", /elsewhere");
  EXPECT_SAYS(advice, "ROS_PACKAGE_PATH: /opt/ros/share, /nowhere");
  EXPECT_SAYS(advice, "AMENT_PREFIX_PATH: none");
  // The place of a plain path, and a folder that is no file.
  EXPECT_SAYS(refused(one_shape(R"(<mesh filename="no.stl"/>)")), "there is no file ");
  EXPECT_SAYS(refused(one_shape(R"(<mesh filename="package://"/>)")), "was not found");
  EXPECT_SAYS(refused(one_shape(R"(<mesh filename="/"/>)")), "was not found");
}

TEST(ReadRobot, NamesMeshesThatCannotBeRead) {
  TemporaryFolder folder;
  std::ofstream(folder.file("bad.stl")) << "solid";
  const Result<RobotFile> file =
      parse_robot(one_shape(R"(<mesh filename="bad.stl"/>)"), folder.file("robot.urdf"));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().file, folder.file("robot.urdf"));
  EXPECT_EQ(file.error().place, "link 'base'");
  EXPECT_SAYS(file.error().reason, folder.file("bad.stl"));
}

TEST(ReadRobot, RefusesWithPlaceAndReason) {
  EXPECT_SAYS(refused(""), "test.urdf: byte 0: is not a URDF");
  EXPECT_SAYS(refused("<robot"), "is not a URDF");
  EXPECT_SAYS(refused("{}"), "is not a URDF");
  EXPECT_SAYS(refused(robot_text("")), "is not a URDF");
  EXPECT_SAYS(refused(robot_text(link_text("a") + link_text("a"))), "link 'a': is there twice");
  EXPECT_SAYS(refused(robot_text(link_text("a") + link_text("b"))),
              "link 'b': hangs on no joint, as does 'a'");
  const std::string two = link_text("a", kBall) + link_text("b", kBall);
  const auto with_limit = [&](const std::string& axis, const std::string& limit) {
    return refused(robot_text(two + joint_text("j", "revolute", "a", "b",
                                               "<axis xyz=\"" + axis + "\"/><limit " + limit +
                                                   " effort=\"1\" velocity=\"1\"/>")));
  };
  EXPECT_EQ(with_limit("0 0 1", R"(lower="-1" upper="1")"), "accepted");
  EXPECT_SAYS(with_limit("0 0 0", R"(lower="-1" upper="1")"),
              "test.urdf: joint 'j': the axis has no length");
  EXPECT_SAYS(with_limit("0 0 1", R"(lower="1" upper="-1")"),
              "joint 'j': the lower limit (1.000000) is above the upper one");
  EXPECT_SAYS(with_limit("0 0 one", R"(lower="-1" upper="1")"),
              "joint 'j': '0 0 one' is not what xyz of <axis> may be");
  EXPECT_SAYS(with_limit("0 0 1", R"(lower="-1e999" upper="1")"), "'-1e999' is not what lower of");
  EXPECT_SAYS(with_limit("0 0 1", R"(lower="nan" upper="1")"), "'nan' is not what");
  EXPECT_SAYS(with_limit("0 0 1", R"(lower="-1 2" upper="1")"), "'-1 2' is not what");
  EXPECT_SAYS(refused(robot_text(two + joint_text("j", "revolute", "a", "b"))), "has no <limit>");
  EXPECT_SAYS(refused(robot_text(two + joint_text("j", "prismatic", "a", "b"))), "has no <limit>");
  EXPECT_SAYS(refused(robot_text(two + joint_text("j", "ball", "a", "b"))),
              "joint 'j': 'ball' is not a type of joint");
  EXPECT_SAYS(refused(robot_text(two + joint_text("j", "fixed", "a", "zzz"))),
              "joint 'j': its child 'zzz' is not a link");
  EXPECT_SAYS(refused(robot_text(two + joint_text("j", "fixed", "a", "b") +
                                 joint_text("j", "fixed", "a", "b"))),
              "joint 'j': is there twice");
  EXPECT_SAYS(refused(robot_text("<link/>")), "test.urdf: byte 17: a <link> has no name");
  EXPECT_SAYS(refused(robot_text(two + "<joint type=\"fixed\"/>")), "a <joint> has no name");
  // Loops: of all links, beside the tree, and a link on two joints.
  EXPECT_SAYS(refused(robot_text(two + joint_text("j", "fixed", "a", "b") +
                                 joint_text("k", "fixed", "b", "a"))),
              "every link hangs on a joint: a loop");
  EXPECT_SAYS(refused(robot_text(two + link_text("c") + joint_text("j", "fixed", "a", "b") +
                                 joint_text("k", "fixed", "b", "a"))),
              "part of a loop");
  EXPECT_SAYS(
      refused(robot_text(two + link_text("c") + joint_text("j", "fixed", "a", "b") +
                         joint_text("k", "fixed", "b", "c") + joint_text("l", "fixed", "a", "c"))),
      "link 'c': hangs on two joints, 'k' and 'l': a loop");
  // Shapes without size.
  EXPECT_SAYS(refused(one_shape(R"(<sphere radius="0"/>)")), "link 'base': the radius of a sphere");
  EXPECT_SAYS(refused(one_shape(R"(<box size="1 -1 1"/>)")), "link 'base': a size of a box");
  EXPECT_SAYS(refused(one_shape(R"(<cylinder radius="1" length="1e300"/>)")), "too large");
  // Tags within tags, with and without end.
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_SAYS(refused(deep), "is not XML");
  for (int i = 0; i < 100000; ++i) deep += "</a>";
  EXPECT_SAYS(refused(deep), "it has no <robot>");
  EXPECT_SAYS(refused(robot_text(link_text("a", deep))), "accepted");
  EXPECT_SAYS(read_robot("no_such_file.urdf").error().message(), "no_such_file.urdf");
}

TEST(ReadRobot, LosesNoShapeWithoutAWord) {
  EXPECT_SAYS(refused(one_shape("<cone/>")), "link 'base': <cone> is not a shape");
  EXPECT_SAYS(refused(robot_text(link_text("base", kBall + shape_text("<capsule/>")))), "capsule");
  EXPECT_SAYS(refused(one_shape("")), "link 'base': a <collision> has no shape");
  EXPECT_SAYS(refused(robot_text(link_text("base", "<visual/>" + kBall))),
              "link 'base': a <visual> has no shape");
  EXPECT_SAYS(refused(one_shape("<sphere/>")), "link 'base': a <sphere> has no radius");
  EXPECT_SAYS(refused(one_shape(R"(<sphere radius="1,5"/>)")),
              "'1,5' is not what radius of <sphere> may be");
  EXPECT_SAYS(refused(one_shape(R"(<cylinder radius="1"/>)")), "a <cylinder> has no length");
  EXPECT_SAYS(refused(one_shape(R"(<box size="1 2"/>)")), "'1 2' is not what size of <box>");
  EXPECT_SAYS(refused(one_shape(R"(<box size="1 2 3 4"/>)")), "'1 2 3 4' is not what");
  EXPECT_SAYS(refused(one_shape("<mesh/>")), "a <mesh> has no filename");
  // Inertias are not looked at: a bad one takes nothing along.
  const Result<RobotFile> file = parse_robot(
      robot_text(link_text("base",
                           "<inertial/>" + shape_text(R"(<!-- a ball --><sphere radius="0.1"/>)"))),
      "test.urdf");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->robot.links()[0].collision.size(), 1U);
  // A text that breaks off.
  const std::string whole = robot_text(link_text("base", kBall + kBall));
  EXPECT_EQ(refused(whole), "accepted");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refused(whole.substr(0, size)), "accepted") << size;
  // Macros that would have made links.
  EXPECT_SAYS(refused(robot_text(link_text("base") + "<xacro:arm parent=\"base\"/>")),
              "<xacro:arm> is a macro that was not expanded");
}

TEST(ReadRobot, BrokenFilesOfOthersAreRefusedByName) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  std::size_t refused_files = 0;
  for (const auto& path : files_below(data_folder() / "malformed", {".urdf"})) {
    const Result<RobotFile> file = read_robot(path.string());
    if (file) continue;
    ++refused_files;
    EXPECT_SAYS(file.error().message(), path.string());
  }
  EXPECT_GT(refused_files, 0U);
}

TEST(ReadRobot, SameRobotWhateverTheNumberOfThreads) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto path = data_path("robots/robotiq_85/robotiq.urdf");
  if (path.empty()) GTEST_SKIP() << "the data folder has no robots/robotiq_85";
  RobotFileOptions options;
  options.threads = Threads{1};
  const Result<RobotFile> one = read_robot(path.string(), options);
  options.threads = Threads{4};
  const Result<RobotFile> four = read_robot(path.string(), options);
  ASSERT_TRUE(one && four);
  for (std::size_t i = 0; i < one->robot.links().size(); ++i) {
    const RobotLink& a = one->robot.links()[i];
    const RobotLink& b = four->robot.links()[i];
    ASSERT_EQ(a.visual.size(), b.visual.size());
    for (std::size_t k = 0; k < a.visual.size(); ++k) {
      const Mesh mesh = surface_of(a.visual[k]);
      EXPECT_TRUE(std::ranges::equal(mesh.vertices(), surface_of(b.visual[k]).vertices()));
    }
  }
}

TEST(ReadRobot, GripperClosesByOneNumber) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto path = data_path("robots/robotiq_85/robotiq.urdf");
  if (path.empty()) GTEST_SKIP() << "the data folder has no robots/robotiq_85";
  const Result<RobotFile> file = read_robot(path.string());
  ASSERT_TRUE(file) << file.error().message();
  const Robot& robot = file->robot;
  ASSERT_EQ(robot.degrees_of_freedom(), 1U);
  const auto opening = [&](double value) {
    const std::vector<Pose> poses = robot.link_poses(std::vector{value});
    return distance(poses[*robot.link("left_inner_finger")].translation,
                    poses[*robot.link("right_inner_finger")].translation);
  };
  // The fingers stay opposite each other and come together.
  EXPECT_GT(opening(0.0), opening(0.4));
  EXPECT_GT(opening(0.4), opening(0.8));
  // They do not turn: each inner finger takes back the turn of its knuckle.
  const std::vector<Pose> open = robot.link_poses(std::vector{0.0});
  const std::vector<Pose> closed = robot.link_poses(std::vector{0.8});
  const std::uint32_t finger = *robot.link("left_inner_finger");
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(norm(open[finger].rotation[i] - closed[finger].rotation[i]), 0.0, 1e-12);
}

struct RealRobot {
  const char* file;
  std::size_t links;
  std::size_t moving;  // joints
  std::size_t free;    // joints
  std::size_t collision_triangles;
};

TEST(ReadRobot, ReadsRealRobots) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  for (const RealRobot& expected : {
           RealRobot{"abb_irb4400_support/urdf/irb4400l_30_243.urdf", 9, 6, 6, 604},
           RealRobot{"example-robot-data/robots/panda_description/urdf/panda_collision_only.urdf",
                     13, 9, 8, 2396},
           RealRobot{"example-robot-data/robots/ur_description/urdf/ur5_robot_collision_only.urdf",
                     11, 6, 6, 5340},
           RealRobot{"example-robot-data/robots/ur_description/urdf/ur10_robot_collision_only.urdf",
                     11, 6, 6, 5874},
           RealRobot{"robotiq_85/robotiq.urdf", 9, 6, 1, 3930},
           RealRobot{"atlas_description/urdf/atlas_v3_right_arm_sandia_hand.urdf", 36, 18, 18,
                     126204},
           RealRobot{"snake_sim/urdf/snake.urdf", 21, 20, 20, 412944},
       }) {
    SCOPED_TRACE(expected.file);
    const std::filesystem::path path = data_path(std::string("robots/") + expected.file);
    if (path.empty()) continue;
    const Result<RobotFile> file = read_robot(path.string());
    ASSERT_TRUE(file) << file.error().message();
    const Robot& robot = file->robot;
    EXPECT_EQ(robot.links().size(), expected.links);
    EXPECT_EQ(robot.degrees_of_freedom(), expected.free);
    EXPECT_EQ(std::ranges::count_if(robot.joints(),
                                    [](const RobotJoint& j) { return j.kind != JointKind::Fixed; }),
              static_cast<std::ptrdiff_t>(expected.moving));
    std::size_t triangles = 0;
    for (const RobotLink& link : robot.links()) {
      for (const RobotShape& shape : link.collision)
        triangles += surface_of(shape).triangle_count();
    }
    EXPECT_EQ(triangles, expected.collision_triangles);
    EXPECT_TRUE(robot.check(robot.rest()));
  }
}

}  // namespace
}  // namespace clearance
