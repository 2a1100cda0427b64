// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_axes.h"

#include <algorithm>

#include "bvh/double4.h"

namespace clearance::detail {
namespace {

/// Angle [rad] by which axes may miss the principal ones: a sixth of what their rounding to single
/// precision turns them by.
constexpr double kAngle = 1e-8;
/// Off-diagonal entries below this fraction of the sum of the diagonal ones next to them are
/// rounding: eigenvalues this close have no directions of their own.
constexpr double kNegligible = 0x1p-54;
/// Jacobi converges quadratically: 3x3 matrices take 3 to 4 sweeps to this angle. The limit only
/// guards against a cycle of roundings.
constexpr int kMaximumSweeps = 12;

/// Cyclic Jacobi rotations on four matrices, entries of about 1 at most.
struct Jacobi4 {
  std::array<Double4, 3> diagonal;
  std::array<Double4, 3> off;  // off[k] is the entry whose row and column are the two others than k
  std::array<std::array<Double4, 3>, 3> vectors{};  // [which][component]

  Jacobi4(const std::array<Double4, 3>& on_diagonal, const std::array<Double4, 3>& beside)
      : diagonal(on_diagonal), off(beside) {
    for (std::size_t k = 0; k < 3; ++k) vectors[k][k] = spread4(1.0);
  }

  /// Turns axes p and q so that their entry, off[k], becomes zero.
  void rotate(std::size_t p, std::size_t q, std::size_t k) {
    // tan of the angle: the smaller root of t² + difference / entry t - 1 = 0, which turns by at
    // most 45 degrees. Squares that underflow leave nearly nothing to divide by, hence the limit.
    const Double4 entry = off[k];
    const Double4 difference = diagonal[q] - diagonal[p];
    const Double4 twice = entry + entry;
    const Double4 below =
        size_of(difference) + root_of(difference * difference + twice * twice) + spread4(1e-300);
    const Double4 size = lower_of(size_of(twice) / below, spread4(1.0));
    const Double4 t = (difference < 0.0) != (entry < 0.0) ? -size : size;
    const Double4 c = spread4(1.0) / root_of(t * t + 1.0);
    const Double4 s = t * c;
    diagonal[p] -= t * entry;
    diagonal[q] += t * entry;
    off[k] = Double4{};
    // The other two entries: those of (k, p) and (k, q) are off[q] and off[p].
    const Double4 kp = off[q];
    const Double4 kq = off[p];
    off[q] = c * kp - s * kq;
    off[p] = s * kp + c * kq;
    for (std::size_t i = 0; i < 3; ++i) {
      const Double4 u = vectors[p][i];
      const Double4 v = vectors[q][i];
      vectors[p][i] = c * u - s * v;
      vectors[q][i] = s * u + c * v;
    }
  }

  /// Could a further sweep turn some axis by more than kAngle?
  [[nodiscard]] bool unfinished() const {
    Long4 left{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t p = k == 0 ? 1 : 0;
      const std::size_t q = k == 2 ? 1 : 2;
      const Double4 size = size_of(off[k]);
      left |= (size > kAngle * size_of(diagonal[p] - diagonal[q])) &
              (size > kNegligible * (size_of(diagonal[p]) + size_of(diagonal[q])));
    }
    return any(left);
  }

  void put_larger_first(std::size_t p, std::size_t q) {
    const Long4 swap = diagonal[q] > diagonal[p];
    const auto exchange = [&](Double4& a, Double4& b) {
      const Double4 old = a;
      a = swap ? b : a;
      b = swap ? old : b;
    };
    exchange(diagonal[p], diagonal[q]);
    for (std::size_t i = 0; i < 3; ++i) exchange(vectors[p][i], vectors[q][i]);
  }
};

/// The matrix whose eigenvectors are the axes, from a covariance (xx xy xz yy yz zz) and a normal
/// or zero. Scaled to a trace of 1.
Jacobi4 problem_of(std::array<Double4, 6> c, const std::array<Double4, 3>& n) {
  const Double4 trace = c[0] + c[3] + c[5];
  const Double4 scale = trace > 0.0 ? 1.0 / trace : Double4{};
  for (Double4& entry : c) entry *= scale;
  // With a normal: projected onto its plane, and 1 added within that, so that the normal is what
  // belongs to the eigenvalue 0, far from the others. (1 - n nᵀ) c (1 - n nᵀ) is
  // c - n wᵀ - w nᵀ + (n·w) n nᵀ with w = c n; without a normal nothing is taken away.
  const Double4 flat = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0.5 ? spread4(1.0) : Double4{};
  const std::array<Double4, 3> w{c[0] * n[0] + c[1] * n[1] + c[2] * n[2],
                                 c[1] * n[0] + c[3] * n[1] + c[4] * n[2],
                                 c[2] * n[0] + c[4] * n[1] + c[5] * n[2]};
  const Double4 nw = n[0] * w[0] + n[1] * w[1] + n[2] * w[2] - 1.0;
  const auto entry = [&](std::size_t at, std::size_t i, std::size_t j) {
    return c[at] - n[i] * w[j] - w[i] * n[j] + nw * n[i] * n[j];
  };
  return {{entry(0, 0, 0) + flat, entry(3, 1, 1) + flat, entry(5, 2, 2) + flat},
          {entry(4, 1, 2), entry(2, 0, 2), entry(1, 0, 1)}};
}

}  // namespace

void Moments::add(const Moments& m) {
  weight += m.weight;
  first += m.first;
  for (std::size_t i = 0; i < 6; ++i) second[i] += m.second[i];
}

Mat3 Moments::covariance() const {
  if (!(weight > 0.0)) return Mat3::zero();
  const Vec3 c = first / weight;
  Mat3 m;
  m[0] = {second[0] / weight - c.x * c.x, second[1] / weight - c.x * c.y,
          second[2] / weight - c.x * c.z};
  m[1] = {m[0].y, second[3] / weight - c.y * c.y, second[4] / weight - c.y * c.z};
  m[2] = {m[0].z, m[1].z, second[5] / weight - c.z * c.z};
  return m;
}

void AxesBatch::add(const Moments& moments, const Vec3& normal) {
  const Mat3 c = moments.covariance();
  const std::array<double, 6> upper{c[0].x, c[0].y, c[0].z, c[1].y, c[1].z, c[2].z};
  for (std::size_t k = 0; k < 6; ++k) covariance_[k][size_] = upper[k];
  for (std::size_t k = 0; k < 3; ++k) normal_[k][size_] = normal[k];
  ++size_;
}

void AxesBatch::solve() {
  // Lanes left over from earlier sets are solved again: harmless. Two halves side by side, so that
  // one computes while the other waits.
  const auto problem = [&](std::size_t lane) {
    std::array<Double4, 6> c;
    for (std::size_t k = 0; k < 6; ++k) c[k] = load4(&covariance_[k][lane]);
    return problem_of(
        c, {load4(&normal_[0][lane]), load4(&normal_[1][lane]), load4(&normal_[2][lane])});
  };
  std::array<Jacobi4, 2> halves{problem(0), problem(4)};
  for (int sweep = 0; sweep < kMaximumSweeps; ++sweep) {
    if (!halves[0].unfinished() && !halves[1].unfinished()) break;
    for (Jacobi4& half : halves) half.rotate(0, 1, 2);
    for (Jacobi4& half : halves) half.rotate(0, 2, 1);
    for (Jacobi4& half : halves) half.rotate(1, 2, 0);
  }
  for (std::size_t h = 0; h < 2; ++h) {
    Jacobi4& half = halves[h];
    half.put_larger_first(0, 1);
    half.put_larger_first(1, 2);
    half.put_larger_first(0, 1);
    const auto& u = half.vectors[0];
    const auto& v = half.vectors[1];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::size_t k = (i + 2) % 3;
      store4(&axes_[i][4 * h], u[i]);
      store4(&axes_[3 + i][4 * h], v[i]);
      store4(&axes_[6 + i][4 * h], u[j] * v[k] - u[k] * v[j]);
    }
  }
  size_ = 0;
}

FrameAxes AxesBatch::axes(std::size_t i) const {
  FrameAxes axes;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < 3; ++j) axes[k][j] = axes_[3 * k + j][i];
  }
  return axes;
}

FrameAxes principal_axes(const Moments& moments) {
  AxesBatch batch;
  batch.add(moments);
  batch.solve();
  return batch.axes(0);
}

}  // namespace clearance::detail
