// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Does a robot program run without touching anything? Looked at continuously: between the moments
// looked at, a bound on how far any point of a link can travel turns a distance into a proof that
// an interval of time is free. What is not proven free is cut in halves until it is, or until it is
// shorter than a tolerance and reported.
//
// The bound: in the time from the middle of an interval to either end, joint j changes by h_j. It
// takes a point of a link no farther than h_j times the largest distance of the link's points from
// the axis of j, itself grown by what the joints behind j can add; joints that slide, h_j. Summed
// over the joints between the two bodies of a pair.
//
// Never a false "free": outside the intervals reported no pair of the matrix comes to contact, by
// proof, rounding included. The converse holds to the tolerances below: an interval reported may be
// closer than `tolerance` without touching.
//
// What is checked is the path of plan_path(): a line move within its stated deviation. Pairs that
// the collision matrix leaves out are not looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/check/cell.h>
#include <clearance/check/collision_matrix.h>
#include <clearance/check/program.h>
#include <clearance/query/solid.h>

namespace clearance {

struct CheckOptions {
  CheckModels models = CheckModels::Meshes;
  /// Bodies closer than this are reported as well [m].
  double clearance = 0.0;
  /// Closer than this is contact [m]. Less makes sliding along a surface slower to prove free.
  double tolerance = 1e-5;
  /// How exactly the ends of contact intervals are found [s].
  double time_tolerance = 1e-3;
  /// Points of the clearance over time, about: the program is cut into so many equal parts (each
  /// move into whole ones).
  std::size_t samples = 400;
  /// Look for how deep bodies overlap, once an interval; costs up to a second each.
  bool depth = true;
  PenetrationOptions penetration{.relative_gap = 0.05, .translations = 500, .points = 500};
  Threads threads;
  Monitor* monitor = nullptr;
};

/// A time in which two bodies are in contact, or closer than asked for. The bodies touch (or come
/// too close) at some moment no later than time_tolerance after `from` and none earlier than that
/// before `to`; just outside the interval they are free, by proof.
struct ContactInterval {
  BodyPair bodies;
  double from = 0.0;           ///< [s]
  double to = 0.0;             ///< [s]
  std::uint32_t move = 0;      ///< of the program, at worst_time
  bool touches = false;        ///< contact was found; otherwise only too close
  double worst_time = 0.0;     ///< deepest of the moments looked at, or closest [s]
  std::vector<double> values;  ///< the configuration then
  double distance = 0.0;       ///< then [m]; 0 when they touch
  /// Then, where they touch and options.depth; frame of the first body. Of meshes.
  std::optional<Penetration> depth;
  /// Spheres only: how far spheres overlap then [m]; the shapes themselves may be free.
  double sphere_overlap = 0.0;
  Vec3 point;  ///< about where, in the cell [m]
};

/// The least clearance of all pairs in one part of the program.
struct ClearanceSample {
  double from = 0.0;  ///< [s]
  double to = 0.0;    ///< [s]
  double time = 0.0;  ///< looked at: the middle [s]
  /// Of the nearest pair then [m]; 0 in contact; infinity without pairs.
  double distance = std::numeric_limits<double>::infinity();
  BodyPair nearest;  ///< that pair; means something when the distance is finite
  /// No pair is closer than this at any time from `from` to `to`, proven [m].
  double lower = 0.0;
};

struct CheckResult {
  std::vector<ContactInterval> intervals;  ///< by time, then by pair
  std::vector<ClearanceSample> samples;    ///< one after the other in time
  /// The sample of least distance; absent without pairs.
  std::optional<ClearanceSample> least;
  double lower = 0.0;      ///< of all samples [m]
  double tolerance = 0.0;  ///< as used [m]: as asked for, or what rounding allows
  bool complete = true;    ///< false: cancelled; nothing is proven then
  std::size_t looks = 0;   ///< distances of pairs asked for
  Work work;

  [[nodiscard]] bool is_free() const { return complete && intervals.empty(); }
};

/// Checks a path through the cell. Models::Spheres and SpheresFirst need spheres (asserted:
/// cell.has_spheres). SpheresFirst gives the intervals and samples of Meshes; its proven lower
/// bounds may differ. The same bits for any number of threads.
[[nodiscard]] CheckResult check_path(const ReadyCell& cell, const JointPath& path,
                                     const CheckOptions& options = {});

}  // namespace clearance
