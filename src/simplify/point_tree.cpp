// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/point_tree.h"

#include <algorithm>
#include <numeric>

namespace clearance::detail {
namespace {

/// Coordinates of empty places: farther than any point, and no overflow when squared.
constexpr float kFarAway = 1e18F;
/// A stack that no tree outgrows: seven are left behind on each of ten levels, which hold a
/// thousand million points.
constexpr std::size_t kStack = 80;

/// The points in two, across the longest side of their box, at a multiple of `grain` points.
std::size_t halve(std::span<const Vec3> points, std::span<std::uint32_t> order, std::size_t grain) {
  Box box;
  for (const std::uint32_t i : order) box.include(points[i]);
  const Vec3 size = box.size();
  const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const std::size_t blocks = (order.size() + grain - 1) / grain;
  const std::size_t middle = blocks / 2 * grain;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(middle), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) {
                     const double x = points[i][axis];
                     const double y = points[j][axis];
                     return x != y ? x < y : i < j;
                   });
  return middle;
}

}  // namespace

PointTree::PointTree(std::span<const Vec3> points, std::span<const Vec3> normals) {
  if (points.empty()) return;
  Box box;
  for (const Vec3& p : points) box.include(p);
  origin_ = box.center();
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  root_ = build({points, normals}, order);
}

void PointTree::set_lane(Node& node, std::size_t lane, const Input& input,
                         std::span<const std::uint32_t> order) const {
  Box box;
  Vec3 normal;
  for (const std::uint32_t i : order) {
    box.include(input.points[i] - origin_);
    normal += input.normals[i];
  }
  normal = normalized(normal);
  double beyond = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : order)
    beyond = std::min(beyond, dot(normal, input.points[i] - origin_));
  node.beyond[lane] = static_cast<float>(beyond);
  for (std::size_t k = 0; k < 3; ++k) {
    node.low[k][lane] = static_cast<float>(box.low[k]);
    node.high[k][lane] = static_cast<float>(box.high[k]);
    node.normal[k][lane] = static_cast<float>(normal[k]);
  }
}

std::uint32_t PointTree::build(const Input& input, std::span<std::uint32_t> order) {
  if (order.size() <= kWidth) {
    Leaf leaf;
    for (std::size_t i = 0; i < kWidth; ++i) {
      const bool used = i < order.size();
      for (std::size_t k = 0; k < 3; ++k)
        leaf.at[k][i] =
            used ? static_cast<float>(input.points[order[i]][k] - origin_[k]) : kFarAway;
      leaf.point[i] = used ? order[i] : kNone;
    }
    leaves_.push_back(leaf);
    return kLeafBit | static_cast<std::uint32_t>(leaves_.size() - 1);
  }
  // Halved three times, as far as there is more than a leaf. Full leaves but for the last.
  std::vector<std::span<std::uint32_t>> parts{order};
  while (parts.size() < kWidth) {
    const auto largest = std::max_element(parts.begin(), parts.end(),
                                          [](auto a, auto b) { return a.size() < b.size(); });
    if (largest->size() <= kWidth) break;
    const std::span<std::uint32_t> part = *largest;
    const std::size_t middle = halve(input.points, part, kWidth);
    *largest = part.first(middle);
    parts.insert(largest + 1, part.subspan(middle));
  }
  const std::size_t at = nodes_.size();
  Node node{};
  for (std::size_t lane = 0; lane < kWidth; ++lane) {
    node.child[lane] = kNone;
    if (lane < parts.size()) {
      set_lane(node, lane, input, parts[lane]);
    } else {
      for (std::size_t k = 0; k < 3; ++k) node.low[k][lane] = node.high[k][lane] = kFarAway;
    }
  }
  nodes_.push_back(node);
  for (std::size_t lane = 0; lane < parts.size(); ++lane) {
    const std::uint32_t child = build(input, parts[lane]);
    nodes_[at].child[lane] = child;
  }
  return static_cast<std::uint32_t>(at);
}

std::uint32_t PointTree::nearest(const Vec3& c) const {
  if (root_ == kNone) return kNone;
  const Vec3 local = c - origin_;
  const auto x = static_cast<float>(local.x);
  const auto y = static_cast<float>(local.y);
  const auto z = static_cast<float>(local.z);
  struct Entry {
    float bound;
    std::uint32_t child;
  };
  std::array<Entry, kStack> stack;
  std::size_t depth = 0;
  stack[depth++] = {0.0F, root_};
  float best = std::numeric_limits<float>::max();
  std::uint32_t found = kNone;
  while (depth > 0) {
    const Entry entry = stack[--depth];
    if (entry.bound >= best) continue;
    float squares[kWidth];
    if ((entry.child & kLeafBit) != 0) {
      const Leaf& leaf = leaves_[entry.child & ~kLeafBit];
      for (std::size_t i = 0; i < kWidth; ++i) {
        const float dx = leaf.at[0][i] - x;
        const float dy = leaf.at[1][i] - y;
        const float dz = leaf.at[2][i] - z;
        squares[i] = dx * dx + dy * dy + dz * dz;
      }
      for (std::size_t i = 0; i < kWidth; ++i) {
        if (squares[i] >= best) continue;
        best = squares[i];
        found = leaf.point[i];
      }
      continue;
    }
    const Node& node = nodes_[entry.child];
    for (std::size_t i = 0; i < kWidth; ++i) {
      const float dx = std::max(std::max(node.low[0][i] - x, x - node.high[0][i]), 0.0F);
      const float dy = std::max(std::max(node.low[1][i] - y, y - node.high[1][i]), 0.0F);
      const float dz = std::max(std::max(node.low[2][i] - z, z - node.high[2][i]), 0.0F);
      // A patch of a surface is thin along its normal, and its box is not.
      const float along = node.normal[0][i] * x + node.normal[1][i] * y + node.normal[2][i] * z;
      const float height = std::max(node.beyond[i] - along, 0.0F);
      squares[i] = std::max(dx * dx + dy * dy + dz * dz, height * height);
    }
    // The nearest on top.
    const std::size_t bottom = depth;
    for (std::size_t i = 0; i < kWidth; ++i) {
      if (squares[i] >= best) continue;
      std::size_t place = depth++;
      for (; place > bottom && stack[place - 1].bound < squares[i]; --place)
        stack[place] = stack[place - 1];
      stack[place] = {squares[i], node.child[i]};
    }
  }
  return found;
}

}  // namespace clearance::detail
