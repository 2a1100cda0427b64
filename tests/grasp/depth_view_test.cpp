// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/grasp/depth_view.h>
#include <clearance/grasp/pile.h>
#include <clearance/query/solid.h>

namespace clearance {
namespace {

using testing::HasSubstr;

constexpr const char* kView = R"({
  "clearance": "depth-view", "version": 1, "units": {"length": "mm", "angle": "deg"},
  "image": "seen/depth.png", "focal": [100, 110], "center": [4, 3.5], "depth_step": 0.5,
  "pose": {"xyz": [10, 20, 800], "rpy": [180, 0, 0]}, "nearest": 100, "range": 2000})";

std::string replaced(const std::string& what, const std::string& by) {
  std::string text = kView;
  text.replace(text.find(what), what.size(), by);
  return text;
}
std::string reason_of(const std::string& text) {
  const Result<DepthView> view = parse_depth_view(text, "a/view.json");
  return view ? "read" : view.error().message();
}

TEST(DepthView, IsReadWithItsUnitsAndTheImageBesideIt) {
  const Result<DepthView> view = parse_depth_view(kView, "a/view.json");
  ASSERT_TRUE(view.ok()) << view.error().message();
  EXPECT_EQ(view->image, "a/seen/depth.png");
  EXPECT_EQ(view->camera.focal_v, 110.0);
  EXPECT_EQ(view->camera.center_u, 4.0);
  EXPECT_DOUBLE_EQ(view->depth_step, 0.0005);
  EXPECT_DOUBLE_EQ(view->nearest, 0.1);
  EXPECT_DOUBLE_EQ(view->range, 2.0);
  // It looks down.
  EXPECT_NEAR((view->world_from_camera * Vec3{0.0, 0.0, 0.8}).z, 0.0, 1e-15);
  EXPECT_NEAR((view->world_from_camera * Vec3{0.0, 0.0, 0.8}).x, 0.01, 1e-15);
}

TEST(DepthView, RefusesWhatMakesNoSense) {
  EXPECT_THAT(reason_of("{}"), HasSubstr("a/view.json"));
  EXPECT_THAT(reason_of(replaced("\"image\": \"seen/depth.png\",", "")), HasSubstr("'image'"));
  EXPECT_THAT(reason_of(replaced("[100, 110]", "[0, 110]")), HasSubstr("focal/0"));
  EXPECT_THAT(reason_of(replaced("[100, 110]", "[100]")), HasSubstr("focal: is not two numbers"));
  EXPECT_THAT(reason_of(replaced("\"range\": 2000", "\"range\": 50")),
              HasSubstr("the range ends before 'nearest'"));
  EXPECT_THAT(reason_of(replaced("\"depth_step\": 0.5", "\"depth_step\": -1")),
              HasSubstr("depth_step"));
  EXPECT_THAT(reason_of(replaced("\"rpy\": [180, 0, 0]", "\"quaternion\": [1, 1, 0, 0]")),
              HasSubstr("pose"));
  EXPECT_THAT(reason_of(replaced("\"rpy\"", "\"tilt\"")), HasSubstr("tilt"));
  EXPECT_THAT(reason_of(replaced("\"focal\"", "\"size\": [0, 480], \"focal\"")),
              HasSubstr("size/0"));
  EXPECT_THAT(reason_of(replaced("\"focal\"", "\"size\": 640, \"focal\"")), HasSubstr("size"));
}

// A camera 1 m above the floor that sees a box of 0.2 m in the middle of its picture, and nothing
// in one corner.
class SeenBox : public testing::Test {
 protected:
  SeenBox() {
    map_.camera = {21, 21, 20.0, 20.0, 10.0, 10.0};
    map_.world_from_camera = {rotation_about({1.0, 0.0, 0.0}, 3.14159265358979323846),
                              {0.0, 0.0, 1.0}};
    map_.options.range = 2.0;
    for (int v = 0; v < 21; ++v) {
      for (int u = 0; u < 21; ++u) {
        const bool is_box = std::abs(u - 10) <= 2 && std::abs(v - 10) <= 2;
        const bool is_blind = u == 0 && v == 0;
        map_.depth.push_back(is_blind ? 0.0F : (is_box ? 0.8F : 1.0F));
      }
    }
  }
  bool is_hit(UnseenSpace unseen, const Vec3& at) const {
    DepthMap map = map_;
    map.options.unseen = unseen;
    return is_hit(model_of(map).value(), at);
  }
  static bool is_hit(const Model& seen, const Vec3& at) {
    const Model probe =
        Model::build(mesh_of(std::vector<Box>{{{-0.01, -0.01, -0.01}, {0.01, 0.01, 0.01}}}))
            .value();
    return collide(seen, probe, Pose::translate(at)).hit;
  }
  DepthMap map_;
};

TEST_F(SeenBox, BlocksWhatIsBehindAndWhereNothingWasSeenOnlyWhenAsked) {
  constexpr Vec3 kAbove{0.0, 0.0, 0.25};
  constexpr Vec3 kOnTop{0.0, 0.0, 0.2};
  constexpr Vec3 kInside{0.0, 0.0, 0.1};
  constexpr Vec3 kBeside{0.3, 0.0, 0.1};
  constexpr Vec3 kBlind{-0.475, 0.475, 0.05};
  EXPECT_FALSE(is_hit(UnseenSpace::Free, kAbove));
  EXPECT_FALSE(is_hit(UnseenSpace::Solid, kAbove));
  EXPECT_TRUE(is_hit(UnseenSpace::Free, kOnTop));
  EXPECT_TRUE(is_hit(UnseenSpace::Solid, kOnTop));
  EXPECT_FALSE(is_hit(UnseenSpace::Free, kInside));
  EXPECT_TRUE(is_hit(UnseenSpace::Solid, kInside));
  EXPECT_FALSE(is_hit(UnseenSpace::Free, kBeside));
  EXPECT_FALSE(is_hit(UnseenSpace::Solid, kBeside));
  EXPECT_FALSE(is_hit(UnseenSpace::Free, kBlind));
  EXPECT_TRUE(is_hit(UnseenSpace::Solid, kBlind));
}

TEST_F(SeenBox, RefusesAnImageOfAnotherSize) {
  map_.depth.pop_back();
  EXPECT_THAT(model_of(map_).error().message(), HasSubstr("440 values"));
}

TEST_F(SeenBox, BeginsBehindAPartThatIsKnown) {
  // The box is the part; where the camera sees it, its own shadow begins below it.
  const Model part =
      Model::build(mesh_of(std::vector<Box>{{{-0.09, -0.09, 0.1}, {0.09, 0.09, 0.2}}})).value();
  constexpr Vec3 kOnTop{0.0, 0.0, 0.2};
  constexpr Vec3 kInside{0.0, 0.0, 0.15};
  constexpr Vec3 kBelow{0.0, 0.0, 0.05};
  const auto without = [&](UnseenSpace unseen, double contact) {
    map_.options.unseen = unseen;
    return model_without(map_, part, Pose::identity(), contact, {{}, 2.0}).value();
  };
  const std::optional<Model> solid = without(UnseenSpace::Solid, 1e-3);
  ASSERT_TRUE(solid.has_value());
  EXPECT_FALSE(is_hit(*solid, kOnTop));
  EXPECT_FALSE(is_hit(*solid, kInside));
  EXPECT_TRUE(is_hit(*solid, kBelow)) << "what the part hides is not seen";
  EXPECT_TRUE(is_hit(*solid, {-0.475, 0.475, 0.05})) << "nor is what has no depth";
  EXPECT_FALSE(is_hit(*solid, {0.3, 0.0, 0.1}));
  EXPECT_TRUE(is_hit(*solid, {0.3, 0.0, 0.0})) << "the floor beside it";
  const std::optional<Model> surface = without(UnseenSpace::Free, 1e-3);
  ASSERT_TRUE(surface.has_value());
  EXPECT_FALSE(is_hit(*surface, kOnTop));
  EXPECT_TRUE(is_hit(*surface, {0.3, 0.0, 0.0}));

  // The same part 0.2 m lower is not what is seen there: a pixel is 7 % of the distance.
  const Model lower =
      Model::build(mesh_of(std::vector<Box>{{{-0.09, -0.09, -0.1}, {0.09, 0.09, 0.0}}})).value();
  map_.options.unseen = UnseenSpace::Solid;
  const std::optional<Model> other =
      model_without(map_, lower, Pose::identity(), 1e-3, {{}, 2.0}).value();
  ASSERT_TRUE(other.has_value());
  EXPECT_TRUE(is_hit(*other, kOnTop));
}

TEST_F(SeenBox, IsRightWithinTheRegionAskedFor) {
  const Model part =
      Model::build(mesh_of(std::vector<Box>{{{-0.09, -0.09, 0.1}, {0.09, 0.09, 0.2}}})).value();
  const Sphere region{{0.12, 0.1, 0.05}, 0.12};
  const std::optional<Model> near =
      model_without(map_, part, Pose::identity(), 1e-3, region).value();
  const std::optional<Model> all =
      model_without(map_, part, Pose::identity(), 1e-3, {{}, 5.0}).value();
  ASSERT_TRUE(near && all);
  EXPECT_LT(near->mesh().triangle_count(), all->mesh().triangle_count());
  Random random(5);
  int hits = 0;
  for (int i = 0; i < 200; ++i) {
    const Vec3 at = region.center + 0.1 * Vec3{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                                               random.uniform(-1.0, 1.0)};
    if (distance(at, region.center) > 0.1) continue;
    EXPECT_EQ(is_hit(*near, at), is_hit(*all, at));
    hits += is_hit(*near, at) ? 1 : 0;
  }
  EXPECT_GT(hits, 2);
}

TEST(DepthMap, HasTheSizeAndTheStepThatTheViewSays) {
  DepthView view;
  view.image = "a/depth.npy";
  view.camera = {2, 2, 100.0, 100.0, 0.5, 0.5};
  const std::vector<float> values{1000.0F, 0.0F, std::nanf(""), 1500.0F};
  const DepthMap millimetres = map_of(view, 2, 2, values, true, UnseenSpace::Free).value();
  EXPECT_FLOAT_EQ(millimetres.depth[3], 1.5F);
  EXPECT_TRUE(std::isnan(millimetres.depth[2]));
  EXPECT_FLOAT_EQ(map_of(view, 2, 2, values, false, UnseenSpace::Free)->depth[3], 1500.0F);
  view.depth_step = 1e-4;
  EXPECT_FLOAT_EQ(map_of(view, 2, 2, values, false, UnseenSpace::Free)->depth[3], 0.15F);
  EXPECT_THAT(map_of(view, 4, 1, values, true, UnseenSpace::Free).error().message(),
              HasSubstr("a/depth.npy: size: the image has 4 x 1 pixels, the view is of 2 x 2"));
}

TEST(DepthMap, IsWhatACameraWouldSee) {
  // 1 m above the floor, looking down at a box of 0.2 m; beside it the floor, slanted rays too.
  const PinholeCamera camera{21, 21, 20.0, 20.0, 10.0, 10.0};
  const Pose pose{rotation_about({1.0, 0.0, 0.0}, 3.14159265358979323846), {0.0, 0.0, 1.0}};
  const Model box =
      Model::build(mesh_of(std::vector<Box>{{{-0.09, -0.09, 0.0}, {0.09, 0.09, 0.2}}})).value();
  DepthOptions options;
  const std::vector<float> depths = depths_of(camera, pose, box.bvh(), options);
  ASSERT_EQ(depths.size(), 441U);
  EXPECT_NEAR(depths[10 * 21 + 10], 0.8F, 1e-6F);
  EXPECT_NEAR(depths[12 * 21 + 12], 0.8F, 1e-6F);
  EXPECT_NEAR(depths[0], 1.0F, 1e-6F);
  options.range = 0.9;
  EXPECT_EQ(depths_of(camera, pose, box.bvh(), options)[0], 0.0F);
  EXPECT_EQ(depths_of(camera, pose, box.bvh(), options, {2}),
            depths_of(camera, pose, box.bvh(), options, {1}));
}

}  // namespace
}  // namespace clearance
