// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}

// A camera 1 m above the floor that sees a box of 0.2 m in the middle of its picture, and nothing
// in one corner.
class SeenBox : public testing::Test {
 protected:
  SeenBox() {
    view_.camera = {21, 21, 20.0, 20.0, 10.0, 10.0};
    view_.world_from_camera = {rotation_about({1.0, 0.0, 0.0}, 3.14159265358979323846),
                               {0.0, 0.0, 1.0}};
    view_.range = 2.0;
    for (int v = 0; v < 21; ++v) {
      for (int u = 0; u < 21; ++u) {
        const bool is_box = std::abs(u - 10) <= 2 && std::abs(v - 10) <= 2;
        const bool is_blind = u == 0 && v == 0;
        values_.push_back(is_blind ? 0 : (is_box ? 800 : 1000));
      }
    }
  }
  bool is_hit(UnseenSpace unseen, const Vec3& at) const {
    const Model seen = model_of(view_, values_, unseen).value();
    const Model probe =
        Model::build(mesh_of(std::vector<Box>{{{-0.01, -0.01, -0.01}, {0.01, 0.01, 0.01}}}))
            .value();
    return collide(seen, probe, Pose::translate(at)).hit;
  }
  DepthView view_;
  std::vector<std::uint16_t> values_;
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
  values_.pop_back();
  EXPECT_THAT(model_of(view_, values_, UnseenSpace::Solid).error().message(),
              HasSubstr("440 values"));
}

}  // namespace
}  // namespace clearance
