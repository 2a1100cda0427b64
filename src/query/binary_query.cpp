// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/binary_query.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <clearance/geometry/triangle_triangle.h>

#include "bvh/binary_tree.h"
#include "bvh/volume_pair.h"
#include "query/coherence.h"
#include "query/descent.h"
#include "query/triangle_pair.h"

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// What closest_points() of two triangles may be off by, as a fraction of the distance; doubled.
constexpr double kLeafError = 2e-9;

Triangle moved(const Pose& pose, const Triangle& t) { return {pose * t.a, pose * t.b, pose * t.c}; }

/// What all problems on two binary trees have in common: nodes, and which of a pair to open.
class BinaryProblem {
 public:
  struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };

  BinaryProblem(const Bvh& a, const Bvh& b, const Pose& a_from_b)
      : a_(a),
        b_(b),
        a_from_b_(a_from_b),
        nodes_a_(a.binary()->nodes),
        nodes_b_(b.binary()->nodes),
        pairs_(a, b, a_from_b),
        volumes_{a.volume(), b.volume(), volume_motion(a_from_b, a.bounds(), b.bounds())} {}

  [[nodiscard]] bool is_leaf(const Pair& pair) const {
    return nodes_a_[pair.a].is_leaf() && nodes_b_[pair.b].is_leaf();
  }
  /// Opens the larger of the two.
  [[nodiscard]] std::pair<Pair, Pair> open(const Pair& pair) const {
    const BinaryNode& a = nodes_a_[pair.a];
    const BinaryNode& b = nodes_b_[pair.b];
    if (b.is_leaf() || (!a.is_leaf() && size_of(a.volume) >= size_of(b.volume))) {
      return {{pair.a + 1, pair.b}, {a.right, pair.b}};
    }
    return {{pair.a, pair.b + 1}, {pair.a, b.right}};
  }
  void dropped(double /*bound*/) {}

 protected:
  [[nodiscard]] double lower_bound(const Pair& pair) {
    ++work_.volume_tests;
    return volumes_.lower_bound(nodes_a_[pair.a].volume, nodes_b_[pair.b].volume);
  }
  [[nodiscard]] bool farther_than(const Pair& pair, double distance) {
    ++work_.volume_tests;
    return volumes_.farther_than(nodes_a_[pair.a].volume, nodes_b_[pair.b].volume, distance);
  }
  [[nodiscard]] Contact triangles_of(const Pair& pair) const {
    return {nodes_a_[pair.a].triangle, nodes_b_[pair.b].triangle};
  }
  [[nodiscard]] bool pair_touches(const Contact& pair) {
    ++work_.triangle_tests;
    return pairs_.touch(pair.triangle_a, pair.triangle_b);
  }
  [[nodiscard]] ClosestPoints pair_distance(const Contact& pair) {
    ++work_.triangle_tests;
    return pairs_.closest(pair.triangle_a, pair.triangle_b);
  }
  /// Above the computed distance of any two triangles that touch [m].
  [[nodiscard]] double touch_slack() const { return 4.0 * volumes_.motion.rounding; }

  const Bvh& a_;
  const Bvh& b_;
  const Pose& a_from_b_;
  const std::vector<BinaryNode>& nodes_a_;
  const std::vector<BinaryNode>& nodes_b_;
  TrianglePairs pairs_;
  VolumePair volumes_;
  Work work_;

 private:
  static double size_of(const RoundedBox& v) { return norm(v.half_size) + v.radius; }
};

class CollideProblem : public BinaryProblem {
 public:
  using BinaryProblem::BinaryProblem;

  [[nodiscard]] double bound(const Pair& pair) { return farther_than(pair, 0.0) ? kInfinity : 0.0; }
  [[nodiscard]] double limit() const { return result_.hit ? -1.0 : 0.0; }
  void test(const Pair& pair) {
    const Contact contact = triangles_of(pair);
    if (!pair_touches(contact)) return;
    result_.hit = true;
    result_.contact = contact;
  }
  [[nodiscard]] Collision result() {
    result_.work = work_;
    return result_;
  }

 private:
  Collision result_;
};

class ContactsProblem : public BinaryProblem {
 public:
  ContactsProblem(const Bvh& a, const Bvh& b, const Pose& a_from_b, std::size_t most)
      : BinaryProblem(a, b, a_from_b), most_(most) {}

  [[nodiscard]] double bound(const Pair& pair) { return farther_than(pair, 0.0) ? kInfinity : 0.0; }
  [[nodiscard]] double limit() const { return result_.complete ? 0.0 : -1.0; }
  void test(const Pair& pair) {
    const Contact contact = triangles_of(pair);
    if (!pair_touches(contact)) return;
    if (result_.pairs.size() < most_) {
      result_.pairs.push_back(contact);
    } else {
      result_.complete = false;
    }
  }
  [[nodiscard]] Contacts result() {
    std::sort(result_.pairs.begin(), result_.pairs.end(), [](const Contact& x, const Contact& y) {
      return std::tie(x.triangle_a, x.triangle_b) < std::tie(y.triangle_a, y.triangle_b);
    });
    result_.work = work_;
    return std::move(result_);
  }

 private:
  std::size_t most_;
  Contacts result_;
};

class DistanceProblem : public BinaryProblem {
 public:
  DistanceProblem(const Bvh& a, const Bvh& b, const Pose& a_from_b, const DistanceOptions& options)
      : BinaryProblem(a, b, a_from_b), options_(options), best_{{}, {}, options.upper_bound} {
    update_limit();
  }

  [[nodiscard]] double bound(const Pair& pair) { return lower_bound(pair); }
  [[nodiscard]] double limit() const { return limit_; }
  void dropped(double bound) { least_dropped_ = std::min(least_dropped_, bound); }
  /// A pair that is known: nothing farther matters. It is not the answer until the descent comes by
  /// it, so that the answer does not depend on it.
  void guess(const Contact& pair) {
    if (is_exact()) limit_ = std::min(limit_, limit_for(pair_distance(pair).distance));
  }
  void test(const Pair& leaves) {
    const Contact pair = triangles_of(leaves);
    const ClosestPoints points = pair_distance(pair);
    const bool nearer = points.distance < best_.distance;
    // Nothing at the upper bound counts, so a tie needs a pair to tie with.
    const bool ties =
        points.distance == best_.distance && pair_.triangle_a != kNoTriangle &&
        std::tie(pair.triangle_a, pair.triangle_b) < std::tie(pair_.triangle_a, pair_.triangle_b);
    if (!nearer && !ties) return;
    best_ = points;
    pair_ = pair;
    update_limit();
  }

  [[nodiscard]] Distance result() const {
    Distance result;
    result.work = work_;
    if (pair_.triangle_a == kNoTriangle) {
      result.beyond = true;
      result.lower = options_.upper_bound;
      return result;
    }
    result.distance = best_.distance;
    result.upper = best_.distance;
    // What was dropped in an exact descent lies above the answer but for rounding.
    result.lower = is_exact() ? best_.distance : std::min(best_.distance, least_dropped_);
    result.on_a = best_.on_a;
    result.on_b = best_.on_b;
    result.normal = pairs_.normal(pair_.triangle_a, best_);
    result.triangle_a = pair_.triangle_a;
    result.triangle_b = pair_.triangle_b;
    return result;
  }

 private:
  [[nodiscard]] bool is_exact() const {
    return !(options_.relative_error > 0.0) && !(options_.absolute_error > 0.0);
  }
  /// Every pair is looked at whose distance may come out as small as this: a tie must be found,
  /// whatever the rounding of the two.
  [[nodiscard]] double limit_for(double distance) const {
    return distance * (1.0 + kLeafError) + touch_slack();
  }
  void update_limit() {
    const double best = best_.distance;
    if (pair_.triangle_a == kNoTriangle) {
      limit_ = limit_for(options_.upper_bound);
    } else if (best == 0.0) {
      limit_ = -1.0;  // nothing is nearer: the first contact ends the descent
    } else if (is_exact()) {
      limit_ = std::min(limit_, limit_for(best));
    } else {
      limit_ = std::max(0.0, std::min(best / (1.0 + std::max(0.0, options_.relative_error)),
                                      best - std::max(0.0, options_.absolute_error)));
    }
  }

  DistanceOptions options_;
  ClosestPoints best_;
  Contact pair_;
  double limit_ = kInfinity;
  double least_dropped_ = kInfinity;
};

class WithinProblem : public BinaryProblem {
 public:
  WithinProblem(const Bvh& a, const Bvh& b, const Pose& a_from_b, double distance)
      : BinaryProblem(a, b, a_from_b), distance_(distance) {}

  [[nodiscard]] double bound(const Pair& pair) {
    return farther_than(pair, distance_) ? kInfinity : 0.0;
  }
  [[nodiscard]] double limit() const { return result_.within ? -1.0 : 0.0; }
  void test(const Pair& leaves) {
    const Contact pair = triangles_of(leaves);
    const double found = pair_distance(pair).distance;
    result_.upper = std::min(result_.upper, found);
    if (!(found <= distance_) && is_proven_farther(pair, found)) return;
    result_.within = true;
    result_.pair = pair;
  }
  [[nodiscard]] Within result() {
    // Every pair was proven farther than the limit, unless one was found.
    if (!result_.within) result_.lower = distance_;
    result_.work = work_;
    return result_;
  }

 private:
  /// A computed distance above the limit proves nothing when rounding alone may have put it there.
  [[nodiscard]] bool is_proven_farther(const Contact& pair, double found) const {
    if (found > distance_ * (1.0 + kLeafError) + touch_slack()) return true;
    return proven_farther(a_.triangle(pair.triangle_a),
                          moved(a_from_b_, b_.triangle(pair.triangle_b)),
                          distance_ + volumes_.motion.rounding);
  }

  double distance_;
  Within result_;
};

/// Runs a problem from the roots of both trees.
template <class Problem>
void run(Problem& problem) {
  std::vector<PendingPair<BinaryProblem::Pair>> stack;
  descend(problem, {0, 0}, stack);
}

}  // namespace

Collision binary_collide(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                         Coherence* /*coherence*/) {
  CollideProblem problem(a, b, a_from_b);
  run(problem);
  return problem.result();
}

Contacts binary_contacts(const Bvh& a, const Bvh& b, const Pose& a_from_b, std::size_t limit,
                         Coherence* /*coherence*/) {
  ContactsProblem problem(a, b, a_from_b, limit);
  run(problem);
  return problem.result();
}

Distance binary_distance(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                         const DistanceOptions& options, Coherence* coherence) {
  DistanceProblem problem(a, b, a_from_b, options);
  if (coherence != nullptr) {
    const Contact last = coherence->state().last;
    if (last.triangle_a < a.triangle_count() && last.triangle_b < b.triangle_count())
      problem.guess(last);
  }
  run(problem);
  const Distance result = problem.result();
  if (coherence != nullptr && !result.beyond)
    coherence->state().last = {result.triangle_a, result.triangle_b};
  return result;
}

Within binary_within(const Bvh& a, const Bvh& b, const Pose& a_from_b, double limit,
                     Coherence* /*coherence*/) {
  WithinProblem problem(a, b, a_from_b, limit);
  run(problem);
  return problem.result();
}

}  // namespace clearance::detail
