// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Models of more than spheres: capsules for long places, boxes for flat and sharp ones (what the
// paper leaves to future work). One box holds what takes dozens of spheres at the edges of a plate,
// and costs a check little more.
//
// The two proofs of a sphere model hold for them as well. Cover: pieces of the body each lie in one
// primitive, or in a union of balls; all are convex, so the corners of a piece decide. Error: a
// capsule lies in a chain of balls each proven to stay within it (KeptVolume::safe_radius), a box
// is cut into pieces that each lie in such a ball or near one triangle.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/kept_volume.h>

namespace clearance {

/// What a model may be made of beside spheres.
struct PrimitiveKinds {
  bool capsules = false;
  bool boxes = false;
  [[nodiscard]] bool any() const { return capsules || boxes; }
};

/// The union of these.
struct PrimitiveSet {
  std::vector<Sphere> spheres;
  std::vector<Capsule> capsules;
  std::vector<OrientedBox> boxes;
  [[nodiscard]] std::size_t size() const { return spheres.size() + capsules.size() + boxes.size(); }
};

/// Does the union of the primitives hold the whole body? As for spheres (cover.h), but that
/// options.deepest is not looked at, and that places where a capsule or a box meets others without
/// any overlap may stay undecided. Primitives with a number that is not finite, a negative radius
/// or half size, or a pose that is not rigid count as absent.
[[nodiscard]] Cover verify_cover(const Model& body, const PrimitiveSet& primitives,
                                 const CoverOptions& options = {});
[[nodiscard]] Cover verify_cover(const KeptVolume& kept, const PrimitiveSet& primitives,
                                 const CoverOptions& options = {});

/// Is it proven that every point of the primitive is at most `error` [m] from the kept volume?
/// False where it is not known, in particular within a few hundredths of the error of the limit.
/// Bounded work: at most some thousand calls of safe_radius().
[[nodiscard]] bool stays_within(const KeptVolume& kept, const Capsule& capsule, double error);
[[nodiscard]] bool stays_within(const KeptVolume& kept, const OrientedBox& box, double error);

/// As for spheres (cover.h): the largest distance of a point of the primitives from the body [m].
/// A capsule stands as balls along its axis, a little larger for the upper bound; a box is cut into
/// pieces, each as far as its corners are from one triangle at most. options.most_pieces is for
/// spheres, capsules and boxes each.
[[nodiscard]] Enclosure outward_excess(const Model& body, const PrimitiveSet& primitives,
                                       double tolerance, const CoverOptions& options = {});
/// As for spheres (cover.h): volumes of the union of the primitives.
[[nodiscard]] SphereVolumes primitive_volumes(const Model& body, const PrimitiveSet& primitives,
                                              double relative_gap,
                                              const CoverOptions& options = {});

}  // namespace clearance
