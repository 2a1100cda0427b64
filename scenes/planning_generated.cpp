// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The planning scenes that are made by formula.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>

#include "planning.h"
#include "simple_solids.h"

namespace clearance::scenes {
namespace {

Model model(const Mesh& mesh) { return Model::build(mesh).value(); }

PlanningScene scene(std::string name, const Mesh& body, const Mesh& obstacles, const Pose& start,
                    std::optional<Pose> goal) {
  return {std::move(name), PlanProblem{model(body), model(obstacles), start, goal}, {}};
}

/// A box about the origin.
Mesh block(const Vec3& size) { return SolidBuilder().box(-0.5 * size, 0.5 * size).mesh(); }

/// The walls of a room, outside of the box that is its inside.
void add_room(SolidBuilder& solids, const Box& inside, double wall) {
  const Vec3 thick{wall, wall, wall};
  const Vec3 low = inside.low - thick;
  const Vec3 high = inside.high + thick;
  solids.box(low, {inside.low.x, high.y, high.z}).box({inside.high.x, low.y, low.z}, high);
  solids.box({inside.low.x, low.y, low.z}, {inside.high.x, inside.low.y, high.z});
  solids.box({inside.low.x, inside.high.y, low.z}, {inside.high.x, high.y, high.z});
  solids.box({inside.low.x, inside.low.y, low.z}, {inside.high.x, inside.high.y, inside.low.z});
  solids.box({inside.low.x, inside.low.y, inside.high.z}, {inside.high.x, inside.high.y, high.z});
}

/// The turn of `from` into `to` (unit vectors), by the shorter way.
Mat3 rotation_between(const Vec3& from, const Vec3& to) {
  const Vec3 axis = cross(from, to);
  const double sine = norm(axis);
  if (sine < 1e-12) {
    return dot(from, to) > 0.0 ? Mat3::identity()
                               : rotation_about(any_perpendicular(from), std::numbers::pi);
  }
  return rotation_about(axis / sine, std::atan2(sine, dot(from, to)));
}

/// A ring that follows a line of points, its axis along it; poses are about its middle.
PlanPath along_line(std::span<const Vec3> line) {
  PlanPath path;
  Vec3 axis{0.0, 0.0, 1.0};
  Mat3 rotation = Mat3::identity();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Vec3 next = i + 1 < line.size() ? line[i + 1] - line[i] : line[i] - line[i - 1];
    const Vec3 last = i > 0 ? line[i] - line[i - 1] : next;
    const Vec3 direction = normalized(normalized(next) + normalized(last));
    rotation = rotation_between(axis, direction) * rotation;
    axis = direction;
    path.poses.push_back({nearest_rotation(rotation), line[i]});
  }
  return path;
}

const Vec3 kZ{0.0, 0.0, 1.0};

}  // namespace

PlanningScene bug_trap(double play) {
  constexpr double kInside = 1.0;
  constexpr double kWall = 0.05;
  constexpr double kTube = 0.4;
  const double half = 0.5 * (0.1 + play);
  SolidBuilder trap;
  const double h = 0.5 * kInside;
  const double o = h + kWall;
  // Five walls, the front with the opening, and the tube behind it.
  trap.box({-o, -o, -o}, {-h, o, o});
  trap.box({-h, -o, -o}, {h, -h, o}).box({-h, h, -o}, {h, o, o});
  trap.box({-h, -h, -o}, {h, h, -h}).box({-h, -h, h}, {h, h, o});
  trap.plate_with_window({{h, -o, -o}, {o, o, o}}, -half, half, -half, half);
  const double outer = half + 0.03;
  trap.plate_with_window({{h - kTube, -outer, -outer}, {h, outer, outer}}, -half, half, -half,
                         half);
  const Pose start{rotation_about({0.0, 1.0, 0.0}, 0.5 * std::numbers::pi), {-0.3, 0.25, 0.0}};
  const Pose goal = Pose::translate({1.2, 0.0, 0.2});
  PlanningScene result = scene("bug_trap", block({0.35, 0.1, 0.1}), trap.mesh(), start, goal);
  // Turned where there is room, to the middle, and out.
  result.known =
      PlanPath{{},
               {start, Pose::translate({-0.3, 0.25, 0.0}), Pose::translate({-0.3, 0.0, 0.0}),
                Pose::translate({1.2, 0.0, 0.0}), goal}};
  return result;
}

PlanningScene maze_of_plates(int plates, double play) {
  constexpr double kChamber = 0.6;
  constexpr double kPlate = 0.03;
  constexpr double kHalf = 0.5;
  const double half = 0.5 * (0.1 + play);
  const double length = (plates + 1) * kChamber + plates * kPlate;
  SolidBuilder maze;
  add_room(maze, {{0.0, -kHalf, -kHalf}, {length, kHalf, kHalf}}, 0.05);
  Random random(17);
  double y = 0.0;
  double z = 0.0;
  for (int i = 0; i < plates; ++i) {
    // Each window well away from the one before.
    const double old_y = y;
    const double old_z = z;
    do {
      y = random.uniform(-0.4, 0.4);
      z = random.uniform(-0.4, 0.4);
    } while (std::hypot(y - old_y, z - old_z) < 0.3);
    const double x = (i + 1) * kChamber + i * kPlate;
    maze.plate_with_window({{x, -kHalf, -kHalf}, {x + kPlate, kHalf, kHalf}}, y - half, y + half,
                           z - half, z + half);
  }
  const Mat3 across = rotation_about(kZ, 0.5 * std::numbers::pi);
  const Pose start{across, {0.5 * kChamber, 0.0, 0.0}};
  const Pose goal{across, {length - 0.5 * kChamber, 0.0, 0.0}};
  return scene("maze_of_plates", block({0.5, 0.1, 0.1}), maze.mesh(), start, goal);
}

PlanningScene twisty_tunnel(int cells, double narrower) {
  constexpr double kWall = 0.04;
  // A walk through cells that never comes next to itself: two steps one way at most.
  using Cell = std::array<int, 3>;
  constexpr std::array<Cell, 6> kSteps{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  const auto moved = [](Cell cell, const Cell& by) {
    for (std::size_t k = 0; k < 3; ++k) cell[k] += by[k];
    return cell;
  };
  Random random(5);
  std::vector<Cell> walk{{0, 0, 0}};
  std::set<Cell> used{walk.front()};
  std::size_t last_step = 6;
  int straight = 0;
  while (static_cast<int>(walk.size()) < cells) {
    const auto step = static_cast<std::size_t>(random.below(6));
    if (step == last_step && ++straight > 1) continue;
    const Cell next = moved(walk.back(), kSteps[step]);
    int neighbours = 0;
    for (const Cell& by : kSteps) neighbours += static_cast<int>(used.count(moved(next, by)));
    if (used.count(next) != 0 || neighbours != 1) {
      // In a dead end, back.
      if (random.below(50) == 0 && walk.size() > 1) {
        used.erase(walk.back());
        walk.pop_back();
        last_step = 6;
      }
      continue;
    }
    if (step != last_step) straight = 0;
    last_step = step;
    walk.push_back(next);
    used.insert(next);
  }
  SolidBuilder tunnel;
  const double half = 0.5 - narrower;
  for (const Cell& cell : walk) {
    const Vec3 middle{1.0 * cell[0], 1.0 * cell[1], 1.0 * cell[2]};
    for (std::size_t k = 0; k < 6; ++k) {
      if (used.count(moved(cell, kSteps[k])) != 0) {
        // A passage narrower than the cells has walls around it as well.
        if (narrower > 0.0 && k % 2 == 0) {
          const std::size_t axis = k / 2;
          const std::size_t u = (axis + 1) % 3;
          const std::size_t v = (axis + 2) % 3;
          for (const auto& [side, other] : {std::pair{u, v}, std::pair{v, u}}) {
            for (const double sign : {-1.0, 1.0}) {
              Vec3 a = middle;
              Vec3 b = middle;
              a[axis] += half;
              b[axis] += 1.0 - half;
              a[side] += sign * half;
              b[side] += sign * (half + kWall);
              a[other] -= half + kWall;
              b[other] += half + kWall;
              tunnel.box(min(a, b), max(a, b));
            }
          }
        }
        continue;
      }
      const std::size_t axis = k / 2;
      const double sign = k % 2 == 0 ? 1.0 : -1.0;
      Vec3 a = middle - Vec3{half + kWall, half + kWall, half + kWall};
      Vec3 b = middle + Vec3{half + kWall, half + kWall, half + kWall};
      (sign > 0.0 ? a : b)[axis] = middle[axis] + sign * half;
      tunnel.box(a, b);
    }
  }
  const auto place = [&](std::size_t i) {
    return Vec3{1.0 * walk[i][0], 1.0 * walk[i][1], 1.0 * walk[i][2]};
  };
  // The stick is longer than a cell and lies as the tunnel runs: the first two cells, and the last
  // two, are in one line with it.
  const auto pose = [&](std::size_t i, std::size_t towards) {
    return Pose{rotation_between({1.0, 0.0, 0.0}, normalized(place(towards) - place(i))),
                0.5 * (place(i) + place(towards))};
  };
  const std::size_t last = walk.size() - 1;
  return scene("twisty_tunnel", block({1.3, 0.15, 0.15}), tunnel.mesh(), pose(0, 1),
               pose(last, last - 1));
}

PlanningScene l_through_window(double window) {
  constexpr double kThick = 0.1;
  constexpr double kArm = 0.6;
  const double half = 0.5 * window * kThick;
  SolidBuilder wall;
  wall.plate_with_window({{-0.02, -1.0, -1.0}, {0.02, 1.0, 1.0}}, -half, half, -half, half);
  SolidBuilder body;
  body.box({0.0, 0.0, 0.0}, {kArm, kThick, kThick}).box({0.0, 0.0, 0.0}, {kThick, kArm, kThick});
  const Pose start = Pose::translate({-1.2, -0.3, 0.0});
  const Pose goal{rotation_about(kZ, std::numbers::pi), {1.2, 0.3, 0.0}};
  PlanningScene result = scene("l_through_window", body.mesh(), wall.mesh(), start, goal);
  // Round the edge of the wall is no way.
  result.problem.bounds = Box{{-1.6, -0.6, -0.6}, {1.6, 0.6, 0.6}};
  return result;
}

PlanningScene piano_in_apartment(double door) {
  constexpr double kHeight = 2.4;
  constexpr double kDoorHeight = 2.0;
  constexpr double kWall = 0.1;
  SolidBuilder rooms;
  add_room(rooms, {{0.0, 0.0, 0.0}, {6.0, 5.0, kHeight}}, kWall);
  // The wall across x = 2.5 with a door near y = 1, the wall across y = 2.5 with one near x = 5.
  rooms.plate_with_window({{2.5, 0.0, 0.0}, {2.5 + kWall, 5.0, kHeight}}, 0.6, 0.6 + door, 0.0,
                          kDoorHeight);
  const double left = 5.4 - door;
  rooms.box({2.6, 2.5, 0.0}, {left, 2.5 + kWall, kHeight});
  rooms.box({5.4, 2.5, 0.0}, {6.0, 2.5 + kWall, kHeight});
  rooms.box({left, 2.5, kDoorHeight}, {5.4, 2.5 + kWall, kHeight});
  // A table in the second room, a wardrobe in the third.
  rooms.box({3.6, 0.2, 0.65}, {4.4, 1.0, 0.7}).box({3.95, 0.55, 0.0}, {4.05, 0.65, 0.65});
  rooms.box({2.6, 2.6, 0.0}, {3.0, 3.4, 2.0});
  // The middle of the piano's floor is its origin; the keys stand out to -y.
  SolidBuilder piano;
  piano.box({-0.75, -0.05, 0.0}, {0.75, 0.3, 1.2});
  piano.box({-0.75, -0.35, 0.6}, {0.75, -0.05, 0.8});
  piano.box({-0.75, -0.35, 0.0}, {-0.68, -0.28, 0.6}).box({0.68, -0.35, 0.0}, {0.75, -0.28, 0.6});
  const Pose start = Pose::translate({1.2, 4.4, 0.02});
  const Pose goal = Pose::translate({4.4, 4.6, 0.02});
  return scene("piano_in_apartment", piano.mesh(), rooms.mesh(), start, goal);
}

PlanningScene ring_on_pipe(double play) {
  constexpr double kPipe = 0.05;
  constexpr double kSection = 0.02;
  constexpr int kStepsPerBend = 8;
  constexpr double kBend = 0.15;
  // Corners of the pipe; each is rounded with the radius kBend.
  const std::vector<Vec3> corners{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.5}, {0.5, 0.0, 0.5},
                                  {0.5, 0.5, 0.5}, {0.5, 0.5, 1.0}, {0.1, 0.5, 1.0},
                                  {0.1, 0.1, 1.0}};
  std::vector<Vec3> line{corners.front()};
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const Vec3 in = normalized(corners[i] - corners[i - 1]);
    const Vec3 out = normalized(corners[i + 1] - corners[i]);
    const Vec3 middle = corners[i] + kBend * (out - in);
    for (int k = 0; k <= kStepsPerBend; ++k) {
      const double angle = 0.5 * std::numbers::pi * k / kStepsPerBend;
      line.push_back(middle + kBend * (std::sin(angle) * in - std::cos(angle) * out));
    }
  }
  line.push_back(corners.back());
  SolidBuilder pipe;
  pipe.rod(line, kPipe, 24);
  pipe.box({-0.8, -0.8, -0.05}, {0.8, 0.8, 0.0});
  SolidBuilder ring;
  ring.ring({}, kPipe + play + kSection, kSection, 48, 12);
  PlanningScene result =
      scene("ring_on_pipe", ring.mesh(), pipe.mesh(), Pose::translate({0.0, 0.0, 0.1}), {});
  // The solution: along the pipe, and then on until it is out.
  std::vector<Vec3> way{{0.0, 0.0, 0.1}};
  way.insert(way.end(), line.begin() + 1, line.end());
  way.push_back(corners.back() + Vec3{0.0, -0.2, 0.0});
  way.push_back(corners.back() + Vec3{0.0, -0.2, 0.3});
  result.known = along_line(way);
  // The last step is without a turn: the ring is off.
  result.known->poses.back().rotation = result.known->poses[way.size() - 2].rotation =
      result.known->poses[way.size() - 3].rotation;
  return result;
}

PlanningScene peg_in_hole(double play) {
  constexpr double kRadius = 0.01;
  constexpr double kDeep = 0.04;
  constexpr int kSides = 96;
  // The facets of the bore lie inside its circle.
  const double bore = 2.0 * (kRadius + play) / std::cos(std::numbers::pi / kSides);
  PipeOptions options;
  options.outer_diameter = 4.0 * kRadius;
  options.bore = bore;
  options.length = kDeep;
  options.triangles = 8UL * kSides;
  SolidBuilder floor;
  floor.box({-2.0 * kRadius, -2.0 * kRadius, -0.6 * kDeep},
            {2.0 * kRadius, 2.0 * kRadius, -0.5 * kDeep - 1e-4});
  const std::array<Mesh, 2> meshes{make_pipe(options).value(), floor.mesh()};
  const std::array<std::string, 2> names{"bore", "floor"};
  SolidBuilder peg;
  const std::array<Vec3, 2> line{Vec3{}, Vec3{0.0, 0.0, 1.2 * kDeep}};
  peg.rod(line, kRadius, kSides);
  PlanningScene result = scene("peg_in_hole", peg.mesh(), merged(meshes, names).value(),
                               Pose::translate({0.0, 0.0, -0.5 * kDeep + 2e-4}), {});
  result.known = PlanPath{pivot_of(result.problem.body),
                          {result.problem.start, Pose::translate({0.0, 0.0, 0.6 * kDeep})}};
  return result;
}

PlanningScene ring_on_coil(double gap) {
  constexpr double kWire = 0.05;     // radius of the wire
  constexpr double kCoil = 0.4;      // radius of its middle line
  constexpr double kSection = 0.04;  // radius of the ring's section
  constexpr double kTurns = 2.5;
  constexpr int kStepsPerTurn = 48;
  const double pitch = 2.0 * kWire + 2.0 * kSection + 2.0 * gap;
  std::vector<Vec3> line;
  const int steps = static_cast<int>(kTurns * kStepsPerTurn);
  for (int i = 0; i <= steps; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kStepsPerTurn;
    line.push_back({kCoil * std::cos(angle), kCoil * std::sin(angle),
                    pitch * angle / (2.0 * std::numbers::pi)});
  }
  SolidBuilder coil;
  coil.rod(line, kWire, 16);
  // A foot below, so that there is one end only to go to.
  coil.box({kCoil - 0.1, -0.3, -0.3}, {kCoil + 0.1, 0.02, 0.02});
  SolidBuilder ring;
  ring.ring({}, kWire + gap + kSection, kSection, 32, 12);
  // Threaded onto the wire a quarter turn from the foot, and along it.
  const auto first = static_cast<std::size_t>(kStepsPerTurn / 4);
  std::vector<Vec3> way(line.begin() + static_cast<std::ptrdiff_t>(first), line.end());
  const Vec3 beyond = normalized(way.back() - way[way.size() - 2]);
  way.push_back(way.back() + 0.5 * beyond);
  way.push_back(way.back() + 0.5 * beyond);
  PlanPath known = along_line(way);
  PlanningScene result = scene("ring_on_coil", ring.mesh(), coil.mesh(), known.poses.front(), {});
  known.pivot = pivot_of(result.problem.body);
  result.known = std::move(known);
  return result;
}

PlanningScene twin_coils(double gap) {
  constexpr double kWire = 0.05;
  constexpr double kCoil = 0.4;
  constexpr int kTurns = 2;
  constexpr int kStepsPerTurn = 48;
  const double pitch = 2.0 * (2.0 * kWire + gap);
  const double climb = pitch / (2.0 * std::numbers::pi);
  std::vector<Vec3> line;
  for (int i = 0; i <= kTurns * kStepsPerTurn; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kStepsPerTurn;
    line.push_back({kCoil * std::cos(angle), kCoil * std::sin(angle), climb * angle});
  }
  const Mesh coil = SolidBuilder().rod(line, kWire, 16).mesh();
  // The other one begins half a turn later, at the same height.
  const auto turned = [&](double angle) {
    return Pose{rotation_about(kZ, std::numbers::pi + angle), {0.0, 0.0, climb * angle}};
  };
  PlanningScene result = scene("twin_coils", coil, coil, turned(0.0), {});
  PlanPath known{pivot_of(result.problem.body), {}};
  const int steps = (kTurns + 1) * kStepsPerTurn;
  for (int i = 0; i <= steps; i += 4)
    known.poses.push_back(turned(2.0 * std::numbers::pi * i / kStepsPerTurn));
  known.poses.front() = result.problem.start;
  result.known = std::move(known);
  return result;
}

PlanningScene stick_in_ring(double play) {
  constexpr double kThick = 0.2;
  const double hole = 0.5 * kThick * std::numbers::sqrt2 + play;
  SolidBuilder ring;
  ring.ring({}, hole + 0.1, 0.1, 48, 16);
  const Mat3 upright = rotation_about({0.0, 1.0, 0.0}, -0.5 * std::numbers::pi);
  const Pose start = Pose::translate({1.5, 0.3, 0.2});
  return scene("stick_in_ring", block({1.0, kThick, kThick}), ring.mesh(), start,
               Pose{upright, {}});
}

}  // namespace clearance::scenes
