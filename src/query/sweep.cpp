// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <clearance/base/assert.h>
#include <clearance/query/sweep.h>

#include "query/solid_bounds.h"

namespace clearance {
namespace {

// Rounding of a pose computed at a time, and of what it does to coordinates, as a fraction of the
// scene: some dozen operations of 2^-53 each, with a reserve of ten.
constexpr double kPoseRounding = 0x1p-45;
// What a distance may be off by itself (query.h).
constexpr double kDistanceRounding = 1e-9;
// A look ahead goes this many times as far as the last distance proves. At 1.5 two equal distances
// overlap by half of one, so that a proven clearance is left everywhere between.
constexpr double kLeap = 1.5;
// A look ahead is worth it where the last step left at least this part of the distance.
constexpr double kLeapWhenLeft = 0.6;

/// sin(x) / x
double sine_over(double x) { return std::abs(x) < 1e-8 ? 1.0 : std::sin(x) / x; }
/// (1 - cos(x)) / x, without cancellation.
double versine_over(double x) {
  return std::abs(x) < 1e-8 ? 0.5 * x : 2.0 * std::sin(0.5 * x) * std::sin(0.5 * x) / x;
}

struct AxisAngle {
  Vec3 axis{0.0, 0.0, 1.0};
  double angle = 0.0;
};

/// The turn from one rotation to another, by at most half a turn.
AxisAngle turn_between(const Mat3& from, const Mat3& to) {
  const Quaternion q = quaternion_from(nearest_rotation(to * transpose(from)));
  const Vec3 v{q.x, q.y, q.z};
  const double sine = norm(v);
  if (sine == 0.0) return {};
  return {v / sine, 2.0 * std::atan2(sine, q.w)};
}

}  // namespace

RigidMotion RigidMotion::linear(const Pose& start, const Vec3& by) {
  RigidMotion motion;
  motion.start_ = start;
  motion.base_ = start.translation;
  motion.velocity_ = by;
  return motion;
}

RigidMotion RigidMotion::screw(const Pose& start, const Pose& end) {
  RigidMotion motion = linear(start, end.translation - start.translation);
  const AxisAngle turn = turn_between(start.rotation, end.rotation);
  motion.axis_ = turn.axis;
  motion.angle_ = turn.angle;
  motion.base_turns_ = true;
  // Across the axis the base goes (s + c axis x) velocity in all, s and c as in at(): solved for
  // the velocity like a division of complex numbers. s² + c² is at least (2/pi)².
  const Vec3 way = motion.velocity_;
  const Vec3 along = dot(way, turn.axis) * turn.axis;
  const Vec3 across = way - along;
  const double s = sine_over(turn.angle);
  const double c = versine_over(turn.angle);
  motion.velocity_ = along + (s * across - c * cross(turn.axis, across)) / (s * s + c * c);
  return motion;
}

RigidMotion RigidMotion::about_axis(const Pose& start, const Vec3& point, const Vec3& axis,
                                    double angle, double advance) {
  RigidMotion motion;
  motion.start_ = start;
  // A point of B on the axis moves along it.
  motion.base_ = point;
  motion.velocity_ = advance * axis;
  motion.axis_ = axis;
  motion.angle_ = angle;
  motion.base_turns_ = true;
  return motion;
}

RigidMotion RigidMotion::interpolated(const Pose& start, const Pose& end, const Vec3& pivot) {
  RigidMotion motion;
  motion.start_ = start;
  motion.base_ = start * pivot;
  motion.velocity_ = end * pivot - motion.base_;
  const AxisAngle turn = turn_between(start.rotation, end.rotation);
  motion.axis_ = turn.axis;
  motion.angle_ = turn.angle;
  return motion;
}

Pose RigidMotion::at(double t) const {
  const double turned = t * angle_;
  Vec3 way = t * velocity_;
  if (base_turns_) {
    const Vec3 along = dot(velocity_, axis_) * axis_;
    const Vec3 across = velocity_ - along;
    way = t * (along + sine_over(turned) * across + versine_over(turned) * cross(axis_, across));
  }
  if (turned == 0.0) return {start_.rotation, start_.translation + way};
  const Mat3 turn = rotation_about(axis_, turned);
  return {turn * start_.rotation, base_ + way + turn * (start_.translation - base_)};
}

double RigidMotion::extent(double reach) const {
  const double own = reach + norm(start_.translation);
  return std::max(own, norm(base_));
}

/// An upper bound on the speed of a point of B, exact for screws.
double RigidMotion::speed_of(const Vec3& point) const {
  const Vec3 turning = cross(angle_ * axis_, start_ * point - base_);
  // Along a screw every point keeps its speed.
  if (base_turns_) return norm(velocity_ + turning);
  // Across the axis the two velocities may come to point the same way.
  const double along = dot(velocity_, axis_);
  const double across = norm(velocity_ - along * axis_) + norm(turning);
  return std::sqrt(along * along + across * across);
}

double RigidMotion::longest_way(const Bvh& b) const {
  if (angle_ == 0.0) return norm(velocity_) * (1.0 + 1e-12);
  double speed = 0.0;
  if (b.vertices().size() <= kVerticesLookedAt) {
    for (const Vec3& vertex : b.vertices()) speed = std::max(speed, speed_of(vertex));
  } else {
    for (const Vec3& corner : detail::corners(b.bounds()))
      speed = std::max(speed, speed_of(corner));
  }
  return speed * (1.0 + 1e-12);
}

double RigidMotion::longest_way(std::span<const Sphere> balls) const {
  if (angle_ == 0.0) return norm(velocity_) * (1.0 + 1e-12);
  double speed = 0.0;
  for (const Sphere& ball : balls)
    speed = std::max(speed, speed_of(ball.center) + std::abs(angle_) * ball.radius);
  return speed * (1.0 + 1e-12);
}

const char* name_of(SweepStatus status) {
  switch (status) {
    case SweepStatus::Free:
      return "free";
    case SweepStatus::Contact:
      return "contact";
    case SweepStatus::StartsInContact:
      return "starts_in_contact";
    case SweepStatus::Undecided:
      break;
  }
  return "undecided";
}

Sweep sweep(const Model& a, const Model& b, const RigidMotion& motion, const SweepOptions& options,
            Coherence* coherence) {
  CLEARANCE_ASSERT(checked_pose(motion.start()).ok() && checked_pose(motion.at(1.0)).ok());
  CLEARANCE_ASSERT(options.tolerance >= 0.0);
  Coherence own;
  Coherence& memory = coherence != nullptr ? *coherence : own;
  Sweep result;
  result.a_is_solid = a.is_solid();
  result.b_is_solid = b.is_solid();

  const double speed = motion.longest_way(b.bvh());
  const double rounding = kPoseRounding * (detail::reach(a.bvh().bounds()) +
                                           motion.extent(detail::reach(b.bvh().bounds())) + speed);
  result.tolerance = std::max(4.0 * rounding, options.tolerance);

  // One look at the motion: the distance at a time, and the part of it that is proven.
  struct Look {
    double time = 0.0;
    double proven = 0.0;
    bool contact = false;
  };
  const auto note = [&](double time, const Pose& pose, const Distance& d) {
    if (d.distance < result.clearance_upper) {
      result.clearance_upper = d.distance;
      result.closest_time = time;
      result.a_from_b = pose;
      result.closest = d;
    }
    return Look{time, (1.0 - kDistanceRounding) * d.lower - rounding,
                d.distance <= result.tolerance};
  };
  const auto look_at = [&](double time, Pose& pose, Distance& d) {
    pose = motion.at(time);
    d = distance(a.bvh(), b.bvh(), pose, {}, &memory);
    result.work += d.work;
    ++result.steps;
  };

  const SolidDistance first = distance(a, b, motion.at(0.0), {}, &memory);
  result.work += first.work;
  ++result.steps;
  Look here = note(0.0, motion.at(0.0), first.surface);
  if (first.touch != Touch::None) {
    result.status = SweepStatus::StartsInContact;
    result.touch = first.touch;
    result.clearance_upper = 0.0;
    return result;
  }
  result.clearance_lower = std::max(0.0, here.proven);
  const auto between = [&](const Look& p, const Look& q) {
    return 0.5 * (p.proven + q.proven - speed * (q.time - p.time));
  };

  bool leap = true;
  while (!here.contact) {
    if (here.time >= 1.0) {
      result.status = SweepStatus::Free;
      result.time = 1.0;
      return result;
    }
    if (result.steps >= options.steps) {
      result.time = here.time;
      return result;
    }
    const double step =
        speed > 0.0 ? (1.0 - 1e-12) * here.proven / speed : std::numeric_limits<double>::infinity();
    Pose pose;
    Distance d;
    // Beyond the end of what is proven, if the next look is likely to prove it from there.
    if (leap && here.time + step < 1.0) {
      const double time = std::min(1.0, here.time + kLeap * step);
      look_at(time, pose, d);
      const Look there{time, (1.0 - kDistanceRounding) * d.lower - rounding, false};
      const double clearance = between(here, there);
      if (d.distance > result.tolerance && clearance >= 0.2 * std::min(here.proven, there.proven)) {
        result.clearance_lower = std::min(result.clearance_lower, clearance);
        leap = there.proven >= kLeapWhenLeft * here.proven;
        here = note(time, pose, d);
        continue;
      }
      leap = false;
    }
    const double time = std::min(1.0, here.time + step);
    look_at(time, pose, d);
    const Look there = note(time, pose, d);
    result.clearance_lower = std::min(result.clearance_lower, std::max(0.0, between(here, there)));
    leap = there.proven >= kLeapWhenLeft * here.proven;
    here = there;
  }
  result.status = SweepStatus::Contact;
  result.time = here.time;
  return result;
}

}  // namespace clearance
