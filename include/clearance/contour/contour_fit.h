// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the segments around a shape: few, tight, and conservative. Every vertex of the mesh, hence
// (each piece being checked as a whole, not by samples) every triangle lies in the segments:
// verified by covers() before anything is returned, by separate code.
//
// The centre line runs along an axis: the one given, or the longest principal axis of inertia of
// the surface, or whichever of the principal axes encloses least. Circles stand at nodes along it;
// their number and places are chosen by how much empty space they would enclose.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/contour/contour_robot.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

struct ContourFitOptions {
  /// Direction of the centre line in the mesh's frame, of any length but zero; absent: the best of
  /// the principal axes.
  std::optional<Vec3> axis{};
  /// Segments of a series, at most.
  std::size_t most_segments = 4;
  /// A further segment must take away at least this fraction of the enclosed volume.
  double least_gain = 0.03;
  /// Added to every radius and beyond both ends [m]: what the mesh itself may be off.
  double margin = 0.0;
};

struct ContourFit {
  Contour contour;
  double enclosed_volume = 0.0;  ///< of the segments [m³]
  double hull_volume = 0.0;      ///< of the convex hull of the mesh [m³], what cannot be saved
  double farthest =
      0.0;  ///< largest distance of a point of the contour from the mesh's hull, about [m]
};

/// Errors: an empty mesh, an axis of no length, most_segments 0, a negative margin.
[[nodiscard]] Result<ContourFit> fit_contour(const Mesh& mesh,
                                             const ContourFitOptions& options = {});

/// Is every triangle inside the union of the segments? Decided by subdivision with bounds; never by
/// samples. False also where it cannot be told after `most_pieces` pieces.
[[nodiscard]] bool covers(std::span<const ContourSegment> segments, const Mesh& mesh,
                          double tolerance = 1e-12, std::size_t most_pieces = 10'000'000);

struct RobotFitOptions {
  ContourFitOptions link;  ///< axis is not used: each link has its own
  /// Segments of all series together, at most: the fits of single links are refined where it saves
  /// most until then. 0: no limit but those of each link.
  std::size_t most_segments = 0;
  bool visual = false;  ///< fit to visual shapes instead of collision shapes
  Threads threads;
};

struct LinkFit {
  std::string link;
  std::size_t segments = 0;
  double enclosed_volume = 0.0;
  double hull_volume = 0.0;
};

struct RobotFit {
  ContourRobot contours;
  std::vector<LinkFit> links;  ///< in the order of the series
};

/// A series for each link that has a shape. Errors: a robot without shapes.
[[nodiscard]] Result<RobotFit> fit_contours(const Robot& robot, const RobotFitOptions& options = {},
                                            Monitor* monitor = nullptr);

}  // namespace clearance
