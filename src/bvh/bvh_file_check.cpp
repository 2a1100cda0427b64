// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/bvh_file_check.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace clearance::detail {
namespace {

/// Coordinates in a node's frame are at most twice the model's radius, the half sizes and the
/// radius of its box at most twice that again.
constexpr double kReach = 8.0;
/// Added to it: rounding up takes numbers that are too small for a float to the least float.
constexpr double kLeastReach = 1e-30;
/// Axes in single precision are orthonormal to about 1e-7, in double to 1e-15.
constexpr double kRigidity = 1e-5;

/// What a check is about; put into words only when it fails.
struct Place {
  const char* what;
  std::size_t index;
  [[nodiscard]] std::string text() const { return std::string(what) + " " + std::to_string(index); }
};

Error refuse(const std::string& place, std::string reason) {
  return {ErrorCode::Malformed, "", place, std::move(reason), ""};
}
Error refuse(const Place& place, std::string reason) {
  return refuse(place.text(), std::move(reason));
}

// Also false for a NaN.
bool are_orthonormal(const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto near = [](double value, double wanted) {
    return std::abs(value - wanted) < kRigidity;
  };
  return near(dot(a, a), 1.0) && near(dot(b, b), 1.0) && near(dot(c, c), 1.0) &&
         near(dot(a, b), 0.0) && near(dot(b, c), 0.0) && near(dot(c, a), 0.0);
}

/// Counts the triangles met; each may be met once.
class TriangleMarks {
 public:
  explicit TriangleMarks(std::size_t count) : met_(count) {}
  Status meet(std::uint32_t triangle, const Place& place) {
    if (triangle >= met_.size())
      return refuse(place, "has triangle " + std::to_string(triangle) + ", but there are only " +
                               std::to_string(met_.size()));
    if (met_[triangle])
      return refuse(place,
                    "has triangle " + std::to_string(triangle) + ", which was in a leaf before");
    met_[triangle] = true;
    ++met_count_;
    return {};
  }
  [[nodiscard]] Status all_met() const {
    if (met_count_ == met_.size()) return {};
    return refuse("", std::to_string(met_.size() - met_count_) + " triangles are in no leaf");
  }

 private:
  std::vector<bool> met_;
  std::size_t met_count_ = 0;
};

class WideCheck {
 public:
  WideCheck(const WideTree& tree, const Box& bounds, std::size_t triangle_count)
      : tree_(tree),
        bounds_(bounds),
        nodes_met_(tree.nodes.size()),
        leaves_met_(tree.leaves.size()),
        triangles_(triangle_count) {}

  Status run() {
    if (min(tree_.center, bounds_.low) != bounds_.low ||
        max(tree_.center, bounds_.high) != bounds_.high || !is_finite(tree_.center))
      return refuse("header", "the center of the tree is outside its bounds");
    if (!(tree_.radius >= 0.0 && tree_.radius <= bounds_.diagonal()))
      return refuse("header", "the radius of the tree does not fit its bounds");
    limit_ = static_cast<float>(kReach * tree_.radius + kLeastReach);
    if (Status met = meet(tree_.root, {"root", tree_.root}); !met) return met;
    std::size_t nodes = 0;
    std::size_t leaves = 0;
    while (!pending_.empty()) {
      const std::uint32_t ref = pending_.back();
      pending_.pop_back();
      const bool is_leaf = (ref & kLeafBit) != 0;
      ++(is_leaf ? leaves : nodes);
      Status status = is_leaf ? leaf(ref & ~kLeafBit) : node(ref);
      if (!status) return status;
    }
    if (nodes < tree_.nodes.size() || leaves < tree_.leaves.size())
      return refuse("", std::to_string(tree_.nodes.size() - nodes) + " nodes and " +
                            std::to_string(tree_.leaves.size() - leaves) +
                            " leaves are not below the root");
    return triangles_.all_met();
  }

 private:
  // A node or leaf may have one parent; those met wait for their own check.
  Status meet(std::uint32_t ref, const Place& parent) {
    const bool is_leaf = (ref & kLeafBit) != 0;
    const std::size_t index = ref & ~kLeafBit;
    std::vector<bool>& met = is_leaf ? leaves_met_ : nodes_met_;
    const Place place{is_leaf ? "leaf" : "node", index};
    if (index >= met.size())
      return refuse(parent, "has " + place.text() + " below it, but there are only " +
                                std::to_string(met.size()));
    if (met[index])
      return refuse(parent, "has " + place.text() + " below it, which was met before");
    met[index] = true;
    pending_.push_back(ref);
    return {};
  }

  [[nodiscard]] bool in_reach(float v) const { return std::abs(v) <= limit_; }
  [[nodiscard]] bool is_size(float v) const { return v >= 0.0F && v <= limit_; }

  [[nodiscard]] bool is_sound(const WideFrame& f) const {
    Vec3 axes[3];
    for (std::size_t k = 0; k < 3; ++k) {
      axes[k] = {f.axes[k][0], f.axes[k][1], f.axes[k][2]};
      if (!in_reach(f.origin[k]) || !is_size(f.half_size[k])) return false;
    }
    return is_size(f.radius) && are_orthonormal(axes[0], axes[1], axes[2]);
  }

  [[nodiscard]] bool is_sound(const WideLid& lid) const {
    return lid.axis <= kNoLid && std::isfinite(lid.slope[0]) && std::isfinite(lid.slope[1]) &&
           std::isfinite(lid.curve[0]) && std::isfinite(lid.curve[1]) && std::isfinite(lid.turn) &&
           in_reach(lid.low) && in_reach(lid.high);
  }

  Status node(std::size_t index) {
    const WideNode& n = tree_.nodes[index];
    if (!is_sound(n.frame)) return refuse(Place{"node", index}, "its frame makes no sense");
    if (!is_sound(n.lid)) return refuse(Place{"node", index}, "its lid makes no sense");
    std::size_t children = 0;
    while (children < kWidth && n.child[children] != kNoChild) ++children;
    if (children == 0) return refuse(Place{"node", index}, "has no children");
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        // Queries test all eight boxes: those without a child must be as far as can be.
        const bool sound = i < children ? in_reach(n.center[k][i]) && is_size(n.half[k][i])
                                        : n.center[k][i] == 0.0F && n.half[k][i] == kEmptyHalf;
        if (!sound) return refuse(Place{"node", index}, Place{"box", i}.text() + " makes no sense");
      }
      if (i >= children) {
        if (n.child[i] != kNoChild)
          return refuse(Place{"node", index}, "has a gap between its children");
        continue;
      }
      if (Status met = meet(n.child[i], Place{"node", index}); !met) return met;
    }
    return {};
  }

  Status leaf(std::size_t index) {
    const WideLeaf& l = tree_.leaves[index];
    if (!is_sound(l.frame)) return refuse(Place{"leaf", index}, "its frame makes no sense");
    std::size_t count = 0;
    while (count < kWidth && l.triangle[count] != kNoChild) ++count;
    if (count == 0) return refuse(Place{"leaf", index}, "has no triangles");
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (const auto& row : l.corner) {
        // Unused places repeat the first triangle.
        if (!(i < count ? in_reach(row[i]) : row[i] == row[0]))
          return refuse(Place{"leaf", index},
                        Place{"corners of place", i}.text() + " make no sense");
      }
      if (i >= count) {
        if (l.triangle[i] != kNoChild)
          return refuse(Place{"leaf", index}, "has a gap between its triangles");
        continue;
      }
      if (Status met = triangles_.meet(l.triangle[i], Place{"leaf", index}); !met) return met;
    }
    return {};
  }

  const WideTree& tree_;
  Box bounds_;
  float limit_ = 0.0F;
  std::vector<bool> nodes_met_;
  std::vector<bool> leaves_met_;
  TriangleMarks triangles_;
  std::vector<std::uint32_t> pending_;
};

// Volumes may be as large as they like, but must be numbers.
bool is_sound(const RoundedBox& v) {
  const Mat3 axes = v.axes;
  return are_orthonormal(axes.column(0), axes.column(1), axes.column(2)) && is_finite(v.center) &&
         is_finite(v.half_size) && v.half_size.x >= 0.0 && v.half_size.y >= 0.0 &&
         v.half_size.z >= 0.0 && std::isfinite(v.radius) && v.radius >= 0.0;
}

}  // namespace

Status check_wide_tree(const WideTree& tree, const Box& bounds, std::size_t triangle_count) {
  return WideCheck(tree, bounds, triangle_count).run();
}

Status check_binary_nodes(std::span<const BinaryNode> nodes, std::size_t triangle_count) {
  if (triangle_count == 0 || nodes.size() != 2 * triangle_count - 1)
    return refuse("header", std::to_string(nodes.size()) + " nodes over " +
                                std::to_string(triangle_count) + " triangles");
  TriangleMarks triangles(triangle_count);
  // The subtree of the next node ends at the last entry: what is to the right of an ancestor waits.
  std::vector<std::size_t> ends{nodes.size()};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const BinaryNode& node = nodes[i];
    if (!is_sound(node.volume)) return refuse(Place{"node", i}, "its volume makes no sense");
    const std::size_t end = ends.back();
    ends.pop_back();
    if (node.is_leaf()) {
      if (end != i + 1)
        return refuse(Place{"node", i}, "a leaf where a node with children belongs");
      if (Status met = triangles.meet(node.triangle, Place{"node", i}); !met) return met;
    } else {
      if (node.right <= i + 1 || node.right >= end)
        return refuse(Place{"node", i}, "its right child is not below it");
      ends.push_back(end);
      ends.push_back(node.right);
    }
  }
  return triangles.all_met();
}

}  // namespace clearance::detail
