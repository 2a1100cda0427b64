// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nearest of many points, in single precision: for estimates.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

class PointTree {
 public:
  PointTree() = default;
  /// `normals`: of a surface the points lie on, about; they only help to find the nearest sooner.
  PointTree(std::span<const Vec3> points, std::span<const Vec3> normals);

  static constexpr std::uint32_t kNone = 0xffffffffU;
  /// The number of the point nearest to c, or kNone. Points equally near to all digits: any, but
  /// always the same.
  [[nodiscard]] std::uint32_t nearest(const Vec3& c) const;

 private:
  static constexpr std::uint32_t kWidth = 8;           // children of a node, and points of a leaf
  static constexpr std::uint32_t kLeafBit = 1U << 31;  // of a child: it is a leaf
  /// What is known of each child, one lane for each: tested all at once. Empty lanes are far away.
  struct Node {
    float low[3][kWidth];
    float high[3][kWidth];
    float normal[3][kWidth];  // mean
    float beyond[kWidth];     // no point is less far along the normal
    std::uint32_t child[kWidth];
  };
  struct Leaf {
    float at[3][kWidth];  // empty places are far away
    std::uint32_t point[kWidth];
  };
  struct Input {
    std::span<const Vec3> points, normals;
  };
  /// The number of the node or leaf made of these points.
  std::uint32_t build(const Input& input, std::span<std::uint32_t> order);
  void set_lane(Node& node, std::size_t lane, const Input& input,
                std::span<const std::uint32_t> order) const;

  Vec3 origin_;
  std::uint32_t root_ = kNone;
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
};

}  // namespace clearance::detail
