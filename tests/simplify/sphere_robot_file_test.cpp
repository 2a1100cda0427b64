// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <clearance/base/file.h>
#include <clearance/base/random.h>
#include <clearance/mesh/write.h>
#include <clearance/robot/robot_file.h>
#include <clearance/simplify/sphere_robot_file.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"
#include "support/urdf_text.h"

namespace clearance {
namespace {

using namespace clearance::test;

Robot robot_of(const std::string& text, const std::string& path = "test.urdf") {
  Result<RobotFile> file = parse_robot(text, path);
  EXPECT_TRUE(file) << file.error().message();
  return std::move(file->robot);
}

/// A base, an arm that turns, and a finger that mimics.
std::string arm_text() {
  return robot_text(link_text("base", kBall) +
                    link_text("arm", shape_text(R"(<box size="1 2 3"/>)")) + link_text("finger") +
                    joint_text("turn", "revolute", "base", "arm", kTurn) +
                    joint_text("follow", "revolute", "arm", "finger",
                               kTurn + R"(<mimic joint="turn" multiplier="-2" offset="0.25"/>)"));
}

/// Spheres whose numbers take all digits there are, small, large and negative.
std::vector<Sphere> awkward_spheres(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  const auto number = [&] { return random.normal() * std::pow(10.0, random.uniform(-12.0, 6.0)); };
  std::vector<Sphere> spheres;
  for (std::size_t i = 0; i < count; ++i)
    spheres.push_back({{number(), number(), number()}, std::abs(number())});
  return spheres;
}

SphereRobot model_of(const Robot& robot) {
  SphereRobot model{robot, std::vector<std::vector<Sphere>>(robot.links().size())};
  for (std::size_t i = 0; i < model.spheres.size(); ++i)
    model.spheres[i] = awkward_spheres(i, 3 * i);
  return model;
}

void expect_same(const std::vector<Sphere>& a, const std::vector<Sphere>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].center, b[i].center);
    EXPECT_EQ(a[i].radius, b[i].radius);
  }
}

void expect_same(const SphereRobot& a, const SphereRobot& b) {
  ASSERT_EQ(a.spheres.size(), b.spheres.size());
  for (std::size_t i = 0; i < a.spheres.size(); ++i) {
    EXPECT_EQ(a.robot.links()[i].name, b.robot.links()[i].name);
    expect_same(a.spheres[i], b.spheres[i]);
  }
}

std::string refused_foam(const std::string& text) {
  const Result<std::vector<NamedSpheres>> read = parse_foam(text, "test.json");
  return read ? "accepted" : read.error().message();
}
std::string refused_curobo(const std::string& text) {
  const Result<std::vector<NamedSpheres>> read = parse_curobo(text, "test.yml");
  return read ? "accepted" : read.error().message();
}

TEST(SphereFiles, KeepEveryBitInEachFormat) {
  const TemporaryFolder folder;
  const std::string urdf = folder.file("arm.urdf");
  ASSERT_TRUE(write_file(urdf, arm_text()));
  const SphereRobot model = model_of(robot_of(arm_text(), urdf));
  for (const char* name : {"arm.json", "arm.yaml", "arm.YML"}) {
    const std::string path = folder.file(name);
    ASSERT_TRUE(write_spheres(path, named_spheres(model)));
    const Result<std::vector<NamedSpheres>> read = read_spheres(path);
    ASSERT_TRUE(read) << read.error().message();
    const Result<SphereRobot> again = with_spheres(model.robot, *read);
    ASSERT_TRUE(again) << again.error().message();
    expect_same(*again, model);
  }
  for (const std::string& source : {urdf, std::string()}) {
    const std::string path = folder.file("spheres.urdf");
    const Status written = write_sphere_urdf(path, model, source);
    ASSERT_TRUE(written) << written.error().message();
    const Result<SphereRobot> again = read_sphere_urdf(path);
    ASSERT_TRUE(again) << again.error().message();
    expect_same(*again, model);
  }
}

TEST(SphereFiles, ExtensionsThatAreNotKnownAreNamed) {
  EXPECT_SAYS(read_spheres("arm.txt").error().message(), "cuRobo");
  EXPECT_FALSE(write_spheres("arm.txt", {}));
  EXPECT_EQ(read_spheres("no_such_file.json").error().code, ErrorCode::NotFound);
}

TEST(SphereFiles, SpheresOfUnknownLinksAreRefused) {
  const Robot robot = robot_of(arm_text());
  const std::vector<NamedSpheres> spheres{{"leg", {{{}, 1.0}}}};
  EXPECT_SAYS(with_spheres(robot, spheres).error().message(), "leg");
  // A place for what is held has no spheres yet, and is no link.
  EXPECT_TRUE(with_spheres(robot, std::vector<NamedSpheres>{{"attached_object", {}}}));
}

TEST(SphereFiles, ErrorsOfLinksAreNamedWithTheirSpheres) {
  const Robot robot = robot_of(arm_text());
  SphereRobot model{robot, {{}, {{{}, 1.0}}, {}}};
  LinkSimplification link;
  link.link = 1;
  link.error = 0.25;
  const std::vector<NamedSpheres> named = named_spheres(model, std::span(&link, 1));
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(named[0].name, "arm");
  EXPECT_EQ(named[0].error, 0.25);
  EXPECT_EQ(parse_foam(foam_text(named), "x").value()[0].error, 0.25);
}

TEST(FoamFile, ReadsLevelsAndLinksOfSeveralMeshes) {
  const std::string levels =
      R"([{"mean": 1, "best": 1, "worst": 2, "spheres": [{"origin": [0,0,0], "radius": 9}]},
          {"mean": 1, "best": 1, "worst": 0.5, "spheres": [{"origin": [1,2,3], "radius": 4}]}])";
  const Result<std::vector<NamedSpheres>> part = parse_foam(levels, "test.json");
  ASSERT_TRUE(part) << part.error().message();
  ASSERT_EQ(part->size(), 1U);
  EXPECT_EQ((*part)[0].error, 0.5);
  expect_same((*part)[0].spheres, {{{1, 2, 3}, 4}});

  const std::string links =
      R"({"a::one.obj": {"spheres": [{"origin": [0,0,0], "radius": 1}], "worst": 0.5},
          "a::primitive1": {"spheres": [{"origin": [0,0,1], "radius": 2}], "worst": 0.25},
          "b": {"spheres": []}})";
  const Result<std::vector<NamedSpheres>> robot = parse_foam(links, "test.json");
  ASSERT_TRUE(robot) << robot.error().message();
  ASSERT_EQ(robot->size(), 2U);
  EXPECT_EQ((*robot)[0].name, "a");
  EXPECT_EQ((*robot)[0].spheres.size(), 2U);
  EXPECT_EQ((*robot)[0].error, 0.5);
}

TEST(FoamFile, OnePartIsAListOfOneLevel) {
  const NamedSpheres part{"pipe", awkward_spheres(1, 7), 0.001};
  const Result<std::vector<NamedSpheres>> read = parse_foam(foam_text(part), "test.json");
  ASSERT_TRUE(read) << read.error().message();
  expect_same((*read)[0].spheres, part.spheres);
  EXPECT_EQ((*read)[0].error, 0.001);
}

TEST(FoamFile, BadFilesAreNamedWithPlaceAndReason) {
  EXPECT_SAYS(refused_foam("{\"a\": "), "byte");
  EXPECT_SAYS(refused_foam("3"), "neither");
  EXPECT_SAYS(refused_foam("[]"), "empty");
  EXPECT_SAYS(refused_foam(R"({"a": 1})"), "'a'");
  EXPECT_SAYS(refused_foam(R"({"a": {"spheres": 1}})"), "'a'/spheres: is not an array");
  EXPECT_SAYS(refused_foam(R"({"a": {"spheres": [1]}})"), "'a'/spheres/0: has no 'origin'");
  EXPECT_SAYS(refused_foam(R"({"a": {"spheres": [{"origin": [0, 0], "radius": 1}]}})"), "three");
  EXPECT_SAYS(refused_foam(R"({"a": {"spheres": [{"origin": [0, 0, 0], "radius": -1}]}})"),
              "radius: is negative");
  EXPECT_SAYS(refused_foam(R"({"a": {"spheres": [{"origin": [0, 0, 1e300], "radius": 1}]}})"),
              "origin: is too large");
  EXPECT_SAYS(refused_foam(R"({"a": {"spheres": []}, "a": {"spheres": []}})"), "twice");
  EXPECT_SAYS(refused_foam(R"({"": {"spheres": []}})"), "link ''");
  // Nested deep enough to end a reader that calls itself.
  EXPECT_NE(refused_foam(std::string(200000, '[')), "accepted");
}

TEST(CuroboFile, ReadsTheFormsOfCurobo) {
  const std::string text = R"(# spheres
robot: 'Arm'
urdf_path: "arm.urdf"
collision_spheres:
    base:
        - "center": [-0.08, 0.0, +0.05]
          "radius": 0.06
        - {radius: 1.0e-2, center: [1, .5, 0]}
    attached_object:
        - "center": [0.0, 0.0, 0.0]
          "radius": -10.0
)";
  const Result<std::vector<NamedSpheres>> read = parse_curobo(text, "test.yml");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].name, "base");
  expect_same((*read)[0].spheres, {{{-0.08, 0.0, 0.05}, 0.06}, {{1, 0.5, 0}, 0.01}});
  EXPECT_TRUE((*read)[1].spheres.empty());

  const std::string whole = R"(
robot_cfg:
  kinematics:
    lock_joints: {a: [1, {b: 2}]}
    collision_spheres:
      tool: [{center: [0, 0, 0], radius: 1}]
    after: 3
)";
  const Result<std::vector<NamedSpheres>> inside = parse_curobo(whole, "test.yml");
  ASSERT_TRUE(inside) << inside.error().message();
  EXPECT_EQ((*inside)[0].name, "tool");
}

TEST(CuroboFile, NumbersHaveAPointAndNamesAreText) {
  const std::vector<NamedSpheres> spheres{
      {"a", {{{1e-5, 3.0, -1e20}, 0.5}}}, {"yes", {}}, {"1", {}}, {"two words\n\"", {}}};
  const std::string text = curobo_text(spheres);
  EXPECT_SAYS(text, "[1.0e-05, 3.0, -1.0e+20]");
  EXPECT_SAYS(text, "\"yes\": []");
  EXPECT_SAYS(text, "\"1\": []");
  std::vector<NamedSpheres> small = spheres;
  small[0].spheres[0].center.z = 0.0;
  const Result<std::vector<NamedSpheres>> read = parse_curobo(curobo_text(small), "test.yml");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 4U);
  EXPECT_EQ((*read)[3].name, "two words\n\"");
  EXPECT_TRUE(parse_curobo(curobo_text({}), "test.yml"));
}

TEST(CuroboFile, BadFilesAreNamedWithLineAndReason) {
  const std::string head = "collision_spheres:\n  a:\n";
  EXPECT_SAYS(refused_curobo("collision_spheres: \"a"), "not YAML");
  EXPECT_SAYS(refused_curobo(""), "not a map");
  EXPECT_SAYS(refused_curobo("a: 1\n"), "has no collision_spheres");
  EXPECT_SAYS(refused_curobo("collision_spheres: spheres/arm.yml\n"), "read it instead");
  EXPECT_SAYS(refused_curobo("collision_spheres: [1]\n"), "map of links");
  EXPECT_SAYS(refused_curobo(head + "    b: 1\n"), "line 3");
  EXPECT_SAYS(refused_curobo(head + "    - 1\n"), "line 3");
  EXPECT_SAYS(refused_curobo(head + "    - {center: [0, 0], radius: 1}\n"), "three");
  EXPECT_SAYS(refused_curobo(head + "    - {center: [0, 0, 0, 0], radius: 1}\n"), "three");
  EXPECT_SAYS(refused_curobo(head + "    - {center: [0, 0, .nan], radius: 1}\n"), "finite");
  EXPECT_SAYS(refused_curobo(head + "    - {center: [0, 0, 0], radius: 1mm}\n"), "1mm");
  EXPECT_SAYS(refused_curobo(head + "    - {center: [0, 0, 0]}\n"), "needs center and radius");
  EXPECT_SAYS(refused_curobo(head + "    - {centre: [0, 0, 0], radius: 1}\n"), "neither");
  EXPECT_SAYS(refused_curobo(head + "    - {radius: 1, radius: 1}\n"), "twice");
  EXPECT_SAYS(refused_curobo(head + "    []\n  a: []\n"), "twice");
  EXPECT_SAYS(refused_curobo("x: &a 1\ncollision_spheres: {b: *a}\n"), "anchors");
  EXPECT_SAYS(refused_curobo("a: " + std::string(100000, '[')), "too deep");
}

RC_GTEST_PROP(CuroboFile, AnyNameReadsBackTheSame, (const std::vector<std::uint32_t>& codes)) {
  std::string name;
  for (const std::uint32_t code : codes) {
    const std::uint32_t c = code % 0x800;
    if (c < 0x80) {
      name += static_cast<char>(c);
    } else {
      name += static_cast<char>(0xc0 | c >> 6);
      name += static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  RC_PRE(!name.empty());
  const std::vector<NamedSpheres> spheres{{name, {{{1, 2, 3}, 4}}}};
  const Result<std::vector<NamedSpheres>> read = parse_curobo(curobo_text(spheres), "test.yml");
  RC_ASSERT(read.ok());
  RC_ASSERT(read->front().name == name);
}

TEST(SphereUrdf, KeepsEverythingButTheCollisionShapes) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "robot" / "meshes");
  ASSERT_TRUE(write_mesh(folder.file("robot/meshes/skin.stl"), cube()));
  const std::string shapes =
      R"(<visual><geometry><mesh filename="meshes/skin.stl" scale="1 2 3"/></geometry></visual>
         <inertial><mass value="2"/></inertial>)" +
      kBall + kBall;
  const std::string text = robot_text(
      "<!-- a note -->" + link_text("base", shapes) + link_text("arm", kBall) +
      joint_text("turn", "revolute", "base", "arm", kTurn) + "<transmission name=\"t\"/>");
  const std::string source = folder.file("robot/arm.urdf");
  ASSERT_TRUE(write_file(source, text));
  SphereRobot model = model_of(robot_of(text, source));
  model.spheres[0] = awkward_spheres(9, 2);

  const std::string target = folder.file("spheres.urdf");
  ASSERT_TRUE(write_sphere_urdf(target, model, source));
  const std::string written = contents(target);
  EXPECT_SAYS(written, "<!-- a note -->");
  EXPECT_SAYS(written, "<mass value=\"2\"");
  EXPECT_SAYS(written, "<transmission name=\"t\"");
  EXPECT_SAYS(written, "filename=\"robot/meshes/skin.stl\"");
  // Also with its visual mesh, which is found from the new place.
  const Result<RobotFile> read = read_robot(target);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->robot.links()[0].visual.size(), 1U);
  const Result<SphereRobot> again = with_collision_spheres(read->robot);
  ASSERT_TRUE(again) << again.error().message();
  expect_same(*again, model);
  EXPECT_EQ(read->robot.joints()[0].upper, 2.0);
}

TEST(SphereUrdf, PackageNamesStayAndAbsoluteOnesToo) {
  const std::string text = robot_text(
      link_text("base",
                R"(<visual><geometry><mesh filename="package://arm/a.stl"/></geometry></visual>
         <visual><geometry><mesh filename="file:///data/b.stl"/></geometry></visual>
         <visual><geometry><mesh filename="file://c.stl"/></geometry></visual>)"));
  const SphereRobot model{robot_of(robot_text(link_text("base"))), {{}}};
  const Result<std::string> written = sphere_urdf_text(model, text, "/a/b/arm.urdf", "/a/out.urdf");
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_SAYS(*written, "package://arm/a.stl");
  EXPECT_SAYS(*written, "file:///data/b.stl");
  EXPECT_SAYS(*written, "file://b/c.stl");
}

TEST(SphereUrdf, AModelOfAnotherRobotIsRefused) {
  const SphereRobot model = model_of(robot_of(arm_text()));
  const Result<std::string> written =
      sphere_urdf_text(model, robot_text(link_text("leg")), "leg.urdf", "out.urdf");
  ASSERT_FALSE(written);
  EXPECT_SAYS(written.error().message(), "base");
  EXPECT_SAYS(sphere_urdf_text(model, "<robot>", "x.urdf", "y.urdf").error().message(), "byte");
}

TEST(SphereUrdf, OtherCollisionShapesAreNoSpheres) {
  EXPECT_SAYS(with_collision_spheres(robot_of(arm_text())).error().message(), "arm");
  const TemporaryFolder folder;
  const std::string path = folder.file("arm.urdf");
  ASSERT_TRUE(write_file(path, arm_text()));
  EXPECT_EQ(read_sphere_urdf(path).error().file, path);
}

TEST(SphereUrdf, WithoutASourceMovesAsTheRobotDoes) {
  const std::string tilted =
      R"(<origin xyz="0.3 -0.2 1e-7" rpy="0.3 -1.2 2.9"/><axis xyz="1 2 3"/>)"
      R"(<limit lower="-1" upper="2" effort="1" velocity="3"/>)";
  const std::string upright =
      R"(<origin xyz="0 0 1" rpy="0.4 1.5707963267948966 0.3"/><axis xyz="0 1 0"/>)";
  const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                        const std::string& child, const std::string& rest) {
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/>" + rest + "</joint>";
  };
  const Robot robot = robot_of(robot_text(
      link_text("a") + link_text("b") + link_text("c") + link_text("d") +
      joint("1", "revolute", "a", "b", tilted) + joint("2", "continuous", "b", "c", upright) +
      joint("3", "prismatic", "c", "d",
            tilted + R"(<mimic joint="1" multiplier="-0.5" offset="0.125"/>)")));
  const SphereRobot model = model_of(robot);
  const Result<RobotFile> read = parse_robot(sphere_urdf_text(model), "test.urdf");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->robot.joints()[0].velocity, 3.0);
  EXPECT_EQ(read->robot.degrees_of_freedom(), 2U);
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> values = robot.random(random);
    const std::vector<Pose> expected = robot.link_poses(values);
    const std::vector<Pose> found = read->robot.link_poses(values);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_LT(distance(expected[k].translation, found[k].translation), 1e-14);
      for (std::size_t row = 0; row < 3; ++row)
        EXPECT_LT(distance(expected[k].rotation[row], found[k].rotation[row]), 1e-14);
    }
  }
}

// What is read back holds what was written: boxes and cylinders pass through roll, pitch and yaw.
TEST(PrimitiveUrdf, WhatIsReadHoldsWhatWasWritten) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const auto place = [&] {
      return Vec3{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
    };
    PrimitiveSet set;
    // Every tenth box upright, where roll and yaw turn about the same axis.
    const double pitch = i % 10 == 0 ? std::numbers::pi / 2 : random.uniform(-1.5, 1.5);
    set.boxes.push_back(
        {{rotation_from_rpy(random.uniform(-3, 3), pitch, random.uniform(-3, 3)), place()},
         {random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)}});
    set.capsules.push_back({{place(), place()}, random.uniform(0.01, 0.5)});
    set.spheres.push_back({place(), random.uniform(0, 1)});
    const Robot robot = robot_of(primitive_urdf_text("part", set));
    ASSERT_EQ(robot.links().size(), 1U);
    EXPECT_EQ(robot.links()[0].name, "part");
    const std::vector<RobotShape>& shapes = robot.links()[0].collision;
    ASSERT_EQ(shapes.size(), 5U);
    EXPECT_EQ(shapes[0].link_from_shape.translation, set.spheres[0].center);
    const auto& cylinder = std::get<CylinderShape>(shapes[1].geometry);
    const Pose into_cylinder = inverse(shapes[1].link_from_shape);
    const Capsule& capsule = set.capsules[0];
    EXPECT_GE(cylinder.radius, capsule.radius);
    for (const Vec3& end : {capsule.axis.a, capsule.axis.b}) {
      const Vec3 p = into_cylinder * end;
      EXPECT_LE(std::hypot(p.x, p.y) + capsule.radius, cylinder.radius);
      EXPECT_LE(std::abs(p.z), 0.5 * cylinder.length + 1e-14);
    }
    EXPECT_LE(cylinder.radius, capsule.radius + 1e-12);
    expect_same(
        {{shapes[2].link_from_shape.translation, std::get<SphereShape>(shapes[2].geometry).radius},
         {shapes[3].link_from_shape.translation, std::get<SphereShape>(shapes[3].geometry).radius}},
        {{capsule.axis.a, capsule.radius}, {capsule.axis.b, capsule.radius}});
    const auto& box = std::get<BoxShape>(shapes[4].geometry);
    const Pose into_box = inverse(shapes[4].link_from_shape);
    for (unsigned k = 0; k < 8; ++k) {
      const Vec3& half = set.boxes[0].half_size;
      const Vec3 corner{(k & 1U) != 0 ? half.x : -half.x, (k & 2U) != 0 ? half.y : -half.y,
                        (k & 4U) != 0 ? half.z : -half.z};
      const Vec3 p = abs(into_box * (set.boxes[0].world_from_box * corner));
      EXPECT_LE(p.x, box.half_size.x);
      EXPECT_LE(p.y, box.half_size.y);
      EXPECT_LE(p.z, box.half_size.z);
    }
    EXPECT_LE(norm(box.half_size - set.boxes[0].half_size), 1e-12);
  }
}

}  // namespace
}  // namespace clearance
