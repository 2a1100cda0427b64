// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The health report of a mesh: what it is, how good its triangles are, whether it bounds a solid,
// and what a careful user should look at before trusting answers about it.
//
// Topology goes by position: corners at exactly the same place (-0 equals 0) are one vertex,
// whether or not the mesh shares their index, so the report is the same before and after welded().
// Nothing is repaired, nothing is moved; whether a surface runs through itself is told by
// query/self_contacts.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

/// A triangle whose aspect ratio (mass.h: 1 is equilateral) exceeds this counts as nearly
/// degenerate. CAD tessellations of long flat faces reach some hundreds without harm; beyond a
/// thousand, normals and closest points computed in single precision begin to fail.
inline constexpr double kNearlyDegenerateAspectRatio = 1000.0;

struct HealthOptions {
  /// Aspect ratio above which a triangle is a needle or a cap.
  double nearly_degenerate_aspect_ratio = kNearlyDegenerateAspectRatio;
  /// Length of the unit the file was read with [m], for advice about units.
  double metres_per_unit = 1.0;
  /// The unit is declared by the file or was named by the user: an odd size is then a note, not a
  /// warning.
  bool unit_is_known = false;
  Threads threads;  ///< the result does not depend on it
};

/// Smallest, middle, 99 % and largest of a set of numbers; all zero for the empty set.
struct Spread {
  double min = 0.0;
  double median = 0.0;         ///< the upper one of the two in the middle
  double percentile_99 = 0.0;  ///< 99 % of the numbers are this or smaller
  double max = 0.0;
  bool operator==(const Spread&) const = default;
};

enum class LikelyUnit {
  AsRead,  ///< the size is usual in the unit the file was read with: no doubt
  Metres,
  Millimetres,
  Inches,
  Unclear,  ///< no usual unit makes this a usual size
};

/// What the size says about the unit. A statement for people; nothing applies it.
struct UnitAssessment {
  LikelyUnit unit = LikelyUnit::AsRead;  ///< of the numbers in the file
  /// "200 m across: probably millimetres (0.2 m); pass --unit mm"
  std::string sentence;
};

enum class Severity {
  Note,     ///< good to know
  Warning,  ///< answers may not mean what the user thinks
};

/// One thing to know about the mesh, as a whole sentence.
struct Finding {
  Severity severity = Severity::Note;
  std::string sentence;
};

struct MeshHealth {
  // Size
  std::size_t vertices = 0;            ///< as stored, used or not
  std::size_t triangles = 0;           ///< as stored
  std::size_t distinct_positions = 0;  ///< different places among the corners of triangles
  std::size_t unused_vertices = 0;     ///< stored, but in no triangle
  Box bounds;                          ///< of the vertices that triangles use [m]
  double surface_area = 0.0;           ///< [m²]; duplicates count as often as they occur

  // Solid
  /// Every edge is used by an even number of triangles: the surface has no border.
  bool closed = false;
  /// No inconsistent_edges.
  bool consistently_oriented = false;
  /// closed, consistently_oriented, and the volume is not zero within rounding (as it is for a
  /// surface that runs over itself from both sides): volume, inside_out and center_of_mass mean
  /// something.
  bool volume_is_meaningful = false;
  bool inside_out = false;  ///< volume means something and is negative
  double volume = 0.0;      ///< signed [m³]
  Vec3 center_of_mass;      ///< of the solid when volume_is_meaningful, else of the surface [m]

  // Topology, over the triangles with three different corners
  std::size_t components = 0;             ///< groups of triangles connected by shared vertices
  std::size_t edges = 0;                  ///< different ones
  std::int64_t euler_characteristic = 0;  ///< V - E + F: 2 for each sphere-like closed component
  std::size_t open_edges = 0;             ///< used by one triangle
  std::size_t non_manifold_edges = 0;     ///< used by more than two triangles
  /// Edges whose triangles do not run along it in opposite directions, in pairs: neighbours there
  /// disagree on which side is outside.
  std::size_t inconsistent_edges = 0;

  // Triangles
  /// No area: the three corners lie exactly on one line. Decided exactly; collapsed ones included.
  std::size_t degenerate_triangles = 0;
  /// Two or three corners at the same place; these take no part in the topology.
  std::size_t collapsed_triangles = 0;
  /// Not degenerate, but with an aspect ratio above the option, and the shortest side about as
  /// short as the height ("needle") or longer ("cap": one angle near 180 degrees).
  std::size_t needles = 0;
  std::size_t caps = 0;
  /// Triangles with the same three corners and the same winding as one counted before.
  std::size_t duplicate_triangles = 0;
  /// Pairs of triangles with the same three corners and opposite winding: walls without thickness.
  std::size_t opposite_triangles = 0;
  Spread triangle_area;  ///< [m²], degenerate ones included (as 0)
  /// Largest over median triangle area; CAD files mix sizes by factors of thousands. 0 when the
  /// median is 0.
  double area_max_over_median = 0.0;
  Spread aspect_ratio;  ///< 1 is equilateral; degenerate triangles left out
  Spread edge_length;   ///< [m], each edge once, zero-length ones left out

  UnitAssessment unit;
  std::vector<Finding> findings;  ///< warnings first; empty for a sound closed part of usual size
};

/// Examines a mesh. O(n) expected; about 0.3 s for a million triangles on two cores, and about 100
/// bytes of scratch memory per triangle. An empty mesh gives zeros and one warning.
[[nodiscard]] MeshHealth examine(const Mesh& mesh, const HealthOptions& options = {});

/// Compares a size with what is usual for parts and machines (0.5 mm to 20 m).
/// `largest_side`: of the bounding box as read [m]; `metres_per_unit`: what the file's numbers were
/// multiplied with.
[[nodiscard]] UnitAssessment assess_unit(double largest_side, double metres_per_unit = 1.0);

}  // namespace clearance
