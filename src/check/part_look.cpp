// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/part_look.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace clearance::detail {
namespace {

/// An interval this much shorter than the time tolerance that still is not proven free counts as
/// contact: the bodies are then closer than the limit plus a thousandth of a step.
constexpr double kShortestInterval = 1.0 / 1024.0;

/// Where all links are at a moment of the program.
struct Moment {
  std::vector<Pose> links;
};

/// One look at one part of the program.
class PartLook {
 public:
  PartLook(const PartScene& scene, const Part& part, std::vector<PairMemory>& memory)
      : scene_(scene), part_(part), memory_(memory) {}

  PartResult look() {
    result_.sample.from = part_.from;
    result_.sample.to = part_.to;
    result_.sample.lower = std::numeric_limits<double>::infinity();
    const Interval whole{0, 0};
    result_.sample.time = time_of(whole, 0.5);
    const Moment& moment = moment_of(whole);

    // The pairs by how near their boxes are, so that the nearest pair is found early.
    std::vector<Box> boxes;
    boxes.reserve(scene_.cell.bodies.size());
    for (std::uint32_t i = 0; i < scene_.cell.bodies.size(); ++i)
      boxes.push_back(
          box_of(placed_corners(scene_.cell.bodies[i].bounds, scene_.pose_of(i, moment.links))));
    std::vector<double> gaps;
    gaps.reserve(scene_.pairs.size());
    for (const CheckPair& pair : scene_.pairs) {
      gaps.push_back(box_distance(boxes[pair.bodies.first], boxes[pair.bodies.second]) -
                     scene_.rounding);
    }
    std::vector<std::uint32_t> order(gaps.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return gaps[k]; });

    for (const std::uint32_t k : order) {
      const double way = way_of(k, moment, whole);
      // Too far to be the nearest pair, and proven free by the boxes alone.
      if (gaps[k] >= result_.sample.distance && gaps[k] - way > scene_.limit) {
        note_lower(gaps[k] - way);
        continue;
      }
      const PairDistance found =
          distance_of(k, moment, std::max(result_.sample.distance, 1.01 * (way + scene_.limit)));
      const double distance = std::max(0.0, found.distance);
      if (distance < result_.sample.distance) {
        result_.sample.distance = distance;
        result_.sample.nearest = scene_.pairs[k].bodies;
      }
      if (is_free(found, way)) {
        note_lower(found.lower - scene_.rounding - way);
      } else {
        refine(k, whole, found);
      }
    }
    return std::move(result_);
  }

 private:
  /// The part cut into 2^level equal ones, and one of these.
  struct Interval {
    int level = 0;
    std::uint64_t index = 0;
    bool operator<(const Interval& b) const {
      return std::tie(level, index) < std::tie(b.level, b.index);
    }
  };
  static double share(const Interval& at, double where) {
    return std::ldexp(static_cast<double>(at.index) + where, -at.level);
  }
  [[nodiscard]] double time_of(const Interval& at, double where) const {
    const double s = share(at, where);
    return s == 1.0 ? part_.to : part_.from + s * (part_.to - part_.from);
  }
  const Moment& moment_of(const Interval& at) {
    auto [found, is_new] = moments_.try_emplace(at);
    if (is_new) {
      const double s = part_.start + share(at, 0.5) * (part_.end - part_.start);
      Moment& moment = found->second;
      const std::vector<double>& start = part_.piece->start;
      const std::vector<double>& end = part_.piece->end;
      std::vector<double> values(start.size());
      for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = start[k] + s * (end[k] - start[k]);
      const Robot& robot = scene_.cell.cell.robot;
      moment.links.resize(robot.links().size());
      robot.link_poses(values, scene_.cell.cell.world_from_base, moment.links);
    }
    return found->second;
  }

  /// How much nearer the two bodies can come from the middle of an interval to its ends [m].
  [[nodiscard]] double way_of(std::uint32_t k, const Moment& moment, const Interval& at) const {
    const CheckPair& pair = scene_.pairs[k];
    const double half = 0.5 * (part_.end - part_.start) * std::ldexp(1.0, -at.level);
    std::vector<double> change(part_.piece->start.size());
    for (std::size_t i = 0; i < change.size(); ++i)
      change[i] = half * std::abs(part_.piece->end[i] - part_.piece->start[i]);
    double way = 0.0;
    for (const bool first : {true, false}) {
      const std::vector<ChainJoint>& chain = first ? pair.chain_a : pair.chain_b;
      if (chain.empty()) continue;
      const std::uint32_t body = first ? pair.bodies.first : pair.bodies.second;
      way += farthest_way(
          chain,
          placed_corners(scene_.cell.bodies[body].bounds, scene_.pose_of(body, moment.links)),
          moment.links, change);
    }
    return scene_.stretch * way;
  }

  PairDistance distance_of(std::uint32_t k, const Moment& moment, double upper) {
    const CheckPair& pair = scene_.pairs[k];
    const CheckBody& a = scene_.cell.bodies[pair.bodies.first];
    const CheckBody& b = scene_.cell.bodies[pair.bodies.second];
    const Pose a_from_b = relative(scene_.pose_of(pair.bodies.first, moment.links),
                                   scene_.pose_of(pair.bodies.second, moment.links));
    ++result_.looks;
    if (scene_.options.models != CheckModels::Meshes) {
      // Spheres that hold the bodies are no farther apart than these: beyond is beyond.
      const PairDistance found = sphere_distance(
          scene_.spheres[pair.bodies.first], scene_.spheres[pair.bodies.second], a_from_b, upper);
      if (scene_.options.models == CheckModels::Spheres || found.distance >= upper) return found;
    }
    return model_distance(a, b, a_from_b, upper, memory_[k], result_.work);
  }

  [[nodiscard]] bool is_free(const PairDistance& found, double way) const {
    return found.lower - scene_.rounding - way > scene_.limit;
  }
  void note_lower(double lower) {
    result_.sample.lower = std::min(result_.sample.lower, std::max(0.0, lower));
  }

  /// Cuts an interval that is not proven free in halves, and these again, until every piece is
  /// proven free or in contact.
  void refine(std::uint32_t k, const Interval& whole, const PairDistance& first) {
    const double tolerance = scene_.options.time_tolerance;
    struct Task {
      Interval at;
      PairDistance found;
    };
    std::vector<Task> tasks{{whole, first}};
    while (!tasks.empty()) {
      // Of what touches all along there are thousands of pieces; what is found then is not used.
      if (is_cancelled(scene_.options.monitor)) return;
      const Task task = tasks.back();
      tasks.pop_back();
      const double from = time_of(task.at, 0.0);
      const double to = time_of(task.at, 1.0);
      const bool close = task.found.distance - scene_.rounding <= scene_.limit;
      // A robot that stays does not come any nearer in a shorter time.
      const bool stays = way_of(k, moment_of(task.at), task.at) == 0.0;
      if (stays || to - from <= (close ? tolerance : kShortestInterval * tolerance)) {
        const Pose pose = scene_.pose_of(scene_.pairs[k].bodies.first, moment_of(task.at).links);
        result_.leaves.push_back(
            {k, from, to, time_of(task.at, 0.5), task.found.distance, pose * task.found.point});
        result_.sample.lower = 0.0;
        continue;
      }
      // The earlier half last: tasks are taken from the end.
      for (const std::uint64_t side : {1U, 0U}) {
        const Interval half{task.at.level + 1, 2 * task.at.index + side};
        const Moment& moment = moment_of(half);
        const double way = way_of(k, moment, half);
        const PairDistance found = distance_of(k, moment, 1.01 * (way + scene_.limit));
        if (is_free(found, way)) {
          note_lower(found.lower - scene_.rounding - way);
        } else {
          tasks.push_back({half, found});
        }
      }
    }
  }

  const PartScene& scene_;
  const Part& part_;
  std::vector<PairMemory>& memory_;  // by pair
  std::map<Interval, Moment> moments_;
  PartResult result_;
};

}  // namespace

PartResult look_at_part(const PartScene& scene, const Part& part, std::vector<PairMemory>& memory) {
  return PartLook(scene, part, memory).look();
}

}  // namespace clearance::detail
