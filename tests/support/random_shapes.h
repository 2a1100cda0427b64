// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random simple shapes that look for trouble: magnitudes drawn as 10^u, shapes on a coarse lattice
// (parallel, coplanar, touching, without extent), the same a little disturbed, squashed to slivers,
// and far from the origin.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/geometry/shapes.h>

namespace clearance::test {

class RandomShapes {
 public:
  /// A setting (scale, kind, place) is drawn from the seed; shapes of one generator belong
  /// together.
  explicit RandomShapes(std::uint64_t seed) : random_(seed) {
    scale_ = std::pow(10.0, random_.uniform(-6.0, 6.0));
    kind_ = random_.below(3);
    // Lattices get a power of two, so that shapes touch exactly.
    if (kind_ == 1) scale_ = std::exp2(std::round(std::log2(scale_)));
    noise_ = kind_ == 2 ? std::pow(10.0, random_.uniform(-16.0, -1.0)) : 0.0;
    if (random_.below(3) == 0) squash_ = std::pow(10.0, random_.uniform(-12.0, 0.0));
    if (random_.below(4) == 0) {
      offset_ = std::pow(10.0, random_.uniform(0.0, 6.0)) * scale_ * direction();
    }
    turn_ = random_.below(2) == 0 ? Mat3::identity() : rotation();
  }

  Random& random() { return random_; }
  [[nodiscard]] double scale() const { return scale_; }

  double coordinate() {
    if (kind_ == 0) return random_.uniform(-1.0, 1.0);
    const double lattice = 0.5 * (static_cast<double>(random_.below(5)) - 2.0);
    return lattice + noise_ * random_.uniform(-1.0, 1.0);
  }
  Vec3 point() {
    const double x = coordinate();
    const double y = coordinate();
    const double z = squash_ * coordinate();
    return scale_ * (turn_ * Vec3{x, y, z}) + offset_;
  }
  Segment segment() {
    const Vec3 a = point();
    return {a, point()};
  }
  Triangle triangle() {
    const Vec3 a = point();
    const Vec3 b = point();
    return {a, b, point()};
  }
  double length() { return 2.0 * scale_ * std::abs(coordinate()); }
  Vec3 direction() {
    Vec3 v;
    do {
      v = {random_.uniform(-1.0, 1.0), random_.uniform(-1.0, 1.0), random_.uniform(-1.0, 1.0)};
    } while (norm(v) < 0.1);
    return v / norm(v);
  }
  /// On lattices a quarter turn, a little disturbed or not.
  Mat3 rotation() {
    constexpr double kQuarter = 1.5707963267948966;
    if (kind_ == 0) return rotation_about(direction(), random_.uniform(-3.2, 3.2));
    Vec3 axis;
    axis[random_.below(3)] = 1.0;
    const double angle =
        kQuarter * static_cast<double>(random_.below(4)) + noise_ * random_.uniform();
    return turn_ * rotation_about(axis, angle);
  }
  Rectangle rectangle() {
    const Mat3 r = rotation();
    Rectangle rectangle;
    rectangle.axis = {r.column(0), r.column(1)};
    rectangle.side = {length(), length()};
    // Centred at a point, so that about half of all pairs overlap in projection.
    rectangle.corner = point() - 0.5 * rectangle.side[0] * rectangle.axis[0] -
                       0.5 * rectangle.side[1] * rectangle.axis[1];
    return rectangle;
  }
  Box box() {
    Box box;
    box.include(point());
    box.include(point());
    return box;
  }
  OrientedBox oriented_box() {
    const Mat3 r = rotation();
    const Vec3 center = point();
    const double x = 0.5 * length();
    const double y = 0.5 * length();
    return {{r, center}, {x, y, 0.5 * squash_ * length()}};
  }
  /// A rigid motion of the same magnitude.
  Pose motion() {
    const Vec3 axis = direction();
    const Mat3 r = rotation_about(axis, random_.uniform(-3.2, 3.2));
    return {r, scale_ * direction()};
  }

 private:
  Random random_;
  double scale_ = 1.0;
  std::uint64_t kind_ = 0;
  double noise_ = 0.0;
  double squash_ = 1.0;
  Vec3 offset_;
  Mat3 turn_;
};

inline std::vector<Vec3> corners(const Vec3& p) { return {p}; }
inline std::vector<Vec3> corners(const Segment& s) { return {s.a, s.b}; }
inline std::vector<Vec3> corners(const Triangle& t) { return {t.a, t.b, t.c}; }
inline std::vector<Vec3> corners(const Rectangle& r) {
  const Vec3 e = r.side[0] * r.axis[0];
  const Vec3 g = r.side[1] * r.axis[1];
  return {r.corner, r.corner + e, r.corner + e + g, r.corner + g};
}
inline std::vector<Vec3> corners(const OrientedBox& b) {
  std::vector<Vec3> result;
  for (unsigned i = 0; i < 8; ++i) {
    Vec3 p = b.half_size;
    for (std::size_t k = 0; k < 3; ++k) p[k] *= (i >> k & 1u) != 0 ? 1.0 : -1.0;
    result.push_back(b.world_from_box * p);
  }
  return result;
}
inline std::vector<Vec3> corners(const Box& b) {
  return corners(OrientedBox{Pose::translate(b.center()), 0.5 * b.size()});
}

/// The largest distance of two corners of a pair of shapes: what accuracy is measured against.
template <class A, class B>
double extent(const A& a, const B& b) {
  std::vector<Vec3> all = corners(a);
  const std::vector<Vec3> more = corners(b);
  all.insert(all.end(), more.begin(), more.end());
  double largest = 0.0;
  for (const Vec3& p : all) {
    for (const Vec3& q : all) largest = std::max(largest, distance(p, q));
  }
  return largest;
}

/// The largest coordinate, which bounds the rounding of points.
template <class A, class B>
double largest_coordinate(const A& a, const B& b) {
  double largest = 0.0;
  for (const Vec3& p : corners(a)) largest = std::max(largest, largest_component(abs(p)));
  for (const Vec3& p : corners(b)) largest = std::max(largest, largest_component(abs(p)));
  return largest;
}

inline Vec3 moved(const Pose& m, const Vec3& p) { return m * p; }
inline Segment moved(const Pose& m, const Segment& s) { return {m * s.a, m * s.b}; }
inline Triangle moved(const Pose& m, const Triangle& t) { return {m * t.a, m * t.b, m * t.c}; }
inline Rectangle moved(const Pose& m, const Rectangle& r) {
  return {m * r.corner, {m.rotation * r.axis[0], m.rotation * r.axis[1]}, r.side};
}
inline OrientedBox moved(const Pose& m, const OrientedBox& b) {
  return {m * b.world_from_box, b.half_size};
}

}  // namespace clearance::test
