// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent of one wide tree against one convex shape: at each node the shape meets the eight
// boxes of the children at once. A Kernel bounds, a Visitor looks at triangles:
//
//   Bounds8 Kernel::bounds(const WideFrame&, const Boxes8&) const;  // of boxes in that frame
//   float Visitor::threshold() const;            // what is proven above this is dropped; may
//   shrink bool Visitor::triangle(std::uint32_t t);     // true: stop, the answer is known
//
// Kernels: a box that stands for the core of every bounded shape (a point is a box without size, a
// segment one without width; radii belong to the visitor's threshold), a half-space, a ray, and the
// planes of a convex body. All bounds are single precision; what they lose is below Bounds8::margin
// (kFloatError of bvh/wide_tree.h, as for pairs of trees in wide_pair.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>
#include <clearance/query/query.h>
#include <clearance/query/shapes.h>

#include "query/wide_pair.h"

namespace clearance::detail {

/// The smallest float not below v.
inline float float_above(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

struct Bounds8 {
  Float8 value;  // lower bounds, but for the margin
  float margin;
};

/// Distances from a box at any pose.
class BoxKernel {
 public:
  BoxKernel(const WideTree& mesh, const OrientedBox& core)
      : frame_(frame_of(core.half_size)),
        pose_(mesh, tree_of(core.half_size), core.world_from_box) {}

  [[nodiscard]] Bounds8 bounds(const WideFrame& frame, const Boxes8& boxes) const {
    const RelativeFrame r = pose_.relative(frame, frame_);
    // The shape's box, in the node's frame.
    float center[3];
    float half[3];
    for (int k = 0; k < 3; ++k) {
      center[k] = r.translation[k];
      half[k] = std::abs(r.rotation[k][0]) * frame_.half_size[0] +
                std::abs(r.rotation[k][1]) * frame_.half_size[1] +
                std::abs(r.rotation[k][2]) * frame_.half_size[2];
    }
    const float zero[3] = {0.0F, 0.0F, 0.0F};
    const Float8 squares = max(squared_gaps(boxes, center, half),
                               squared_gaps(seen_in_b(boxes, r), zero, frame_.half_size));
    return {sqrt(squares), r.margin};
  }

 private:
  static WideFrame frame_of(const Vec3& half_size) {
    WideFrame frame{};
    for (int k = 0; k < 3; ++k) {
      frame.axes[k][k] = 1.0F;
      frame.half_size[k] = float_above(half_size[static_cast<std::size_t>(k)]);
    }
    frame.radius = float_above(norm(half_size));
    return frame;
  }
  // Only what WidePose asks for: the shape's own centre is the origin of its frame.
  static WideTree tree_of(const Vec3& half_size) {
    WideTree tree;
    tree.radius = norm(half_size);
    return tree;
  }

  WideFrame frame_;
  WidePose pose_;
};

/// A plane in the frame of a node: axes * normal, and the height of the node's origin above it.
class NodePlane {
 public:
  NodePlane(const Vec3& mesh_center, const WideFrame& frame, const Vec3& normal, double offset) {
    const Vec3 origin{frame.origin[0], frame.origin[1], frame.origin[2]};
    height_ = static_cast<float>(dot(normal, mesh_center + origin) - offset);
    const float n[3] = {static_cast<float>(normal.x), static_cast<float>(normal.y),
                        static_cast<float>(normal.z)};
    for (int k = 0; k < 3; ++k)
      normal_[k] = frame.axes[k][0] * n[0] + frame.axes[k][1] * n[1] + frame.axes[k][2] * n[2];
  }
  [[nodiscard]] float height() const { return height_; }
  /// Least heights of eight boxes.
  [[nodiscard]] Float8 lowest(const Boxes8& boxes) const {
    Float8 sum = broadcast8(height_);
    for (int k = 0; k < 3; ++k) {
      const Float8 n = broadcast8(normal_[k]);
      sum = fused(boxes.center[k], n, fused(boxes.half[k], -abs(n), sum));
    }
    return sum;
  }

 private:
  float normal_[3];
  float height_;
};

/// Heights above the plane of a half-space, or above the highest of several planes: lower bounds of
/// the distance from their intersection.
class PlanesKernel {
 public:
  /// Normals of unit length. The planes must outlive the kernel.
  PlanesKernel(const WideTree& mesh, std::span<const HalfSpace> planes)
      : center_(mesh.center), planes_(planes) {
    for (const HalfSpace& plane : planes)
      rounding_ = std::max(rounding_, 1e-15 * (std::abs(plane.offset) + norm(mesh.center)));
  }

  [[nodiscard]] Bounds8 bounds(const WideFrame& frame, const Boxes8& boxes) const {
    Bounds8 result{broadcast8(-std::numeric_limits<float>::infinity()), 0.0F};
    for (const HalfSpace& plane : planes_) {
      const NodePlane at_node(center_, frame, plane.normal, plane.offset);
      result.value = max(result.value, at_node.lowest(boxes));
      result.margin = std::max(result.margin, kFloatError * std::abs(at_node.height()));
    }
    result.margin += kFloatError * frame.radius + float_above(rounding_);
    return result;
  }

 private:
  Vec3 center_;
  std::span<const HalfSpace> planes_;
  double rounding_ = 0.0;
};

/// How far along a ray the boxes begin; infinity where it misses them.
class RayKernel {
 public:
  /// world_from_box of `ray`: the origin, and the unit direction as first column.
  RayKernel(const WideTree& mesh, const Pose& ray) : pose_(mesh, WideTree{}, ray) {
    frame_ = WideFrame{};
    for (int k = 0; k < 3; ++k) frame_.axes[k][k] = 1.0F;
  }

  [[nodiscard]] Bounds8 bounds(const WideFrame& frame, const Boxes8& boxes) const {
    const RelativeFrame r = pose_.relative(frame, frame_);
    // The boxes are grown by the margin; what rounding does to the crossings is within that.
    const Float8 margin = broadcast8(r.margin);
    Float8 enter = broadcast8(0.0F);
    Float8 leave = broadcast8(std::numeric_limits<float>::max());
    for (int k = 0; k < 3; ++k) {
      // A direction this small moves nothing within the extent of a node by more than its margin.
      constexpr float kLeast = 1e-12F;
      const float d = r.rotation[k][0];
      const Float8 inverse = broadcast8(1.0F / (std::abs(d) < kLeast ? kLeast : d));
      const Float8 half = boxes.half[k] + margin;
      const Float8 from = boxes.center[k] - broadcast8(r.translation[k]);
      const Float8 t0 = (from - half) * inverse;
      const Float8 t1 = (from + half) * inverse;
      enter = max(enter, min(t0, t1));
      leave = min(leave, max(t0, t1));
    }
    const Float8 missed = broadcast8(std::numeric_limits<float>::infinity());
    return {enter <= leave ? enter : missed, r.margin};
  }

 private:
  WideFrame frame_;
  WidePose pose_;
};

/// A node or leaf that waits.
struct PendingNode {
  std::uint32_t ref;
  float bound;
};

/// Eight boxes around the triangles of a leaf, in its frame.
inline Boxes8 boxes_of(const WideLeaf& leaf) {
  Boxes8 b;
  for (int k = 0; k < 3; ++k) {
    const Float8 p = load8(leaf.corner[k]);
    const Float8 q = load8(leaf.corner[3 + k]);
    const Float8 r = load8(leaf.corner[6 + k]);
    const Float8 low = min(p, min(q, r));
    const Float8 high = max(p, max(q, r));
    b.center[k] = broadcast8(0.5F) * (low + high);
    b.half[k] = broadcast8(0.5F) * (high - low);
  }
  return b;
}

template <class Kernel, class Visitor>
class ShapeDescent {
 public:
  ShapeDescent(const WideTree& tree, const Kernel& kernel, Visitor& visitor, Work& work)
      : tree_(tree), kernel_(kernel), visitor_(visitor), work_(work) {
    stack_.reserve(64);
  }

  /// Visits all triangles that matter.
  void run() {
    stack_.push_back({tree_.root, -std::numeric_limits<float>::infinity()});
    while (!stack_.empty()) {
      const PendingNode next = stack_.back();
      stack_.pop_back();
      if (next.bound > visitor_.threshold()) continue;
      if ((next.ref & kLeafBit) != 0) {
        if (open(tree_.leaves[next.ref & ~kLeafBit])) return;
      } else {
        open(tree_.nodes[next.ref]);
      }
    }
  }

 private:
  struct Near {
    unsigned mask;  // the lanes that matter
    alignas(32) float bound[kWidth];
  };
  Near near(const WideFrame& frame, const Boxes8& boxes, const std::uint32_t (&used)[kWidth]) {
    const Bounds8 bounds = kernel_.bounds(frame, boxes);
    work_.volume_tests += kWidth;
    // The smallest float keeps a contact alive where all is 0, the margin too.
    const float limit =
        (visitor_.threshold() + bounds.margin) * 1.000001F + std::numeric_limits<float>::min();
    Near result;
    result.mask = bits_less(bounds.value, broadcast8(limit)) & bits(load8(used) != -1);
    store8(result.bound, bounds.value - broadcast8(bounds.margin));
    return result;
  }

  // The nearest child on top of the stack.
  void open(const WideNode& node) {
    Near children = near(node.frame, boxes_of(node), node.child);
    const std::size_t base = stack_.size();
    while (children.mask != 0) {
      const int i = std::countr_zero(children.mask);
      children.mask &= children.mask - 1;
      stack_.push_back({node.child[i], children.bound[i]});
    }
    std::sort(stack_.begin() + static_cast<std::ptrdiff_t>(base), stack_.end(),
              [](const PendingNode& x, const PendingNode& y) {
                return x.bound != y.bound ? x.bound > y.bound : x.ref > y.ref;
              });
  }

  // True when the visitor is done.
  bool open(const WideLeaf& leaf) {
    Near triangles = near(leaf.frame, boxes_of(leaf), leaf.triangle);
    while (triangles.mask != 0) {
      const int i = std::countr_zero(triangles.mask);
      triangles.mask &= triangles.mask - 1;
      if (triangles.bound[i] > visitor_.threshold()) continue;
      ++work_.triangle_tests;
      if (visitor_.triangle(leaf.triangle[i])) return true;
    }
    return false;
  }

  const WideTree& tree_;
  const Kernel& kernel_;
  Visitor& visitor_;
  Work& work_;
  std::vector<PendingNode> stack_;
};

template <class Kernel, class Visitor>
void descend_shape(const WideTree& tree, const Kernel& kernel, Visitor& visitor, Work& work) {
  ShapeDescent<Kernel, Visitor>(tree, kernel, visitor, work).run();
}

}  // namespace clearance::detail
