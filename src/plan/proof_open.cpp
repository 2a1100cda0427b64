// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/proof_open.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clearance::detail {
namespace {

// Parts of one motion, at most.
constexpr double kMostParts = 64.0;
// Looks at a part before what is left of it is cut up: what is narrow in it takes most of the time.
constexpr std::size_t kFirstLooks = 24;
// Looks at a rest: by halving, and then by walking through it. A piece of a hundredth of the body
// through a play of a millionth of it takes as many.
constexpr std::size_t kHalvings = 200;
constexpr std::size_t kSteps = 20'000;

/// The looks at what comes next, put to those before it.
void add(Looks& all, const Looks& next) {
  all.status = next.status;
  all.count += next.count;
  all.work += next.work;
  all.lower = std::min(all.lower, next.lower);
  if (next.narrowest.distance >= all.narrowest.distance) return;
  all.narrowest = next.narrowest;
  all.narrowest_time = next.narrowest_time;
}

}  // namespace

OpenProof::OpenProof(std::vector<MotionToProve> motions, double longest)
    : motions_(std::move(motions)) {
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const double wanted = std::ceil(motions_[i].speed / longest);
    // Written so that a body of no size that rests, which is no number of parts, is one.
    const double count = wanted > 1.0 ? std::min(wanted, kMostParts) : 1.0;
    for (double k = 0.0; k < count; ++k) {
      Task& part = parts_.emplace_back();
      part.motion = i;
      part.looks.left = {{k / count, (k + 1.0) / count}};
    }
  }
}

void OpenProof::run(Task& task, std::size_t halvings, std::size_t steps) const {
  // Its own memory: what a look costs must not depend on what was looked at before.
  Coherence coherence;
  const MotionToProve& it = motions_[task.motion];
  // Halves take half as many looks in the open as a walk, and find a collision sooner.
  halve(it, halvings, coherence, task.looks);
  if (steps > 0 && task.looks.status == ProofStatus::Free)
    advance(it, steps, nullptr, coherence, task.looks);
  task.done = true;
}

void OpenProof::run_first(Task& task) const { run(task, kFirstLooks, 0); }
void OpenProof::run_rest(Task& task) const { run(task, kHalvings, kSteps); }

template <class Run>
void OpenProof::run_all(std::vector<Task>& tasks, Threads threads, const Monitor* monitor,
                        const Run& run) {
  std::atomic<std::size_t> first_refused{tasks.size()};
  parallel_for(threads, tasks.size(), [&](std::size_t i) {
    if (i > first_refused || is_cancelled(monitor)) return;
    run(tasks[i]);
    if (tasks[i].looks.status == ProofStatus::Free) return;
    std::size_t first = first_refused;
    while (i < first && !first_refused.compare_exchange_weak(first, i)) {
    }
  });
}

void OpenProof::look(Threads threads, const Monitor* monitor) {
  run_all(parts_, threads, monitor, [this](Task& part) { run_first(part); });
  for (Task& part : parts_) {
    if (!part.done || part.looks.status != ProofStatus::Free) break;
    part.first_rest = rests_.size();
    for (const TimeInterval& left : part.looks.left) {
      Task& rest = rests_.emplace_back();
      rest.motion = part.motion;
      rest.looks.left = {left};
    }
    part.rests = rests_.size() - part.first_rest;
  }
  run_all(rests_, threads, monitor, [this](Task& rest) { run_rest(rest); });
}

Looks OpenProof::looks_at(std::size_t motion) {
  Looks all;
  for (Task& part : parts_) {
    if (part.motion != motion) continue;
    if (!part.done) run_first(part);
    add(all, part.looks);
    if (all.status != ProofStatus::Free) return all;
    for (std::size_t i = 0; i < part.looks.left.size(); ++i) {
      Task own;
      Task* rest = i < part.rests ? &rests_[part.first_rest + i] : &own;
      if (rest == &own) {
        own.motion = motion;
        own.looks.left = {part.looks.left[i]};
      }
      if (!rest->done) run_rest(*rest);
      add(all, rest->looks);
      if (all.status != ProofStatus::Free) return all;
    }
  }
  return all;
}

}  // namespace clearance::detail
