// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A robot whose links are spheres: made from its collision (or visual) shapes, each link proven to
// be inside its spheres. What planners on spheres (VAMP, cuRobo) take; sphere_robot_file.h writes
// their files and reads them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/robot/robot.h>
#include <clearance/simplify/simplify.h>

namespace clearance {

/// Spheres of each link of a robot, in the frame of the link: spheres[link] may be empty.
struct SphereRobot {
  Robot robot;
  std::vector<std::vector<Sphere>> spheres;  ///< by link, as robot.links() [m]

  [[nodiscard]] std::size_t sphere_count() const;
};

struct SphereRobotOptions {
  /// For each link. most_spheres is for all links together and is shared out such that the largest
  /// error of a link is least.
  SimplifyOptions link;
  bool visual = false;  ///< take visual shapes instead of collision shapes
};

/// What became of one link.
struct LinkSimplification {
  std::uint32_t link = 0;
  std::size_t triangles = 0;  ///< of its shapes
  std::size_t shapes = 0;
  bool solid = false;  ///< every shape is closed; otherwise surfaces were covered
  std::size_t spheres = 0;
  double error = 0.0;    ///< proven, as Simplification::error [m]
  bool covered = false;  ///< proven: all shapes of the link, whole, are inside its spheres, and
                         ///< inside its primitives where there are some
};

struct SphereRobotResult {
  SphereRobot model;
  /// With options.link.primitives: what each link is made of instead, by link, in its frame. Within
  /// the error of the link, which it covers, as its spheres do. Else empty.
  std::vector<PrimitiveSet> primitives;
  std::vector<LinkSimplification> links;  ///< those with shapes, ascending
  /// Whole sentences: open meshes, links without shapes, cavities that are filled.
  std::vector<std::string> notes;
};

/// Simplifies every link with shapes. Balls, boxes and cylinders of the URDF are taken exactly
/// where that is simple (a sphere stays itself), else from their surfaces (surface_of). The same
/// bits for any number of threads. Errors: an external tool; a robot without shapes of the kind
/// asked for; options that simplify() refuses, with the link; cancelled.
[[nodiscard]] Result<SphereRobotResult> simplify(const Robot& robot,
                                                 const SphereRobotOptions& options);

}  // namespace clearance
