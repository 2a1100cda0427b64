// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/obb_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <clearance/geometry/symmetric_eigen.h>

namespace clearance::study {
namespace {

/// Rounding of a separation, as a fraction of the magnitudes that enter it: some twenty operations
/// of 1e-16, and axes orthonormal to 1e-15, doubled.
constexpr double kSeparationError = 1e-14;

Vec3 center_of(const Ball& ball) { return {ball.x, ball.y, ball.z}; }

}  // namespace

void ObbTree::fit(Node& node) const {
  // Covariance about the first ball, which is near enough to the mean to lose no digits that count.
  const Vec3 origin = center_of(balls_[node.begin]);
  Vec3 sum;
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    const Vec3 p = center_of(balls_[i]) - origin;
    sum += p;
    xx += p.x * p.x, xy += p.x * p.y, xz += p.x * p.z;
    yy += p.y * p.y, yz += p.y * p.z, zz += p.z * p.z;
  }
  const double count = node.end - node.begin;
  const Vec3 mean = sum / count;
  const Mat3 covariance{{Vec3{xx - sum.x * mean.x, xy - sum.x * mean.y, xz - sum.x * mean.z},
                         Vec3{0.0, yy - sum.y * mean.y, yz - sum.y * mean.z},
                         Vec3{0.0, 0.0, zz - sum.z * mean.z}}};
  if (count > 1) node.axes = transpose(eigen_of_symmetric(covariance).vectors);

  Vec3 low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
           std::numeric_limits<double>::infinity()};
  Vec3 high = -low;
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    const Vec3 p = node.axes * (center_of(balls_[i]) - origin);
    const double r = balls_[i].radius;
    low = min(low, p - Vec3{r, r, r});
    high = max(high, p + Vec3{r, r, r});
  }
  node.half_size = 0.5 * (high - low);
  node.size = norm(node.half_size);
  node.center = origin + transpose_times(node.axes, 0.5 * (low + high));
}

std::uint32_t ObbTree::split(const Node& node) {
  // The axis of the greatest variance, cut at the mean.
  const Vec3 axis = node.axes[0];
  const auto along = [&](std::uint32_t i) { return dot(axis, center_of(balls_[i])); };
  double mean = 0.0;
  for (std::uint32_t i = node.begin; i < node.end; ++i) mean += along(i);
  mean /= node.end - node.begin;
  std::uint32_t middle = node.begin;
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    if (along(i) > mean) continue;
    std::swap(balls_[i], balls_[middle]);
    std::swap(numbers_[i], numbers_[middle]);
    ++middle;
  }
  // All in one place: any halves will do.
  if (middle == node.begin || middle == node.end) middle = std::midpoint(node.begin, node.end);
  return middle;
}

void ObbTree::build(std::span<const Ball> balls, std::uint32_t first) {
  balls_.assign(balls.begin(), balls.end());
  numbers_.resize(balls.size());
  std::iota(numbers_.begin(), numbers_.end(), first);
  nodes_.clear();
  if (balls.empty()) return;
  nodes_.push_back({.begin = 0, .end = static_cast<std::uint32_t>(balls.size())});
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    fit(nodes_[i]);
    const Node node = nodes_[i];
    if (node.end - node.begin <= leaf_size_) continue;
    const std::uint32_t middle = split(node);
    nodes_[i].child = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({.begin = node.begin, .end = middle});
    nodes_.push_back({.begin = middle, .end = node.end});
  }
}

bool boxes_apart(const ObbTree::Node& a, const ObbTree::Node& b) {
  const Vec3 offset = b.center - a.center;
  // Balls around both settle most far pairs.
  const double reach = a.size + b.size;
  if (squared_norm(offset) > reach * reach * (1.0 + 4.0 * kSeparationError)) return true;

  const Vec3 d = a.axes * offset;
  // turn[i][j]: axis i of a times axis j of b.
  const Mat3 turn = a.axes * transpose(b.axes);
  const Mat3 size{{abs(turn[0]), abs(turn[1]), abs(turn[2])}};
  const Vec3& ha = a.half_size;
  const Vec3& hb = b.half_size;
  const double error = kSeparationError * (std::abs(d.x) + std::abs(d.y) + std::abs(d.z) + ha.x +
                                           ha.y + ha.z + hb.x + hb.y + hb.z);
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(d[i]) > ha[i] + dot(size[i], hb) + error) return true;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    if (std::abs(dot(turn.column(j), d)) > hb[j] + dot(size.column(j), ha) + error) return true;
  }
  // The products of edges, unnormalised: with edges nearly parallel both sides are about zero, and
  // the error decides for "not apart".
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t i1 = (i + 1) % 3;
    const std::size_t i2 = (i + 2) % 3;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = (j + 1) % 3;
      const std::size_t j2 = (j + 2) % 3;
      if (std::abs(turn[i1][j] * d[i2] - turn[i2][j] * d[i1]) >
          ha[i1] * size[i2][j] + ha[i2] * size[i1][j] + hb[j1] * size[i][j2] +
              hb[j2] * size[i][j1] + error) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace clearance::study
