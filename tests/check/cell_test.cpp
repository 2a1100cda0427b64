// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/base/file.h>
#include <clearance/check/cell.h>
#include <clearance/mesh/write.h>
#include <clearance/simplify/cover.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"
#include "support/urdf_text.h"

namespace clearance {
namespace {

using namespace clearance::test;

/// A folder with a robot of two links, a mesh, and a cell that names both.
class CellFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string urdf = robot_text(link_text("base", kBall) + link_text("arm", kBall) +
                                        joint_text("turn", "revolute", "base", "arm", kTurn));
    ASSERT_TRUE(write_file(folder_.file("arm.urdf"), urdf).ok());
    ASSERT_TRUE(write_mesh(folder_.file("part.obj"), cube(20.0)).ok());
    ASSERT_TRUE(
        write_file(folder_.file("arm.srdf"),
                   R"(<robot name="r"><disable_collisions link1="base" link2="arm"/></robot>)")
            .ok());
  }
  [[nodiscard]] Result<Cell> parsed(const std::string& text) const {
    return parse_cell(text, folder_.file("cell.json"), {1});
  }
  [[nodiscard]] std::string refused(const std::string& text) const {
    const Result<Cell> cell = parsed(text);
    return cell ? "accepted" : cell.error().message();
  }
  /// The good cell with one text in it replaced.
  [[nodiscard]] std::string refused(const std::string& from, const std::string& to) const {
    return refused(replaced(kGood, from, to));
  }

  TemporaryFolder folder_;
  const std::string kGood = R"({
    "clearance": "cell", "version": 1, "description": "for a test",
    "units": {"length": "mm", "angle": "deg"},
    "robot": {"urdf": "arm.urdf", "srdf": "arm.srdf", "base": {"xyz": [0, 0, 500], "rpy": [0, 0, 90]}},
    "tool": {"link": "arm", "point": {"xyz": [100, 0, 0]}},
    "bodies": [
      {"name": "torch", "on": "arm", "pose": {"xyz": [50, 0, 0]},
       "shapes": [{"cylinder": {"radius": 10, "length": 200}}, {"sphere": {"radius": 15}, "pose": {"xyz": [0, 0, 100]}}]},
      {"name": "table", "pose": {"xyz": [0, 0, -1000]}, "shapes": [{"box": [2000, 1000, 50], "pose": {"xyz": [0, 0, 25]}}]},
      {"name": "part", "shapes": [{"mesh": "part.obj", "unit": "mm", "scale": 2}]}
    ],
    "allowed": [["torch", "part"]],
    "matrix": {"samples": 50, "seed": 3},
    "models": {"use": "spheres-first", "error": 4}
  })";
};

TEST_F(CellFile, IsReadWithItsUnits) {
  const Result<Cell> cell = parsed(kGood);
  ASSERT_TRUE(cell) << cell.error().message();
  EXPECT_EQ(cell->robot.links().size(), 2U);
  EXPECT_DOUBLE_EQ(cell->world_from_base.translation.z, 0.5);
  EXPECT_NEAR(cell->world_from_base.rotation[1].x, 1.0, 1e-15);
  EXPECT_EQ(cell->tool_link, 1U);
  EXPECT_DOUBLE_EQ(cell->link_from_tool.translation.x, 0.1);
  ASSERT_EQ(cell->bodies.size(), 3U);
  EXPECT_EQ(cell->bodies[0].link, 1U);
  ASSERT_EQ(cell->bodies[0].shapes.size(), 2U);
  EXPECT_EQ(cell->bodies[0].shapes[1].link_from_shape.translation, (Vec3{0.05, 0.0, 0.1}));
  EXPECT_DOUBLE_EQ(std::get<CylinderShape>(cell->bodies[0].shapes[0].geometry).length, 0.2);
  EXPECT_EQ(cell->bodies[1].link, kNoLink);
  EXPECT_DOUBLE_EQ(cell->bodies[1].shapes[0].link_from_shape.translation.z, -0.975);
  EXPECT_NEAR(std::get<MeshShape>(cell->bodies[2].shapes[0].geometry).mesh.bounds().high.x, 0.04,
              1e-12);
  EXPECT_EQ(cell->samples, 50U);
  EXPECT_EQ(cell->seed, 3U);
  EXPECT_EQ(cell->models, CheckModels::SpheresFirst);
  EXPECT_DOUBLE_EQ(cell->spheres.error, 0.004);
  ASSERT_TRUE(cell->srdf);
  // At turn = 0 the tool is 1 m and 0.1 m along x of a base that is turned to y.
  const Pose tool = cell->world_from_tool(std::vector<double>{0.0});
  EXPECT_NEAR(tool.translation.y, 1.1, 1e-12);
  EXPECT_NEAR(tool.translation.z, 0.5, 1e-12);
}

TEST_F(CellFile, IsMadeReady) {
  Cell cell = std::move(parsed(kGood).value());
  cell.models = CheckModels::Meshes;
  const Result<ReadyCell> ready = prepare(cell, {1});
  ASSERT_TRUE(ready) << ready.error().message();
  ASSERT_EQ(ready->bodies.size(), 5U);
  EXPECT_EQ(ready->bodies[2].name, "torch");
  EXPECT_EQ(ready->body("table"), 3U);
  EXPECT_FALSE(ready->body("nothing"));
  EXPECT_STREQ(name_of(ready->matrix.rule(2, 4)->reason), "allowed");
  EXPECT_EQ(ready->matrix.rule(1, 3), nullptr);
  const std::vector<Pose> poses = ready->body_poses(std::vector<double>{0.0});
  EXPECT_NEAR(poses[2].translation.y, 1.0, 1e-12);
  EXPECT_EQ(poses[3], Pose::identity());
}

TEST_F(CellFile, RefusesWithPlaceAndReason) {
  EXPECT_SAYS(refused(""), "cell.json: byte 1: is not JSON");
  EXPECT_SAYS(refused("[]"), "is not a JSON object");
  EXPECT_SAYS(refused("{}"), R"(does not say "clearance": "cell")");
  EXPECT_SAYS(refused(R"("version": 1)", R"("version": 2)"), "version: 2 is not 1");
  EXPECT_SAYS(refused(R"("mm", "angle")", R"("miles", "angle")"),
              "units/length: is not a unit of length");
  EXPECT_SAYS(refused(R"("deg")", R"("degrees")"), "units/angle");
  EXPECT_SAYS(refused(R"("arm.urdf")", R"("gone.urdf")"), "robot/urdf: ");
  EXPECT_SAYS(refused(R"("arm.srdf")", R"("gone.srdf")"), "robot/srdf: ");
  EXPECT_SAYS(refused(R"("link": "arm")", R"("link": "leg")"),
              "tool/link: the robot r has no link 'leg'");
  EXPECT_SAYS(refused(R"("on": "arm")", R"("on": "leg")"), "bodies/0/on");
  EXPECT_SAYS(refused(R"("name": "table")", R"("name": "arm")"),
              "bodies/1: there is a link or a body 'arm'");
  EXPECT_SAYS(refused(R"([2000, 1000, 50])", R"([2000, 0, 50])"), "bodies/1/shapes/0/box");
  EXPECT_SAYS(refused(R"([2000, 1000, 50])", R"([2000, 50])"), "three numbers");
  EXPECT_SAYS(refused(R"([2000, 1000, 50])", R"([1e30, 1, 1])"), "is too large");
  EXPECT_SAYS(refused(R"("radius": 15)", R"("radius": -1)"), "sphere/radius: -1 is not above 0");
  EXPECT_SAYS(refused(R"("part.obj")", R"("gone.obj")"), "bodies/2/shapes/0/mesh");
  EXPECT_SAYS(refused(R"("scale": 2)", R"("scale": 0)"), "scale: 0 is not above 0");
  EXPECT_SAYS(refused(R"("unit": "mm")", R"("unit": "px")"), "is not a unit of length");
  EXPECT_SAYS(refused(R"({"box")", R"({"scale": 1, "box")"), "goes with 'mesh' only");
  EXPECT_SAYS(refused(R"({"box")", R"({"mesh": "a", "box")"), "needs one of");
  EXPECT_SAYS(refused(R"(["torch", "part"])", R"(["torch", "art"])"),
              "allowed/0: there is no link and no body 'art'");
  EXPECT_SAYS(refused(R"(["torch", "part"])", R"(["torch"])"), "is not a pair");
  EXPECT_SAYS(refused(R"("samples": 50)", R"("samples": -1)"), "matrix/samples");
  EXPECT_SAYS(refused(R"("samples": 50)", R"("leave_out_never": true)"), "needs 'samples'");
  EXPECT_SAYS(refused(R"("spheres-first")", R"("balls")"), "models/use");
  EXPECT_SAYS(refused(R"("error": 4)", R"("error": 0)"), "models/error: 0 is not above 0");
  EXPECT_SAYS(refused(R"("bodies")", R"("things")"), "unknown key 'things'");
  EXPECT_SAYS(read_cell(folder_.file("gone.json")).error().message(), "gone.json");
}

TEST_F(CellFile, DeepNestingIsRefusedNotFollowed) {
  const std::string deep(200'000, '[');
  EXPECT_SAYS(refused(deep), "is not JSON");
  const std::string closed = deep + std::string(200'000, ']');
  for (const char* key : {R"("version": 1)", R"("samples": 50)", R"("error": 4)"}) {
    const std::string name = std::string(key).substr(0, std::string(key).find(':'));
    EXPECT_NE(refused(key, name + ": " + closed), "accepted");
  }
}

TEST_F(CellFile, SpheresHoldTheBodiesByProof) {
  Cell cell = std::move(parsed(kGood).value());
  cell.spheres.error = 0.05;
  const Result<ReadyCell> made = prepare(cell, {1});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->has_spheres);
  for (const CheckBody& body : made->bodies) {
    for (const Model& model : body.models)
      EXPECT_EQ(verify_cover(model, body.spheres).status, CoverStatus::Covered) << body.name;
  }
  // From a file: those of the part, a cube of 40 mm at the origin, whose half diagonal is 34.7 mm.
  const auto with = [&](const std::string& radius) {
    const std::string text = R"({"part": {"spheres": [{"origin": [0.02, 0.02, 0.02], "radius": )" +
                             radius + R"(}], "mean": 0, "best": 0, "worst": 0}})";
    EXPECT_TRUE(write_file(folder_.file("s.json"), text).ok());
    Cell read = std::move(
        parsed(replaced(kGood, R"("error": 4)", R"("error": 50, "file": "s.json")")).value());
    return prepare(read, {1});
  };
  const Result<ReadyCell> enough = with("0.035");
  ASSERT_TRUE(enough) << enough.error().message();
  EXPECT_EQ(enough->bodies.back().spheres.size(), 1U);
  EXPECT_SAYS(with("0.034").error().message(), "spheres of 'part': do not hold the whole body");
  EXPECT_SAYS(refused(R"("error": 4)", R"("file": "gone.json")"), "models/file");
  ASSERT_TRUE(write_file(folder_.file("s.json"), R"({"nobody": {"spheres": []}})").ok());
  EXPECT_SAYS(refused(R"("error": 4)", R"("file": "s.json")"), "models/file");
}

// A fixture of 1e12 m: everything in the cell was called contact, in millions of looks that Ctrl-C
// did not end.
TEST_F(CellFile, TooLargeForTheDigitsOfCoordinatesIsNotMadeReady) {
  for (const auto& [from, to, place] : std::vector<std::array<std::string, 3>>{
           {"[2000, 1000, 50]", "[2000, 1e15, 50]", "body 'table'"},
           {"\"radius\": 15}", "\"radius\": 2e10}", "body 'torch'"},
           {"[0, 0, 500]", "[0, 1e17, 0]", "base"}}) {
    const Result<Cell> cell = parsed(replaced(kGood, from, to));
    ASSERT_TRUE(cell.ok()) << cell.error().message();
    const Result<ReadyCell> ready = prepare(*cell);
    ASSERT_FALSE(ready.ok());
    EXPECT_EQ(ready.error().place, place);
    EXPECT_NE(ready.error().message().find("from the origin of its frame"), std::string::npos);
  }
}

TEST_F(CellFile, NamesAllowedBodiesWithoutShapes) {
  Cell cell = std::move(parsed(kGood).value());
  cell.models = CheckModels::Meshes;
  cell.allowed = {{"torch", "nowhere"}};
  EXPECT_SAYS(prepare(cell, {1}).error().message(), "'nowhere' is no body with shapes");
}

}  // namespace
}  // namespace clearance
