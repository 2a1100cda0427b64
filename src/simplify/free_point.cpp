// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/free_point.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace clearance::detail {
namespace {

/// Points are put this much beyond the offset, as a fraction of it, so that they are in D(s) in
/// spite of rounding.
constexpr double kBeyond = 1e-9;
/// Contacts kept in mind; a ball is held by three, and one is new each time.
constexpr std::size_t kContacts = 7;
/// Longest step, as a fraction of the free radius.
constexpr double kTrusted = 0.8;
/// A step nearer by less than this fraction of the way is not worth another.
constexpr double kWorthwhile = 1e-7;

/// All y with dot(normal, y) >= offset; the normal has unit length.
struct HalfSpaceAbove {
  Vec3 normal;
  double offset = 0.0;
  [[nodiscard]] double above(const Vec3& y) const { return dot(normal, y) - offset; }
};

/// The point nearest to c on up to three planes at once, if c would have to be lifted onto each.
bool lifted(const Vec3& c, std::span<const HalfSpaceAbove> planes, Vec3& y) {
  // G lambda = rise: the point is c + sum of lambda_i normal_i with all lambda_i >= 0.
  const std::size_t n = planes.size();
  Mat3 gram;
  Vec3 rise;
  for (std::size_t i = 0; i < n; ++i) {
    rise[i] = -planes[i].above(c);
    for (std::size_t j = 0; j < n; ++j) gram[i][j] = dot(planes[i].normal, planes[j].normal);
  }
  const double det = determinant(gram);
  constexpr double kLeastDeterminant = 1e-10;  // planes as good as parallel
  if (det < kLeastDeterminant) return false;
  y = c;
  for (std::size_t i = 0; i < n; ++i) {
    Mat3 replaced = gram;
    for (std::size_t j = 0; j < 3; ++j) replaced[j][i] = rise[j];
    const double lambda = determinant(replaced) / det;
    if (lambda < 0.0) return false;
    y += lambda * planes[i].normal;
  }
  return true;
}

/// The point nearest to c above all planes, by trying which one, two or three hold it.
bool nearest_above(const Vec3& c, std::span<const HalfSpaceAbove> planes, double slack, Vec3& y) {
  const auto fits = [&](const Vec3& p) {
    return std::all_of(planes.begin(), planes.end(),
                       [&](const HalfSpaceAbove& plane) { return plane.above(p) >= -slack; });
  };
  if (fits(c)) {
    y = c;
    return true;
  }
  const std::size_t n = planes.size();
  std::array<HalfSpaceAbove, 3> held;
  for (std::size_t i = 0; i < n; ++i) {
    held[0] = planes[i];
    if (lifted(c, std::span(held).first(1), y) && fits(y)) return true;
    for (std::size_t j = i + 1; j < n; ++j) {
      held[1] = planes[j];
      if (lifted(c, std::span(held).first(2), y) && fits(y)) return true;
      for (std::size_t k = j + 1; k < n; ++k) {
        held[2] = planes[k];
        if (lifted(c, held, y) && fits(y)) return true;
      }
    }
  }
  return false;
}

}  // namespace

FreePoint push_out(const BodyProbe& body, double s, int steps, const Vec3& start,
                   bool start_is_outside) {
  FreePoint result;
  result.point = start;
  for (int step = 0; step < steps; ++step) {
    const double slack = body.slack(result.point);
    result.surface = body.surface(result.point);
    const double d = result.surface.distance;
    if (d - slack >= s) {
      result.radius = d - slack;
      // A way of less than the free radius crosses no surface.
      const bool same_side =
          start_is_outside && distance(start, result.point) + slack < result.radius;
      result.found = same_side || body.side(result.point) == Side::Outside;
      return result;
    }
    if (d <= slack) return result;
    // Between two walls each step falls short for the other: go a little farther.
    const double target = s * (1.0 + kBeyond) + 8.0 * slack;
    const double over = step == 0 ? 0.0 : 0.5 * (target - d);
    result.point =
        result.surface.nearest + ((target + over) / d) * (result.point - result.surface.nearest);
  }
  return result;
}

FreePoint draw_near(const BodyProbe& body, double s, int steps, const FreePoint& start,
                    const Vec3& c, double enough) {
  FreePoint best = start;
  std::vector<Vec3> contacts{start.surface.nearest};
  Vec3 seen_from = start.point;
  std::vector<HalfSpaceAbove> planes;
  for (int step = 0; step < steps && distance(best.point, c) > enough; ++step) {
    // Outside of the balls of radius s about the contacts, as half-spaces at the present place.
    const double slack = body.slack(seen_from);
    const double target = s * (1.0 + kBeyond) + 8.0 * slack;
    planes.clear();
    for (const Vec3& q : contacts) {
      const Vec3 normal = normalized(seen_from - q);
      planes.push_back({normal, dot(normal, q) + target});
    }
    FreePoint next;
    if (!nearest_above(c, planes, 0.5 * kBeyond * s, next.point)) return best;
    // Within the free ball of the last point: that far is outside of the body for certain.
    const double way = distance(next.point, best.point);
    const double most = kTrusted * best.radius;
    if (way > most) next.point = best.point + (most / way) * (next.point - best.point);
    next.surface = body.surface(next.point);
    next.radius = next.surface.distance - body.slack(next.point);
    seen_from = next.point;
    if (next.radius >= s) {
      // May be farther at first: the half-spaces were those of a place with less room.
      const double gain = distance(best.point, c) - distance(next.point, c);
      if (gain > 0.0) {
        next.found = true;
        best = next;
      }
      if (std::abs(gain) < kWorthwhile * distance(best.point, c)) return best;
      continue;
    }
    if (contacts.size() == kContacts) {
      // The one that is farthest from holding the ball.
      std::size_t idle = 0;
      for (std::size_t i = 1; i < contacts.size(); ++i) {
        if (planes[i].above(next.point) > planes[idle].above(next.point)) idle = i;
      }
      contacts.erase(contacts.begin() + static_cast<std::ptrdiff_t>(idle));
    }
    contacts.push_back(next.surface.nearest);
  }
  return best;
}

}  // namespace clearance::detail
