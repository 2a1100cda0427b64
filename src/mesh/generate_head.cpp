// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cylinder head, lifted 25 mm off its block, inside a frame of round tubes. x runs along the
// engine, z is up, the block's deck is z = 0.
//
// How it comes out, by construction: straight up is barred by cross tubes; 60 mm in -x past the
// post on the left side, then straight in +y through the window between sill and rail, which is
// about 40 mm higher than the head, until it is outside.
#include <algorithm>
#include <array>
#include <cmath>

#include "mesh/generate_frame.h"
#include "mesh/generate_parts.h"

namespace clearance::parts {
namespace {

constexpr int kCylinders = 4;
constexpr double kPitch = 0.1;
constexpr Vec3 kHeadSize{0.46, 0.20, 0.11};
constexpr double kHeadTop = 0.5 * kHeadSize.z;
constexpr double kLift = 0.025;  // of the head over the deck
constexpr double kCamY = 0.035;
constexpr double kCamZ = kHeadTop + 0.045;
constexpr Vec3 kBlockSize{0.46, 0.22, 0.24};

double cylinder_x(int i) { return kPitch * (i - 0.5 * (kCylinders - 1)); }
double bolt_x(int i) { return kPitch * (i - 0.5 * kCylinders); }

void add_head(SolidBuilder& solid, Detail detail) {
  const int around = detail.segments(8);
  const int small_around = detail.segments(6, 0.6);
  const int quarter = detail.segments(1, 0.12);
  const int threads = detail.segments(3, 0.12);
  Block block(solid, kHeadSize);
  for (int i = 0; i <= kCylinders; ++i)
    for (const double y : {-0.07, 0.07}) block.add_through({bolt_x(i), y}, 0.0055, small_around);

  // Top: spring pockets, spark plug wells, bearing bosses.
  block.enter(Block::Top);
  for (int i = 0; i < kCylinders; ++i) {
    for (const double dx : {-0.02, 0.02}) {
      for (const double y : {-kCamY, kCamY}) {
        Profile pocket{{0.0145, 0.0}, {0.0135, -0.001}, {0.0135, -0.028}};
        append_arc(pocket, {0.0115, -0.028}, {0.0115, -0.030}, quarter);
        block.hole(Block::Top,
                   add_round_feature(solid, {cylinder_x(i) + dx, y}, pocket, small_around));
      }
    }
    block.hole(Block::Top, add_round_feature(solid, {cylinder_x(i), 0.0},
                                             blind_hole(0.012, 0.0, 0.05, threads), around));
  }
  for (int i = 0; i <= kCylinders; ++i) {
    for (const double y : {-kCamY, kCamY}) {
      block.hole(
          Block::Top,
          add_round_feature(solid, {bolt_x(i), y},
                            boss_with_hole(0.008, 0.004, 0.0, 0.012, 0.02, quarter), small_around));
    }
  }
  // Bottom: combustion chambers with valve seats in their floors, coolant holes.
  block.enter(Block::Bottom);
  for (int i = 0; i < kCylinders; ++i) {
    const Vec2 center{cylinder_x(i), 0.0};
    const Loop axis = circle_loop(center, 0.0, detail.segments(12, 1.5));
    Profile chamber{{0.0405, 0.0}};
    append_arc(chamber, {0.0305, 0.0}, {0.0375, -0.010}, detail.segments(2, 0.2));
    const Ring rim = solid.ring(axis, chamber.front().out, 0.0);
    const Ring floor = solid.walls(rim, axis, chamber);
    std::vector<Ring> valves;
    for (const double dx : {-0.0165, 0.0165}) {
      for (const double dy : {-0.0165, 0.0165}) {
        const Profile seat{{0.012, -0.010}, {0.010, -0.012}, {0.0095, -0.020}, {0.004, -0.022}};
        valves.push_back(
            add_round_feature(solid, center + Vec2{dx, dy}, seat, detail.segments(8, 0.8)));
      }
    }
    solid.cap_up(floor, valves);
    block.hole(Block::Bottom, rim);
    for (const double dx : {-0.03, 0.0, 0.03}) {
      for (const double y : {-0.06, 0.06}) {
        block.hole(Block::Bottom, add_round_feature(solid, center + Vec2{dx, y},
                                                    blind_hole(0.005, 0.0, 0.02, 0), small_around));
      }
    }
  }
  // Sides: intake ports (oval), exhaust ports (round), stud holes; ends: plugs.
  for (const Block::Side side : {Block::Back, Block::Front}) {
    block.enter(side);
    for (int i = 0; i < kCylinders; ++i) {
      const double x = cylinder_x(i);
      Profile port{{0.001, 0.0}, {0.0, -0.001}, {-0.002, -0.026}};
      append_arc(port, {-0.005, -0.026}, {-0.005, -0.029}, quarter);
      const Loop oval = side == Block::Back
                            ? slot_loop({x - 0.011, 0.0}, {x + 0.011, 0.0}, 0.014, around / 2)
                            : circle_loop({x, 0.0}, 0.016, around);
      block.hole(side, add_outline_feature(solid, oval, port));
      for (const double dx : {-0.036, 0.036})
        for (const double z : {-0.022, 0.022})
          block.hole(side, add_round_feature(solid, {x + dx, z},
                                             blind_hole(0.004, 0.0, 0.018, threads), small_around));
    }
  }
  for (const Block::Side side : {Block::Left, Block::Right}) {
    block.enter(side);
    for (const double y : {-0.08, 0.08})
      block.hole(side, add_round_feature(solid, {y, -0.03},
                                         boss_with_hole(0.010, 0.006, 0.0, 0.004, 0.012, quarter),
                                         small_around));
  }
  block.finish();
}

// Shaft along the frame's z: journals, and an egg-shaped pair of lobes for each cylinder.
void add_camshaft(SolidBuilder& solid, Detail detail) {
  const int around = detail.segments(12);
  const auto section = [&](double base, double rise, double phase) {
    Loop loop = circle_loop({0, 0}, base, around);
    for (LoopPoint& point : loop) {
      const double cosine = std::cos(std::atan2(point.n.y, point.n.x) - phase);
      point.p = (base + rise * std::pow(std::max(cosine, 0.0), 3.0)) * point.n;
    }
    return loop;
  };
  const Loop journal = section(0.011, 0.0, 0.0);
  const Ring first = solid.ring(journal, 0.0, -0.225);
  Ring last = first;
  const auto go_to = [&](const Loop& loop, double z) {
    Ring next = solid.ring(loop, 0.0, z);
    solid.wall(last, next);
    last = std::move(next);
  };
  for (int i = 0; i < kCylinders; ++i) {
    for (const double dx : {-0.02, 0.02}) {
      const double z = cylinder_x(i) + dx;
      const Loop lobe = section(0.014, 0.008, 0.5 * kPi * ((i * 3) % 4) + 0.6);
      go_to(journal, z - 0.0075);
      go_to(offset(lobe, -0.001), z - 0.007);
      go_to(lobe, z - 0.006);
      go_to(lobe, z + 0.006);
      go_to(offset(lobe, -0.001), z + 0.007);
      go_to(journal, z + 0.0075);
    }
  }
  go_to(journal, 0.2315);
  solid.cap_down(first);
  solid.cap_up(last);
}

void add_sprocket(SolidBuilder& solid, Detail detail) {
  constexpr int kTeeth = 28;
  const int flank = detail.segments(2, 0.1);
  Loop loop;
  const int count = 2 * kTeeth * flank;
  for (int k = 0; k < count; ++k) {
    const double angle = 2.0 * kPi * k / count;
    const double radius = 0.0315 + 0.0018 * std::tanh(2.5 * std::sin(kTeeth * angle));
    const Vec2 n{std::cos(angle), std::sin(angle)};
    loop.push_back({radius * n, n});
  }
  constexpr int kHoles = 5;
  std::vector<PlateHole> holes(kHoles);
  for (int k = 0; k < kHoles; ++k)
    holes[k] = {{0.018 * std::cos(0.4 * kPi * k), 0.018 * std::sin(0.4 * kPi * k)}, 0.006};
  add_plate(solid, loop, 0.012, holes, detail.segments(8, 0.6));
}

void add_spark_plug(SolidBuilder& solid, Detail detail) {
  std::vector<Vec2> profile{{0.0, 0.0}, {0.004, 0.0}};
  const int threads = detail.segments(4, 0.3);
  for (int k = 0; k < threads; ++k) {
    const double z = 0.002 + 0.018 * k / threads;
    profile.push_back({0.0050, z});
    profile.push_back({0.0062, z + 0.009 / threads});
  }
  for (const Vec2 p : {Vec2{0.0050, 0.0205}, Vec2{0.0095, 0.022}, Vec2{0.0095, 0.032},
                       Vec2{0.0065, 0.034}, Vec2{0.0065, 0.050}})
    profile.push_back(p);
  const int ribs = detail.segments(3, 0.15);
  for (int k = 0; k < ribs; ++k) {
    const double z = 0.052 + 0.02 * k / ribs;
    profile.push_back({0.0055, z});
    profile.push_back({0.0068, z + 0.01 / ribs});
  }
  profile.push_back({0.003, 0.074});
  profile.push_back({0.003, 0.082});
  profile.push_back({0.0, 0.083});
  add_revolution(solid, profile, false, detail.segments(10, 0.8));
}

std::vector<Shape> head_shapes() {
  const Pose head = Pose::translate({0, 0, kLift + kHeadTop});
  const auto at = [&](double x, double y, double z) { return head * Pose::translate({x, y, z}); };
  std::vector<Shape> shapes;
  shapes.push_back(shape("body/head", head, add_head));
  std::vector<Pose> springs;
  std::vector<Pose> plugs;
  std::vector<Pose> bearings;
  std::vector<Pose> shafts;
  std::vector<Pose> sprockets;
  const Vec3 forward{1, 0, 0};
  const Vec3 up{0, 0, 1};
  for (int i = 0; i < kCylinders; ++i) {
    for (const double dx : {-0.02, 0.02})
      for (const double y : {-kCamY, kCamY})
        springs.push_back(at(cylinder_x(i) + dx, y, kHeadTop - 0.0295));
    plugs.push_back(at(cylinder_x(i), 0.0, kHeadTop - 0.049));
  }
  for (const double y : {-kCamY, kCamY}) {
    for (int i = 0; i <= kCylinders; ++i)
      bearings.push_back(at(std::clamp(bolt_x(i), -0.21, 0.21), y, kHeadTop + 0.0228));
    shafts.push_back(head * pose_at({0, y, kCamZ}, forward, up));
    sprockets.push_back(head * pose_at({0.232, y, kCamZ}, forward, up));
  }
  shapes.push_back(repeated("body/spring", springs, [](SolidBuilder& solid, Detail detail) {
    add_spring(solid, {0.0098, 0.0015, 0.036, 6}, detail.segments(5, 0.25),
               detail.segments(8, 0.7));
  }));
  shapes.push_back(repeated("body/camshaft", shafts, add_camshaft));
  shapes.push_back(repeated("body/sprocket", sprockets, add_sprocket));
  shapes.push_back(repeated("body/bearing", bearings, [](SolidBuilder& solid, Detail detail) {
    add_rounded_box(solid, {0.016, 0.026, 0.020}, 0.002, detail.segments(2, 0.2));
  }));
  shapes.push_back(repeated("body/spark-plug", plugs, add_spark_plug));
  shapes.push_back(
      label_shape("body/label",
                  head * pose_at({0.0, -0.5 * kHeadSize.y - 0.0003, -0.042}, {0, -1, 0}, {1, 0, 0}),
                  0.08, 0.015));
  return shapes;
}

void add_engine_block(SolidBuilder& solid, Detail detail) {
  const int around = detail.segments(8);
  const int small_around = detail.segments(6, 0.5);
  const int quarter = detail.segments(1, 0.12);
  Block block(solid, kBlockSize);
  block.enter(Block::Top);
  for (int i = 0; i < kCylinders; ++i) {
    // Bores with the rings that honing leaves.
    Profile bore{{0.0415, 0.0}, {0.0405, -0.001}};
    const int rings = detail.segments(2, 0.3);
    for (int k = 0; k < rings; ++k) {
      bore.push_back({0.0405, -0.002 - 0.12 * (k + 0.5) / rings});
      bore.push_back({0.0404, -0.002 - 0.12 * (k + 1.0) / rings});
    }
    bore.push_back({0.0404, -0.14});
    block.hole(Block::Top,
               add_round_feature(solid, {cylinder_x(i), 0.0}, bore, detail.segments(12, 1.5)));
    for (const double y : {-0.058, 0.058}) {
      const Loop slot = slot_loop({cylinder_x(i) - 0.018, y}, {cylinder_x(i) + 0.018, y}, 0.004,
                                  detail.segments(3, 0.4));
      block.hole(Block::Top, add_outline_feature(solid, slot,
                                                 Profile{{0.0005, 0.0}, {0, -0.0005}, {0, -0.05}}));
    }
  }
  for (int i = 0; i <= kCylinders; ++i)
    for (const double y : {-0.07, 0.07})
      block.hole(
          Block::Top,
          add_round_feature(solid, {bolt_x(i), y},
                            blind_hole(0.005, 0.0, 0.06, detail.segments(4, 0.2)), small_around));
  // Sides: core plugs and upright ribs.
  for (const Block::Side side : {Block::Front, Block::Back}) {
    block.enter(side);
    for (int i = 0; i < kCylinders; ++i)
      block.hole(side, add_round_feature(solid, {cylinder_x(i), 0.02},
                                         boss_with_hole(0.022, 0.016, 0.0, 0.006, 0.010, quarter),
                                         around));
    for (int i = 0; i <= kCylinders; ++i) {
      const Loop rib =
          slot_loop({bolt_x(i), -0.09}, {bolt_x(i), 0.09}, 0.005, detail.segments(3, 0.3));
      Profile raised{{0.002, 0.0}};
      append_arc(raised, {0.002, 0.002}, {0.0, 0.002}, quarter);
      raised.push_back({0.0, 0.008});
      append_arc(raised, {-0.002, 0.008}, {-0.002, 0.010}, quarter);
      block.hole(side, add_outline_feature(solid, rib, raised));
    }
  }
  for (const Block::Side side : {Block::Left, Block::Right}) {
    block.enter(side);
    for (int k = 0; k < 8; ++k) {
      const double angle = 0.25 * kPi * k;
      block.hole(side, add_round_feature(solid, {0.075 * std::cos(angle), 0.08 * std::sin(angle)},
                                         blind_hole(0.004, 0.0, 0.02, detail.segments(3, 0.1)),
                                         small_around));
    }
  }
  block.finish();
}

}  // namespace

Plan cylinder_head_plan() {
  Plan plan;
  plan.shapes = head_shapes();
  std::vector<Shape>& obstacles = plan.obstacles;
  obstacles.push_back(
      shape("obstacle/block", Pose::translate({0, 0, -0.5 * kBlockSize.z}), add_engine_block));
  obstacles.push_back(repeated(
      "obstacle/dowel", {Pose::translate({-0.215, 0, 0.0005}), Pose::translate({0.215, 0, 0.0005})},
      [](SolidBuilder& solid, Detail detail) {
        add_rounded_extrusion(solid, circle_loop({0, 0}, 0.005, detail.segments(8)), 0.0, 0.012,
                              0.001, detail.segments(1, 0.12));
      }));

  constexpr double kTube = 0.02;
  constexpr double kBrace = 0.016;
  constexpr double kEnd = 0.36;
  constexpr double kSide = 0.26;
  constexpr double kGround = -0.30;
  constexpr double kRoof = 0.37;
  std::vector<FrameTube> tubes;
  std::vector<FramePlate> plates;
  for (const double x : {-kEnd, kEnd}) {
    const std::string which = x < 0 ? "rear" : "front";
    add_hoop(tubes, plates,
             {.place = which,
              .x = x,
              .half_width = kSide,
              .ground = kGround,
              .roof = kRoof,
              .radius = kTube});
    tubes.push_back(
        {"cross-" + which, {{x, -kSide, 0.12}, {x, kSide, 0.12}}, kBrace, 0.05, kTube, kTube});
  }
  for (const double y : {-kSide, kSide}) {
    const std::string which = y < 0 ? "right" : "left";
    tubes.push_back(
        {"sill-" + which, {{-kEnd, y, -0.02}, {kEnd, y, -0.02}}, kTube, 0.05, kTube, kTube});
    tubes.push_back(
        {"rail-" + which, {{-kEnd, y, 0.255}, {kEnd, y, 0.255}}, kTube, 0.05, kTube, kTube});
    tubes.push_back({"roof-" + which,
                     {{-kEnd, 0.55 * y, kRoof}, {kEnd, 0.55 * y, kRoof}},
                     kTube,
                     0.05,
                     kTube,
                     kTube});
    // Carriers of the block: from the foot of the frame, bent inward below it.
    tubes.push_back({"carrier-" + which,
                     {{-kEnd, y, -0.20},
                      {-0.30, y, -0.20},
                      {-0.20, 0.62 * y, -0.265},
                      {0.20, 0.62 * y, -0.265},
                      {0.30, y, -0.20},
                      {kEnd, y, -0.20}},
                     kBrace,
                     0.06,
                     kTube,
                     kTube});
  }
  for (const double x : {-0.12, 0.12}) {
    tubes.push_back({x < 0 ? "roof-cross-rear" : "roof-cross-front",
                     {{x, -0.55 * kSide, kRoof}, {x, 0.55 * kSide, kRoof}},
                     kBrace,
                     0.05,
                     kTube,
                     kTube});
  }
  tubes.push_back(
      {"post-left", {{0.235, kSide, -0.02}, {0.235, kSide, 0.255}}, kBrace, 0.05, kTube, kTube});
  tubes.push_back(
      {"post-right", {{0.0, -kSide, -0.02}, {0.0, -kSide, 0.255}}, kBrace, 0.05, kTube, kTube});
  tubes.push_back({"diagonal-right",
                   {{-kEnd + 0.04, -kSide, -0.02}, {-0.03, -kSide, 0.255}},
                   kBrace,
                   0.05,
                   kTube,
                   kTube});
  for (Shape& part : frame_shapes("obstacle/frame/", tubes, plates))
    obstacles.push_back(std::move(part));
  obstacles.push_back(label_shape(
      "obstacle/label",
      pose_at({0.15, -0.5 * kBlockSize.y - 0.0003, -0.105}, {0, -1, 0}, {1, 0, 0}), 0.05, 0.015));
  return plan;
}

}  // namespace clearance::parts
