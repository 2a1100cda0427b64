// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Solid bodies: one wholly inside another is contact, and how deep two bodies overlap.
//
// Where query.h knows surfaces only, these queries know that a closed mesh has an inside. When the
// surfaces touch, the bodies do. When they do not, each connected piece of one surface lies wholly
// inside or wholly outside the other body, so one vertex of each piece decides (Model::side).
//
// Each model counts as solid or not by itself (model.h, is_solid). An open surface inside a closed
// body is contact; two open surfaces are compared as query.h does. The results say which of the two
// counted as solid: `free` between open surfaces means their surfaces only.
//
// Poses, frames, errors and determinism are those of query.h: the pose a_from_b of B in A's frame,
// finite and rigid; points in A's frame; never a false "free"; a gap below about 1e-14 of the
// scene may be called contact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <clearance/geometry/pose.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>

namespace clearance {

/// How two bodies touch.
enum class Touch : std::uint8_t {
  None,      ///< they are free of each other
  Surfaces,  ///< their surfaces touch
  AInsideB,  ///< surfaces free; a piece of A's surface is inside B
  BInsideA,  ///< surfaces free; a piece of B's surface is inside A
};

[[nodiscard]] const char* name_of(Touch touch);  ///< "none", "surfaces", "a_inside_b", ...

struct SolidCollision {
  bool hit = false;
  Touch touch = Touch::None;
  Contact contact;  ///< one pair of triangles that touches, when the surfaces do
  /// A vertex of the inner body, when one is inside the other; in A's frame [m].
  Vec3 inside_point;
  bool a_is_solid = false;
  bool b_is_solid = false;
  Work work;
};

/// Do the bodies have a point in common?
[[nodiscard]] SolidCollision collide(const Model& a, const Model& b, const Pose& a_from_b,
                                     Coherence* coherence = nullptr);

struct SolidDistance {
  /// Distance of the bodies [m]: 0 when they touch, one inside the other included; infinity when
  /// beyond the upper bound.
  double distance = std::numeric_limits<double>::infinity();
  double lower = 0.0;  ///< proven bounds, as in Distance
  double upper = std::numeric_limits<double>::infinity();
  Touch touch = Touch::None;
  Vec3 inside_point;  ///< as in SolidCollision
  /// Distance of the surfaces, with the closest points and triangles. For a body inside another it
  /// tells how far its surface is from the other's.
  Distance surface;
  bool a_is_solid = false;
  bool b_is_solid = false;
  Work work;
};

/// How far apart are the bodies? Options as for surfaces.
[[nodiscard]] SolidDistance distance(const Model& a, const Model& b, const Pose& a_from_b,
                                     const DistanceOptions& options = {},
                                     Coherence* coherence = nullptr);

struct SolidWithin {
  bool within = false;
  Touch touch = Touch::None;  ///< AInsideB or BInsideA when that is why; else None
  double lower = 0.0;         ///< proven bounds of the distance of the bodies [m]
  double upper = std::numeric_limits<double>::infinity();
  Contact pair;  ///< a pair of triangles at the limit or closer, when that is why
  bool a_is_solid = false;
  bool b_is_solid = false;
  Work work;
};

/// Are the bodies at `limit` or closer? Cheaper than the distance. Never a false "no".
[[nodiscard]] SolidWithin within(const Model& a, const Model& b, const Pose& a_from_b, double limit,
                                 Coherence* coherence = nullptr);

struct PenetrationOptions {
  /// The search ends when upper - lower is below this fraction of upper.
  double relative_gap = 0.01;
  /// Translations tried at most for the upper bound. Each is one collide().
  std::size_t translations = 2000;
  /// Points tried at most for the lower bound. Each is two distances and two inside tests.
  std::size_t points = 2000;
};

/// The penetration depth: the length of the shortest translation of B that leaves the two bodies
/// with no point common to both interiors. For meshes of any shape it is hard to find, but it can
/// be enclosed. Both bounds are proven:
///
/// - upper: `separation` frees the bodies; collide() says so at the translated pose.
/// - lower: a ball about one point p of radius r_A lies in A, and one of radius r_B in B. As long
///   as B moves by less than r_A + r_B the two balls overlap, and so do the bodies. The radii are
///   depths below the surfaces; p is `deepest_point`.
///
/// Where the bodies are not both solid, the balls of an open surface have radius 0: lower is then
/// how deep a point of the open surface is inside the solid, or 0. For two open surfaces upper is
/// still the length of a translation that frees them.
struct Penetration {
  bool overlap = false;  ///< collide() says contact; otherwise all below is zero
  double lower = 0.0;    ///< [m]
  /// [m]; infinity when options.translations allowed none, or at a pose that is not answered.
  double upper = 0.0;
  Vec3 separation;     ///< to be added to a_from_b.translation; its length is upper to rounding
  Vec3 deepest_point;  ///< in A's frame [m]; means something when lower > 0
  bool a_is_solid = false;
  bool b_is_solid = false;
  Work work;
};

/// Encloses the penetration depth of two bodies. The same arguments give the same bits. Cost: up
/// to some thousand queries, that is milliseconds to seconds; not for inner loops. How close the
/// bounds come depends on the shapes: equal to a few percent for bodies that overlap face to face
/// or by rounded parts, a factor of two or more where corners and edges meet.
[[nodiscard]] Penetration penetration(const Model& a, const Model& b, const Pose& a_from_b,
                                      const PenetrationOptions& options = {});

}  // namespace clearance
