// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/shapes.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/kept_volume.h>
#include <clearance/simplify/simplify.h>

#include "simplify/model_of.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::model_of;

// A block of 60 x 40 x 50 mm with a slot across its top, z = 50 mm: 20 mm wide, 40 mm deep.
Mesh slotted_block() {
  const std::vector<Vec3> outline{{0, 0, 0},       {0.06, 0, 0},    {0.06, 0, 0.05},
                                  {0.04, 0, 0.05}, {0.04, 0, 0.01}, {0.02, 0, 0.01},
                                  {0.02, 0, 0.05}, {0, 0, 0.05}};
  std::vector<Vec3> vertices = outline;
  for (const Vec3& p : outline) vertices.push_back({p.x, 0.04, p.z});
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t j = (i + 1) % 8;
    faces.push_back({i, j + 8, j});
    faces.push_back({i, i + 8, j + 8});
  }
  // As seen from y < 0: the floor 0 1 4 5, the walls 1 2 3 4 and 0 5 6 7.
  for (const auto& [a, b, c] : std::vector<std::array<std::uint32_t, 3>>{
           {0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}}) {
    faces.push_back({a, b, c});
    faces.push_back({a + 8, c + 8, b + 8});
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

// A tip of 6 mm radius, and 25 mm above it a body of 15 mm.
std::vector<Sphere> torch() { return {{{0, 0, 0}, 0.006}, {{0, 0, 0.025}, 0.015}}; }

KeptVolume kept_of(const Model& body, const ExternalTool& tool) {
  Result<KeptVolume> kept = KeptVolume::make(body, {.external_tool = tool, .resolution = 0.0003});
  EXPECT_TRUE(kept.ok()) << kept.error().message();
  return *kept;
}

bool is_free(const Model& body, std::span<const Sphere> tool, const Mat3& turn, const Vec3& t) {
  return std::all_of(tool.begin(), tool.end(), [&](const Sphere& sphere) {
    const Vec3 c = turn * sphere.center + t;
    return body.side(c) == Side::Outside && distance(body.bvh(), c).distance >= sphere.radius;
  });
}

TEST(ExternalTool, OneBallIsAnExternalBall) {
  const Model body = model_of(slotted_block());
  ASSERT_TRUE(body.is_solid());
  const KeptVolume ball =
      KeptVolume::make(body, {.external_diameter = 0.03, .resolution = 0.0003}).value();
  // Where the ball is in the frame of the tool does not matter.
  const KeptVolume tool = kept_of(body, {{{{0.1, -0.2, 0.3}, 0.015}}});
  EXPECT_FALSE(KeptVolume::make(body).value().is_filled());
  EXPECT_TRUE(ball.is_filled() && tool.is_filled());
  Random random(1);
  int kept = 0;
  int free = 0;
  for (int i = 0; i < 400; ++i) {
    const Vec3 p{random.uniform(0.0, 0.06), random.uniform(0.0, 0.04), random.uniform(0.0, 0.055)};
    const double by_ball = ball.safe_radius(p, 0.002, 1e-5);
    const double by_tool = tool.safe_radius(p, 0.002, 1e-5);
    if (by_ball > 0.002) {
      ++kept;
      EXPECT_NEAR(by_tool, by_ball, 3e-5);
    }
    if (ball.is_outside(p, 0.0005) != tool.is_outside(p, 0.0005)) {
      // Only at the boundary, where neither has to know.
      EXPECT_NEAR(by_ball, 0.002, 0.0015);
    }
    if (tool.is_outside(p, 0.0)) ++free;
  }
  EXPECT_GT(kept, 100);
  EXPECT_GT(free, 10);
}

// The body of the tool rests on the edges of the slot when its middle is sqrt(15² - 10²) = 11.18 mm
// above them: then the tip reaches 19.82 mm into it.
TEST(ExternalTool, TheTipReachesAsFarAsTheBodyAllows) {
  const Model body = model_of(slotted_block());
  const KeptVolume kept = kept_of(body, {torch()});
  const auto in_slot = [](double depth) { return Vec3{0.03, 0.02, 0.05 - depth}; };
  for (const double depth : {0.002, 0.01, 0.019, 0.0195}) {
    const Sphere ball = kept.free_ball(in_slot(depth));
    EXPECT_GT(ball.radius, 0.0) << depth;
    EXPECT_LT(distance(ball.center, in_slot(depth)), ball.radius);
    EXPECT_LT(kept.safe_radius(in_slot(depth), 0.0, 1e-5), 0.0);
  }
  for (const double depth : {0.0202, 0.022, 0.03, 0.039}) {
    EXPECT_GE(kept.safe_radius(in_slot(depth), 0.0, 1e-5), 0.0) << depth;
    EXPECT_EQ(kept.free_ball(in_slot(depth)).radius, 0.0);
  }
  // How far from what the tip reaches: known to a hundredth.
  EXPECT_NEAR(kept.safe_radius(in_slot(0.025), 0.0, 1e-5), 0.025 - 0.01982, 3e-5);
  EXPECT_NEAR(kept.safe_radius(in_slot(0.025), 0.001, 1e-5), 0.026 - 0.01982, 3e-5);
  // A ball of the size of the tip would leave the slot open, one of the body close all of it.
  const KeptVolume tip = KeptVolume::make(body, {.external_diameter = 0.012}).value();
  EXPECT_GT(tip.free_ball(in_slot(0.03)).radius, 0.0);
  const KeptVolume wide = KeptVolume::make(body, {.external_diameter = 0.03}).value();
  EXPECT_GE(wide.safe_radius(in_slot(0.01), 0.0, 1e-5), 0.0);
}

TEST(ExternalTool, OrientationsReachWhatOneAloneDoesNot) {
  const Model body = model_of(slotted_block());
  const Mat3 upside_down = rotation_from_rpy(std::numbers::pi, 0.0, 0.0);
  const Vec3 p{0.03, 0.02, 0.04};  // 10 mm into the slot
  EXPECT_GE(kept_of(body, {torch(), {upside_down}}).safe_radius(p, 0.0, 1e-5), 0.0);
  EXPECT_GT(kept_of(body, {torch(), {upside_down, Mat3::identity()}}).free_ball(p).radius, 0.0);
}

// A model with the tool as external set is proven, and costs checks with the tool no more than the
// error: where the tool is free of the part, the tool smaller by the error is free of the model.
TEST(ExternalTool, FreePlacesOfTheToolStayFreeWithinTheError) {
  const Model body = model_of(slotted_block());
  SimplifyOptions options;
  options.error = 0.003;
  options.external_tool = {torch(), {Mat3::identity(), rotation_from_rpy(0.0, 0.5, 0.0)}};
  const Result<Simplification> made = simplify(body, options);
  ASSERT_TRUE(made.ok()) << made.error().message();
  ASSERT_TRUE(made->covered);
  EXPECT_EQ(verify_cover(made->kept, made->spheres).status, CoverStatus::Covered);
  EXPECT_EQ(verify_cover(body, made->spheres).status, CoverStatus::Covered);
  const auto holds = [&](const Vec3& p) {
    return std::ranges::any_of(made->spheres,
                               [&](const Sphere& s) { return distance(s.center, p) <= s.radius; });
  };
  EXPECT_TRUE(holds({0.03, 0.02, 0.02}));    // beyond the tip
  EXPECT_FALSE(holds({0.03, 0.02, 0.042}));  // where it reaches
  Random random(2);
  int free = 0;
  int in_slot = 0;
  for (int i = 0; i < 60'000; ++i) {
    const Vec3 t{random.uniform(-0.03, 0.09), random.uniform(-0.03, 0.07),
                 random.uniform(0.0, 0.09)};
    const Mat3& turn = options.external_tool.turns[static_cast<std::size_t>(i % 2)];
    if (!is_free(body, options.external_tool.spheres, turn, t)) continue;
    ++free;
    if (std::abs(t.x - 0.03) < 0.01 && t.z < 0.05 && t.y > 0.0 && t.y < 0.04) ++in_slot;
    for (const Sphere& sphere : options.external_tool.spheres) {
      const Vec3 c = turn * sphere.center + t;
      for (const Sphere& s : made->spheres)
        ASSERT_GE(distance(c, s.center) - s.radius, sphere.radius - options.error - 1e-9);
    }
  }
  EXPECT_GT(free, 1'000);
  EXPECT_GT(in_slot, 20);
}

TEST(ExternalTool, TheSameForAnyNumberOfThreads) {
  const Model body = model_of(slotted_block());
  SimplifyOptions options;
  options.error = 0.006;
  options.external_tool = {torch()};
  options.threads = Threads{1};
  const Simplification one = simplify(body, options).value();
  options.threads = Threads{3};
  const Simplification three = simplify(body, options).value();
  ASSERT_EQ(one.spheres.size(), three.spheres.size());
  for (std::size_t i = 0; i < one.spheres.size(); ++i) {
    EXPECT_EQ(one.spheres[i].center, three.spheres[i].center);
    EXPECT_EQ(one.spheres[i].radius, three.spheres[i].radius);
  }
}

TEST(ExternalTool, WhatIsNoToolIsRefused) {
  const Model body = model_of(slotted_block());
  const auto message = [&](const KeptVolumeOptions& options) {
    const Result<KeptVolume> made = KeptVolume::make(body, options);
    return made.ok() ? std::string("fine") : made.error().message();
  };
  EXPECT_NE(message({.external_diameter = 0.1, .external_tool = {torch()}}).find("two kept"),
            std::string::npos);
  EXPECT_NE(message({.external_tool = {{{{0, 0, 0}, 0.0}}}}).find("radius above 0"),
            std::string::npos);
  EXPECT_NE(message({.external_tool = {torch(), {2.0 * Mat3::identity()}}}).find("rotation"),
            std::string::npos);
  EXPECT_NE(message({.external_tool = {torch(), std::vector<Mat3>(300)}}).find("at 300"),
            std::string::npos);
  SimplifyOptions paper;
  paper.method = SimplifyMethod::Paper;
  paper.error = 0.005;
  paper.external_tool = {torch()};
  const Result<Simplification> made = simplify(body, paper);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message().find("tool"), std::string::npos);
}

}  // namespace
}  // namespace clearance
