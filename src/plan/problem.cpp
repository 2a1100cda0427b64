// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include <clearance/plan/problem.h>

#include "plan/look_at.h"
#include "plan/scene_size.h"
#include "plan/solid_query.h"

namespace clearance {
namespace {

// A proposed pose keeps this much more than the clearance asked for, as a fraction of the way...
constexpr double kFreeMargin = 1e-3;
// ...and at least this, as a fraction of the scene: what rounding of poses and distances may eat.
constexpr double kLeastMargin = 1e-12;
// Pushes along the normal of the closest points before other directions are tried.
constexpr int kPushes = 24;
// Halvings of a way out; the last leaves a thousandth of it.
constexpr int kHalvings = 10;
// A body that overlaps by less than this part of its size touches, as assembled parts do, rather
// than stands in the wrong place.
constexpr double kTouchingDepth = 1e-3;

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
  std::array<char, 512> text{};
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

/// Millimetres for people; the library is in metres.
double mm(double metres) { return 1e3 * metres; }

/// Poses reached by moving without turning, and the nearest one found that is free.
class FreeSearch {
 public:
  FreeSearch(const PlanProblem& problem, const Pose& pose)
      : problem_(problem), pose_(pose), margin_(kLeastMargin * detail::scene_size(problem, pose)) {}

  /// Is the body free when moved by this? Keeps the shortest way that is.
  bool try_way(const Vec3& way) {
    const Pose moved{pose_.rotation, pose_.translation + way};
    if (detail::is_within(problem_, problem_.body, moved, problem_.clearance + margin_,
                          &coherence_)) {
      return false;
    }
    if (!best_ || norm(way) < norm(*best_)) best_ = way;
    return true;
  }

  /// Outward along a direction from a first length on, twice as far each time; then back by halves.
  void along(const Vec3& direction, double first, double farthest) {
    if (!(norm(direction) > 0.5) || !(first > 0.0)) return;
    double blocked = 0.0;
    double free = first;
    while (!try_way(free * direction)) {
      blocked = free;
      free *= 2.0;
      if (free > farthest || (best_ && free >= norm(*best_))) return;
    }
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (blocked + free);
      (try_way(middle * direction) ? free : blocked) = middle;
    }
  }

  /// Away from the nearest surface again and again: finds the middle of a gap that is wide enough.
  void push() {
    Vec3 way;
    for (int i = 0; i < kPushes; ++i) {
      const Pose moved{pose_.rotation, pose_.translation + way};
      const SolidDistance d = detail::distance_of(problem_, moved, &coherence_);
      if (d.touch != Touch::None || !(d.distance > 0.0)) return;
      const double lack = problem_.clearance + 2.0 * margin_ - d.distance;
      if (lack <= 0.0) break;
      way += (1.0 + kFreeMargin) * lack * d.surface.normal;
    }
    try_way(way);
  }

  [[nodiscard]] std::optional<Pose> best() const {
    if (!best_) return std::nullopt;
    return Pose{pose_.rotation, pose_.translation + *best_};
  }
  [[nodiscard]] double margin() const { return margin_; }

 private:
  const PlanProblem& problem_;
  Pose pose_;
  double margin_;
  Coherence coherence_;
  std::optional<Vec3> best_;
};

std::optional<Pose> find_free(const PlanProblem& problem, const Pose& pose,
                              const PoseReport& report, const Vec3& separation,
                              const Vec3& normal) {
  FreeSearch search(problem, pose);
  const double farthest = 2.0 * (problem.obstacles.bvh().bounds().diagonal() +
                                 problem.body.bvh().bounds().diagonal() + problem.clearance);
  if (report.touch == Touch::None) {
    search.push();
    search.along(normal, problem.clearance - report.distance + search.margin(), farthest);
  } else {
    // The shortest separation leaves the bodies a hair apart: on from there by the clearance.
    const double depth = norm(separation);
    const Vec3 direction = normalized(separation);
    const double first = (1.0 + kFreeMargin) * depth + problem.clearance + search.margin();
    if (!search.try_way(first * direction)) search.along(direction, first, farthest);
  }
  for (std::size_t k = 0; k < 6; ++k) {
    Vec3 axis;
    axis[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
    const double first = std::max(problem.clearance, report.depth_upper) + search.margin();
    search.along(axis, first, farthest);
  }
  return search.best();
}

std::string pose_text(const Pose& pose) {
  const Quaternion q = quaternion_from(pose.rotation);
  return format("position %.9g %.9g %.9g m, quaternion x y z w %.9g %.9g %.9g %.9g",
                pose.translation.x, pose.translation.y, pose.translation.z, q.x, q.y, q.z, q.w);
}

/// Why a pose is refused, as the reason of an error.
std::string refusal(const PlanProblem& problem, const PoseReport& report) {
  const std::string where = report.body_triangle == kNoTriangle
                                ? std::string()
                                : format(" (triangle %u of the body, triangle %u of the obstacles)",
                                         report.body_triangle, report.obstacle_triangle);
  switch (report.touch) {
    case Touch::None:
      return format(
                 "the body is %.6g mm from the obstacles, not more than the clearance of %.6g mm",
                 mm(report.distance), mm(problem.clearance)) +
             where;
    case Touch::Surfaces:
      return format("the body touches the obstacles, %.4g to %.4g mm deep", mm(report.depth_lower),
                    mm(report.depth_upper)) +
             where;
    case Touch::AInsideB:
      return format("the obstacles, or a piece of them, are inside the body, %.4g to %.4g mm deep",
                    mm(report.depth_lower), mm(report.depth_upper));
    case Touch::BInsideA:
      return format("the body, or a piece of it, is inside the obstacles, %.4g to %.4g mm deep",
                    mm(report.depth_lower), mm(report.depth_upper));
  }
  return {};
}

Status check_pose(const PlanProblem& problem, const Pose& pose, const char* name) {
  const Result<Pose> rigid = checked_pose(pose);
  if (!rigid) {
    return Error{ErrorCode::Invalid, {}, name, rigid.error().reason, rigid.error().advice};
  }
  if (!(norm(pose.translation) < kLargestTranslation)) {
    return Error{ErrorCode::Invalid, {}, name, "is too far away to be computed with", {}};
  }
  if (!detail::is_within(problem, problem.body, pose, problem.clearance)) return {};
  const PoseReport report = look_at_pose(problem, pose);
  if (report.free) return {};
  std::string advice;
  if (report.nearest_free) {
    advice = format("nearest free pose found, %.4g mm away: ",
                    mm(distance(report.nearest_free->translation, pose.translation))) +
             pose_text(*report.nearest_free);
  } else {
    advice = "no free pose was found nearby";
  }
  const double size = problem.body.bvh().bounds().diagonal();
  if (report.touch != Touch::None && report.depth_upper <= kTouchingDepth * size) {
    advice += format(
        "; parts that touch when assembled are allowed to by relieving the body by"
        " %.2g mm or more (--touching auto)",
        mm(std::max(report.depth_upper, 1e-9 * size)));
  } else if (report.touch == Touch::None) {
    advice += "; or ask for less clearance";
  }
  return Error{ErrorCode::Invalid, {}, name, refusal(problem, report), advice};
}

}  // namespace

Vec3 pivot_of(const Model& body) { return body.bvh().bounds().center(); }

Box plan_bounds(const PlanProblem& problem) {
  const Vec3 pivot = pivot_of(problem.body);
  Box box = problem.obstacles.bvh().bounds();
  box.include(problem.start * pivot);
  if (problem.goal) box.include(*problem.goal * pivot);
  // In any orientation the body fits beside the box, with room to spare for turning.
  const double beside = problem.body.bvh().bounds().diagonal() + 2.0 * problem.clearance;
  box.low -= Vec3{beside, beside, beside};
  box.high += Vec3{beside, beside, beside};
  return box;
}

bool is_out(const PlanProblem& problem, const Pose& world_from_body) {
  const Box& obstacles = problem.obstacles.bvh().bounds();
  const std::span<const Vec3> vertices = problem.body.bvh().vertices();
  // On which of the six sides all vertices so far are beyond; most poses have none after a few.
  std::array<bool, 6> beyond{true, true, true, true, true, true};
  for (const auto& face : problem.body.bvh().faces()) {
    for (const std::uint32_t i : face) {
      const Vec3 p = world_from_body * vertices[i];
      bool any = false;
      for (std::size_t k = 0; k < 3; ++k) {
        beyond[2 * k] = beyond[2 * k] && p[k] > obstacles.high[k] + problem.clearance;
        beyond[2 * k + 1] = beyond[2 * k + 1] && p[k] < obstacles.low[k] - problem.clearance;
        any = any || beyond[2 * k] || beyond[2 * k + 1];
      }
      if (!any) return false;
    }
  }
  return true;
}

PoseReport detail::look_at(const PlanProblem& problem, const Pose& world_from_body,
                           const PenetrationOptions& depth_options, bool propose) {
  PoseReport report;
  const SolidDistance d = detail::distance_of(problem, world_from_body);
  report.distance = d.distance;
  report.touch = d.touch;
  report.on_obstacle = d.surface.on_a;
  report.on_body = d.surface.on_b;
  report.obstacle_triangle = d.surface.triangle_a;
  report.body_triangle = d.surface.triangle_b;
  report.free = d.touch == Touch::None && d.lower > problem.clearance;
  if (report.free || !checked_pose(world_from_body).ok()) return report;
  Vec3 separation;
  if (d.touch != Touch::None) {
    const Penetration depth =
        penetration(problem.obstacles, problem.body, world_from_body, depth_options);
    report.depth_lower = depth.lower;
    report.depth_upper = depth.upper;
    separation = depth.separation;
  }
  if (propose) {
    report.nearest_free = find_free(problem, world_from_body, report, separation, d.surface.normal);
  }
  return report;
}

PoseReport look_at_pose(const PlanProblem& problem, const Pose& world_from_body) {
  return detail::look_at(problem, world_from_body, {}, true);
}

Status check_problem(const PlanProblem& problem) {
  if (!(problem.clearance >= 0.0) || !std::isfinite(problem.clearance)) {
    return Error{ErrorCode::Invalid,
                 {},
                 "clearance",
                 format("%g m is not a distance of 0 or more", problem.clearance),
                 {}};
  }
  const bool wide = problem.body.bvh().volume() == Volume::Wide;
  if (wide != (problem.obstacles.bvh().volume() == Volume::Wide)) {
    return Error{ErrorCode::Invalid,
                 {},
                 "trees",
                 "one of body and obstacles has a wide tree, the other a binary one",
                 "build both with the same kind of volume"};
  }
  if (Status start = check_pose(problem, problem.start, "start"); !start) return start;
  if (problem.goal) {
    if (Status goal = check_pose(problem, *problem.goal, "goal"); !goal) return goal;
  }
  if (!problem.bounds) return {};
  if (problem.bounds->empty() || !is_finite(problem.bounds->low) ||
      !is_finite(problem.bounds->high)) {
    return Error{ErrorCode::Invalid, {}, "bounds", "are empty or not finite", {}};
  }
  const Vec3 pivot = pivot_of(problem.body);
  const auto inside = [&](const Pose& pose) {
    const Vec3 p = pose * pivot;
    const Box& box = *problem.bounds;
    return p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z && p.x <= box.high.x &&
           p.y <= box.high.y && p.z <= box.high.z;
  };
  const auto outside = [&](const char* name, const Pose& pose) {
    const Vec3 p = pose * pivot;
    return Error{ErrorCode::Invalid,
                 {},
                 "bounds",
                 format("leave out the %s: the middle of the body is at %.6g %.6g %.6g m there",
                        name, p.x, p.y, p.z),
                 "enlarge the bounds, or leave them away"};
  };
  if (!inside(problem.start)) return outside("start", problem.start);
  if (problem.goal && !inside(*problem.goal)) return outside("goal", *problem.goal);
  return {};
}

}  // namespace clearance
