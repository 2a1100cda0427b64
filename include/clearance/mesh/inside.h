// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a point inside a closed mesh? By the generalized winding number: how often the surface wraps
// around the point. It is 1 inside a closed surface that faces outward, 0 outside, 2 where two
// bodies overlap, -1 inside a body that faces inward; near a hole it passes smoothly between, so a
// small hole moves the answer only close to itself (Jacobson, Kavan, Sorkine-Hornung 2013).
//
// Speed: triangles far from the point count together, by the first three terms of their expansion
// around a common centre (the idea of Barill, Dickson, Schmidt, Levin, Jacobson 2018). Each such
// step has a proven error bound; they are added up along the way and kept below the stated error.
//
// Not for: distances (query.h), or meshes without a sensible orientation (examine() in health.h
// tells: closed and consistently oriented is safe, open by small holes is good).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

/// Largest difference between winding_number() and the exact winding number unless the caller asks
/// for less. Enough to tell the sides apart; the bound is proven and pessimistic: the usual
/// difference is a hundred times smaller.
inline constexpr double kWindingNumberError = 0.01;

/// A point at most this fraction of the scene size (the largest coordinate of mesh and point, by
/// amount) from a triangle is on the boundary. 2⁻⁴⁸ is 16 units in the last place: a point computed
/// to lie on a triangle misses it by less. Smaller values would call such points inside or outside
/// by chance.
inline constexpr double kBoundaryTolerance = 0x1p-48;

enum class Side {
  Outside,
  Inside,
  Boundary,  ///< on the surface: on a face, an edge or a vertex
};

/// The tree for inside tests of one mesh. Built once, immutable, safe to share between threads;
/// copies share the tree. About 150 bytes per triangle.
class InsideTest {
 public:
  /// O(n log n): about 0.5 s for a million triangles on two cores. The tree does not depend on the
  /// number of threads.
  explicit InsideTest(const Mesh& mesh, Threads threads = {});

  /// How often the surface wraps around the point, within max_error plus rounding: some 1e-14, up
  /// to 1e-10 near large thin triangles, for none of them more than 1e-9. On the surface it jumps,
  /// and any value between those of the two sides may come back. About O(log n); each tenth of the
  /// error costs two to four times the time, and 0 sums up all triangles.
  [[nodiscard]] double winding_number(const Vec3& point,
                                      double max_error = kWindingNumberError) const;

  /// Boundary when the point is on a triangle (kBoundaryTolerance); otherwise Inside when the
  /// winding number exceeds 1/2. The expansion is refined until that is certain. Points beyond the
  /// bounding box are Outside; a mesh that faces inward has no inside.
  [[nodiscard]] Side side(const Vec3& point) const;

  /// The same for many points; results in their order, not depending on the number of threads.
  [[nodiscard]] std::vector<double> winding_numbers(std::span<const Vec3> points,
                                                    double max_error = kWindingNumberError,
                                                    Threads threads = {}) const;
  [[nodiscard]] std::vector<Side> sides(std::span<const Vec3> points, Threads threads = {}) const;

 private:
  class Tree;
  std::shared_ptr<const Tree> tree_;
};

}  // namespace clearance
