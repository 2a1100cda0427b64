// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/contour_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace clearance::test {
namespace {

using Long = long double;

struct LongVec {
  Long x = 0, y = 0, z = 0;
};
LongVec operator+(const LongVec& a, const LongVec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
LongVec operator-(const LongVec& a, const LongVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
LongVec operator*(Long s, const LongVec& a) { return {s * a.x, s * a.y, s * a.z}; }
Long dot(const LongVec& a, const LongVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LongVec cross(const LongVec& a, const LongVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Long length(const LongVec& a) { return std::sqrt(dot(a, a)); }
LongVec unit(const LongVec& a) {
  const Long l = length(a);
  return l > 0 ? (1 / l) * a : LongVec{};
}
LongVec lift(const Vec3& a) { return {a.x, a.y, a.z}; }

struct LongDisc {
  LongVec center, u, v;
};

Long point_edge(const LongVec& p, const LongVec& a, const LongVec& b) {
  const LongVec e = b - a;
  const Long ee = dot(e, e);
  Long t = ee > 0 ? dot(p - a, e) / ee : 0;
  t = std::clamp(t, Long(0), Long(1));
  return length(p - a - t * e);
}

Long point_triangle(const LongVec& p, const std::array<LongVec, 3>& t) {
  Long best =
      std::min({point_edge(p, t[0], t[1]), point_edge(p, t[1], t[2]), point_edge(p, t[2], t[0])});
  const LongVec e = t[1] - t[0];
  const LongVec f = t[2] - t[0];
  const LongVec n = cross(e, f);
  const Long nn = dot(n, n);
  const LongVec r = p - t[0];
  if (nn > 0) {
    const Long a = dot(cross(r, f), n);
    const Long b = dot(cross(e, r), n);
    if (a >= 0 && b >= 0 && a + b <= nn) best = std::min(best, std::abs(dot(r, unit(n))));
  }
  return best;
}

/// The point q of the unit disc with the least |g0 + q.x gu + q.y gv|.
std::array<Long, 2> least_in_disc(const LongVec& g0, const LongVec& gu, const LongVec& gv) {
  // Principal axes of the quadratic form, one Jacobi rotation.
  const Long a = dot(gu, gu);
  const Long b = dot(gu, gv);
  const Long c = dot(gv, gv);
  const Long angle = std::atan2(2 * b, a - c) / 2;
  const Long co = std::cos(angle);
  const Long si = std::sin(angle);
  const LongVec g1 = co * gu + si * gv;
  const LongVec g2 = co * gv - si * gu;
  const std::array<Long, 2> lambda{dot(g1, g1), dot(g2, g2)};
  const std::array<Long, 2> k{dot(g1, g0), dot(g2, g0)};
  const auto q_of = [&](Long mu) {
    std::array<Long, 2> q{};
    for (std::size_t i = 0; i < 2; ++i)
      if (lambda[i] + mu > 0) q[i] = -k[i] / (lambda[i] + mu);
    return q;
  };
  const auto size_of = [](const std::array<Long, 2>& q) { return std::hypot(q[0], q[1]); };
  std::array<Long, 2> q = q_of(0);
  if (size_of(q) > 1) {
    // The multiplier mu with |q| = 1: Newton on 1/|q|, from below, where it never overshoots.
    Long mu = std::max({Long(0), std::abs(k[0]) - lambda[0], std::abs(k[1]) - lambda[1]});
    constexpr int kSteps = 40;
    for (int i = 0; i < kSteps; ++i) {
      q = q_of(mu);
      const Long s = size_of(q);
      Long slope = 0;
      for (std::size_t j = 0; j < 2; ++j)
        if (q[j] != 0) slope += q[j] * q[j] / (lambda[j] + mu);
      if (!(s > 1) || !(slope > 0)) break;
      const Long next = mu + (s - 1) * s * s / slope;
      if (!(next > mu)) break;
      mu = next;
    }
    const Long s = size_of(q);
    if (s > 0) q = {q[0] / s, q[1] / s};
  }
  return {co * q[0] - si * q[1], si * q[0] + co * q[1]};
}

class Reference {
 public:
  Reference(const ContourSegment& segment, const Triangle& triangle) {
    const LongVec origin = lift(triangle.a);
    corner_ = {LongVec{}, lift(triangle.b) - origin, lift(triangle.c) - origin};
    start_ = {lift(segment.start.center) - origin, lift(segment.start.u), lift(segment.start.v)};
    end_ = {lift(segment.end.center) - origin, lift(segment.end.u), lift(segment.end.v)};
    slope_ =
        length(end_.center - start_.center) + length(end_.u - start_.u) + length(end_.v - start_.v);
  }

  /// The distance of the triangle from the disc at eta. The nearest point of the triangle is in one
  /// of its seven features, and nearest in all of the corner, line or plane that holds the feature;
  /// each of these gives a point of the disc, and the best of them is it.
  [[nodiscard]] Long at(Long eta) const {
    const Long rest = 1 - eta;
    const LongDisc disc{rest * start_.center + eta * end_.center, rest * start_.u + eta * end_.u,
                        rest * start_.v + eta * end_.v};
    Long best = std::numeric_limits<Long>::infinity();
    const auto attempt = [&](const LongVec& g0, const LongVec& gu, const LongVec& gv) {
      const auto q = least_in_disc(g0, gu, gv);
      best = std::min(best, point_triangle(disc.center + q[0] * disc.u + q[1] * disc.v, corner_));
    };
    for (std::size_t i = 0; i < 3; ++i) {
      const LongVec g0 = disc.center - corner_[i];
      attempt(g0, disc.u, disc.v);
      const LongVec e = unit(corner_[(i + 1) % 3] - corner_[i]);
      const auto off_edge = [&](const LongVec& w) { return w - dot(w, e) * e; };
      attempt(off_edge(g0), off_edge(disc.u), off_edge(disc.v));
    }
    const LongVec n = unit(cross(corner_[1] - corner_[0], corner_[2] - corner_[0]));
    const auto off_face = [&](const LongVec& w) { return dot(w, n) * n; };
    attempt(off_face(disc.center - corner_[0]), off_face(disc.u), off_face(disc.v));
    return best;
  }

  [[nodiscard]] Long distance() const {
    // A grid, finer where the slope leaves room below the best value so far.
    constexpr int kCoarse = 16;
    constexpr int kFinest = 11;  // halvings of the whole
    std::map<Long, Long> values;
    Long best = std::numeric_limits<Long>::infinity();
    const auto add = [&](Long eta) {
      const Long value = at(eta);
      values.emplace(eta, value);
      best = std::min(best, value);
    };
    for (int i = 0; i <= kCoarse; ++i) add(Long(i) / kCoarse);
    for (int level = 4; level < kFinest && best > 0; ++level) {
      std::array<Long, (1 << kFinest) + 1> middles{};
      std::size_t count = 0;
      for (auto a = values.begin(), b = std::next(a); b != values.end(); ++a, ++b) {
        const Long width = b->first - a->first;
        if ((a->second + b->second - slope_ * width) / 2 < best)
          middles[count++] = (a->first + b->first) / 2;
      }
      for (std::size_t i = 0; i < count; ++i) add(middles[i]);
    }
    // Around each lowest point of the grid.
    Long result = best;
    for (auto it = values.begin(); it != values.end() && result > 0; ++it) {
      const auto next = std::next(it);
      const bool first = it == values.begin();
      const bool last = next == values.end();
      const Long left = first ? it->first : std::prev(it)->first;
      const Long right = last ? it->first : next->first;
      if (!first && std::prev(it)->second < it->second) continue;
      if (!last && next->second < it->second) continue;
      if (it->second - slope_ * (right - left) > result) continue;
      result = std::min(result, golden_section(left, right));
    }
    return result;
  }

 private:
  [[nodiscard]] Long golden_section(Long left, Long right) const {
    const Long ratio = (std::sqrt(Long(5)) - 1) / 2;
    Long a = right - ratio * (right - left);
    Long b = left + ratio * (right - left);
    Long fa = at(a);
    Long fb = at(b);
    // A slope that does not vanish at the least point (at contact) needs all of the digits.
    while (right - left > 1e-13L && std::min(fa, fb) > 0) {
      if (fa < fb) {
        right = b, b = a, fb = fa;
        a = right - ratio * (right - left);
        fa = at(a);
      } else {
        left = a, a = b, fa = fb;
        b = left + ratio * (right - left);
        fb = at(b);
      }
    }
    return std::min(fa, fb);
  }

  std::array<LongVec, 3> corner_;
  LongDisc start_, end_;
  Long slope_ = 0;  ///< at least |d distance / d eta|
};

Vec3 direction(Random& random) {
  Vec3 v;
  do {
    v = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
  } while (norm(v) < 0.1 || norm(v) > 1.0);
  return v / norm(v);
}

Vec3 lattice_point(Random& random) {
  const auto c = [&] { return 0.5 * (static_cast<double>(random.below(5)) - 2.0); };
  const double x = c();
  const double y = c();
  return {x, y, c()};
}

Vec3 axis(Random& random) {
  Vec3 v;
  v[random.below(3)] = random.below(2) == 0 ? 1.0 : -1.0;
  return v;
}

/// A tangent at most `tilt` [rad] away.
Vec3 tilted(Random& random, const Vec3& tangent, double tilt) {
  const Vec3 about = normalized(cross(tangent, direction(random)));
  if (about == Vec3{}) return tangent;
  return normalized(rotation_about(about, tilt) * tangent);
}

double extent_of(const ContourSegment& s, const Triangle& t) {
  Box box = bounds_of(s);
  box.include(t.a);
  box.include(t.b);
  box.include(t.c);
  return box.diagonal();
}

}  // namespace

double contour_oracle(const ContourSegment& segment, const Triangle& triangle) {
  return static_cast<double>(Reference(segment, triangle).distance());
}

double contour_disc_oracle(const ContourSegment& segment, double eta, const Triangle& triangle) {
  return static_cast<double>(Reference(segment, triangle).at(eta));
}

ContourPair awkward_contour_pair(Random& random) {
  ContourPair pair;
  const double scale = std::pow(10.0, random.uniform(-3.0, 3.0));
  const auto size = [&] { return std::pow(10.0, random.uniform(-2.0, 0.0)); };
  ContourNode start;
  ContourNode end;
  const std::uint64_t kind = random.below(8);
  start.tangent = direction(random);
  start.radius = size();
  end.radius = size();
  double tilt = random.uniform(0.0, 1.0);
  double length = 2.0 * size();
  switch (kind) {
    case 0:
      pair.kind = "parallel";
      tilt = 0.0;
      break;
    case 1:
      pair.kind = "bent";
      break;
    case 2:
      pair.kind = "sharply bent";
      tilt = random.uniform(1.0, 3.1);
      break;
    case 3:
      pair.kind = "hardly bent";
      tilt = std::pow(10.0, random.uniform(-16.0, -1.0));
      break;
    case 4:
      pair.kind = "no radius";
      start.radius = random.below(2) == 0 ? 0.0 : start.radius;
      end.radius = start.radius == 0.0 && random.below(2) == 0 ? end.radius : 0.0;
      break;
    case 5:
      pair.kind = "no length";
      length = random.below(2) == 0 ? 0.0 : std::pow(10.0, random.uniform(-16.0, -2.0));
      break;
    case 6:
      pair.kind = "needle";
      start.radius *= std::pow(10.0, random.uniform(-8.0, -1.0));
      end.radius *= std::pow(10.0, random.uniform(-8.0, -1.0));
      break;
    default:
      pair.kind = "lattice";
      start.tangent = axis(random);
      start.radius = 0.5 * static_cast<double>(random.below(4));
      end.radius = random.below(2) == 0 ? start.radius : 0.5 * static_cast<double>(random.below(4));
  }
  end.tangent = tilted(random, start.tangent, tilt);
  if (kind == 7) {
    do end.tangent = axis(random);
    while (dot(start.tangent, end.tangent) < -0.5);
  }
  // Along the mean tangent, mostly; sometimes sheared any way.
  const Vec3 along =
      random.below(4) == 0 ? direction(random) : normalized(start.tangent + end.tangent);
  end.position = start.position + length * along;
  if (kind == 7) end.position = lattice_point(random);

  // The triangle: of any size, at about the distance of the sizes, often in contact.
  double spread = random.below(3) == 0 ? size() * size() : 2.0 * size();
  if (random.below(8) == 0) spread = std::pow(10.0, random.uniform(-8.0, 2.0));
  const Vec3 middle = 0.5 * (start.position + end.position);
  const double away =
      random.uniform(0.0, 1.5) * (0.5 * length + start.radius + end.radius + spread);
  const Vec3 place = middle + away * direction(random);
  const auto corner = [&] { return place + spread * random.uniform(0.2, 1.0) * direction(random); };
  Triangle& t = pair.triangle;
  t.a = corner();
  t.b = corner();
  t.c = corner();
  switch (random.below(8)) {
    case 0:
      t.c = t.a;
      pair.kind += ", edge";
      break;
    case 1:
      t.b = t.c = t.a;
      pair.kind += ", point";
      break;
    case 2:
      t.c = t.a + random.uniform() * (t.b - t.a) +
            std::pow(10.0, random.uniform(-14.0, -2.0)) * (t.c - t.a);
      pair.kind += ", sliver";
      break;
    default:
      break;
  }
  if (kind == 7) {
    t.a = lattice_point(random);
    t.b = lattice_point(random);
    t.c = lattice_point(random);
  }

  // Scale everything, and put it somewhere.
  const Vec3 offset = random.below(4) == 0
                          ? scale * std::pow(10.0, random.uniform(0.0, 5.0)) * direction(random)
                          : Vec3{};
  const auto put = [&](const Vec3& p) { return offset + scale * p; };
  start.position = put(start.position);
  end.position = put(end.position);
  start.radius *= scale;
  end.radius *= scale;
  t = {put(t.a), put(t.b), put(t.c)};
  pair.segment = make_segment(start, end).value();
  pair.extent = extent_of(pair.segment, t);
  return pair;
}

std::string describe(const ContourSegment& s, const Triangle& t) {
  std::string text;
  const auto add = [&](const Vec3& p) {
    std::array<char, 120> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "{%.17g, %.17g, %.17g}, ", p.x, p.y, p.z);
    text += buffer.data();
  };
  text += "ContourSegment segment{{";
  for (const Vec3& p : {s.start.center, s.start.u, s.start.v}) add(p);
  text += "}, {";
  for (const Vec3& p : {s.end.center, s.end.u, s.end.v}) add(p);
  text += "}}; Triangle triangle{";
  for (const Vec3& p : {t.a, t.b, t.c}) add(p);
  return text + "};";
}

}  // namespace clearance::test
