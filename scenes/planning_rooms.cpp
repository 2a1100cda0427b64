// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Planning scenes of the kinds that planners are usually shown: buildings, pipes, walls with odd
// passages; wide open in the main, with a few places where the body has to turn.
#include <array>
#include <cmath>
#include <numbers>

#include <clearance/base/random.h>

#include "planning.h"
#include "planning_solids.h"
#include "simple_solids.h"

namespace clearance::scenes {
namespace {

const Vec3 kX{1.0, 0.0, 0.0};
const Vec3 kZ{0.0, 0.0, 1.0};

/// A wall along x or y from a to b (on its middle line), with a door of some width that begins
/// `door_at` from a; none where it is negative.
void add_wall(SolidBuilder& solids, const Vec3& a, const Vec3& b, double height, double door_at,
              double door, double door_height) {
  constexpr double kHalf = 0.05;
  const Vec3 along = normalized(b - a);
  const Vec3 thick{kHalf * std::abs(along.y), kHalf * std::abs(along.x), 0.0};
  const double length = distance(a, b);
  const auto part = [&](double from, double to, double low, double high) {
    if (to - from < 1e-9) return;
    const Vec3 p = a + from * along;
    const Vec3 q = a + to * along;
    solids.box(min(p, q) - thick + low * kZ, max(p, q) + thick + high * kZ);
  };
  if (door_at < 0.0) return part(0.0, length, 0.0, height);
  part(0.0, door_at, 0.0, height);
  part(door_at, door_at + door, door_height, height);
  part(door_at + door, length, 0.0, height);
}

}  // namespace

PlanningScene wall_with_windows() {
  SolidBuilder wall;
  wall.plate_with_window({{-0.05, -2.0, -2.0}, {0.05, 2.0, 2.0}}, 0.4, 1.4, -0.5, 0.5);
  wall.box({-1.2, -0.6, -2.0}, {-0.8, 0.6, 1.0}).box({0.9, -2.0, -0.4}, {1.1, 0.4, 0.2});
  SolidBuilder body;
  body.box({0.0, 0.0, 0.0}, {0.5, 0.12, 0.12}).box({0.0, 0.0, 0.0}, {0.12, 0.3, 0.12});
  return scene("wall_with_windows", body, wall, Pose::translate({-1.7, -1.0, 0.0}),
               {rotation_about(kZ, 2.0), {1.6, -1.0, 0.3}}, {{-2.0, -2.0, -2.0}, {2.0, 2.0, 2.0}});
}

PlanningScene cubicles(double opening) {
  constexpr double kSide = 12.0;
  constexpr double kFloor = 1.8;
  constexpr double kSlab = 0.2;
  constexpr double kWall = 1.3;
  constexpr double kCell = 2.0;
  SolidBuilder office;
  // The ground, the slab between the floors with a hole near one corner, and the outer walls.
  office.box({0.0, 0.0, -kSlab}, {kSide, kSide, 0.0});
  const double hole = 1.0;
  office.box({0.0, 0.0, kFloor}, {hole, kSide, kFloor + kSlab});
  office.box({hole + opening, 0.0, kFloor}, {kSide, kSide, kFloor + kSlab});
  office.box({hole, 0.0, kFloor}, {hole + opening, hole, kFloor + kSlab});
  office.box({hole, hole + opening, kFloor}, {hole + opening, kSide, kFloor + kSlab});
  const double high = 2.0 * (kFloor + kSlab);
  const std::array<Vec3, 4> corners{Vec3{0.0, 0.0, 0.0}, Vec3{kSide, 0.0, 0.0},
                                    Vec3{kSide, kSide, 0.0}, Vec3{0.0, kSide, 0.0}};
  for (std::size_t i = 0; i < 4; ++i)
    add_wall(office, corners[i], corners[(i + 1) % 4], high, -1.0, 0.0, 0.0);
  // Cubicles on both floors: each wall of the grid has a gap at one end or is left out.
  Random random(11);
  for (const double ground : {0.0, kFloor + kSlab}) {
    for (int i = 1; i * kCell < kSide; ++i) {
      for (int k = 0; k * kCell < kSide; ++k) {
        for (const bool along_x : {true, false}) {
          const auto kind = random.below(4);
          if (kind == 0) continue;
          const double gap = 0.8;
          const double from = k * kCell + (kind == 1 ? gap : 0.0);
          const double to = (k + 1) * kCell - (kind == 2 ? gap : 0.0);
          const double across = i * kCell;
          add_wall(office, along_x ? Vec3{from, across, ground} : Vec3{across, from, ground},
                   along_x ? Vec3{to, across, ground} : Vec3{across, to, ground}, kWall, -1.0, 0.0,
                   0.0);
        }
      }
    }
  }
  SolidBuilder body;
  body.box({0.0, 0.0, 0.0}, {1.4, 0.2, 0.2}).box({0.0, 0.0, 0.0}, {0.2, 0.9, 0.2});
  return scene("cubicles", body, office, Pose::translate({10.3, 10.3, 0.6}),
               {rotation_about(kZ, std::numbers::pi), {11.7, 11.7, kFloor + kSlab + 0.6}},
               {{0.0, 0.0, 0.0}, {kSide, kSide, high}});
}

PlanningScene table_through_home(double door) {
  constexpr double kHeight = 2.5;
  constexpr double kDoorHeight = 2.0;
  SolidBuilder home;
  home.box({0.0, 0.0, -0.1}, {10.0, 8.0, 0.0}).box({0.0, 0.0, kHeight}, {10.0, 8.0, kHeight + 0.1});
  const auto wall = [&](const Vec3& a, const Vec3& b, double at) {
    add_wall(home, a, b, kHeight, at, door, kDoorHeight);
  };
  wall({0.0, 0.0, 0.0}, {10.0, 0.0, 0.0}, -1.0);
  wall({0.0, 8.0, 0.0}, {10.0, 8.0, 0.0}, -1.0);
  wall({0.0, 0.0, 0.0}, {0.0, 8.0, 0.0}, -1.0);
  wall({10.0, 0.0, 0.0}, {10.0, 8.0, 0.0}, -1.0);
  // A corridor along the middle, two rooms below and three above.
  wall({0.0, 3.4, 0.0}, {5.0, 3.4, 0.0}, 3.2);
  wall({5.0, 3.4, 0.0}, {10.0, 3.4, 0.0}, 0.6);
  wall({5.0, 0.0, 0.0}, {5.0, 3.4, 0.0}, -1.0);
  wall({0.0, 4.8, 0.0}, {3.5, 4.8, 0.0}, 1.0);
  wall({3.5, 4.8, 0.0}, {6.5, 4.8, 0.0}, 0.5);
  wall({6.5, 4.8, 0.0}, {10.0, 4.8, 0.0}, 1.6);
  wall({3.5, 4.8, 0.0}, {3.5, 8.0, 0.0}, -1.0);
  wall({6.5, 4.8, 0.0}, {6.5, 8.0, 0.0}, 1.5);
  // Beds, cupboards, a sofa, lamps that hang from the ceiling.
  home.box({0.1, 0.1, 0.0}, {2.0, 1.0, 0.5}).box({4.4, 0.1, 0.0}, {4.9, 1.6, 1.9});
  home.box({8.0, 0.1, 0.0}, {9.9, 2.0, 0.5}).box({5.1, 0.1, 0.0}, {5.7, 1.4, 2.1});
  home.box({0.1, 7.0, 0.0}, {3.0, 7.9, 0.8}).box({3.6, 7.3, 0.0}, {6.3, 7.9, 0.9});
  home.box({9.3, 4.9, 0.0}, {9.9, 6.5, 1.9}).box({7.0, 7.2, 0.0}, {8.6, 7.9, 0.6});
  for (const Vec3& lamp :
       {Vec3{2.5, 1.8, 1.7}, Vec3{7.2, 1.8, 1.7}, Vec3{5.0, 6.2, 1.7}, Vec3{8.2, 6.2, 1.7}}) {
    home.box(lamp - Vec3{0.02, 0.02, 0.0}, {lamp.x + 0.02, lamp.y + 0.02, kHeight});
    home.box(lamp - Vec3{0.2, 0.2, 0.0}, lamp + Vec3{0.2, 0.2, 0.2});
  }
  SolidBuilder table;
  table.box({-0.6, -0.4, 0.7}, {0.6, 0.4, 0.75});
  for (const double x : {-0.6, 0.53}) {
    for (const double y : {-0.4, 0.33}) table.box({x, y, 0.0}, {x + 0.07, y + 0.07, 0.7});
  }
  return scene("table_through_home", table, home, Pose::translate({1.2, 2.2, 0.02}),
               {rotation_about(kZ, 0.5 * std::numbers::pi), {8.3, 5.9, 0.02}},
               {{0.0, 0.0, 0.0}, {10.0, 8.0, kHeight}});
}

PlanningScene grand_piano_through_flat(double door) {
  constexpr double kHeight = 2.6;
  constexpr double kDoorHeight = 2.1;
  SolidBuilder flat;
  flat.box({0.0, 0.0, -0.1}, {12.0, 9.0, 0.0}).box({0.0, 0.0, kHeight}, {12.0, 9.0, kHeight + 0.1});
  const auto wall = [&](const Vec3& a, const Vec3& b, double at) {
    add_wall(flat, a, b, kHeight, at, door, kDoorHeight);
  };
  wall({0.0, 0.0, 0.0}, {12.0, 0.0, 0.0}, -1.0);
  wall({0.0, 9.0, 0.0}, {12.0, 9.0, 0.0}, -1.0);
  wall({0.0, 0.0, 0.0}, {0.0, 9.0, 0.0}, -1.0);
  wall({12.0, 0.0, 0.0}, {12.0, 9.0, 0.0}, -1.0);
  // A hall in an L, round which are a parlour, a study, a kitchen, a bedroom and a music room.
  wall({0.0, 5.0, 0.0}, {5.5, 5.0, 0.0}, 3.8);
  wall({5.5, 5.0, 0.0}, {5.5, 9.0, 0.0}, 1.4);
  wall({7.6, 3.4, 0.0}, {7.6, 9.0, 0.0}, 3.2);
  wall({7.6, 5.8, 0.0}, {12.0, 5.8, 0.0}, -1.0);
  wall({4.0, 3.4, 0.0}, {12.0, 3.4, 0.0}, 5.4);
  wall({4.0, 0.0, 0.0}, {4.0, 3.4, 0.0}, 1.1);
  wall({8.2, 0.0, 0.0}, {8.2, 3.4, 0.0}, 1.2);
  // A sofa, a table with a lamp above it, shelves, a bed, a stove, chairs.
  flat.box({0.1, 6.2, 0.0}, {1.0, 8.2, 0.8}).box({2.2, 6.8, 0.7}, {3.6, 7.6, 0.75});
  flat.box({2.8, 7.1, 0.0}, {3.0, 7.3, 0.7}).box({2.9, 7.2, 1.7}, {2.92, 7.22, kHeight});
  flat.box({2.65, 6.95, 1.6}, {3.15, 7.45, 1.75}).box({0.1, 5.1, 0.0}, {0.5, 6.0, 2.0});
  flat.box({7.7, 5.9, 0.0}, {8.1, 6.4, 2.0}).box({10.0, 6.2, 0.0}, {11.9, 8.0, 0.5});
  flat.box({0.1, 0.1, 0.0}, {0.7, 3.2, 0.9}).box({1.6, 1.0, 0.45}, {2.1, 1.5, 0.5});
  flat.box({1.8, 1.2, 0.0}, {1.9, 1.3, 0.45}).box({4.2, 0.1, 0.0}, {7.0, 0.5, 2.0});
  flat.box({11.4, 0.2, 0.0}, {11.9, 3.2, 1.9}).box({8.6, 0.1, 0.0}, {9.2, 0.6, 1.0});
  flat.box({5.6, 8.5, 0.0}, {6.2, 8.9, 1.8});
  // The piano: a long case, a wider front with the keys, three legs, a lid that stands up at its
  // hinges.
  SolidBuilder piano;
  piano.box({-0.7, -0.9, 0.65}, {0.3, 0.9, 0.95}).box({-0.7, -0.9, 0.65}, {0.7, -0.1, 0.95});
  piano.box({-0.7, -1.05, 0.65}, {0.7, -0.9, 0.75}).box({-0.7, -0.5, 0.95}, {-0.67, 0.8, 1.3});
  piano.box({-0.65, -0.85, 0.0}, {-0.55, -0.75, 0.65}).box({0.55, -0.85, 0.0}, {0.65, -0.75, 0.65});
  piano.box({-0.25, 0.7, 0.0}, {-0.15, 0.8, 0.65});
  return scene("grand_piano_through_flat", piano, flat, Pose::translate({1.8, 6.4, 0.02}),
               {rotation_about(kZ, std::numbers::pi), {10.2, 1.7, 0.02}},
               {{0.0, 0.0, 0.0}, {12.0, 9.0, kHeight}});
}

PlanningScene crank_through_wall(double window) {
  constexpr double kThick = 0.1;
  const double half = 0.5 * window * kThick;
  SolidBuilder wall;
  // Three layers: a window to the left, a slot across, a window to the right and above.
  const auto layer = [&](double x, double low_y, double high_y, double low_z, double high_z) {
    wall.plate_with_window({{x, -1.5, -1.5}, {x + 0.25, 1.5, 1.5}}, low_y, high_y, low_z, high_z);
  };
  layer(-0.375, -0.2 - half, -0.2 + half, -half, half);
  layer(-0.125, -0.2 - half, 0.2 + half, -half, half + 0.1);
  layer(0.125, 0.2 - half, 0.2 + half, 0.1 - half, half + 0.1);
  // A crank: three arms, each square to the one before.
  SolidBuilder crank;
  crank.box({0.0, 0.0, 0.0}, {0.4, kThick, kThick}).box({0.3, 0.0, 0.0}, {0.4, 0.35, kThick});
  crank.box({0.3, 0.25, 0.0}, {0.4, 0.35, 0.3});
  return scene("crank_through_wall", crank, wall, Pose::translate({-1.1, -0.2, 0.0}),
               Pose::translate({0.8, 0.0, 0.0}), {{-1.4, -1.0, -1.0}, {1.4, 1.0, 1.0}});
}

PlanningScene bow_through_pipes(int pipes, double radius) {
  constexpr double kSide = 4.0;
  Random random(3);
  SolidBuilder plant;
  for (int i = 0; i < pipes; ++i) {
    // Along one axis right through, off the ends of the room where the bow starts and arrives.
    const auto axis = static_cast<std::size_t>(i % 3);
    Vec3 a;
    for (std::size_t k = 0; k < 3; ++k)
      a[k] = k == 0 ? random.uniform(0.9, kSide - 0.9) : random.uniform(0.0, kSide);
    if (axis == 0) {
      a.x = 0.8;
    } else {
      a[axis] = 0.0;
    }
    Vec3 b = a;
    b[axis] = axis == 0 ? kSide - 0.8 : kSide;
    const std::array<Vec3, 2> line{a, b};
    plant.rod(line, radius, 12);
  }
  // A bow: three quarters of a square.
  SolidBuilder bow;
  bow.box({0.0, 0.0, 0.0}, {0.8, 0.08, 0.08}).box({0.0, 0.0, 0.0}, {0.08, 0.6, 0.08});
  bow.box({0.72, 0.0, 0.0}, {0.8, 0.6, 0.08});
  const Mat3 upright = rotation_about({0.0, 1.0, 0.0}, 0.5 * std::numbers::pi);
  return scene("bow_through_pipes", bow, plant, {upright, {0.3, 1.7, 2.4}},
               {upright, {kSide - 0.3, 1.7, 2.4}}, {{0.0, 0.0, 0.0}, {kSide, kSide, kSide}});
}

PlanningScene jack_through_grids(int grids, double spacing) {
  constexpr double kSide = 2.4;
  constexpr double kBar = 0.03;
  SolidBuilder all;
  const double length = 1.2 * (grids + 1);
  for (int i = 1; i <= grids; ++i) {
    // Bars one way, and behind them bars the other way, shifted from grid to grid.
    const double x = 1.2 * i;
    const double shift = 0.5 * spacing * (i % 2);
    for (double at = -0.5 * kSide + shift; at <= 0.5 * kSide + 1e-9; at += spacing) {
      all.box({x - kBar, at - kBar, -0.5 * kSide}, {x + kBar, at + kBar, 0.5 * kSide});
      all.box({x + kBar, -0.5 * kSide, at - kBar}, {x + 3.0 * kBar, 0.5 * kSide, at + kBar});
    }
  }
  SolidBuilder jack;
  jack.box({-0.35, -0.05, -0.05}, {0.35, 0.05, 0.05})
      .box({-0.05, -0.35, -0.05}, {0.05, 0.35, 0.05});
  jack.box({-0.05, -0.05, -0.35}, {0.05, 0.05, 0.35});
  return scene("jack_through_grids", jack, all, Pose::translate({0.4, 0.0, 0.0}),
               {rotation_about(kX, 0.5), {length - 0.4, 0.0, 0.0}},
               {{0.0, -0.8, -0.8}, {length, 0.8, 0.8}});
}

}  // namespace clearance::scenes
