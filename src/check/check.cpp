// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>

#include <clearance/base/assert.h>
#include <clearance/check/check.h>

#include "check/joint_chain.h"
#include "check/part_look.h"

namespace clearance {
namespace {

using detail::CheckPair;
using detail::Leaf;
using detail::PairMemory;
using detail::Part;
using detail::PartResult;

/// Poses of links are products of at most some hundred matrices, each right to some 1e-16: what
/// they and the relative pose are off at most, as a fraction of the size of the cell.
constexpr double kPoseRounding = 1e-12;
/// Matrices of a robot that are farther from rotations than this, all together, lengthen ways...
constexpr double kAskew = 1e-13;
/// ...by so many times as much: three for the norm of the matrix, which moves a point as well as
/// the axis that the bound is about.
constexpr double kStretch = 6.0;
/// Parts of the program that one thread looks at in a row, for the memory of the last distances.
constexpr std::size_t kPartsAtOnce = 8;
/// Moments of a contact interval at which the depth is estimated, to find the worst.
constexpr std::size_t kDepthTries = 7;
/// How hard each of those tries is.
constexpr PenetrationOptions kQuickDepth{.relative_gap = 0.2, .translations = 40, .points = 40};

class Checker {
 public:
  Checker(const ReadyCell& cell, const JointPath& path, const CheckOptions& options)
      : cell_(cell),
        robot_(cell.cell.robot),
        path_(path),
        options_(options),
        scene_{.cell = cell, .options = options, .pairs = {}} {
    CLEARANCE_ASSERT(options.models == CheckModels::Meshes || cell.has_spheres);
    for (const BodyPair& bodies : cell.matrix.tested) {
      const std::uint32_t a = link_of(bodies.first);
      const std::uint32_t b = link_of(bodies.second);
      const std::uint32_t meet = detail::common_ancestor(robot_, a, b);
      scene_.pairs.push_back({bodies, detail::joints_between(robot_, a, meet),
                              detail::joints_between(robot_, b, meet)});
    }
    if (options.models != CheckModels::Meshes) {
      for (const CheckBody& body : cell.bodies)
        scene_.spheres.push_back(detail::groups_of(body.spheres));
    }
    // Many turns of a joint are rounded more than its first.
    scene_.rounding = kPoseRounding * extent() * (1.0 + 1e-3 * largest_value());
    scene_.stretch = stretch();
    scene_.tolerance = std::max(options.tolerance, 4.0 * scene_.rounding);
    scene_.limit = std::max(options.clearance, scene_.tolerance);
    cut_into_parts();
  }

  CheckResult check() {
    std::vector<PartResult> found(parts_.size());
    const std::size_t groups = (parts_.size() + kPartsAtOnce - 1) / kPartsAtOnce;
    std::atomic<std::size_t> done{0};
    parallel_for(options_.threads, groups, [&](std::size_t group) {
      std::vector<PairMemory> memory(scene_.pairs.size());
      const std::size_t last = std::min(parts_.size(), (group + 1) * kPartsAtOnce);
      for (std::size_t i = group * kPartsAtOnce; i < last; ++i) {
        if (is_cancelled(options_.monitor)) return;
        found[i] = detail::look_at_part(scene_, parts_[i], memory);
        report_progress(options_.monitor, "checking",
                        static_cast<double>(++done) / static_cast<double>(parts_.size()));
      }
    });
    return collected(found);
  }

 private:
  [[nodiscard]] std::uint32_t link_of(std::uint32_t body) const {
    // What stands in the cell is as still as the root of the robot.
    return cell_.bodies[body].link == kNoLink ? 0 : cell_.bodies[body].link;
  }

  /// Of all joints over the whole path [rad, m].
  [[nodiscard]] double largest_value() const {
    double largest = 0.0;
    for (const PathPiece& piece : path_.pieces) {
      for (const double value : piece.start) largest = std::max(largest, std::abs(value));
      for (const double value : piece.end) largest = std::max(largest, std::abs(value));
    }
    return largest;
  }

  /// How much farther a point can go than about an axis of a rotation: matrices of a robot, and its
  /// base, may be those of seven digits.
  [[nodiscard]] double stretch() const {
    double askew = rigidity_error(cell_.cell.world_from_base.rotation);
    for (const RobotJoint& joint : robot_.joints())
      askew += rigidity_error(joint.parent_from_joint.rotation);
    // Less is in the rounding of the bound itself.
    return askew > kAskew ? 1.0 + kStretch * askew : 1.0;
  }

  /// No coordinate in the cell is larger than this, whatever the path does [m].
  [[nodiscard]] double extent() const {
    double reach = norm(cell_.cell.world_from_base.translation);
    const double largest = largest_value();
    for (const RobotJoint& joint : robot_.joints()) {
      reach += norm(joint.parent_from_joint.translation);
      if (joint.kind != JointKind::Prismatic) continue;
      reach += joint.mimic
                   ? std::abs(joint.mimic->multiplier) * largest + std::abs(joint.mimic->offset)
                   : largest;
    }
    double body = 0.0;
    for (const CheckBody& one : cell_.bodies)
      body = std::max(body, norm(max(abs(one.bounds.low), abs(one.bounds.high))));
    return reach + 2.0 * body;
  }

  void cut_into_parts() {
    const double duration = path_.duration();
    const double step = duration / static_cast<double>(std::max<std::size_t>(1, options_.samples));
    for (const PathPiece& piece : path_.pieces) {
      const double length = piece.to - piece.from;
      // A robot that stays is looked at once.
      const bool stays = piece.start == piece.end;
      const auto count =
          stays || !(step > 0.0)
              ? std::size_t{1}
              : static_cast<std::size_t>(std::max(1.0, std::ceil(length / step - 1e-9)));
      for (std::size_t i = 0; i < count; ++i) {
        const double start = static_cast<double>(i) / static_cast<double>(count);
        const double end = static_cast<double>(i + 1) / static_cast<double>(count);
        parts_.push_back({&piece, i == 0 ? piece.from : piece.from + start * length,
                          i + 1 == count ? piece.to : piece.from + end * length, start, end});
      }
    }
  }

  CheckResult collected(std::vector<PartResult>& found) {
    CheckResult result;
    result.tolerance = scene_.tolerance;
    if (is_cancelled(options_.monitor)) {
      result.complete = false;
      return result;
    }
    result.lower = std::numeric_limits<double>::infinity();
    std::vector<std::vector<Leaf>> by_pair(scene_.pairs.size());
    for (PartResult& part : found) {
      result.looks += part.looks;
      result.work += part.work;
      result.lower = std::min(result.lower, part.sample.lower);
      if (!scene_.pairs.empty() && (!result.least || part.sample.distance < result.least->distance))
        result.least = part.sample;
      result.samples.push_back(part.sample);
      for (const Leaf& leaf : part.leaves) by_pair[leaf.pair].push_back(leaf);
    }
    // Leaves that follow each other are one interval.
    std::vector<std::vector<Leaf>> runs;
    for (std::vector<Leaf>& leaves : by_pair) {
      std::ranges::sort(leaves, {}, &Leaf::from);
      for (const Leaf& leaf : leaves) {
        if (runs.empty() || runs.back().back().pair != leaf.pair ||
            runs.back().back().to < leaf.from)
          runs.emplace_back();
        runs.back().push_back(leaf);
      }
    }
    std::ranges::sort(runs, [](const std::vector<Leaf>& x, const std::vector<Leaf>& y) {
      return std::tuple(x.front().from, x.front().pair) <
             std::tuple(y.front().from, y.front().pair);
    });
    result.intervals.resize(runs.size());
    std::atomic<std::size_t> done{0};
    parallel_for(options_.threads, runs.size(), [&](std::size_t i) {
      if (is_cancelled(options_.monitor)) return;
      result.intervals[i] = interval_of(runs[i]);
      report_progress(options_.monitor, "depth of contacts",
                      static_cast<double>(++done) / static_cast<double>(runs.size()));
    });
    result.complete = !is_cancelled(options_.monitor);
    return result;
  }

  [[nodiscard]] ContactInterval interval_of(const std::vector<Leaf>& run) const {
    const CheckPair& pair = scene_.pairs[run.front().pair];
    ContactInterval interval;
    interval.bodies = pair.bodies;
    interval.from = run.front().from;
    interval.to = run.back().to;
    const auto nearest = std::ranges::min_element(run, {}, &Leaf::distance);
    interval.touches = nearest->distance <= scene_.tolerance;
    const Leaf* worst = &*nearest;
    const bool spheres = options_.models == CheckModels::Spheres;
    if (interval.touches && options_.depth && !spheres) worst = deepest(run);
    interval.worst_time = worst->time;
    interval.values = path_.at(worst->time);
    interval.move = path_.pieces[path_.piece_at(worst->time)].move;
    interval.point = worst->point;
    interval.distance = std::max(0.0, worst->distance);
    if (spheres) interval.sphere_overlap = std::max(0.0, -worst->distance);
    if (interval.touches && options_.depth && !spheres)
      interval.depth = depth_at(pair, worst->time, options_.penetration);
    return interval;
  }

  /// Among some of the leaves in contact, that with the largest depth.
  [[nodiscard]] const Leaf* deepest(const std::vector<Leaf>& run) const {
    std::vector<const Leaf*> touching;
    for (const Leaf& leaf : run)
      if (leaf.distance <= scene_.tolerance) touching.push_back(&leaf);
    if (touching.size() == 1) return touching.front();
    const Leaf* best = nullptr;
    double depth = -1.0;
    const std::size_t tries = std::min(kDepthTries, touching.size());
    for (std::size_t i = 0; i < tries; ++i) {
      const Leaf* leaf = touching[(2 * i + 1) * touching.size() / (2 * tries)];
      const Penetration found = depth_at(scene_.pairs[leaf->pair], leaf->time, kQuickDepth);
      const double guess = found.overlap ? found.lower + found.upper : 0.0;
      if (guess > depth) {
        depth = guess;
        best = leaf;
      }
    }
    return best;
  }

  /// Of the pair of models that overlap deepest.
  [[nodiscard]] Penetration depth_at(const CheckPair& pair, double time,
                                     const PenetrationOptions& options) const {
    const std::vector<Pose> poses = cell_.body_poses(path_.at(time));
    const CheckBody& a = cell_.bodies[pair.bodies.first];
    const CheckBody& b = cell_.bodies[pair.bodies.second];
    const Pose a_from_b = relative(poses[pair.bodies.first], poses[pair.bodies.second]);
    Penetration deepest;
    for (const Model& model_a : a.models) {
      for (const Model& model_b : b.models) {
        const Penetration found = penetration(model_a, model_b, a_from_b, options);
        if (found.overlap && (!deepest.overlap || found.lower > deepest.lower)) deepest = found;
      }
    }
    return deepest;
  }

  const ReadyCell& cell_;
  const Robot& robot_;
  const JointPath& path_;
  const CheckOptions& options_;
  detail::PartScene scene_;
  std::vector<Part> parts_;
};

}  // namespace

CheckResult check_path(const ReadyCell& cell, const JointPath& path, const CheckOptions& options) {
  CLEARANCE_ASSERT(options.time_tolerance > 0.0 && options.tolerance >= 0.0);
  return Checker(cell, path, options).check();
}

}  // namespace clearance
