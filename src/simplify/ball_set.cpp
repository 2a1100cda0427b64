// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/ball_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace clearance::detail {
namespace {

constexpr std::uint32_t kLeafSize = 8;
/// A stack that no tree of 2³² balls outgrows: halving, one node a level is left behind.
constexpr std::size_t kStack = 64;

}  // namespace

BallSet::BallSet(std::span<const Sphere> spheres, double reach) {
  for (const Sphere& s : spheres) {
    if (!is_finite(s.center) || !(s.radius >= 0.0) || !std::isfinite(s.radius)) continue;
    const double slack = kHalvingRounding * (reach + norm(s.center) + s.radius);
    balls_.push_back({s.center, s.radius, s.radius - slack, s.radius + slack});
  }
  order_.resize(balls_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  if (!balls_.empty()) build(0, static_cast<std::uint32_t>(balls_.size()));
}

void BallSet::build(std::uint32_t begin, std::uint32_t end) {
  Box centers;
  for (std::uint32_t i = begin; i < end; ++i) centers.include(balls_[order_[i]].center);
  Node node{centers.center(), 0.0, begin, end, 0};
  for (std::uint32_t i = begin; i < end; ++i) {
    const Ball& ball = balls_[order_[i]];
    node.reach =
        std::max(node.reach, (distance(ball.center, node.center) + ball.outer) * (1.0 + 1e-14));
  }
  const std::size_t at = nodes_.size();
  nodes_.push_back(node);
  if (end - begin <= kLeafSize) return;
  const Vec3 size = centers.size();
  const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](std::uint32_t i, std::uint32_t j) {
                     const double x = balls_[i].center[axis];
                     const double y = balls_[j].center[axis];
                     return x != y ? x < y : i < j;
                   });
  build(begin, middle);
  nodes_[at].second = static_cast<std::uint32_t>(nodes_.size());
  build(middle, end);
}

void BallSet::near(const Vec3& center, double radius, std::vector<std::uint32_t>& found) const {
  if (nodes_.empty()) return;
  const std::size_t before = found.size();
  std::array<std::uint32_t, kStack> stack;
  std::size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t at = stack[--depth];
    const Node& node = nodes_[at];
    if (distance(node.center, center) > node.reach + radius) continue;
    if (node.second != 0) {
      stack[depth++] = node.second;
      stack[depth++] = at + 1;
      continue;
    }
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const Ball& ball = balls_[order_[i]];
      if (distance(ball.center, center) <= ball.outer + radius) found.push_back(order_[i]);
    }
  }
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
}

BallSet::Nearest BallSet::nearest(const Vec3& p) const {
  Nearest best;
  if (nodes_.empty()) return best;
  std::array<std::uint32_t, kStack> stack;
  std::size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t at = stack[--depth];
    const Node& node = nodes_[at];
    // Every ball below lies within the node's.
    if (distance(node.center, p) - node.reach >= best.distance) continue;
    if (node.second != 0) {
      const bool first_is_nearer =
          distance(nodes_[at + 1].center, p) - nodes_[at + 1].reach <=
          distance(nodes_[node.second].center, p) - nodes_[node.second].reach;
      stack[depth++] = first_is_nearer ? node.second : at + 1;
      stack[depth++] = first_is_nearer ? at + 1 : node.second;
      continue;
    }
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const Ball& ball = balls_[order_[i]];
      const double d = distance(ball.center, p) - ball.radius;
      if (d < best.distance) best = {d, order_[i]};
    }
  }
  return best;
}

}  // namespace clearance::detail
