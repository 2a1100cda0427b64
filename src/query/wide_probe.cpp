// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/wide_probe.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "query/wide_pair.h"

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Rounds to and fro; four to seven are the rule.
constexpr int kMostRounds = 12;
/// A round must bring the distance down by this fraction to be worth another.
constexpr double kWorthwhile = 1e-2;
/// The first rounds take a triangle as the nearest when no other is closer than this part of its
/// distance, squared: where triangles are small against the gap, the last hundredth is most of the
/// search.
constexpr float kCoarse = 0.98F;
/// Nodes kept waiting; the farthest of more are forgotten, which costs quality only.
constexpr std::size_t kWaiting = 128;

// A point in the frame of a node or leaf.
struct LocalPoint {
  Float8 u[3];
  LocalPoint(const WideFrame& frame, const float (&p)[3]) {
    const float d[3] = {p[0] - frame.origin[0], p[1] - frame.origin[1], p[2] - frame.origin[2]};
    for (int k = 0; k < 3; ++k) {
      u[k] =
          broadcast8(frame.axes[k][0] * d[0] + frame.axes[k][1] * d[1] + frame.axes[k][2] * d[2]);
    }
  }
};

// Squared distances of eight triangles from a point, in single precision.
Float8 squared_distances(const WideLeaf& leaf, const LocalPoint& p) {
  const Float8 zero = broadcast8(0.0F);
  const Float8 one = broadcast8(1.0F);
  Float8 to[3][3];  // from each corner to the point
  Float8 edge[3][3];
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < 3; ++k) {
      const Float8 corner = load8(leaf.corner[3 * c + k]);
      to[c][k] = p.u[k] - corner;
      edge[c][k] = load8(leaf.corner[3 * ((c + 1) % 3) + k]) - corner;
    }
  }
  const auto dot3 = [](const Float8(&x)[3], const Float8(&y)[3]) {
    return fused(x[0], y[0], fused(x[1], y[1], x[2] * y[2]));
  };
  const Float8 tiny = broadcast8(1e-30F);
  Float8 best = broadcast8(std::numeric_limits<float>::max());
  for (int c = 0; c < 3; ++c) {
    const Float8 t = max(zero, min(one, dot3(to[c], edge[c]) / max(dot3(edge[c], edge[c]), tiny)));
    Float8 sum = zero;
    for (int k = 0; k < 3; ++k) {
      const Float8 d = fused(-t, edge[c][k], to[c][k]);
      sum = fused(d, d, sum);
    }
    best = min(best, sum);
  }
  // Above the face: on the inner side of all three edges.
  Float8 n[3];
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    n[k] = edge[0][i] * edge[1][j] - edge[0][j] * edge[1][i];
  }
  Float8 inside = one;
  for (int c = 0; c < 3; ++c) {
    Float8 side = zero;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3;
      const int j = (k + 2) % 3;
      side = fused(n[k], edge[c][i] * to[c][j] - edge[c][j] * to[c][i], side);
    }
    inside = side > zero ? inside : zero;
  }
  const Float8 height = dot3(n, to[0]);
  const Float8 face = height * height / max(dot3(n, n), tiny);
  return inside > zero ? min(best, face) : best;
}

// About the nearest triangle to a point given in model coordinates, if one is nearer than `within`.
// Others are looked for only as long as their squared distance may be below `near_enough` times
// that of the best.
std::uint32_t nearest_triangle(const WideTree& tree, const Vec3& point, double within,
                               float near_enough, Work& work) {
  const float p[3] = {static_cast<float>(point.x), static_cast<float>(point.y),
                      static_cast<float>(point.z)};
  struct Waiting {
    std::uint32_t ref;
    float square;
  };
  std::array<Waiting, kWaiting> stack;
  std::size_t size = 0;
  stack[size++] = {tree.root, 0.0F};
  const auto limit = static_cast<float>(within);
  float best = limit * limit;
  std::uint32_t found = kNoTriangle;
  while (size > 0) {
    const Waiting top = stack[--size];
    if (top.square >= near_enough * best) continue;
    work.volume_tests += kWidth;
    alignas(32) float squares[kWidth];
    if ((top.ref & kLeafBit) != 0) {
      const WideLeaf& leaf = tree.leaves[top.ref & ~kLeafBit];
      const Float8 d = squared_distances(leaf, LocalPoint(leaf.frame, p));
      unsigned mask = bits_less(d, broadcast8(best)) & bits(load8(leaf.triangle) != -1);
      store8(squares, d);
      while (mask != 0) {
        const int i = std::countr_zero(mask);
        mask &= mask - 1;
        if (squares[i] < best) {
          best = squares[i];
          found = leaf.triangle[i];
        }
      }
      continue;
    }
    const WideNode& node = tree.nodes[top.ref];
    const LocalPoint local(node.frame, p);
    Float8 sum = broadcast8(0.0F);
    for (int k = 0; k < 3; ++k) {
      const Float8 gap =
          max(abs(local.u[k] - load8(node.center[k])) - load8(node.half[k]), broadcast8(0.0F));
      sum = fused(gap, gap, sum);
    }
    unsigned mask = bits_less(sum, broadcast8(near_enough * best)) & bits(load8(node.child) != -1);
    store8(squares, sum);
    const std::size_t base = size;
    while (mask != 0 && size < kWaiting) {
      const int i = std::countr_zero(mask);
      mask &= mask - 1;
      stack[size++] = {node.child[i], squares[i]};
    }
    // Nearest on top.
    for (std::size_t i = base; i + 1 < size; ++i) {
      if (stack[i].square < stack[size - 1].square) std::swap(stack[i], stack[size - 1]);
    }
  }
  return found;
}

}  // namespace

namespace {

/// Looks for the point that a nearly linear map of points near a plane leaves where it is, from
/// what it did to others: of the last three, the combination that was moved least (Anderson's
/// acceleration of depth two).
class FixedPoint {
 public:
  /// Where to try next, after `from` went to `to`.
  Vec3 next(const Vec3& from, const Vec3& to) {
    const Vec3 move = to - from;
    const Vec3 ahead = way_ahead(move, to);
    const double length = norm(ahead);
    const double longest = kLongestJump * norm(move);
    jumped_ = length > 0.0 && std::isfinite(length);
    moves_[1] = moves_[0];
    ends_[1] = ends_[0];
    moves_[0] = move;
    ends_[0] = to;
    count_ = std::min(count_ + 1, 2);
    if (!jumped_) return to;
    return to + (length > longest ? longest / length : 1.0) * ahead;
  }
  /// Was the last answer another place than where the point went by itself?
  [[nodiscard]] bool jumped() const { return jumped_; }
  void forget() {
    count_ = 0;
    jumped_ = false;
  }

 private:
  /// Moves closer to parallel than this (square of the sine of their angle) count as one.
  static constexpr double kParallel = 0.05;
  /// A jump is at most this many times as long as the move before it.
  static constexpr double kLongestJump = 50.0;

  [[nodiscard]] Vec3 way_ahead(const Vec3& move, const Vec3& to) const {
    if (count_ == 0) return {};
    const Vec3 change0 = move - moves_[0];
    const Vec3 way0 = to - ends_[0];
    const double square0 = squared_norm(change0);
    const double along0 = dot(change0, move);
    if (count_ > 1) {
      const Vec3 change1 = moves_[0] - moves_[1];
      const Vec3 way1 = ends_[0] - ends_[1];
      const double square1 = squared_norm(change1);
      const double along1 = dot(change1, move);
      const double mixed = dot(change0, change1);
      const double det = square0 * square1 - mixed * mixed;
      if (det > kParallel * square0 * square1) {
        return ((along1 * mixed - along0 * square1) / det) * way0 +
               ((along0 * mixed - along1 * square0) / det) * way1;
      }
    }
    return square0 > 0.0 ? (-along0 / square0) * way0 : Vec3{};
  }

  // The last first.
  Vec3 moves_[2];
  Vec3 ends_[2];
  int count_ = 0;
  bool jumped_ = false;
};

/// The walk from one tree to the other.
class Walk {
 public:
  Walk(const Bvh& a, const Bvh& b, const Pose& a_from_b, const TrianglePairs& pairs, Work& work)
      : a_(*a.wide()),
        b_(*b.wide()),
        a_from_b_(a_from_b),
        b_from_a_(inverse(a_from_b)),
        pairs_(pairs),
        work_(work) {}

  WideGuess guess;
  float near_enough = 1.0F;  // see nearest_triangle()

  void start(const Contact& pair) {
    guess = {pair, pairs_.closest(pair.triangle_a, pair.triangle_b)};
    ++work_.triangle_tests;
  }

  /// Goes from a point on or near B (in A's frame) to A's nearest triangle and from there to B's.
  /// What is nearest to the points of the guess is known and need not be found again. True when
  /// that leads to a closer pair; `end` is where on B it led.
  bool step(const Vec3& from_b, Vec3& end) {
    Contact next = guess.pair;
    Vec3 on_a = guess.points.on_a;
    const std::uint32_t near_a =
        nearest_triangle(a_, from_b - a_.center, norm(on_a - from_b), near_enough, work_);
    if (near_a != kNoTriangle) {
      next.triangle_a = near_a;
      on_a = pairs_.closest_on_a(near_a, from_b);
    }
    const std::uint32_t near_b = nearest_triangle(
        b_, b_from_a_ * on_a - b_.center, norm(guess.points.on_b - on_a), near_enough, work_);
    if (near_b != kNoTriangle) next.triangle_b = near_b;
    end = guess.points.on_b;
    if (next == guess.pair) return false;
    const ClosestPoints points = pairs_.closest(next.triangle_a, next.triangle_b);
    ++work_.triangle_tests;
    end = points.on_b;
    if (!(points.distance < guess.points.distance)) return false;
    guess = {next, points};
    return true;
  }

 private:
  const WideTree& a_;
  const WideTree& b_;
  Pose a_from_b_;
  Pose b_from_a_;
  const TrianglePairs& pairs_;
  Work& work_;
};

}  // namespace

WideGuess improve_guess(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                        const TrianglePairs& pairs, const Contact& start, Work& work, bool coarse) {
  Walk walk(a, b, a_from_b, pairs, work);
  walk.start(start);
  if (coarse) walk.near_enough = kCoarse;
  // Going to and fro nears the closest pair by about the same factors each time, factors close to
  // one where the gap is small against the curvature: a round is about a linear map of the plane,
  // and the next begins where it would lead in the end.
  FixedPoint fixed_point;
  Vec3 from = walk.guess.points.on_b;
  for (int i = 0; i < kMostRounds && walk.guess.points.distance > 0.0; ++i) {
    const double old = walk.guess.points.distance;
    Vec3 end;
    const bool closer = walk.step(from, end);
    if (walk.guess.points.distance <= (1.0 - kWorthwhile) * old) {
      from = fixed_point.next(from, end);
      continue;
    }
    // A jump that led nowhere is no reason to stop: on from the pair found, without one.
    if (closer || !fixed_point.jumped()) {
      if (walk.near_enough == 1.0F) break;
      walk.near_enough = 1.0F;
    }
    fixed_point.forget();
    from = walk.guess.points.on_b;
  }
  return walk.guess;
}

WideGuess guess_closest(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                        const TrianglePairs& pairs, Work& work) {
  const WideTree& tree_a = *a.wide();
  const WideTree& tree_b = *b.wide();
  Contact start;
  start.triangle_a =
      nearest_triangle(tree_a, a_from_b * tree_b.center - tree_a.center, kInfinity, kCoarse, work);
  if (start.triangle_a == kNoTriangle) start.triangle_a = 0;
  const Triangle t = a.triangle(start.triangle_a);
  const Vec3 middle = (t.a + t.b + t.c) / 3.0;
  start.triangle_b = nearest_triangle(tree_b, inverse(a_from_b) * middle - tree_b.center, kInfinity,
                                      kCoarse, work);
  if (start.triangle_b == kNoTriangle) start.triangle_b = 0;
  return improve_guess(a, b, a_from_b, pairs, start, work, true);
}

}  // namespace clearance::detail
