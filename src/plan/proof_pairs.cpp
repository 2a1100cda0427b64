// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/proof_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/triangle_triangle.h>

namespace clearance::detail {
namespace {

// Triangles of a patch of the body and of a leaf of the obstacles, at most.
constexpr std::uint32_t kPatch = 4;
constexpr std::uint32_t kLeaf = 4;
// Ranges of no more triangles than this are cut by the way they face, as long as the mean of their
// normals is shorter than that: one plane is to stand before all of a patch.
constexpr std::uint32_t kCutByNormal = 256;
constexpr double kFlatMean = 0.98;
// A patch is looked at over a time in which it goes this many times its own size: less means more
// rounds, more means pairs that never meet.
constexpr double kReach = 0.5;
// At least this part of what is seen beyond the clearance stays proven: a separation by nothing but
// rounding would be sought for ever.
constexpr double kLeastKept = 0.05;
// What a direction may lack to unit length.
constexpr double kDirectionRounding = 1e-12;
// A pair is halved in time so often at most; beyond, it is closer than rounding can tell.
constexpr int kMostHalvings = 40;
// Patches between two questions whether to stop.
constexpr std::size_t kBetweenAsking = 16;
// Poses are kept at so many times of a part of the motion, and serve all triangles. A power of two.
constexpr std::size_t kInstants = 128;
// Between three values at equal times a function differs from the parabola through them by at most
// its third derivative times the cube of their spacing times 1 / (9 sqrt 3).
constexpr double kParabola = 0.06416;
// Bounds on derivatives take the body's frame for rigid; poses are that to less than this.
constexpr double kNotQuiteRigid = 1.001;
// What an angle is computed to [rad].
constexpr double kAngleRounding = 1e-12;

bool apart(const Box& a, const Box& b) {
  return a.low.x > b.high.x || b.low.x > a.high.x || a.low.y > b.high.y || b.low.y > a.high.y ||
         a.low.z > b.high.z || b.low.z > a.high.z;
}

Box box_of(const Triangle& t) { return {min(t.a, min(t.b, t.c)), max(t.a, max(t.b, t.c))}; }

Triangle moved(const Pose& pose, const Triangle& t) { return {pose * t.a, pose * t.b, pose * t.c}; }

double highest(const Vec3& n, const Triangle& t) {
  return std::max({dot(n, t.a), dot(n, t.b), dot(n, t.c)});
}

struct Instant {
  double time = 0.0;
  Pose pose;
};

/// How far points at most so far from the pivot are off, between two times.
struct Off {
  double chord = 0.0;     ///< from the chord of their way [m]
  double parabola = 0.0;  ///< ...from the parabola through their places at both and half way

  Off(double arm, double from, double to, const Turning& turning) {
    const double turn = 0.5 * (to - from) * turning.angle;
    chord = 0.5 * kNotQuiteRigid * arm * turn * turn;
    parabola = kParabola * kNotQuiteRigid * arm * turn * turn * turn;
  }
};

/// The lowest along n of a parabola through three places.
double lowest_of(const Vec3& n, const Vec3& p, const Vec3& q, const Vec3& r) {
  const double first = dot(n, p);
  const double second = dot(n, q);
  const double third = dot(n, r);
  const double slope = 0.5 * (third - first);
  const double curve = 0.5 * (first + third) - second;
  // Between, or at an end.
  return std::abs(slope) < 2.0 * curve ? second - 0.25 * slope * slope / curve
                                       : std::min(first, third);
}

/// A triangle of the body from one instant to another; the third is half way.
struct Moving {
  const Instant* begin = nullptr;
  const Instant* middle = nullptr;
  const Instant* end = nullptr;
  std::array<Triangle, 3> at;  ///< these instants
  Off off;

  /// No point is ever farther out along -n than this.
  [[nodiscard]] double lowest(const Vec3& n) const {
    return std::min({lowest_of(n, at[0].a, at[1].a, at[2].a),
                     lowest_of(n, at[0].b, at[1].b, at[2].b),
                     lowest_of(n, at[0].c, at[1].c, at[2].c)}) -
           off.parabola;
  }
};

}  // namespace

Turning turning_between(const Pose& from, const Pose& to, const Vec3& pivot) {
  const Quaternion q = quaternion_from(nearest_rotation(to.rotation * transpose(from.rotation)));
  const double angle = 2.0 * std::atan2(norm(Vec3{q.x, q.y, q.z}), std::abs(q.w));
  return {pivot, angle + kAngleRounding};
}

PairProver::Surface::Surface(const Bvh& bvh, std::uint32_t most, bool flat) {
  facets.reserve(bvh.triangle_count());
  for (std::size_t i = 0; i < bvh.triangle_count(); ++i) {
    const Triangle triangle = bvh.triangle(i);
    Vec3 normal = triangle_normal(triangle);
    // Of specks below 1e-75 its length is anything: squares that small have no digits left.
    if (std::abs(squared_norm(normal) - 1.0) > kDirectionRounding) normal = {};
    facets.push_back({triangle, normal, box_of(triangle), bvh.faces()[i]});
  }
  struct Range {
    std::uint32_t node, first, last;
  };
  nodes.emplace_back();
  std::vector<Range> left{{0, 0, static_cast<std::uint32_t>(facets.size())}};
  while (!left.empty()) {
    const Range range = left.back();
    left.pop_back();
    const auto begin = facets.begin() + range.first;
    const auto end = facets.begin() + range.last;
    const std::uint32_t count = range.last - range.first;
    Box box;
    Box middles;
    Box normals;
    Vec3 sum;
    const auto twice_middle = [](const Facet& f) { return f.box.low + f.box.high; };
    for (auto it = begin; it != end; ++it) {
      box.include(it->box);
      middles.include(twice_middle(*it));
      normals.include(it->normal);
      sum += it->normal;
    }
    nodes[range.node].box = box;
    const bool is_flat = !flat || norm(sum) >= kFlatMean * count;
    if (count == 1 || (count <= most && is_flat)) {
      nodes[range.node].leaf = true;
      nodes[range.node].first = static_cast<std::uint32_t>(patches.size());
      Patch& patch = patches.emplace_back();
      patch.first_facet = range.first;
      patch.facet_count = count;
      patch.first_corner = static_cast<std::uint32_t>(corners.size());
      if (sum != Vec3{}) patch.normal = normalized(sum);
      for (auto it = begin; it != end; ++it) {
        for (std::uint32_t& vertex : it->vertices) {
          const Vec3& place = bvh.vertices()[vertex];
          const auto known = corners.begin() + patch.first_corner;
          const auto found = std::find(known, corners.end(), place);
          vertex = static_cast<std::uint32_t>(found - known);
          if (found == corners.end()) corners.push_back(place);
        }
      }
      patch.corner_count = static_cast<std::uint32_t>(corners.size()) - patch.first_corner;
      continue;
    }
    // In halves, across the longest side of what they differ in.
    const bool by_normal = count <= kCutByNormal && !is_flat;
    const Vec3 size = by_normal ? normals.size() : middles.size();
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    const std::uint32_t middle = range.first + count / 2;
    std::nth_element(begin, facets.begin() + middle, end, [&](const Facet& f, const Facet& g) {
      return by_normal ? f.normal[axis] < g.normal[axis]
                       : twice_middle(f)[axis] < twice_middle(g)[axis];
    });
    const auto children = static_cast<std::uint32_t>(nodes.size());
    nodes[range.node].first = children;
    nodes.resize(nodes.size() + 2);
    left.push_back({children, range.first, middle});
    left.push_back({children + 1, middle, range.last});
  }
}

PairProver::PairProver(const Model& obstacles, const Model& body)
    : obstacles_(obstacles.bvh(), kLeaf, false), body_(body.bvh(), kPatch, true) {}

/// One part of a motion, patch by patch of the body.
class PairProver::Cover {
 public:
  Cover(const PairProver& pairs, const MotionToProve& it, const Turning& turning,
        std::uint64_t operations, Coherence& coherence, Looks& looks)
      : fixed_(pairs.obstacles_),
        body_(pairs.body_),
        it_(it),
        turning_(turning),
        operations_(operations),
        coherence_(coherence),
        looks_(looks) {
    if (looks.narrowest.distance < std::numeric_limits<double>::infinity())
      set_need(looks.narrowest.distance);
    else
      look(0.5 * (looks.left.front().begin + looks.left.front().end));
  }

  /// What every pair keeps that was never looked at, since its boxes are as far apart [m].
  [[nodiscard]] double kept() const { return need_ - it_.rounding; }

  /// The part of the motion that is meant from now on.
  void set_part(const TimeInterval& part) {
    for (std::size_t i = 0; i <= kInstants; ++i) {
      const double time = i == kInstants ? part.end
                                         : part.begin + (part.end - part.begin) *
                                                            static_cast<double>(i) / kInstants;
      instants_[i] = {time, it_.motion.at(time)};
    }
  }

  /// False when it is refused or undecided.
  bool covers(const Patch& patch) {
    if (looks_.status != ProofStatus::Free) return false;
    set_patch(patch);
    intervals_.assign(1, {0, kInstants});
    while (!intervals_.empty()) {
      const auto [begin, end] = intervals_.back();
      intervals_.pop_back();
      if (looks_.work.volume_tests + looks_.work.triangle_tests > operations_)
        return undecided(instants_[begin].time);
      const std::size_t half = (begin + end) / 2;
      const Off off(arm_, instants_[begin].time, instants_[end].time, turning_);
      const Box first = box_at(begin);
      const Box last = box_at(end);
      const Vec3 own = first.size();
      const Vec3 way = abs(last.low - first.low);
      const double more = off.chord + need_;
      const Box box{min(first.low, last.low) - Vec3{more, more, more},
                    max(first.high, last.high) + Vec3{more, more, more}};
      const bool far = half > begin + 1 && std::max({way.x, way.y, way.z}) + off.chord >
                                               kReach * (std::max({own.x, own.y, own.z}) + need_);
      if (far) {
        // The earlier half first.
        if (!meets(box)) continue;
        intervals_.push_back({half, end});
        intervals_.push_back({begin, half});
        continue;
      }
      if (!separate(patch, {begin, end}, box, off)) return false;
    }
    return true;
  }

 private:
  struct Interval {
    std::size_t begin, end;
    [[nodiscard]] std::size_t half() const { return (begin + end) / 2; }
  };

  void set_patch(const Patch& patch) {
    corners_ = {body_.corners.data() + patch.first_corner, patch.corner_count};
    arm_ = 0.0;
    for (const Vec3& corner : corners_) arm_ = std::max(arm_, distance(corner, turning_.pivot));
    placed_.resize((kInstants + 1) * corners_.size());
    is_placed_.fill(false);
  }
  /// The corners of the patch at an instant.
  [[nodiscard]] std::span<const Vec3> at(std::size_t instant) {
    Vec3* const places = placed_.data() + instant * corners_.size();
    if (!is_placed_[instant]) {
      for (std::size_t k = 0; k < corners_.size(); ++k)
        places[k] = instants_[instant].pose * corners_[k];
      is_placed_[instant] = true;
    }
    return {places, corners_.size()};
  }
  [[nodiscard]] Box box_at(std::size_t instant) {
    Box box;
    for (const Vec3& place : at(instant)) box.include(place);
    return box;
  }

  /// Does a leaf of the obstacles meet a box?
  bool meets(const Box& box) {
    stack_.assign(1, 0);
    while (!stack_.empty()) {
      const Node& node = fixed_.nodes[stack_.back()];
      stack_.pop_back();
      ++looks_.work.volume_tests;
      if (apart(node.box, box)) continue;
      if (node.leaf) return true;
      stack_.push_back(node.first + 1);
      stack_.push_back(node.first);
    }
    return false;
  }

  /// All below a plane is far enough from what stays above it.
  struct Plane {
    Vec3 normal;       ///< of unit length, or zero
    double top = 0.0;  ///< along the normal [m]
    [[nodiscard]] bool is_above(const Triangle& t) const { return highest(normal, t) <= top; }
    [[nodiscard]] bool is_above(const Box& box) const {
      const Vec3 half = 0.5 * box.size();
      return dot(normal, box.low + half) + dot(abs(normal), half) <= top;
    }
  };
  /// The plane before something that never gets lower along n; nothing is below one without a
  /// normal.
  [[nodiscard]] Plane before(const Vec3& n, double lowest) const {
    if (n == Vec3{}) return {n, -1.0};
    return {n, lowest - (1.0 + kDirectionRounding) * need_};
  }
  /// Against the way that something of the body faces at an instant.
  static Vec3 against(const Instant& instant, const Vec3& normal) {
    const Vec3 turned = instant.pose.rotation * normal;
    return turned == Vec3{} ? turned : -normalized(turned);
  }

  /// The triangles of the obstacles that meet a box and are not below a plane.
  void find(const Box& box, const Plane& plane) {
    found_.clear();
    stack_.assign(1, 0);
    while (!stack_.empty()) {
      const Node& node = fixed_.nodes[stack_.back()];
      stack_.pop_back();
      ++looks_.work.volume_tests;
      if (apart(node.box, box) || plane.is_above(node.box)) continue;
      if (!node.leaf) {
        stack_.push_back(node.first + 1);
        stack_.push_back(node.first);
        continue;
      }
      const Patch& leaf = fixed_.patches[node.first];
      for (std::uint32_t i = leaf.first_facet; i < leaf.first_facet + leaf.facet_count; ++i) {
        const Facet& facet = fixed_.facets[i];
        ++looks_.work.volume_tests;
        if (!apart(facet.box, box) && !plane.is_above(facet.triangle)) found_.push_back(i);
      }
    }
  }

  /// No corner of the patch is ever farther out along -n than this.
  [[nodiscard]] double lowest(const Vec3& n, const Interval& time, const Off& off) {
    const std::span<const Vec3> first = at(time.begin);
    const std::span<const Vec3> middle = at(time.half());
    const std::span<const Vec3> last = at(time.end);
    double low = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < first.size(); ++k)
      low = std::min(low, lowest_of(n, first[k], middle[k], last[k]));
    return low - off.parabola;
  }

  /// Proves a patch, which stays in the box: as a whole, or triangle by triangle.
  bool separate(const Patch& patch, const Interval& time, const Box& box, const Off& off) {
    const Instant& middle = instants_[time.half()];
    const Vec3 n = against(middle, patch.normal);
    find(box, before(n, lowest(n, time, off)));
    // Their own planes part most of those that are left from all of the patch.
    std::erase_if(found_, [&](std::uint32_t i) {
      const Facet& facet = fixed_.facets[i];
      ++looks_.work.triangle_tests;
      return before(facet.normal, lowest(facet.normal, time, off)).is_above(facet.triangle);
    });
    const double more = off.chord + need_;
    for (std::size_t i = 0; i < patch.facet_count && !found_.empty(); ++i) {
      const Facet& facet = body_.facets[patch.first_facet + i];
      const auto placed = [&](std::size_t instant) {
        const std::span<const Vec3> places = at(instant);
        const auto& [a, b, c] = facet.vertices;
        return Triangle{places[a], places[b], places[c]};
      };
      const Moving moving{&instants_[time.begin],
                          &middle,
                          &instants_[time.end],
                          {placed(time.begin), placed(time.half()), placed(time.end)},
                          off};
      Box around = box_of(moving.at[0]);
      around.include(box_of(moving.at[2]));
      around.low -= Vec3{more, more, more};
      around.high += Vec3{more, more, more};
      const Vec3 own = against(middle, facet.normal);
      const Plane plane = before(own, moving.lowest(own));
      for (const std::uint32_t k : found_) {
        const Facet& other = fixed_.facets[k];
        ++looks_.work.volume_tests;
        if (apart(other.box, around) || plane.is_above(other.triangle)) continue;
        if (!separate(other, facet, moving)) return false;
      }
    }
    return true;
  }

  /// Proves one pair of triangles over the time of `moving`, in ever shorter parts.
  bool separate(const Facet& fixed, const Facet& facet, const Moving& moving, int halvings = 0) {
    ++looks_.work.triangle_tests;
    const auto by = [&](const Vec3& n) {
      return before(n, moving.lowest(n)).is_above(fixed.triangle);
    };
    // Along the normal of either, and between both, which follows curved flanks best.
    const Vec3 own = against(*moving.middle, facet.normal);
    const Vec3 between = own + fixed.normal;
    if (by(fixed.normal) || (between != Vec3{} && by(normalized(between))) || by(own) ||
        by(-fixed.normal) || by(-own))
      return true;
    const ClosestPoints closest = closest_points(fixed.triangle, moving.at[1]);
    const Vec3 across = closest.on_b - closest.on_a;
    if (across != Vec3{} && by(normalized(across))) return true;
    // So close that it says something about the whole: the least distance of the bodies is looked
    // up, and less is asked for from now on.
    while (!(closest.distance > need_)) {
      const double asked = need_;
      look(moving.middle->time);
      if (looks_.status != ProofStatus::Free) return false;
      if (!(need_ < asked)) return undecided(moving.middle->time);
    }
    if (halvings == kMostHalvings) return undecided(moving.middle->time);
    const auto part = [&](const Instant& from, const Triangle& first, const Instant& to,
                          const Triangle& last) {
      const double time = 0.5 * (from.time + to.time);
      const Instant half{time, it_.motion.at(time)};
      return separate(fixed, facet,
                      {&from,
                       &half,
                       &to,
                       {first, moved(half.pose, facet.triangle), last},
                       Off(arm_, from.time, to.time, turning_)},
                      halvings + 1);
    };
    return part(*moving.begin, moving.at[0], *moving.middle, moving.at[1]) &&
           part(*moving.middle, moving.at[1], *moving.end, moving.at[2]);
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

  const Surface& fixed_;
  const Surface& body_;
  const MotionToProve& it_;
  const Turning& turning_;
  std::uint64_t operations_;
  Coherence& coherence_;
  Looks& looks_;
  double need_ = 0.0;  ///< what is to be proven of every pair [m]
  std::array<Instant, kInstants + 1> instants_;
  std::span<const Vec3> corners_;                ///< of the patch
  double arm_ = 0.0;                             ///< of the farthest of them from the pivot [m]
  std::vector<Vec3> placed_;                     ///< the corners, instant by instant...
  std::array<bool, kInstants + 1> is_placed_{};  ///< ...once they were asked for
  std::vector<Interval> intervals_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> found_;
};

void PairProver::cover(const MotionToProve& it, const Turning& turning, std::uint64_t operations,
                       const Monitor* monitor, Coherence& coherence, Looks& looks) const {
  if (looks.left.empty()) return;
  std::sort(looks.left.begin(), looks.left.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.begin < b.begin; });
  Cover cover(*this, it, turning, operations, coherence, looks);
  while (!looks.left.empty()) {
    cover.set_part(looks.left.front());
    for (std::size_t i = 0; i < body_.patches.size(); ++i) {
      if (i % kBetweenAsking == 0 && is_cancelled(monitor)) {
        looks.status = ProofStatus::Cancelled;
        return;
      }
      if (!cover.covers(body_.patches[i])) return;
    }
    looks.left.erase(looks.left.begin());
  }
  // It only ever gets less, so that what was left out before keeps it, too.
  looks.lower = std::min(looks.lower, cover.kept());
}

}  // namespace clearance::detail
