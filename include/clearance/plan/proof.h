// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proof that a path is free over its whole length, not at samples. At a moment where the body is
// d away from the obstacles and no point of it moves faster than L, the moments within (d - c) / L
// around it keep the clearance c: subdivided until the whole path is covered by such intervals, or
// a pose is found that refuses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>
#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>

namespace clearance {

enum class ProofStatus : std::uint8_t {
  Free,       ///< every moment keeps the clearance
  Refused,    ///< `where` does not: touches, or is closer than the clearance
  Undecided,  ///< out of looks, or closer to the clearance than rounding can tell; not free
  Cancelled,
};
[[nodiscard]] const char* name_of(ProofStatus status);

struct ProofOptions {
  std::size_t looks = 10'000'000;  ///< distances at most, over the whole path
  /// Tests of volumes and triangles at most, for a part of the path that is proven pair by pair of
  /// triangles (docs/path_proof.md).
  std::uint64_t operations = 60'000'000'000;
  Threads threads{};  ///< never changes the answer
  Monitor* monitor = nullptr;
};

/// The clearance at one moment of the path.
struct ProofSample {
  std::size_t piece = 0;
  double time = 0.0;  ///< in [0, 1] of the piece
  double distance = 0.0;
};

struct PathProof {
  ProofStatus status = ProofStatus::Undecided;
  std::size_t looks = 0;  ///< distances asked
  /// Proven when Free: the path keeps at least this [m]. Above the clearance, by at least half of
  /// what clearance_upper is.
  double clearance_lower = 0.0;
  double clearance_upper = 0.0;  ///< ...and somewhere comes this close [m]
  /// Where that is; when refused, the first refusal along the path, to a thousandth of its piece.
  ProofSample narrowest;
  Vec3 on_obstacle, on_body;  ///< closest points there, world [m]
  std::uint32_t obstacle_triangle = kNoTriangle;
  std::uint32_t body_triangle = kNoTriangle;
  /// All looks in the order of the path, for plots: at least the start, and the middle and end of
  /// each piece; denser the narrower it is. When refused, of the pieces up to there.
  std::vector<ProofSample> samples;
  Work work;
};

/// Proves the whole path against the problem: bodies, clearance and bounds' absence (bounds limit
/// the search, they are not part of freedom). The first pose must be free as a solid; after that
/// the body could only get inside through a surface. Pieces are looked at in parallel. Where that
/// would take more than 1e9 tests of volumes and triangles, as along a thread, long pieces are
/// proven pair by pair of triangles, with a look in the middle and one at the end.
[[nodiscard]] PathProof prove_path(const PlanProblem& problem, const PlanPath& path,
                                   const ProofOptions& options = {});

/// One motion alone, as the planner asks it: stops at the first refusal, and asks for distances
/// only as far as they matter. Surfaces only: the start must be known to be free as a solid. Free
/// means the same as for prove_path. `coherence` changes the work only.
[[nodiscard]] ProofStatus prove_motion(const PlanProblem& problem, const RigidMotion& motion,
                                       std::size_t looks, Coherence& coherence, Work& work);

/// prove_motion for many motions of one body: what depends on the body alone is prepared once, so
/// that the bound on how far its points move costs next to nothing. An immutable value; any number
/// of threads may use it.
class MotionProver {
 public:
  explicit MotionProver(const PlanProblem& problem);

  [[nodiscard]] ProofStatus prove(const RigidMotion& motion, std::size_t looks,
                                  Coherence& coherence, Work& work) const;
  /// An upper bound on the way of any point of the body from 0 to 1, and per unit of time [m].
  [[nodiscard]] double longest_way(const RigidMotion& motion) const;

 private:
  Model obstacles_;
  Model body_;
  double clearance_;
  std::vector<Sphere> balls_;  // together they hold the body
};

}  // namespace clearance
