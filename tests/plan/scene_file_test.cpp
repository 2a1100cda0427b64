// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/file.h>
#include <clearance/mesh/write.h>
#include <clearance/plan/scene_file.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;
using testing::HasSubstr;

/// A folder with a cube of 20 mm, an assembly of three cubes, and a scene that names both.
class SceneFileTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_mesh(folder_.file("part.obj"), cube(20.0)).ok());
    const Assembly assembly{{{"base", cube(), Pose::identity()},
                             {"bolt", cube(), Pose::translate({2, 0, 0})},
                             {"nut", cube(), Pose::translate({0, 3, 0})}}};
    ASSERT_TRUE(write_assembly(folder_.file("frame.glb"), assembly).ok());
  }
  [[nodiscard]] Result<SceneDescription> parsed(const std::string& text) const {
    return parse_scene(text, folder_.file("scene.json"));
  }
  /// The good scene with one text in it replaced: what reading or loading it says.
  [[nodiscard]] std::string refused(const std::string& from, const std::string& to) const {
    const Result<SceneDescription> scene = parsed(replaced(kGood, from, to));
    if (!scene) return scene.error().message();
    const Result<PlanScene> loaded = load_scene(*scene);
    return loaded ? "accepted" : loaded.error().message();
  }

  TemporaryFolder folder_;
  const std::string kGood = R"({
    "clearance": "scene", "version": 1, "description": "for a test",
    "units": {"length": "mm", "angle": "deg"},
    "body": {"file": "part.obj", "unit": "mm", "scale": 2, "pose": {"xyz": [0, 0, 5]}},
    "obstacles": [{"file": "frame.glb", "parts": ["base", "nut"]},
                  {"file": "part.obj", "unit": "mm", "pose": {"xyz": [0, 0, 9000]}}],
    "start": {"xyz": [5000, 0, 0], "rpy": [0, 0, 90]},
    "goal": {"xyz": [0, 0, 5000], "quaternion": [0, 0, 0, 1]},
    "bounds": {"low": [-9000, -9000, -9000], "high": [9000, 9000, 9000]},
    "required_clearance": 0.5, "touching": 0.01})";
};

TEST_F(SceneFileTest, ReadsAllThatItMaySay) {
  const Result<SceneDescription> scene = parsed(kGood);
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  ASSERT_EQ(scene->body.size(), 1U);
  EXPECT_EQ(scene->body[0].path, folder_.file("part.obj"));
  EXPECT_EQ(scene->body[0].metres_per_unit, 0.001);
  EXPECT_EQ(scene->body[0].scale, 2.0);
  EXPECT_EQ(scene->body[0].pose, Pose::translate({0, 0, 0.005}));
  ASSERT_EQ(scene->obstacles.size(), 2U);
  EXPECT_EQ(scene->obstacles[0].parts, (std::vector<std::string>{"base", "nut"}));
  EXPECT_EQ(scene->start.translation, (Vec3{5, 0, 0}));
  EXPECT_NEAR(scene->start.rotation[1][0], 1.0, 1e-15);
  ASSERT_TRUE(scene->goal.has_value());
  EXPECT_EQ(*scene->goal, Pose::translate({0, 0, 5}));
  EXPECT_EQ(scene->bounds->high, (Vec3{9, 9, 9}));
  EXPECT_EQ(scene->clearance, 0.0005);
  EXPECT_EQ(scene->touching, (Touching{Touching::Kind::Depth, 0.00001}));
}

TEST_F(SceneFileTest, TheShortestSceneMovesTheBodyFromWhereItIs) {
  const Result<SceneDescription> scene = parsed(
      R"({"clearance": "scene", "version": 1, "body": "part.obj", "obstacles": "frame.glb", "goal": "out"})");
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  EXPECT_EQ(scene->start, Pose::identity());
  EXPECT_FALSE(scene->goal.has_value());
  EXPECT_FALSE(scene->bounds.has_value());
  EXPECT_EQ(scene->touching.kind, Touching::Kind::Refused);
}

TEST_F(SceneFileTest, LoadedTrianglesKnowTheirFileAndPart) {
  const Result<PlanScene> scene = load_scene(*parsed(kGood));
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  // The cube of 20 mm, twice as large, 5 mm up.
  EXPECT_EQ(scene->problem.body.mesh().bounds(), (Box{{0, 0, 0.005}, {0.04, 0.04, 0.045}}));
  const Mesh& obstacles = scene->problem.obstacles.mesh();
  EXPECT_EQ(obstacles.triangle_count(), 36U);
  EXPECT_EQ(obstacles.bounds(), (Box{{0, 0, 0}, {1, 4, 9.02}}));
  EXPECT_EQ(scene->obstacles.range_of(23).part, "nut");
  EXPECT_EQ(scene->obstacles.name_of(13),
            "part 'nut' of " + folder_.file("frame.glb") + ", triangle 1");
  EXPECT_EQ(scene->obstacles.range_of(24).file, 1U);
  EXPECT_EQ(scene->obstacles.files[1].bytes, contents(folder_.file("part.obj")).size());
  EXPECT_EQ(scene->problem.clearance, 0.0005);
}

TEST_F(SceneFileTest, WithoutTakesAllOtherParts) {
  SceneDescription scene = *parsed(kGood);
  scene.body = {{folder_.file("frame.glb"), {"bolt"}}};
  scene.obstacles = {{folder_.file("frame.glb"), {}, {"bolt"}}};
  scene.start = Pose::identity();
  const Result<PlanScene> loaded = load_scene(scene);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->problem.body.mesh().bounds(), (Box{{2, 0, 0}, {3, 1, 1}}));
  EXPECT_EQ(loaded->problem.obstacles.mesh().triangle_count(), 24U);
}

TEST_F(SceneFileTest, AStarMeansAllThatBeginLikeThat) {
  SceneDescription scene = *parsed(kGood);
  scene.obstacles = {{folder_.file("frame.glb"), {"b*"}}};
  const Result<PlanScene> loaded = load_scene(scene);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  ASSERT_EQ(loaded->obstacles.ranges.size(), 2U);
  EXPECT_EQ(loaded->obstacles.ranges[1].part, "bolt");
  scene.obstacles = {{folder_.file("frame.glb"), {"x*"}}};
  EXPECT_FALSE(load_scene(scene).ok());
}

TEST_F(SceneFileTest, ChecksumsTellChangedFilesAndChangedPlacement) {
  SceneDescription scene = *parsed(kGood);
  const std::uint64_t file = load_scene(scene)->body.files[0].checksum;
  const std::uint64_t placed = load_scene(scene)->body.checksum;
  scene.body[0].scale = 3.0;
  EXPECT_EQ(load_scene(scene)->body.files[0].checksum, file);
  EXPECT_NE(load_scene(scene)->body.checksum, placed);
  ASSERT_TRUE(write_mesh(folder_.file("part.obj"), cube(21.0)).ok());
  EXPECT_NE(load_scene(scene)->body.files[0].checksum, file);
}

TEST_F(SceneFileTest, TouchingPartsAreRelievedAsFarAsAsked) {
  SceneDescription scene = *parsed(kGood);
  // Two cubes of 1 m that overlap by 0.1 mm.
  scene.body = {
      {folder_.file("frame.glb"), {"bolt"}, {}, {}, 1.0, Pose::translate({-1.0001, 0, 0})}};
  scene.obstacles = {{folder_.file("frame.glb"), {"base"}}};
  scene.start = Pose::identity();
  scene.clearance = 0.0;
  scene.touching = {Touching::Kind::Auto, 0.0};
  Result<PlanScene> loaded = load_scene(scene);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_GT(loaded->relief, 0.0001);
  EXPECT_LT(loaded->relief, 0.0004);
  EXPECT_TRUE(look_at_pose(loaded->problem, scene.start).free);
  ASSERT_TRUE(loaded->start_as_given.has_value());
  EXPECT_FALSE(loaded->start_as_given->free);

  scene.touching = {Touching::Kind::Depth, 0.001};
  loaded = load_scene(scene);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->relief, 0.001);

  // Free as it is: nothing is taken away.
  scene.start = Pose::translate({5, 0, 0});
  loaded = load_scene(scene);
  EXPECT_EQ(loaded->relief, 0.0);
}

TEST_F(SceneFileTest, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(refused("\"goal\"", "\"gaol\""), HasSubstr("unknown key 'gaol'"));
  EXPECT_THAT(refused("\"scene\"", "\"cell\""), HasSubstr("does not say \"clearance\": \"scene\""));
  EXPECT_THAT(refused("[0, 0, 0, 1]", "[0, 0, 1, 1]"), HasSubstr("goal/quaternion"));
  EXPECT_THAT(refused("\"rpy\": [0, 0, 90]", "\"rotation\": [[1,0,0],[0,1.01,0],[0,0,1]]"),
              HasSubstr("start: not a rotation"));
  EXPECT_THAT(refused("\"rpy\": [0, 0, 90]", "\"rotation\": [[1,0,0],[0,1,0],[0,0,-1]]"),
              HasSubstr("start: "));
  EXPECT_THAT(refused("\"low\": [-9000", "\"low\": [9000"), HasSubstr("'low' is not below 'high'"));
  EXPECT_THAT(refused("_clearance\": 0.5", "_clearance\": -1"),
              HasSubstr("required_clearance: is negative"));
  EXPECT_THAT(refused("\"touching\": 0.01", "\"touching\": \"yes\""), HasSubstr("touching"));
  EXPECT_THAT(refused("\"unit\": \"mm\", \"scale\": 2", "\"scale\": 0"), HasSubstr("body/scale"));
  EXPECT_THAT(refused("\"part.obj\"", "\"gone.obj\""), HasSubstr("gone.obj"));
  const std::string unknown = refused("\"nut\"", "\"nuts\"");
  EXPECT_THAT(unknown, HasSubstr("part 'nuts': is not in the file"));
  EXPECT_THAT(unknown, HasSubstr("'base', 'bolt', 'nut'"));
  EXPECT_THAT(
      refused("\"parts\": [\"base\", \"nut\"]", "\"parts\": [\"nut\"], \"without\": [\"base\"]"),
      HasSubstr("both 'parts' and 'without'"));
  EXPECT_THAT(
      refused("\"parts\": [\"base\", \"nut\"]", "\"without\": [\"nut\", \"base\", \"bolt\"]"),
      HasSubstr("leaves no part"));
}

TEST_F(SceneFileTest, APartIsNotBodyAndObstacleAtOnePlace) {
  SceneDescription scene = *parsed(kGood);
  scene.body = {{folder_.file("frame.glb"), {"nut"}}};
  scene.start = Pose::identity();
  const Result<PlanScene> loaded = load_scene(scene);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message(), HasSubstr("'nut': is body and obstacle at the same place"));
  // The same shape at another place is a puzzle, not a mistake.
  scene.start = Pose::translate({9, 9, 9});
  EXPECT_TRUE(load_scene(scene).ok());
}

TEST(SceneFile, OtherExtensionsAreRefusedWithAdvice) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_mesh(folder.file("part.stl"), cube()).ok());
  const Result<SceneDescription> scene = read_scene(folder.file("part.stl"));
  ASSERT_FALSE(scene.ok());
  EXPECT_THAT(scene.error().message(), HasSubstr("--body and --obstacles"));
  EXPECT_EQ(read_scene(folder.file("none.json")).error().code, ErrorCode::NotFound);
}

TEST(SceneFile, TheShippedExampleLoads) {
  const Result<SceneDescription> scene = read_scene(test::source_path("examples/latch.json"));
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  const Result<PlanScene> loaded = load_scene(*scene);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_TRUE(check_problem(loaded->problem).ok())
      << check_problem(loaded->problem).error().message();
  EXPECT_TRUE(loaded->problem.body.is_solid());
  EXPECT_TRUE(loaded->problem.obstacles.is_solid());
}

}  // namespace
}  // namespace clearance
