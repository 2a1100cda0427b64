// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a body inside a set of spheres? Decided by cutting it into pieces that each lie in one sphere,
// with bounds rounded outward: never by samples. "Covered" is a proof; "uncovered" comes with a
// point of the body that is in no sphere.
//
// How a set of spheres deviates from a body is enclosed in the same way: the farthest that a point
// of a sphere is from the body, and the volume that the spheres add to it, as proven intervals.
//
// The body is the solid for a closed, consistently wound mesh, else the surface (model.h); or a
// kept volume (kept_volume.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/simplify/kept_volume.h>

namespace clearance {

enum class CoverStatus : std::uint8_t {
  Covered,    ///< proven: every point of the body is in a sphere
  Uncovered,  ///< `point` is a point of the body and in no sphere
  Undecided,  ///< out of pieces (or cancelled) before either was certain
};
[[nodiscard]] const char* name_of(CoverStatus status);  ///< "covered", "uncovered", "undecided"

struct CoverOptions {
  /// Pieces looked at, at most.
  std::size_t most_pieces = 50'000'000;
  /// Gaps whose depth is below this [m] may be called undecided instead of being searched for;
  /// 0: 1e-7 of the diagonal of the body.
  double least_depth = 0.0;
  /// Look for the deepest uncovered point instead of stopping at the first.
  bool deepest = false;
  Threads threads;
  Monitor* monitor = nullptr;
};

struct Cover {
  CoverStatus status = CoverStatus::Undecided;
  Vec3 point;          ///< uncovered: a point of the body in no sphere [m]
  double depth = 0.0;  ///< how far `point` is from the nearest sphere [m]
  /// No point of the body is farther from the spheres than this [m]: 0 when covered, infinity when
  /// nothing is known. With options.deepest within a hundredth of `depth`, as far as most_pieces
  /// allow.
  double depth_upper = 0.0;
  bool solid = false;  ///< the inside of the body was looked at as well
  std::size_t pieces = 0;
};

/// Does the union of the spheres hold the whole body? Spheres with a radius that is negative or not
/// finite count as absent. The same answer and the same point for any number of threads.
[[nodiscard]] Cover verify_cover(const Model& body, std::span<const Sphere> spheres,
                                 const CoverOptions& options = {});
[[nodiscard]] Cover verify_cover(const KeptVolume& kept, std::span<const Sphere> spheres,
                                 const CoverOptions& options = {});

/// A proven enclosure of a number.
struct Enclosure {
  double lower = 0.0;
  double upper = 0.0;
};

/// The largest distance of a point of the spheres from the body [m]: how far a sphere sticks out at
/// most; 0 when all are inside. Enclosed to `tolerance` [m] as far as most_pieces allow.
[[nodiscard]] Enclosure outward_excess(const Model& body, std::span<const Sphere> spheres,
                                       double tolerance, const CoverOptions& options = {});

/// The volume of the union of the spheres outside the body [m³], by cells of an octree: enclosed to
/// `relative_gap` of the volume of the union as far as most_pieces allow. `covered` is that of the
/// union inside the body. For a surface the body has no volume.
struct SphereVolumes {
  Enclosure all;      ///< of the union [m³]
  Enclosure outside;  ///< false positives [m³]
  Enclosure covered;  ///< of the body, inside the union [m³]
};
[[nodiscard]] SphereVolumes sphere_volumes(const Model& body, std::span<const Sphere> spheres,
                                           double relative_gap, const CoverOptions& options = {});

}  // namespace clearance
