// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the segments around a shape: few, tight, and conservative. Every triangle of the mesh, as a
// whole and not by samples, lies in the segments: proven by covers(), by separate code, before
// anything is returned.
//
// Circles stand across an axis: the one given, or the one that encloses least of the principal axes
// of the surface, those of the mesh's frame and some about the best of these. The centre line
// follows the shape and may bend. How many circles there are, and where, is chosen by how much
// empty space they would enclose; how, and what comes of it: docs/contour.md.
//
// Cost: about 0.3 s for a link of a robot (4 segments, 300 to 10,000 triangles).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/contour/contour_robot.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

struct ContourFitOptions {
  /// Direction the circles stand across, in the mesh's frame, of any length but zero; absent: the
  /// best found.
  std::optional<Vec3> axis{};
  /// Segments of a series, at most.
  std::size_t most_segments = 4;
  /// A further segment must take away at least this fraction of the enclosed volume.
  double least_gain = 0.03;
  /// Everything within this distance of the mesh is enclosed too [m]: what the mesh may be off.
  double margin = 0.0;
};

struct ContourFit {
  Contour contour;
  double enclosed_volume = 0.0;  ///< of the segments [m³]
  double hull_volume = 0.0;      ///< of the convex hull of the mesh [m³], what cannot be saved
  /// largest distance of a point of the contour from the hull, about [m]
  double farthest = 0.0;
};

/// Errors: an empty mesh, an axis of no length, most_segments 0, a negative margin, a least_gain
/// that is not in [0, 1).
[[nodiscard]] Result<ContourFit> fit_contour(const Mesh& mesh,
                                             const ContourFitOptions& options = {});

/// Is every triangle inside the union of the segments, to within `tolerance` [m]? Proven by cutting
/// triangles into pieces that are in one segment each, never by samples. False also where it cannot
/// be told after `most_pieces` pieces: that happens with tilted circles, where a triangle comes
/// close to the surface of a segment over a long way.
[[nodiscard]] bool covers(std::span<const ContourSegment> segments, const Mesh& mesh,
                          double tolerance = 1e-12, std::size_t most_pieces = 10'000'000);

struct RobotFitOptions {
  ContourFitOptions link;  ///< axis is not used: each link has its own
  /// Segments of all series together, at most; 0: no limit but those of each link. Links get them
  /// where they take most off the surface: volume saved over the size of the surface, so that
  /// fingers count beside a torso.
  std::size_t most_segments = 0;
  bool visual = false;  ///< fit to visual shapes instead of collision shapes
  Threads threads;
};

/// One series.
struct LinkFit {
  std::string link;
  std::size_t segments = 0;
  double enclosed_volume = 0.0;  ///< of the segments [m³]
  double hull_volume = 0.0;      ///< of the convex hull of the shapes it is around [m³]
  double farthest = 0.0;         ///< as ContourFit::farthest [m]
};

struct RobotFit {
  ContourRobot contours;
  std::vector<LinkFit> links;  ///< in the order of the series
};

/// A series for each link that has a shape; where a link has several, one for each of them if that
/// encloses clearly less and most_segments allows it. Same contours for any number of threads.
/// Errors: a robot without shapes, most_segments below the number of links with shapes, options
/// fit_contour() refuses; cancelled.
[[nodiscard]] Result<RobotFit> fit_contours(const Robot& robot, const RobotFitOptions& options = {},
                                            Monitor* monitor = nullptr);

}  // namespace clearance
