// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace clearance::test {
namespace {

QuadVec operator+(const QuadVec& a, const QuadVec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
QuadVec operator-(const QuadVec& a, const QuadVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
QuadVec operator*(Quad s, const QuadVec& a) { return {s * a.x, s * a.y, s * a.z}; }
Quad dot(const QuadVec& a, const QuadVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Quad magnitude(Quad x) { return x < 0 ? -x : x; }

/// Solves m x = y by elimination with full pivoting; false when m is singular to working precision.
bool solve(std::vector<std::vector<Quad>> m, std::vector<Quad> y, std::vector<Quad>& x) {
  const std::size_t n = y.size();
  std::vector<std::size_t> column(n);
  for (std::size_t i = 0; i < n; ++i) column[i] = i;
  Quad first_pivot = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best_row = k;
    std::size_t best_column = k;
    for (std::size_t i = k; i < n; ++i) {
      for (std::size_t j = k; j < n; ++j) {
        if (magnitude(m[i][j]) > magnitude(m[best_row][best_column])) {
          best_row = i;
          best_column = j;
        }
      }
    }
    std::swap(m[k], m[best_row]);
    std::swap(y[k], y[best_row]);
    for (std::size_t i = 0; i < n; ++i) std::swap(m[i][k], m[i][best_column]);
    std::swap(column[k], column[best_column]);
    if (k == 0) first_pivot = magnitude(m[0][0]);
    // The matrices are scaled to a unit diagonal; a pivot this small is rounding. Angles down to
    // 1e-15 between the flats stay above it.
    if (!(magnitude(m[k][k]) > first_pivot * 1e-31)) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const Quad factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < n; ++j) m[i][j] -= factor * m[k][j];
      y[i] -= factor * y[k];
    }
  }
  std::vector<Quad> permuted(n);
  for (std::size_t k = n; k-- > 0;) {
    Quad sum = y[k];
    for (std::size_t j = k + 1; j < n; ++j) sum -= m[k][j] * permuted[j];
    permuted[k] = sum / m[k][k];
  }
  x.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) x[column[k]] = permuted[k];
  return true;
}

/// The squared distance of the flats through two faces, or infinity when the nearest points are not
/// both inside the faces.
Quad squared_between_faces(const Simplex& a, const Simplex& b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<QuadVec> spans;
  for (std::size_t i = 1; i < a.size(); ++i) spans.push_back(a[i] - a[0]);
  for (std::size_t i = 1; i < b.size(); ++i) spans.push_back(b[0] - b[i]);
  const std::size_t n = spans.size();
  const QuadVec r = a[0] - b[0];
  std::vector<Quad> x;
  if (n > 0) {
    std::vector<Quad> length(n);
    std::vector<std::vector<Quad>> m(n, std::vector<Quad>(n));
    std::vector<Quad> y(n);
    for (std::size_t i = 0; i < n; ++i) {
      length[i] = quad_sqrt(dot(spans[i], spans[i]));
      if (length[i] == 0) return kInfinity;
    }
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = -dot(spans[i], r) / length[i];
      for (std::size_t j = 0; j < n; ++j) {
        m[i][j] = dot(spans[i], spans[j]) / (length[i] * length[j]);
      }
    }
    if (!solve(m, y, x)) return kInfinity;
    for (std::size_t i = 0; i < n; ++i) x[i] /= length[i];
    // Strictly inside: a point that rounding puts outside is also found, to rounding, on a smaller
    // face, while room for it here would call gaps of that size contact.
    Quad sum_a = 0;
    Quad sum_b = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(x[i] >= 0)) return kInfinity;
      (i + 1 < a.size() ? sum_a : sum_b) += x[i];
    }
    if (sum_a > 1 || sum_b > 1) return kInfinity;
  }
  QuadVec gap = r;
  for (std::size_t i = 0; i < n; ++i) gap = gap + x[i] * spans[i];
  return dot(gap, gap);
}

bool same(const Simplex& a, const Simplex& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const QuadVec& p, const QuadVec& q) {
    return p.x == q.x && p.y == q.y && p.z == q.z;
  });
}

/// All faces of all simplices, every non-empty choice of corners, each once.
std::vector<Simplex> faces(const Simplices& simplices) {
  std::vector<Simplex> result;
  for (const Simplex& s : simplices) {
    for (unsigned mask = 1; mask < (1u << s.size()); ++mask) {
      Simplex face;
      for (std::size_t i = 0; i < s.size(); ++i) {
        if ((mask >> i & 1u) != 0) face.push_back(s[i]);
      }
      if (std::none_of(result.begin(), result.end(),
                       [&](const Simplex& known) { return same(known, face); })) {
        result.push_back(face);
      }
    }
  }
  return result;
}

Simplices surface(const std::array<QuadVec, 8>& c) {
  Simplices result;
  // Corner i has bit k set when it is on the high side of axis k.
  for (unsigned axis = 0; axis < 3; ++axis) {
    const unsigned u = 1u << (axis + 1) % 3;
    const unsigned v = 1u << (axis + 2) % 3;
    for (const unsigned side : {0u, 1u << axis}) {
      result.push_back({c[side], c[side | u], c[side | v]});
      result.push_back({c[side | u | v], c[side | u], c[side | v]});
    }
  }
  return result;
}

}  // namespace

QuadVec exact(const Vec3& p) { return {p.x, p.y, p.z}; }

Quad quad_sqrt(Quad x) {
  if (x <= 0) return 0;
  // Newton's iteration doubles the 64 bits of the long double root.
  Quad root = std::sqrt(static_cast<long double>(x));
  root = (root + x / root) / 2;
  return (root + x / root) / 2;
}

Simplices simplices(const Vec3& p) { return {{exact(p)}}; }
Simplices simplices(const Segment& s) { return {{exact(s.a), exact(s.b)}}; }
Simplices simplices(const Triangle& t) { return {{exact(t.a), exact(t.b), exact(t.c)}}; }

Simplices simplices(const Rectangle& r) {
  const QuadVec o = exact(r.corner);
  const QuadVec e = static_cast<Quad>(r.side[0]) * exact(r.axis[0]);
  const QuadVec g = static_cast<Quad>(r.side[1]) * exact(r.axis[1]);
  return {{o, o + e, o + g}, {o + e + g, o + e, o + g}};
}

Simplices simplices(const Box& b) {
  std::array<QuadVec, 8> corners;
  for (unsigned i = 0; i < 8; ++i) {
    corners[i] = {(i & 1u) != 0 ? b.high.x : b.low.x, (i & 2u) != 0 ? b.high.y : b.low.y,
                  (i & 4u) != 0 ? b.high.z : b.low.z};
  }
  return surface(corners);
}

Simplices simplices(const OrientedBox& b) {
  std::array<QuadVec, 8> corners;
  const Mat3& r = b.world_from_box.rotation;
  for (unsigned i = 0; i < 8; ++i) {
    QuadVec p = exact(b.world_from_box.translation);
    for (std::size_t k = 0; k < 3; ++k) {
      const Quad half = b.half_size[k];
      p = p + ((i >> k & 1u) != 0 ? half : -half) * exact(r.column(k));
    }
    corners[i] = p;
  }
  return surface(corners);
}

Quad oracle_distance(const Simplices& a, const Simplices& b) {
  Quad best = std::numeric_limits<double>::infinity();
  const std::vector<Simplex> faces_a = faces(a);
  const std::vector<Simplex> faces_b = faces(b);
  for (const Simplex& face_a : faces_a) {
    for (const Simplex& face_b : faces_b) {
      // Faces of more than three dimensions together always have parallel directions.
      if (face_a.size() + face_b.size() > 5) continue;
      const Quad squared = squared_between_faces(face_a, face_b);
      if (squared < best) best = squared;
    }
  }
  return quad_sqrt(best);
}

}  // namespace clearance::test
