// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/proof_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/triangle_triangle.h>

namespace clearance::detail {
namespace {

// Triangles in a leaf: as many as are tested in the time of the boxes that would part them.
constexpr std::uint32_t kLeaf = 4;
// A triangle is looked at over a time in which it goes this many times its own size: less means
// more rounds, more means pairs that never meet.
constexpr double kReach = 1.0;
// At least this part of what is seen beyond the clearance stays proven: a separation by nothing but
// rounding would be sought for ever.
constexpr double kLeastKept = 0.05;
// Directions of unit length, and distances of triangles, to this part (triangle_triangle.h).
constexpr double kDirectionRounding = 1e-9;
// A pair is halved in time so often at most; beyond, it is closer than rounding can tell.
constexpr int kMostHalvings = 40;
// Pairs are taken when the looks that are left would make more tests than this many for each
// triangle of the body. An estimate, not measured: either way the proof is as good.
constexpr double kTestsOfTriangle = 100.0;
// Triangles between two questions whether to stop.
constexpr std::size_t kBetweenAsking = 256;

bool apart(const Box& a, const Box& b) {
  return a.low.x > b.high.x || b.low.x > a.high.x || a.low.y > b.high.y || b.low.y > a.high.y ||
         a.low.z > b.high.z || b.low.z > a.high.z;
}

Box box_of(const Triangle& t) {
  Box box;
  box.include(t.a);
  box.include(t.b);
  box.include(t.c);
  return box;
}

/// A triangle of the body about a time, for `half` before and after it.
struct Moving {
  std::array<RigidMotion::PointMotion, 3> corners;
  Vec3 normal;  ///< at the time
  double time = 0.0;
  double half = 0.0;

  Moving(const RigidMotion& motion, const Triangle& triangle, const Vec3& its_normal, double begin,
         double end)
      : time(0.5 * (begin + end)), half(0.5 * (end - begin) * (1.0 + 1e-12)) {
    const Pose pose = motion.at(time);
    corners = {motion.about(time, pose, triangle.a), motion.about(time, pose, triangle.b),
               motion.about(time, pose, triangle.c)};
    normal = pose.rotation * its_normal;
  }

  [[nodiscard]] Triangle triangle() const {
    return {corners[0].position, corners[1].position, corners[2].position};
  }
  /// No corner is ever farther out along -n than this.
  [[nodiscard]] double lowest(const Vec3& n) const {
    double low = std::numeric_limits<double>::infinity();
    for (const RigidMotion::PointMotion& p : corners) {
      low = std::min(low, dot(n, p.position) - std::abs(dot(n, p.velocity)) * half +
                              0.5 * std::min(0.0, dot(n, p.acceleration)) * half * half -
                              p.jerk * half * half * half / 6.0);
    }
    return low;
  }
  /// How far any corner gets from where it is at the middle, along any axis [m].
  [[nodiscard]] Vec3 reach() const {
    Vec3 reach;
    for (const RigidMotion::PointMotion& p : corners) {
      const double rest = p.jerk * half * half * half / 6.0;
      reach = max(reach, half * abs(p.velocity) + 0.5 * half * half * abs(p.acceleration) +
                             Vec3{rest, rest, rest});
    }
    return reach;
  }
};

double highest(const Vec3& n, const Triangle& t) {
  return std::max({dot(n, t.a), dot(n, t.b), dot(n, t.c)});
}

}  // namespace

PairProver::PairProver(const Model& obstacles, const Model& body) {
  const auto facets_of = [](const Bvh& bvh) {
    std::vector<Facet> facets;
    facets.reserve(bvh.triangle_count());
    for (std::size_t i = 0; i < bvh.triangle_count(); ++i)
      facets.push_back(
          {bvh.triangle(i), triangle_normal(bvh.triangle(i)), box_of(bvh.triangle(i))});
    return facets;
  };
  body_ = facets_of(body.bvh());
  obstacles_ = facets_of(obstacles.bvh());
  // Halves by the middle of the longest side, down to a few.
  struct Range {
    std::uint32_t node, first, last;
  };
  nodes_.emplace_back();
  std::vector<Range> left{{0, 0, static_cast<std::uint32_t>(obstacles_.size())}};
  while (!left.empty()) {
    const Range range = left.back();
    left.pop_back();
    Box box;
    Box middles;
    const auto twice_middle = [](const Facet& f) { return f.box.low + f.box.high; };
    for (std::uint32_t i = range.first; i < range.last; ++i) {
      box.include(obstacles_[i].box.low);
      box.include(obstacles_[i].box.high);
      middles.include(twice_middle(obstacles_[i]));
    }
    nodes_[range.node].box = box;
    if (range.last - range.first <= kLeaf) {
      nodes_[range.node].first = range.first;
      nodes_[range.node].count = range.last - range.first;
      continue;
    }
    const Vec3 size = middles.high - middles.low;
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    const std::uint32_t middle = range.first + (range.last - range.first) / 2;
    std::nth_element(obstacles_.begin() + range.first, obstacles_.begin() + middle,
                     obstacles_.begin() + range.last, [&](const Facet& f, const Facet& g) {
                       return twice_middle(f)[axis] < twice_middle(g)[axis];
                     });
    const auto children = static_cast<std::uint32_t>(nodes_.size());
    nodes_[range.node].first = children;
    nodes_.resize(nodes_.size() + 2);
    left.push_back({children, range.first, middle});
    left.push_back({children + 1, middle, range.last});
  }
}

/// One motion, triangle by triangle of the body.
class PairProver::Cover {
 public:
  Cover(const PairProver& pairs, const MotionToProve& it, Coherence& coherence, Looks& looks)
      : pairs_(pairs), it_(it), coherence_(coherence), looks_(looks) {
    if (looks.narrowest.distance < std::numeric_limits<double>::infinity())
      set_need(looks.narrowest.distance);
    else
      look(0.5 * (looks.left.front().begin + looks.left.front().end));
  }

  /// What every pair keeps that was never looked at, since its boxes are as far apart [m].
  [[nodiscard]] double kept() const { return need_ - it_.rounding; }

  /// False when it is refused or undecided.
  bool covers(const Facet& facet, const TimeInterval& part) {
    if (looks_.status != ProofStatus::Free) return false;
    intervals_.assign(1, part);
    while (!intervals_.empty()) {
      const TimeInterval now = intervals_.back();
      intervals_.pop_back();
      const Moving moving(it_.motion, facet.triangle, facet.normal, now.begin, now.end);
      const Vec3 reach = moving.reach();
      Box box = box_of(moving.triangle());
      const Vec3 own = box.high - box.low;
      const Vec3 more = reach + Vec3{need_, need_, need_};
      box.low -= more;
      box.high += more;
      const double size = std::max({own.x, own.y, own.z}) + need_;
      const bool far = std::max({reach.x, reach.y, reach.z}) > kReach * size;
      if (!find(box, far)) continue;
      if (far) {
        // The earlier half first.
        intervals_.push_back({moving.time, now.end});
        intervals_.push_back({now.begin, moving.time});
        continue;
      }
      for (const std::uint32_t i : found_) {
        if (!separate(pairs_.obstacles_[i], facet, moving)) return false;
      }
    }
    return true;
  }

 private:
  /// The triangles of the obstacles whose boxes meet this one; `any`: one will do.
  bool find(const Box& box, bool any) {
    found_.clear();
    stack_.assign(1, 0);
    while (!stack_.empty()) {
      const Node& node = pairs_.nodes_[stack_.back()];
      stack_.pop_back();
      ++looks_.work.volume_tests;
      if (apart(node.box, box)) continue;
      if (node.count == 0) {
        stack_.push_back(node.first + 1);
        stack_.push_back(node.first);
        continue;
      }
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        if (apart(pairs_.obstacles_[i].box, box)) continue;
        found_.push_back(i);
        if (any) return true;
      }
    }
    return !found_.empty();
  }

  /// Is there a direction along which the moving triangle stays far enough beyond the other one?
  bool separates(const Vec3& n, const Triangle& fixed, const Moving& moving) {
    const double gap = (1.0 - kDirectionRounding) * (moving.lowest(n) - highest(n, fixed));
    if (!(gap >= need_)) return false;
    looks_.lower = std::min(looks_.lower, gap - it_.rounding);
    return true;
  }
  bool separates(const Facet& fixed, const Moving& moving) {
    ++looks_.work.triangle_tests;
    // The normal of either, towards the body; a length that is off by rounding is allowed for.
    const Vec3 across = moving.corners[0].position - fixed.triangle.a;
    const auto towards = [&](const Vec3& n) { return dot(n, across) < 0.0 ? -n : n; };
    return separates(towards(fixed.normal), fixed.triangle, moving) ||
           separates(towards(moving.normal), fixed.triangle, moving);
  }

  /// Proves one pair over the time of `moving`, in ever shorter parts.
  bool separate(const Facet& fixed, const Facet& facet, const Moving& moving, int halvings = 0) {
    if (separates(fixed, moving)) return true;
    const ClosestPoints closest = closest_points(fixed.triangle, moving.triangle());
    if (closest.distance > 0.0 &&
        separates((1.0 / closest.distance) * (closest.on_b - closest.on_a), fixed.triangle, moving))
      return true;
    // So close that it says something about the whole: the least distance of the bodies is looked
    // up, and less is asked for from now on.
    while (!(closest.distance > need_)) {
      const double before = need_;
      look(moving.time);
      if (looks_.status != ProofStatus::Free) return false;
      if (!(need_ < before)) return undecided(moving.time);
    }
    if (halvings == kMostHalvings) return undecided(moving.time);
    const double begin = moving.time - moving.half;
    const double end = moving.time + moving.half;
    return separate(fixed, facet,
                    Moving(it_.motion, facet.triangle, facet.normal, begin, moving.time),
                    halvings + 1) &&
           separate(fixed, facet,
                    Moving(it_.motion, facet.triangle, facet.normal, moving.time, end),
                    halvings + 1);
  }

  bool undecided(double time) {
    looks_.status = ProofStatus::Undecided;
    looks_.refused_at = time;
    return false;
  }

  void look(double time) {
    if (look_once(it_, time, coherence_, looks_)) set_need(looks_.narrowest.distance);
  }
  void set_need(double seen) {
    const double kept = std::max(kLeastKept, 1.0 - it_.used);
    // Above zero: the normal of a triangle without area is zero, and separates nothing.
    need_ = std::max(it_.clearance + it_.rounding + kept * std::max(0.0, seen - it_.clearance),
                     std::numeric_limits<double>::min());
  }

  const PairProver& pairs_;
  const MotionToProve& it_;
  Coherence& coherence_;
  Looks& looks_;
  double need_ = 0.0;  ///< what is to be proven of every pair [m]
  std::vector<TimeInterval> intervals_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> found_;
};

void PairProver::cover(const MotionToProve& it, const Monitor* monitor, Coherence& coherence,
                       Looks& looks) const {
  if (looks.left.empty()) return;
  std::sort(looks.left.begin(), looks.left.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; });
  Cover cover(*this, it, coherence, looks);
  while (!looks.left.empty()) {
    const TimeInterval part = looks.left.front();
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (i % kBetweenAsking == 0 && is_cancelled(monitor)) {
        looks.status = ProofStatus::Cancelled;
        return;
      }
      if (!cover.covers(body_[i], part)) return;
    }
    looks.left.erase(looks.left.begin());
  }
  // It only ever gets less, so that what was left out before keeps it, too.
  looks.lower = std::min(looks.lower, cover.kept());
}

bool PairProver::is_better(const MotionToProve& it, const Looks& looks) {
  if (looks.count == 0 || !(looks.narrowest.distance > it.clearance)) return false;
  double left = 0.0;
  for (const TimeInterval& part : looks.left) left += part.end - part.begin;
  const double covered =
      2.0 * it.used * (looks.narrowest.distance - it.clearance) / std::max(it.speed, 1e-300);
  const double tests = static_cast<double>(looks.work.volume_tests + looks.work.triangle_tests) /
                       static_cast<double>(looks.count);
  return left / covered * tests >
         kTestsOfTriangle * static_cast<double>(it.body.bvh().triangle_count());
}

void cover_rest(const MotionToProve& it, std::size_t most, LazyPairProver& pairs,
                const Monitor* monitor, Coherence& coherence, Looks& looks) {
  if (looks.status != ProofStatus::Free || looks.left.empty()) return;
  if (PairProver::is_better(it, looks))
    pairs.get().cover(it, monitor, coherence, looks);
  else
    advance(it, most, monitor, coherence, looks);
}

}  // namespace clearance::detail
