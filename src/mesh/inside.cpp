// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/mass.h>
#include <clearance/mesh/inside.h>

#include "mesh/solid_angle.h"

namespace clearance {
namespace {

// Triangles in a leaf. Fewer make the tree larger, more are summed one by one needlessly.
constexpr std::size_t kLeafSize = 8;
// Leaves in a subtree that one thread builds; fixed, so that the tree does not depend on threads.
constexpr std::size_t kSubtreeLeaves = 2048;
// The halving of 2³² triangles is at most this deep, and a descent holds one entry per level.
constexpr std::size_t kMaxDepth = 40;
// Points per piece of a batch.
constexpr std::size_t kBatch = 64;

/// A symmetric tensor of three indices: its ten different entries.
struct Cubic {
  static constexpr std::array<std::array<std::size_t, 3>, 10> kIndices{{{0, 0, 0},
                                                                        {1, 1, 1},
                                                                        {2, 2, 2},
                                                                        {0, 0, 1},
                                                                        {0, 0, 2},
                                                                        {1, 1, 0},
                                                                        {1, 1, 2},
                                                                        {2, 2, 0},
                                                                        {2, 2, 1},
                                                                        {0, 1, 2}}};
  std::array<double, 10> entries{};

  /// Adds the symmetric part of v ⊗ m; m is symmetric.
  void add(const Vec3& v, const Mat3& m) {
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const auto [i, j, k] = kIndices[e];
      entries[e] += (v[i] * m[j][k] + v[j] * m[k][i] + v[k] * m[i][j]) / 3.0;
    }
  }
  /// Σ T_ijk u_i u_j u_k
  [[nodiscard]] double along(const Vec3& u) const {
    const auto& t = entries;
    return u.x * u.x * (t[0] * u.x + 3.0 * (t[3] * u.y + t[4] * u.z)) +
           u.y * u.y * (t[1] * u.y + 3.0 * (t[5] * u.x + t[6] * u.z)) +
           u.z * u.z * (t[2] * u.z + 3.0 * (t[7] * u.x + t[8] * u.y)) +
           6.0 * t[9] * u.x * u.y * u.z;
  }
  /// Σ_i T_iik
  [[nodiscard]] Vec3 trace() const {
    const auto& t = entries;
    return {t[0] + t[5] + t[7], t[3] + t[1] + t[8], t[4] + t[6] + t[2]};
  }
};

/// The symmetric part of a bᵀ.
Mat3 symmetric_outer(const Vec3& a, const Vec3& b) { return 0.5 * (outer(a, b) + outer(b, a)); }

/// A group of triangles seen from far away. Positions are relative to the tree's origin; with d the
/// position relative to the centre and n the normal, only the symmetric parts of the tensors count.
struct FarField {
  Vec3 center;          ///< area-weighted
  double radius = 0.0;  ///< no triangle of the group reaches farther from the centre
  double area = 0.0;
  double second_moment = 0.0;  ///< ∫ |d|² dA
  Vec3 first;                  ///< ∫ n dA
  Mat3 second = Mat3::zero();  ///< ∫ n dᵀ dA
  Cubic third;                 ///< ∫ n ⊗ d ⊗ d dA

  /// Adds the tensors of a group whose centre lies `shift` from ours.
  void add(const FarField& part, const Vec3& shift) {
    for (std::size_t e = 0; e < third.entries.size(); ++e)
      third.entries[e] += part.third.entries[e];
    third.add(shift, 2.0 * part.second);
    third.add(part.first, outer(shift, shift));
    second = second + part.second + symmetric_outer(part.first, shift);
    first += part.first;
  }
};

/// A value and how far the exact one can be from it.
struct Bounded {
  double value = 0.0;
  double error = 0.0;
};

/// Winding number of the group around p, by the first three terms of the expansion.
/// With u = center - p, R = |u|, β = radius / R < 1: the kernel (x - p)/|x - p|³ is the gradient of
/// a potential whose k-th term in d = x - center is a solid harmonic of degree k; its gradient is
/// at most k |d|^(k-1) / R^(k+1) (Bernstein and Szegő). Terms 1 to 3 are kept, so the rest is at
/// most Σ_{k>3} k |d|^(k-1) / R^(k+1) <= |d|³/R⁵ (4 - 3β)/(1 - β)², integrated over the area and
/// divided by 4π; |d|³ is at most radius |d|².
Bounded far_winding_number(const FarField& far, const Vec3& p) {
  const Vec3 u = far.center - p;
  const double reach_sq = squared_norm(u);
  const double reach = std::sqrt(reach_sq);
  if (!(far.radius < reach)) return {0.0, std::numeric_limits<double>::infinity()};
  constexpr double kPerSphere = 0.25 * std::numbers::inv_pi;
  const double inverse_sq = 1.0 / reach_sq;
  const double beta = far.radius / reach;
  const double error = kPerSphere * beta * far.second_moment * inverse_sq * inverse_sq *
                       (4.0 - 3.0 * beta) / ((1.0 - beta) * (1.0 - beta));
  // Derivatives of u / R³: δ/R³ - 3 uu/R⁵, and -3 (δu + δu + δu)/R⁵ + 15 uuu/R⁷.
  const double value =
      dot(far.first, u) + trace(far.second) - 3.0 * inverse_sq * dot(u, far.second * u) +
      inverse_sq * (7.5 * inverse_sq * far.third.along(u) - 4.5 * dot(far.third.trace(), u));
  return {kPerSphere * value * inverse_sq / reach, error};
}

/// How far the farthest corner of a box is from a point.
double farthest(const Box& box, const Vec3& p) { return norm(max(box.high - p, p - box.low)); }

}  // namespace

/// A binary tree over the triangles, nodes in depth-first order. A node over k leaves has its first
/// child behind it and 2k - 1 nodes in all, so neither links nor counts are stored.
class InsideTest::Tree {
 public:
  Tree(const Mesh& mesh, Threads threads);

  [[nodiscard]] Bounded winding_number(const Vec3& p, double tolerance) const;
  [[nodiscard]] bool on_surface(const Vec3& p) const;
  [[nodiscard]] const Box& bounds() const { return boxes_.front(); }
  [[nodiscard]] bool empty() const { return triangles_.empty(); }

 private:
  struct Range {
    std::size_t node = 0;
    std::size_t first_leaf = 0;
    std::size_t leaf_count = 0;
    [[nodiscard]] bool is_leaf() const { return leaf_count == 1; }
    [[nodiscard]] Range left() const { return {node + 1, first_leaf, leaf_count / 2}; }
    [[nodiscard]] Range right() const {
      const std::size_t half = leaf_count / 2;
      return {node + 2 * half, first_leaf + half, leaf_count - half};
    }
  };

  [[nodiscard]] Range root() const { return {0, 0, leaf_count_}; }
  [[nodiscard]] std::span<const Triangle> triangles_of(const Range& leaf) const {
    const std::size_t first = leaf.first_leaf * kLeafSize;
    return {triangles_.data() + first, std::min(kLeafSize, triangles_.size() - first)};
  }
  [[nodiscard]] Bounded sum(const Vec3& p, double accepted_error) const;
  void split(const Range& range, std::vector<std::uint32_t>& order,
             const std::vector<Vec3>& middles) const;
  void fill(const Range& range);
  void fill_leaf(const Range& leaf);
  void join_children(const Range& range);

  std::size_t leaf_count_ = 0;
  Vec3 origin_;
  double largest_coordinate_ = 0.0;
  std::vector<Triangle> triangles_;  ///< in the order of the leaves, coordinates as given
  std::vector<Box> boxes_;           ///< coordinates as given
  std::vector<FarField> far_;
};

InsideTest::Tree::Tree(const Mesh& mesh, Threads threads) {
  const std::size_t count = mesh.triangle_count();
  if (count == 0) return;
  leaf_count_ = (count + kLeafSize - 1) / kLeafSize;
  triangles_.resize(count);
  boxes_.resize(2 * leaf_count_ - 1);
  far_.resize(2 * leaf_count_ - 1);
  const Box bounds = mesh.bounds();
  origin_ = bounds.center();
  largest_coordinate_ =
      std::fmax(largest_component(abs(bounds.low)), largest_component(abs(bounds.high)));

  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::vector<Vec3> middles(count);
  for (std::size_t i = 0; i < count; ++i) middles[i] = triangle_centroid(mesh.triangle(i));

  // The upper levels are split here, one after the other; the subtrees below them in parallel.
  std::vector<Range> upper{root()};
  std::vector<Range> subtrees;
  for (std::size_t i = 0; i < upper.size(); ++i) {
    const Range range = upper[i];
    if (range.leaf_count <= kSubtreeLeaves) {
      subtrees.push_back(range);
      continue;
    }
    split(range, order, middles);
    upper.push_back(range.left());
    upper.push_back(range.right());
  }
  parallel_for(threads, subtrees.size(), [&](std::size_t i) {
    std::vector<Range> stack{subtrees[i]};
    while (!stack.empty()) {
      const Range range = stack.back();
      stack.pop_back();
      if (range.is_leaf()) continue;
      split(range, order, middles);
      stack.push_back(range.left());
      stack.push_back(range.right());
    }
    const std::size_t first = subtrees[i].first_leaf * kLeafSize;
    const std::size_t end = std::min(count, first + subtrees[i].leaf_count * kLeafSize);
    for (std::size_t k = first; k < end; ++k) triangles_[k] = mesh.triangle(order[k]);
    fill(subtrees[i]);
  });
  std::reverse(upper.begin(), upper.end());
  for (const Range& range : upper) {
    if (range.leaf_count > kSubtreeLeaves) join_children(range);
  }
}

void InsideTest::Tree::split(const Range& range, std::vector<std::uint32_t>& order,
                             const std::vector<Vec3>& middles) const {
  const std::size_t begin = range.first_leaf * kLeafSize;
  const std::size_t end = std::min(order.size(), begin + range.leaf_count * kLeafSize);
  const std::size_t middle = range.right().first_leaf * kLeafSize;
  Box box;
  for (std::size_t i = begin; i < end; ++i) box.include(middles[order[i]]);
  const Vec3 size = box.size();
  const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
    // Ties by number: the split is the same everywhere.
    const double x = middles[a][axis];
    const double y = middles[b][axis];
    return x != y ? x < y : a < b;
  });
}

void InsideTest::Tree::fill(const Range& range) {
  if (range.is_leaf()) return fill_leaf(range);
  fill(range.left());
  fill(range.right());
  join_children(range);
}

void InsideTest::Tree::fill_leaf(const Range& leaf) {
  Box& box = boxes_[leaf.node];
  FarField& far = far_[leaf.node];
  Vec3 moment;
  for (const Triangle& t : triangles_of(leaf)) {
    box.include(t.a), box.include(t.b), box.include(t.c);
    const double area = triangle_area(t);
    far.area += area;
    moment += area * (triangle_centroid(t) - origin_);
  }
  far.center = far.area > 0.0 ? moment / far.area : box.center() - origin_;
  for (const Triangle& t : triangles_of(leaf)) {
    const Vec3 a = (t.a - origin_) - far.center;
    const Vec3 b = (t.b - origin_) - far.center;
    const Vec3 c = (t.c - origin_) - far.center;
    const Vec3 area_vector = 0.5 * cross(t.b - t.a, t.c - t.a);
    const Vec3 s = a + b + c;
    far.first += area_vector;
    far.second = far.second + symmetric_outer(area_vector, s / 3.0);
    far.third.add(area_vector,
                  (1.0 / 12.0) * (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)));
    far.second_moment += triangle_area(t) / 12.0 *
                         (squared_norm(a) + squared_norm(b) + squared_norm(c) + squared_norm(s));
    far.radius = std::fmax(far.radius, std::fmax(norm(a), std::fmax(norm(b), norm(c))));
  }
  // Rounded outward: a bound must not lose to the rounding of its own computation.
  far.radius *= 1.0 + 1e-12;
  far.second_moment *= 1.0 + 1e-12;
}

void InsideTest::Tree::join_children(const Range& range) {
  Box& box = boxes_[range.node];
  FarField& far = far_[range.node];
  const std::array<std::size_t, 2> children{range.left().node, range.right().node};
  Vec3 moment;
  for (const std::size_t child : children) {
    box.include(boxes_[child]);
    far.area += far_[child].area;
    moment += far_[child].area * far_[child].center;
  }
  far.center = far.area > 0.0 ? moment / far.area : box.center() - origin_;
  for (const std::size_t child : children) {
    const FarField& part = far_[child];
    const Vec3 shift = part.center - far.center;
    far.add(part, shift);
    // Parallel axes: part.center is the area-weighted middle of the part.
    far.second_moment += part.second_moment + part.area * squared_norm(shift);
    far.radius = std::fmax(far.radius, part.radius + norm(shift));
  }
  far.radius = std::fmin(far.radius, farthest({box.low - origin_, box.high - origin_}, far.center));
  far.radius *= 1.0 + 1e-12;
  far.second_moment *= 1.0 + 1e-12;
}

Bounded InsideTest::Tree::sum(const Vec3& p, double accepted_error) const {
  Bounded total;
  const Vec3 local = p - origin_;
  std::array<Range, kMaxDepth> stack;
  std::size_t depth = 0;
  stack[depth++] = root();
  while (depth > 0) {
    const Range range = stack[--depth];
    const Bounded far = far_winding_number(far_[range.node], local);
    if (far.error <= accepted_error) {
      total.value += far.value;
      total.error += far.error;
    } else if (range.is_leaf()) {
      for (const Triangle& t : triangles_of(range)) {
        total.value += detail::solid_angle_fraction(t, p);
      }
    } else {
      stack[depth++] = range.right();
      stack[depth++] = range.left();
    }
  }
  return total;
}

Bounded InsideTest::Tree::winding_number(const Vec3& p, double tolerance) const {
  // What one group may add to the error. Dozens of groups are accepted, most of them with less than
  // that. Where their sum still exceeds the tolerance, each may add less: the sum falls about as
  // the power 0.6 of it (error h⁵ of a group, 1/h² groups), so a second try is nearly always
  // enough.
  double accepted_error = tolerance / 64.0;
  for (int attempt = 0; attempt < 6 && accepted_error > 0.0; ++attempt) {
    const Bounded result = sum(p, accepted_error);
    if (result.error <= tolerance) return result;
    accepted_error *= std::fmin(0.25, std::pow(tolerance / result.error, 1.8));
  }
  // None at all: the exact sum.
  return sum(p, 0.0);
}

bool InsideTest::Tree::on_surface(const Vec3& p) const {
  const double tolerance =
      kBoundaryTolerance * std::fmax(largest_coordinate_, largest_component(abs(p)));
  const double tolerance_sq = tolerance * tolerance;
  std::array<Range, kMaxDepth> stack;
  std::size_t depth = 0;
  stack[depth++] = root();
  while (depth > 0) {
    const Range range = stack[--depth];
    if (squared_distance(p, boxes_[range.node]) > tolerance_sq) continue;
    if (range.is_leaf()) {
      for (const Triangle& t : triangles_of(range)) {
        if (squared_distance(p, t) <= tolerance_sq) return true;
      }
    } else {
      stack[depth++] = range.right();
      stack[depth++] = range.left();
    }
  }
  return false;
}

InsideTest::InsideTest(const Mesh& mesh, Threads threads)
    : tree_(std::make_shared<const Tree>(mesh, threads)) {}

double InsideTest::winding_number(const Vec3& point, double max_error) const {
  return tree_->empty() ? 0.0 : tree_->winding_number(point, max_error).value;
}

Side InsideTest::side(const Vec3& point) const {
  if (tree_->empty()) return Side::Outside;
  if (tree_->on_surface(point)) return Side::Boundary;
  const Box& box = tree_->bounds();
  if (min(box.low, point) != box.low || max(box.high, point) != box.high) return Side::Outside;
  // Coarse first: away from holes the winding number is a whole number, and a look is enough.
  for (const double tolerance : {0.4, kWindingNumberError, 0.0}) {
    const Bounded winding = tree_->winding_number(point, tolerance);
    if (std::abs(winding.value - 0.5) > winding.error || tolerance == 0.0) {
      return winding.value > 0.5 ? Side::Inside : Side::Outside;
    }
  }
  return Side::Outside;
}

std::vector<double> InsideTest::winding_numbers(std::span<const Vec3> points, double max_error,
                                                Threads threads) const {
  std::vector<double> result(points.size());
  parallel_for(threads, (points.size() + kBatch - 1) / kBatch, [&](std::size_t batch) {
    for (std::size_t i = batch * kBatch; i < std::min(points.size(), (batch + 1) * kBatch); ++i) {
      result[i] = winding_number(points[i], max_error);
    }
  });
  return result;
}

std::vector<Side> InsideTest::sides(std::span<const Vec3> points, Threads threads) const {
  std::vector<Side> result(points.size());
  parallel_for(threads, (points.size() + kBatch - 1) / kBatch, [&](std::size_t batch) {
    for (std::size_t i = batch * kBatch; i < std::min(points.size(), (batch + 1) * kBatch); ++i) {
      result[i] = side(points[i]);
    }
  });
  return result;
}

}  // namespace clearance
