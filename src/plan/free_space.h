// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The problem as the search asks it: how far is the body at this place, and what is it near? Counts
// the work. One per thread.
#pragma once

#include <cstdint>

#include <clearance/plan/problem.h>

#include "plan/place.h"

namespace clearance::detail {

/// What is nearest at a place.
struct Near {
  double room = 0.0;  ///< distance of the surfaces less the clearance [m]; not above 0: not free
  bool beyond =
      false;  ///< nothing is nearer than was asked for; `room` is at least that, no points
  Vec3 on_obstacle, on_body;  ///< world [m]
  Vec3 normal;                ///< unit, from the obstacle to the body; zero when they touch
};

/// What the search needs to know of the body; found once, in time proportional to its vertices.
struct BodyMeasures {
  explicit BodyMeasures(const Model& body);
  Vec3 pivot;
  double radius = 1.0;  ///< root mean square distance of the surface from the pivot [m]
  double reach = 1.0;   ///< of the farthest vertex from the pivot [m]
};

class FreeSpace {
 public:
  FreeSpace(const PlanProblem& problem, const BodyMeasures& measures);

  [[nodiscard]] const PlanProblem& problem() const { return problem_; }
  [[nodiscard]] const Vec3& pivot() const { return measures_.pivot; }
  /// Of the body: the metric of turns, and the farthest vertex, both from the pivot [m].
  [[nodiscard]] double radius() const { return measures_.radius; }
  [[nodiscard]] double reach() const { return measures_.reach; }
  /// Of a ball about the pivot that holds the body: its diameter [m].
  [[nodiscard]] double size() const { return 2.0 * measures_.reach; }
  [[nodiscard]] const BodyMeasures& measures() const { return measures_; }

  /// Surfaces only. No nearer than `bound` [m] is all that is known beyond it.
  [[nodiscard]] Near look(const Place& place, double bound);
  /// Do the surfaces keep the clearance? Cheaper than a look, above all where they do not.
  [[nodiscard]] bool is_clear(const Place& place);
  /// Do the surfaces touch? As cheap.
  [[nodiscard]] bool touches(const Place& place);
  /// Free as a solid, with the clearance.
  [[nodiscard]] bool is_free(const Place& place);
  /// No point of the body goes farther than this during the step [m].
  [[nodiscard]] double longest_way(const Step6& step) const {
    return norm(step.way) + norm(step.turn) / measures_.radius * measures_.reach;
  }

  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  void count(const Work& work) { operations_ += work.volume_tests + work.triangle_tests; }
  /// Work that is no test, in tests that take as long.
  void count(std::uint64_t operations) { operations_ += operations; }

 private:
  const PlanProblem& problem_;
  BodyMeasures measures_;
  Coherence coherence_;
  std::uint64_t operations_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace clearance::detail
