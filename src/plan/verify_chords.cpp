// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/verify_chords.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <clearance/geometry/triangle_triangle.h>

namespace clearance::detail {
namespace {

// Entries of a box of the pyramid.
constexpr std::size_t kFan = 8;
// Bits of a place along each axis by which triangles are sorted.
constexpr unsigned kBits = 10;
// Times of a span at which the body is placed once for all triangles. A power of two.
constexpr std::size_t kTimes = 64;
// A triangle is taken over a time in which it goes so many times its own size.
constexpr double kWay = 2.0;
// A pair is halved in time so often at most.
constexpr int kDeepest = 24;
// Bounds and directions are taken for worse than they are by this part.
constexpr double kReserve = 1e-9;
// Shorter directions are none: their squares are not even roughly right.
constexpr double kLeastDirection = 1e-140;
// Triangles between two questions whether to stop.
constexpr std::size_t kBetweenAsking = 64;

/// The bits of a place, those of the three axes in turn (Morton's order).
std::uint32_t order_of(const Vec3& p, const Box& around) {
  std::uint32_t order = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double size = around.high[k] - around.low[k];
    const double part = size > 0.0 ? (p[k] - around.low[k]) / size : 0.0;
    const auto steps = static_cast<std::uint32_t>(std::clamp(part, 0.0, 1.0) * ((1U << kBits) - 1));
    for (unsigned bit = 0; bit < kBits; ++bit)
      order |= ((steps >> bit) & 1U) << (3 * bit + static_cast<unsigned>(k));
  }
  return order;
}

void include(Box& box, const Triangle& t) {
  box.include(t.a);
  box.include(t.b);
  box.include(t.c);
}

bool meet(const Box& a, const Box& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

Vec3 across(const Triangle& t) { return cross(t.b - t.a, t.c - t.a); }

}  // namespace

ChordCheck::ChordCheck(const PlanProblem& problem) : clearance_(problem.clearance) {
  const Bvh& obstacles = problem.obstacles.bvh();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < obstacles.triangle_count(); ++i) {
    const Triangle t = obstacles.triangle(i);
    order.emplace_back(order_of((1.0 / 3.0) * (t.a + t.b + t.c), obstacles.bounds()), i);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [place, i] : order) {
    obstacles_.push_back(obstacles.triangle(i));
    include(boxes_.emplace_back(), obstacles_.back());
  }
  const Level* below = &boxes_;
  while (levels_.empty() || below->size() > kFan) {
    Level level((below->size() + kFan - 1) / kFan);
    for (std::size_t i = 0; i < below->size(); ++i) level[i / kFan].include((*below)[i]);
    levels_.push_back(std::move(level));
    below = &levels_.back();
  }
  for (std::size_t i = 0; i < problem.body.bvh().triangle_count(); ++i)
    body_.push_back(problem.body.bvh().triangle(i));
}

/// One span of time.
class ChordCheck::Run {
 public:
  Run(const ChordCheck& all, const TurningMotion& motion, double begin, double end, Work& work)
      : all_(all), motion_(motion), begin_(begin), end_(end), work_(work) {
    for (std::size_t i = 0; i <= kTimes; ++i) poses_[i] = motion.at(time_of(i));
  }

  bool proves(const Triangle& triangle) {
    const double arm =
        std::max({distance(triangle.a, motion_.pivot), distance(triangle.b, motion_.pivot),
                  distance(triangle.c, motion_.pivot)});
    return proves(triangle, arm, 0, kTimes);
  }

 private:
  [[nodiscard]] double time_of(std::size_t i) const {
    return i == kTimes ? end_ : begin_ + (end_ - begin_) * static_cast<double>(i) / kTimes;
  }
  static Triangle placed(const Pose& pose, const Triangle& t) {
    return {pose * t.a, pose * t.b, pose * t.c};
  }

  /// How far everything between two times must keep from the hull of the ends: an arc of the arm is
  /// off its chord by arm * angle² / 8 at most.
  [[nodiscard]] double needed(double arm, double passed) const {
    const double angle = passed * motion_.turn;
    return (1.0 + kReserve) * (all_.clearance_ + 0.125 * arm * angle * angle) + motion_.slack;
  }

  bool proves(const Triangle& triangle, double arm, std::size_t from, std::size_t to) {
    const Triangle before = placed(poses_[from], triangle);
    const Triangle after = placed(poses_[to], triangle);
    const double far = needed(arm, time_of(to) - time_of(from));
    Box box;
    include(box, before);
    const Vec3 own = box.size();
    include(box, after);
    const Vec3 size = box.size();
    box.low -= Vec3{far, far, far};
    box.high += Vec3{far, far, far};
    const bool cut = to - from > 1 && std::max({size.x, size.y, size.z}) >
                                          (1.0 + kWay) * std::max({own.x, own.y, own.z}) + far;
    const std::size_t first = found_.size();
    find(box, levels() - 1, 0, cut ? first + 1 : std::numeric_limits<std::size_t>::max());
    const std::size_t last = found_.size();
    bool proven = true;
    if (cut && last > first) {
      const std::size_t half = (from + to) / 2;
      proven = proves(triangle, arm, from, half) && proves(triangle, arm, half, to);
    } else {
      for (std::size_t i = first; i < last && proven; ++i) {
        proven = parts(all_.obstacles_[found_[i]], triangle, arm, {time_of(from), before},
                       {time_of(to), after}, 0);
      }
    }
    found_.resize(first);
    return proven;
  }

  [[nodiscard]] std::size_t levels() const { return all_.levels_.size(); }
  /// Triangles of the obstacles whose boxes meet this one, until `most` are found.
  void find(const Box& box, std::size_t level, std::size_t group, std::size_t most) {
    // The entries of a group of boxes: the top level is one group.
    const Level& boxes = all_.levels_[level];
    const std::size_t end = std::min(boxes.size(), (group + 1) * kFan);
    for (std::size_t i = group * kFan; i < end && found_.size() < most; ++i) {
      ++work_.volume_tests;
      if (!meet(boxes[i], box)) continue;
      if (level > 0) {
        find(box, level - 1, i, most);
        continue;
      }
      const std::size_t last = std::min(all_.boxes_.size(), (i + 1) * kFan);
      for (std::size_t k = i * kFan; k < last && found_.size() < most; ++k) {
        ++work_.volume_tests;
        if (meet(all_.boxes_[k], box)) found_.push_back(static_cast<std::uint32_t>(k));
      }
    }
  }

  struct Placed {
    double time = 0.0;
    Triangle triangle;
  };

  /// Is a fixed triangle on one side of a plane square to `n`, and the hull on the other?
  static bool parted(const Vec3& n, const Triangle& fixed, const Triangle& before,
                     const Triangle& after, double far) {
    const double length = norm(n);
    if (length < kLeastDirection) return false;
    const double top = std::max({dot(n, fixed.a), dot(n, fixed.b), dot(n, fixed.c)});
    const double low = std::min({dot(n, before.a), dot(n, before.b), dot(n, before.c),
                                 dot(n, after.a), dot(n, after.b), dot(n, after.c)});
    return low - top > (1.0 + kReserve) * length * far;
  }

  /// Does one pair keep apart between two times?
  bool parts(const Triangle& fixed, const Triangle& triangle, double arm, const Placed& from,
             const Placed& to, int depth) {
    ++work_.triangle_tests;
    const double far = needed(arm, to.time - from.time);
    const auto by = [&](const Vec3& n) {
      return parted(n, fixed, from.triangle, to.triangle, far) ||
             parted(-n, fixed, from.triangle, to.triangle, far);
    };
    if (by(across(fixed)) || by(across(from.triangle) + across(to.triangle))) return true;
    const double time = 0.5 * (from.time + to.time);
    const Placed half{time, placed(motion_.at(time), triangle)};
    const ClosestPoints closest = closest_points(fixed, half.triangle);
    if (!(closest.distance > all_.clearance_ + motion_.slack)) return false;
    if (parted(closest.on_b - closest.on_a, fixed, from.triangle, to.triangle, far)) return true;
    return depth < kDeepest && parts(fixed, triangle, arm, from, half, depth + 1) &&
           parts(fixed, triangle, arm, half, to, depth + 1);
  }

  const ChordCheck& all_;
  const TurningMotion& motion_;
  double begin_, end_;
  Work& work_;
  std::array<Pose, kTimes + 1> poses_;
  std::vector<std::uint32_t> found_;
};

bool ChordCheck::proves(const TurningMotion& motion, double begin, double end,
                        std::uint64_t operations, const Monitor* monitor, Work& work) const {
  Work done;
  Run run(*this, motion, begin, end, done);
  bool proven = true;
  for (std::size_t i = 0; i < body_.size() && proven; ++i) {
    proven = run.proves(body_[i]) && done.volume_tests + done.triangle_tests <= operations &&
             (i % kBetweenAsking != 0 || !is_cancelled(monitor));
  }
  work += done;
  return proven;
}

}  // namespace clearance::detail
