// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/point_tree.h"

#include <algorithm>
#include <numeric>

namespace clearance::detail {
namespace {

/// Coordinates of empty places: farther than any point, and no overflow when squared.
constexpr float kFarAway = 1e18F;
/// A stack that no tree outgrows: halving, one node a level is left behind.
constexpr std::size_t kStack = 40;

}  // namespace

PointTree::PointTree(std::span<const Vec3> points, std::span<const Vec3> normals) {
  if (points.empty()) return;
  Box box;
  for (const Vec3& p : points) box.include(p);
  origin_ = box.center();
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  build(points, normals, order);
}

void PointTree::build(std::span<const Vec3> points, std::span<const Vec3> normals,
                      std::span<std::uint32_t> order) {
  Box box;
  Vec3 normal;
  for (const std::uint32_t i : order) {
    box.include(points[i] - origin_);
    normal += normals[i];
  }
  normal = normalized(normal);
  double beyond = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : order) beyond = std::min(beyond, dot(normal, points[i] - origin_));
  Node node{};
  node.beyond = static_cast<float>(beyond);
  for (std::size_t k = 0; k < 3; ++k) {
    node.low[k] = static_cast<float>(box.low[k]);
    node.high[k] = static_cast<float>(box.high[k]);
    node.normal[k] = static_cast<float>(normal[k]);
  }
  node.begin = static_cast<std::uint32_t>(leaves_.size());
  const std::size_t at = nodes_.size();
  nodes_.push_back(node);
  if (order.size() <= kLeafSize) {
    Leaf leaf;
    for (std::size_t i = 0; i < kLeafSize; ++i) {
      const bool used = i < order.size();
      for (std::size_t k = 0; k < 3; ++k)
        leaf.at[k][i] = used ? static_cast<float>(points[order[i]][k] - origin_[k]) : kFarAway;
      leaf.point[i] = used ? order[i] : kNone;
    }
    leaves_.push_back(leaf);
    return;
  }
  const Vec3 size = box.size();
  const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  // Full leaves but for the last.
  const std::size_t blocks = (order.size() + kLeafSize - 1) / kLeafSize;
  const std::size_t middle = blocks / 2 * kLeafSize;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(middle), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) {
                     const double x = points[i][axis];
                     const double y = points[j][axis];
                     return x != y ? x < y : i < j;
                   });
  build(points, normals, order.first(middle));
  nodes_[at].second = static_cast<std::uint32_t>(nodes_.size());
  build(points, normals, order.subspan(middle));
}

float PointTree::squared_gap(const Node& node, const float (&p)[3]) {
  float sum = 0.0F;
  for (std::size_t k = 0; k < 3; ++k) {
    const float d = std::max({node.low[k] - p[k], p[k] - node.high[k], 0.0F});
    sum += d * d;
  }
  // A patch of a surface is thin along its normal, and its box is not.
  const float height = std::max(
      0.0F, node.beyond - (node.normal[0] * p[0] + node.normal[1] * p[1] + node.normal[2] * p[2]));
  return std::max(sum, height * height);
}

std::uint32_t PointTree::nearest(const Vec3& c) const {
  if (nodes_.empty()) return kNone;
  const Vec3 local = c - origin_;
  const float p[3] = {static_cast<float>(local.x), static_cast<float>(local.y),
                      static_cast<float>(local.z)};
  struct Entry {
    float bound;
    std::uint32_t node;
  };
  std::array<Entry, kStack> stack;
  std::size_t depth = 0;
  stack[depth++] = {0.0F, 0};
  float best = std::numeric_limits<float>::max();
  std::uint32_t found = kNone;
  while (depth > 0) {
    const Entry entry = stack[--depth];
    if (entry.bound >= best) continue;
    std::uint32_t at = entry.node;
    bool dropped = false;
    while (nodes_[at].second != 0 && !dropped) {
      std::uint32_t near = at + 1;
      std::uint32_t far = nodes_[at].second;
      float near_gap = squared_gap(nodes_[near], p);
      float far_gap = squared_gap(nodes_[far], p);
      if (far_gap < near_gap) {
        std::swap(near, far);
        std::swap(near_gap, far_gap);
      }
      if (far_gap < best) stack[depth++] = {far_gap, far};
      dropped = near_gap >= best;
      at = near;
    }
    if (dropped) continue;
    const Leaf& leaf = leaves_[nodes_[at].begin];
    float squares[kLeafSize];
    for (std::size_t i = 0; i < kLeafSize; ++i) {
      const float x = leaf.at[0][i] - p[0];
      const float y = leaf.at[1][i] - p[1];
      const float z = leaf.at[2][i] - p[2];
      squares[i] = x * x + y * y + z * z;
    }
    for (std::size_t i = 0; i < kLeafSize; ++i) {
      if (squares[i] >= best) continue;
      best = squares[i];
      found = leaf.point[i];
    }
  }
  return found;
}

}  // namespace clearance::detail
