// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <clearance/plan/disassemble.h>
#include <clearance/plan/proof.h>

#include "plan/disassemble_bodies.h"

namespace clearance {
namespace {

using detail::Bodies;
using detail::PartSet;

// Pairs and neighbourhoods of a group, at most: beyond, an assembly in pieces is another problem.
constexpr std::size_t kLargestGroup = 8;
// Groups tried in one round, at most.
constexpr std::size_t kMostGroups = 100;
// Parts nearer than this part of the assembly's size hold each other, for groups.
constexpr double kNeighbour = 1e-3;

/// What is known about one part (or group) against one set of obstacles.
struct Attempt {
  PartSet parts;
  std::optional<RemovalStep> step;
  std::map<std::size_t, std::size_t> blockers;  // part -> directions it blocks
  std::size_t directions = 0;
  std::size_t blocked = 0;
  std::optional<PlanStatus> planner;
  Work work;
};

class Disassembler {
 public:
  Disassembler(std::span<const DisassemblyPart> parts, const DisassembleOptions& options)
      : options_(options), bodies_(parts, options) {}

  Result<Disassembly> run() {
    if (Status ready = bodies_.build(); !ready) return ready.error();
    PartSet all;
    for (std::size_t i = 0; i < bodies_.count(); ++i) all.push_back(i);
    const std::size_t base = options_.base.value_or(bodies_.largest(all));
    take_apart(all, base, std::nullopt);
    // A group that left as one lies beside the rest: taken apart on its own.
    for (std::size_t i = 0; i < result_.steps.size(); ++i) {
      const PartSet group = result_.steps[i].parts;
      if (group.size() > 1 && !cancelled()) take_apart(group, bodies_.largest(group), i);
    }
    std::sort(result_.stuck.begin(), result_.stuck.end(),
              [](const StuckPart& a, const StuckPart& b) { return a.part < b.part; });
    result_.cancelled = cancelled();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool cancelled() const { return is_cancelled(options_.monitor); }

  void take_apart(PartSet left, std::size_t base, std::optional<std::size_t> group) {
    const PartSet whole = left;
    const std::size_t first_step = result_.steps.size();
    last_.clear();
    while (left.size() > 1 && !cancelled()) {
      const std::size_t before = left.size();
      note_progress(left);
      try_each(left, base, group, RemovalMethod::Straight);
      for (const RemovalMethod method : {RemovalMethod::Screw, RemovalMethod::Planned}) {
        if (left.size() == before && options_.turning) try_each(left, base, group, method);
      }
      if (left.size() == before && options_.groups) try_groups(left, base, group);
      if (left.size() == before) break;
      ++result_.rounds;
    }
    find_order(first_step, whole);
    result_.stays.push_back(base);
    std::erase(left, base);
    for (const std::size_t part : left)
      result_.stuck.push_back(stuck(part, whole_left(left, base)));
  }

  static PartSet whole_left(PartSet left, std::size_t base) {
    left.push_back(base);
    std::sort(left.begin(), left.end());
    return left;
  }

  void note_progress(const PartSet& left) const {
    const double done = static_cast<double>(bodies_.count() - left.size());
    report_progress(options_.monitor, "disassemble", done / static_cast<double>(bodies_.count()));
  }

  /// One round: every part but the base against all others. Those that leave are taken from
  /// `left`; each was proven with the others of its round still there.
  void try_each(PartSet& left, std::size_t base, std::optional<std::size_t> group,
                RemovalMethod method) {
    std::vector<Attempt> attempts;
    for (const std::size_t part : left) {
      if (part == base || bodies_.overlaps(part)) continue;
      if (method == RemovalMethod::Straight && still_blocked(part, left)) continue;
      attempts.push_back({{part}, {}, {}, 0, 0, {}, {}});
    }
    parallel_for(options_.threads, attempts.size(), [&](std::size_t i) {
      Attempt& attempt = attempts[i];
      if (cancelled()) return;
      switch (method) {
        case RemovalMethod::Straight:
          return try_straight(attempt, left);
        case RemovalMethod::Screw:
          return try_screw(attempt, left);
        case RemovalMethod::Planned:
          return try_planned(attempt, left);
      }
    });
    for (Attempt& attempt : attempts) accept(attempt, left, group);
  }

  /// No part that gave a certificate last time has left: each of them still holds.
  [[nodiscard]] bool still_blocked(std::size_t part, const PartSet& left) const {
    const auto known = last_.find(part);
    if (known == last_.end() || known->second.blocked < known->second.directions) return false;
    return std::all_of(known->second.blockers.begin(), known->second.blockers.end(),
                       [&](const auto& blocker) {
                         return std::binary_search(left.begin(), left.end(), blocker.first);
                       });
  }

  void accept(Attempt& attempt, PartSet& left, std::optional<std::size_t> group) {
    result_.work += attempt.work;
    if (attempt.parts.size() == 1) {
      // The planner has nothing to say about directions: keep what is known of them.
      Attempt& known = last_[attempt.parts.front()];
      if (attempt.directions == 0) {
        if (attempt.planner) known.planner = attempt.planner;
      } else {
        known = attempt;
      }
    }
    if (!attempt.step) return;
    attempt.step->round = result_.rounds;
    attempt.step->of_group = group;
    for (const std::size_t part : attempt.parts) std::erase(left, part);
    // Those of the same round that went before are gone by now; the proof holds all the more.
    result_.steps.push_back(std::move(*attempt.step));
  }

  void try_straight(Attempt& attempt, const PartSet& left) const {
    const PartSet present = without(left, attempt.parts);
    const std::optional<PlanProblem> problem = bodies_.problem(attempt.parts, present);
    if (!problem) return;
    DirectionOptions options = options_.directions;
    options.threads = {1};
    options.monitor = nullptr;
    const Removal removal = remove_straight(*problem, options);
    attempt.work += removal.work;
    attempt.directions = removal.ways.size();
    attempt.blocked = removal.blocked;
    for (const Way& way : removal.ways) {
      if (way.status != WayStatus::Blocked) continue;
      const auto part = part_of_triangle(problem->obstacles.mesh(), way.obstacle_triangle);
      // Wholly inside something: no triangle names it. Counts for everyone that is there.
      if (part) {
        ++attempt.blockers[present[*part]];
      } else {
        for (const std::size_t other : present) ++attempt.blockers[other];
      }
    }
    if (!removal.found) return;
    const Way& way = removal.ways[removal.best];
    RemovalStep step;
    step.method = RemovalMethod::Straight;
    step.direction = way.direction;
    step.path = way.path(*problem);
    step.proof = proof_of(*problem, way);
    attempt.work += step.proof.work;
    note(attempt, std::move(step), present);
  }

  void try_screw(Attempt& attempt, const PartSet& left) const {
    const PartSet present = without(left, attempt.parts);
    const std::optional<PlanProblem> problem = bodies_.problem(attempt.parts, present);
    if (!problem) return;
    DirectionOptions options = options_.directions;
    options.threads = options_.threads;  // few parts come this far, and the proof is long
    options.monitor = options_.monitor;
    const ScrewRemoval removal = remove_by_screw(*problem, options);
    attempt.work += removal.work;
    if (!removal.found) return;
    RemovalStep step;
    step.method = RemovalMethod::Screw;
    step.direction = removal.axis;
    step.path = removal.path;
    step.proof = removal.proof;
    note(attempt, std::move(step), present);
  }

  void try_planned(Attempt& attempt, const PartSet& left) const {
    const PartSet present = without(left, attempt.parts);
    const std::optional<PlanProblem> problem = bodies_.problem(attempt.parts, present);
    if (!problem) return;
    PlanOptions options;
    options.operations = options_.operations;
    options.threads = {1};
    const Plan plan = plan_path(*problem, options);
    attempt.work += plan.work;
    attempt.planner = plan.status;
    if (plan.status != PlanStatus::Found) return;
    RemovalStep step;
    step.method = RemovalMethod::Planned;
    step.path = plan.path;
    step.proof = plan.proof;
    note(attempt, std::move(step), present);
  }

  void note(Attempt& attempt, RemovalStep step, const PartSet& present) const {
    if (step.proof.status != ProofStatus::Free) return;
    step.parts = attempt.parts;
    step.present = present;
    step.relief = bodies_.relief(attempt.parts);
    attempt.step = std::move(step);
  }

  static PartSet without(const PartSet& left, const PartSet& parts) {
    PartSet rest;
    std::set_difference(left.begin(), left.end(), parts.begin(), parts.end(),
                        std::back_inserter(rest));
    return rest;
  }

  /// Groups of neighbours, the smallest first: pairs, then neighbourhoods that grow.
  void try_groups(PartSet& left, std::size_t base, std::optional<std::size_t> group) {
    std::set<PartSet> known;
    std::vector<PartSet> groups;
    const auto add = [&](PartSet parts) {
      std::sort(parts.begin(), parts.end());
      if (groups.size() < kMostGroups && known.insert(parts).second) groups.push_back(parts);
    };
    const double near = kNeighbour * bodies_.size();
    for (const std::size_t part : left) {
      if (part == base || bodies_.overlaps(part)) continue;
      PartSet grown{part};
      for (const std::size_t other : left) {
        if (other == base || other == part || bodies_.overlaps(other)) continue;
        if (!bodies_.near(part, other, near)) continue;
        add({part, other});
        grown.push_back(other);
        if (grown.size() > 2 && grown.size() <= kLargestGroup) add(grown);
      }
    }
    // All but the base: the base taken off the rest.
    PartSet rest = left;
    std::erase(rest, base);
    if (rest.size() > 1) add(rest);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const PartSet& a, const PartSet& b) { return a.size() < b.size(); });
    std::vector<Attempt> attempts(groups.size());
    parallel_for(options_.threads, groups.size(), [&](std::size_t i) {
      attempts[i].parts = groups[i];
      if (!cancelled()) try_straight(attempts[i], left);
    });
    // One at a time: groups share parts.
    for (Attempt& attempt : attempts) {
      if (!attempt.step) {
        result_.work += attempt.work;
        continue;
      }
      accept(attempt, left, group);
      return;
    }
  }

  /// What must be gone before each step: of the parts that left earlier, those that meet its path;
  /// then each of them is put back to see whether there is another way.
  void find_order(std::size_t first_step, const PartSet& whole) {
    const std::size_t count = result_.steps.size() - first_step;
    std::vector<Work> works(count);
    parallel_for(options_.threads, count, [&](std::size_t k) {
      RemovalStep& step = result_.steps[first_step + k];
      PartSet gone;
      for (const std::size_t part : without(whole, step.parts)) {
        if (!std::binary_search(step.present.begin(), step.present.end(), part) &&
            meets_path(step, part, works[k])) {
          gone.push_back(part);
        }
      }
      if (step.method == RemovalMethod::Straight) {
        for (std::size_t i = 0; i < gone.size() && !cancelled();) {
          PartSet fewer = gone;
          fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
          if (leaves_without(step.parts, without(whole, fewer), works[k])) {
            gone = fewer;
          } else {
            ++i;
          }
        }
      }
      step.after = gone;
    });
    for (const Work& work : works) result_.work += work;
  }

  bool meets_path(const RemovalStep& step, std::size_t part, Work& work) const {
    const std::optional<PlanProblem> problem = bodies_.problem(step.parts, {part});
    if (!problem) return true;
    if (step.method == RemovalMethod::Straight) {
      DirectionOptions options = options_.directions;
      options.threads = {1};
      const Way way = try_direction(*problem, step.direction, options);
      work += way.work;
      return way.status != WayStatus::Free;
    }
    ProofOptions options;
    options.threads = {1};
    const PathProof proof = prove_path(*problem, step.path, options);
    work += proof.work;
    return proof.status != ProofStatus::Free;
  }

  bool leaves_without(const PartSet& parts, const PartSet& left, Work& work) const {
    const std::optional<PlanProblem> problem = bodies_.problem(parts, without(left, parts));
    if (!problem) return false;
    DirectionOptions options = options_.directions;
    options.threads = {1};
    options.monitor = nullptr;
    const Removal removal = remove_straight(*problem, options);
    work += removal.work;
    return removal.found;
  }

  StuckPart stuck(std::size_t part, const PartSet& left) {
    StuckPart result;
    result.part = part;
    result.overlaps = bodies_.overlaps(part);
    result.start = bodies_.start(part);
    const auto known = last_.find(part);
    if (known != last_.end()) {
      const Attempt& attempt = known->second;
      result.directions = attempt.directions;
      result.blocked = attempt.blocked;
      result.planner = attempt.planner;
      std::vector<std::pair<std::size_t, std::size_t>> order;
      for (const auto& [other, count] : attempt.blockers) order.emplace_back(count, other);
      std::stable_sort(order.begin(), order.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
      for (const auto& entry : order) result.held_by.push_back(entry.second);
    }
    if (result.overlaps) {
      result.held_by = bodies_.overlapped_by(part, left);
      return result;
    }
    const std::optional<PlanProblem> problem = bodies_.problem({part}, without(left, {part}));
    if (options_.prove_stuck && problem && !cancelled()) {
      StuckOptions options;
      options.threads = options_.threads;
      options.monitor = options_.monitor;
      result.proof = prove_stuck(*problem, options);
      result_.work += result.proof.work;
    }
    return result;
  }

  const DisassembleOptions& options_;
  Bodies bodies_;
  std::map<std::size_t, Attempt> last_;  // what the last attempt of a part said
  Disassembly result_;
};

}  // namespace

const char* name_of(RemovalMethod method) {
  switch (method) {
    case RemovalMethod::Straight:
      return "straight";
    case RemovalMethod::Screw:
      return "screw";
    case RemovalMethod::Planned:
      break;
  }
  return "planned";
}

Result<Disassembly> disassemble(std::span<const DisassemblyPart> parts,
                                const DisassembleOptions& options) {
  if (parts.size() < 2) {
    return Error{ErrorCode::Invalid, {}, {}, "an assembly has at least two parts", {}};
  }
  if (options.base && *options.base >= parts.size()) {
    return Error{ErrorCode::Invalid, {}, "base", "is not a part of the assembly", {}};
  }
  if (!(options.clearance >= 0.0) || !std::isfinite(options.clearance)) {
    return Error{ErrorCode::Invalid, {}, "clearance", "is not a distance of 0 or more", {}};
  }
  return Disassembler(parts, options).run();
}

Result<PlanProblem> problem_of(std::span<const DisassemblyPart> parts, const RemovalStep& step,
                               double clearance) {
  const Mesh whole = detail::together(parts, step.parts);
  const Result<Model> body = Model::build(relieved(whole, step.relief));
  if (!body) return body.error();
  const Result<Model> obstacles = Model::build(detail::together(parts, step.present));
  if (!obstacles) return obstacles.error();
  return PlanProblem{*body, *obstacles, Pose::identity(), {}, {}, clearance};
}

std::string precedence_dot(std::span<const DisassemblyPart> parts, const Disassembly& disassembly) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + "\"";
  };
  std::string text = "digraph disassembly {\n  rankdir=LR;\n  node [shape=ellipse];\n";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += "  p" + std::to_string(i) + " [label=" + quoted(parts[i].name);
    const bool stuck = std::any_of(disassembly.stuck.begin(), disassembly.stuck.end(),
                                   [&](const StuckPart& part) { return part.part == i; });
    if (stuck) text += ", shape=box, color=red";
    text += "];\n";
  }
  for (const RemovalStep& step : disassembly.steps) {
    for (const std::size_t before : step.after) {
      for (const std::size_t part : step.parts) {
        text += "  p" + std::to_string(before) + " -> p" + std::to_string(part) + ";\n";
      }
    }
  }
  return text + "}\n";
}

}  // namespace clearance
