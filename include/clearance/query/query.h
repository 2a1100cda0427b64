// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two meshes, one of them moved: do they touch, where, how far apart are they, are they closer than
// d? The surfaces are meant here; a part wholly inside a closed one touches nothing. For solids use
// solid.h.
//
// Every query takes the trees of A and B and the pose a_from_b of B in A's frame; points and
// normals come back in A's frame. `relative(world_from_a, world_from_b)` gives that pose. The
// answers are those of brute force over all pairs of triangles:
//
// - collide() and contacts() are true whenever the exact triangles at the exact pose touch; a gap
//   below about 1e-15 of the scene may be called contact (triangle_triangle.h, `touches`).
// - distance() is right to 1e-9 of itself; it is 0 whenever the triangles touch.
//
// A pose that is not finite, not rigid (pose.h, checked_pose tells why) or farther than
// kLargestTranslation is answered as contact with no triangles: never as free. It is not repaired.
// Both trees are wide, or both binary (asserted; a mixed pair is answered as contact too).
// Nothing here throws or prints. Queries keep their stack in the Workspace the caller passes; with
// none, they make one. Work counters tell what a query cost, on any machine the same.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

/// Poses beyond this are not answered [m]; as for the coordinates of a tree.
inline constexpr double kLargestTranslation = 1e15;

/// What relative() rounds away, as a fraction: some ten operations of 1.1e-16 for each entry of two
/// matrices, three entries a coordinate.
inline constexpr double kRelativeRounding = 5e-15;

/// The pose of B in A's frame: the inverse of A's matrix as it stands, rotation or nearly one,
/// times that of B. Bodies that touch in the world touch at this pose as well, to kRelativeRounding
/// of B's coordinates and the distance of the two frames.
[[nodiscard]] Pose relative(const Pose& world_from_a, const Pose& world_from_b);

/// What a query did.
struct Work {
  std::uint64_t volume_tests = 0;    ///< pairs of bounding volumes
  std::uint64_t triangle_tests = 0;  ///< pairs of triangles, in full
  Work& operator+=(const Work& b) {
    volume_tests += b.volume_tests;
    triangle_tests += b.triangle_tests;
    return *this;
  }
  bool operator==(const Work&) const = default;
};

inline constexpr std::uint32_t kNoTriangle = 0xffffffffU;

/// What makes the next query of the same two trees cheaper: the closest pair of the last one, the
/// pairs of nodes it opened and how far apart the rest was, and scratch memory. The shorter the way
/// from pose to pose, the more of it still holds: steps of a thousandth of the size save half of a
/// distance(), of a ten-thousandth two thirds. Owned by the caller, one per thread; never changes
/// an answer, bit for bit, only the work. Reusing it for other trees is allowed and merely of no
/// use. It keeps the two trees (wide ones) alive until it is used for others or forgets.
class Coherence {
 public:
  Coherence();
  ~Coherence();
  Coherence(Coherence&&) noexcept;
  Coherence& operator=(Coherence&&) noexcept;
  Coherence(const Coherence&) = delete;
  Coherence& operator=(const Coherence&) = delete;
  /// Forgets all about the last queries; keeps the memory.
  void forget();

  struct State;
  [[nodiscard]] State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct Contact {
  std::uint32_t triangle_a = kNoTriangle;
  std::uint32_t triangle_b = kNoTriangle;
  bool operator==(const Contact&) const = default;
};

struct Collision {
  bool hit = false;
  Contact contact;  ///< one pair that touches, when hit
  Work work;
};

/// Do the surfaces touch? Stops at the first pair found.
[[nodiscard]] Collision collide(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                Coherence* coherence = nullptr);

struct Contacts {
  std::vector<Contact> pairs;  ///< sorted by triangle of A, then of B
  bool complete = true;        ///< false when the limit cut the list short
  Work work;
};

/// All pairs of triangles that touch, up to `limit` of them.
[[nodiscard]] Contacts contacts(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                std::size_t limit = std::numeric_limits<std::size_t>::max(),
                                Coherence* coherence = nullptr);

struct DistanceOptions {
  /// Only distances below this matter [m]: a larger one may come back as `beyond`. NaN: no bound.
  double upper_bound = std::numeric_limits<double>::infinity();
  /// The answer may be too large by this fraction of the true distance...
  double relative_error = 0.0;
  /// ...or by this much [m], whichever allows more. The bounds returned are proven either way.
  double absolute_error = 0.0;
};

struct Distance {
  /// Distance of the two points below [m]; infinity when beyond the upper bound.
  double distance = std::numeric_limits<double>::infinity();
  /// The true distance lies in [lower, upper], to 1e-9 of itself. Equal to `distance` when exact.
  double lower = 0.0;
  double upper = std::numeric_limits<double>::infinity();
  bool beyond = false;  ///< nothing is closer than options.upper_bound; no points then
  Vec3 on_a, on_b;      ///< the closest points, in A's frame [m]
  /// Unit vector from on_a to on_b; when they touch, the normal of A's triangle, or zero when that
  /// is degenerate.
  Vec3 normal;
  std::uint32_t triangle_a = kNoTriangle;
  std::uint32_t triangle_b = kNoTriangle;
  Work work;
};

/// How far apart are the surfaces? Among equally close pairs the one with the lowest triangle
/// numbers comes back, so the answer depends on nothing but the arguments. When they touch, the
/// distance is 0 and the triangles are the pair that collide() names.
[[nodiscard]] Distance distance(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                const DistanceOptions& options = {},
                                Coherence* coherence = nullptr);

struct Within {
  bool within = false;
  double lower = 0.0;  ///< proven bounds of the true distance, as far as the query got [m]
  double upper = std::numeric_limits<double>::infinity();
  Contact pair;  ///< a pair closer than or at the limit, when within
  Work work;
};

/// Are the surfaces at `limit` or closer? Cheaper than the distance. Never a false "no".
[[nodiscard]] Within within(const Bvh& a, const Bvh& b, const Pose& a_from_b, double limit,
                            Coherence* coherence = nullptr);

}  // namespace clearance
