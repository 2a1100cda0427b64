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
  static constexpr std::uint32_t kLeafSize = 8;
  struct Node {
    float low[3];
    float high[3];
    float normal[3];           // mean
    float beyond = 0;          // no point is less far along the normal
    std::uint32_t begin = 0;   // of its points in the leaves; a multiple of kLeafSize
    std::uint32_t second = 0;  // the other child; the first follows. 0: a leaf
  };
  struct Leaf {
    float at[3][kLeafSize];  // empty places are far away
    std::uint32_t point[kLeafSize];
  };
  void build(std::span<const Vec3> points, std::span<const Vec3> normals,
             std::span<std::uint32_t> order);
  [[nodiscard]] static float squared_gap(const Node& node, const float (&p)[3]);

  Vec3 origin_;
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
};

}  // namespace clearance::detail
