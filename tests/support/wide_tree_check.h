// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a wide tree promises (src/bvh/wide_tree.h), checked triangle by triangle.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/bvh/bvh.h>

#include "bvh/wide_tree.h"

namespace clearance::test {

/// Coordinates in a node's frame. Eleven bits more than a double: what they lose is far below the
/// least margin of any box.
using WidePoint = std::array<long double, 3>;

inline WidePoint in_frame(const detail::WideTree& tree, const detail::WideFrame& frame,
                          const Vec3& p) {
  WidePoint model{};
  for (std::size_t j = 0; j < 3; ++j)
    model[j] = static_cast<long double>(p[j]) - tree.center[j] - frame.origin[j];
  WidePoint u{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 3; ++j) u[k] += frame.axes[k][j] * model[j];
  }
  return u;
}

inline void expect_in_own_box(const detail::WideFrame& frame, const WidePoint& u,
                              const std::string& what) {
  long double square = 0.0L;
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_LE(std::abs(u[k]), frame.half_size[k]) << what;
    square += u[k] * u[k];
  }
  ASSERT_LE(std::sqrt(square), frame.radius) << what;
}

inline void expect_under_lid(const detail::WideLid& lid, const WidePoint& p,
                             const std::string& what) {
  if (lid.axis == detail::kNoLid) return;
  const detail::LidTurn turn(lid.turn);
  const long double x = p[(lid.axis + 1) % 3];
  const long double y = p[(lid.axis + 2) % 3];
  const long double u = turn.cosine * x + turn.sine * y;
  const long double v = turn.cosine * y - turn.sine * x;
  const long double height = p[lid.axis] - (lid.slope[0] * u + lid.slope[1] * v +
                                            0.5L * (lid.curve[0] * u * u + lid.curve[1] * v * v));
  ASSERT_LE(height, lid.high) << what;
  ASSERT_GE(height, lid.low) << what;
}

inline void expect_near_rotation(const detail::WideFrame& frame, const std::string& what) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0.0;
      for (std::size_t k = 0; k < 3; ++k)
        product += static_cast<double>(frame.axes[i][k]) * frame.axes[j][k];
      ASSERT_NEAR(product, i == j ? 1.0 : 0.0, 4e-7) << what;
    }
  }
}

inline void expect_sound_leaf(const detail::WideTree& tree, const Bvh& bvh, std::uint32_t ref,
                              std::vector<std::uint32_t>& below, const std::string& name) {
  const detail::WideLeaf& leaf = tree.leaves[ref & ~detail::kLeafBit];
  const std::string what = name + ", leaf " + std::to_string(ref & ~detail::kLeafBit);
  expect_near_rotation(leaf.frame, what);
  std::size_t count = 0;
  while (count < detail::kWidth && leaf.triangle[count] != detail::kNoChild) ++count;
  ASSERT_GT(count, 0U) << what;
  for (std::size_t i = 0; i < detail::kWidth; ++i) {
    if (i >= count) {
      ASSERT_EQ(leaf.triangle[i], detail::kNoChild) << what;
      for (const auto& row : leaf.corner) ASSERT_EQ(row[i], row[0]) << what;
      continue;
    }
    ASSERT_LT(leaf.triangle[i], bvh.triangle_count()) << what;
    below.push_back(leaf.triangle[i]);
    const Triangle t = bvh.triangle(leaf.triangle[i]);
    const std::array<Vec3, 3> corners{t.a, t.b, t.c};
    for (std::size_t c = 0; c < 3; ++c) {
      const WidePoint u = in_frame(tree, leaf.frame, corners[c]);
      expect_in_own_box(leaf.frame, u, what);
      for (std::size_t k = 0; k < 3; ++k) {
        // Half a unit in the last place, and what doubles of the size of the model lose.
        const double rounding = 6e-8 * leaf.frame.half_size[k] + 1e-15 * tree.radius;
        ASSERT_NEAR(static_cast<double>(u[k]), leaf.corner[3 * c + k][i], rounding) << what;
      }
    }
  }
}

/// Every node, leaf and triangle met once from the root; every corner below a node inside the box
/// of its child and the node's own, and between the sheets of its lid; slots filled from the front.
/// The triangles are those of `bvh`.
inline void expect_sound_wide_tree(const detail::WideTree& tree, const Bvh& bvh,
                                   const std::string& name) {
  struct Visit {
    std::uint32_t ref;
    bool children_met;
  };
  std::vector<std::vector<std::uint32_t>> node_below(tree.nodes.size());
  std::vector<std::vector<std::uint32_t>> leaf_below(tree.leaves.size());
  std::size_t nodes = 0;
  std::size_t leaves = 0;
  std::vector<Visit> stack{{tree.root, false}};
  const auto below = [&](std::uint32_t ref) -> std::vector<std::uint32_t>& {
    return (ref & detail::kLeafBit) != 0 ? leaf_below[ref & ~detail::kLeafBit] : node_below[ref];
  };
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    if ((visit.ref & detail::kLeafBit) != 0) {
      ASSERT_LT(visit.ref & ~detail::kLeafBit, tree.leaves.size()) << name;
      ASSERT_TRUE(below(visit.ref).empty()) << name;
      ASSERT_NO_FATAL_FAILURE(expect_sound_leaf(tree, bvh, visit.ref, below(visit.ref), name));
      ++leaves;
      continue;
    }
    ASSERT_LT(visit.ref, tree.nodes.size()) << name;
    const detail::WideNode& node = tree.nodes[visit.ref];
    const std::string what = name + ", node " + std::to_string(visit.ref);
    if (!visit.children_met) {
      ASSERT_TRUE(below(visit.ref).empty()) << what;
      stack.push_back({visit.ref, true});
      for (const std::uint32_t child : node.child) {
        if (child != detail::kNoChild) stack.push_back({child, false});
      }
      continue;
    }
    ++nodes;
    expect_near_rotation(node.frame, what);
    bool ended = false;
    for (std::size_t i = 0; i < detail::kWidth; ++i) {
      ended = ended || node.child[i] == detail::kNoChild;
      if (ended) {
        ASSERT_EQ(node.child[i], detail::kNoChild) << what;
        for (const auto& half : node.half) ASSERT_EQ(half[i], detail::kEmptyHalf) << what;
        continue;
      }
      for (const std::uint32_t number : below(node.child[i])) {
        const Triangle t = bvh.triangle(number);
        for (const Vec3& p : {t.a, t.b, t.c}) {
          const WidePoint u = in_frame(tree, node.frame, p);
          for (std::size_t k = 0; k < 3; ++k)
            ASSERT_LE(std::abs(u[k] - node.center[k][i]), node.half[k][i]) << what;
          ASSERT_NO_FATAL_FAILURE(expect_in_own_box(node.frame, u, what));
          ASSERT_NO_FATAL_FAILURE(expect_under_lid(node.lid, u, what));
        }
        below(visit.ref).push_back(number);
      }
    }
  }
  EXPECT_EQ(nodes, tree.nodes.size()) << name;
  EXPECT_EQ(leaves, tree.leaves.size()) << name;
  std::vector<std::uint32_t> all = below(tree.root);
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), bvh.triangle_count()) << name;
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i) << name;
}

inline void expect_sound_wide_tree(const Bvh& bvh, const std::string& name) {
  ASSERT_NE(bvh.wide(), nullptr) << name;
  expect_sound_wide_tree(*bvh.wide(), bvh, name);
}

/// The same to the last bit.
inline bool same_wide_tree(const detail::WideTree& a, const detail::WideTree& b) {
  return a.center == b.center && a.radius == b.radius && a.root == b.root &&
         a.nodes.size() == b.nodes.size() && a.leaves.size() == b.leaves.size() &&
         (a.nodes.empty() ||
          std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size_bytes()) == 0) &&
         std::memcmp(a.leaves.data(), b.leaves.data(), a.leaves.size_bytes()) == 0;
}

}  // namespace clearance::test
