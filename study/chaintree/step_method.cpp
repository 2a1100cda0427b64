// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/step_method.h"

#include <chrono>

namespace clearance::study {

bool StepMethod::step(std::span<const JointChange> changes) {
  update(changes);
  const bool hit = test();
  if (hit) {
    undo();
  } else {
    keep();
  }
  ++work_.steps;
  work_.hits += hit ? 1 : 0;
  return hit;
}

bool StepMethod::timed_step(std::span<const JointChange> changes) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  const Clock::time_point start = Clock::now();
  update(changes);
  const Clock::time_point updated = Clock::now();
  const bool hit = test();
  const Clock::time_point tested = Clock::now();
  if (hit) {
    undo();
  } else {
    keep();
  }
  const Clock::time_point done = Clock::now();
  work_.update_seconds += seconds((updated - start) + (done - tested));
  work_.test_seconds += seconds(tested - updated);
  ++work_.steps;
  work_.hits += hit ? 1 : 0;
  return hit;
}

}  // namespace clearance::study
