// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/sample.h>
#include <clearance/mesh/write.h>
#include <clearance/robot/robot_file.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/sphere_robot.h>
#include <clearance/simplify/sphere_robot_file.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"
#include "support/urdf_text.h"

namespace clearance {
namespace {

using namespace clearance::test;

Robot robot_of(const std::string& text) {
  Result<RobotFile> file = parse_robot(text, "test.urdf");
  EXPECT_TRUE(file) << file.error().message();
  return std::move(file->robot);
}
SphereRobotOptions with_error(double error) {
  SphereRobotOptions options;
  options.link.error = error;
  return options;
}
RobotShape mesh_shape(const Mesh& mesh) { return {"", Pose{}, MeshShape{mesh, "test.stl"}}; }
Robot one_link(std::vector<RobotShape> shapes) {
  RobotLink link;
  link.name = "link";
  link.collision = std::move(shapes);
  return Robot::make("r", {link}, {}).value();
}
/// Vertices and random points of the shapes of a link, in its frame.
std::vector<Vec3> points_of(const RobotLink& link, std::size_t count) {
  std::vector<Vec3> points;
  for (const RobotShape& shape : link.collision) {
    const Mesh surface = surface_of(shape);
    // The polyhedron of a sphere is larger than the sphere, which stays itself.
    if (std::holds_alternative<SphereShape>(shape.geometry)) continue;
    points.insert(points.end(), surface.vertices().begin(), surface.vertices().end());
    for (const SurfaceSample& sample : sample_surface(surface, count, 1))
      points.push_back(sample.point);
  }
  return points;
}
bool holds(const std::vector<Sphere>& spheres, const Vec3& p) {
  return std::ranges::any_of(
      spheres, [&](const Sphere& s) { return distance(s.center, p) <= s.radius * (1.0 + 1e-12); });
}

TEST(SimplifyRobot, CoversEveryLinkAndLeavesSpheresAsTheyAre) {
  const Robot robot = robot_of(
      robot_text(link_text("base", kBall + shape_text(R"(<box size="0.2 0.1 0.4"/>)", "0.3 0 0")) +
                 link_text("arm", shape_text(R"(<cylinder radius="0.05" length="0.6"/>)")) +
                 link_text("flange") + joint_text("turn", "revolute", "base", "arm", kTurn) +
                 joint_text("hold", "fixed", "arm", "flange")));
  const Result<SphereRobotResult> made = simplify(robot, with_error(0.05));
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->links.size(), 2U);
  EXPECT_EQ(made->model.spheres[0].front().radius, 0.1);
  EXPECT_TRUE(made->model.spheres[2].empty());
  EXPECT_EQ(made->model.sphere_count(),
            made->model.spheres[0].size() + made->model.spheres[1].size());
  for (const LinkSimplification& link : made->links) {
    EXPECT_TRUE(link.covered);
    EXPECT_TRUE(link.solid);
    EXPECT_LE(link.error, 0.05);
    EXPECT_EQ(link.spheres, made->model.spheres[link.link].size());
    for (const Vec3& p : points_of(robot.links()[link.link], 500))
      EXPECT_TRUE(holds(made->model.spheres[link.link], p));
  }
  EXPECT_TRUE(made->notes.empty());
}

TEST(SimplifyRobot, PrimitivesHoldEveryLinkBesideItsSpheres) {
  const Robot robot = robot_of(
      robot_text(link_text("base", kBall + shape_text(R"(<box size="0.2 0.1 0.4"/>)", "0.3 0 0")) +
                 link_text("arm", shape_text(R"(<cylinder radius="0.05" length="0.6"/>)")) +
                 link_text("flange") + joint_text("turn", "revolute", "base", "arm", kTurn) +
                 joint_text("hold", "fixed", "arm", "flange")));
  SphereRobotOptions options = with_error(0.03);
  options.link.primitives = {.capsules = true, .boxes = true};
  const Result<SphereRobotResult> made = simplify(robot, options);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->primitives.size(), 3U);
  EXPECT_EQ(made->primitives[0].boxes.size(), 1U);
  // The ball of the robot stays itself.
  ASSERT_EQ(made->primitives[0].spheres.size(), 1U);
  EXPECT_EQ(made->primitives[0].spheres[0].radius, 0.1);
  EXPECT_EQ(made->primitives[2].size(), 0U);
  for (const LinkSimplification& link : made->links) {
    EXPECT_TRUE(link.covered);
    EXPECT_LT(made->primitives[link.link].size(), link.spheres);
  }
  // The spheres are those of a robot without primitives.
  options.link.primitives = {};
  const Result<SphereRobotResult> plain = simplify(robot, options);
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->primitives.empty());
  EXPECT_EQ(plain->model.sphere_count(), made->model.sphere_count());
}

TEST(SimplifyRobot, ANumberOfSpheresGivesTheErrorThatPrimitivesKeep) {
  const Robot robot =
      robot_of(robot_text(link_text("base", shape_text(R"(<box size="0.2 0.1 0.4"/>)")) +
                          link_text("arm", shape_text(R"(<box size="0.6 0.05 0.05"/>)")) +
                          joint_text("turn", "revolute", "base", "arm", kTurn)));
  SphereRobotOptions options;
  options.link.most_spheres = 8;
  options.link.primitives = {.boxes = true};
  const Result<SphereRobotResult> made = simplify(robot, options);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_LE(made->model.sphere_count(), 8U);
  for (const LinkSimplification& link : made->links) {
    EXPECT_TRUE(link.covered);
    EXPECT_EQ(made->primitives[link.link].boxes.size(), 1U);
  }
}

TEST(SimplifyRobot, OfSpheresAloneIsThem) {
  const Robot robot = robot_of(robot_text(link_text("base", kBall)));
  const Result<SphereRobotResult> made = simplify(robot, with_error(0.001));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->model.sphere_count(), 1U);
  EXPECT_EQ(made->links[0].error, 0.0);
  EXPECT_TRUE(made->links[0].covered);
}

TEST(SimplifyRobot, OverlappingShapesAreCoveredWhicheverWayTheyFace) {
  // Two cubes that overlap, one of them inside out: taken together as they are, the surface would
  // wrap no time around where they overlap.
  const Robot robot =
      one_link({mesh_shape(cube(1.0)), mesh_shape(turned(cube(1.0, {0.5, 0.5, 0.5})))});
  const Result<SphereRobotResult> made = simplify(robot, with_error(0.2));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->links[0].solid);
  EXPECT_TRUE(made->links[0].covered);
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 p{random.uniform(), random.uniform(), random.uniform()};
    EXPECT_TRUE(holds(made->model.spheres[0], p));
    EXPECT_TRUE(holds(made->model.spheres[0], p + Vec3{0.5, 0.5, 0.5}));
  }
}

TEST(SimplifyRobot, AMeshThatFacesBothWaysIsMadeSureOf) {
  // One mesh of two bodies, of which the smaller is inside out and overlaps another shape.
  const Mesh both = together({cube(1.0), turned(cube(0.5, {2.0, 0.0, 0.0}))});
  const Robot robot = one_link({mesh_shape(both), mesh_shape(cube(0.5, {2.0, 0.0, 0.0}))});
  const Result<SphereRobotResult> made = simplify(robot, with_error(0.15));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->links[0].covered);
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p{2.0 + 0.5 * random.uniform(), 0.5 * random.uniform(), 0.5 * random.uniform()};
    EXPECT_TRUE(holds(made->model.spheres[0], p));
  }
}

TEST(SimplifyRobot, OpenShapesAreSaidToBe) {
  const Robot robot = one_link({mesh_shape(without(cube(1.0), {0})), mesh_shape(cube(0.5))});
  const Result<SphereRobotResult> made = simplify(robot, with_error(0.3));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_FALSE(made->links[0].solid);
  EXPECT_TRUE(made->links[0].covered);
  ASSERT_EQ(made->notes.size(), 1U);
  EXPECT_SAYS(made->notes[0], "not closed");
  for (const Vec3& p : points_of(robot.links()[0], 2000))
    EXPECT_TRUE(holds(made->model.spheres[0], p));
}

TEST(SimplifyRobot, SharesOutANumberOfSpheres) {
  const Robot robot =
      robot_of(robot_text(link_text("large", shape_text(R"(<box size="1 1 1"/>)")) +
                          link_text("small", shape_text(R"(<box size="0.1 0.1 0.1"/>)")) +
                          joint_text("turn", "revolute", "large", "small", kTurn)));
  SphereRobotOptions options;
  double before = 1e9;
  for (const std::size_t most : {2U, 12U}) {
    options.link.most_spheres = most;
    const Result<SphereRobotResult> made = simplify(robot, options);
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_LE(made->model.sphere_count(), most);
    EXPECT_TRUE(made->links[0].covered && made->links[1].covered);
    const double error = std::max(made->links[0].error, made->links[1].error);
    EXPECT_LT(error, before);
    before = error;
  }
  // An error that needs fewer is kept.
  options.link.error = 0.3;
  const Result<SphereRobotResult> wanted = simplify(robot, options);
  ASSERT_TRUE(wanted);
  EXPECT_LE(wanted->links[0].error, 0.3);
  options.link.most_spheres = 1;
  EXPECT_SAYS(simplify(robot, options).error().message(), "need 2");
}

TEST(SimplifyRobot, IsTheSameForAnyNumberOfThreads) {
  const Robot robot =
      robot_of(robot_text(link_text("a", shape_text(R"(<box size="0.3 0.2 0.1"/>)")) +
                          link_text("b", shape_text(R"(<cylinder radius="0.1" length="0.3"/>)")) +
                          joint_text("turn", "revolute", "a", "b", kTurn)));
  SphereRobotOptions options = with_error(0.04);
  options.link.threads = Threads{1};
  const SphereRobotResult one = simplify(robot, options).value();
  options.link.threads = Threads{3};
  const SphereRobotResult three = simplify(robot, options).value();
  ASSERT_EQ(one.model.sphere_count(), three.model.sphere_count());
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < one.model.spheres[i].size(); ++k) {
      EXPECT_EQ(one.model.spheres[i][k].center, three.model.spheres[i][k].center);
      EXPECT_EQ(one.model.spheres[i][k].radius, three.model.spheres[i][k].radius);
    }
  }
}

TEST(SimplifyRobot, BadOptionsNameTheLink) {
  const Robot robot = robot_of(robot_text(link_text("base", shape_text(R"(<box size="1 1 1"/>)"))));
  EXPECT_SAYS(simplify(robot, SphereRobotOptions{}).error().message(), "base");
  EXPECT_SAYS(simplify(robot, with_error(-1.0)).error().message(), "base");
  SphereRobotOptions visual = with_error(0.1);
  visual.visual = true;
  EXPECT_SAYS(simplify(robot, visual).error().message(), "no visual shapes");
}

/// Every robot of the data folder. The errors are generous, so that this takes seconds;
/// CLEARANCE_ROBOT_ERROR [m] names a finer one, and asks for every point at every configuration.
struct RobotCase {
  const char* urdf;
  double error;  ///< as a fraction of the diagonal of the largest link
};
class EveryRobot : public testing::TestWithParam<RobotCase> {};

TEST_P(EveryRobot, IsCoveredAtAThousandConfigurationsAndLoadsBack) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const std::string path = data_path(std::string("robots/") + GetParam().urdf).string();
  ASSERT_FALSE(path.empty());
  RobotFileOptions read;
  read.visual = false;
  read.package_folders = {data_path("robots").string()};
  const Result<RobotFile> file = read_robot(path, read);
  ASSERT_TRUE(file) << file.error().message();
  const Robot& robot = file->robot;

  double largest = 0.0;
  std::vector<std::vector<Vec3>> points(robot.links().size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = points_of(robot.links()[i], 40);
    Box box;
    for (const Vec3& p : points[i]) box.include(p);
    if (!box.empty()) largest = std::max(largest, box.diagonal());
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* finer = std::getenv("CLEARANCE_ROBOT_ERROR");
  const Result<SphereRobotResult> made =
      simplify(robot, with_error(finer != nullptr ? std::atof(finer) : GetParam().error * largest));
  ASSERT_TRUE(made) << made.error().message();
  for (const LinkSimplification& link : made->links) EXPECT_TRUE(link.covered) << link.link;

  // It moves: points of the links, placed, are inside the spheres, placed by the same kinematics.
  Random random(1);
  std::vector<Pose> poses(robot.links().size());
  for (int configuration = 0; configuration < 1000; ++configuration) {
    const std::vector<double> values = robot.random(random);
    ASSERT_TRUE(robot.check(values));
    robot.link_poses(values, Pose{}, poses);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].empty()) continue;
      std::vector<Sphere> spheres = made->model.spheres[i];
      for (Sphere& sphere : spheres) sphere.center = poses[i] * sphere.center;
      // All points at the first configuration, and some of them at each of the others; all of them
      // at each in the slow variant.
      const bool all = configuration == 0 || finer != nullptr;
      const std::size_t step = all ? 1 : points[i].size() / 20 + 1;
      const std::size_t first = random.below(step);
      for (std::size_t k = first; k < points[i].size(); k += step) {
        ASSERT_TRUE(holds(spheres, poses[i] * points[i][k]))
            << robot.links()[i].name << ", point " << k << ", configuration " << configuration;
      }
    }
  }

  const TemporaryFolder folder;
  const std::vector<NamedSpheres> named = named_spheres(made->model, made->links);
  const auto expect_same = [&](const Result<SphereRobot>& again) {
    ASSERT_TRUE(again) << again.error().message();
    ASSERT_EQ(again->spheres.size(), made->model.spheres.size());
    for (std::size_t i = 0; i < again->spheres.size(); ++i) {
      ASSERT_EQ(again->spheres[i].size(), made->model.spheres[i].size());
      for (std::size_t k = 0; k < again->spheres[i].size(); ++k) {
        EXPECT_EQ(again->spheres[i][k].center, made->model.spheres[i][k].center);
        EXPECT_EQ(again->spheres[i][k].radius, made->model.spheres[i][k].radius);
      }
    }
  };
  for (const char* name : {"spheres.json", "spheres.yaml"}) {
    ASSERT_TRUE(write_spheres(folder.file(name), named));
    expect_same(with_spheres(robot, read_spheres(folder.file(name)).value()));
  }
  ASSERT_TRUE(write_sphere_urdf(folder.file("spheres.urdf"), made->model, path));
  expect_same(read_sphere_urdf(folder.file("spheres.urdf")));
}

INSTANTIATE_TEST_SUITE_P(
    SimplifyRobot, EveryRobot,
    testing::Values(
        RobotCase{"abb_irb4400_support/urdf/irb4400l_30_243.urdf", 0.1},
        RobotCase{"example-robot-data/robots/panda_description/urdf/panda_collision_only.urdf",
                  0.1},
        RobotCase{"example-robot-data/robots/ur_description/urdf/ur5_robot_collision_only.urdf",
                  0.2},
        RobotCase{"example-robot-data/robots/ur_description/urdf/ur10_robot_collision_only.urdf",
                  0.2},
        RobotCase{"robotiq_85/robotiq.urdf", 0.1},
        RobotCase{"atlas_description/urdf/atlas_v3_right_arm_sandia_hand.urdf", 0.3},
        RobotCase{"snake_sim/urdf/snake.urdf", 0.5}),
    [](const testing::TestParamInfo<RobotCase>& robot) {
      const std::string path = robot.param.urdf;
      std::string name;
      for (const char c : path.substr(path.rfind('/') + 1))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      return name;
    });

}  // namespace
}  // namespace clearance
