// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/file.h>
#include <clearance/plan/scene_file.h>

#include "plan/assimp_mean.h"
#include "support/data.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;
using testing::HasSubstr;

/// A COLLADA file of one triangle list over these positions; `more` goes into the <mesh>.
std::string dae(const std::string& asset, const std::string& positions, int count,
                const std::string& lists, const std::string& node = "") {
  return R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>)" +
         asset +
         R"(</asset><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count=")" +
         std::to_string(3 * count) + "\">" + positions +
         R"(</float_array><technique_common><accessor source="#a" stride="3" count=")" +
         std::to_string(count) +
         R"("><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>)" +
         lists +
         R"(</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node>)" +
         node +
         R"(<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

/// Triangles (or lines) over the positions above.
std::string list(const std::string& tag, int count, const std::string& indices) {
  return "<" + tag + " count=\"" + std::to_string(count) +
         R"("><input semantic="VERTEX" source="#v" offset="0"/><p>)" + indices + "</p></" + tag +
         ">";
}

// A tetrahedron with a corner at the origin and legs of 4 along the axes.
const std::string kTetrahedron = "0 0 0 4 0 0 0 4 0 0 0 4";
const std::string kFaces = "0 2 1 0 1 3 0 3 2 1 2 3";

class OmplCfg : public testing::Test {
 protected:
  void SetUp() override {
    write("robot.dae",
          dae("<up_axis>Y_UP</up_axis>", kTetrahedron, 4, list("triangles", 4, kFaces)));
    write("world.dae", dae("<up_axis>Y_UP</up_axis>", "100 0 0 110 0 0 100 10 0 100 0 10", 4,
                           list("triangles", 4, kFaces)));
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder_.file(name), text).ok());
  }
  [[nodiscard]] Result<SceneDescription> parsed(const std::string& text) const {
    return parse_ompl_cfg(text, folder_.file("problem.cfg"));
  }
  [[nodiscard]] std::string refused(const std::string& from, const std::string& to) const {
    const Result<SceneDescription> scene = parsed(replaced(kGood, from, to));
    return scene ? "accepted" : scene.error().message();
  }

  TemporaryFolder folder_;
  const std::string kGood =
      "# a comment\n[problem]\nname = test # another\nrobot = robot.dae\nworld=world.dae\n"
      "start.x = 1\nstart.y= 2.5e0\nstart.z=-3\nstart.theta = 1.5707963267948966\n"
      "start.axis.x = 0\nstart.axis.y = 0\nstart.axis.z = 2\n"
      "goal.x = 50\r\ngoal.y = 0\ngoal.z = 0\ngoal.theta=0\n"
      "goal.axis.x=1\ngoal.axis.y=0\ngoal.axis.z=0\nsampler = obstacle_based\n"
      "[benchmark]\ntime_limit = 20\n[planner]\nrrt=\nrrt.range=10\nrrt=\n";
};

TEST_F(OmplCfg, ReadsARigidBodyInSpace) {
  const Result<SceneDescription> scene = parsed(kGood);
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  EXPECT_EQ(scene->start.translation, (Vec3{1, 2.5, -3}));
  EXPECT_LT(norm(scene->start.rotation * Vec3{1, 0, 0} - Vec3{0, 1, 0}), 1e-15);
  ASSERT_TRUE(scene->goal.has_value());
  EXPECT_EQ(*scene->goal, Pose::translate({50, 0, 0}));
  EXPECT_FALSE(scene->bounds.has_value());
  EXPECT_EQ(scene->body[0].path, folder_.file("robot.dae"));
  EXPECT_EQ(scene->obstacles[0].pose, Pose::identity());
  EXPECT_TRUE(load_scene(*scene).ok());
}

TEST_F(OmplCfg, TheOriginOfTheRobotIsTheMeanOfItsVertices) {
  // Without normals in the file each of the four faces has three vertices of its own: each corner
  // counts three times, and the mean is that of the corners.
  const Result<SceneDescription> scene = parsed(kGood);
  EXPECT_LT(norm(scene->body[0].pose.translation + Vec3{1, 1, 1}), 1e-12);

  // A square of two triangles in one plane: its corners count once for it, not twice.
  write("robot.dae",
        dae("", "0 0 0 6 0 0 6 6 0 0 6 0 0 0 9", 5, list("triangles", 3, "0 1 2 0 2 3 0 3 4")));
  const Result<detail::AssimpMean> mean = detail::assimp_mean(folder_.file("robot.dae"));
  ASSERT_TRUE(mean.ok());
  EXPECT_EQ(mean->count, 7U);
  EXPECT_LT(norm(mean->mean - Vec3{12.0 / 7, 18.0 / 7, 9.0 / 7}), 1e-12);
}

TEST_F(OmplCfg, VerticesOfLinesCountToo) {
  write("robot.dae",
        dae("", kTetrahedron, 4, list("triangles", 4, kFaces) + list("lines", 2, "0 1 0 2")));
  const Result<detail::AssimpMean> mean = detail::assimp_mean(folder_.file("robot.dae"));
  ASSERT_TRUE(mean.ok());
  EXPECT_EQ(mean->count, 15U);
  EXPECT_LT(norm(mean->mean - Vec3{16.0 / 15, 16.0 / 15, 12.0 / 15}), 1e-12);
}

TEST_F(OmplCfg, UnitsAreNotAppliedAndZUpIsTurnedToYUp) {
  write("robot.dae",
        dae(R"(<unit meter="0.0254" name="inch"/><up_axis>Z_UP</up_axis>)", kTetrahedron, 4,
            list("triangles", 4, kFaces), "<translate>10 20 30</translate>"));
  const Result<SceneDescription> scene = parsed(kGood);
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  // (x, y, z) in the file is (x, z, -y); the mean (11, 21, 31) is taken away.
  EXPECT_LT(norm(scene->body[0].pose * Vec3{11, 21, 31}), 1e-12);
  EXPECT_LT(norm(scene->body[0].pose * Vec3{11, 22, 31} - Vec3{0, 0, -1}), 1e-12);
  const Result<PlanScene> loaded = load_scene(*scene);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  const Box box = loaded->problem.body.mesh().bounds();
  EXPECT_LT(norm(box.low - Vec3{-1, -1, -3}), 1e-12);
  EXPECT_LT(norm(box.high - Vec3{3, 3, 1}), 1e-12);
}

TEST_F(OmplCfg, TheVolumeBoundsTheFrameOfTheRobot) {
  const Result<SceneDescription> scene =
      parsed(replaced(kGood, "sampler",
                      "volume.min.x=-10\nvolume.min.y=-20\nvolume.min.z=-30\nvolume.max.x=60\n"
                      "volume.max.y=20\nvolume.max.z=30\nsampler"));
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  // The middle of the box, (2, 2, 2), is sqrt(3) from the mean.
  ASSERT_TRUE(scene->bounds.has_value());
  EXPECT_NEAR(scene->bounds->low.x, -10 - std::numbers::sqrt3, 1e-12);
  EXPECT_NEAR(scene->bounds->high.z, 30 + std::numbers::sqrt3, 1e-12);
  const Result<PlanScene> loaded = load_scene(*scene);
  EXPECT_TRUE(check_problem(loaded->problem).ok());
}

TEST_F(OmplCfg, AStartBeyondTheVolumeWidensIt) {
  const Result<SceneDescription> scene =
      parsed(replaced(kGood, "sampler",
                      "volume.min.x=10\nvolume.min.y=-20\nvolume.min.z=-30\nvolume.max.x=60\n"
                      "volume.max.y=20\nvolume.max.z=30\nsampler"));
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  // The start, at x = 1, has the middle of the box a turned (1, 1, 1) from it: at x = 0.
  EXPECT_NEAR(scene->bounds->low.x, 0.0, 1e-12);
  EXPECT_TRUE(check_problem(load_scene(*scene)->problem).ok());
}

TEST_F(OmplCfg, ARobotMayBeInsideAClosedMesh) {
  write("world.dae",
        dae("", "-200 -200 -200 900 0 0 0 900 0 0 0 900", 4, list("triangles", 4, kFaces)));
  const Result<SceneDescription> scene = parsed(kGood);
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  EXPECT_FALSE(scene->solid);
  const Result<PlanScene> loaded = load_scene(*scene);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_TRUE(loaded->problem.obstacles.is_solid());
  EXPECT_TRUE(check_problem(loaded->problem).ok());
}

TEST_F(OmplCfg, RefusesWhatIsNoRigidBodyInSpace) {
  EXPECT_THAT(refused("sampler = obstacle_based", "control = kinematic_car"),
              HasSubstr("kinematic_car"));
  std::string plane = kGood;
  for (const char* key :
       {"start.z=-3\n", "start.axis.x = 0\n", "start.axis.y = 0\n", "start.axis.z = 2\n"})
    plane = replaced(plane, key, "");
  EXPECT_THAT(parsed(plane).error().message(), HasSubstr("in the plane (SE2)"));
}

TEST_F(OmplCfg, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(refused("robot.dae", "none.dae"), HasSubstr("none.dae"));
  EXPECT_THAT(refused("robot = robot.dae\n", ""), HasSubstr("has no 'robot'"));
  EXPECT_THAT(refused("start.x = 1\n", "start.x = one\n"),
              HasSubstr("line 6: 'one' is not a number"));
  EXPECT_THAT(refused("start.x = 1\n", "start.x = nan\n"), HasSubstr("is not a number"));
  EXPECT_THAT(refused("start.x = 1\n", "start.x = 1e30\n"), HasSubstr("too large"));
  EXPECT_THAT(refused("goal.theta=0\n", ""), HasSubstr("has no 'goal.theta'"));
  EXPECT_THAT(refused("start.x = 1\n", "start.x = 1\nstart.x = 2\n"), HasSubstr("is there twice"));
  EXPECT_THAT(refused("[problem]", "[problem"), HasSubstr("line 2"));
  EXPECT_THAT(refused("[problem]", "[other]"), HasSubstr("no section [problem]"));
  EXPECT_THAT(refused("start.x = 1\n", "hello\n"), HasSubstr("line 6"));
  EXPECT_FALSE(parsed("").ok());
}

TEST(AssimpMean, AgreesWithAssimpOnRealFiles) {
  // Counts and means that assimp 5.2.5 gives after the steps that OMPL.app asks it for.
  struct Known {
    const char* file;
    std::size_t count;
    Vec3 mean;
  };
  for (const Known& known : {Known{"parts/drcsim/vrc_standpipe.dae", 640, {0, 0.102895091, 0}},
                             Known{"robots/atlas_description/meshes_v3/utorso.dae",
                                   5669,
                                   {0.0750771935, 0.361029873, 0.00190343301}},
                             Known{"robots/atlas_description/meshes_v3/r_hand.dae",
                                   320,
                                   {0.00211536083, 0.00562654063, 0.0499421733}}}) {
    const std::filesystem::path path = data_path(known.file);
    if (path.empty()) GTEST_SKIP() << "no data folder beside the source tree (CLEARANCE_DATA)";
    const Result<detail::AssimpMean> mean = detail::assimp_mean(path.string());
    ASSERT_TRUE(mean.ok()) << mean.error().message();
    EXPECT_EQ(mean->count, known.count) << known.file;
    const Mat3 turn = *detail::assimp_turn(path.string());
    EXPECT_LT(norm(turn * mean->mean - known.mean), 1e-7) << known.file;
  }
}

}  // namespace
}  // namespace clearance
