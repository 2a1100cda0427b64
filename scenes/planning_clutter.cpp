// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Planning scenes without a plan behind them: things that lie about, pipes that run anywhere, and
// bodies that are mostly in the way of themselves.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <clearance/base/random.h>

#include "planning.h"
#include "planning_solids.h"
#include "simple_solids.h"

namespace clearance::scenes {
namespace {

/// A bar of square section between two points.
void bar(SolidBuilder& solids, const Vec3& a, const Vec3& b, double thick) {
  const std::array<Vec3, 2> line{a, b};
  solids.rod(line, thick * std::sqrt(0.5), 4);
}

Vec3 direction(Random& random) {
  for (;;) {
    const Vec3 v{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
    const double square = squared_norm(v);
    if (square > 0.01 && square < 1.0) return normalized(v);
  }
}

}  // namespace

PlanningScene star_through_clutter(int pieces) {
  constexpr double kSide = 5.0;
  constexpr double kFree = 1.1;  // at either end
  Random random(23);
  SolidBuilder clutter;
  for (int i = 0; i < pieces; ++i) {
    const Vec3 middle{random.uniform(kFree + 0.5, kSide - kFree - 0.5), random.uniform(0.0, kSide),
                      random.uniform(0.0, kSide)};
    if (i % 3 == 0) {
      const Vec3 half{random.uniform(0.1, 0.4), random.uniform(0.1, 0.4), random.uniform(0.1, 0.4)};
      clutter.box(middle - half, middle + half);
      continue;
    }
    Vec3 along = random.uniform(0.4, 1.2) * direction(random);
    // Not into where the star begins and ends.
    along.x *= std::min(1.0, std::min(middle.x - kFree, kSide - kFree - middle.x) / 1.2);
    bar(clutter, middle - along, middle + along, random.uniform(0.08, 0.2));
  }
  SolidBuilder star;
  for (int i = 0; i < 5; ++i) {
    const double turn = 2.0 * std::numbers::pi * i / 5.0;
    bar(star, {}, {0.45 * std::cos(turn), 0.45 * std::sin(turn), i % 2 == 0 ? 0.25 : -0.25}, 0.1);
  }
  const Vec3 middle{0.5, 0.5 * kSide, 0.5 * kSide};
  return scene("star_through_clutter", star, clutter, Pose::translate(middle),
               {rotation_about({0.6, 0.8, 0.0}, 2.0), {kSide - 0.5, middle.y, middle.z}},
               {{0.0, 0.0, 0.0}, {kSide, kSide, kSide}});
}

PlanningScene hook_among_elbows(int pipes, double radius) {
  constexpr int kCells = 6;
  constexpr double kCell = 0.6;
  Random random(41);
  SolidBuilder plant;
  for (int i = 0; i < pipes; ++i) {
    // From cell to cell, four to eight legs, never straight back.
    std::array<int, 3> cell{};
    for (int& at : cell) at = static_cast<int>(random.below(kCells));
    cell[0] = 1 + static_cast<int>(random.below(kCells - 2));
    std::size_t axis = random.below(3);
    std::vector<Vec3> line;
    const auto shift =
        Vec3{random.uniform(0.2, 0.4), random.uniform(0.2, 0.4), random.uniform(0.2, 0.4)};
    const auto place = [&] {
      return kCell * Vec3{1.0 * cell[0], 1.0 * cell[1], 1.0 * cell[2]} + shift;
    };
    line.push_back(place());
    const int legs = 4 + static_cast<int>(random.below(5));
    for (int leg = 0; leg < legs; ++leg) {
      axis = (axis + 1 + random.below(2)) % 3;
      const int low = axis == 0 ? 1 : 0;
      const int high = axis == 0 ? kCells - 2 : kCells - 1;
      int next = cell[axis];
      while (next == cell[axis]) next = low + static_cast<int>(random.below(high - low + 1));
      cell[axis] = next;
      line.push_back(place());
    }
    plant.rod(line, radius, 8);
  }
  // A question mark of bars, open to one side.
  SolidBuilder hook;
  hook.box({0.0, 0.0, 0.0}, {0.06, 0.5, 0.06}).box({0.0, 0.44, 0.0}, {0.36, 0.5, 0.06});
  hook.box({0.3, 0.2, 0.0}, {0.36, 0.5, 0.06}).box({0.3, 0.2, 0.0}, {0.36, 0.26, 0.25});
  const double side = kCells * kCell;
  return scene("hook_among_elbows", hook, plant, Pose::translate({0.05, 1.5, 1.7}),
               {rotation_about({0.0, 0.0, 1.0}, std::numbers::pi), {side - 0.05, 2.0, 1.7}},
               {{0.0, 0.0, 0.0}, {side, side, side}});
}

PlanningScene ball_out_of_cage(double gap) {
  constexpr double kSide = 1.0;
  constexpr double kBar = 0.04;
  constexpr int kBars = 6;
  const double spacing = kSide / kBars;
  SolidBuilder cage;
  const auto upright = [&](double x, double y) { bar(cage, {x, y, 0.0}, {x, y, kSide}, kBar); };
  // The ball goes through one gap only, where the bars are farther apart.
  for (int i = 0; i <= kBars; ++i) {
    const double at = i * spacing;
    upright(0.0, at);
    upright(at, 0.0);
    upright(at, kSide);
    const double beside = 0.5 * (kSide - gap) - 0.5 * kBar;
    if (at <= beside || at >= kSide - beside) upright(kSide, at);
  }
  upright(kSide, 0.5 * (kSide - gap) - 0.5 * kBar);
  upright(kSide, 0.5 * (kSide + gap) + 0.5 * kBar);
  cage.box({-kBar, -kBar, -kBar}, {kSide + kBar, kSide + kBar, 0.0});
  cage.box({-kBar, -kBar, kSide}, {kSide + kBar, kSide + kBar, kSide + kBar});
  // The ball of three square plates, with a handle longer than the cage, which begins outside.
  SolidBuilder body;
  constexpr double kBall = 0.15;
  constexpr double kFlat = 0.075;
  body.box({-kBall, -kFlat, -kFlat}, {kBall, kFlat, kFlat});
  body.box({-kFlat, -kBall, -kFlat}, {kFlat, kBall, kFlat});
  body.box({-kFlat, -kFlat, -kBall}, {kFlat, kFlat, kBall});
  bar(body, {}, {-1.3, 0.0, 0.0}, 0.03);
  const Pose start = Pose::translate({0.45, 2.5 * spacing, 0.5});
  const Pose goal{rotation_about({0.0, 0.0, 1.0}, 0.5 * std::numbers::pi), {1.6, 0.6, 0.5}};
  return scene("ball_out_of_cage", body, cage, start, goal, {{-2.0, -1.5, -1.5}, {3.0, 2.5, 2.5}});
}

}  // namespace clearance::scenes
