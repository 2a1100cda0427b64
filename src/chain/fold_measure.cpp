// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Size of a conformation, and how it differs from another.
#include <array>
#include <cmath>
#include <numeric>

#include <clearance/chain/fold.h>

namespace clearance {
namespace {

using Mat4 = std::array<std::array<double, 4>, 4>;

/// Sweeps of Jacobi rotations: convergence is quadratic, and five are enough for 4 x 4.
constexpr int kSweeps = 12;

/// The unit eigenvector of the largest eigenvalue of a symmetric matrix.
std::array<double, 4> principal_vector(Mat4 m) {
  Mat4 vectors{};
  for (std::size_t i = 0; i < 4; ++i) vectors[i][i] = 1.0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t q = p + 1; q < 4; ++q) {
        if (m[p][q] == 0.0) continue;
        const double theta = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(1.0, theta));
        const double c = 1.0 / std::hypot(1.0, t);
        const double s = t * c;
        for (std::size_t k = 0; k < 4; ++k) {
          const double kp = m[k][p];
          const double kq = m[k][q];
          m[k][p] = c * kp - s * kq;
          m[k][q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < 4; ++k) {
          const double pk = m[p][k];
          const double qk = m[q][k];
          m[p][k] = c * pk - s * qk;
          m[q][k] = s * pk + c * qk;
          const double vp = vectors[k][p];
          const double vq = vectors[k][q];
          vectors[k][p] = c * vp - s * vq;
          vectors[k][q] = s * vp + c * vq;
        }
      }
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    if (m[i][i] > m[best][best]) best = i;
  }
  return {vectors[0][best], vectors[1][best], vectors[2][best], vectors[3][best]};
}

}  // namespace

double radius_of_gyration(std::span<const Vec3> points, std::span<const FoldAtom> atoms) {
  const auto mass = [&](std::size_t i) { return atoms.empty() ? 1.0 : atoms[i].mass; };
  Vec3 center;
  double total = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    center += mass(i) * points[i];
    total += mass(i);
  }
  if (!(total > 0.0)) return 0.0;
  center = center / total;
  double sum = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) sum += mass(i) * squared_norm(points[i] - center);
  return std::sqrt(sum / total);
}

Superposition superpose(std::span<const Vec3> points, std::span<const Vec3> onto,
                        std::span<const std::uint32_t> markers) {
  std::vector<std::uint32_t> all;
  if (markers.empty()) {
    all.resize(points.size());
    std::iota(all.begin(), all.end(), 0U);
    markers = all;
  }
  if (markers.empty()) return {};
  const auto count = static_cast<double>(markers.size());
  Vec3 from_center;
  Vec3 to_center;
  for (const std::uint32_t i : markers) {
    from_center += points[i];
    to_center += onto[i];
  }
  from_center = from_center / count;
  to_center = to_center / count;

  // Horn 1987: the quaternion of the best rotation is the principal vector of this matrix.
  Mat3 s{{Vec3{}, Vec3{}, Vec3{}}};
  for (const std::uint32_t i : markers) {
    const Vec3 a = points[i] - from_center;
    const Vec3 b = onto[i] - to_center;
    for (std::size_t row = 0; row < 3; ++row) s[row] += a[row] * b;
  }
  const Mat4 n{{{s[0].x + s[1].y + s[2].z, s[1].z - s[2].y, s[2].x - s[0].z, s[0].y - s[1].x},
                {s[1].z - s[2].y, s[0].x - s[1].y - s[2].z, s[0].y + s[1].x, s[2].x + s[0].z},
                {s[2].x - s[0].z, s[0].y + s[1].x, s[1].y - s[0].x - s[2].z, s[1].z + s[2].y},
                {s[0].y - s[1].x, s[2].x + s[0].z, s[1].z + s[2].y, s[2].z - s[0].x - s[1].y}}};
  const std::array<double, 4> q = principal_vector(n);
  const Mat3 turn = rotation_from(Quaternion{q[1], q[2], q[3], q[0]});
  Superposition result{{turn, to_center - turn * from_center}, 0.0};
  double sum = 0.0;
  for (const std::uint32_t i : markers)
    sum += squared_norm(result.onto_from_points * points[i] - onto[i]);
  result.rmsd = std::sqrt(sum / count);
  return result;
}

}  // namespace clearance
