// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Planning scenes of walls that are no plates: a slot that winds through a thick one, and sheets
// without any thickness.
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "planning.h"
#include "simple_solids.h"

namespace clearance::scenes {
namespace {

/// Meshes put together as they are.
class Collected {
 public:
  void add(const Mesh& mesh, const Pose& pose = {}) {
    const auto first = static_cast<std::uint32_t>(vertices_.size());
    for (const Vec3& vertex : mesh.vertices()) vertices_.push_back(pose * vertex);
    for (const Face& f : mesh.faces()) faces_.push_back({first + f[0], first + f[1], first + f[2]});
  }
  /// Two triangles; no matter which way round.
  void add_quad(const std::array<Vec3, 4>& corners) {
    const auto first = static_cast<std::uint32_t>(vertices_.size());
    vertices_.insert(vertices_.end(), corners.begin(), corners.end());
    faces_.push_back({first, first + 1, first + 2});
    faces_.push_back({first, first + 2, first + 3});
  }
  [[nodiscard]] Model model() const {
    return Model::build(Mesh::make(vertices_, faces_).value()).value();
  }

 private:
  std::vector<Vec3> vertices_;
  std::vector<Face> faces_;
};

}  // namespace

PlanningScene stick_through_winding_slot(double slot) {
  constexpr double kWinding = 0.8;
  constexpr int kSlabs = 6;
  constexpr double kThick = 0.12;
  constexpr double kHalf = 1.7;  // of the rooms on either side
  Collected wall;
  for (int i = 0; i < kSlabs; ++i) {
    SolidBuilder slab;
    slab.plate_with_window({{0.0, -2.5, -2.5}, {kThick, 2.5, 2.5}}, -0.35, 0.35, -0.5 * slot,
                           0.5 * slot);
    wall.add(slab.mesh(),
             {rotation_about({1.0, 0.0, 0.0}, kWinding * i / kSlabs), {kThick * i, 0.0, 0.0}});
  }
  SolidBuilder stick;
  stick.box({-0.5, -0.1, -0.1}, {0.5, 0.1, 0.1});
  PlanProblem problem{Model::build(stick.mesh()).value(), wall.model(),
                      Pose{rotation_about({0.0, 0.6, 0.8}, 1.0), {-1.2, 0.4, -0.5}},
                      Pose{rotation_about({0.6, 0.0, 0.8}, 2.0), {1.9, -0.6, 0.3}}};
  problem.bounds = Box{{-2.0, -kHalf, -kHalf}, {2.7, kHalf, kHalf}};
  return {"stick_through_winding_slot", std::move(problem), {}};
}

PlanningScene hook_through_sheets(double hole) {
  constexpr double kUnit = 250.0;  // drawn in millimetres and read as metres
  constexpr int kCells = 24;
  constexpr double kSide = 3.0;
  constexpr double kApart = 1.2;
  constexpr std::array<std::array<double, 2>, 2> kHoles{{{0.9, 2.0}, {2.1, 1.0}}};
  Collected room;
  for (std::size_t sheet = 0; sheet < kHoles.size(); ++sheet) {
    const auto point = [&](int i, int j) {
      const double y = kSide * i / kCells;
      const double z = kSide * j / kCells;
      const double wave = 0.15 * std::sin((2.0 + static_cast<double>(sheet)) * y) *
                          std::cos((3.0 - static_cast<double>(sheet)) * z);
      return kUnit * Vec3{kApart * static_cast<double>(sheet + 1) + wave, y, z};
    };
    for (int i = 0; i < kCells; ++i) {
      for (int j = 0; j < kCells; ++j) {
        const double y = kSide * (i + 0.5) / kCells - kHoles[sheet][0];
        const double z = kSide * (j + 0.5) / kCells - kHoles[sheet][1];
        if (std::hypot(y, z) < hole) continue;
        room.add_quad({point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)});
      }
    }
  }
  const double length = kApart * (kHoles.size() + 1.0);
  // The room around them.
  SolidBuilder around;
  around.box({}, kUnit * Vec3{length, kSide, kSide});
  room.add(around.mesh());
  SolidBuilder hook;
  const std::array<Vec3, 4> line{kUnit * Vec3{-0.45, 0.0, 0.0}, kUnit * Vec3{0.45, 0.0, 0.0},
                                 kUnit * Vec3{0.45, 0.36, 0.0}, kUnit * Vec3{0.15, 0.36, 0.0}};
  hook.rod(line, kUnit * 0.06, 6);
  PlanProblem problem{
      Model::build(hook.mesh()).value(), room.model(),
      Pose{rotation_about({0.0, 0.6, 0.8}, 2.0), kUnit * Vec3{0.55, 1.0, 0.8}},
      Pose{rotation_about({0.8, 0.0, 0.6}, 1.0), kUnit * Vec3{length - 0.55, 1.7, 2.0}}};
  problem.solid = false;
  return {"hook_through_sheets", std::move(problem), {}};
}

}  // namespace clearance::scenes
