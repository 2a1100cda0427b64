// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/chaintree.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include <clearance/chain/chain_tree.h>

#include "chaintree/baselines.h"
#include "chaintree/chain_tree_method.h"
#include "chaintree/chains.h"
#include "chaintree/torsion_walk.h"

namespace clearance::study {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What one look at the clock costs [s]: it is taken off the times measured between two of them.
double clock_cost() {
  static const double cost = [] {
    std::vector<double> samples(1001);
    for (double& sample : samples) sample = seconds_since(Clock::now());
    std::nth_element(samples.begin(), samples.begin() + 500, samples.end());
    return samples[500];
  }();
  return cost;
}

bool built_anew(ChainMethod method) {
  return method == ChainMethod::OneObbTree || method == ChainMethod::KObbTree;
}

double gyration_radius(const std::vector<Vec3>& points) {
  Vec3 mean;
  for (const Vec3& p : points) mean = mean + p;
  mean = (1.0 / static_cast<double>(points.size())) * mean;
  double sum = 0.0;
  for (const Vec3& p : points) sum += dot(p - mean, p - mean);
  return std::sqrt(sum / static_cast<double>(points.size()));
}

/// Timed work of several stretches of one method.
struct Tally {
  StepWork work;
  std::uint64_t wrong = 0;

  void add(const StepWork& more) {
    work.steps += more.steps;
    work.hits += more.hits;
    work.box_tests += more.box_tests;
    work.sphere_tests += more.sphere_tests;
    work.remembered += more.remembered;
    work.update_seconds += more.update_seconds;
    work.test_seconds += more.test_seconds;
  }
  [[nodiscard]] MethodFigures figures() const {
    MethodFigures result;
    const auto steps = static_cast<double>(std::max<std::uint64_t>(1, work.steps));
    result.steps = work.steps;
    // Two stretches of time belong to the update, one to the test.
    result.update_us = 1e6 * std::max(0.0, work.update_seconds / steps - 2.0 * clock_cost());
    result.test_us = 1e6 * std::max(0.0, work.test_seconds / steps - clock_cost());
    result.box_tests = static_cast<double>(work.box_tests) / steps;
    result.sphere_tests = static_cast<double>(work.sphere_tests) / steps;
    result.wrong = wrong;
    return result;
  }
};

/// Replays moves [begin, end) of a recording.
void replay(StepMethod& method, const Recording& recording, std::size_t begin, std::size_t end,
            Tally& tally) {
  for (std::size_t i = begin; i < end; ++i) {
    const bool hit = method.timed_step({&recording.moves[i], 1});
    if (hit == recording.hits[i]) continue;
    // Another answer leads to another state: what follows cannot be compared.
    tally.wrong += end - i;
    break;
  }
  tally.add(method.work());
}

/// Replays the recording, or for methods too slow for that, `stretches` parts of it, evenly spread,
/// each from the state the recording had there.
Tally replay(ChainMethod kind, const Chain& chain, const Recording& recording,
             std::uint64_t most_steps) {
  Tally tally;
  const std::size_t steps = recording.moves.size();
  if (steps <= most_steps) {
    replay(*make_method(kind, chain), recording, 0, steps, tally);
    return tally;
  }
  constexpr std::size_t kStretch = 10;
  const std::size_t stretches = std::max<std::size_t>(1, most_steps / kStretch);
  Chain state = chain;
  std::size_t at = 0;
  for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
    const std::size_t begin = steps * stretch / stretches;
    for (; at < begin; ++at) {
      if (!recording.hits[at]) state.joints[recording.moves[at].joint] = recording.moves[at].pose;
    }
    replay(*make_method(kind, state), recording, begin, std::min(begin + kStretch, steps), tally);
  }
  return tally;
}

Error cancelled() { return Error{ErrorCode::Cancelled, {}, {}, {}, {}}; }

/// Steps of the chain as it is: none is kept.
void measure_held(const Chain& chain, const ChainStudyOptions& options, GrowthRow& row) {
  std::vector<JointChange> moves;
  TorsionWalk walk(chain, {}, options.seed);
  for (std::uint64_t i = 0; i < options.steps; ++i) {
    moves.push_back(walk.propose());
    walk.answer(false);
  }
  ChainTree tree = ChainTree::build(chain).value();
  ChainMemory memory;
  std::uint64_t hits = 0;
  std::uint64_t box_tests = 0;
  const Clock::time_point start = Clock::now();
  for (const JointChange& move : moves) {
    tree.change({&move, 1});
    const ChainCollision answer = tree.collide_changed(&memory);
    tree.reject();
    hits += answer.hit ? 1 : 0;
    box_tests += answer.work.volume_tests;
  }
  const auto steps = static_cast<double>(moves.size());
  row.held_us = 1e6 * seconds_since(start) / steps;
  row.held_box_tests = static_cast<double>(box_tests) / steps;
  row.held_hit_fraction = static_cast<double>(hits) / steps;
}

}  // namespace

const char* name_of(ChainMethod method) {
  static constexpr std::array<const char*, kChainMethods.size()> kNames{
      "chaintree",   "loose-obb", "tight-obb", "rss",      "grid",
      "strong-grid", "lazy-grid", "1-obbtree", "k-obbtree"};
  return kNames[static_cast<std::size_t>(method)];
}

std::unique_ptr<StepMethod> make_method(ChainMethod method, const Chain& chain) {
  switch (method) {
    case ChainMethod::ChainTree:
      return make_chain_tree_method(chain, {});
    case ChainMethod::LooseObb:
      return make_chain_tree_method(chain, {ChainVolume::LooseObb});
    case ChainMethod::TightObb:
      return make_chain_tree_method(chain, {ChainVolume::TightObb});
    case ChainMethod::Rss:
      return make_chain_tree_method(chain, {ChainVolume::Rss});
    case ChainMethod::Grid:
      return make_baseline(Baseline::Grid, chain);
    case ChainMethod::StrongGrid:
      return make_baseline(Baseline::StrongGrid, chain);
    case ChainMethod::LazyGrid:
      return make_baseline(Baseline::LazyGrid, chain);
    case ChainMethod::OneObbTree:
      return make_baseline(Baseline::OneObbTree, chain);
    case ChainMethod::KObbTree:
      return make_baseline(Baseline::KObbTrees, chain);
  }
  return nullptr;
}

double ChainRow::speedup_over(ChainMethod method) const {
  return (*this)[method].total_us() / (*this)[ChainMethod::ChainTree].total_us();
}

Result<ChainRow> measure(const ChainSubject& subject, const ChainStudyOptions& options) {
  ChainRow row;
  row.name = subject.name;
  row.paper = subject.paper;
  row.links = subject.chain.links.size();
  {
    const Result<ChainTree> tree = ChainTree::build(subject.chain);
    if (!tree) return tree.error();
    if (const ChainCollision start = tree->collide_self(); start.hit) {
      return Error{ErrorCode::Invalid, subject.name,
                   "links " + std::to_string(start.pair.a) + " and " + std::to_string(start.pair.b),
                   "touch at the start: no step could be kept",
                   "a study needs a chain that is free"};
    }
    row.bytes_per_link = static_cast<double>(tree->memory_bytes()) / static_cast<double>(row.links);
  }
  if (subject.chain.joints.empty()) {
    return Error{ErrorCode::Invalid, subject.name, {}, "a single link has no joint to turn", {}};
  }

  report_progress(options.monitor, "recording the moves", 0.0);
  const auto recorder = make_method(ChainMethod::ChainTree, subject.chain);
  const std::vector<Vec3> start = recorder->centers();
  row.spheres = start.size();
  row.gyration_before = gyration_radius(start);
  TorsionWalk walk(subject.chain, subject.joints, options.seed);
  const Recording recording = record(*recorder, walk, options.steps);
  row.gyration_after = gyration_radius(recorder->centers());
  row.steps = recorder->work().steps;
  row.hits = recorder->work().hits;
  row.remembered = recorder->work().remembered;

  for (const ChainMethod kind : kChainMethods) {
    const auto index = static_cast<std::size_t>(kind);
    report_progress(options.monitor, name_of(kind),
                    static_cast<double>(index) / static_cast<double>(kChainMethods.size()));
    if (is_cancelled(options.monitor)) return cancelled();
    const std::uint64_t most =
        built_anew(kind) ? options.slow_link_steps / row.spheres : options.steps;
    row.methods[index] = replay(kind, subject.chain, recording, most).figures();
  }

  const auto forgetful =
      make_chain_tree_method(subject.chain, {.volume = ChainVolume::Wide, .memory = false});
  Tally tally;
  replay(*forgetful, recording, 0, recording.moves.size(), tally);
  row.box_tests_without_memory = tally.figures().box_tests;
  return row;
}

Result<std::vector<GrowthRow>> measure_growth(const ChainStudyOptions& options) {
  const std::vector<std::size_t> sizes =
      options.quick
          ? std::vector<std::size_t>{300, 1'000, 3'000}
          : std::vector<std::size_t>{1'000, 3'162, 10'000, 31'623, 100'000, 316'228, 1'000'000};
  std::vector<GrowthRow> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    report_progress(options.monitor, std::to_string(sizes[i]) + " links",
                    static_cast<double>(i) / static_cast<double>(sizes.size()));
    if (is_cancelled(options.monitor)) return cancelled();
    GrowthRow row;
    row.links = sizes[i];
    const Chain chain = compact_chain(sizes[i], options.seed);
    {
      const Clock::time_point start = Clock::now();
      const Result<ChainTree> tree = ChainTree::build(chain);
      row.build_ms = 1e3 * seconds_since(start);
      if (!tree) return tree.error();
      row.bytes_per_link =
          static_cast<double>(tree->memory_bytes()) / static_cast<double>(sizes[i]);
    }
    TorsionWalk walk(chain, {}, options.seed);
    const Recording recording =
        record(*make_method(ChainMethod::ChainTree, chain), walk, options.steps);
    Tally tally;
    replay(*make_method(ChainMethod::ChainTree, chain), recording, 0, recording.moves.size(),
           tally);
    const MethodFigures figures = tally.figures();
    row.steps = figures.steps;
    row.update_us = figures.update_us;
    row.test_us = figures.test_us;
    row.box_tests = figures.box_tests;
    row.hit_fraction = static_cast<double>(tally.work.hits) / static_cast<double>(tally.work.steps);
    measure_held(chain, options, row);
    rows.push_back(row);
  }
  return rows;
}

Result<std::vector<WorstCaseRow>> measure_worst_case(const ChainStudyOptions& options) {
  const std::vector<std::size_t> sizes = options.quick
                                             ? std::vector<std::size_t>{16, 24, 32}
                                             : std::vector<std::size_t>{16, 32, 48, 64, 96, 128};
  std::vector<WorstCaseRow> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    report_progress(options.monitor, "worst case",
                    static_cast<double>(i) / static_cast<double>(sizes.size()));
    if (is_cancelled(options.monitor)) return cancelled();
    WorstCaseRow row;
    row.d = sizes[i];
    const Chain chain = worst_case_chain(sizes[i]);
    row.links = chain.links.size();
    for (const auto& [volume, count] : {std::pair{ChainVolume::Wide, &row.chain_tree},
                                        std::pair{ChainVolume::LooseObb, &row.loose_obb}}) {
      const Result<ChainTree> tree = ChainTree::build(chain, {volume});
      if (!tree) return tree.error();
      *count = static_cast<double>(tree->collide_self().work.volume_tests);
    }
    rows.push_back(row);
  }
  return rows;
}

PowerFit fit_power(const std::vector<double>& x, const std::vector<double>& y) {
  CLEARANCE_ASSERT(x.size() == y.size() && x.size() >= 2);
  const auto count = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  double covariance = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = std::log(x[i]) - mean_x;
    covariance += dx * (std::log(y[i]) - mean_y);
    variance += dx * dx;
  }
  PowerFit fit;
  fit.exponent = covariance / variance;
  fit.factor = std::exp(mean_y - fit.exponent * mean_x);
  return fit;
}

}  // namespace clearance::study
