// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tunnel console in a car cabin. x is forward, y left, z up; the floor is z = 0.
//
// How it comes out, by construction: 80 mm backward, so that its front leaves the space below the
// dashboard (gear lever and hand brake have that much room in their cut-outs); straight up by 0.72
// m over lever, brake and seat backs, between the seats with 30 mm on each side; then out to the
// right
// (-y) below the roof.
#include <array>
#include <cmath>

#include "mesh/generate_features.h"
#include "mesh/generate_parts.h"

namespace clearance::parts {
namespace {

constexpr double kFront = 0.34;  // of the console
constexpr double kRear = -0.50;
constexpr double kHalfWidth = 0.11;
constexpr double kBottom = 0.12;
constexpr double kTop = 0.32;
constexpr double kWall = 0.0035;
constexpr double kLeverX = 0.07;  // gear lever
constexpr double kBrakeY = 0.02;
constexpr Vec2 kCup{-0.40, 0.0};
constexpr double kCupRadius = 0.042;
constexpr double kCupDepth = 0.075;

Mat3 side_view() { return Mat3::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0}); }  // (x, z) plane
Mat3 cross_view() { return Mat3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}); }  // (y, z) plane

// The shell: outer skin, cut-outs in its top, a cup pocket, and the cavity below.
void add_shell(SolidBuilder& solid, Detail detail) {
  const int quarter = detail.segments(2, 0.25);
  const int fillet_steps = detail.segments(1, 0.12);
  const int around = detail.segments(8);
  const Vec2 center{0.5 * (kFront + kRear), 0.0};
  const Loop outer = rounded_rectangle(center, {kFront - kRear, 2.0 * kHalfWidth}, 0.035, quarter);
  const double edge = 0.012;
  Profile skin{{0.0, kBottom}, {0.0, kTop - edge}};
  append_arc(skin, {-edge, kTop - edge}, {-edge, kTop}, fillet_steps);
  const Ring foot = solid.ring(outer, 0.0, kBottom);
  const Ring top = solid.walls(foot, outer, skin);

  std::vector<Ring> top_holes;
  std::vector<Ring> ceiling_holes;
  const double ceiling = kTop - kWall;
  // Through: rounded at the upper rim.
  const auto cut_out = [&](const Loop& loop) {
    const double round = 0.5 * kWall;
    Profile rim{{round, kTop}};
    append_arc(rim, {round, kTop - round}, {0.0, kTop - round}, fillet_steps);
    rim.push_back({0.0, ceiling});
    top_holes.push_back(solid.ring(loop, round, kTop));
    ceiling_holes.push_back(solid.walls(top_holes.back(), loop, rim));
  };
  cut_out(rounded_rectangle({0.12, 0.0}, {0.20, 0.11}, 0.02, quarter));
  cut_out(rounded_rectangle({-0.17, kBrakeY}, {0.30, 0.055}, 0.02, quarter));
  // Pockets with a skin of their own below the ceiling.
  const auto pocket = [&](const Loop& loop, double depth, double round) {
    Profile inside{{0.002, kTop}, {0.0, kTop - 0.002}, {0.0, kTop - depth + round}};
    append_arc(inside, {-round, kTop - depth + round}, {-round, kTop - depth}, fillet_steps);
    top_holes.push_back(add_outline_feature(solid, loop, inside));
    Profile outside{{kWall - round, kTop - depth - kWall}};
    append_arc(outside, {kWall - round, kTop - depth - kWall + round},
               {kWall, kTop - depth - kWall + round}, fillet_steps);
    outside.push_back({kWall, ceiling});
    const Ring below = solid.ring(loop, outside.front().out, outside.front().z);
    ceiling_holes.push_back(solid.walls(below, loop, outside));
    solid.cap_down(below);
  };
  pocket(circle_loop(kCup, kCupRadius, around), kCupDepth, 0.006);
  pocket(rounded_rectangle({0.285, 0.0}, {0.07, 0.13}, 0.012, quarter), 0.018, 0.004);
  // Rows of switch seats beside the hand brake.
  for (int k = 0; k < 7; ++k) {
    const double x = -0.31 + 0.045 * k;
    top_holes.push_back(
        add_round_feature(solid, {x, -0.07},
                          boss_with_hole(0.009, 0.006, kTop, 0.003, 0.0045, fillet_steps), around));
  }
  solid.cap_up(top, top_holes);

  // The cavity: ceiling, inner walls, and the rim it stands on.
  const Ring inner_top = solid.ring(outer, -kWall, ceiling - 0.012);
  const Ring inner_ceiling = solid.ring(outer, -kWall - 0.012, ceiling);
  const Ring inner_foot = solid.ring(outer, -kWall, kBottom);
  solid.cap_down(inner_ceiling, ceiling_holes);
  solid.wall(inner_ceiling, inner_top);
  solid.wall(inner_top, inner_foot);
  solid.wall(inner_foot, foot);
}

std::vector<Shape> console_shapes() {
  std::vector<Shape> shapes;
  shapes.push_back(shape("body/console", add_shell));
  // A liner in the cup pocket, half a millimetre from its wall.
  shapes.push_back(shape("body/cup-liner",
                         Pose::translate({kCup.x, kCup.y, kTop - kCupDepth + 0.0005}),
                         [](SolidBuilder& solid, Detail detail) {
                           const double r = kCupRadius - 0.008;
                           std::vector<Vec2> profile{{0.0, 0.0}, {r - 0.004, 0.0}, {r, 0.004}};
                           const int ribs = detail.segments(2, 0.2);
                           for (int k = 0; k < ribs; ++k) {
                             const double z = 0.008 + 0.05 * k / ribs;
                             profile.push_back({r, z});
                             profile.push_back({r + 0.002, z + 0.02 / ribs});
                             profile.push_back({r + 0.002, z + 0.03 / ribs});
                           }
                           profile.push_back({r, 0.062});
                           profile.push_back({r - 0.002, 0.062});
                           profile.push_back({r - 0.002, 0.005});
                           profile.push_back({0.0, 0.003});
                           add_revolution(solid, profile, false, detail.segments(12));
                         }));
  // Rear grille: a thin plate full of holes, upright behind the console.
  shapes.push_back(shape(
      "body/grille", pose_at({kRear - 0.003, 0.0, 0.22}, {-1, 0, 0}, {0, -1, 0}),
      [](SolidBuilder& solid, Detail detail) {
        std::vector<PlateHole> holes;
        for (int i = 0; i < 11; ++i)
          for (int j = 0; j < 7; ++j)
            holes.push_back({{0.0125 * (i - 5), 0.0125 * (j - 3)}, 0.0042});
        add_plate(solid, rounded_rectangle({0, 0}, {0.17, 0.12}, 0.012, detail.segments(2, 0.2)),
                  0.0025, holes, detail.segments(6, 0.4));
      }));
  // Buttons in the switch seats.
  std::vector<Pose> seats;
  seats.reserve(7);
  for (int k = 0; k < 7; ++k) seats.push_back(Pose::translate({-0.31 + 0.045 * k, -0.07, kTop}));
  shapes.push_back(repeated("body/button", seats, [](SolidBuilder& solid, Detail detail) {
    add_rounded_extrusion(solid, circle_loop({0, 0}, 0.005, detail.segments(8)), -0.001, 0.007,
                          0.0015, detail.segments(1, 0.12));
  }));
  // Screws in the foot, their heads inside the cavity.
  std::vector<Pose> feet;
  for (const double x : {-0.45, -0.05, 0.29})
    for (const double y : {-0.09, 0.09}) feet.push_back(Pose::translate({x, y, kBottom + 0.03}));
  shapes.push_back(repeated("body/screw", feet, [](SolidBuilder& solid, Detail detail) {
    add_screw(solid, {0.003, 0.02, detail.segments(4, 0.12)}, detail.segments(8, 0.5));
  }));
  shapes.push_back(label_shape("body/label",
                               pose_at({-0.2, -kHalfWidth - 0.0003, 0.22}, {0, -1, 0}, {1, 0, 0}),
                               0.06, 0.03));
  return shapes;
}

// Extruded along z of its frame from -half to half, rims rounded.
Shape extruded(const std::string& name, const Pose& pose, const std::vector<Vec2>& corners,
               double radius, double half, double rim) {
  return shape(name, pose, [=](SolidBuilder& solid, Detail detail) {
    const Loop loop = rounded_polygon(corners, radius, detail.segments(2, 0.4));
    add_rounded_extrusion(solid, loop, -half, half, rim, detail.segments(1, 0.25));
  });
}

Shape rounded_block(const std::string& name, const std::vector<Pose>& poses, const Vec3& size,
                    double radius) {
  return repeated(name, poses, [=](SolidBuilder& solid, Detail detail) {
    add_rounded_box(solid, size, radius, detail.segments(2, 0.35));
  });
}

void append_controls(std::vector<Shape>& shapes) {
  // Gear selector: bored base in the cavity, lever, knob.
  shapes.push_back(shape("obstacle/gear-base", Pose::translate({kLeverX, 0.0, 0.155}),
                         [](SolidBuilder& solid, Detail detail) {
                           Block block(solid, {0.13, 0.09, 0.09});
                           block.enter(Block::Top);
                           block.hole(Block::Top, add_round_feature(solid, {0, 0},
                                                                    blind_hole(0.03, 0.0, 0.03, 3),
                                                                    detail.segments(8)));
                           for (const double x : {-0.055, 0.055})
                             for (const double y : {-0.036, 0.036})
                               block.add_through({x, y}, 0.004, detail.segments(8));
                           block.finish();
                         }));
  shapes.push_back(shape("obstacle/gear-lever", [](SolidBuilder& solid, Detail detail) {
    TubeOptions options;
    options.radius = 0.008;
    options.wall = 0.0;
    options.bend_radius = 0.05;
    options.around = detail.segments(8);
    options.per_quarter_bend = detail.segments(3, 0.5);
    add_tube(solid,
             std::array<Vec3, 4>{Vec3{kLeverX, 0, 0.175}, Vec3{kLeverX, 0, 0.27},
                                 Vec3{kLeverX + 0.012, 0, 0.34}, Vec3{kLeverX + 0.012, 0, 0.415}},
             options);
  }));
  shapes.push_back(shape("obstacle/gear-knob", Pose::translate({kLeverX + 0.012, 0.0, 0.416}),
                         [](SolidBuilder& solid, Detail detail) {
                           std::vector<Vec2> profile{{0.0, 0.0}, {0.010, 0.0}};
                           const int steps = detail.segments(4, 0.5);
                           for (int k = 1; k < steps; ++k) {
                             const double a = -1.15 + (0.5 * kPi + 1.15) * k / steps;
                             profile.push_back({0.024 * std::cos(a), 0.024 + 0.026 * std::sin(a)});
                           }
                           profile.push_back({0.0, 0.050});
                           add_revolution(solid, profile, false, detail.segments(12));
                         }));
  // Hand brake: base plates, lever with a grip, a button.
  shapes.push_back(rounded_block("obstacle/brake-base", {Pose::translate({-0.26, kBrakeY, 0.145})},
                                 {0.08, 0.05, 0.07}, 0.006));
  shapes.push_back(shape("obstacle/brake-lever", [](SolidBuilder& solid, Detail detail) {
    TubeOptions options;
    options.radius = 0.010;
    options.wall = 0.0015;
    options.bend_radius = 0.06;
    options.around = detail.segments(8);
    options.per_quarter_bend = detail.segments(3, 0.5);
    add_tube(solid,
             std::array<Vec3, 3>{Vec3{-0.262, kBrakeY, 0.185}, Vec3{-0.250, kBrakeY, 0.28},
                                 Vec3{-0.175, kBrakeY, 0.375}},
             options);
  }));
  shapes.push_back(shape("obstacle/brake-grip",
                         pose_at({-0.1738, kBrakeY, 0.3765}, {0.62, 0.0, 0.785}, {0.0, 1.0, 0.0}),
                         [](SolidBuilder& solid, Detail detail) {
                           std::vector<Vec2> profile{{0.0, 0.0}};
                           const int ribs = detail.segments(3, 0.3);
                           for (int k = 0; k < ribs; ++k) {
                             const double z = 0.06 * k / ribs;
                             profile.push_back({0.0135, z + (k == 0 ? 0.0 : 0.004 / ribs)});
                             profile.push_back({0.0155, z + 0.02 / ribs});
                             profile.push_back({0.0155, z + 0.045 / ribs});
                           }
                           profile.push_back({0.010, 0.064});
                           profile.push_back({0.0, 0.064});
                           add_revolution(solid, profile, false, detail.segments(10));
                         }));
}

void append_dashboard(std::vector<Shape>& shapes) {
  const double half = 0.68;
  shapes.push_back(
      extruded("obstacle/dashboard", {side_view(), {}},
               {{0.29, 0.36}, {0.92, 0.36}, {0.92, 0.70}, {0.62, 0.76}, {0.37, 0.68}, {0.30, 0.50}},
               0.025, half, 0.01));
  shapes.push_back(rounded_block("obstacle/centre-stack", {Pose::translate({0.47, 0.0, 0.225})},
                                 {0.20, 0.21, 0.23}, 0.012));
  // On the sloping face, a millimetre off it: vents, display, bezels, buttons.
  const Vec3 normal = normalized({-0.18, 0.0, 0.07});
  const auto on_face = [&](double y, double t, double lift) {
    const Vec3 foot = Vec3{0.30, y, 0.50} + t * Vec3{0.07, 0.0, 0.18};
    return pose_at(foot + lift * normal, normal, {0, -1, 0});
  };
  shapes.push_back(repeated(
      "obstacle/vent",
      {on_face(0.56, 0.55, 0.001), on_face(0.12, 0.55, 0.001), on_face(-0.12, 0.55, 0.001),
       on_face(-0.56, 0.55, 0.001)},
      [](SolidBuilder& solid, Detail detail) {
        const int quarter = detail.segments(2, 0.2);
        const Loop outline = rounded_rectangle({0, 0}, {0.13, 0.08}, 0.012, quarter);
        const Ring low = solid.ring(outline, 0.0, 0.0);
        const Ring high = solid.walls(low, outline, Profile{{0, 0}, {0, 0.006}, {-0.002, 0.008}});
        std::vector<Ring> slots_high;
        std::vector<Ring> slots_low;
        for (int k = -2; k <= 2; ++k) {
          const Loop slot =
              slot_loop({-0.045, 0.013 * k}, {0.045, 0.013 * k}, 0.004, detail.segments(3, 0.4));
          slots_high.push_back(solid.ring(slot, 0.001, 0.008));
          slots_low.push_back(
              solid.walls(slots_high.back(), slot, Profile{{0.001, 0.008}, {0, 0.007}, {0, 0.0}}));
        }
        solid.cap_up(high, slots_high);
        solid.cap_down(low, slots_low);
      }));
  shapes.push_back(
      shape("obstacle/cluster", on_face(0.36, 0.5, 0.001), [](SolidBuilder& solid, Detail detail) {
        const Loop outline =
            rounded_rectangle({0, 0}, {0.26, 0.13}, 0.03, detail.segments(2, 0.25));
        const Ring low = solid.ring(outline, 0.0, 0.0);
        const Ring high = solid.walls(low, outline, Profile{{0, 0}, {0, 0.008}, {-0.003, 0.011}});
        std::vector<Ring> dials;
        for (const double x : {-0.065, 0.065}) {
          Profile dial{{0.050, 0.011}};
          const int rings = detail.segments(3, 0.2);
          for (int k = 1; k <= rings; ++k)
            dial.push_back(
                {0.050 - 0.03 * k / rings, 0.011 - 0.005 * std::sqrt(double(k) / rings)});
          dials.push_back(add_round_feature(solid, {x, 0.0}, dial, detail.segments(12)));
        }
        solid.cap_up(high, dials);
        solid.cap_down(low);
      }));
  std::vector<Pose> buttons;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 2; ++j)
      buttons.push_back(on_face(0.075 - 0.03 * i, 0.06 + 0.14 * j, 0.007));
  shapes.push_back(rounded_block("obstacle/button", buttons, {0.022, 0.016, 0.01}, 0.002));
  // Steering wheel before the driver.
  const Pose wheel = pose_at({0.10, 0.36, 0.60}, {-0.9, 0.0, 0.42}, {0, 1, 0});
  shapes.push_back(shape("obstacle/steering-wheel", wheel, [](SolidBuilder& solid, Detail detail) {
    add_torus(solid, 0.18, 0.015, detail.segments(24, 1.5), detail.segments(6, 0.6));
  }));
  shapes.push_back(shape("obstacle/steering-hub", wheel, [](SolidBuilder& solid, Detail detail) {
    const int steps = detail.segments(3, 0.4);
    std::vector<Vec2> profile{{0.0, -0.03}, {0.05, -0.03}};
    for (int k = 0; k < steps; ++k) {
      const double a = 0.5 * kPi * k / steps;
      profile.push_back({0.03 + 0.045 * std::cos(a), 0.02 * std::sin(a)});
    }
    profile.push_back({0.0, 0.021});
    add_revolution(solid, profile, false, detail.segments(16));
  }));
  shapes.push_back(shape("obstacle/steering-column", [=](SolidBuilder& solid, Detail detail) {
    TubeOptions options;
    options.radius = 0.025;
    options.around = detail.segments(10);
    add_tube(solid, std::array<Vec3, 2>{wheel * Vec3{0, 0, -0.032}, wheel * Vec3{0, 0, -0.20}},
             options);
  }));
}

void append_cabin(std::vector<Shape>& shapes) {
  // Floor with the tunnel, sills, roof.
  const double t = 0.004;
  shapes.push_back(extruded("obstacle/floor", {cross_view(), {}},
                            {{-0.70, 0.0},
                             {-0.13, 0.0},
                             {-0.09, 0.10 - t},
                             {0.09, 0.10 - t},
                             {0.13, 0.0},
                             {0.70, 0.0},
                             {0.70, t},
                             {0.13 + t, t},
                             {0.09 + t, 0.10},
                             {-0.09 - t, 0.10},
                             {-0.13 - t, t},
                             {-0.70, t}},
                            0.0015, 0.95, 0.0005));
  std::vector<Pose> sides{{cross_view(), {0.0, 0.74, 0.08}}, {cross_view(), {0.0, -0.74, 0.08}}};
  shapes.push_back(repeated("obstacle/sill", sides, [](SolidBuilder& solid, Detail detail) {
    add_rounded_extrusion(solid,
                          rounded_rectangle({0, 0}, {0.07, 0.15}, 0.02, detail.segments(2, 0.5)),
                          -0.95, 0.95, 0.004, detail.segments(1, 0.25));
  }));
  shapes.push_back(shape("obstacle/roof", [](SolidBuilder& solid, Detail detail) {
    // A doubly curved shell: a grid over and under, joined at its border.
    const int nx = detail.segments(3, 0.35);
    const int ny = detail.segments(4, 0.5);
    const auto height = [](double u, double v) {
      return 1.20 - 0.06 * (2 * u - 1) * (2 * u - 1) - 0.05 * (2 * v - 1) * (2 * v - 1);
    };
    std::vector<std::uint32_t> upper;
    std::vector<std::uint32_t> lower;
    for (int i = 0; i <= nx; ++i) {
      for (int j = 0; j <= ny; ++j) {
        const double u = double(i) / nx;
        const double v = double(j) / ny;
        const Vec3 p{-0.85 + 1.45 * u, -0.66 + 1.32 * v, height(u, v)};
        upper.push_back(solid.vertex(p));
        lower.push_back(solid.vertex(p - Vec3{0, 0, 0.012}));
      }
    }
    const auto at = [&](int i, int j) {
      return std::size_t(i) * std::size_t(ny + 1) + std::size_t(j);
    };
    const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
      solid.triangle(a, b, c);
      solid.triangle(a, c, d);
    };
    for (int i = 0; i < nx; ++i) {
      for (int j = 0; j < ny; ++j) {
        quad(upper[at(i, j)], upper[at(i + 1, j)], upper[at(i + 1, j + 1)], upper[at(i, j + 1)]);
        quad(lower[at(i, j)], lower[at(i, j + 1)], lower[at(i + 1, j + 1)], lower[at(i + 1, j)]);
      }
      quad(lower[at(i, 0)], lower[at(i + 1, 0)], upper[at(i + 1, 0)], upper[at(i, 0)]);
      quad(lower[at(i + 1, ny)], lower[at(i, ny)], upper[at(i, ny)], upper[at(i + 1, ny)]);
    }
    for (int j = 0; j < ny; ++j) {
      quad(lower[at(0, j + 1)], lower[at(0, j)], upper[at(0, j)], upper[at(0, j + 1)]);
      quad(lower[at(nx, j)], lower[at(nx, j + 1)], upper[at(nx, j + 1)], upper[at(nx, j)]);
    }
  }));
  // Seats: one mesh each for cushion, back, rails, rest; two places.
  const auto both = [](const Vec3& at, double lean) {
    std::vector<Pose> poses;
    for (const double side : {1.0, -1.0})
      poses.push_back({rotation_about({0, 1, 0}, lean), {at.x, side * at.y, at.z}});
    return poses;
  };
  shapes.push_back(rounded_block("obstacle/seat-cushion", both({-0.22, 0.38, 0.26}, 0.0),
                                 {0.48, 0.46, 0.13}, 0.04));
  shapes.push_back(rounded_block("obstacle/seat-back", both({-0.565, 0.38, 0.51}, -0.30),
                                 {0.11, 0.44, 0.54}, 0.035));
  shapes.push_back(rounded_block("obstacle/head-rest", both({-0.672, 0.38, 0.875}, -0.20),
                                 {0.07, 0.26, 0.15}, 0.025));
  shapes.push_back(repeated(
      "obstacle/seat-frame", both({-0.22, 0.38, 0.0}, 0.0), [](SolidBuilder& solid, Detail detail) {
        TubeOptions options;
        options.radius = 0.012;
        options.wall = 0.002;
        options.bend_radius = 0.05;
        options.around = detail.segments(8, 0.8);
        options.per_quarter_bend = detail.segments(3, 0.5);
        add_tube(solid,
                 std::array<Vec3, 6>{Vec3{0.20, -0.18, 0.02}, Vec3{0.20, -0.18, 0.17},
                                     Vec3{-0.20, -0.18, 0.17}, Vec3{-0.20, 0.18, 0.17},
                                     Vec3{0.20, 0.18, 0.17}, Vec3{0.20, 0.18, 0.02}},
                 options);
      }));
  std::vector<Pose> pedals;
  for (const double y : {0.26, 0.36, 0.45})
    pedals.push_back(pose_at({0.62, y, 0.18}, {-0.8, 0.0, 0.6}, {0, 1, 0}));
  shapes.push_back(repeated("obstacle/pedal", pedals, [](SolidBuilder& solid, Detail detail) {
    std::vector<PlateHole> holes;
    for (int i = -1; i <= 1; ++i)
      for (int j = -2; j <= 2; ++j) holes.push_back({{0.015 * i, 0.015 * j}, 0.004});
    add_plate(solid, rounded_rectangle({0, 0}, {0.055, 0.09}, 0.008, detail.segments(2, 0.2)),
              0.006, holes, detail.segments(6, 0.4));
  }));
}

}  // namespace

Plan tunnel_console_plan() {
  Plan plan;
  plan.shapes = console_shapes();
  append_controls(plan.obstacles);
  append_dashboard(plan.obstacles);
  append_cabin(plan.obstacles);
  plan.obstacles.push_back(
      label_shape("obstacle/label", pose_at({0.75, -0.4, 0.80}, {0, 0, 1}, {1, 0, 0}), 0.12, 0.06));
  return plan;
}

}  // namespace clearance::parts
