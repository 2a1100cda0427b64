// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// When does a moving body first touch another? The motion takes time t from 0 to 1; the answer is
// never late: no point of the motion before the returned time is in contact, and that is proven
// for the whole motion between the poses looked at, not for samples of it.
//
// Method: conservative advancement. A bound L on how far any point of B travels per unit of time
// turns a distance d at time t into a proof that (t - d/L, t + d/L) is free of contact; the next
// look is at its end, or beyond it when that interval is likely to join up. The search stops where
// the bodies are closer than a tolerance: nearly there, and not past it.
//
// What it is not: a swept volume, or a depth of penetration along the way (solid.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>
#include <clearance/query/solid.h>

namespace clearance {

/// A rigid motion of B in A's frame over t in [0, 1]. A value.
class RigidMotion {
 public:
  /// Straight along `by` [m], without turning.
  static RigidMotion linear(const Pose& start, const Vec3& by);
  /// The screw from one pose to another: a turn about one fixed line in A's frame, by at most half
  /// a turn, and an advance along it, both at constant rate. at(1) is `end` as far as both
  /// rotations are exact.
  static RigidMotion screw(const Pose& start, const Pose& end);
  /// A turn by `angle` [rad], any number of turns, about the line through `point` along the unit
  /// vector `axis` (A's frame), advancing by `advance` [m] along it.
  static RigidMotion about_axis(const Pose& start, const Vec3& point, const Vec3& axis,
                                double angle, double advance);
  /// The point `pivot` of B (B's frame [m]) goes straight, while B turns about it at constant rate
  /// by the shorter way: what planners call interpolation of poses.
  static RigidMotion interpolated(const Pose& start, const Pose& end, const Vec3& pivot = {});

  /// The pose of B in A's frame at time t.
  [[nodiscard]] Pose at(double t) const;
  [[nodiscard]] const Pose& start() const { return start_; }
  /// The coordinates that poses of a body of this reach, from its origin, are computed with at the
  /// start, at most [m]: those of its points, or of the point that it turns about if that is
  /// farther out. Rounding is a fraction of them.
  [[nodiscard]] double extent(double reach) const;
  /// An upper bound on the length of the way that any vertex of the mesh goes from 0 to 1, and per
  /// unit of time at any time [m]. Exact for screws and straight motions of small meshes; from the
  /// bounding box for meshes of more than kVerticesLookedAt vertices, O(1) then.
  [[nodiscard]] double longest_way(const Bvh& b) const;
  static constexpr std::size_t kVerticesLookedAt = 20000;
  /// The same for all points of these balls, in B's frame: a body covered by a few balls is bounded
  /// in no time. At least one ball.
  [[nodiscard]] double longest_way(std::span<const Sphere> balls) const;

 private:
  [[nodiscard]] double speed_of(const Vec3& point) const;

  Pose start_;
  Vec3 base_;      // a point of B in A's frame at the start...
  Vec3 velocity_;  // ...and its velocity at the start [m per unit of time]
  Vec3 axis_{0.0, 0.0, 1.0};
  double angle_ = 0.0;
  bool base_turns_ = false;  // a screw: the velocity of the base turns with the body
};

enum class SweepStatus : std::uint8_t {
  Free,             ///< proven: no contact from 0 to 1
  Contact,          ///< closer than the tolerance at `time`, and free before
  StartsInContact,  ///< the bodies touch at time 0
  Undecided,        ///< out of steps: free before `time`, unknown after
};

[[nodiscard]] const char* name_of(SweepStatus status);  ///< "free", "contact", ...

struct SweepOptions {
  /// Contact is reported where the bodies are this close or closer [m]. Steps grow in number as it
  /// gets smaller where a motion slides along a surface; not where it meets one head on.
  double tolerance = 1e-6;
  /// Looks at most; each is one distance().
  std::size_t steps = 100000;
};

struct Sweep {
  SweepStatus status = SweepStatus::Undecided;
  /// Everything before this time is proven free. 1 when all is. Never later than the true first
  /// contact.
  double time = 0.0;
  /// The closest look: where contact was found, or where a free motion came nearest.
  double closest_time = 0.0;
  Pose a_from_b;              ///< at closest_time
  Distance closest;           ///< of the surfaces at closest_time: points, normal and triangles
  Touch touch = Touch::None;  ///< when the motion starts in contact, how
  /// Proven bounds of the least distance over the part of the motion before `time` [m].
  double clearance_lower = 0.0;
  double clearance_upper = std::numeric_limits<double>::infinity();
  /// The tolerance used: the one asked for, or what rounding allows for these coordinates [m].
  double tolerance = 0.0;
  bool a_is_solid = false;
  bool b_is_solid = false;
  std::size_t steps = 0;
  Work work;
};

/// First contact of B, moving, with A. Solids count as such at the start (solid.h); after that
/// a body can only get into another through its surface. The motion must be finite. The same
/// arguments give the same bits; `coherence` changes the work only. Cost: a few to some dozen
/// distances for a motion through the open, about (length of the way) / (clearance) for one that
/// slides along a surface.
[[nodiscard]] Sweep sweep(const Model& a, const Model& b, const RigidMotion& motion,
                          const SweepOptions& options = {}, Coherence* coherence = nullptr);

}  // namespace clearance
