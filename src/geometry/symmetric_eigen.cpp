// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include <clearance/geometry/symmetric_eigen.h>

namespace clearance {
namespace {

/// Off-diagonal entries below this fraction of the diagonal ones next to them no longer change the
/// eigenvalues in double precision, and turn the eigenvectors by less than their rounding unless
/// the eigenvalues are equal to rounding, where any turn is as good.
constexpr double kNegligible = 0x1p-54;

/// Jacobi converges quadratically: 3x3 matrices take 3 to 5 sweeps. The limit only guards against a
/// cycle of roundings.
constexpr int kMaximumSweeps = 12;

/// The matrix with the upper triangle in named variables, and the vectors found so far as columns.
struct Jacobi {
  std::array<double, 3> diagonal;
  std::array<double, 3> off;  // off[k] is the entry whose row and column are the two others than k
  std::array<Vec3, 3> vectors{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

  /// Turns axes p and q (the two others than k) so that their entry becomes zero.
  /// False when it was negligible already.
  bool rotate(std::size_t k) {
    const std::size_t p = k == 0 ? 1 : 0;
    const std::size_t q = k == 2 ? 1 : 2;
    const double entry = off[k];
    if (std::abs(entry) <= kNegligible * std::min(std::abs(diagonal[p]), std::abs(diagonal[q])) ||
        std::abs(entry) < kTiny) {
      off[k] = 0.0;
      return false;
    }
    // tan of the angle: the smaller root of t² + 2 theta t - 1 = 0, which turns by at most 45
    // degrees.
    const double theta = (diagonal[q] - diagonal[p]) / (2.0 * entry);
    const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
    const double c = 1.0 / std::sqrt(t * t + 1.0);
    const double s = t * c;
    diagonal[p] -= t * entry;
    diagonal[q] += t * entry;
    off[k] = 0.0;
    // The other two entries: those of (k, p) and (k, q) are off[q] and off[p].
    const double kp = off[q];
    const double kq = off[p];
    off[q] = c * kp - s * kq;
    off[p] = s * kp + c * kq;
    const Vec3 u = vectors[p];
    const Vec3 v = vectors[q];
    vectors[p] = c * u - s * v;
    vectors[q] = s * u + c * v;
    return true;
  }

  /// The matrix is scaled to entries of at most 1; squares of anything below this may underflow,
  /// and it is far below rounding.
  static constexpr double kTiny = 1e-140;
};

/// The component largest in magnitude made positive; of equal ones the first decides.
Vec3 with_fixed_sign(const Vec3& v) {
  const Vec3 size = abs(v);
  const double leading =
      size.x >= size.y && size.x >= size.z ? v.x : (size.y >= size.z ? v.y : v.z);
  return leading < 0.0 ? -v : v;
}

}  // namespace

SymmetricEigen eigen_of_symmetric(const Mat3& m) {
  const double largest = std::max({std::abs(m[0].x), std::abs(m[1].y), std::abs(m[2].z),
                                   std::abs(m[0].y), std::abs(m[0].z), std::abs(m[1].z)});
  const bool finite = is_finite({m[0].x, m[1].y, m[2].z}) && is_finite({m[0].y, m[0].z, m[1].z});
  if (!finite) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {{kNan, kNan, kNan}, Mat3::identity()};
  }
  if (largest == 0.0) return {Vec3{}, Mat3::identity()};

  // A power of two, so that scaling is exact and the result does not depend on it.
  int exponent = 0;
  std::frexp(largest, &exponent);
  const double down = std::ldexp(1.0, -exponent);
  Jacobi jacobi{{m[0].x * down, m[1].y * down, m[2].z * down},
                {m[1].z * down, m[0].z * down, m[0].y * down}};
  for (int sweep = 0; sweep < kMaximumSweeps; ++sweep) {
    bool turned = false;
    for (const std::size_t k : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
      turned = jacobi.rotate(k) || turned;
    }
    if (!turned) break;
  }

  // Sorted; equal values keep the order of the axes they came from.
  std::array<std::size_t, 3> order{0, 1, 2};
  const auto& d = jacobi.diagonal;
  if (d[order[1]] > d[order[0]]) std::swap(order[0], order[1]);
  if (d[order[2]] > d[order[1]]) std::swap(order[1], order[2]);
  if (d[order[1]] > d[order[0]]) std::swap(order[0], order[1]);

  // The rotations leave the vectors orthonormal to a few roundings; once more makes it one.
  const Vec3 first = with_fixed_sign(normalized(jacobi.vectors[order[0]]));
  Vec3 second = jacobi.vectors[order[1]];
  second = with_fixed_sign(normalized(second - dot(second, first) * first));
  const double up = std::ldexp(1.0, exponent);
  return {{d[order[0]] * up, d[order[1]] * up, d[order[2]] * up},
          Mat3::from_columns(first, second, cross(first, second))};
}

}  // namespace clearance
