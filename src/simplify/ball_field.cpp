// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/ball_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace clearance::detail {

std::size_t BallField::learn(std::span<const Vec3> places, const Symmetry& symmetry,
                             Threads threads) {
  // How far beside a place what limits its ball is looked for, as a part of the error; and less is
  // no news.
  constexpr double kBeside = 0.3;
  constexpr double kNews = 0.0005;
  // Cells of questions, as a part of the error.
  constexpr double kFinest = 0.05;
  std::vector<std::optional<KeptVolume::Limit>> found(places.size());
  parallel_for(threads, places.size(), [&](std::size_t i) {
    const std::optional<KeptVolume::Limit> limit =
        kept_->limit_among(places[i], error_, kBeside * error_);
    if (limit &&
        distance(places[i], limit->center) - limit->less < radius(places[i]) - kNews * error_)
      found[i] = limit;
  });
  std::size_t news = 0;
  for (const std::optional<KeptVolume::Limit>& limit : found) {
    if (!limit) continue;
    less_ = limits_.empty() ? limit->less : std::min(less_, limit->less);
    for (std::size_t i = 0; i < symmetry.order(); ++i)
      limits_.push_back(symmetry.image(limit->center, i));
    ++news;
  }
  if (news == 0) return 0;
  Box region = kept_->bounds();
  const Vec3 more = 0.02 * region.diagonal() * Vec3{1.0, 1.0, 1.0};
  region = {region.low - more, region.high + more};
  learned_ = std::make_shared<const NearestCells>(limits_, region, kFinest * error_);
  return news;
}

void BallField::limit(const Vec3& c, Ball& ball) const {
  if (!learned_->contains(c)) return;
  const Vec3& center = limits_[learned_->nearest(c)];
  const double radius = distance(c, center) - less_;
  if (radius < ball.radius) ball = {radius, center};
}

Vec3 BallField::inward(const Vec3& p, double step) const {
  Vec3 gradient;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec3 offset;
    offset[axis] = step;
    gradient[axis] = radius(p + offset) - radius(p - offset);
  }
  return normalized(gradient);
}

InwardBalls balls_along(const BallField& field, const Vec3& p, const Vec3& inward) {
  // Steps of the search along the line: this factor from one to the next, from a fraction of the
  // error on; then the best interval is looked at more closely.
  constexpr double kFirstStep = 0.3;
  constexpr double kGrowth = 1.5;
  constexpr int kMostSteps = 40;
  constexpr int kCloser = 3;

  std::array<double, kMostSteps + 2> at{};
  std::array<double, kMostSteps + 2> radius{};
  std::size_t count = 1;
  radius[0] = std::max(field.radius(p), 0.0);
  double t = kFirstStep * field.error();
  while (count <= kMostSteps) {
    at[count] = t;
    radius[count] = field.radius(p + t * inward);
    ++count;
    if (radius[count - 1] < t) break;
    t *= kGrowth;
  }
  // The largest value of a function of centre and radius, by golden section around the best step.
  const auto best = [&](const auto& value) {
    constexpr double kGolden = 0.38196601125010515;
    std::size_t top = 0;
    for (std::size_t i = 1; i < count; ++i)
      if (value(at[i], radius[i]) > value(at[top], radius[top])) top = i;
    double low = at[top == 0 ? 0 : top - 1];
    double high = at[std::min(top + 1, count - 1)];
    std::pair<double, double> found{value(at[top], radius[top]), at[top]};
    double middle = low + kGolden * (high - low);
    double other = high - kGolden * (high - low);
    const auto look = [&](double s) {
      const double v = value(s, field.radius(p + s * inward));
      found = std::max(found, {v, s});
      return v;
    };
    double at_middle = look(middle);
    double at_other = look(other);
    for (int i = 0; i < kCloser; ++i) {
      if (at_middle >= at_other) {
        high = other, other = middle, at_other = at_middle;
        middle = low + kGolden * (high - low);
        at_middle = look(middle);
      } else {
        low = middle, middle = other, at_middle = at_other;
        other = high - kGolden * (high - low);
        at_other = look(other);
      }
    }
    return found;
  };
  InwardBalls balls;
  const auto [reach_sq, widest] = best([](double s, double r) { return r * std::abs(r) - s * s; });
  balls.widest = widest;
  balls.reach = std::sqrt(std::max(reach_sq, 0.0));
  // The largest ball that still holds p.
  balls.largest = best([](double s, double r) { return r >= s ? r : r - s; }).second;
  return balls;
}

Vec3 uphill(const BallField& field, Vec3 c) {
  constexpr double kFirstStep = 0.1;  // of the error
  constexpr int kSteps = 24;
  BallField::Ball ball = field.ball(c);
  double step = kFirstStep * field.error();
  for (int i = 0; i < kSteps; ++i) {
    const double far = distance(c, ball.limit);
    if (far == 0.0) break;
    const Vec3 there = c + (step / far) * (c - ball.limit);
    const BallField::Ball larger = field.ball(there);
    if (larger.radius > ball.radius) {
      c = there;
      ball = larger;
    } else {
      step *= 0.6;
    }
  }
  return c;
}

}  // namespace clearance::detail
