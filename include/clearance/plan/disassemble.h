// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Taking a whole assembly apart: in which order, along which paths, and what cannot come out.
//
// Taking parts away never blocks another, so parts are removed in rounds: all that can leave while
// the others stand, then all that can leave without those, until nothing moves. A part is tried
// straight first, then by unscrewing (directions.h), then with the full planner (plan.h); where no
// single part comes out, parts that hold each other are tried as one body and taken apart
// afterwards. The largest part stays. Every path is proven over its whole length against all parts
// that are still there.
//
// The same parts and options give the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/plan/directions.h>
#include <clearance/plan/plan.h>

namespace clearance {

struct DisassemblyPart {
  std::string name;
  Mesh mesh;  ///< in place, in the world [m]: paths start at the identity
};

struct DisassembleOptions {
  double clearance = 0.0;  ///< that every path keeps [m]
  /// Parts that touch when assembled are relieved (problem.h) while they move, by up to this depth
  /// [m]. Below 0: up to 1 % of the part's diagonal. 0: never; parts that touch are then refused.
  double touching = -1.0;
  /// The part that stays; absent: the one with the longest diagonal.
  std::optional<std::size_t> base;
  DirectionOptions directions{};
  /// Also try to unscrew, and the full planner with this budget for each part and round.
  bool turning = true;
  std::uint64_t operations = 4'000'000'000;
  /// Try parts that hold each other as one body.
  bool groups = true;
  /// For parts that stay stuck: prove it for all directions of translation.
  bool prove_stuck = true;
  Threads threads{};  ///< never changes the answer
  Monitor* monitor = nullptr;
};

enum class RemovalMethod : std::uint8_t {
  Straight,  ///< one translation
  Screw,     ///< unscrewed, then straight
  Planned,   ///< the full planner
};
[[nodiscard]] const char* name_of(RemovalMethod method);  ///< "straight", "screw", "planned"

/// One step: a part, or a group moved as one, leaves.
struct RemovalStep {
  std::vector<std::size_t> parts;    ///< ascending
  std::vector<std::size_t> present;  ///< parts that stand around it, ascending: the obstacles
  std::size_t round = 0;
  /// Set when this step takes a group apart that left as one: the step in which it did.
  std::optional<std::size_t> of_group;
  RemovalMethod method = RemovalMethod::Straight;
  Vec3 direction;       ///< unit vector, when straight or unscrewed
  double relief = 0.0;  ///< depth by which the moving body is smaller than the parts [m]
  PlanPath path;        ///< world_from_body, from the identity until out
  PathProof proof;
  /// What must be gone before: with these parts away and all others there, it comes out. As few as
  /// testing them one by one leaves; for planned paths, those that the path itself meets.
  std::vector<std::size_t> after;
};

/// A part that does not come out.
struct StuckPart {
  std::size_t part = 0;
  /// It overlaps its neighbours deeper than may be relieved: not tried. `overlap` says how deep.
  bool overlaps = false;
  PoseReport start;                  ///< how it stands among the others
  std::vector<std::size_t> held_by;  ///< parts that block directions, those that block most first
  std::size_t directions = 0;        ///< tried, every one...
  std::size_t blocked = 0;           ///< ...of these with a certificate
  StuckProof proof;                  ///< for all translations, when asked for
  /// What the full planner said, where it was asked.
  std::optional<PlanStatus> planner;
};

struct Disassembly {
  std::vector<RemovalStep> steps;  ///< in the order of removal
  std::vector<StuckPart> stuck;    ///< ascending
  std::vector<std::size_t> stays;  ///< the base, and the last part of every group
  std::size_t rounds = 0;
  Work work;
  bool cancelled = false;

  /// Everything came apart.
  [[nodiscard]] bool complete() const { return stuck.empty() && !cancelled; }
};

/// Takes the parts apart. Errors: fewer than two parts, an empty mesh, a base that is not there, a
/// negative clearance.
[[nodiscard]] Result<Disassembly> disassemble(std::span<const DisassemblyPart> parts,
                                              const DisassembleOptions& options = {});

/// The bodies of a step, as the proof saw them: the parts' meshes together, relieved.
[[nodiscard]] Result<PlanProblem> problem_of(std::span<const DisassemblyPart> parts,
                                             const RemovalStep& step, double clearance);

/// The precedence graph in the DOT language: an arrow from each part to those that can only leave
/// after it; stuck parts are boxes.
[[nodiscard]] std::string precedence_dot(std::span<const DisassemblyPart> parts,
                                         const Disassembly& disassembly);

/// A GLB file of all parts, one step after the other, `seconds_per_step` each.
[[nodiscard]] Status write_disassembly_glb(const std::string& path,
                                           std::span<const DisassemblyPart> parts,
                                           const Disassembly& disassembly,
                                           double seconds_per_step = 2.0);

}  // namespace clearance
