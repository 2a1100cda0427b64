// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Taking a part out by pure translation: straight along one direction until it is out. Most parts
// of most assemblies leave that way, and it is cheap to find and to prove; the rest is plan.h's.
//
//   const Removal removal = remove_straight(problem);
//   if (removal.found) use(removal.ways[removal.best]);   // proven free all the way
//   else { const StuckProof stuck = prove_stuck(problem); ... }
//
// Every answer comes with its evidence. Free: the exact distance of the obstacles from all that the
// body passes, whatever the gap. Blocked: a pose on the way at which the bodies collide by the
// exact predicate. Stuck in all directions: a cover
// of the sphere of directions by cones, each blocked as a whole by one overlap that is deeper than
// the cone is wide. Out, clearance and frames are those of problem.h. The goal is not used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/plan/path.h>
#include <clearance/plan/problem.h>
#include <clearance/plan/proof.h>

namespace clearance {

enum class WayStatus : std::uint8_t {
  Free,       ///< proven: nothing nearer than the clearance until out
  Blocked,    ///< a pose on the way is not free: certificate
  Undecided,  ///< grazes: no pose found that touches, no gap above rounding; or not looked at
};
[[nodiscard]] const char* name_of(WayStatus status);  ///< "free", "blocked", "undecided"

/// One direction and what became of it.
struct Way {
  Vec3 direction;  ///< unit vector, world
  WayStatus status = WayStatus::Undecided;
  double length = 0.0;   ///< until out [m]
  double reached = 0.0;  ///< proven free so far [m]; `length` when free. Not looked for when 0.
  /// Proven bounds of the least distance over the part that is free [m]; equal but for rounding
  /// when all is.
  double clearance_lower = 0.0;
  double clearance_upper = 0.0;
  double narrowest_at = 0.0;  ///< when free: how far along it is that close [m]
  /// The certificate of a blocked way: moved by this much along the direction [m] the body touches
  /// the obstacles (or is closer than the clearance, where one is asked for)...
  double blocked_at = 0.0;
  std::uint32_t obstacle_triangle = kNoTriangle;  ///< ...here, unless wholly inside
  std::uint32_t body_triangle = kNoTriangle;
  std::size_t looks = 0;
  Work work;

  /// From the start to out, when free.
  [[nodiscard]] PlanPath path(const PlanProblem& problem) const;
};

struct DirectionOptions {
  /// Directions spread evenly over the sphere, beside those the shapes suggest.
  std::size_t spread = 200;
  /// Distances at most for one sweep that tells how far a blocked way goes.
  std::size_t looks = 20'000;
  /// Look for the best of this many free ways, the most promising first; 1: the first will do.
  std::size_t free_ways = 1;
  /// Find out how far each blocked way goes (costs a sweep each); the certificates need it not.
  bool how_far = false;
  Threads threads{};  ///< never changes the answer
  Monitor* monitor = nullptr;
};

/// Directions worth trying, likely ones first: the axes of the world, the axes of grooves and holes
/// around the body (the directions square to the surfaces near it), the normals of these surfaces
/// and the principal axes of the body; then options.spread of them all over the sphere.
[[nodiscard]] std::vector<Vec3> removal_directions(const PlanProblem& problem,
                                                   const DirectionOptions& options = {});

/// One direction alone. Both trees must be wide, here and below (query/shapes.h). Cost of a free
/// way: a tree over about two to five times the body's triangles, and one distance.
[[nodiscard]] Way try_direction(const PlanProblem& problem, const Vec3& direction,
                                const DirectionOptions& options = {});

struct Removal {
  bool found = false;
  std::size_t best = 0;  ///< of `ways`: free, the first that is about as wide as any found
  /// In the order of removal_directions(). Those that were not needed after a free one was found
  /// are left Undecided, without looks. Not found and none undecided: proven that no direction of
  /// this set leads out.
  std::vector<Way> ways;
  std::size_t blocked = 0;  ///< ways with a certificate
  Work work;
};

/// Tries removal_directions(): first all for certificates, at a few poses each, then sweeps those
/// that are left, those with the most room first. The start must be free (check_problem).
[[nodiscard]] Removal remove_straight(const PlanProblem& problem,
                                      const DirectionOptions& options = {});

/// The proof of a free way's path(), from what is known about the way: a few looks for the figures,
/// where prove_path() would take about (length) / (gap).
[[nodiscard]] PathProof proof_of(const PlanProblem& problem, const Way& way);

/// The body moved from its start by any vector within `radius` of `translation` overlaps the
/// obstacles: `point` is so deep in both. So it cannot go straight in any direction within
/// asin(radius / |translation|) of the translation's.
struct BlockedBall {
  Vec3 translation;     ///< world [m]
  double radius = 0.0;  ///< [m]
  Vec3 point;           ///< world [m], with the body at start + translation
};

/// A triangle of directions in each of which one point of one body meets one triangle of the other:
/// the rays along the three corners do, and so do all between.
struct BlockedCell {
  std::array<Vec3, 3> corners;  ///< unit vectors, world
  Vec3 point;                   ///< world [m], at the start
  bool of_body = true;          ///< a point of the body meets the obstacles, or the other way round
  std::uint32_t triangle = kNoTriangle;  ///< of the other one
};

struct StuckOptions {
  /// Cells of the sphere looked at one by one, at most; each costs some hundred rays.
  std::size_t cells = 20'000;
  /// Cells are cut in four at most this often; the last are 0.3 degrees wide with 7.
  int depth = 8;
  Threads threads{};  ///< never changes the answer
  Monitor* monitor = nullptr;
};

struct StuckProof {
  /// Proven: no straight translation in any direction whatever takes the body out.
  bool all = false;
  double fraction = 0.0;  ///< of the sphere of directions that is proven blocked
  /// What proves it: every direction of the proven part is in the cone of one of the balls, or in
  /// one of the cells.
  std::vector<BlockedBall> balls;
  std::vector<BlockedCell> blocked_cells;
  /// When not all: a direction in the middle of the largest part left.
  std::optional<Vec3> open_direction;
  std::size_t cells = 0;  ///< looked at one by one
  Work work;
};

/// Covers the sphere of directions with cones that are blocked as a whole. The sphere is cut into
/// cells (triangles of an icosahedron, in four again and again); a cell is proven by an overlap
/// deep enough for its width, or by a point that meets the same triangle all over the cell. A
/// gap that lets the body through in a single direction is never lost: it stays unproven. With a
/// clearance above 0 the proof is for touching all the same, so stronger than asked. Both trees
/// must be wide.
[[nodiscard]] StuckProof prove_stuck(const PlanProblem& problem, const StuckOptions& options = {});

/// Unscrewing: along an axis while turning about it, as far as a thread goes, then straight on.
struct ScrewRemoval {
  bool found = false;
  Vec3 point, axis;    ///< the line, world; the body advances along the unit vector `axis`
  double pitch = 0.0;  ///< advance for a whole turn [m]; below 0 when it turns left-handed
  double turns = 0.0;  ///< until a straight way is free
  PlanPath path;
  PathProof proof;  ///< of the path, by prove_path()
  Work work;
};

/// Looks for a thread: the screw that the body's surfaces near the obstacles show, of any axis,
/// pitch and hand, is followed until the body can leave straight. Where they show none, about the
/// likely axes (those of removal_directions() through the middle of the body) the body is turned
/// step by step, and moved along the axis to where it has the most room. When a turn comes out
/// well, the advance is its pitch, and the screw is followed until the body can leave straight. A
/// few hundred distances an axis; finds nuts, bolts, lids, bayonets without a step. The start must
/// be free.
[[nodiscard]] ScrewRemoval remove_by_screw(const PlanProblem& problem,
                                           const DirectionOptions& options = {});

/// The part of a mesh made of several (Mesh::parts) that a triangle belongs to, or nothing.
[[nodiscard]] std::optional<std::size_t> part_of_triangle(const Mesh& mesh, std::uint32_t triangle);

}  // namespace clearance
