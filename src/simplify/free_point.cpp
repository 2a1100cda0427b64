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
/// Contacts kept in mind; a tool is held by three, and one is new each time.
constexpr std::size_t kContacts = 7;
/// Longest step, as a fraction of the least free radius.
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

FreePoint push_out(const ToolProbe& tool, int steps, const Vec3& start, bool start_is_outside) {
  FreePoint result;
  result.point = start;
  for (int step = 0; step < steps; ++step) {
    const double slack = tool.slack(result.point);
    result.contact = tool.contact(result.point);
    const double d = result.contact.distance;
    const double r = result.contact.radius;
    if (d - slack >= r) {
      result.spare = d - slack - r;
      // A way of less than a free radius crosses no surface.
      const bool same_side = start_is_outside && distance(start, result.point) + slack <
                                                     tool.least_radius() + result.spare;
      result.found = same_side || tool.side(result.point) == Side::Outside;
      return result;
    }
    if (d <= slack) return result;
    // Between two walls each step falls short for the other: go a little farther.
    const double target = r * (1.0 + kBeyond) + 8.0 * slack;
    const double over = step == 0 ? 0.0 : 0.5 * (target - d);
    result.point =
        result.contact.nearest + ((target + over) / d) * (result.point - result.contact.nearest);
  }
  return result;
}

FreePoint draw_near(const ToolProbe& tool, int steps, const FreePoint& start, const Vec3& c,
                    double enough) {
  FreePoint best = start;
  // Points that hold the tool off, each by the radius of its sphere.
  struct Held {
    Vec3 point;
    double radius;
  };
  std::vector<Held> contacts{{start.contact.nearest, start.contact.radius}};
  Vec3 seen_from = start.point;
  std::vector<HalfSpaceAbove> planes;
  for (int step = 0; step < steps && distance(best.point, c) > enough; ++step) {
    // Outside of the balls about the contacts, as half-spaces at the present place.
    const double slack = tool.slack(seen_from);
    planes.clear();
    for (const Held& held : contacts) {
      const Vec3 normal = normalized(seen_from - held.point);
      planes.push_back(
          {normal, dot(normal, held.point) + held.radius * (1.0 + kBeyond) + 8.0 * slack});
    }
    FreePoint next;
    if (!nearest_above(c, planes, 0.5 * kBeyond * tool.least_radius(), next.point)) return best;
    // Within the free balls of the last place: that far is outside of the body for certain.
    const double way = distance(next.point, best.point);
    const double most = kTrusted * (tool.least_radius() + best.spare);
    if (way > most) next.point = best.point + (most / way) * (next.point - best.point);
    next.contact = tool.contact(next.point);
    next.spare = next.contact.spare() - tool.slack(next.point);
    seen_from = next.point;
    if (next.spare >= 0.0) {
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
      // The one that is farthest from holding the tool.
      std::size_t idle = 0;
      for (std::size_t i = 1; i < contacts.size(); ++i) {
        if (planes[i].above(next.point) > planes[idle].above(next.point)) idle = i;
      }
      contacts.erase(contacts.begin() + static_cast<std::ptrdiff_t>(idle));
    }
    contacts.push_back({next.contact.nearest, next.contact.radius});
  }
  return best;
}

}  // namespace clearance::detail
