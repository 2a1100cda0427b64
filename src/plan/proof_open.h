// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The looks at the pieces of a way in the open, side by side. Each piece is cut into parts by the
// way of the body, and what a few looks leave of a part is cut again: parts and rests are tasks
// that know nothing of each other, so what they find, and the work they make, is the same for any
// number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>

#include "plan/proof_motion.h"

namespace clearance::detail {

class OpenProof {
 public:
  /// No point of the body goes farther than `longest` [m] in a part, unless there are too many.
  /// What the motions refer to must outlive this.
  OpenProof(std::vector<MotionToProve> motions, double longest);

  /// Looks at all of them, as far as they are free: what comes after something that is refused may
  /// be left out.
  void look(Threads threads, const Monitor* monitor);
  /// All looks at one motion in its order, up to the first that speaks against it; those that were
  /// left out are made now.
  [[nodiscard]] Looks looks_at(std::size_t motion);

 private:
  struct Task {
    std::size_t motion = 0;
    Looks looks;
    bool done = false;
    /// Tasks for what is left of this one: the first, and how many. None before they are made.
    std::size_t first_rest = 0;
    std::size_t rests = 0;
  };
  void run(Task& task, std::size_t halvings, std::size_t steps) const;
  void run_first(Task& task) const;
  void run_rest(Task& task) const;
  template <class Run>
  void run_all(std::vector<Task>& tasks, Threads threads, const Monitor* monitor, const Run& run);

  std::vector<MotionToProve> motions_;
  std::vector<Task> parts_;  ///< in the order of the way
  std::vector<Task> rests_;
};

}  // namespace clearance::detail
