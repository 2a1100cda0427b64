// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A drawer in its cabinet: how much room does it have, can it be pulled out straight, does it jam
// when it is turned, and how deep is it in the wall when it is misplaced?
#include <cstdio>
#include <vector>

#include <clearance/query/batch.h>
#include <clearance/query/solid.h>
#include <clearance/query/sweep.h>

namespace {

using namespace clearance;

/// The closed surface of a box.
Mesh box(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> corners;
  for (const double z : {low.z, high.z})
    for (const double y : {low.y, high.y})
      for (const double x : {low.x, high.x}) corners.push_back({x, y, z});
  return *Mesh::make(corners, {{0, 2, 1},
                               {1, 2, 3},
                               {4, 5, 6},
                               {5, 7, 6},
                               {0, 1, 4},
                               {1, 5, 4},
                               {2, 6, 3},
                               {3, 6, 7},
                               {0, 4, 2},
                               {2, 4, 6},
                               {1, 3, 5},
                               {3, 7, 5}});
}

/// Five boards around a space of 0.40 x 0.55 x 0.20 m, open to the front (-y).
Model cabinet() {
  const std::vector<Mesh> boards{
      box({-0.22, 0.00, -0.02}, {0.22, 0.57, 0.00}), box({-0.22, 0.00, 0.20}, {0.22, 0.57, 0.22}),
      box({-0.22, 0.00, 0.00}, {-0.20, 0.57, 0.20}), box({0.20, 0.00, 0.00}, {0.22, 0.57, 0.20}),
      box({-0.20, 0.55, 0.00}, {0.20, 0.57, 0.20})};
  const std::vector<std::string> names{"bottom", "top", "left", "right", "back"};
  return *Model::build(*merged(boards, names));
}

}  // namespace

int main() {
  const Model cabinet_model = cabinet();
  // 5 mm narrower than the space on each side and at the top, standing on gliders of 5 mm.
  const Model drawer = *Model::build(box({-0.195, 0.0, 0.0}, {0.195, 0.50, 0.19}));
  const Pose closed = Pose::translate({0.0, 0.03, 0.005});
  bool as_expected = cabinet_model.is_solid() && drawer.is_solid();

  // How much room is there? The closest points tell where.
  const SolidDistance room = distance(cabinet_model, drawer, closed);
  std::printf("closed: %.1f mm of room, at (%.3f, %.3f, %.3f)\n", 1e3 * room.distance,
              room.surface.on_a.x, room.surface.on_a.y, room.surface.on_a.z);
  as_expected = as_expected && room.touch == Touch::None && room.distance > 0.0049;

  // Straight out by 60 cm: proven free all the way, not only at samples.
  const Sweep straight = sweep(cabinet_model, drawer, RigidMotion::linear(closed, {0, -0.6, 0}));
  std::printf("pulled straight: %s, clearance %.2f to %.2f mm, %zu looks\n",
              name_of(straight.status), 1e3 * straight.clearance_lower,
              1e3 * straight.clearance_upper, straight.steps);
  as_expected = as_expected && straight.status == SweepStatus::Free;

  // Turned by 10 degrees on the way out it jams. The time is never later than the true one.
  const Pose askew{rotation_about({0, 0, 1}, 0.1745), {0.0, -0.57, 0.005}};
  const Sweep jammed = sweep(cabinet_model, drawer, RigidMotion::interpolated(closed, askew));
  std::printf("pulled askew: %s after %.1f %% of the way, triangles %u and %u\n",
              name_of(jammed.status), 100.0 * jammed.time, jammed.closest.triangle_a,
              jammed.closest.triangle_b);
  as_expected = as_expected && jammed.status == SweepStatus::Contact && jammed.time < 0.5;

  // Misplaced by 8 mm it is 3 mm deep in the right wall. The bounds are proven, and the way out
  // was tried.
  const Pose misplaced = Pose::translate({0.008, 0.03, 0.005});
  const Penetration depth = penetration(cabinet_model, drawer, misplaced);
  std::printf("misplaced: %.3f to %.3f mm deep; free after moving by (%.4f, %.4f, %.4f) m\n",
              1e3 * depth.lower, 1e3 * depth.upper, depth.separation.x, depth.separation.y,
              depth.separation.z);
  as_expected = as_expected && depth.lower <= 0.003 && depth.upper >= 0.003 && depth.upper < 0.0032;

  // Many poses in one call, on all cores; the answers are those of single calls, bit for bit.
  std::vector<Pose> sideways;
  for (int i = -10; i <= 10; ++i) sideways.push_back(Pose::translate({1e-3 * i, 0.03, 0.005}));
  int free = 0;
  for (const SolidCollision& answer : collisions(cabinet_model, drawer, sideways))
    free += answer.hit ? 0 : 1;
  std::printf("moved sideways by -10 to 10 mm: %d of %zu places free\n", free, sideways.size());
  as_expected = as_expected && free == 9;
  return as_expected ? 0 : 1;
}
