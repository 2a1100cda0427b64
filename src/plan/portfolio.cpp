// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/portfolio.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plan/pull.h"
#include "plan/roadmap.h"
#include "plan/screw.h"
#include "plan/straight_race.h"

namespace clearance::detail {
namespace {

// Operations of each search in the first round, some milliseconds, and how much longer each round
// is than the last.
constexpr std::uint64_t kFirstRound = 500'000;
constexpr double kLonger = 1.5;
// Pulls get so many times as much: what can be pulled out at all comes out that way soonest.
constexpr double kShareOfPulls = 4.0;
// Straight lines have so many operations for themselves before the first round, some milliseconds:
// most of what is open is found by then, and nothing else need be prepared. They are left out of
// rounds once they had so many in all, or in this round where the body is to come out, for which
// there are pulls: what they are good for was found (decision 0009).
constexpr double kStraightFirst = 6e6;
constexpr double kStraightMost = 2e8;
constexpr double kShareOfStraight = 0.5;
constexpr std::size_t kStraightRounds = 12;
// Their ranges, as parts of the diagonal of the bounds, and the spacing of looks as one of the size
// of the body (decision 0009 has what was measured).
constexpr double kFarRange = 0.1;
constexpr double kNearRange = 0.05;
constexpr double kSpacing = 0.4;
constexpr double kWaySpacing = 0.25;
constexpr double kLeastSpacing = 0.02;
constexpr std::uint64_t kStraightSequence = 5'000;
// The roadmap begins in this round, the flood in that: easy problems never see them.
constexpr std::size_t kRoadmapRound = 14;
constexpr std::size_t kScrewRound = 3;
constexpr std::size_t kFloodRound = 7;
// Spacing of the coarsest lattice as a part of the size of the body; halved from level to level.
constexpr double kCoarsest = 0.25;
// The finest resolution when none is asked for, as a part of the size of the body.
constexpr double kResolution = 1e-4;

/// The round in which it joins; its share of each; steps, margins, range as parts of the size of
/// the body; weight of turns; part of the sequence; spacing of cells as a part of the size, 0 for
/// none; whether it grows towards places in narrow passages.
struct Style {
  std::size_t round;
  double share;
  double step;
  double margin;
  double range;
  double turn_weight;
  std::uint64_t sequence;
  double coverage;
  bool fitted;
};
// Coarse and fine, with wide and narrow margins, towards passages, far targets and from cell to
// cell, for free flight and for threading. What one is slow at another does at once. Those that are
// first most often come first, and have long for themselves: whoever joins takes its work from all
// others (decision 0009).
constexpr Style kStyles[] = {
    {0, 2.0, 0.02, 1e-3, 2.0, 1.0, 0, 0.0, true},
    {6, 1.0, 0.01, 1e-3, 0.5, 1.0, 0, 0.0, false},
    {10, 1.0, 0.01, 1e-3, 1.0, 1.0, 800'011, 0.0, true},
    {12, 1.0, 0.02, 1e-3, 2.0, 1.0, 200'003, 0.0, false},
    {16, 1.0, 0.005, 1e-4, 0.5, 1.0, 900'001, 0.0, true},
    {20, 1.0, 0.005, 1e-4, 0.5, 1.0, 300'007, 0.0, false},
    {24, 1.0, 0.01, 5e-4, 0.5, 0.5, 400'009, 0.0, false},
    {28, 1.0, 0.01, 2e-4, 1.0, 2.0, 100'003, 0.0, false},
    {32, 1.0, 0.01, 1e-3, 0.25, 1.0, 700'001, 0.1, false},
    {36, 1.0, 0.02, 1e-3, 0.5, 1.0, 500'009, 0.25, false},
    {40, 1.0, 0.0025, 2e-5, 0.2, 1.0, 600'011, 0.0, false},
};
// The roadmap walks like this one.
constexpr std::size_t kRoadmapStyle = 1;
constexpr double kRoadmapListed = 0.25;
// Rooms narrower than the margin at start or goal: the margin is this part of them.
constexpr double kPartOfRoom = 0.25;

// Room kept where it can be: this part of a step, or of the room at start and goal.
constexpr double kComfort = 0.5;
constexpr double kComfortableRoom = 0.8;

/// Places that are out: beside the obstacles along each axis, turned as at the start.
std::vector<Place> places_out(const PlanProblem& problem, const FreeSpace& space) {
  const Box& box = problem.obstacles.bvh().bounds();
  const Place start = place_of(problem.start, space.pivot());
  const double away = 1.05 * space.reach() + 2.0 * problem.clearance;
  std::vector<Place> places;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const bool up : {true, false}) {
      Place place = start;
      place.position[axis] = up ? box.high[axis] + away : box.low[axis] - away;
      places.push_back(place);
    }
  }
  return places;
}

/// Stops a search when the whole is stopped, or when one before it has won.
class RoundMonitor final : public Monitor {
 public:
  RoundMonitor(const Monitor* outer, const std::atomic<std::size_t>& winner, std::size_t index,
               std::chrono::steady_clock::time_point until)
      : outer_(outer), winner_(winner), index_(index), until_(until) {}
  void progress(std::string_view /*stage*/, double /*fraction*/) override {}
  [[nodiscard]] bool cancelled() const override {
    return winner_.load(std::memory_order_relaxed) < index_ || is_cancelled(outer_) ||
           std::chrono::steady_clock::now() > until_;
  }

 private:
  const Monitor* outer_;
  const std::atomic<std::size_t>& winner_;
  std::size_t index_;
  std::chrono::steady_clock::time_point until_;
};

/// One of those that run side by side.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Works for so many operations; true when way() is proven.
  virtual bool run(std::uint64_t operations, const Monitor* monitor) = 0;
  [[nodiscard]] const ProvenWay& way() const { return way_; }
  [[nodiscard]] virtual std::uint64_t operations() const = 0;
  [[nodiscard]] virtual std::size_t nodes() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;

 protected:
  ProvenWay way_;
};

/// Straight lines, and the proof of their ways.
class StraightRunner final : public Runner {
 public:
  StraightRunner(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
                 const std::vector<Place>& goals, const StraightOptions& options)
      : race_(problem, measures, bounds, goals, options) {}

  /// While it is alone it may use all threads.
  void set_threads(Threads threads) { threads_ = threads; }
  bool run(std::uint64_t operations, const Monitor* monitor) override {
    if (!race_.run(operations, threads_, monitor)) return false;
    way_ = race_.way();
    return true;
  }
  [[nodiscard]] std::uint64_t operations() const override { return race_.operations(); }
  [[nodiscard]] std::size_t nodes() const override { return race_.nodes(); }
  [[nodiscard]] std::string name() const override { return "straight lines"; }
  [[nodiscard]] Place closest() const { return race_.closest(); }

 private:
  StraightRace race_;
  Threads threads_{1};
};

class TreeRunner final : public Runner {
 public:
  TreeRunner(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
             const std::vector<Place>& goals, const SearchOptions& options)
      : search_(problem, measures, bounds, goals, options), mender_(problem) {}

  bool run(std::uint64_t operations, const Monitor* monitor) override {
    const std::uint64_t until = search_.operations() + operations;
    while (search_.operations() < until && !is_cancelled(monitor)) {
      if (!search_.run(until - search_.operations(), monitor)) return false;
      auto proven = mender_.prove(search_.space(), search_.way(), search_.options().step,
                                  search_.options().margin, monitor);
      if (proven) {
        way_ = std::move(*proven);
        return true;
      }
      search_.refuse(mender_.refused());
    }
    return false;
  }
  [[nodiscard]] std::uint64_t operations() const override { return search_.operations(); }
  [[nodiscard]] std::size_t nodes() const override { return search_.nodes(); }
  [[nodiscard]] std::string name() const override { return search_.options().name; }
  [[nodiscard]] const Search& search() const { return search_; }

 private:
  Search search_;
  Mender mender_;
};

/// The roadmap, and the proof of its ways.
class RoadmapRunner final : public Runner {
 public:
  RoadmapRunner(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
                const std::vector<Place>& goals, const RoadmapOptions& options)
      : roadmap_(problem, measures, bounds, goals, options), mender_(problem) {}

  bool run(std::uint64_t operations, const Monitor* monitor) override {
    const std::uint64_t until = this->operations() + operations;
    const WalkOptions& walk = roadmap_.options().walk;
    while (this->operations() < until && !is_cancelled(monitor)) {
      if (!roadmap_.run(until - this->operations(), monitor)) return false;
      auto proven =
          mender_.prove(roadmap_.space(), roadmap_.way(), walk.step, walk.margin, monitor);
      if (proven) {
        way_ = std::move(*proven);
        return true;
      }
      // Stopped, not refused: nothing is known against the way.
      if (is_cancelled(monitor)) return false;
      roadmap_.refuse(mender_.refused());
    }
    return false;
  }
  [[nodiscard]] std::uint64_t operations() const override { return roadmap_.space().operations(); }
  [[nodiscard]] std::size_t nodes() const override { return roadmap_.nodes(); }
  [[nodiscard]] std::string name() const override { return "roadmap"; }

 private:
  Roadmap roadmap_;
  Mender mender_;
};

/// Stops when another does, and reports nothing.
class QuietMonitor final : public Monitor {
 public:
  explicit QuietMonitor(const Monitor* outer) : outer_(outer) {}
  void progress(std::string_view /*stage*/, double /*fraction*/) override {}
  [[nodiscard]] bool cancelled() const override { return is_cancelled(outer_); }

 private:
  const Monitor* outer_;
};

/// The thread that holds the body at the start, if one does, followed to its end, and the proof of
/// that. All at once: what is no thread is told from one by a few looks.
class ScrewRunner final : public Runner {
 public:
  ScrewRunner(const PlanProblem& problem, const BodyMeasures& measures, Threads threads)
      : space_(problem, measures), threads_(threads) {}

  bool run(std::uint64_t operations, const Monitor* monitor) override {
    const PlanProblem& problem = space_.problem();
    const ScrewWay found = way_by_screw(problem, {operations, monitor});
    space_.count(found.work);
    nodes_ = found.poses.size();
    if (found.poses.empty() || space_.operations() >= operations) return false;
    way_.places.clear();
    for (const Pose& pose : found.poses) way_.places.push_back(place_of(pose, space_.pivot()));
    way_.along_thread = true;
    QuietMonitor quiet(monitor);
    way_.proof = prove_path(
        problem, path_along(problem, way_.places),
        {.operations = operations - space_.operations(), .threads = threads_, .monitor = &quiet});
    space_.count(way_.proof.work);
    return way_.proof.status == ProofStatus::Free;
  }
  [[nodiscard]] std::uint64_t operations() const override { return space_.operations(); }
  [[nodiscard]] std::size_t nodes() const override { return nodes_; }
  [[nodiscard]] std::string name() const override { return "screw"; }

 private:
  FreeSpace space_;
  Threads threads_;
  std::size_t nodes_ = 0;
};

/// Pulls, and the proof of what came out.
class PullRunner final : public Runner {
 public:
  PullRunner(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
             const PullOptions& options)
      : pulls_(problem, measures, bounds, pull_directions(problem), options),
        mender_(problem),
        options_(options) {}

  bool run(std::uint64_t operations, const Monitor* monitor) override {
    const std::uint64_t until = this->operations() + operations;
    while (this->operations() < until && !is_cancelled(monitor)) {
      if (!pulls_.run(until - this->operations(), monitor)) return false;
      auto proven =
          mender_.prove(pulls_.space(), pulls_.way(), options_.step, options_.margin, monitor);
      if (proven) {
        way_ = std::move(*proven);
        return true;
      }
      pulls_.refuse();
    }
    return false;
  }
  [[nodiscard]] std::uint64_t operations() const override { return pulls_.space().operations(); }
  [[nodiscard]] std::size_t nodes() const override { return pulls_.places(); }
  [[nodiscard]] std::string name() const override { return "pull"; }
  [[nodiscard]] bool done() const { return pulls_.all_stuck(); }

 private:
  Pulls pulls_;
  Mender mender_;
  PullOptions options_;
};

/// Floods from the start and from the goal, level by level, as long as a level ends.
class FloodRunner final : public Runner {
 public:
  FloodRunner(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
              double finest)
      : problem_(problem), measures_(measures), bounds_(bounds), finest_(finest), mender_(problem) {
    spacing_ = kCoarsest * 2.0 * measures.reach;
    start_ = place_of(problem.start, measures.pivot);
    if (problem.goal) goal_ = place_of(*problem.goal, measures.pivot);
    begin();
  }

  bool run(std::uint64_t operations, const Monitor* monitor) override {
    const std::uint64_t until = this->operations() + operations;
    while (!done() && this->operations() < until && !is_cancelled(monitor)) {
      const std::uint64_t left = until - this->operations();
      Flood& flood = *floods_[turn_ % floods_.size()];
      ++turn_;
      switch (flood.run(left / 2 + 1, monitor)) {
        case FloodStatus::Exhausted:
          resolution_ = flood.spread();
          if (resolution_ <= finest_) no_path_ = true;
          next_level();
          break;
        case FloodStatus::Reached:
          if (prove(flood, monitor)) return true;
          next_level();
          break;
        case FloodStatus::TooMany:
          given_up_ = true;
          break;
        case FloodStatus::Running:
          break;
      }
    }
    return false;
  }
  [[nodiscard]] std::uint64_t operations() const override {
    std::uint64_t sum = before_;
    for (const auto& flood : floods_) sum += flood->space().operations();
    return sum;
  }
  [[nodiscard]] std::size_t nodes() const override {
    std::size_t sum = 0;
    for (const auto& flood : floods_) sum += flood->cells();
    return sum;
  }
  [[nodiscard]] std::string name() const override { return "lattice"; }
  [[nodiscard]] double resolution() const { return resolution_; }
  [[nodiscard]] bool no_path() const { return no_path_; }
  [[nodiscard]] bool done() const { return no_path_ || given_up_; }

 private:
  void begin() {
    floods_.clear();
    std::vector<Place> goals;
    if (goal_) goals.push_back(*goal_);
    floods_.push_back(
        std::make_unique<Flood>(problem_, measures_, bounds_, start_, goals, spacing_));
    if (goal_) {
      floods_.push_back(std::make_unique<Flood>(problem_, measures_, bounds_, *goal_,
                                                std::vector<Place>{start_}, spacing_));
    }
  }
  void next_level() {
    before_ = operations();
    spacing_ *= 0.5;
    begin();
  }
  bool prove(Flood& flood, const Monitor* monitor) {
    std::vector<Place> way = flood.way();
    if (goal_) {
      const bool backwards = &flood != floods_.front().get();
      way.push_back(backwards ? start_ : *goal_);
      if (backwards) std::reverse(way.begin(), way.end());
    }
    auto proven = mender_.prove(flood.space(), way, 0.5 * spacing_, 0.0, monitor);
    if (!proven) return false;
    way_ = std::move(*proven);
    return true;
  }

  const PlanProblem& problem_;
  BodyMeasures measures_;
  Box bounds_;
  double finest_;
  double spacing_ = 0.0;
  Place start_;
  std::optional<Place> goal_;
  Mender mender_;
  std::vector<std::unique_ptr<Flood>> floods_;
  std::size_t turn_ = 0;
  std::uint64_t before_ = 0;
  double resolution_ = 0.0;
  bool no_path_ = false;
  bool given_up_ = false;
};

class Portfolio {
 public:
  Portfolio(const PlanProblem& problem, const PlanOptions& options)
      : problem_(problem),
        options_(options),
        measures_(problem.body),
        bounds_(problem.bounds ? *problem.bounds : plan_bounds(problem)) {
    const FreeSpace space(problem, measures_);
    if (problem.goal) {
      goals_.push_back(place_of(*problem.goal, space.pivot()));
    } else {
      goals_ = places_out(problem, space);
      for (const Place& place : goals_) {
        bounds_.include(place.position);
      }
    }
    size_ = space.size();
    const double extent = norm(bounds_.high - bounds_.low);
    straight_ = std::make_unique<StraightRunner>(
        problem, measures_, bounds_, goals_,
        StraightOptions{kFarRange * extent, kNearRange * extent, kSpacing * size_,
                        kWaySpacing * size_, kLeastSpacing * size_, kStraightSequence});
  }

  PortfolioResult run() {
    const auto begin = std::chrono::steady_clock::now();
    const auto limit = std::min(options_.seconds, 1e9);
    until_ = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(limit));
    straight_->set_threads(options_.threads);
    const double alone = std::min(kStraightFirst, static_cast<double>(options_.operations));
    if (auto ended = run_round({{straight_.get()}}, alone)) return *std::move(ended);
    straight_->set_threads({1});
    measure_room();
    add_pulls();
    auto slice = static_cast<double>(kFirstRound);
    for (std::size_t round = 0;; ++round, slice *= kLonger) {
      while (trees_.size() < std::size(kStyles) && kStyles[trees_.size()].round <= round)
        add_tree();
      if (round == kScrewRound && !problem_.goal) {
        screw_ = std::make_unique<ScrewRunner>(problem_, measures_, options_.threads);
        const std::uint64_t left = options_.operations - operations();
        if (auto ended = run_round({{screw_.get()}}, static_cast<double>(left)))
          return *std::move(ended);
      }
      std::vector<Entrant> entrants;
      if (pulls_ && !pulls_->done()) entrants.push_back({pulls_.get(), kShareOfPulls});
      for (std::size_t i = 0; i < trees_.size(); ++i)
        entrants.push_back({trees_[i].get(), kStyles[i].share});
      if (round == kRoadmapRound) add_roadmap();
      if (roadmap_) entrants.push_back({roadmap_.get()});
      if (round == kFloodRound) {
        const double finest = options_.resolution > 0.0 ? options_.resolution : kResolution * size_;
        flood_ = std::make_unique<FloodRunner>(problem_, measures_, bounds_, finest);
      }
      if (flood_ && !flood_->done()) entrants.push_back({flood_.get()});
      add_straight(entrants, round, slice);
      if (auto ended = run_round(entrants, slice)) return *std::move(ended);
    }
  }

 private:
  /// Who takes part in a round, with how many times the operations of a single one.
  struct Entrant {
    Runner* runner;
    double share = 1.0;
  };
  /// Straight lines get half as much as all others together, or as much as one of them where that
  /// is more, as long as they have some left: where there is room for them they are several times
  /// as fast, and a second thread has little else to do. What is to come out is pulled out, and
  /// they are one among others for some rounds.
  void add_straight(std::vector<Entrant>& entrants, std::size_t round, double slice) const {
    double share = round < kStraightRounds ? 1.0 : 0.0;
    if (problem_.goal) {
      const double left = kStraightMost - static_cast<double>(straight_->operations());
      double sum = 0.0;
      double most = 0.0;
      for (const Entrant& entrant : entrants) {
        sum += entrant.share;
        most = std::max(most, entrant.share);
      }
      share = std::min(std::max(kShareOfStraight * sum, most), left / slice);
    }
    if (!(share > 0.0)) return;
    const auto place = entrants.begin() + (entrants.front().runner == pulls_.get() ? 1 : 0);
    entrants.insert(place, {straight_.get(), share});
  }
  /// One round; the result when the whole ends with it.
  std::optional<PortfolioResult> run_round(const std::vector<Entrant>& entrants, double slice) {
    // What the searches behind the winner got to in its round depends on the threads: the figures
    // of the result leave it out.
    std::vector<std::pair<std::uint64_t, std::size_t>> before;
    before.reserve(entrants.size());
    for (const Entrant& entrant : entrants)
      before.emplace_back(entrant.runner->operations(), entrant.runner->nodes());

    std::atomic<std::size_t> winner{entrants.size()};
    parallel_for(options_.threads, entrants.size(), [&](std::size_t i) {
      RoundMonitor monitor(options_.monitor, winner, i, until_);
      const auto [runner, share] = entrants[i];
      if (!runner->run(static_cast<std::uint64_t>(share * slice), &monitor)) return;
      std::size_t best = winner.load();
      while (i < best && !winner.compare_exchange_weak(best, i)) {
      }
    });
    if (winner.load() < entrants.size()) {
      const Runner& found = *entrants[winner.load()].runner;
      PortfolioResult result = finish(PlanStatus::Found, found.way(), found.name());
      for (std::size_t i = winner.load() + 1; i < entrants.size(); ++i) {
        result.operations -= entrants[i].runner->operations() - before[i].first;
        result.nodes -= entrants[i].runner->nodes() - before[i].second;
      }
      return result;
    }
    if (is_cancelled(options_.monitor)) return finish(PlanStatus::Cancelled, {}, "");
    if (flood_ && flood_->no_path()) return finish(PlanStatus::NoPath, {}, "lattice");
    if (std::chrono::steady_clock::now() > until_) return finish(PlanStatus::OutOfTime, {}, "");
    const std::uint64_t used = operations();
    report_progress(options_.monitor, "searching",
                    static_cast<double>(used) / static_cast<double>(options_.operations));
    if (used >= options_.operations) return finish(PlanStatus::OutOfBudget, {}, "");
    return std::nullopt;
  }
  /// The room at start and goal: what margins are to be had.
  void measure_room() {
    FreeSpace space(problem_, measures_);
    room_ = space.look(place_of(problem_.start, space.pivot()), space.size()).room;
    if (problem_.goal) room_ = std::min(room_, space.look(goals_.front(), space.size()).room);
  }
  [[nodiscard]] SearchOptions options_of(const Style& style) const {
    SearchOptions options;
    options.step = style.step * size_;
    options.margin = std::min(style.margin * size_, kPartOfRoom * room_);
    options.comfort = std::min(kComfort * options.step, kComfortableRoom * room_);
    options.range = style.range * size_;
    options.turn_weight = style.turn_weight;
    options.sequence = style.sequence;
    options.coverage = style.coverage * size_;
    options.fitted = style.fitted;
    return options;
  }
  void add_tree() {
    SearchOptions options = options_of(kStyles[trees_.size()]);
    options.name = "trees " + std::to_string(trees_.size() + 1);
    trees_.push_back(std::make_unique<TreeRunner>(problem_, measures_, bounds_, goals_, options));
  }
  void add_pulls() {
    if (problem_.goal) return;
    const SearchOptions like = options_of(kStyles[kRoadmapStyle]);
    pulls_ = std::make_unique<PullRunner>(problem_, measures_, bounds_,
                                          PullOptions{like.step, like.margin, like.comfort});
  }
  void add_roadmap() {
    const SearchOptions like = options_of(kStyles[kRoadmapStyle]);
    roadmap_ = std::make_unique<RoadmapRunner>(
        problem_, measures_, bounds_, goals_,
        RoadmapOptions{{like.step, like.margin, like.comfort}, 0, kRoadmapListed * size_});
  }
  [[nodiscard]] std::uint64_t operations() const {
    std::uint64_t sum = straight_->operations();
    if (flood_) sum += flood_->operations();
    if (screw_) sum += screw_->operations();
    if (pulls_) sum += pulls_->operations();
    if (roadmap_) sum += roadmap_->operations();
    for (const auto& tree : trees_) sum += tree->operations();
    return sum;
  }
  [[nodiscard]] std::size_t nodes() const {
    std::size_t sum = straight_->nodes();
    if (screw_) sum += screw_->nodes();
    if (pulls_) sum += pulls_->nodes();
    if (roadmap_) sum += roadmap_->nodes();
    if (flood_) sum += flood_->nodes();
    for (const auto& tree : trees_) sum += tree->nodes();
    return sum;
  }
  PortfolioResult finish(PlanStatus status, const ProvenWay& way, const std::string& method) {
    PortfolioResult result;
    result.status = status;
    result.way = way;
    result.method = method;
    if (flood_) result.resolution = flood_->resolution();
    if (status != PlanStatus::Found)
      result.closest = trees_.empty() ? straight_->closest() : trees_.front()->search().closest();
    result.nodes = nodes();
    result.operations = operations();
    return result;
  }

  const PlanProblem& problem_;
  const PlanOptions& options_;
  BodyMeasures measures_;
  Box bounds_;
  std::vector<Place> goals_;
  double room_ = 0.0;
  double size_ = 0.0;
  std::chrono::steady_clock::time_point until_;
  std::unique_ptr<StraightRunner> straight_;
  std::unique_ptr<ScrewRunner> screw_;  ///< problems without a goal
  std::unique_ptr<PullRunner> pulls_;   ///< problems without a goal
  std::vector<std::unique_ptr<TreeRunner>> trees_;
  std::unique_ptr<RoadmapRunner> roadmap_;
  std::unique_ptr<FloodRunner> flood_;
};

}  // namespace

PortfolioResult run_portfolio(const PlanProblem& problem, const PlanOptions& options) {
  return Portfolio(problem, options).run();
}

}  // namespace clearance::detail
