// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Connecting rod. Big end at the origin, small end on +x, both bores along z; symmetric in y and z.
#include <array>

#include "mesh/generate_features.h"
#include "mesh/generate_parts.h"

namespace clearance::parts {
namespace {

constexpr double kReach = 0.145;          // between the bores [m]
constexpr double kHalfThickness = 0.009;  // of the shank
constexpr double kRim = 0.0015;           // rounding of the outline's edges
constexpr double kBigRadius = 0.036;
constexpr double kSmallRadius = 0.0195;
constexpr double kShoulder = 0.0455;  // half width over the bolt bosses

// A bored end: a boss standing proud of the shank on both faces.
struct End {
  Vec2 center;
  double boss, bore, half_thickness;
};
constexpr End kBigEnd{{0.0, 0.0}, 0.0325, 0.0255, 0.0125};
constexpr End kSmallEnd{{kReach, 0.0}, 0.0155, 0.0110, 0.0125};

Loop outline(int quarter) {
  // Lower half from the cap round to the small end; the upper half mirrors it.
  const std::vector<Vec2> lower{{-kBigRadius - 0.002, -0.030},
                                {-0.020, -0.034},
                                {-0.019, -kShoulder},
                                {0.019, -kShoulder},
                                {0.021, -0.033},
                                {0.047, -0.0135},
                                {kReach - 0.024, -0.0095},
                                {kReach - 0.012, -kSmallRadius},
                                {kReach + kSmallRadius, -kSmallRadius}};
  const std::vector<double> lower_radii{0.026, 0.003, 0.004, 0.004, 0.006,
                                        0.016, 0.008, 0.009, 0.0190};
  std::vector<Vec2> corners = lower;
  std::vector<double> radii = lower_radii;
  for (std::size_t i = lower.size(); i-- > 0;) {
    corners.push_back({lower[i].x, -lower[i].y});
    radii.push_back(lower_radii[i]);
  }
  return rounded_polygon(corners, radii, quarter);
}

}  // namespace

Plan conrod_plan() {
  const auto build = [](SolidBuilder& solid, Detail detail) {
    const int quarter = detail.segments(3, 1.0 / 4.0);
    const int fillet_steps = detail.segments(1, 1.0 / 8.0);
    const int around = detail.segments(12);
    const int small_around = detail.segments(8, 0.6);

    const Loop loop = outline(quarter);
    Profile side{{-kRim, -kHalfThickness}};
    append_arc(side, {-kRim, -kHalfThickness + kRim}, {0.0, -kHalfThickness + kRim}, fillet_steps);
    side.push_back({0.0, kHalfThickness - kRim});
    append_arc(side, {-kRim, kHalfThickness - kRim}, {-kRim, kHalfThickness}, fillet_steps);
    const Ring low = solid.ring(loop, side.front().out, side.front().z);
    const Ring high = solid.walls(low, loop, side);

    // The bores first, in the upper frame: they belong to both faces.
    const std::array<End, 2> ends{kBigEnd, kSmallEnd};
    std::array<Ring, 2> bore_high;
    std::array<Ring, 2> bore_low;
    for (std::size_t i = 0; i < 2; ++i) {
      const End& end = ends[i];
      const double chamfer = 0.001;
      const double z = end.half_thickness;
      const Loop axis = circle_loop(end.center, 0.0, around);
      bore_high[i] = solid.ring(axis, end.bore + chamfer, z);
      bore_low[i] = flipped(solid.walls(bore_high[i], axis,
                                        Profile{{end.bore + chamfer, z},
                                                {end.bore, z - chamfer},
                                                {end.bore, chamfer - z},
                                                {end.bore + chamfer, -z}}));
    }

    // Each face in its own frame: the lower one is the upper one turned about x.
    for (const bool upper : {true, false}) {
      const Pose base = solid.frame();
      if (!upper) solid.set_frame(base * Pose{Mat3::diagonal({1.0, -1.0, -1.0}), {}});
      std::vector<Ring> holes;
      for (std::size_t i = 0; i < 2; ++i) {
        const End& end = ends[i];
        const double fillet = 0.0015;
        const Loop axis = circle_loop(end.center, 0.0, around);
        Profile boss{{end.boss + fillet, kHalfThickness}};
        append_arc(boss, {end.boss + fillet, kHalfThickness + fillet},
                   {end.boss, kHalfThickness + fillet}, fillet_steps);
        boss.push_back({end.boss, end.half_thickness - 0.001});
        append_arc(boss, {end.boss - 0.001, end.half_thickness - 0.001},
                   {end.boss - 0.001, end.half_thickness}, fillet_steps);
        holes.push_back(solid.ring(axis, boss.front().out, boss.front().z));
        const Ring top = solid.walls(holes.back(), axis, boss);
        solid.cap_up(top, {upper ? &bore_high[i] : &bore_low[i], 1});
      }
      // The I-beam's pocket: rounded at its rim and its floor.
      const std::array<Vec2, 4> pocket{Vec2{0.0435, -0.0085}, Vec2{kReach - 0.0235, -0.0055},
                                       Vec2{kReach - 0.0235, 0.0055}, Vec2{0.0435, 0.0085}};
      const Loop pocket_loop = rounded_polygon(pocket, 0.004, quarter);
      const double depth = 0.0055;
      const double round = 0.0008;
      const double floor_round = 0.0022;
      Profile recess{{round, kHalfThickness}};
      append_arc(recess, {round, kHalfThickness - round}, {0.0, kHalfThickness - round},
                 fillet_steps);
      recess.push_back({0.0, kHalfThickness - depth + floor_round});
      append_arc(recess, {-floor_round, kHalfThickness - depth + floor_round},
                 {-floor_round, kHalfThickness - depth}, fillet_steps);
      holes.push_back(add_outline_feature(solid, pocket_loop, recess));
      // Bolt bosses: pads with a blind hole on the shoulders.
      for (const double y : {-0.0405, 0.0405}) {
        holes.push_back(add_round_feature(
            solid, {0.0115, y}, boss_with_hole(0.0028, 0.0014, kHalfThickness, 0.001, 0.005, 1),
            small_around));
        holes.push_back(add_round_feature(
            solid, {-0.0115, y}, blind_hole(0.0022, kHalfThickness, 0.006, 3), small_around));
      }
      solid.cap_up(upper ? high : flipped(low), holes);
      solid.set_frame(base);
    }
  };
  return {{shape("conrod", build)}, {}};
}

}  // namespace clearance::parts
