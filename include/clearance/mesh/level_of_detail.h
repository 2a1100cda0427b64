// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Meshes of the same shape with fewer triangles, by edge collapses in the order of quadric error
// (meshoptimizer). For looking at, for first guesses and for sampling.
//
// Not for proofs: the error that comes with a result is an estimate of how far the new surface is
// from the old one. It is not a bound, and the new surface lies partly inside the old one: "free"
// for a simplified mesh does not mean free for the original. A model that is proven to cover the
// original is another job (simplify).
//
// Vertices are dropped, never moved: those that stay keep their coordinates exactly, and only the
// choice among them is made in single precision, relative to the middle and the size of the mesh.
// Topology goes by position, so unwelded meshes work. Names of parts are not kept.
#pragma once

#include <limits>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

struct LevelOfDetailOptions {
  /// Stop at this many triangles or fewer; 0 means as few as max_error allows.
  std::size_t target_triangles = 0;
  /// Stop before the estimated error exceeds this [m].
  double max_error = std::numeric_limits<double>::infinity();
  /// Leave vertices on open edges where they are, so that neighbouring pieces still fit.
  bool keep_border = false;
};

struct LevelOfDetail {
  Mesh mesh;
  /// Estimated distance between this surface and the original [m]; 0 for the original itself.
  double error_estimate = 0.0;
};

/// A mesh with fewer triangles. The target may be missed where the topology (holes, several bodies,
/// non-manifold edges) or max_error forbids more; the same mesh comes back when nothing can go, or
/// when nothing would be left.
/// An error for an empty mesh, a negative or undefined max_error, and options that set no limit.
/// Deterministic; single-threaded; about a second for a million triangles.
[[nodiscard]] Result<LevelOfDetail> simplified(const Mesh& mesh,
                                               const LevelOfDetailOptions& options);

/// The mesh itself and up to `count` - 1 coarser ones, each with about `ratio` (in (0, 1)) times
/// the triangles of the one before, all made from the original. Fewer levels when no more triangles
/// can go. An error for an empty mesh, count 0 and ratios outside (0, 1).
[[nodiscard]] Result<std::vector<LevelOfDetail>> levels_of_detail(const Mesh& mesh,
                                                                  std::size_t count,
                                                                  double ratio = 0.5);

}  // namespace clearance
