// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The way that a search found, made into a proven path: each piece is proven, and one that is not
// free is replaced by shorter steps that give way, where that helps. The proof is that of the path
// (proof.h), with distances asked for only as far as they matter, and no samples.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/plan/path.h>
#include <clearance/plan/proof.h>

#include "plan/free_space.h"
#include "plan/place.h"
#include "plan/proof_motion.h"
#include "plan/slide.h"

namespace clearance::detail {

/// Places from start to goal, and the proof that the path along them is free.
struct ProvenWay {
  std::vector<Place> places;
  PathProof proof;  ///< without samples; clearance_lower as Plan::proof says
  /// Unscrewed: nothing is to be improved, and the proof is that of prove_path().
  bool along_thread = false;
};

/// The path along these places: the ends as the problem has them, to the last bit.
[[nodiscard]] PlanPath path_along(const PlanProblem& problem, const std::vector<Place>& way);

class Mender {
 public:
  explicit Mender(const PlanProblem& problem) : problem_(problem) {}

  /// Places from the first to the last of the way, every piece of which is proven free, with short
  /// cuts where they are as easily proven; or nothing,
  /// and refused() is the piece that could not be mended. `step`: of the search that found it. Also
  /// nothing when cancelled.
  [[nodiscard]] std::optional<ProvenWay> prove(FreeSpace& space, const std::vector<Place>& way,
                                               double step, double margin, const Monitor* monitor);
  /// The same for a way in the open: by the places chosen, first and last included, and by all
  /// places from one of these to the next where the short cut is not free. Nothing is mended.
  [[nodiscard]] std::optional<ProvenWay> prove(FreeSpace& space, const std::vector<Place>& way,
                                               const std::vector<std::size_t>& chosen,
                                               Threads threads, const Monitor* monitor);
  [[nodiscard]] std::size_t refused() const { return refused_; }

 private:
  void begin(FreeSpace& space, const std::vector<Place>& way);
  /// What the proof of the motion from one pose to another needs to know.
  [[nodiscard]] MotionToProve to_prove(const RigidMotion& motion, const Pose& to) const;
  /// Was the motion proven free? Then it is noted as the next piece, to `place`.
  [[nodiscard]] bool note(const Looks& found, const Place& place);
  /// `open`: there is room about it, so that halves will do; in narrow passages a walk has its
  /// looks nearer together.
  [[nodiscard]] bool add(const Pose& from, const Pose& to, const Place& place, std::size_t looks,
                         bool open);
  /// Short steps from one place of the way to the next that are proven free, and noted; false when
  /// there are none.
  [[nodiscard]] bool mend(std::size_t piece, double step, double margin);
  [[nodiscard]] ProvenWay finished();

  const PlanProblem& problem_;
  std::optional<MotionProver> prover_;  ///< made when there is something to prove
  Coherence coherence_;
  FreeSpace* space_ = nullptr;  ///< of the way being proven; counts the work
  const std::vector<Place>* way_ = nullptr;
  PlanPath path_;     ///< along the way
  ProvenWay proven_;  ///< so far
  std::size_t refused_ = 0;
};

}  // namespace clearance::detail
