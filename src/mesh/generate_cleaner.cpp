// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Air cleaner inside a frame of round tubes. z is up; the housing stands on z = 0.
//
// How it comes out, by construction: the inlet hose reaches through the front hoop (+x), whose top
// tube bars the way up; 135 mm in -x draws it inside, then straight up through the roof opening,
// with about 25 mm on each side.
#include <array>
#include <cmath>

#include "mesh/generate_frame.h"
#include "mesh/generate_parts.h"

namespace clearance::parts {
namespace {

constexpr Vec2 kSize{0.34, 0.24};  // of the housing, outside
constexpr double kCorner = 0.03;
constexpr double kWall = 0.003;
constexpr double kFlange = 0.012;  // how far the rims reach out
constexpr double kLower = 0.11;    // height of the lower half
constexpr double kGap = 0.0006;    // between parts that touch in the real one
constexpr double kUpper = 0.185;   // top of the lid
constexpr double kHoseRadius = 0.036;

Loop housing_loop(Detail detail) {
  return rounded_rectangle({0, 0}, kSize, kCorner, detail.segments(2, 0.3));
}

// A rib or pad on a flat face: raised outline with rounded foot and rim.
Ring add_raised(SolidBuilder& solid, const Loop& loop, double face, double height, int steps) {
  const double round = 0.2 * height;
  Profile profile{{round, face}};
  append_arc(profile, {round, face + round}, {0.0, face + round}, steps);
  profile.push_back({0.0, face + height - round});
  append_arc(profile, {-round, face + height - round}, {-round, face + height}, steps);
  return add_outline_feature(solid, loop, profile);
}

void add_lower_half(SolidBuilder& solid, Detail detail) {
  const int steps = detail.segments(1, 0.15);
  const Loop loop = housing_loop(detail);
  const double fillet = 0.012;
  Profile profile{{-fillet, 0.0}};
  append_arc(profile, {-fillet, fillet}, {0.0, fillet}, steps);
  profile.push_back({0.0, kLower - kWall});
  profile.push_back({kFlange, kLower - kWall});
  profile.push_back({kFlange, kLower});
  profile.push_back({-kWall, kLower});
  profile.push_back({-kWall, kWall + fillet});
  append_arc(profile, {-kWall - fillet, kWall + fillet}, {-kWall - fillet, kWall}, steps);
  const Ring bottom = solid.ring(loop, profile.front().out, 0.0);
  const Ring floor = solid.walls(bottom, loop, profile);
  // Ribs across the floor inside.
  std::vector<Ring> ribs;
  for (int k = -3; k <= 3; ++k)
    ribs.push_back(add_raised(
        solid, slot_loop({0.04 * k, -0.085}, {0.04 * k, 0.085}, 0.003, detail.segments(3, 0.3)),
        kWall, 0.01, steps));
  solid.cap_up(floor, ribs);
  // Feet below, in the frame turned over.
  const Pose base = solid.frame();
  solid.set_frame(base * Pose{Mat3::diagonal({1.0, -1.0, -1.0}), {}});
  std::vector<Ring> feet;
  for (const double x : {-0.12, 0.12})
    for (const double y : {-0.08, 0.08})
      feet.push_back(add_round_feature(solid, {x, y},
                                       boss_with_hole(0.014, 0.005, 0.0, 0.012, 0.010, steps),
                                       detail.segments(10)));
  for (int k = -4; k <= 4; ++k)
    feet.push_back(add_raised(
        solid, slot_loop({0.022 * k, -0.05}, {0.022 * k, 0.05}, 0.002, detail.segments(3, 0.3)),
        0.0, 0.005, steps));
  solid.cap_up(flipped(bottom), feet);
  solid.set_frame(base);
}

void add_lid(SolidBuilder& solid, Detail detail) {
  const int steps = detail.segments(1, 0.15);
  const Loop loop = housing_loop(detail);
  const double low = kLower + kGap;
  const double edge = 0.018;
  Profile outside{
      {kFlange, low}, {kFlange, low + kWall}, {0.0, low + kWall}, {-0.003, kUpper - edge}};
  append_arc(outside, {-0.003 - edge, kUpper - edge}, {-0.003 - edge, kUpper}, steps);
  const Ring rim = solid.ring(loop, kFlange, low);
  const Ring top = solid.walls(rim, loop, outside);
  std::vector<Ring> holes;
  for (int k = 0; k < 6; ++k) {
    const double x = -0.01 + 0.026 * k;
    holes.push_back(add_raised(solid,
                               slot_loop({x, -0.075}, {x, 0.075}, 0.004, detail.segments(3, 0.35)),
                               kUpper, 0.006, steps));
  }
  for (const double y : {-0.07, 0.07})
    holes.push_back(add_round_feature(solid, {-0.10, y},
                                      boss_with_hole(0.008, 0.004, kUpper, 0.006, 0.0055, steps),
                                      detail.segments(10)));
  // The outlet: a neck, open through the lid.
  const Loop axis = circle_loop({-0.09, 0.0}, 0.0, detail.segments(12));
  const double neck = kHoseRadius - kWall - kGap;
  const Profile neck_profile{{neck + 0.004, kUpper},
                             {neck, kUpper + 0.004},
                             {neck, kUpper + 0.028},
                             {neck - kWall, kUpper + 0.028},
                             {neck - kWall, kUpper - kWall}};
  holes.push_back(solid.ring(axis, neck_profile.front().out, kUpper));
  const Ring neck_below = solid.walls(holes.back(), axis, neck_profile);
  solid.cap_up(top, holes);
  // Inside of the lid.
  const Ring inner_rim = solid.ring(loop, -kWall, low);
  const Profile inside{
      {-0.003 - edge, kUpper - kWall}, {-0.003 - kWall, kUpper - edge}, {-kWall, low}};
  const Ring ceiling = solid.ring(loop, inside.front().out, inside.front().z);
  const Ring shoulder = solid.ring(loop, inside[1].out, inside[1].z);
  solid.cap_down(ceiling, {&neck_below, 1});
  solid.wall(ceiling, shoulder);
  solid.wall(shoulder, inner_rim);
  solid.wall(inner_rim, rim);
}

// Pleated paper: two parallel zigzag lines with round tips, drawn out along y.
void add_filter(SolidBuilder& solid, Detail detail) {
  constexpr int kPleats = 56;
  constexpr double kThickness = 0.0009;
  constexpr double kHalfDepth = 0.105;
  constexpr double kHeight = 0.05;
  const int per_pleat = detail.segments_multiple(8, 0.6, 4);
  const int along = detail.segments(1, 0.12);
  const int count = kPleats * per_pleat;
  const double length = kSize.x - 0.03;
  // A wave steep at its flanks and round at its tips; offset along the normal for the other skin.
  const auto middle = [&](double t) {
    const double phase = 2.0 * kPi * kPleats * t;
    const double z =
        0.5 * kHeight * std::sin(phase) * (1.15 - 0.15 * std::sin(phase) * std::sin(phase));
    return Vec2{length * (t - 0.5), z};
  };
  // One closed outline for each step along y: the upper line forward, the lower one back.
  std::vector<Vec2> upper(count + 1);
  std::vector<Vec2> lower(count + 1);
  for (int k = 0; k <= count; ++k) {
    const double t = double(k) / count;
    const double step = 0.25 / count;
    const Vec2 tangent = middle(t + step) - middle(t - step);
    const Vec2 n = (1.0 / norm(tangent)) * Vec2{-tangent.y, tangent.x};
    upper[k] = middle(t) + (0.5 * kThickness) * n;
    lower[k] = middle(t) - (0.5 * kThickness) * n;
  }
  const auto ring_at = [&](double y) {
    Ring ring;
    for (int k = 0; k <= count; ++k)
      ring.vertices.push_back(solid.vertex({lower[k].x, y, lower[k].y}));
    for (int k = count; k >= 0; --k)
      ring.vertices.push_back(solid.vertex({upper[k].x, y, upper[k].y}));
    return ring;
  };
  // Seen along -y the outline runs counter-clockwise, so the walk goes from +y to -y.
  const Ring first = ring_at(kHalfDepth);
  Ring last = first;
  for (int k = 1; k <= along; ++k) {
    Ring next = ring_at(kHalfDepth - 2.0 * kHalfDepth * k / along);
    solid.wall(last, next);
    last = std::move(next);
  }
  const std::size_t points = last.vertices.size();
  for (std::size_t k = 0; k + 1 <= std::size_t(count); ++k) {
    const std::size_t other = points - 1 - k;
    const auto& near = last.vertices;
    solid.triangle(near[k], near[k + 1], near[other - 1]);
    solid.triangle(near[k], near[other - 1], near[other]);
    const auto& far = first.vertices;
    solid.triangle(far[k], far[other - 1], far[k + 1]);
    solid.triangle(far[k], far[other], far[other - 1]);
  }
}

std::vector<Shape> cleaner_shapes() {
  std::vector<Shape> shapes;
  shapes.push_back(shape("body/housing", add_lower_half));
  shapes.push_back(shape("body/lid", add_lid));
  shapes.push_back(shape("body/filter", Pose::translate({0, 0, 0.066}), add_filter));
  shapes.push_back(
      shape("body/grid", Pose::translate({0, 0, 0.0345}), [](SolidBuilder& solid, Detail detail) {
        std::vector<PlateHole> holes;
        for (int i = 0; i < 13; ++i)
          for (int j = 0; j < 9; ++j) holes.push_back({{0.023 * (i - 6), 0.023 * (j - 4)}, 0.0095});
        add_plate(solid, rounded_rectangle({0, 0}, {0.325, 0.225}, 0.02, detail.segments(2, 0.2)),
                  0.002, holes, detail.segments(6, 0.3));
      }));
  shapes.push_back(shape("body/inlet-hose", [](SolidBuilder& solid, Detail detail) {
    HoseOptions options;
    options.radius = kHoseRadius;
    options.waves = 26;
    options.bend_radius = 0.07;
    add_hose(solid,
             std::array<Vec3, 4>{Vec3{0.5 * kSize.x + kGap, 0.0, 0.055}, Vec3{0.255, 0.0, 0.055},
                                 Vec3{0.325, 0.0, 0.165}, Vec3{0.425, 0.0, 0.165}},
             options, detail.segments(12), detail.segments(6, 0.35));
  }));
  shapes.push_back(shape("body/outlet-hose", [](SolidBuilder& solid, Detail detail) {
    HoseOptions options;
    options.radius = kHoseRadius;
    options.waves = 16;
    options.bend_radius = 0.05;
    add_hose(solid,
             std::array<Vec3, 3>{Vec3{-0.09, 0.0, kUpper + 0.006}, Vec3{-0.09, 0.0, 0.255},
                                 Vec3{-0.09, 0.135, 0.265}},
             options, detail.segments(12), detail.segments(6, 0.35));
  }));
  const auto clamp = [](SolidBuilder& solid, Detail detail) {
    // A band with rounded edges round the hose.
    const double r = kHoseRadius + 0.0005;
    const int steps = detail.segments(2, 0.2);
    std::vector<Vec2> profile{{r, -0.004}, {r + 0.001, -0.004}};
    for (int k = 0; k <= steps; ++k) {
      const double a = -0.5 * kPi + kPi * k / steps;
      profile.push_back({r + 0.0012 + 0.0012 * std::cos(a), 0.0035 * std::sin(a)});
    }
    profile.push_back({r + 0.001, 0.004});
    profile.push_back({r, 0.004});
    add_revolution(solid, profile, true, detail.segments(16, 1.2));
  };
  shapes.push_back(repeated("body/clamp",
                            {pose_at({0.5 * kSize.x + 0.008, 0.0, 0.055}, {1, 0, 0}, {0, 1, 0}),
                             Pose::translate({-0.09, 0.0, kUpper + 0.012})},
                            clamp));
  // Clips that grip both rims.
  std::vector<Pose> clips;
  for (const double x : {-0.10, 0.0, 0.10})
    for (const double side : {-1.0, 1.0})
      clips.push_back(
          pose_at({x, side * (0.5 * kSize.y + kFlange), kLower}, {1, 0, 0}, {0, side, 0}));
  for (const double y : {-0.065, 0.065})
    for (const double side : {-1.0, 1.0})
      clips.push_back(
          pose_at({side * (0.5 * kSize.x + kFlange), y, kLower}, {0, -1, 0}, {side, 0, 0}));
  shapes.push_back(repeated("body/clip", clips, [](SolidBuilder& solid, Detail detail) {
    // Frame: x outward, y up or down, z along the rim. A C open towards the housing.
    const double in = -0.008;
    const double t = 0.0012;
    const double h = kWall + 2.0 * kGap;
    const std::vector<Vec2> corners{
        {in, -h - t}, {0.0006 + t, -h - t}, {0.0006 + t, h + t}, {in, h + t},
        {in, h},      {0.0006, h},          {0.0006, -h},        {in, -h}};
    const std::vector<double> radii{0.0, 0.001, 0.001, 0.0, 0.0, 0.0004, 0.0004, 0.0};
    add_rounded_extrusion(solid, rounded_polygon(corners, radii, detail.segments(2, 0.35)), -0.012,
                          0.012, 0.0002, detail.segments(1, 0.12));
  }));
  // Mass-flow sensor on the lid.
  shapes.push_back(shape(
      "body/sensor", Pose::translate({0.055, 0.0, kUpper + 0.006 + kGap + 0.012}),
      [](SolidBuilder& solid, Detail detail) {
        Block block(solid, {0.06, 0.035, 0.024});
        for (const double x : {-0.024, 0.024})
          for (const double y : {-0.012, 0.012})
            block.add_through({x, y}, 0.0025, detail.segments(8));
        block.enter(Block::Front);
        block.hole(
            Block::Front,
            add_outline_feature(
                solid, rounded_rectangle({0, 0}, {0.02, 0.012}, 0.002, detail.segments(2, 0.2)),
                Profile{{0.0, 0.0}, {0.0, 0.008}, {-0.0015, 0.008}, {-0.0015, 0.001}}));
        block.finish();
      }));
  shapes.push_back(label_shape(
      "body/label", pose_at({0.09, -0.5 * kSize.y - 0.0003, 0.05}, {0, -1, 0}, {1, 0, 0}), 0.06,
      0.03));
  return shapes;
}

}  // namespace

Plan air_cleaner_plan() {
  Plan plan;
  plan.shapes = cleaner_shapes();
  constexpr double kTube = 0.018;
  constexpr double kBrace = 0.014;
  constexpr double kFront = 0.34;
  constexpr double kRear = -0.385;
  constexpr double kSide = 0.22;
  constexpr double kGround = -0.16;
  constexpr double kRoof = 0.33;
  std::vector<FrameTube> tubes;
  std::vector<FramePlate> plates;
  for (const double x : {kRear, kFront}) {
    add_hoop(tubes, plates,
             {.place = x < 0 ? "rear" : "front",
              .x = x,
              .half_width = kSide,
              .ground = kGround,
              .roof = kRoof,
              .radius = kTube,
              .bend_radius = 0.07,
              .foot_size = 0.09});
  }
  for (const double y : {-kSide, kSide}) {
    const std::string which = y < 0 ? "right" : "left";
    tubes.push_back({"roof-" + which,
                     {{kRear, 0.87 * y, kRoof}, {kFront, 0.87 * y, kRoof}},
                     kTube,
                     0.05,
                     kTube,
                     kTube});
    tubes.push_back({"waist-" + which,
                     {{kRear, y, 0.10},
                      {-0.28, y, 0.10},
                      {-0.22, y, 0.16},
                      {0.18, y, 0.16},
                      {0.24, y, 0.10},
                      {kFront, y, 0.10}},
                     kBrace,
                     0.05,
                     kTube,
                     kTube});
    tubes.push_back(
        {"sill-" + which, {{kRear, y, -0.07}, {kFront, y, -0.07}}, kTube, 0.05, kTube, kTube});
  }
  tubes.push_back(
      {"cross-rear", {{kRear, -kSide, 0.08}, {kRear, kSide, 0.08}}, kBrace, 0.05, kTube, kTube});
  tubes.push_back(
      {"cross-front", {{kFront, -kSide, 0.02}, {kFront, kSide, 0.02}}, kBrace, 0.05, kTube, kTube});
  for (const double x : {-0.14, 0.14}) {
    tubes.push_back({x < 0 ? "bearer-rear" : "bearer-front",
                     {{x, -kSide, -0.07},
                      {x, -0.10, -0.07},
                      {x, -0.05, -0.09},
                      {x, 0.05, -0.09},
                      {x, 0.10, -0.07},
                      {x, kSide, -0.07}},
                     kBrace,
                     0.05,
                     kTube,
                     kTube});
  }
  for (const double y : {-kSide, kSide}) {
    const std::string which = y < 0 ? "right" : "left";
    tubes.push_back(
        {"diagonal-" + which, {{-0.25, y, -0.07}, {-0.14, y, 0.16}}, kBrace, 0.05, kTube, kBrace});
  }
  plan.obstacles = frame_shapes("obstacle/frame/", tubes, plates);
  plan.obstacles.push_back(label_shape(
      "obstacle/label", pose_at({kRear - kTube - 0.0005, 0.0, kRoof}, {-1, 0, 0}, {0, -1, 0}), 0.05,
      0.008));
  return plan;
}

}  // namespace clearance::parts
