// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <clearance/plan/proof.h>

#include "plan/proof_motion.h"
#include "plan/proof_pairs.h"
#include "plan/solid_query.h"

namespace clearance {
namespace {

// Balls around a body, few enough to be looked at for every motion: one for each vertex of a body
// of at most so many, else one for each cell of a grid, this many along the longest side, that
// holds any.
constexpr std::size_t kFewVertices = 64;
constexpr std::size_t kCells = 5;
// Looks by halving before a motion is walked through from its start: a collision anywhere in a
// sixteenth of it is found by then.
constexpr std::size_t kHalvings = 15;
// ...of which so many tell whether looks are the way to prove it at all.
constexpr std::size_t kFirstHalvings = 1;
// Paths whose looks would make more tests than this are proven pair by pair of triangles: in pieces
// of this many looks or more, and of so many tests for each triangle of the body. Pairs take about
// a thousand for a triangle and piece (decision 0009): it pays plainly, or it is left alone.
constexpr double kManyTests = 1e9;
constexpr double kManyLooks = 50.0;
constexpr double kManyTestsOfTriangle = 2000.0;
// Half of what is left beyond the clearance at a look stays proven around it (PathProof).
constexpr double kUsedByPaths = 0.5;
// The walks through a path are cut into at least this many tasks, of equal ways: enough for any
// machine, and each long enough that its looks are near each other.
constexpr double kTasks = 64.0;

/// A few balls that hold all vertices, found in one pass over them.
std::vector<Sphere> balls_around(const Model& body) {
  const std::span<const Vec3> vertices = body.mesh().vertices();
  std::vector<Sphere> balls;
  if (vertices.size() <= kFewVertices) {
    for (const Vec3& vertex : vertices) balls.push_back({vertex, 0.0});
    return balls;
  }
  const Box& box = body.bvh().bounds();
  const Vec3 size = box.high - box.low;
  const double cell = std::max({size.x, size.y, size.z}) / static_cast<double>(kCells);
  // Rounding may put a vertex into the next cell, which does no harm.
  const double scale = cell > 0.0 ? 1.0 / cell : 0.0;
  std::array<Box, kCells * kCells * kCells> cells;
  for (const Vec3& vertex : vertices) {
    const auto along = [&](std::size_t k) {
      return std::min(kCells - 1, static_cast<std::size_t>((vertex[k] - box.low[k]) * scale));
    };
    cells[(along(0) * kCells + along(1)) * kCells + along(2)].include(vertex);
  }
  for (const Box& part : cells) {
    if (!part.empty()) balls.push_back({part.center(), (0.5 + 1e-12) * part.diagonal()});
  }
  return balls;
}

/// The proof of one path, in two rounds of independent tasks: first each piece is halved a few
/// times, then what is left of all of them is walked through in parts of equal length.
class PathProver {
 public:
  PathProver(const PlanProblem& problem, const PlanPath& path, const ProofOptions& options)
      : problem_(problem), path_(path), options_(options), prover_(problem) {
    for (std::size_t i = 0; i < path.size(); ++i) motions_.push_back(path.motion(i));
  }

  PathProof prove() {
    if (!look_at_poses()) return std::move(proof_);
    halve_pieces();
    walk_the_rest();
    return put_together();
  }

 private:
  struct Task {
    std::size_t piece = 0;
    detail::Looks looks;
    Coherence coherence;
    bool by_pairs = false;  ///< of triangles, rather than by looks
  };

  /// Refuses poses that no query answers, and a first pose that is not free as a solid.
  bool look_at_poses() {
    if (path_.poses.empty()) return false;
    for (std::size_t i = 0; i < path_.poses.size(); ++i) {
      if (!checked_pose(path_.poses[i])) {
        proof_.status = ProofStatus::Refused;
        proof_.narrowest = {i == 0 ? 0 : i - 1, i == 0 ? 0.0 : 1.0, 0.0};
        return false;
      }
    }
    const SolidDistance first = detail::distance_of(problem_, path_.poses.front());
    proof_.work += first.work;
    ++proof_.looks;
    proof_.samples.push_back({0, 0.0, first.distance});
    detail::note_narrowest(proof_, {0, 0.0, first.distance}, first.surface);
    const double rounding = detail::motion_rounding(
        problem_.obstacles, problem_.body, RigidMotion::linear(path_.poses.front(), {}), 0.0);
    if (first.touch != Touch::None || first.distance <= problem_.clearance) {
      proof_.status = ProofStatus::Refused;
      return false;
    }
    proof_.clearance_lower = (1.0 - 1e-9) * first.lower - rounding;
    if (proof_.clearance_lower > problem_.clearance) return true;
    proof_.clearance_lower = 0.0;
    return false;
  }

  [[nodiscard]] detail::MotionToProve to_prove(std::size_t piece) const {
    const RigidMotion& motion = motions_[piece];
    const double speed = prover_.longest_way(motion);
    const double rounding = detail::piece_rounding(problem_, motion, speed, path_.poses[piece + 1]);
    return {problem_.obstacles, problem_.body, motion,       speed,
            problem_.clearance, rounding,      kUsedByPaths, true};
  }

  /// Runs one task unless an earlier piece was refused: then nobody asks for this one. Which tasks
  /// are left out depends on the threads; none of them shows in the result.
  template <class Function>
  void run(Task& task, const Function& function) {
    if (task.piece > first_refused_) return;
    if (is_cancelled(options_.monitor)) {
      task.looks.status = ProofStatus::Cancelled;
      return;
    }
    const detail::MotionToProve it = to_prove(task.piece);
    function(it, task.coherence, task.looks);
    if (task.looks.status == ProofStatus::Free) return;
    if (task.looks.status == ProofStatus::Refused)
      detail::find_first_refusal(it, task.coherence, task.looks);
    std::size_t first = first_refused_;
    while (task.piece < first && !first_refused_.compare_exchange_weak(first, task.piece)) {
    }
  }

  void halve_pieces() {
    halved_.resize(motions_.size());
    for (std::size_t i = 0; i < halved_.size(); ++i) halved_[i].piece = i;
    parallel_for(options_.threads, halved_.size(), [&](std::size_t i) {
      run(halved_[i],
          [](const detail::MotionToProve& it, Coherence& coherence, detail::Looks& looks) {
            // The end belongs to the plot, and is where a bad goal shows.
            looks.left = {{1.0, 1.0}};
            detail::halve(it, 1, coherence, looks);
            looks.left = {{0.0, 1.0}};
            if (looks.status == ProofStatus::Free)
              detail::halve(it, kFirstHalvings, coherence, looks);
          });
    });
    choose_pairs();
    parallel_for(options_.threads, halved_.size(), [&](std::size_t i) {
      Task& task = halved_[i];
      if (task.looks.status == ProofStatus::Free && !task.by_pairs) {
        run(task, [](const detail::MotionToProve& it, Coherence& coherence, detail::Looks& looks) {
          detail::halve(it, kHalvings - kFirstHalvings, coherence, looks);
        });
      }
      task.coherence.forget();
      report_progress(options_.monitor, "prove",
                      0.2 * static_cast<double>(i) / static_cast<double>(halved_.size()));
    });
  }

  /// Which pieces are proven pair by pair. Those before a refusal decide, whatever the threads.
  void choose_pairs() {
    double all = 0.0;
    for (Task& task : halved_) {
      if (task.piece > first_refused_ || task.looks.status != ProofStatus::Free) break;
      const detail::MotionToProve it = to_prove(task.piece);
      const detail::Looks& looks = task.looks;
      double left = 0.0;
      for (const detail::TimeInterval& part : looks.left) left += part.end - part.begin;
      // As if all of it were as narrow as the closest look.
      const double seen = looks.narrowest.distance - it.clearance;
      const double count = left * it.speed / (2.0 * it.used * seen);
      const double tests =
          count * static_cast<double>(looks.work.volume_tests + looks.work.triangle_tests) /
          static_cast<double>(looks.count);
      all += tests;
      const auto triangles = static_cast<double>(problem_.body.bvh().triangle_count());
      task.by_pairs = count >= kManyLooks && tests >= kManyTestsOfTriangle * triangles;
    }
    if (all >= kManyTests) return;
    for (Task& task : halved_) task.by_pairs = false;
  }

  /// Made when it is first asked for, by whichever thread asks.
  [[nodiscard]] const detail::PairProver& pairs() {
    std::call_once(pairs_made_, [&] { pairs_.emplace(problem_.obstacles, problem_.body); });
    return *pairs_;
  }

  void walk_the_rest() {
    // All that is left, in metres of the fastest point.
    double way = 0.0;
    std::vector<double> speeds(halved_.size());
    for (const Task& task : halved_) {
      if (task.piece > first_refused_ || task.looks.status != ProofStatus::Free) continue;
      speeds[task.piece] = prover_.longest_way(motions_[task.piece]);
      for (const detail::TimeInterval& part : task.looks.left)
        way += speeds[task.piece] * (part.end - part.begin);
    }
    if (way <= 0.0) return;
    for (const Task& task : halved_) {
      if (task.piece > first_refused_ || task.looks.status != ProofStatus::Free) continue;
      for (const detail::TimeInterval& part : task.looks.left) {
        const double length = part.end - part.begin;
        const auto cuts =
            static_cast<std::size_t>(std::ceil(kTasks * speeds[task.piece] * length / way));
        for (std::size_t cut = 0; cut < cuts; ++cut) {
          const auto share = [&](std::size_t i) {
            return i == cuts
                       ? part.end
                       : part.begin + length * static_cast<double>(i) / static_cast<double>(cuts);
          };
          Task& walk = walks_.emplace_back();
          walk.piece = task.piece;
          walk.by_pairs = task.by_pairs;
          if (walk.by_pairs) {
            // How much is to stay proven.
            walk.looks.narrowest = task.looks.narrowest;
            walk.looks.narrowest_time = task.looks.narrowest_time;
          }
          walk.looks.left = {{share(cut), share(cut + 1)}};
        }
      }
    }
    std::atomic<std::size_t> done = 0;
    parallel_for(options_.threads, walks_.size(), [&](std::size_t i) {
      run(walks_[i], [&](const detail::MotionToProve& it, Coherence& coherence,
                         detail::Looks& looks) {
        if (!walks_[i].by_pairs) {
          detail::advance(it, options_.looks, options_.monitor, coherence, looks);
          return;
        }
        const std::size_t piece = walks_[i].piece;
        pairs().cover(
            it, detail::turning_between(path_.poses[piece], path_.poses[piece + 1], path_.pivot),
            options_.operations, options_.monitor, coherence, looks);
      });
      report_progress(options_.monitor, "prove",
                      0.2 + 0.8 * static_cast<double>(++done) / static_cast<double>(walks_.size()));
    });
  }

  /// In the order of the path; whatever comes after the first piece that is not free is left out.
  PathProof put_together() {
    std::vector<std::vector<const Task*>> of_piece(motions_.size());
    for (const Task& task : halved_) of_piece[task.piece].push_back(&task);
    for (const Task& task : walks_) of_piece[task.piece].push_back(&task);
    ProofStatus status = ProofStatus::Free;
    for (std::size_t i = 0; i < motions_.size() && status == ProofStatus::Free; ++i) {
      const Task* refused = nullptr;
      std::vector<ProofSample> samples;
      for (const Task* task : of_piece[i]) {
        const detail::Looks& looks = task->looks;
        proof_.looks += looks.count;
        proof_.work += looks.work;
        for (const ProofSample& sample : looks.samples)
          samples.push_back({i, sample.time, sample.distance});
        proof_.clearance_lower = std::min(proof_.clearance_lower, looks.lower);
        if (looks.narrowest.distance < proof_.clearance_upper)
          detail::note_narrowest(proof_, {i, looks.narrowest_time, looks.narrowest.distance},
                                 looks.narrowest);
        if (looks.status == ProofStatus::Free) continue;
        if (refused == nullptr || looks.refused_at < refused->looks.refused_at) refused = task;
      }
      std::stable_sort(samples.begin(), samples.end(),
                       [](const auto& a, const auto& b) { return a.time < b.time; });
      proof_.samples.insert(proof_.samples.end(), samples.begin(), samples.end());
      if (refused != nullptr) {
        status = refused->looks.status;
        const detail::Looks& looks = refused->looks;
        if (looks.count > 0)
          detail::note_narrowest(proof_, {i, looks.narrowest_time, looks.narrowest.distance},
                                 looks.narrowest);
      } else if (proof_.looks > options_.looks) {
        status = ProofStatus::Undecided;
      }
    }
    if (status != ProofStatus::Free) proof_.clearance_lower = 0.0;
    proof_.status = status;
    return std::move(proof_);
  }

  const PlanProblem& problem_;
  const PlanPath& path_;
  const ProofOptions& options_;
  MotionProver prover_;
  std::once_flag pairs_made_;
  std::optional<detail::PairProver> pairs_;
  std::vector<RigidMotion> motions_;
  std::vector<Task> halved_;
  std::vector<Task> walks_;
  std::atomic<std::size_t> first_refused_ = std::numeric_limits<std::size_t>::max();
  PathProof proof_;
};

ProofStatus prove(const detail::MotionToProve& it, std::size_t looks, Coherence& coherence,
                  Work& work) {
  detail::Looks found;
  found.left = {{0.0, 1.0}};
  detail::halve(it, std::min(looks, kHalvings), coherence, found);
  if (found.status == ProofStatus::Free)
    detail::advance(it, looks - std::min(looks, found.count), nullptr, coherence, found);
  work += found.work;
  return found.status;
}

}  // namespace

const char* name_of(ProofStatus status) {
  switch (status) {
    case ProofStatus::Free:
      return "free";
    case ProofStatus::Refused:
      return "refused";
    case ProofStatus::Undecided:
      return "undecided";
    case ProofStatus::Cancelled:
      break;
  }
  return "cancelled";
}

PathProof prove_path(const PlanProblem& problem, const PlanPath& path,
                     const ProofOptions& options) {
  return PathProver(problem, path, options).prove();
}

ProofStatus prove_motion(const PlanProblem& problem, const RigidMotion& motion, std::size_t looks,
                         Coherence& coherence, Work& work) {
  const double speed = motion.longest_way(problem.body.bvh());
  const double rounding = detail::motion_rounding(problem.obstacles, problem.body, motion, speed);
  return prove({problem.obstacles, problem.body, motion, speed, problem.clearance, rounding}, looks,
               coherence, work);
}

MotionProver::MotionProver(const PlanProblem& problem)
    : obstacles_(problem.obstacles),
      body_(problem.body),
      clearance_(problem.clearance),
      balls_(balls_around(problem.body)) {}

double MotionProver::longest_way(const RigidMotion& motion) const {
  return motion.longest_way(balls_);
}

ProofStatus MotionProver::prove(const RigidMotion& motion, std::size_t looks, Coherence& coherence,
                                Work& work) const {
  const double speed = longest_way(motion);
  const double rounding = detail::motion_rounding(obstacles_, body_, motion, speed);
  return clearance::prove({obstacles_, body_, motion, speed, clearance_, rounding}, looks,
                          coherence, work);
}

}  // namespace clearance
