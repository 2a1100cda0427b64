// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <numbers>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/write.h>
#include <clearance/plan/plan_file.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;
using testing::HasSubstr;
using Json = nlohmann::json;

/// A cube of 1 m goes from the left of two others to the right of them, turning on its way.
class PlanFileTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_mesh(folder_.file("cube.ply"), cube()).ok());
    const Assembly walls{{{"left", cube(), Pose::translate({3, 0, 0})},
                          {"right", cube(), Pose::translate({3, 4, 0})}}};
    ASSERT_TRUE(write_assembly(folder_.file("walls.glb"), walls).ok());
    SceneDescription description;
    description.name = folder_.file("scene.json");
    description.body = {{folder_.file("cube.ply")}};
    description.obstacles = {{folder_.file("walls.glb")}};
    description.start = Pose::translate({0, 2, 0});
    description.goal = Pose{rotation_about({0, 0, 1}, 1.0), {6, 2, 0}};
    description.clearance = 0.1;
    description.notes = {"Made by a test."};
    Result<PlanScene> scene = load_scene(description);
    ASSERT_TRUE(scene.ok()) << scene.error().message();
    scene_ = std::make_unique<PlanScene>(std::move(*scene));

    Plan plan;
    plan.path.pivot = pivot_of(scene_->problem.body);
    plan.path.poses = {
        description.start, {rotation_about({0, 0, 1}, 0.5), {2, 2, 0.25}}, *description.goal};
    plan.proof = prove_path(scene_->problem, plan.path);
    ASSERT_EQ(plan.proof.status, ProofStatus::Free);
    plan.status = PlanStatus::Found;
    plan.method = "by hand";
    plan.raw_length = {7.0, 2.0};
    plan.resolution = 1e-4;
    plan.nodes = 3;
    plan.operations = 1ULL << 60;
    plan.work = {11, 12};
    file_ = plan_file(*scene_, plan, "clearance");
  }
  [[nodiscard]] std::string path() const { return folder_.file("plan.json"); }
  [[nodiscard]] std::string text() const { return plan_json(file_, path()); }
  [[nodiscard]] std::string refused(const std::string& from, const std::string& to) const {
    const Result<PlanFile> plan = parse_plan(replaced(text(), from, to), path());
    return plan ? "accepted" : plan.error().message();
  }

  TemporaryFolder folder_;
  std::unique_ptr<PlanScene> scene_;
  PlanFile file_;
};

TEST_F(PlanFileTest, ReadsBackEveryBit) {
  const Result<PlanFile> back = parse_plan(text(), path());
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->plan.path.poses, file_.plan.path.poses);
  EXPECT_EQ(back->plan.path.pivot, file_.plan.path.pivot);
  EXPECT_EQ(back->plan.operations, file_.plan.operations);
  EXPECT_EQ(back->plan.proof.clearance_lower, file_.plan.proof.clearance_lower);
  EXPECT_EQ(back->plan.proof.obstacle_triangle, file_.plan.proof.obstacle_triangle);
  EXPECT_EQ(back->samples.size(), file_.samples.size());
  EXPECT_EQ(back->scene.body[0].path, folder_.file("cube.ply"));
  EXPECT_EQ(plan_json(*back, path()), text());
}

TEST_F(PlanFileTest, ReadsBackWhatWasNotFound) {
  file_.plan.status = PlanStatus::OutOfBudget;
  file_.plan.closest_pose = Pose::translate({1, 2, 3});
  file_.plan.closest_distance = 2.5;
  file_.plan.blocking_triangles = {3, 5, 14};
  const Json json = Json::parse(text());
  EXPECT_FALSE(json.contains("proof"));
  EXPECT_EQ(json["closest"]["blocking"].size(), 2U);
  EXPECT_EQ(json["closest"]["blocking"][1]["part"], "right");
  EXPECT_EQ(json["closest"]["blocking"][1]["triangles"][0], 2);
  const Result<PlanFile> back = parse_plan(text(), path());
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->plan.blocking_triangles, file_.plan.blocking_triangles);
  EXPECT_EQ(plan_json(*back, path()), text());
}

TEST_F(PlanFileTest, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(plan_json(plan_file(*scene_, file_.plan, "clearance", {1}), path()),
            plan_json(plan_file(*scene_, file_.plan, "clearance", {2}), path()));
}

TEST_F(PlanFileTest, NamesMeshesAsSeenFromTheFile) {
  const auto body = [](const std::string& plan) {
    return Json::parse(plan)["scene"]["body"]["files"][0]["file"].get<std::string>();
  };
  EXPECT_EQ(body(text()), "cube.ply") << "beside the plan: moved together";
  EXPECT_EQ(body(plan_json(file_, folder_.file("out/plan.json"))), folder_.file("cube.ply"))
      << "absolute names elsewhere stay";
  std::filesystem::create_directory(folder_.path() / "out");
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  file_.scene.body[0].path = "cube.ply";
  const std::string relative = body(plan_json(file_, "out/plan.json"));
  const Result<PlanFile> back = parse_plan(plan_json(file_, "out/plan.json"), "out/plan.json");
  std::filesystem::current_path(here);
  EXPECT_EQ(relative, "../cube.ply");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->scene.body[0].path, "out/../cube.ply");
}

TEST_F(PlanFileTest, SamplesFollowTheWholePathAndHoldTheNarrowestPlace) {
  ASSERT_GE(file_.samples.size(), 400U);
  EXPECT_EQ(file_.samples.front().at, 0.0);
  EXPECT_EQ(file_.samples.back().at, 1.0);
  double least = 1e9;
  for (std::size_t i = 0; i < file_.samples.size(); ++i) {
    const PlanSample& sample = file_.samples[i];
    EXPECT_GE(sample.at, file_.samples[i == 0 ? 0 : i - 1].at);
    EXPECT_NEAR(norm(sample.on_body - sample.on_obstacle), sample.distance, 1e-12);
    least = std::min(least, sample.distance);
  }
  EXPECT_LE(least, file_.plan.proof.clearance_upper);
  EXPECT_GE(least, file_.plan.proof.clearance_lower);
}

TEST_F(PlanFileTest, LoadsItsSceneAgainUnlessMeshesChanged) {
  const Result<PlanScene> again = load_scene_of(*parse_plan(text(), path()));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->problem.clearance, 0.1);
  EXPECT_EQ(prove_path(again->problem, file_.plan.path).status, ProofStatus::Free);

  // The same shape in other bytes, then another shape.
  ASSERT_TRUE(write_mesh(folder_.file("cube.ply"), cube(1.0, {1e-9, 0, 0})).ok());
  const Result<PlanScene> changed = load_scene_of(*parse_plan(text(), path()));
  ASSERT_FALSE(changed.ok());
  EXPECT_THAT(changed.error().message(), HasSubstr("cube.ply"));
  EXPECT_THAT(changed.error().message(), HasSubstr("has changed"));
}

TEST_F(PlanFileTest, RelievesTheBodyAsTheFileSays) {
  file_.scene.touching = {Touching::Kind::Depth, 0.01};
  file_.relief = 0.01;
  const Result<PlanScene> again = load_scene_of(*parse_plan(text(), path()));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->relief, 0.01);
  EXPECT_LT(again->problem.body.mesh().bounds().diagonal(), 0.999 * std::sqrt(3.0));
  EXPECT_EQ(again->body_mesh.bounds().diagonal(), std::sqrt(3.0));
}

TEST_F(PlanFileTest, RefusesAReliefThatTheSceneDoesNotAllow) {
  // A file changed by hand: the path of a body that is 1 um smaller would be proven.
  const auto loads = [&](Touching touching, double relief) {
    file_.scene.touching = touching;
    file_.relief = relief;
    const Result<PlanScene> again = load_scene_of(*parse_plan(text(), path()));
    EXPECT_TRUE(again || again.error().place == "scene/relief");
    return again.ok();
  };
  const double size = std::sqrt(3.0);
  EXPECT_FALSE(loads({}, 1e-6));
  EXPECT_TRUE(loads({Touching::Kind::Depth, 1e-6}, 1e-6));
  EXPECT_FALSE(loads({Touching::Kind::Depth, 1e-6}, 1.0001e-6));
  EXPECT_TRUE(loads({Touching::Kind::Auto, 0.0}, 0.9999 * kMostAutomaticRelief * size));
  EXPECT_FALSE(loads({Touching::Kind::Auto, 0.0}, 1.0001 * kMostAutomaticRelief * size));
}

TEST_F(PlanFileTest, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(refused("clearance.plan", "clearance.clash"), HasSubstr("another kind of file"));
  EXPECT_THAT(refused("\"version\": 1", "\"version\": 2"), HasSubstr("version"));
  EXPECT_THAT(refused("\"method\"", "\"way\""), HasSubstr("unknown key 'way'"));
  EXPECT_THAT(refused("\"found\"", "\"lost\""), HasSubstr("status"));
  EXPECT_THAT(refused("[0.0,0.0,1.0]]}}],\"parts\"", "[0.0,0.0,1.1]]}}],\"parts\""),
              HasSubstr("scene/body/files/0/pose"));
  EXPECT_THAT(refused("\"checksum\":\"", "\"checksum\":\"x"), HasSubstr("hexadecimal"));
  EXPECT_THAT(refused("\"triangles\":12", "\"triangles\":0"), HasSubstr("triangles"));
  EXPECT_THAT(refused("\"looks\"", "\"views\""), HasSubstr("unknown key 'views'"));
  EXPECT_THAT(refused("\"part\":\"", "\"part\":\"un"), HasSubstr("no such part"));
  EXPECT_THAT(refused("\"relief\":0.0", "\"relief\":-1"), HasSubstr("relief: is negative"));
  EXPECT_FALSE(parse_plan("", path()).ok());
  EXPECT_FALSE(parse_plan("[]", path()).ok());
}

std::vector<std::array<double, 8>> rows_of(const std::string& csv) {
  std::vector<std::array<double, 8>> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "time,x,y,z,qx,qy,qz,qw");
  while (std::getline(lines, line)) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream numbers(line);
    std::array<double, 8> row{};
    for (double& number : row) numbers >> number;
    EXPECT_FALSE(numbers.fail()) << line;
    rows.push_back(row);
  }
  return rows;
}

TEST(PlanCsv, RowsAreSoDenseThatStraightLinesStayNearThePath) {
  // The pivot is 2 m off the origin of the frame, which therefore goes wide arcs.
  PlanPath path;
  path.pivot = {2, 0, 0};
  path.poses = {Pose::identity(),
                {rotation_about({0, 0, 1}, 3.0), {1, 1, 1}},
                {rotation_about({0, 0, 1}, 3.0), {4, 1, 1}}};
  const double radius = 1.0;
  const double deviation = 1e-3;
  const PlanRows rows = plan_csv(path, radius, deviation);
  EXPECT_LE(rows.deviation, deviation);
  const std::vector<std::array<double, 8>> table = rows_of(rows.csv);
  ASSERT_EQ(table.size(), rows.count);
  EXPECT_EQ(table.front()[0], 0.0);
  EXPECT_EQ(table.back()[0], 1.0);
  double farthest = 0.0;
  for (std::size_t i = 0; i + 1 < table.size(); ++i) {
    ASSERT_LT(table[i][0], table[i + 1][0]);
    double alike = 0.0;
    for (std::size_t c = 4; c < 8; ++c) alike += table[i][c] * table[i + 1][c];
    EXPECT_GT(alike, 0.0) << "quaternions of one sign";
    const Pose middle = pose_at(path, 0.5 * (table[i][0] + table[i + 1][0]), radius);
    const Vec3 straight = 0.5 * Vec3{table[i][1] + table[i + 1][1], table[i][2] + table[i + 1][2],
                                     table[i][3] + table[i + 1][3]};
    farthest = std::max(farthest, norm(middle.translation - straight));
  }
  EXPECT_LE(farthest, rows.deviation);
  EXPECT_GE(farthest, 0.3 * rows.deviation) << "the bound is not idle";
}

TEST(PlanCsv, AWayWithoutTurnsNeedsNoMoreThanItsPoses) {
  PlanPath path;
  path.pivot = {5, 5, 5};
  path.poses = {Pose::identity(), Pose::translate({1, 0, 0}), Pose::translate({1, 3, 0})};
  const PlanRows rows = plan_csv(path, 1.0, 1e-9);
  EXPECT_EQ(rows.count, 3U);
  EXPECT_EQ(rows.deviation, 0.0);
  EXPECT_EQ(rows_of(rows.csv)[1][0], 0.25);
}

/// The document and the buffer of a GLB file, after its framing was looked at.
struct Glb {
  Json json;
  std::string buffer;
  explicit Glb(const std::string& bytes) {
    const auto u32 = [&](std::size_t at) {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      return value;
    };
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(u32(4), 2U);
    EXPECT_EQ(u32(8), bytes.size());
    const std::size_t json_size = u32(12);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    json = Json::parse(bytes.substr(20, json_size));
    EXPECT_EQ(u32(20 + json_size), bytes.size() - 28 - json_size);
    buffer = bytes.substr(28 + json_size);
    EXPECT_EQ(json["buffers"][0]["byteLength"], buffer.size());
  }
  [[nodiscard]] std::vector<float> floats(std::size_t accessor) const {
    const Json& about = json["accessors"][accessor];
    EXPECT_EQ(about["componentType"], 5126);
    const Json& view = json["bufferViews"][about["bufferView"].get<std::size_t>()];
    const std::size_t width = about["type"] == "SCALAR" ? 1 : about["type"] == "VEC3" ? 3 : 4;
    std::vector<float> numbers(width * about["count"].get<std::size_t>());
    EXPECT_EQ(view["byteLength"], sizeof(float) * numbers.size());
    std::memcpy(numbers.data(), buffer.data() + view["byteOffset"].get<std::size_t>(),
                sizeof(float) * numbers.size());
    return numbers;
  }
};

TEST_F(PlanFileTest, AnimatedGlbPlaysThePath) {
  const std::string name = folder_.file("path.glb");
  ASSERT_TRUE(write_plan_glb(name, *scene_, file_.plan.path, file_.radius, 4.0).ok());
  const Glb glb(contents(name));
  std::size_t body = 0;
  for (std::size_t i = 0; i < glb.json["nodes"].size(); ++i)
    if (glb.json["nodes"][i]["name"] == "body") body = i;
  const Json& animation = glb.json["animations"][0];
  std::map<std::string, std::vector<float>> outputs;
  std::vector<float> times;
  for (const Json& channel : animation["channels"]) {
    EXPECT_EQ(channel["target"]["node"], body);
    const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
    EXPECT_EQ(sampler["interpolation"], "LINEAR");
    times = glb.floats(sampler["input"]);
    EXPECT_EQ(glb.json["accessors"][sampler["input"].get<std::size_t>()]["max"][0].get<float>(),
              times.back());
    outputs[channel["target"]["path"]] = glb.floats(sampler["output"]);
  }
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times.front(), 0.0F);
  EXPECT_EQ(times.back(), 4.0F);
  EXPECT_TRUE(std::ranges::is_sorted(times));
  ASSERT_EQ(outputs["translation"].size(), 9U);
  ASSERT_EQ(outputs["rotation"].size(), 12U);
  for (std::size_t i = 0; i < 3; ++i) {
    const float* p = &outputs["translation"][3 * i];
    const float* q = &outputs["rotation"][4 * i];
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0F, 1e-6F);
    // A corner of the cube: node * (vertex - pivot) is where the path puts it.
    const PlanPath& path = file_.plan.path;
    const Pose node{rotation_from({q[0], q[1], q[2], q[3]}), {p[0], p[1], p[2]}};
    const Vec3 corner{1, 1, 1};
    EXPECT_LT(norm(node * (corner - path.pivot) - path.poses[i] * corner), 1e-6);
  }
  // Positions: bounds as the file says; geometry as large as what was given.
  for (const Json& mesh : glb.json["meshes"]) {
    const std::size_t accessor = mesh["primitives"][0]["attributes"]["POSITION"];
    const std::vector<float> numbers = glb.floats(accessor);
    const Json& about = glb.json["accessors"][accessor];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_LE(about["min"][i % 3].get<float>(), numbers[i]);
      EXPECT_GE(about["max"][i % 3].get<float>(), numbers[i]);
    }
  }
  EXPECT_EQ(glb.json["meshes"].size(), 3U);
}

TEST_F(PlanFileTest, AnimatedGlbCutsWideTurns) {
  PlanPath path = file_.plan.path;
  path.poses = {Pose::identity(),
                {rotation_about({0, 0, 1}, std::numbers::pi), {1, 1, 0}},
                {rotation_about({0, 0, 1}, std::numbers::pi), {1, 1, 0}}};
  const std::string name = folder_.file("turn.glb");
  ASSERT_TRUE(write_plan_glb(name, *scene_, path, file_.radius).ok());
  const Glb glb(contents(name));
  const Json& samplers = glb.json["animations"][0]["samplers"];
  const std::vector<float> times = glb.floats(samplers[0]["input"]);
  const std::vector<float> turns = glb.floats(samplers[1]["output"]);
  ASSERT_GE(times.size(), 5U);
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    EXPECT_LT(times[i], times[i + 1]);
    float alike = 0.0F;
    for (std::size_t c = 0; c < 4; ++c) alike += turns[4 * i + c] * turns[4 * i + 4 + c];
    EXPECT_GT(alike, 0.7F) << "less than a quarter turn, of one sign";
  }
}

}  // namespace
}  // namespace clearance
