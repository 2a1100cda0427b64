// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/point_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace clearance::detail {
namespace {

// The radius of spheres around blocks is made larger by this part, for rounding.
constexpr double kRounding = 1e-12;

std::vector<std::uint32_t> curve_order(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& p : points) box.include(p);
  const double side = std::max({box.size().x, box.size().y, box.size().z});
  const double scale = side > 0.0 ? 2097151.0 / side : 0.0;
  const auto spread = [](std::uint64_t v) {
    std::uint64_t x = v & 0x1fffffU;
    x = (x | (x << 32)) & 0x001f00000000ffffU;
    x = (x | (x << 16)) & 0x001f0000ff0000ffU;
    x = (x | (x << 8)) & 0x100f00f00f00f00fU;
    x = (x | (x << 4)) & 0x10c30c30c30c30c3U;
    return (x | (x << 2)) & 0x1249249249249249U;
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 q = scale * (points[i] - box.low);
    keys[i] = {spread(static_cast<std::uint64_t>(q.x)) |
                   (spread(static_cast<std::uint64_t>(q.y)) << 1) |
                   (spread(static_cast<std::uint64_t>(q.z)) << 2),
               static_cast<std::uint32_t>(i)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = keys[i].second;
  return order;
}

}  // namespace

PointBlocks::PointBlocks(std::span<const Vec3> points) : order_(curve_order(points)) {
  const std::size_t blocks = (points.size() + kBlock - 1) / kBlock;
  x_.resize(blocks * kBlock);
  y_.resize(x_.size());
  z_.resize(x_.size());
  const auto around = [&](std::size_t begin, std::size_t end) {
    Box box;
    for (std::size_t i = begin; i < end; ++i) box.include(Vec3{x_[i], y_[i], z_[i]});
    double radius = 0.0;
    for (std::size_t i = begin; i < end; ++i)
      radius = std::max(radius, distance(box.center(), Vec3{x_[i], y_[i], z_[i]}));
    return Sphere{box.center(), (1.0 + kRounding) * radius};
  };
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const Vec3& p = points[order_[std::min(i, points.size() - 1)]];
    x_[i] = p.x, y_[i] = p.y, z_[i] = p.z;
  }
  for (std::size_t b = 0; b < blocks; ++b) blocks_.push_back(around(b * kBlock, (b + 1) * kBlock));
  for (std::size_t b = 0; b < blocks; b += kGroup)
    groups_.push_back(around(b * kBlock, std::min(blocks, b + kGroup) * kBlock));
}

void PointBlocks::nearest_of(std::size_t group, std::span<const Sphere> balls,
                             std::vector<std::uint32_t>& holder,
                             std::vector<double>& distance) const {
  std::vector<std::uint32_t> near;
  for (std::uint32_t k = 0; k < balls.size(); ++k)
    if (balls[k].radius >= 0.0 && touches(balls[k], groups_[group])) near.push_back(k);
  for (std::size_t b = group * kGroup; b < std::min(blocks_.size(), (group + 1) * kGroup); ++b) {
    std::array<double, kBlock> least;
    std::array<std::uint32_t, kBlock> nearest;
    least.fill(std::numeric_limits<double>::infinity());
    nearest.fill(0);
    for (const std::uint32_t k : near) {
      if (!touches(balls[k], blocks_[b])) continue;
      const Sphere& ball = balls[k];
      for (std::size_t j = 0; j < kBlock; ++j) {
        const std::size_t i = b * kBlock + j;
        const double dx = x_[i] - ball.center.x;
        const double dy = y_[i] - ball.center.y;
        const double dz = z_[i] - ball.center.z;
        const double d = std::sqrt(dx * dx + dy * dy + dz * dz) - ball.radius;
        nearest[j] = d < least[j] ? k : nearest[j];
        least[j] = d < least[j] ? d : least[j];
      }
    }
    const std::size_t end = std::min(size() - b * kBlock, kBlock);
    for (std::size_t j = 0; j < end; ++j) {
      if (least[j] == std::numeric_limits<double>::infinity()) continue;
      holder[b * kBlock + j] = nearest[j];
      distance[b * kBlock + j] = least[j];
    }
  }
}

}  // namespace clearance::detail
