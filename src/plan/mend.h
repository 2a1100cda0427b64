// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The way that a search found, made into a proven path: each piece is proven, and one that is not
// free is replaced by shorter steps that give way, where that helps.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/plan/path.h>
#include <clearance/plan/proof.h>

#include "plan/free_space.h"
#include "plan/place.h"
#include "plan/slide.h"

namespace clearance::detail {

class Mender {
 public:
  explicit Mender(const PlanProblem& problem) : problem_(problem) {}

  /// Places from the first to the last of the way, every piece of which is proven free, with short
  /// cuts where they are as easily proven; or nothing,
  /// and refused() is the piece that could not be mended. `step`: of the search that found it. Also
  /// nothing when cancelled.
  [[nodiscard]] std::optional<std::vector<Place>> prove(FreeSpace& space,
                                                        const std::vector<Place>& way, double step,
                                                        double margin, const Monitor* monitor);
  [[nodiscard]] std::size_t refused() const { return refused_; }

 private:
  [[nodiscard]] bool is_free(FreeSpace& space, const Place& from, const Place& to,
                             std::size_t looks);
  /// Short steps from one place to the other that are proven free; nothing when there are none.
  [[nodiscard]] std::vector<Place> mended(FreeSpace& space, const Place& from, const Place& to,
                                          double step, double margin);

  const PlanProblem& problem_;
  std::optional<MotionProver> prover_;  ///< made when there is something to prove
  Coherence coherence_;
  std::size_t refused_ = 0;
};

}  // namespace clearance::detail
