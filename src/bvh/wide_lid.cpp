// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_lid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bvh/float8.h"

namespace clearance::detail {
namespace {

/// Leaves of which some corners decide on the shape of the sheets. All decide on where they lie.
constexpr std::size_t kSampled = 8;
/// A lid thicker than this part of the box is not kept: it would save little.
constexpr float kWorthwhile = 0.5F;
/// Steeper sheets than this are not kept: another side of the box says more.
constexpr double kSteepest = 2.0;
/// Added to the diagonal of the equations, whose unknowns are in units of the box: what the samples
/// leave open is flat.
constexpr double kRidge = 1e-6;
/// As in wide_fit.cpp: what a corner may be off, and what rotating it may add; and what the
/// operations here and in a query may round away of a height, as a fraction of what is added up.
constexpr double kCornerError = 1.2e-7;
constexpr double kRotateError = 6e-7;
constexpr double kHeightError = 3e-6;

constexpr std::size_t kUnknowns = 6;
using Equations = std::array<std::array<double, kUnknowns + 1>, kUnknowns>;

/// Corners in the frame of a node, along the axes of its lid.
class InFrame {
 public:
  InFrame(const WideFrame& frame, std::size_t axis) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t row = (axis + 1 + k) % 3;
      for (std::size_t j = 0; j < 3; ++j) axes_[k][j] = broadcast8(frame.axes[row][j]);
      origin_[k] = broadcast8(frame.origin[k]);
    }
  }
  struct Point8 {
    Float8 u, v, w;
  };
  [[nodiscard]] Point8 corner(const LeafCorners& leaf, std::size_t i) const {
    const Float8 x = load8(leaf.corner[3 * i]) - origin_[0];
    const Float8 y = load8(leaf.corner[3 * i + 1]) - origin_[1];
    const Float8 z = load8(leaf.corner[3 * i + 2]) - origin_[2];
    const auto along = [&](const Float8(&a)[3]) {
      return fused(a[0], x, fused(a[1], y, a[2] * z));
    };
    return {along(axes_[0]), along(axes_[1]), along(axes_[2])};
  }

 private:
  Float8 axes_[3][3];
  Float8 origin_[3];
};

double sum_of(Float8 v) {
  v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
  return static_cast<double>(v[0] + v[1]);
}

/// Every so many leaves are sampled.
std::size_t step_of(std::size_t leaf_count) { return (leaf_count + kSampled - 1) / kSampled; }

/// Least squares of w = c0 + c1 u + c2 v + c3 u² + c4 u v + c5 v² over samples, in units of the
/// box.
Equations equations_of(std::span<const LeafCorners> leaves, const InFrame& frame,
                       const std::array<float, 3>& scale) {
  Float8 power[15]{};  // 1 u v uu uv vv uuu uuv uvv vvv uuuu uuuv uuvv uvvv vvvv
  Float8 right[kUnknowns]{};
  const std::size_t step = step_of(leaves.size());
  for (std::size_t i = step / 2; i < leaves.size(); i += step) {
    const InFrame::Point8 p = frame.corner(leaves[i], 0);
    const Float8 u = p.u * broadcast8(scale[0]);
    const Float8 v = p.v * broadcast8(scale[1]);
    const Float8 w = p.w * broadcast8(scale[2]);
    const Float8 uu = u * u;
    const Float8 uv = u * v;
    const Float8 vv = v * v;
    power[0] += broadcast8(1.0F);
    power[1] += u;
    power[2] += v;
    power[3] += uu;
    power[4] += uv;
    power[5] += vv;
    power[6] = fused(uu, u, power[6]);
    power[7] = fused(uu, v, power[7]);
    power[8] = fused(vv, u, power[8]);
    power[9] = fused(vv, v, power[9]);
    power[10] = fused(uu, uu, power[10]);
    power[11] = fused(uu, uv, power[11]);
    power[12] = fused(uu, vv, power[12]);
    power[13] = fused(uv, vv, power[13]);
    power[14] = fused(vv, vv, power[14]);
    right[0] += w;
    right[1] = fused(w, u, right[1]);
    right[2] = fused(w, v, right[2]);
    right[3] = fused(w, uu, right[3]);
    right[4] = fused(w, uv, right[4]);
    right[5] = fused(w, vv, right[5]);
  }
  double s[15];
  for (int k = 0; k < 15; ++k) s[k] = sum_of(power[k]);
  Equations e{{{s[0], s[1], s[2], s[3], s[4], s[5], sum_of(right[0])},
               {s[1], s[3], s[4], s[6], s[7], s[8], sum_of(right[1])},
               {s[2], s[4], s[5], s[7], s[8], s[9], sum_of(right[2])},
               {s[3], s[6], s[7], s[10], s[11], s[12], sum_of(right[3])},
               {s[4], s[7], s[8], s[11], s[12], s[13], sum_of(right[4])},
               {s[5], s[8], s[9], s[12], s[13], s[14], sum_of(right[5])}}};
  for (std::size_t k = 0; k < kUnknowns; ++k) e[k][k] += kRidge * s[0];
  return e;
}

/// Elimination without pivots in the upper half: the matrix is symmetric and positive definite.
std::array<double, kUnknowns> solved(Equations e) {
  std::array<double, kUnknowns> inverse{};
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    inverse[k] = 1.0 / e[k][k];
    for (std::size_t i = k + 1; i < kUnknowns; ++i) {
      const double factor = e[k][i] * inverse[k];
      for (std::size_t j = i; j <= kUnknowns; ++j) e[i][j] -= factor * e[k][j];
    }
  }
  std::array<double, kUnknowns> x{};
  for (std::size_t k = kUnknowns; k-- > 0;) {
    double sum = e[k][kUnknowns];
    for (std::size_t j = k + 1; j < kUnknowns; ++j) sum -= e[k][j] * x[j];
    x[k] = sum * inverse[k];
  }
  return x;
}

/// The tangent of half the angle of which the double has this cosine and sine, but for a common
/// factor.
float half_turn(double cosine, double sine) {
  const double length = std::sqrt(cosine * cosine + sine * sine);
  if (!(length > 0.0)) return 0.0F;
  const double once = std::sqrt(0.5 * (1.0 + std::abs(cosine) / length));  // at least 0.7
  const double other = 0.5 * sine / (length * once);
  const double cos_angle = cosine >= 0.0 ? once : std::abs(other);
  const double sin_angle = cosine >= 0.0 ? other : std::copysign(once, sine);
  return static_cast<float>(sin_angle / (1.0 + cos_angle));
}

/// Between which heights above the surface through the origin corners lie.
struct Heights {
  float low, high;
};
Heights heights_of(std::span<const LeafCorners> leaves, std::size_t step, std::size_t corners,
                   const InFrame& frame, const WideLid& lid) {
  const LidTurn turn(lid.turn);
  const Float8 cosine = broadcast8(turn.cosine);
  const Float8 sine = broadcast8(turn.sine);
  const Float8 slope_u = broadcast8(lid.slope[0]);
  const Float8 slope_v = broadcast8(lid.slope[1]);
  const Float8 half_curve_u = broadcast8(0.5F * lid.curve[0]);
  const Float8 half_curve_v = broadcast8(0.5F * lid.curve[1]);
  Float8 low = broadcast8(std::numeric_limits<float>::infinity());
  Float8 high = -low;
  for (std::size_t i = step / 2; i < leaves.size(); i += step) {
    for (std::size_t c = 0; c < corners; ++c) {
      const InFrame::Point8 p = frame.corner(leaves[i], c);
      const Float8 u = fused(cosine, p.u, sine * p.v);
      const Float8 v = fused(cosine, p.v, -(sine * p.u));
      const Float8 above =
          p.w - fused(u, fused(half_curve_u, u, slope_u), v * fused(half_curve_v, v, slope_v));
      low = min(low, above);
      high = max(high, above);
    }
  }
  return {lowest(low), highest(high)};
}

}  // namespace

void fit_lid(WideNode& node, std::span<const LeafCorners> leaves, double model_radius) {
  WideLid& lid = node.lid;
  lid = {.axis = kNoLid};
  const float* half = node.frame.half_size;
  const std::size_t axis = half[2] <= half[0] && half[2] <= half[1] ? 2
                           : half[1] <= half[0]                     ? 1
                                                                    : 0;
  const std::array<float, 3> size{half[(axis + 1) % 3], half[(axis + 2) % 3], half[axis]};
  const double margin = kCornerError * model_radius + kRotateError * node.frame.radius;
  if (!(static_cast<double>(kWorthwhile * size[2]) > 4.0 * margin)) return;

  const InFrame frame(node.frame, axis);
  const std::array<double, kUnknowns> c =
      solved(equations_of(leaves, frame, {1.0F / size[0], 1.0F / size[1], 1.0F / size[2]}));
  const double hw = size[2];
  const double hu = size[0];
  const double hv = size[1];
  // The principal directions of the curves: along them there is no mixed term.
  const double slope_u = c[1] * hw / hu;
  const double slope_v = c[2] * hw / hv;
  const double curve_u = 2.0 * c[3] * hw / (hu * hu);
  const double mixed = c[4] * hw / (hu * hv);
  const double curve_v = 2.0 * c[5] * hw / (hv * hv);
  WideLid found{.turn = half_turn(curve_u - curve_v, 2.0 * mixed),
                .axis = static_cast<std::uint32_t>(axis)};
  const LidTurn turn(found.turn);
  const auto cosine = static_cast<double>(turn.cosine);
  const auto sine = static_cast<double>(turn.sine);
  found.slope[0] = static_cast<float>(cosine * slope_u + sine * slope_v);
  found.slope[1] = static_cast<float>(cosine * slope_v - sine * slope_u);
  found.curve[0] =
      static_cast<float>(cosine * (cosine * curve_u + 2.0 * sine * mixed) + sine * sine * curve_v);
  found.curve[1] =
      static_cast<float>(cosine * (cosine * curve_v - 2.0 * sine * mixed) + sine * sine * curve_u);
  const double steepness = (std::abs(c[1]) + 2.0 * std::abs(c[3]) + std::abs(c[4])) * hw / hu +
                           (std::abs(c[2]) + 2.0 * std::abs(c[5]) + std::abs(c[4])) * hw / hv;
  // Also false for a NaN.
  if (!(steepness <= kSteepest)) return;

  // The sample says whether it is worth to look at all.
  const float thickest = kWorthwhile * 2.0F * size[2];
  const Heights some = heights_of(leaves, step_of(leaves.size()), 1, frame, found);
  if (!(some.high - some.low < thickest)) return;
  const Heights all = heights_of(leaves, 1, 3, frame, found);
  const double off = margin * (1.0 + steepness) +
                     kHeightError * (1.0 + steepness) * static_cast<double>(node.frame.radius);
  // Rounding these two to single precision is within `off` as well.
  found.low = static_cast<float>(static_cast<double>(all.low) - off);
  found.high = static_cast<float>(static_cast<double>(all.high) + off);
  if (found.high - found.low < thickest) lid = found;
}

}  // namespace clearance::detail
