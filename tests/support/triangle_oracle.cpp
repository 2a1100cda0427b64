// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/triangle_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <gmp.h>

namespace clearance::test {
namespace {

__extension__ typedef __float128 Quad;

constexpr std::array<std::size_t, 3> kNext{1, 2, 0};

struct QuadVec {
  Quad x, y, z;
};
QuadVec quad(const Vec3& v) { return {v.x, v.y, v.z}; }
QuadVec operator-(const QuadVec& a, const QuadVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
QuadVec operator+(const QuadVec& a, const QuadVec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
QuadVec operator*(Quad s, const QuadVec& a) { return {s * a.x, s * a.y, s * a.z}; }
Quad dot(const QuadVec& a, const QuadVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
QuadVec cross(const QuadVec& a, const QuadVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Quad clamp01(Quad s) { return s < 0 ? Quad(0) : s > 1 ? Quad(1) : s; }
Quad absolute(Quad s) { return s < 0 ? -s : s; }

double root(Quad sq) {
  // Newton on the quad value: a plain sqrt of the rounded square would be good to 1e-16 too, but
  // may underflow.
  if (!(sq > 0)) return 0.0;
  int exponent = 0;
  while (sq < Quad(1e-30)) sq *= Quad(0x1p100), exponent -= 50;
  while (sq > Quad(1e30)) sq *= Quad(0x1p-100), exponent += 50;
  return std::ldexp(std::sqrt(static_cast<double>(sq)), exponent);
}

Quad point_segment_sq(const QuadVec& p, const QuadVec& a, const QuadVec& b) {
  const QuadVec d = b - a;
  const Quad length_sq = dot(d, d);
  const Quad t = length_sq > 0 ? clamp01(dot(p - a, d) / length_sq) : Quad(0);
  const QuadVec r = p - (a + t * d);
  return dot(r, r);
}

Quad point_triangle_sq(const QuadVec& p, const std::array<QuadVec, 3>& t) {
  Quad best = point_segment_sq(p, t[0], t[1]);
  best = std::min(best, point_segment_sq(p, t[1], t[2]));
  best = std::min(best, point_segment_sq(p, t[2], t[0]));
  const QuadVec n = cross(t[1] - t[0], t[2] - t[0]);
  const Quad n_sq = dot(n, n);
  if (!(n_sq > 0)) return best;
  for (std::size_t i = 0; i < 3; ++i) {
    if (dot(cross(n, t[kNext[i]] - t[i]), p - t[i]) < 0) return best;
  }
  const Quad h = dot(n, p - t[0]);
  return std::min(best, h * h / n_sq);
}

// Lines crossing inside both segments; the ends are covered by point_triangle_sq.
Quad interior_edges_sq(const QuadVec& a, const QuadVec& d1, const QuadVec& b, const QuadVec& d2) {
  const QuadVec n = cross(d1, d2);
  const Quad n_sq = dot(n, n);
  const QuadVec r = b - a;
  if (!(n_sq > 0)) return std::numeric_limits<double>::infinity();
  const Quad s = dot(cross(r, d2), n) / n_sq;
  const Quad t = dot(cross(r, d1), n) / n_sq;
  if (s < 0 || s > 1 || t < 0 || t > 1) return std::numeric_limits<double>::infinity();
  const QuadVec d = r + t * d2 - s * d1;
  return dot(d, d);
}

std::array<QuadVec, 3> quad(const Triangle& t) { return {quad(t.a), quad(t.b), quad(t.c)}; }

// A sign that quadruple precision can vouch for, or 0.
int clear_sign(const QuadVec& a, const QuadVec& b, const QuadVec& c) {
  const QuadVec n = cross(a, b);
  const Quad value = dot(n, c);
  const auto size = [](const QuadVec& v) { return absolute(v.x) + absolute(v.y) + absolute(v.z); };
  const Quad bound = size(a) * size(b) * size(c) * Quad(1e-30);
  return value > bound ? 1 : value < -bound ? -1 : 0;
}

// 1 pierces, -1 clearly not, 0 unclear.
int edge_pierces(const QuadVec& p, const QuadVec& q, const std::array<QuadVec, 3>& t) {
  const QuadVec e = t[1] - t[0];
  const QuadVec f = t[2] - t[0];
  const int sp = clear_sign(e, f, p - t[0]);
  const int sq = clear_sign(e, f, q - t[0]);
  if (sp * sq > 0) return -1;
  const QuadVec d = q - p;
  std::array<int, 3> s{};
  for (std::size_t i = 0; i < 3; ++i) s[i] = clear_sign(t[i] - p, t[kNext[i]] - p, d);
  const bool positive = std::any_of(s.begin(), s.end(), [](int x) { return x > 0; });
  const bool negative = std::any_of(s.begin(), s.end(), [](int x) { return x < 0; });
  if (positive && negative) return -1;
  const bool clear = sp * sq < 0 && s[0] * s[1] > 0 && s[1] * s[2] > 0;
  return clear ? 1 : 0;
}

// Integers of any length with value semantics: the little that the hull test needs.
class Integer {
 public:
  Integer() { mpz_init(value_); }
  Integer(const Integer& other) { mpz_init_set(value_, other.value_); }
  Integer& operator=(const Integer& other) {
    mpz_set(value_, other.value_);
    return *this;
  }
  ~Integer() { mpz_clear(value_); }
  // mantissa * 2^shift, shift >= 0.
  void set(double mantissa, unsigned long shift) {
    mpz_set_d(value_, mantissa);
    mpz_mul_2exp(value_, value_, shift);
  }
  [[nodiscard]] int sign() const { return mpz_sgn(value_); }
  friend Integer operator+(const Integer& a, const Integer& b) {
    Integer r;
    mpz_add(r.value_, a.value_, b.value_);
    return r;
  }
  friend Integer operator-(const Integer& a, const Integer& b) {
    Integer r;
    mpz_sub(r.value_, a.value_, b.value_);
    return r;
  }
  friend Integer operator*(const Integer& a, const Integer& b) {
    Integer r;
    mpz_mul(r.value_, a.value_, b.value_);
    return r;
  }

 private:
  mpz_t value_;
};

struct IntegerVec {
  Integer x, y, z;
};
IntegerVec operator-(const IntegerVec& a, const IntegerVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Integer dot(const IntegerVec& a, const IntegerVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
IntegerVec cross(const IntegerVec& a, const IntegerVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
int det_sign(const IntegerVec& a, const IntegerVec& b, const IntegerVec& c) {
  return dot(cross(a, b), c).sign();
}
bool is_zero(const IntegerVec& a) { return a.x.sign() == 0 && a.y.sign() == 0 && a.z.sign() == 0; }

bool origin_in_hull(const std::vector<IntegerVec>& p) {
  const std::size_t n = p.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (is_zero(p[i])) return true;
    for (std::size_t j = 0; j < i; ++j) {
      const IntegerVec c = cross(p[i], p[j]);
      if (is_zero(c)) {
        if (dot(p[i], p[j]).sign() <= 0) return true;
        continue;
      }
      for (std::size_t k = 0; k < j; ++k) {
        const int s = dot(c, p[k]).sign();
        if (s == 0) {
          const IntegerVec normal = cross(p[j] - p[i], p[k] - p[i]);
          if (!is_zero(normal) && dot(c, normal).sign() >= 0 &&
              dot(cross(p[j], p[k]), normal).sign() >= 0 &&
              dot(cross(p[k], p[i]), normal).sign() >= 0) {
            return true;
          }
          continue;
        }
        // Origin in the tetrahedron (i, j, k, l): it lies on the inner side of each face. With the
        // barycentric coordinate of each corner as the determinant of the three others.
        for (std::size_t l = 0; l < k; ++l) {
          const int s_l = s;
          const int s_k = -det_sign(p[i], p[j], p[l]);
          if (s_k * s_l < 0) continue;
          const int s_j = det_sign(p[i], p[k], p[l]);
          if (s_j * s_l < 0) continue;
          const int s_i = -det_sign(p[j], p[k], p[l]);
          if (s_i * s_l >= 0) return true;
        }
      }
    }
  }
  return false;
}

// Doubles as integers times a common power of two.
struct Scaled {
  int lowest = std::numeric_limits<int>::max();
  void note(double v) {
    if (v == 0.0) return;
    int e = 0;
    std::frexp(v, &e);
    lowest = std::min(lowest, e - 53);
  }
  void note(const Vec3& v) { note(v.x), note(v.y), note(v.z); }
  [[nodiscard]] Integer integer(double v) const {
    Integer r;
    if (v == 0.0) return r;
    int e = 0;
    const double m = std::frexp(v, &e);
    r.set(std::ldexp(m, 53), static_cast<unsigned long>(e - 53 - lowest));
    return r;
  }
  [[nodiscard]] IntegerVec integer(const Vec3& v) const {
    return {integer(v.x), integer(v.y), integer(v.z)};
  }
};

bool differences_hold_origin(const std::array<IntegerVec, 3>& a,
                             const std::array<IntegerVec, 3>& b) {
  std::vector<IntegerVec> differences;
  for (const IntegerVec& p : a) {
    for (const IntegerVec& q : b) differences.push_back(p - q);
  }
  return origin_in_hull(differences);
}

Vec3 direction(Random& random) {
  for (;;) {
    const Vec3 v{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const double n = squared_norm(v);
    if (n > 0.01 && n < 1.0) return v / std::sqrt(n);
  }
}

Vec3 point_in_cube(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Triangle random_triangle(Random& random, double size) {
  return {point_in_cube(random, size), point_in_cube(random, size), point_in_cube(random, size)};
}

Triangle moved(const Triangle& t, const Vec3& by) { return {t.a + by, t.b + by, t.c + by}; }

// A point of a triangle: corner, on an edge, or inside.
Vec3 point_of(Random& random, const Triangle& t) {
  const std::uint64_t kind = random.below(3);
  if (kind == 0) return random.below(2) == 0 ? t.a : t.b;
  const double u = random.uniform();
  if (kind == 1) return t.a + u * (t.b - t.a);
  const double v = random.uniform() * (1.0 - u);
  return t.a + u * (t.b - t.a) + v * (t.c - t.a);
}

Triangle made_degenerate(Random& random, Triangle t) {
  switch (random.below(4)) {
    case 0:
      return {t.a, t.a, t.a};
    case 1:
      return {t.a, t.b, t.a};
    case 2:  // nearly collinear: a needle, or exactly so by luck
      return {t.a, t.b, t.a + random.uniform(-0.5, 1.5) * (t.b - t.a)};
    default:
      return {t.a, t.b,
              t.a + random.uniform() * (t.b - t.a) +
                  std::pow(10.0, random.uniform(-16, -3)) * norm(t.b - t.a) * direction(random)};
  }
}

}  // namespace

double quad_distance(const Vec3& p, const Triangle& t) {
  return root(point_triangle_sq(quad(p), quad(t)));
}

QuadDistance quad_distance(const Triangle& ta, const Triangle& tb) {
  const std::array<QuadVec, 3> a = quad(ta);
  const std::array<QuadVec, 3> b = quad(tb);
  Quad best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    best = std::min(best, point_triangle_sq(a[i], b));
    best = std::min(best, point_triangle_sq(b[i], a));
    for (std::size_t j = 0; j < 3; ++j) {
      best = std::min(best, interior_edges_sq(a[i], a[kNext[i]] - a[i], b[j], b[kNext[j]] - b[j]));
    }
  }
  QuadDistance result;
  result.distance = root(best);
  bool doubt = false;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const int state :
         {edge_pierces(a[i], a[kNext[i]], b), edge_pierces(b[i], b[kNext[i]], a)}) {
      if (state == 1) result.pierces = true;
      if (state == 0) doubt = true;
    }
  }
  if (result.pierces) {
    result.distance = 0.0;
  } else {
    result.unclear = doubt;
  }
  return result;
}

bool exactly_intersect(const Triangle& a, const Triangle& b) {
  Scaled scale;
  for (const Triangle* t : {&a, &b}) scale.note(t->a), scale.note(t->b), scale.note(t->c);
  return differences_hold_origin({scale.integer(a.a), scale.integer(a.b), scale.integer(a.c)},
                                 {scale.integer(b.a), scale.integer(b.b), scale.integer(b.c)});
}

bool exactly_intersect(const Triangle& a, const Triangle& b, const Pose& pose) {
  // Rotation entries, corners of b and everything else each as integers times a power of two; a and
  // the translation are then multiplied up to the power of the products.
  Scaled rotation;
  for (const Vec3& row : pose.rotation.rows) rotation.note(row);
  Scaled corner;
  for (const Vec3* p : {&b.a, &b.b, &b.c, &a.a, &a.b, &a.c, &pose.translation}) corner.note(*p);
  corner.note(1.0);  // keep some power even when all are zero
  Integer unit;      // 1.0 in the units of the rotation
  rotation.note(1.0);
  unit = rotation.integer(1.0);
  const std::array<IntegerVec, 3> r{rotation.integer(pose.rotation[0]),
                                    rotation.integer(pose.rotation[1]),
                                    rotation.integer(pose.rotation[2])};
  const IntegerVec t = corner.integer(pose.translation);
  const auto place = [&](const Vec3& p) {
    const IntegerVec v = corner.integer(p);
    return IntegerVec{dot(r[0], v) + unit * t.x, dot(r[1], v) + unit * t.y,
                      dot(r[2], v) + unit * t.z};
  };
  const auto keep = [&](const Vec3& p) {
    const IntegerVec v = corner.integer(p);
    return IntegerVec{unit * v.x, unit * v.y, unit * v.z};
  };
  return differences_hold_origin({keep(a.a), keep(a.b), keep(a.c)},
                                 {place(b.a), place(b.b), place(b.c)});
}

TrianglePair awkward_pair(Random& random) {
  const double size = std::pow(10.0, random.uniform(-6, 6));
  TrianglePair pair;
  pair.a = random_triangle(random, size);
  switch (random.below(8)) {
    case 0: {
      pair.kind = "any";
      pair.b = moved(random_triangle(random, size * std::pow(10.0, random.uniform(-2, 2))),
                     point_in_cube(random, size * random.uniform(0, 3)));
      break;
    }
    case 1: {
      pair.kind = "near";
      const Triangle b = random_triangle(random, size * std::pow(10.0, random.uniform(-3, 3)));
      const Vec3 gap = size * std::pow(10.0, random.uniform(-17, -2)) * direction(random);
      pair.b = moved(b, point_of(random, pair.a) + gap - point_of(random, b));
      break;
    }
    case 2: {
      pair.kind = "grid";  // small integers: coplanar, touching and degenerate by the dozen
      const auto corner = [&] {
        return Vec3{static_cast<double>(random.below(4)), static_cast<double>(random.below(4)),
                    static_cast<double>(random.below(3))};
      };
      const double step = std::exp2(std::floor(random.uniform(-20, 20)));
      pair.a = {step * corner(), step * corner(), step * corner()};
      pair.b = {step * corner(), step * corner(), step * corner()};
      break;
    }
    case 3: {
      pair.kind = "shared corner or edge";
      pair.b = random_triangle(random, size);
      pair.b.a = pair.a.a;
      if (random.below(2) == 0) pair.b.b = pair.a.b;
      break;
    }
    case 4: {
      pair.kind = "degenerate";
      pair.b = made_degenerate(random, random_triangle(random, size));
      if (random.below(2) == 0) pair.a = made_degenerate(random, pair.a);
      if (random.below(2) == 0)
        pair.b = moved(pair.b, point_of(random, pair.a) - point_of(random, pair.b));
      break;
    }
    case 5: {
      pair.kind = "nearly coplanar";
      const Vec3 n = normalized(cross(pair.a.b - pair.a.a, pair.a.c - pair.a.a));
      const auto corner = [&] {
        return pair.a.a + random.uniform(-1, 2) * (pair.a.b - pair.a.a) +
               random.uniform(-1, 2) * (pair.a.c - pair.a.a) +
               size * random.uniform(-1, 1) * std::pow(10.0, random.uniform(-17, -4)) * n;
      };
      pair.b = {corner(), corner(), corner()};
      break;
    }
    case 6: {
      pair.kind = "nearly parallel edges";
      const double tilt = std::pow(10.0, random.uniform(-16, -4));
      const Vec3 shift = size * std::pow(10.0, random.uniform(-12, 0)) * direction(random);
      pair.b.a = pair.a.a + random.uniform(-0.5, 0.5) * (pair.a.b - pair.a.a) + shift;
      pair.b.b = pair.a.b + random.uniform(-0.5, 0.5) * (pair.a.b - pair.a.a) + shift +
                 size * tilt * direction(random);
      pair.b.c = pair.b.a + size * random.uniform() * direction(random);
      break;
    }
    default: {
      pair.kind = "far from the origin";
      pair.b = moved(random_triangle(random, size), point_in_cube(random, size));
      const Vec3 far = point_in_cube(random, size * std::pow(10.0, random.uniform(1, 6)));
      pair.a = moved(pair.a, far);
      pair.b = moved(pair.b, far);
      break;
    }
  }
  if (random.below(2) == 0) std::swap(pair.a, pair.b);
  return pair;
}

std::string describe(const Triangle& a, const Triangle& b) {
  char text[1024];
  const auto print = [](char* out, std::size_t size, const char* name, const Triangle& t) {
    return std::snprintf(out, size, "%s{{%a, %a, %a}, {%a, %a, %a}, {%a, %a, %a}}", name, t.a.x,
                         t.a.y, t.a.z, t.b.x, t.b.y, t.b.z, t.c.x, t.c.y, t.c.z);
  };
  std::string result = "Triangle ";
  print(text, sizeof text, "a", a);
  result += text;
  print(text, sizeof text, ", b", b);
  return result + text + ";";
}

}  // namespace clearance::test
