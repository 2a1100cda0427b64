// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How near is a robot's arm, taken for a capsule, to a box on the table, and is it proven free?
#include <cstdio>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>

int main() {
  using namespace clearance;
  const Capsule arm{{{0.0, 0.0, 0.5}, {0.6, 0.0, 0.5}}, 0.05};
  const OrientedBox box{{rotation_about({0, 0, 1}, 0.5), {0.5, 0.0, 0.2}}, {0.1, 0.1, 0.1}};

  // The axis is 0.2 m above the top of the box, the surface of the arm 0.05 m less.
  const ClosestPoints nearest = closest_points(arm, box);
  std::printf("the arm is %.3f m from the box, at (%.3f, %.3f, %.3f)\n", nearest.distance,
              nearest.on_b.x, nearest.on_b.y, nearest.on_b.z);

  // The yes-or-no form: "false" is proven, with all rounding counted.
  const Sphere hand{arm.axis.b, 0.1};
  const bool touches = intersects(hand, box);
  std::printf("the hand %s the box\n", touches ? "touches" : "is free of");
  return nearest.distance > 0.149 && nearest.distance < 0.151 && !touches ? 0 : 1;
}
