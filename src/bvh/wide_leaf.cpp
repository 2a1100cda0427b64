// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_leaf.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bvh/double4.h"

namespace clearance::detail {
namespace {

/// Least length of the sum of normals, as a fraction of the sum of their lengths, for which it is
/// taken as a common normal.
constexpr double kFlatEnough = 0.99;

/// Three coordinates of four points.
struct Points4 {
  Double4 x, y, z;
};
Points4 operator-(const Points4& a, const Points4& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Points4 operator+(const Points4& a, const Points4& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

/// Corner c of the triangles 4 half to 4 half + 3.
Points4 corners_of(const LeafTriangles& t, std::size_t c, std::size_t half) {
  return {load4(&t.corner[3 * c][4 * half]), load4(&t.corner[3 * c + 1][4 * half]),
          load4(&t.corner[3 * c + 2][4 * half])};
}

/// The own box of a leaf whose corners reach this far along its axes.
void set_reach(WideFrame& frame, const Vec3& reach) {
  const Vec3 origin{frame.origin[0], frame.origin[1], frame.origin[2]};
  // The doubles of u carry a relative error of a few 1e-16 of the model: below kFloatError of any
  // leaf that is not a millionth of a millionth of the model, and added here for those.
  const double tiny = 1e-15 * (norm(origin) + norm(reach));
  double radius_sq = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double half = reach[k] * (1.0 + kHalfUlp) + tiny;
    frame.half_size[k] = rounded_up(half);
    radius_sq += half * half;
  }
  frame.radius = rounded_up(std::sqrt(radius_sq) * (1.0 + 2.0 * kHalfUlp));
}

}  // namespace

void LeafTriangles::gather(const WideSource& source, std::span<const std::uint32_t> triangles) {
  count = triangles.size();
  for (std::size_t i = 0; i < kWidth; ++i) {
    const auto& face = source.faces[triangles[i < count ? i : 0]];
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 p = source.vertices[face[c]] - source.center;
      corner[3 * c][i] = p.x;
      corner[3 * c + 1][i] = p.y;
      corner[3 * c + 2][i] = p.z;
    }
  }
}

LeafShape LeafTriangles::shape(double least_weight) const {
  Double4 weight{};
  Double4 normal_length{};
  Points4 normal{};
  Points4 first{};
  std::array<Double4, 6> second{};
  const Long4 lanes{0, 1, 2, 3};
  for (std::size_t half = 0; half < 2; ++half) {
    const Points4 a = corners_of(*this, 0, half);
    const Points4 b = corners_of(*this, 1, half);
    const Points4 c = corners_of(*this, 2, half);
    const Points4 u = b - a;
    const Points4 v = c - a;
    Points4 n{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    const Long4 used =
        lanes + static_cast<std::int64_t>(4 * half) < static_cast<std::int64_t>(count);
    n = {used ? n.x : Double4{}, used ? n.y : Double4{}, used ? n.z : Double4{}};
    const Double4 length = root_of(n.x * n.x + n.y * n.y + n.z * n.z);
    const Double4 area = 0.5 * length + (used ? spread4(least_weight) : Double4{});
    normal = normal + n;
    normal_length += length;
    weight += area;
    // Second moment of a triangle: A/12 (s sᵀ + a aᵀ + b bᵀ + c cᵀ).
    const Points4 s = a + b + c;
    first = first + Points4{area * s.x, area * s.y, area * s.z};
    const auto product = [&](Double4 Points4::*i, Double4 Points4::*j) {
      return area * (s.*i * s.*j + a.*i * a.*j + b.*i * b.*j + c.*i * c.*j);
    };
    second[0] += product(&Points4::x, &Points4::x);
    second[1] += product(&Points4::x, &Points4::y);
    second[2] += product(&Points4::x, &Points4::z);
    second[3] += product(&Points4::y, &Points4::y);
    second[4] += product(&Points4::y, &Points4::z);
    second[5] += product(&Points4::z, &Points4::z);
  }
  LeafShape shape;
  shape.moments.weight = sum_of(weight);
  shape.moments.first = Vec3{sum_of(first.x), sum_of(first.y), sum_of(first.z)} / 3.0;
  for (std::size_t k = 0; k < 6; ++k) shape.moments.second[k] = sum_of(second[k]) / 12.0;
  const Vec3 sum{sum_of(normal.x), sum_of(normal.y), sum_of(normal.z)};
  const double length = norm(sum);
  if (length > kFlatEnough * sum_of(normal_length)) shape.normal = sum / length;
  return shape;
}

LeafCorners LeafTriangles::rounded() const {
  LeafCorners r;
  for (std::size_t k = 0; k < 9; ++k) {
    store4(&r.corner[k][0], load4(&corner[k][0]));
    store4(&r.corner[k][4], load4(&corner[k][4]));
  }
  return r;
}

void fit_leaf(WideLeaf& leaf, const FrameAxes& axes, const LeafTriangles& triangles) {
  set_axes(leaf.frame, axes);
  // Rotated by exactly the axes that are kept; then the origin moves to the middle.
  std::array<Vec3, 3> rows;
  for (std::size_t k = 0; k < 3; ++k) rows[k] = {axes[k][0], axes[k][1], axes[k][2]};
  std::array<std::array<Double4, 2>, 9> rotated;
  Vec3 middle;
  for (std::size_t k = 0; k < 3; ++k) {
    const Double4 x = spread4(rows[k].x);
    const Double4 y = spread4(rows[k].y);
    const Double4 z = spread4(rows[k].z);
    Double4 low = spread4(HUGE_VAL);
    Double4 high = spread4(-HUGE_VAL);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t half = 0; half < 2; ++half) {
        const Points4 p = corners_of(triangles, c, half);
        const Double4 u = x * p.x + y * p.y + z * p.z;
        rotated[3 * c + k][half] = u;
        low = lower_of(low, u);
        high = higher_of(high, u);
      }
    }
    middle[k] = 0.5 * (lowest(low) + highest(high));
  }
  Vec3 origin;
  for (std::size_t k = 0; k < 3; ++k) origin += middle[k] * rows[k];
  for (std::size_t k = 0; k < 3; ++k) leaf.frame.origin[k] = static_cast<float>(origin[k]);
  const Vec3 kept{leaf.frame.origin[0], leaf.frame.origin[1], leaf.frame.origin[2]};

  Vec3 reach;
  for (std::size_t k = 0; k < 3; ++k) {
    const Double4 shift = spread4(dot(rows[k], kept));
    Double4 most{};
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t half = 0; half < 2; ++half) {
        const Double4 v = rotated[3 * c + k][half] - shift;
        store4(&leaf.corner[3 * c + k][4 * half], v);
        most = higher_of(most, size_of(v));
      }
    }
    reach[k] = highest(most);
  }
  set_reach(leaf.frame, reach);
}

FrameBounds fit_straight_leaf(WideLeaf& leaf, const LeafTriangles& triangles) {
  set_axes(leaf.frame, kCoordinateAxes);
  FrameBounds bounds;
  Vec3 reach;
  for (std::size_t k = 0; k < 3; ++k) {
    Double4 rows[3][2];
    Double4 low = spread4(HUGE_VAL);
    Double4 high = spread4(-HUGE_VAL);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t half = 0; half < 2; ++half) {
        const Double4 u = load4(&triangles.corner[3 * c + k][4 * half]);
        rows[c][half] = u;
        low = lower_of(low, u);
        high = higher_of(high, u);
      }
    }
    const double from = lowest(low);
    const double to = highest(high);
    bounds.low[k] = static_cast<float>(from);
    bounds.high[k] = static_cast<float>(to);
    leaf.frame.origin[k] = static_cast<float>(0.5 * (from + to));
    const auto origin = static_cast<double>(leaf.frame.origin[k]);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t half = 0; half < 2; ++half)
        store4(&leaf.corner[3 * c + k][4 * half], rows[c][half] - spread4(origin));
    }
    reach[k] = std::max(to - origin, origin - from);
  }
  set_reach(leaf.frame, reach);
  return bounds;
}

}  // namespace clearance::detail
