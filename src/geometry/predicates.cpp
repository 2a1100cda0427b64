// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <clearance/geometry/predicates.h>

#include "geometry/expansion.h"

namespace clearance {
namespace {

using detail::exact_difference;
using detail::Expansion;

// Rounding of the floating-point determinants, relative to the sum of the magnitudes of their
// terms, is at most 8 u (3D) and 4 u (2D) with u = 2^-53: differences 1 u each, products 1 u each,
// sums 1 u each along the longest path, plus second-order terms. Rounded up.
constexpr double kFilter3d = 9.0 * 0x1p-53;
constexpr double kFilter2d = 5.0 * 0x1p-53;
// What underflow in the products can add when coordinates are below 2^250: a few times
// 2^-1074 * 2^251 < 1e-246.
constexpr double kUnderflow = 1e-240;

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Expansion<2> ax = exact_difference(a.x, d.x);
  const Expansion<2> ay = exact_difference(a.y, d.y);
  const Expansion<2> az = exact_difference(a.z, d.z);
  const Expansion<2> bx = exact_difference(b.x, d.x);
  const Expansion<2> by = exact_difference(b.y, d.y);
  const Expansion<2> bz = exact_difference(b.z, d.z);
  const Expansion<2> cx = exact_difference(c.x, d.x);
  const Expansion<2> cy = exact_difference(c.y, d.y);
  const Expansion<2> cz = exact_difference(c.z, d.z);
  const auto det = (bx * cy - by * cx) * az + (cx * ay - cy * ax) * bz + (ax * by - ay * bx) * cz;
  return det.sign();
}

int exact_orientation_2d(double ax, double ay, double bx, double by, double cx, double cy) {
  const auto det = exact_difference(ax, cx) * exact_difference(by, cy) -
                   exact_difference(ay, cy) * exact_difference(bx, cx);
  return det.sign();
}

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 ad = a - d;
  const Vec3 bd = b - d;
  const Vec3 cd = c - d;
  const double bxcy = bd.x * cd.y;
  const double bycx = bd.y * cd.x;
  const double cxay = cd.x * ad.y;
  const double cyax = cd.y * ad.x;
  const double axby = ad.x * bd.y;
  const double aybx = ad.y * bd.x;
  const double det = ad.z * (bxcy - bycx) + bd.z * (cxay - cyax) + cd.z * (axby - aybx);
  const double magnitude = (std::abs(bxcy) + std::abs(bycx)) * std::abs(ad.z) +
                           (std::abs(cxay) + std::abs(cyax)) * std::abs(bd.z) +
                           (std::abs(axby) + std::abs(aybx)) * std::abs(cd.z);
  const double bound = kFilter3d * magnitude + kUnderflow;
  if (det > bound) return 1;
  if (-det > bound) return -1;
  return exact_orientation(a, b, c, d);
}

int orientation_2d(double ax, double ay, double bx, double by, double cx, double cy) {
  const double left = (ax - cx) * (by - cy);
  const double right = (ay - cy) * (bx - cx);
  const double det = left - right;
  const double bound = kFilter2d * (std::abs(left) + std::abs(right)) + kUnderflow;
  if (det > bound) return 1;
  if (-det > bound) return -1;
  return exact_orientation_2d(ax, ay, bx, by, cx, cy);
}

int side_of_ball(const Vec3& p, const Sphere& ball) {
  const Vec3 d = p - ball.center;
  const double distance_sq = dot(d, d);
  const double radius_sq = ball.radius * ball.radius;
  // Relative to the squares, rounding is at most 5 u: differences 1 u each (2 u of their squares),
  // products 1 u, sums 2 u. Rounded up.
  constexpr double kFilterBall = 8.0 * 0x1p-53;
  const double bound = kFilterBall * (distance_sq + radius_sq) + kUnderflow;
  if (distance_sq - radius_sq > bound) return 1;
  if (radius_sq - distance_sq > bound) return -1;
  const Expansion<2> x = exact_difference(p.x, ball.center.x);
  const Expansion<2> y = exact_difference(p.y, ball.center.y);
  const Expansion<2> z = exact_difference(p.z, ball.center.z);
  const Expansion<2> r = exact_difference(ball.radius, 0.0);
  return (x * x + y * y + z * z - r * r).sign();
}

bool has_zero_area(const Triangle& t) {
  // Most triangles clearly have an area: a component of the cross product beyond its rounding
  // error, which is below 8 u m n for sides with entries up to m and n; doubled for the bound's own
  // rounding.
  constexpr double kFilter = 16.0 * 0x1p-53;
  const Vec3 ab = t.b - t.a;
  const Vec3 ac = t.c - t.a;
  const double bound =
      kFilter * largest_component(abs(ab)) * largest_component(abs(ac)) + 0x1p-1000;
  if (largest_component(abs(cross(ab, ac))) > bound) return false;

  // Collinear in space is collinear in all three coordinate planes. Scaling by a power of two is
  // exact and keeps the products of two coordinates clear of underflow and overflow.
  const double size =
      std::fmax(largest_component(abs(t.a)),
                std::fmax(largest_component(abs(t.b)), largest_component(abs(t.c))));
  if (size == 0.0) return true;
  const int shift = 480 - std::ilogb(size);
  const auto scale = [shift](const Vec3& v) {
    return Vec3{std::ldexp(v.x, shift), std::ldexp(v.y, shift), std::ldexp(v.z, shift)};
  };
  const Vec3 a = scale(t.a);
  const Vec3 b = scale(t.b);
  const Vec3 c = scale(t.c);
  return exact_orientation_2d(a.x, a.y, b.x, b.y, c.x, c.y) == 0 &&
         exact_orientation_2d(a.y, a.z, b.y, b.z, c.y, c.z) == 0 &&
         exact_orientation_2d(a.z, a.x, b.z, b.x, c.z, c.x) == 0;
}

}  // namespace clearance
