// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The coloured maps of `clearance probe`: the mesh by its distance from the robot, as a file for
// other programs and as a picture.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/contour/prober.h>
#include <clearance/mesh/mesh.h>

namespace clearance::cli {

struct ProbeMapOptions {
  std::string map;      ///< .ply or .glb; may be empty
  std::string picture;  ///< .png; may be empty
  double range = 0.0;   ///< what is farther is grey [m]; 0: the farthest vertex
  /// Longest edge of a triangle in the map [m]: larger ones are cut, since a colour is known at
  /// the corners only. 0: as they are; below 0: by the range.
  double detail = -1.0;
  Vec3 towards_eye{1.0, -1.4, 0.9};
  bool cut_away = false;  ///< the picture leaves out what is before the robot
  Threads threads;
};

/// Writes what the options name; beside a map NAME.ply its legend as NAME.legend.svg. `prober` has
/// the mesh. Returns the paths written.
[[nodiscard]] Result<std::vector<std::string>> write_maps(const ProbeMapOptions& options,
                                                          const Mesh& mesh, Prober& prober,
                                                          const ProberOptions& prober_options,
                                                          std::span<const ContourSegment> segments,
                                                          const ProbeHit& closest);

}  // namespace clearance::cli
