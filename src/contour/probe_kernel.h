// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lower bounds of the distances of a contour segment from eight boxes of a node of the wide tree,
// or from the eight triangles of a leaf. The larger of two: the boxes seen from the segment,
// against its shell (probe_shell.h), and the segment seen from the node, between planes along the
// node's axes. Single precision; what is lost to rounding is below the margin (kFloatError of
// bvh/wide_tree.h, as for the other kernels in query/wide_shape.h).
#pragma once

#include "bvh/float8.h"
#include "bvh/wide_tree.h"
#include "contour/probe_hull8.h"
#include "contour/probe_shell.h"
#include "query/wide_pair.h"
#include "query/wide_shape.h"

namespace clearance::detail {

class SegmentKernel {
 public:
  SegmentKernel() = default;
  SegmentKernel(const WideTree& tree, const ContourSegment& segment) {
    const SegmentShell shell(segment);
    const Vec3 side = any_perpendicular(shell.axis);
    const Vec3 other = cross(shell.axis, side);
    side_ = single(side);
    other_ = single(other);
    axis_ = single(shell.axis);
    center_ = doubled(shell.center - tree.center);
    const ContourCircle* circles[2] = {&segment.start, &segment.end};
    for (int j = 0; j < 2; ++j) {
      circle_center_[j] = doubled(circles[j]->center - tree.center);
      circle_u_[j] = single(circles[j]->u);
      circle_v_[j] = single(circles[j]->v);
    }
    half_length_ = broadcast8(static_cast<float>(shell.half_length));
    radius_ = broadcast8(static_cast<float>(shell.radius));
    cone_radius_ = broadcast8(static_cast<float>(shell.cone_radius));
    cone_slope_ = broadcast8(static_cast<float>(shell.cone_slope));
    cone_cosine_ = broadcast8(static_cast<float>(shell.cone_cosine));
    reach_ = float_above(shell.reach() + std::abs(shell.cone_radius));
    rounding_ = float_above(1e-15 * (norm(shell.center) + norm(tree.center) + tree.radius));
  }

  [[nodiscard]] Bounds8 bounds(const WideNode& node) const {
    const Seen seen(*this, node.frame);
    const Boxes8 boxes = boxes_of(node);
    // The boxes in the segment's frame.
    Boxes8 turned;
    const Float8 x = boxes.center[0] - broadcast8(seen.center[0]);
    const Float8 y = boxes.center[1] - broadcast8(seen.center[1]);
    const Float8 z = boxes.center[2] - broadcast8(seen.center[2]);
    for (int k = 0; k < 3; ++k) {
      const Float8 m0 = broadcast8(seen.axes[k][0]);
      const Float8 m1 = broadcast8(seen.axes[k][1]);
      const Float8 m2 = broadcast8(seen.axes[k][2]);
      turned.center[k] = fused(m0, x, fused(m1, y, m2 * z));
      turned.half[k] =
          fused(abs(m0), boxes.half[0], fused(abs(m1), boxes.half[1], abs(m2) * boxes.half[2]));
    }
    return {max(outside_shell(turned), seen.between_planes(boxes)), seen.margin};
  }

  /// Triangles above the limit by their boxes get no better bound.
  [[nodiscard]] Bounds8 bounds(const WideLeaf& leaf, float limit) const {
    const Seen seen(*this, leaf.frame);
    Corners8 corner;
    for (int i = 0; i < 9; ++i) corner[i] = load8(leaf.corner[i]);
    Float8 low[3];
    Float8 high[3];
    for (int c = 0; c < 3; ++c) {
      const Float8 x = corner[3 * c] - broadcast8(seen.center[0]);
      const Float8 y = corner[3 * c + 1] - broadcast8(seen.center[1]);
      const Float8 z = corner[3 * c + 2] - broadcast8(seen.center[2]);
      for (int k = 0; k < 3; ++k) {
        const Float8 v =
            fused(broadcast8(seen.axes[k][0]), x,
                  fused(broadcast8(seen.axes[k][1]), y, broadcast8(seen.axes[k][2]) * z));
        low[k] = c == 0 ? v : min(low[k], v);
        high[k] = c == 0 ? v : max(high[k], v);
      }
    }
    Boxes8 turned;
    const Float8 half = broadcast8(0.5F);
    for (int k = 0; k < 3; ++k) {
      turned.center[k] = half * (low[k] + high[k]);
      turned.half[k] = half * (high[k] - low[k]);
    }
    const Float8 boxes = max(outside_shell(turned), seen.between_planes(boxes_of(leaf)));
    const Float8 raised = broadcast8(limit + seen.margin);
    if (bits_less(raised, boxes) == 0xffU) return {boxes, seen.margin};
    return {hull_lower8(seen.hull, corner, raised, boxes), seen.margin};
  }

 private:
  static Float4 single(const Vec3& v) {
    return Float4{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), 0.0F};
  }
  static Double4 doubled(const Vec3& v) { return Double4{v.x, v.y, v.z, 0.0}; }
  static Float4 root(Float4 v) {
#if CLEARANCE_FLOAT8_AVX
    return _mm_sqrt_ps(v);
#else
    return Float4{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), 0.0F};
#endif
  }

  /// The segment in the frame of a node.
  struct Seen {
    Float4 axes[3];  // of the shell: two across, then along
    Float4 center;   // of the shell
    Hull8 hull;
    float middle[3];  // of the bounds of the segment along the axes of the node
    float half[3];
    float margin;

    Seen(const SegmentKernel& segment, const WideFrame& frame) {
      const Transposed columns(load3(frame.axes[0]), load3(frame.axes[1]), load3(frame.axes[2]));
      const auto turned = [&](Float4 v) { return combine(columns.x, columns.y, columns.z, v); };
      // Differences in double: what is near to each other may be far from the centre of the mesh.
      const Double4 origin = __builtin_convertvector(load3(frame.origin), Double4);
      const auto placed = [&](Double4 p) {
        return turned(__builtin_convertvector(p - origin, Float4));
      };
      axes[0] = turned(segment.side_);
      axes[1] = turned(segment.other_);
      axes[2] = turned(segment.axis_);
      center = placed(segment.center_);
      Float4 low;
      Float4 high;
      for (int j = 0; j < 2; ++j) {
        const Float4 c = placed(segment.circle_center_[j]);
        const Float4 u = turned(segment.circle_u_[j]);
        const Float4 v = turned(segment.circle_v_[j]);
        for (int k = 0; k < 3; ++k) {
          hull.center[j][k] = c[k];
          hull.u[j][k] = u[k];
          hull.v[j][k] = v[k];
        }
        const Float4 reach = root(u * u + v * v);
        const Float4 below = c - reach;
        const Float4 above = c + reach;
        low = j == 0 ? below : (below < low ? below : low);
        high = j == 0 ? above : (above > high ? above : high);
      }
      for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5F * (low[k] + high[k]);
        half[k] = 0.5F * (high[k] - low[k]);
      }
      margin = kFloatError * (sum3(abs4(center)) + frame.radius + segment.reach_) +
               segment.rounding_ + kVanishingLength;
    }
    /// Distances of the boxes of the node from the box of the segment.
    [[nodiscard]] Float8 between_planes(const Boxes8& boxes) const {
      return sqrt(squared_gaps(boxes, middle, half));
    }
  };

  /// Distances of axis-aligned boxes in the frame of the shell.
  [[nodiscard]] Float8 outside_shell(const Boxes8& boxes) const {
    const Float8 zero = broadcast8(0.0F);
    const Float8 x = max(abs(boxes.center[0]) - boxes.half[0], zero);
    const Float8 y = max(abs(boxes.center[1]) - boxes.half[1], zero);
    const Float8 r = sqrt(fused(x, x, y * y));
    const Float8 along = max(abs(boxes.center[2]) - (boxes.half[2] + half_length_), zero);
    const Float8 aside = max(r - radius_, zero);
    const Float8 side =
        fused(cone_slope_, boxes.center[2], fused(abs(cone_slope_), boxes.half[2], cone_radius_));
    return max(sqrt(fused(along, along, aside * aside)), cone_cosine_ * (r - side));
  }

  Float4 side_, other_, axis_;
  Double4 center_;  // of the shell, from the centre of the tree
  Double4 circle_center_[2];
  Float4 circle_u_[2];
  Float4 circle_v_[2];
  Float8 half_length_, radius_, cone_radius_, cone_slope_, cone_cosine_;
  float reach_ = 0.0F;
  float rounding_ = 0.0F;
};

}  // namespace clearance::detail
