// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/contour_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace clearance::test {
namespace {

using Long = long double;

template <class Real>
struct Vec {
  Real x = 0, y = 0, z = 0;
  friend Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(Real s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
};
template <class Real>
Real dot(const Vec<Real>& a, const Vec<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
Vec<Real> cross(const Vec<Real>& a, const Vec<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
Real length(const Vec<Real>& a) {
  return std::sqrt(dot(a, a));
}
template <class Real>
Vec<Real> unit(const Vec<Real>& a) {
  const Real l = length(a);
  return l > 0 ? (1 / l) * a : Vec<Real>{};
}
/// b - a, rounded once.
template <class Real>
Vec<Real> difference(const Vec3& a, const Vec3& b) {
  return {static_cast<Real>(Long(b.x) - a.x), static_cast<Real>(Long(b.y) - a.y),
          static_cast<Real>(Long(b.z) - a.z)};
}

/// The point q of the unit disc with the least |g0 + q.x gu + q.y gv|.
template <class Real>
std::array<Real, 2> least_in_disc(const Vec<Real>& g0, const Vec<Real>& gu, const Vec<Real>& gv) {
  // Principal axes of the quadratic form, one Jacobi rotation: cosine and sine of half the angle
  // whose tangent is 2b / (a - c).
  const Real a = dot(gu, gu);
  const Real b = dot(gu, gv);
  const Real c = dot(gv, gv);
  const Real size = std::sqrt((a - c) * (a - c) + 4 * b * b);
  Real co = 1;
  Real si = 0;
  if (size > 0) {
    const Real larger = std::sqrt((1 + std::abs(a - c) / size) / 2);
    const Real smaller = b / (size * larger);
    co = a >= c ? larger : std::abs(smaller);
    si = a >= c ? smaller : std::copysign(larger, b);
  }
  const Vec<Real> g1 = co * gu + si * gv;
  const Vec<Real> g2 = co * gv - si * gu;
  const std::array<Real, 2> lambda{dot(g1, g1), dot(g2, g2)};
  const std::array<Real, 2> k{dot(g1, g0), dot(g2, g0)};
  const auto q_of = [&](Real mu) {
    std::array<Real, 2> q{};
    for (std::size_t i = 0; i < 2; ++i)
      if (lambda[i] + mu > 0) q[i] = -k[i] / (lambda[i] + mu);
    return q;
  };
  const auto size_of = [](const std::array<Real, 2>& q) {
    return std::sqrt(q[0] * q[0] + q[1] * q[1]);
  };
  std::array<Real, 2> q = q_of(0);
  if (size_of(q) > 1) {
    // The multiplier mu with |q| = 1: Newton on 1/|q|, from below, where it never overshoots.
    Real mu = std::max({Real(0), std::abs(k[0]) - lambda[0], std::abs(k[1]) - lambda[1]});
    constexpr int kSteps = 40;
    for (int i = 0; i < kSteps; ++i) {
      q = q_of(mu);
      const Real s = size_of(q);
      Real slope = 0;
      for (std::size_t j = 0; j < 2; ++j)
        if (q[j] != 0) slope += q[j] * q[j] / (lambda[j] + mu);
      if (!(s > 1) || !(slope > 0)) break;
      const Real next = mu + (s - 1) * s * s / slope;
      if (!(next > mu)) break;
      mu = next;
    }
    const Real s = size_of(q);
    if (s > 0) q = {q[0] / s, q[1] / s};
  }
  return {co * q[0] - si * q[1], si * q[0] + co * q[1]};
}

/// A triangle against one disc of a segment after the other.
template <class Real>
class Discs {
 public:
  Discs(const ContourSegment& segment, const Triangle& triangle) {
    const Vec3& origin = triangle.a;
    const std::array<Vec<Real>, 3> corner{Vec<Real>{}, difference<Real>(origin, triangle.b),
                                          difference<Real>(origin, triangle.c)};
    for (std::size_t i = 0; i < 3; ++i) {
      edge_[i].from = corner[i];
      edge_[i].along = difference<Real>(corner_of(triangle, i), corner_of(triangle, (i + 1) % 3));
      edge_[i].length_sq = dot(edge_[i].along, edge_[i].along);
      edge_[i].direction = unit(edge_[i].along);
    }
    normal_ = cross(corner[1], corner[2]);
    normal_sq_ = dot(normal_, normal_);
    unit_normal_ = unit(normal_);
    const auto lifted = [&](const ContourCircle& c) {
      return Disc{difference<Real>(origin, c.center), difference<Real>({}, c.u),
                  difference<Real>({}, c.v)};
    };
    start_ = lifted(segment.start);
    end_ = lifted(segment.end);
    slope_ =
        length(end_.center - start_.center) + length(end_.u - start_.u) + length(end_.v - start_.v);
    scale_ = length(start_.center) + length(end_.center) + length(start_.u) + length(end_.u) +
             length(corner[1]) + length(corner[2]);
  }

  /// The distance of the triangle from the disc at eta. The nearest point of the triangle is in one
  /// of its seven features, and nearest in all of the corner, line or plane that holds the feature;
  /// each of these gives a point of the disc, and the best of them is it.
  [[nodiscard]] Real at(Real eta) const {
    const Real rest = 1 - eta;
    const Disc disc{rest * start_.center + eta * end_.center, rest * start_.u + eta * end_.u,
                    rest * start_.v + eta * end_.v};
    Real best_sq = std::numeric_limits<Real>::infinity();
    const auto attempt = [&](const Vec<Real>& g0, const Vec<Real>& gu, const Vec<Real>& gv) {
      const auto q = least_in_disc(g0, gu, gv);
      best_sq = std::min(best_sq, squared_from(disc.center + q[0] * disc.u + q[1] * disc.v));
    };
    for (const Edge& edge : edge_) {
      const Vec<Real> g0 = disc.center - edge.from;
      attempt(g0, disc.u, disc.v);
      const auto off_edge = [&](const Vec<Real>& w) {
        return w - dot(w, edge.direction) * edge.direction;
      };
      attempt(off_edge(g0), off_edge(disc.u), off_edge(disc.v));
    }
    const auto off_face = [&](const Vec<Real>& w) { return dot(w, unit_normal_) * unit_normal_; };
    attempt(off_face(disc.center), off_face(disc.u), off_face(disc.v));
    return std::sqrt(best_sq);
  }

  /// At least |d distance / d eta|.
  [[nodiscard]] Real slope() const { return slope_; }
  /// About the sizes of both and their distance.
  [[nodiscard]] Real scale() const { return scale_; }

 private:
  struct Disc {
    Vec<Real> center, u, v;
  };
  struct Edge {
    Vec<Real> from, along, direction;
    Real length_sq;
  };
  static const Vec3& corner_of(const Triangle& t, std::size_t i) {
    return i == 0 ? t.a : i == 1 ? t.b : t.c;
  }

  /// Of a point from the triangle.
  [[nodiscard]] Real squared_from(const Vec<Real>& p) const {
    Real best = std::numeric_limits<Real>::infinity();
    for (const Edge& edge : edge_) {
      const Vec<Real> r = p - edge.from;
      const Real t = edge.length_sq > 0
                         ? std::clamp(dot(r, edge.along) / edge.length_sq, Real(0), Real(1))
                         : 0;
      const Vec<Real> off = r - t * edge.along;
      best = std::min(best, dot(off, off));
    }
    if (normal_sq_ > 0) {
      const Real a = -dot(cross(p, edge_[2].along), normal_);
      const Real b = dot(cross(edge_[0].along, p), normal_);
      const Real above = dot(p, unit_normal_);
      if (a >= 0 && b >= 0 && a + b <= normal_sq_) best = std::min(best, above * above);
    }
    return best;
  }

  std::array<Edge, 3> edge_;
  Vec<Real> normal_, unit_normal_;
  Real normal_sq_ = 0;
  Disc start_, end_;
  Real slope_ = 0;
  Real scale_ = 0;
};

/// The least distance of all discs: places are looked for in double precision, on a grid that is
/// refined, and each that could be the least is settled in extended precision.
class Reference {
 public:
  Reference(const ContourSegment& segment, const Triangle& triangle)
      : coarse_(segment, triangle), fine_(segment, triangle) {}

  [[nodiscard]] Long distance() const {
    const Long touching = kTouching * fine_.scale();
    // Around each lowest point of the grid.
    Long result = fine_.at(refined_grid());
    for (std::size_t i = 0; i < grid_.size() && result > touching; ++i) {
      const Sample& middle = grid_[i];
      const Sample& left = grid_[i == 0 ? 0 : i - 1];
      const Sample& right = grid_[std::min(i + 1, grid_.size() - 1)];
      if (left.value < middle.value || right.value < middle.value) continue;
      const double room = coarse_.slope() * (right.eta - left.eta) + noise();
      if (static_cast<Long>(middle.value - room) > result) continue;
      result = std::min(result, settled(left.eta, right.eta));
    }
    return result;
  }

 private:
  /// Of the scale: as near as this is contact, and there is no need to look for what is nearer.
  static constexpr Long kTouching = 1e-17L;
  struct Sample {
    double eta;
    double value;
  };
  /// Differences below are rounding of double precision.
  [[nodiscard]] double noise() const { return 4e-15 * coarse_.scale(); }

  /// Finer where the slope leaves room below the best value so far. Returns where that is.
  [[nodiscard]] double refined_grid() const {
    constexpr int kCoarse = 16;
    constexpr int kFinest = 11;  // halvings of the whole
    Sample best{0.0, std::numeric_limits<double>::infinity()};
    grid_.clear();
    const auto sampled = [&](double eta) {
      const Sample sample{eta, coarse_.at(eta)};
      if (sample.value < best.value) best = sample;
      return sample;
    };
    const auto touches = [&] {
      return best.value <= noise() && fine_.at(best.eta) <= kTouching * fine_.scale();
    };
    for (int i = 0; i <= kCoarse; ++i) grid_.push_back(sampled(static_cast<double>(i) / kCoarse));
    for (int level = 4; level < kFinest && !touches(); ++level) {
      next_.clear();
      for (std::size_t i = 0; i + 1 < grid_.size(); ++i) {
        const Sample a = grid_[i];
        const Sample b = grid_[i + 1];
        next_.push_back(a);
        const double lowest = (a.value + b.value - coarse_.slope() * (b.eta - a.eta)) / 2;
        if (lowest - noise() < best.value) next_.push_back(sampled((a.eta + b.eta) / 2));
      }
      next_.push_back(grid_.back());
      std::swap(grid_, next_);
    }
    return best.eta;
  }

  /// The least between two places: by golden section in double precision down to what that can
  /// tell, then around it in extended precision.
  [[nodiscard]] Long settled(double left, double right) const {
    constexpr double kRough = 1e-7;
    constexpr Long kNarrow = 1e-13L;  // a slope that does not vanish at the least point needs it
    const Golden<double> rough = golden_section(coarse_, left, right, kRough, noise());
    if (rough.level) return fine_.at(rough.eta);
    const Long from = std::max<Long>(left, Long(rough.eta) - 4 * kRough);
    const Long to = std::min<Long>(right, Long(rough.eta) + 4 * kRough);
    return std::min(golden_section(fine_, from, to, kNarrow, Long(0)).value,
                    std::min(fine_.at(from), fine_.at(to)));
  }

  template <class Real>
  struct Golden {
    Real eta;
    Real value;
    bool level;  // no difference was above the noise
  };
  template <class Real>
  static Golden<Real> golden_section(const Discs<Real>& discs, Real left, Real right, Real width,
                                     Real noise) {
    const Real ratio = (std::sqrt(Real(5)) - 1) / 2;
    Real a = right - ratio * (right - left);
    Real b = left + ratio * (right - left);
    Real fa = discs.at(a);
    Real fb = discs.at(b);
    if (noise > 0) {
      const Real fl = discs.at(left);
      const Real fr = discs.at(right);
      const Real low = std::min({fa, fb, fl, fr});
      const Real high = std::max({fa, fb, fl, fr});
      if (high - low <= noise) return {a, fa, true};
    }
    const Real touching = static_cast<Real>(kTouching) * discs.scale();
    while (right - left > width && std::min(fa, fb) > touching) {
      if (fa < fb) {
        right = b, b = a, fb = fa;
        a = right - ratio * (right - left);
        fa = discs.at(a);
      } else {
        left = a, a = b, fa = fb;
        b = left + ratio * (right - left);
        fb = discs.at(b);
      }
    }
    return fa < fb ? Golden<Real>{a, fa, false} : Golden<Real>{b, fb, false};
  }

  Discs<double> coarse_;
  Discs<Long> fine_;
  mutable std::vector<Sample> grid_, next_;
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
  return static_cast<double>(Discs<Long>(segment, triangle).at(eta));
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
