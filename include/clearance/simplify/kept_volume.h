// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kept volume: everything a ball of a given diameter, or a given tool, cannot reach without
// touching the body. Bores, screw holes and slots narrower than that belong to it and vanish from a
// simplified model; wider ones stay empty. It is what a sphere model has to cover.
//
// Definition. The body M is the solid, for a closed and consistently wound mesh; otherwise the
// surface alone. With r the radius of an external ball, the centres of balls that do not touch are
// D(r) = {x : dist(x, M) >= r}, and the kept volume is K = {p : dist(p, D(r)) >= r}: what no such
// ball contains (the closing of M by a ball). Larger balls reach nothing more. r = 0: K = M.
//
// Cavities. Balls count where they get to from outside. A cavity whose openings none passes through
// is filled however large it is: the inside of a housing, and what a mesh with cracks wraps around.
// D(r) has nothing in it then. What is filled is proven not to be reached; an opening narrower than
// the ball by less than about the cells of the search (a quarter of the ball at most) may count as
// one that it passes, and no cavity is filled where the body is so large beside the ball that cells
// do not get as small as that. With fill_cavities off balls count wherever they fit.
//
// Tools. An external tool is a set of balls T that is moved, at each of some orientations, but not
// turned on the way. A place of it is free when no ball has a point of M inside; F is the union of
// the tool over all free places, also those that no way leads to, and K what is not in F. So
// filling costs a check with this tool, at these orientations, nothing: where the tool is free of
// M, it is free of K. A ball about c stays within e of K when all points nearer than its radius
// less e are in K: the radius dist(c, F) + e is proven, and for e up to the smallest ball of T the
// largest.
//
// A model of error e covers K and stays within e of it. No ball about c that does is larger than
//     dist(c, D(s)) - max(r - e, 0),   s = max(r, e).
// For e >= r that is the largest, since growing K by e is growing M, and the cavities that are
// filled, by e; for e < r it is about a point c of K. About one outside, which only the smallest
// balls are, the largest has the radius e - dist(c, K): less, where external balls that reach over
// each other leave K farther away than each for itself. A KeptVolume gives bounds in both
// directions, each proven: balls it calls safe stay within e of K, and cells it calls outside have
// no point of K.
//
// An immutable value: copies share their data, and any number of threads may read it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>

namespace clearance {

/// A tool that fills what it cannot reach.
struct ExternalTool {
  std::vector<Sphere> spheres;  ///< in its own frame [m]; none: no tool
  std::vector<Mat3> turns;      ///< body_from_tool without the translation; none: as it stands
  [[nodiscard]] bool empty() const { return spheres.empty(); }
};

struct KeptVolumeOptions {
  /// Diameter of the external balls [m]; 0: none, the kept volume is the body itself.
  double external_diameter = 0.0;
  /// Fill also what external balls fit into but do not get to from outside.
  bool fill_cavities = true;
  /// Instead of balls. Everything takes longer by the number of spheres that matter at a place.
  ExternalTool external_tool;
  /// How closely the set of external balls held ready follows the boundary of K [m]; 0: a hundredth
  /// of the diagonal of the body. The definition does not depend on it, only how much beyond K a
  /// proof of cover has to cover.
  double resolution = 0.0;
  Threads threads;
  Monitor* monitor = nullptr;
};

namespace detail {
class OffsetShell;
}  // namespace detail

class KeptVolume {
  struct Data;

 public:
  /// Errors: a diameter or resolution that is negative or not finite; a tool with a sphere without
  /// a radius above 0, with an orientation that is no rotation, with more than 512 spheres times
  /// orientations, or beside a diameter; cancelled.
  static Result<KeptVolume> make(const Model& body, const KeptVolumeOptions& options = {});

  [[nodiscard]] const Model& body() const;
  [[nodiscard]] double external_diameter() const;  ///< [m]
  [[nodiscard]] const ExternalTool& external_tool() const;
  /// Is it more than the body: are there external balls or tools?
  [[nodiscard]] bool is_filled() const;
  [[nodiscard]] double resolution() const;  ///< [m]
  /// A box that holds the kept volume [m]: that of the body, since K lies within its convex hull.
  [[nodiscard]] Box bounds() const;
  /// Balls of at least the external diameter that do not touch the body, proven; together they
  /// leave nothing out of K by more than about the resolution. Empty without balls.
  [[nodiscard]] std::span<const Sphere> external_spheres() const;
  /// Are there cavities that external balls fit into and that are filled?
  [[nodiscard]] bool has_filled_cavities() const;
  /// Of the centre of an external ball that does not touch the body: is it in D(r), not in a
  /// cavity that is filled?
  [[nodiscard]] bool is_reached(const Vec3& center) const;

  /// Is it proven that no point within `radius` of `center` is in K? False where it is not known.
  [[nodiscard]] bool is_outside(const Vec3& center, double radius) const;

  /// A ball with `point` in it and no point of K inside, proven: free of the body, and of at least
  /// the external diameter, or one of a tool at a free place. Radius 0 where none is found: in K,
  /// and within rounding of it.
  [[nodiscard]] Sphere free_ball(const Vec3& point) const;

  /// A radius such that the ball about c stays within `error` of K, proven: every point of it is at
  /// most `error` from a point of K. At most `tolerance` [m] less than the largest such radius
  /// unless the search would take more than some ten milliseconds, or c is outside of K and only
  /// the distance from the body is known; negative when even the point c is farther than that.
  /// Cost: two or three distances where the nearest way out of the body leads to free space, as on
  /// convex parts and beside wide concave ones; else about 0.1 to 1 ms.
  [[nodiscard]] double safe_radius(const Vec3& c, double error, double tolerance) const;
  /// The same by points of D(s) held ready, for searches: not proven, off by about the resolution
  /// at most. Cost: one or two microseconds.
  [[nodiscard]] double quick_radius(const Vec3& c, double error) const;
  /// That, and what limits it: the centre of an external ball, or the point at the error from the
  /// body, that is nearest to c. The radius grows fastest straight away from it.
  struct QuickBall {
    double radius = 0.0;
    Vec3 limit;
  };
  [[nodiscard]] QuickBall quick_ball(const Vec3& c, double error) const;
  /// quick_ball() for one error, for those that ask millions of times from several threads: it does
  /// not look for the points of D(s) each time. Keeps what it needs of the kept volume.
  class Quick {
   public:
    [[nodiscard]] QuickBall ball(const Vec3& c) const;

   private:
    friend class KeptVolume;
    std::shared_ptr<const Data> data_;
    std::shared_ptr<const detail::OffsetShell> shell_;  // null where none is needed
    double error_ = 0.0;
  };
  [[nodiscard]] Quick quick(double error) const;
  /// What bounds balls from above, proven: no ball about a point c that stays within the error of K
  /// has a radius of more than |c - center| - less.
  struct Limit {
    Vec3 center;
    double less = 0.0;
  };
  /// One that is about as close as there is at c; nothing where none is found, and for tools. Cost:
  /// some ten distances from the body.
  [[nodiscard]] std::optional<Limit> limit_near(const Vec3& c, double error) const;
  /// One that is nearly always the closest at c: the best of those found from places beside it, up
  /// to `beside` [m] along each axis. Cost: some ten times that.
  [[nodiscard]] std::optional<Limit> limit_among(const Vec3& c, double error, double beside) const;
  /// Makes ready what the two need for errors beyond the external radius (all errors, without
  /// filling); some tenths of a second. Without it the first of them does, on one thread. That of
  /// the last four errors is kept; when cancelled, nothing is. Not from within a parallel loop.
  void prepare(double error, Threads threads = {}, Monitor* monitor = nullptr) const;

 private:
  struct Search;
  static double distance_from_kept(const Data& data, const Vec3& c, double surface,
                                   double tolerance);
  static double safe_radius_of_tool(const Data& data, const Vec3& c, double error,
                                    double tolerance);
  explicit KeptVolume(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace clearance
