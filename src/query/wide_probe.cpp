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
/// Times to and fro; three or four are the rule.
constexpr int kMostSteps = 12;
/// A step must bring the distance down by this fraction to be worth another.
constexpr double kWorthwhile = 1e-3;
/// Largest factor of convergence that is believed: jumps are at most fifty steps long.
constexpr double kLargestFactor = 0.98;
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
std::uint32_t nearest_triangle(const WideTree& tree, const Vec3& point, double within, Work& work) {
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
    if (top.square >= best) continue;
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
    unsigned mask = bits_less(sum, broadcast8(best)) & bits(load8(node.child) != -1);
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

  void start(const Contact& pair) {
    guess = {pair, pairs_.closest(pair.triangle_a, pair.triangle_b)};
    ++work_.triangle_tests;
  }

  /// Goes from a point of B (in A's frame) to A's nearest triangle and from there to B's. True when
  /// that leads to a closer pair.
  bool step(const Vec3& from_b, double within) {
    Contact next;
    next.triangle_a = nearest_triangle(a_, from_b - a_.center, within, work_);
    if (next.triangle_a == kNoTriangle) next.triangle_a = guess.pair.triangle_a;
    const Vec3 on_a = next.triangle_a == guess.pair.triangle_a
                          ? guess.points.on_a
                          : pairs_.closest_on_a(next.triangle_a, from_b);
    next.triangle_b = nearest_triangle(b_, b_from_a_ * on_a - b_.center, within, work_);
    if (next.triangle_b == kNoTriangle) next.triangle_b = guess.pair.triangle_b;
    if (next == guess.pair) return false;
    const ClosestPoints points = pairs_.closest(next.triangle_a, next.triangle_b);
    ++work_.triangle_tests;
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
                        const TrianglePairs& pairs, const Contact& start, Work& work) {
  Walk walk(a, b, a_from_b, pairs, work);
  walk.start(start);
  // Going to and fro nears the closest pair by about the same factor each time, a factor close to
  // one where the gap is small against the curvature: what is left is estimated from two steps and
  // jumped.
  Vec3 before = walk.guess.points.on_b;
  double last_move = 0.0;
  for (int i = 0; i < kMostSteps && walk.guess.points.distance > 0.0; ++i) {
    const double old = walk.guess.points.distance;
    const bool closer = walk.step(walk.guess.points.on_b, old);
    const Vec3 here = walk.guess.points.on_b;
    const Vec3 move = here - before;
    const double length = norm(move);
    before = here;
    if (closer && last_move > 0.0 && length < last_move) {
      const double factor = std::min(length / last_move, kLargestFactor);
      const Vec3 ahead = here + factor / (1.0 - factor) * move;
      if (walk.step(ahead, kInfinity)) before = walk.guess.points.on_b;
    }
    last_move = length;
    if (!closer || walk.guess.points.distance > (1.0 - kWorthwhile) * old) break;
  }
  return walk.guess;
}

WideGuess guess_closest(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                        const TrianglePairs& pairs, Work& work) {
  const WideTree& tree_a = *a.wide();
  const WideTree& tree_b = *b.wide();
  Contact start;
  start.triangle_a =
      nearest_triangle(tree_a, a_from_b * tree_b.center - tree_a.center, kInfinity, work);
  if (start.triangle_a == kNoTriangle) start.triangle_a = 0;
  const Triangle t = a.triangle(start.triangle_a);
  const Vec3 middle = (t.a + t.b + t.c) / 3.0;
  start.triangle_b =
      nearest_triangle(tree_b, inverse(a_from_b) * middle - tree_b.center, kInfinity, work);
  if (start.triangle_b == kNoTriangle) start.triangle_b = 0;
  return improve_guess(a, b, a_from_b, pairs, start, work);
}

}  // namespace clearance::detail
