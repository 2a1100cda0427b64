// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pipe, and wall with a hole.
#include <cmath>

#include <clearance/base/random.h>

#include "mesh/generate_parts.h"

namespace clearance {
namespace parts {

Plan pipe_plan(const PipeOptions& options) {
  const double outer = 0.5 * options.outer_diameter;
  const double inner = 0.5 * options.bore;
  const double half = 0.5 * options.length;
  const auto build = [=](SolidBuilder& solid, Detail detail) {
    const int around = detail.segments(6);
    // Straight generators need few pieces: long thin triangles, as a CAD system leaves them.
    const int along = 1 + around / 32;
    std::vector<Vec2> profile;
    for (int k = 0; k <= along; ++k) profile.push_back({outer, -half + options.length * k / along});
    for (int k = along; k >= 0; --k) profile.push_back({inner, -half + options.length * k / along});
    add_revolution(solid, profile, true, around);
  };
  return {{shape("pipe", build)}, {}};
}

namespace {

// The hole's outline: a circle with a few seeded waves.
Loop hole_loop(double radius, double unevenness, std::uint64_t seed, int around) {
  constexpr int kFirstWave = 2;
  constexpr int kLastWave = 9;
  Random random(seed);
  std::vector<double> heights;
  std::vector<double> phases;
  double sum = 0.0;
  for (int wave = kFirstWave; wave <= kLastWave; ++wave) {
    heights.push_back(random.uniform(0.3, 1.0) / wave);
    phases.push_back(random.uniform(0.0, 2.0 * kPi));
    sum += heights.back();
  }
  Loop loop = circle_loop({0, 0}, radius, around);
  for (int i = 0; i < around; ++i) {
    const double angle = 2.0 * kPi * i / around;
    double wave_sum = 0.0;
    for (int wave = kFirstWave; wave <= kLastWave; ++wave)
      wave_sum += heights[wave - kFirstWave] * std::sin(wave * angle + phases[wave - kFirstWave]);
    loop[i].p = (radius * (1.0 + unevenness * wave_sum / sum)) * loop[i].n;
  }
  return loop;
}

}  // namespace

Plan wall_plan(const WallOptions& options) {
  const auto build = [options](SolidBuilder& solid, Detail detail) {
    const double half = 0.5 * options.thickness;
    const double radius = 0.5 * options.hole_diameter;
    // The rounding of the hole's edge, as far as the thickness allows.
    const double round = 0.3 * options.thickness;
    const int quarter = detail.segments(1, 1.0 / 12.0);
    // The frame's z is the wall's normal, world x.
    solid.set_frame({Mat3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}), {}});
    const Loop outline = rounded_rectangle({0, 0}, {options.width, options.height}, 0.0, 1);
    const Loop hole = hole_loop(radius, options.unevenness, options.seed, detail.segments(8));
    const Ring outer_low = solid.ring(outline, 0.0, -half);
    const Ring outer_high = solid.ring(outline, 0.0, half);
    solid.wall(outer_low, outer_high);
    Profile profile{{round, half}};
    append_arc(profile, {round, half - round}, {0.0, half - round}, quarter);
    const int across = detail.segments(1, 1.0 / 24.0);
    for (int k = 1; k <= across; ++k)
      profile.push_back({0.0, (half - round) * (1.0 - 2.0 * k / across)});
    append_arc(profile, {round, round - half}, {round, -half}, quarter);
    const Ring hole_high = solid.ring(hole, round, half);
    const Ring hole_low = solid.walls(hole_high, hole, profile);
    solid.cap_up(outer_high, {&hole_high, 1});
    solid.cap_down(outer_low, {&hole_low, 1});
  };
  return {{shape("wall", build)}, {}};
}

namespace {

Error invalid(std::string reason) { return {ErrorCode::Invalid, "", "", std::move(reason), ""}; }

}  // namespace
}  // namespace parts

Result<Mesh> make_pipe(const PipeOptions& options) {
  if (!(options.bore > 0.0 && options.outer_diameter > options.bore && options.length > 0.0 &&
        std::isfinite(options.outer_diameter) && std::isfinite(options.length))) {
    return parts::invalid("a pipe needs 0 < bore < outer diameter and a length above 0");
  }
  return parts::single_mesh(parts::pipe_plan(options), options.triangles, "pipe");
}

Result<Mesh> make_wall(const WallOptions& options) {
  const double reach = options.hole_diameter * (1.0 + options.unevenness) + options.thickness;
  if (!(options.thickness > 0.0 && options.hole_diameter > 0.0 && options.unevenness >= 0.0 &&
        options.unevenness < 0.5 && reach < options.width && reach < options.height &&
        std::isfinite(options.width) && std::isfinite(options.height))) {
    return parts::invalid("a wall needs positive sizes and a hole that lies well inside it");
  }
  return parts::single_mesh(parts::wall_plan(options), options.triangles, "wall");
}

}  // namespace clearance
