// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <optional>

#include <clearance/plan/verify.h>

#include "plan/verify_chords.h"

namespace clearance {
namespace {

// What rounding may do to a point of the body, as a fraction of the largest coordinate in the
// scene: poses, quaternions and queries are good to some 1e-15 each.
constexpr double kSlack = 1e-13;
// An interval whose ends are this many slacks apart is not cut any further.
constexpr double kSmallestWay = 4.0;
// A turn within this of half a turn [rad] may go either way: poses from a file are rounded.
constexpr double kHalfTurn = 1e-6;
// Start and goal are met when no point of the body is farther away than this part of its size.
constexpr double kSamePose = 1e-6;
// Each piece is cut into this many parts, so that few long pieces keep several threads busy.
constexpr std::size_t kParts = 8;
// Queries of the whole bodies go on until they have made this many tests for a part, and this many
// for each triangle of the body: what is left then is narrow, and goes by chords.
constexpr std::uint64_t kTestsOfPart = 1'000'000;
constexpr std::uint64_t kTestsOfTriangle = 100;
// Chords are given up after this many tests for each triangle: a span of half the time may do.
constexpr std::uint64_t kMostTestsOfTriangle = 20'000;

double dot(const Quaternion& a, const Quaternion& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

Quaternion blend(const Quaternion& a, double s, const Quaternion& b, double t) {
  return {s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z, s * a.w + t * b.w};
}

Quaternion negated(const Quaternion& q) { return {-q.x, -q.y, -q.z, -q.w}; }

/// One piece of a path: the pivot goes straight, the quaternion along the great circle.
class Piece {
 public:
  Piece(const Pose& a, const Pose& b, const Vec3& pivot, bool other_way)
      : pivot_(pivot),
        from_(a * pivot),
        way_(b * pivot - a * pivot),
        first_(quaternion_from(a.rotation)),
        second_(quaternion_from(b.rotation)) {
    if ((dot(first_, second_) < 0.0) != other_way) second_ = negated(second_);
    // The angle on the sphere of quaternions is half the turn; this form is right near 0 and pi.
    const Quaternion apart = blend(first_, 1.0, second_, -1.0);
    const Quaternion sum = blend(first_, 1.0, second_, 1.0);
    half_turn_ = 2.0 * std::atan2(std::sqrt(dot(apart, apart)), std::sqrt(dot(sum, sum)));
  }

  /// [rad]
  [[nodiscard]] double turn() const { return 2.0 * half_turn_; }

  [[nodiscard]] Pose at(double t) const {
    Quaternion q;
    if (half_turn_ < 1e-9) {
      q = blend(first_, 1.0 - t, second_, t);
    } else {
      q = blend(first_, std::sin((1.0 - t) * half_turn_) / std::sin(half_turn_), second_,
                std::sin(t * half_turn_) / std::sin(half_turn_));
    }
    const Mat3 rotation = rotation_from(q);
    return {rotation, from_ + t * way_ - rotation * pivot_};
  }

  /// How far a point within `radius` of the pivot gets from where it is, at most, while a time
  /// `passed` goes by [m]: the way of the pivot, and the chord of the turn.
  [[nodiscard]] double farthest(double passed, double radius) const {
    const double turned = std::min(passed * turn(), std::numbers::pi);
    return passed * norm(way_) + 2.0 * radius * std::sin(0.5 * turned);
  }

 private:
  Vec3 pivot_;
  Vec3 from_;
  Vec3 way_;
  Quaternion first_;
  Quaternion second_;
  double half_turn_ = 0.0;
};

/// What one part of a piece turned out to be.
struct PartResult {
  ProofStatus status = ProofStatus::Free;
  double time = 0.0;
  Contact pair;
  std::size_t checks = 0;
  Work work;
};

class Verifier {
 public:
  Verifier(const PlanProblem& problem, const PlanPath& path, const VerifyOptions& options)
      : problem_(problem), path_(path), options_(options) {
    const Mesh& body = problem.body.mesh();
    double coordinate = 0.0;
    for (const Vec3& vertex : body.vertices()) {
      radius_ = std::max(radius_, distance(vertex, path.pivot));
      coordinate = std::max(coordinate, norm(vertex));
    }
    const Box& around = problem.obstacles.bvh().bounds();
    double farthest = norm(max(abs(around.low), abs(around.high)));
    for (const Pose& pose : path.poses) farthest = std::max(farthest, norm(pose.translation));
    slack_ = kSlack * (farthest + coordinate + radius_ + problem.clearance);
  }

  PathCheck verify() {
    PathCheck result;
    if (!poses_are_rigid(result) || !starts_free(result)) return result;
    result.starts_at_start = same(path_.poses.front(), problem_.start);
    result.reaches_goal =
        problem_.goal ? same(path_.poses.back(), *problem_.goal) : out(path_.poses.back());
    const std::size_t parts = path_.size() * kParts;
    std::vector<PartResult> found(parts);
    std::atomic<std::size_t> first_bad = std::numeric_limits<std::size_t>::max();
    parallel_for(options_.threads, parts, [&](std::size_t i) {
      // Nobody asks for what comes after a place that is not free.
      if (i > first_bad) return;
      found[i] = check_part(i / kParts, i % kParts);
      if (found[i].status == ProofStatus::Free) return;
      std::size_t before = first_bad;
      while (i < before && !first_bad.compare_exchange_weak(before, i)) {
      }
    });
    result.status = ProofStatus::Free;
    for (std::size_t i = 0; i < parts && result.status == ProofStatus::Free; ++i) {
      result.status = found[i].status;
      result.piece = i / kParts;
      result.time = found[i].time;
      result.pair = found[i].pair;
      result.checks += found[i].checks;
      result.work += found[i].work;
    }
    return result;
  }

 private:
  bool poses_are_rigid(PathCheck& result) const {
    if (path_.poses.empty()) return false;
    for (std::size_t i = 0; i < path_.poses.size(); ++i) {
      if (checked_pose(path_.poses[i])) continue;
      result.status = ProofStatus::Refused;
      result.piece = i == 0 ? 0 : i - 1;
      result.time = i == 0 ? 0.0 : 1.0;
      return false;
    }
    return true;
  }

  bool starts_free(PathCheck& result) const {
    const Pose& first = path_.poses.front();
    SolidCollision touching;
    if (problem_.solid) {
      touching = collide(problem_.obstacles, problem_.body, first);
    } else {
      const Collision surfaces = collide(problem_.obstacles.bvh(), problem_.body.bvh(), first);
      touching.hit = surfaces.hit;
      touching.contact = surfaces.contact;
      touching.work = surfaces.work;
    }
    const Within close =
        within(problem_.obstacles.bvh(), problem_.body.bvh(), first, problem_.clearance + slack_);
    result.checks += 2;
    result.work += touching.work;
    result.work += close.work;
    if (!touching.hit && !close.within) return true;
    result.status = ProofStatus::Refused;
    result.pair = touching.hit ? touching.contact : close.pair;
    return false;
  }

  [[nodiscard]] bool same(const Pose& a, const Pose& b) const {
    double apart = 0.0;
    for (const Vec3& vertex : problem_.body.mesh().vertices())
      apart = std::max(apart, distance(a * vertex, b * vertex));
    return apart <= kSamePose * problem_.body.bvh().bounds().diagonal();
  }

  [[nodiscard]] bool out(const Pose& pose) const {
    Box box;
    for (const Face& face : problem_.body.mesh().faces()) {
      for (const std::uint32_t corner : face)
        box.include(pose * problem_.body.mesh().vertices()[corner]);
    }
    const Box& others = problem_.obstacles.bvh().bounds();
    double gap = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < 3; ++k)
      gap = std::max({gap, box.low[k] - others.high[k], others.low[k] - box.high[k]});
    return gap > problem_.clearance;
  }

  [[nodiscard]] PartResult check_part(std::size_t index, std::size_t part) const {
    const Pose& a = path_.poses[index];
    const Pose& b = path_.poses[index + 1];
    const Piece piece(a, b, path_.pivot, false);
    // Poses that are not quite rotations stand for bodies that are not quite this one. With entries
    // of RᵀR - 1 below e its norm is below 3e, and R is half of that from a rotation.
    const double slack =
        slack_ + 1.5 * radius_ * std::max(rigidity_error(a.rotation), rigidity_error(b.rotation));
    const TimeSpan whole{static_cast<double>(part) / kParts,
                         static_cast<double>(part + 1) / kParts};
    PartResult result = check(piece, whole, slack);
    if (result.status != ProofStatus::Free || piece.turn() < std::numbers::pi - kHalfTurn)
      return result;
    const PartResult other = check(Piece(a, b, path_.pivot, true), whole, slack);
    result.status = other.status;
    result.time = other.time;
    result.pair = other.pair;
    result.checks += other.checks;
    result.work += other.work;
    return result;
  }

  struct TimeSpan {
    double begin = 0.0;
    double end = 1.0;
  };

  /// Made when it is first asked for, by whichever thread asks.
  [[nodiscard]] const detail::ChordCheck& chords() const {
    std::call_once(chords_made_, [&] { chords_.emplace(problem_); });
    return *chords_;
  }

  /// Is the span proven by chords? Not tried before looks at the part have turned out to be many.
  [[nodiscard]] bool proven_by_chords(const Piece& piece, const TimeSpan& span, double slack,
                                      PartResult& result) const {
    const std::uint64_t triangles = problem_.body.bvh().triangle_count();
    if (result.work.volume_tests + result.work.triangle_tests <
        kTestsOfPart + kTestsOfTriangle * triangles)
      return false;
    ++result.checks;
    return chords().proves(
        {[&](double time) { return piece.at(time); }, path_.pivot, piece.turn(), slack}, span.begin,
        span.end, kMostTestsOfTriangle * triangles, options_.monitor, result.work);
  }

  /// Halves the time until the middle of each part is farther away than the body can get to its
  /// ends. From the start to the end, so that the first place that is not free is found.
  [[nodiscard]] PartResult check(const Piece& piece, const TimeSpan& whole, double slack) const {
    PartResult result;
    Coherence coherence;
    std::vector<TimeSpan> open{whole};
    while (!open.empty()) {
      const TimeSpan span = open.back();
      if (proven_by_chords(piece, span, slack, result)) {
        open.pop_back();
        continue;
      }
      const double middle = 0.5 * (span.begin + span.end);
      const double reach = piece.farthest(0.5 * (span.end - span.begin), radius_);
      const Within near = within(problem_.obstacles.bvh(), problem_.body.bvh(), piece.at(middle),
                                 (1.0 + kSlack) * (problem_.clearance + reach) + slack, &coherence);
      ++result.checks;
      result.work += near.work;
      if (!near.within) {
        open.pop_back();
        continue;
      }
      result.time = middle;
      result.pair = near.pair;
      const Within too_close = within(problem_.obstacles.bvh(), problem_.body.bvh(),
                                      piece.at(middle), problem_.clearance, &coherence);
      ++result.checks;
      result.work += too_close.work;
      if (too_close.within) {
        result.status = ProofStatus::Refused;
        result.pair = too_close.pair;
        return result;
      }
      if (reach <= kSmallestWay * slack || result.checks >= options_.checks) {
        result.status = ProofStatus::Undecided;
        return result;
      }
      if (is_cancelled(options_.monitor)) {
        result.status = ProofStatus::Cancelled;
        return result;
      }
      open.back() = {middle, span.end};
      open.push_back({span.begin, middle});
    }
    return result;
  }

  const PlanProblem& problem_;
  const PlanPath& path_;
  const VerifyOptions& options_;
  double radius_ = 0.0;  // of the body about the pivot
  double slack_ = 0.0;
  mutable std::once_flag chords_made_;
  mutable std::optional<detail::ChordCheck> chords_;
};

}  // namespace

PathCheck verify_path(const PlanProblem& problem, const PlanPath& path,
                      const VerifyOptions& options) {
  return Verifier(problem, path, options).verify();
}

}  // namespace clearance
