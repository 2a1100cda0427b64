// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <clearance/geometry/mass.h>

namespace clearance {
namespace {

using Index3 = std::array<std::uint32_t, 3>;

// Triangles per piece of a parallel sum. Fixed, so that the order of additions does not depend on
// the number of threads; large enough that starting a piece costs nothing.
constexpr std::size_t kBlock = 16384;

/// Cross product of two sides of the triangle: its length is twice the area. Of the three equal
/// choices, the one at the corner opposite the longest side loses the fewest digits.
Vec3 doubled_area_vector(const Triangle& t) {
  const Vec3 ab = t.b - t.a;
  const Vec3 bc = t.c - t.b;
  const Vec3 ca = t.a - t.c;
  const double ab_sq = squared_norm(ab);
  const double bc_sq = squared_norm(bc);
  const double ca_sq = squared_norm(ca);
  if (ca_sq >= ab_sq && ca_sq >= bc_sq) return cross(ab, bc);
  return ab_sq >= bc_sq ? cross(bc, ca) : cross(ca, ab);
}

/// Sums `count` numbers at once with Neumaier's compensation: the error does not grow with the
/// number of terms.
template <std::size_t count>
class CompensatedSum {
 public:
  void add(const std::array<double, count>& terms) {
    for (std::size_t i = 0; i < count; ++i) add(i, terms[i]);
  }
  void add(const CompensatedSum& other) {
    for (std::size_t i = 0; i < count; ++i) {
      add(i, other.sum_[i]);
      add(i, other.lost_[i]);
    }
  }
  [[nodiscard]] double total(std::size_t i) const { return sum_[i] + lost_[i]; }

 private:
  void add(std::size_t i, double term) {
    // Two-sum: exact whatever the order of magnitude of the two, and without a branch.
    const double sum = sum_[i] + term;
    const double back = sum - sum_[i];
    lost_[i] += (sum_[i] - (sum - back)) + (term - back);
    sum_[i] = sum;
  }
  std::array<double, count> sum_{};
  std::array<double, count> lost_{};
};

/// Mass, first moments and second moments xx yy zz xy yz zx about the local origin.
using Moments = CompensatedSum<10>;

Vec3 middle_of(std::span<const Vec3> vertices, std::span<const Index3> faces) {
  Box box;
  for (const Index3& face : faces) {
    for (const std::uint32_t v : face) box.include(vertices[v]);
  }
  return box.empty() ? Vec3{} : box.center();
}

/// Adds up `terms(triangle)` over all triangles, moved so that `origin` is at zero.
template <class Terms>
Moments sum_moments(std::span<const Vec3> vertices, std::span<const Index3> faces,
                    const Vec3& origin, Threads threads, const Terms& terms) {
  const std::size_t block_count = (faces.size() + kBlock - 1) / kBlock;
  std::vector<Moments> blocks(block_count);
  parallel_for(threads, block_count, [&](std::size_t block) {
    Moments sum;
    const std::size_t end = std::min(faces.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      const Index3& f = faces[i];
      sum.add(terms(
          Triangle{vertices[f[0]] - origin, vertices[f[1]] - origin, vertices[f[2]] - origin}));
    }
    blocks[block] = sum;
  });
  Moments total;
  for (const Moments& block : blocks) total.add(block);
  return total;
}

/// mass, mass * s / first, and mass * (aaᵀ + bbᵀ + ccᵀ + ssᵀ) / second with s = a + b + c: the
/// moments of a triangle (first 3, second 12) or of a tetrahedron from zero (first 4, second 20).
std::array<double, 10> moments_of(double mass, const Triangle& t, double first, double second) {
  const Vec3 s = t.a + t.b + t.c;
  const double m1 = mass / first;
  const double m2 = mass / second;
  const auto product = [&](std::size_t i, std::size_t j) {
    return m2 * (t.a[i] * t.a[j] + t.b[i] * t.b[j] + t.c[i] * t.c[j] + s[i] * s[j]);
  };
  return {mass,          m1 * s.x,      m1 * s.y,      m1 * s.z,      product(0, 0),
          product(1, 1), product(2, 2), product(0, 1), product(1, 2), product(2, 0)};
}

/// Moves second moments from the local origin to the centroid and turns them into an inertia.
Mat3 inertia_about(const Vec3& centroid, double mass, const Moments& moments) {
  const auto central = [&](std::size_t k, std::size_t i, std::size_t j) {
    return moments.total(k) - mass * centroid[i] * centroid[j];
  };
  const double xx = central(4, 0, 0);
  const double yy = central(5, 1, 1);
  const double zz = central(6, 2, 2);
  const double xy = central(7, 0, 1);
  const double yz = central(8, 1, 2);
  const double zx = central(9, 2, 0);
  return {{Vec3{yy + zz, -xy, -zx}, Vec3{-xy, zz + xx, -yz}, Vec3{-zx, -yz, xx + yy}}};
}

}  // namespace

double triangle_area(const Triangle& triangle) { return 0.5 * norm(doubled_area_vector(triangle)); }

Vec3 triangle_normal(const Triangle& triangle) { return normalized(doubled_area_vector(triangle)); }

Vec3 triangle_centroid(const Triangle& t) {
  // From a corner, not as a mean of coordinates: keeps the digits of small triangles far away.
  return t.a + ((t.b - t.a) + (t.c - t.a)) / 3.0;
}

double triangle_aspect_ratio(const Triangle& t) {
  const double longest_sq = std::fmax(squared_norm(t.b - t.a),
                                      std::fmax(squared_norm(t.c - t.b), squared_norm(t.a - t.c)));
  const double doubled_area = norm(doubled_area_vector(t));
  if (doubled_area == 0.0) return std::numeric_limits<double>::infinity();
  // Longest side over its height is L² / 2A; for the equilateral triangle 2 / sqrt(3).
  constexpr double kHalfSqrt3 = 0.866025403784438646763723;
  return kHalfSqrt3 * longest_sq / doubled_area;
}

SurfaceProperties surface_properties(std::span<const Vec3> vertices, std::span<const Index3> faces,
                                     Threads threads) {
  const Vec3 origin = middle_of(vertices, faces);
  const Moments moments = sum_moments(vertices, faces, origin, threads, [](const Triangle& t) {
    return moments_of(triangle_area(t), t, 3.0, 12.0);
  });
  const double area = moments.total(0);
  if (!(area > 0.0)) return {0.0, origin, Mat3::zero()};
  const Vec3 local = Vec3{moments.total(1), moments.total(2), moments.total(3)} / area;
  return {area, origin + local, inertia_about(local, area, moments)};
}

SolidProperties solid_properties(std::span<const Vec3> vertices, std::span<const Index3> faces,
                                 Threads threads) {
  const Vec3 origin = middle_of(vertices, faces);
  const Moments moments = sum_moments(vertices, faces, origin, threads, [](const Triangle& t) {
    return moments_of(dot(t.a, cross(t.b, t.c)) / 6.0, t, 4.0, 20.0);
  });
  const double volume = moments.total(0);
  if (volume == 0.0) return {0.0, origin, Mat3::zero()};
  const Vec3 local = Vec3{moments.total(1), moments.total(2), moments.total(3)} / volume;
  return {volume, origin + local, inertia_about(local, volume, moments)};
}

}  // namespace clearance
