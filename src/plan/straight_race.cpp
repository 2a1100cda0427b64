// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/straight_race.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace clearance::detail {
namespace {

// As many as there are cores in the smallest machine that matters.
constexpr std::size_t kRunners = 2;
// The part of the sequence that the second uses is so far behind that of the first.
constexpr std::uint64_t kPart = 100'000;
// The first is alone for so long, about a millisecond: threads take a while to begin.
constexpr std::uint64_t kHandicap = 400'000;
// How much longer each slice is than all before it.
constexpr double kLonger = 2.0;

/// Stops a runner when the race is stopped, or when another was there before.
class RaceMonitor final : public Monitor {
 public:
  RaceMonitor(const Monitor* outer, const std::atomic<std::uint64_t>& earliest,
              const FreeSpace& space, std::uint64_t handicap)
      : outer_(outer), earliest_(earliest), space_(space), handicap_(handicap) {}
  void progress(std::string_view /*stage*/, double /*fraction*/) override {}
  [[nodiscard]] bool cancelled() const override {
    return earliest_.load(std::memory_order_relaxed) < handicap_ + space_.operations() ||
           is_cancelled(outer_);
  }

 private:
  const Monitor* outer_;
  const std::atomic<std::uint64_t>& earliest_;
  const FreeSpace& space_;
  std::uint64_t handicap_;
};

}  // namespace

StraightRace::StraightRace(const PlanProblem& problem, const BodyMeasures& measures,
                           const Box& bounds, const std::vector<Place>& goals,
                           const StraightOptions& options)
    : mender_(problem), slice_(kHandicap) {
  StraightOptions own = options;
  for (std::size_t i = 0; i < kRunners; ++i) {
    runners_.push_back(std::make_unique<Runner>(
        Runner{{problem, measures, bounds, goals, own}, i == 0 ? 0 : kHandicap}));
    own.sequence += kPart;
    own.apart = !own.apart;
  }
}

StraightRace::Runner* StraightRace::first_there(Threads threads, const Monitor* monitor) {
  for (;;) {
    const std::uint64_t target = std::min(slice_, limit_);
    std::vector<Runner*> running;
    std::atomic<std::uint64_t> earliest{std::numeric_limits<std::uint64_t>::max()};
    for (const auto& runner : runners_) {
      if (runner->there)
        earliest = std::min<std::uint64_t>(earliest, runner->clock());
      else if (runner->clock() < target)
        running.push_back(runner.get());
    }
    parallel_for(threads, running.size(), [&](std::size_t i) {
      Runner& runner = *running[i];
      const RaceMonitor stop(monitor, earliest, runner.trees.space(), runner.handicap);
      runner.there = runner.trees.run(target - runner.clock(), &stop);
      if (!runner.there) return;
      runner.found_at = runner.clock();
      std::uint64_t best = earliest.load();
      while (runner.clock() < best && !earliest.compare_exchange_weak(best, runner.clock())) {
      }
    });
    if (is_cancelled(monitor)) return nullptr;
    Runner* first = nullptr;
    for (const auto& runner : runners_) {
      if (runner->there && (first == nullptr || runner->clock() < first->clock()))
        first = runner.get();
    }
    if (first != nullptr) return first;
    if (slice_ >= limit_) return nullptr;
    slice_ = static_cast<std::uint64_t>(kLonger * static_cast<double>(slice_));
  }
}

bool StraightRace::run(std::uint64_t operations, Threads threads, const Monitor* monitor) {
  limit_ += operations / runners_.size();
  while (Runner* first = first_there(threads, monitor)) {
    StraightTrees& trees = first->trees;
    auto proven = mender_.prove(trees.space(), trees.way(), trees.short_cuts(), threads, monitor);
    if (proven) {
      way_ = std::move(*proven);
      winner_ = first;
      return true;
    }
    if (is_cancelled(monitor)) return false;
    trees.refuse(mender_.refused());
    first->there = false;
  }
  return false;
}

std::uint64_t StraightRace::operations() const {
  std::uint64_t sum = 0;
  for (const auto& runner : runners_) {
    if (winner_ == nullptr || winner_ == runner.get())
      sum += runner->trees.space().operations();
    else
      sum += winner_->found_at - std::min(winner_->found_at, runner->handicap);
  }
  return sum;
}

std::size_t StraightRace::nodes() const {
  if (winner_ != nullptr) return winner_->trees.nodes();
  std::size_t sum = 0;
  for (const auto& runner : runners_) sum += runner->trees.nodes();
  return sum;
}

}  // namespace clearance::detail
