// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The proof of a motion along narrow passages, pair by pair of small patches and triangles. One
// distance of the whole bodies covers a motion as far as its fastest point moves by that distance,
// in whatever direction: a nut on its thread takes a thousand of them for a turn. But flanks move
// along each other, hardly towards each other. So each pair that may come close is separated by a
// direction of its own, the normal of one of them as a rule, for as long as no corner crosses it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/query/model.h>

#include "plan/proof_motion.h"

namespace clearance::detail {

/// How the body turns on a piece of a path: about its pivot, which goes straight, at a constant
/// rate (RigidMotion::interpolated).
struct Turning {
  Vec3 pivot;          ///< body's frame [m]
  double angle = 0.0;  ///< in all, at least [rad]
};
/// Of the motion from one pose to the other.
[[nodiscard]] Turning turning_between(const Pose& from, const Pose& to, const Vec3& pivot);

class PairProver {
 public:
  /// Builds trees of boxes over both: some time for a million triangles.
  PairProver(const Model& obstacles, const Model& body);

  /// Covers all that is left of a motion, or refuses it, as advance() does (proof_motion.h): what
  /// the looks so far have seen says how much of the clearance is to stay proven. `it` is of the
  /// same bodies, and turns like `turning`. After `operations` tests it is given up as Undecided.
  void cover(const MotionToProve& it, const Turning& turning, std::uint64_t operations,
             const Monitor* monitor, Coherence& coherence, Looks& looks) const;

 private:
  struct Facet {
    Triangle triangle;
    Vec3 normal;  ///< of unit length, or zero
    Box box;
    std::array<std::uint32_t, 3> vertices;  ///< of the mesh; in a patch, among its corners
  };
  /// A leaf of a tree: some triangles close together.
  struct Patch {
    std::uint32_t first_facet = 0, facet_count = 0;
    std::uint32_t first_corner = 0, corner_count = 0;
    Vec3 normal;  ///< the mean, of unit length, or zero
  };
  struct Node {
    Box box;
    std::uint32_t first = 0;  ///< its patch, if a leaf, or its two children
    bool leaf = false;
  };
  struct Surface {
    /// Patches of so many triangles at most; flat ones face about the same way.
    Surface(const Bvh& bvh, std::uint32_t most, bool flat);
    std::vector<Facet> facets;  ///< in the order of the patches
    std::vector<Vec3> corners;  ///< of each patch, each once
    std::vector<Patch> patches;
    std::vector<Node> nodes;
  };
  class Cover;

  Surface obstacles_;
  Surface body_;
};

}  // namespace clearance::detail
