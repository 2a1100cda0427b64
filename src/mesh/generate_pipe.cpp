// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pipe, joint of three pipes, wall with a hole, bin.
#include <array>
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

// Pipes of equal diameter that meet at 120 degrees cut each other in the planes that halve the
// angle between them, so each pipe is a tube whose near end follows two such planes: the generator
// at side offset y begins at |y| / tan 60. Neighbours share the vertices of that seam.
Plan pipe_joint_plan(const PipeJointOptions& options) {
  const auto build = [options](SolidBuilder& solid, Detail detail) {
    const int around = detail.segments_multiple(8, 1.0, 2);
    const int half = around / 2;
    const int along = 1 + around / 48;
    const double slope = 1.0 / std::sqrt(3.0);
    const auto direction = [](int pipe) {
      const double angle = 2.0 * kPi * pipe / 3.0;
      return Vec3{std::cos(angle), std::sin(angle), 0.0};
    };
    const auto sideways = [&](int pipe) { return cross(Vec3{0, 0, 1}, direction(pipe)); };

    // A skin's start rings: pole, seam with the pipe before, pole, seam with the pipe after.
    const auto start_rings = [&](double radius) {
      const std::uint32_t top = solid.vertex({0, 0, radius});
      const std::uint32_t bottom = solid.vertex({0, 0, -radius});
      std::array<std::vector<std::uint32_t>, 3> seams;
      for (int pipe = 0; pipe < 3; ++pipe) {
        seams[pipe].push_back(top);
        for (int i = 1; i < half; ++i) {
          const double angle = kPi * i / half;
          const double y = radius * std::sin(angle);
          seams[pipe].push_back(solid.vertex(y * slope * direction(pipe) + y * sideways(pipe) +
                                             Vec3{0, 0, radius * std::cos(angle)}));
        }
        seams[pipe].push_back(bottom);
      }
      std::array<Ring, 3> rings;
      for (int pipe = 0; pipe < 3; ++pipe) {
        const auto& before = seams[(pipe + 2) % 3];
        const auto& after = seams[pipe];
        for (int i = 0; i < around; ++i)
          rings[pipe].vertices.push_back(i <= half ? before[i] : after[around - i]);
      }
      return rings;
    };
    // The ring `k` of `along` steps from the seam to the square end.
    const auto ring_at = [&](int pipe, double radius, int k) {
      Ring ring;
      for (int i = 0; i < around; ++i) {
        const double angle = 2.0 * kPi * i / around;
        const double y = -radius * std::sin(angle);
        const double begin = std::abs(y) * slope;
        const double x = begin + (options.length - begin) * k / along;
        ring.vertices.push_back(solid.vertex(x * direction(pipe) + y * sideways(pipe) +
                                             Vec3{0, 0, radius * std::cos(angle)}));
      }
      return ring;
    };
    const double outer = 0.5 * options.outer_diameter;
    const double inner = 0.5 * options.bore;
    const std::array<Ring, 3> outer_start = start_rings(outer);
    const std::array<Ring, 3> inner_start = start_rings(inner);
    for (int pipe = 0; pipe < 3; ++pipe) {
      Ring last = outer_start[pipe];
      const auto go_to = [&](Ring next) {
        solid.wall(last, next);
        last = std::move(next);
      };
      for (int k = 1; k <= along; ++k) go_to(ring_at(pipe, outer, k));
      for (int k = along; k >= 1; --k) go_to(ring_at(pipe, inner, k));
      go_to(inner_start[pipe]);
    }
  };
  return {{shape("pipe-joint", build)}, {}};
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

Plan bin_plan(const BinOptions& options) {
  const auto build = [options](SolidBuilder& solid, Detail detail) {
    const int quarter = detail.segments(2, 1.0 / 4.0);
    const int fillet_steps = detail.segments(1, 1.0 / 6.0);
    const double t = options.wall;
    const double fillet = 4.0 * t;
    const double lean = std::tan(options.draft);
    // All steps are offsets of the inner outline at the floor.
    const double corner = 0.08 * std::min(options.length, options.width);
    const Loop loop = rounded_rectangle({0, 0}, {options.length, options.width}, corner, quarter);
    const auto inside = [&](double z) { return lean * (z - t); };
    const auto outside = [&](double z) { return inside(z) + t; };
    const double high = options.height;
    const double lip = 4.0 * t;
    Profile profile{{outside(fillet) - fillet, 0.0}};
    append_arc(profile, {outside(fillet) - fillet, fillet}, {outside(fillet), fillet},
               fillet_steps);
    profile.push_back({outside(high - t), high - t});
    profile.push_back({outside(high) + lip, high - t});
    append_arc(profile, {outside(high) + lip, high - 0.5 * t}, {outside(high) + lip, high},
               fillet_steps + 1);
    profile.push_back({inside(high), high});
    profile.push_back({inside(t + fillet), t + fillet});
    append_arc(profile, {inside(t + fillet) - fillet, t + fillet}, {inside(t + fillet) - fillet, t},
               fillet_steps);
    const Ring bottom = solid.ring(loop, profile.front().out, profile.front().z);
    const Ring floor = solid.walls(bottom, loop, profile);
    solid.cap_down(bottom);
    solid.cap_up(floor);
  };
  return {{shape("bin", build)}, {}};
}

}  // namespace parts

Result<Mesh> make_pipe(const PipeOptions& options) {
  if (!(options.bore > 0.0 && options.outer_diameter > options.bore && options.length > 0.0 &&
        std::isfinite(options.outer_diameter) && std::isfinite(options.length))) {
    return parts::invalid("a pipe needs 0 < bore < outer diameter and a length above 0");
  }
  return parts::single_mesh(parts::pipe_plan(options), options.triangles, "pipe");
}

Result<Mesh> make_pipe_joint(const PipeJointOptions& options) {
  if (!(options.bore > 0.0 && options.outer_diameter > options.bore &&
        options.length > options.outer_diameter && std::isfinite(options.length))) {
    return parts::invalid("a pipe joint needs 0 < bore < outer diameter < length");
  }
  return parts::single_mesh(parts::pipe_joint_plan(options), options.triangles, "pipe-joint");
}

Result<Mesh> make_bin(const BinOptions& options) {
  if (!(options.wall > 0.0 && options.height > 10.0 * options.wall && options.draft >= 0.0 &&
        options.draft < 1.0 && options.length > 20.0 * options.wall &&
        options.width > 20.0 * options.wall && std::isfinite(options.length) &&
        std::isfinite(options.width) && std::isfinite(options.height))) {
    return parts::invalid(
        "a bin needs a wall below a tenth of its height and a twentieth of its sides, and a draft "
        "from 0 to 1 rad");
  }
  return parts::single_mesh(parts::bin_plan(options), options.triangles, "bin");
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
