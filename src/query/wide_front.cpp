// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/wide_front.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace clearance::detail {
namespace {

/// A step is short enough for a front when it is below this fraction of the smaller part's radius.
constexpr double kLongestStep = 0.1;
/// Of the pairs a front began with, so many may be looked at again before it is not worth
/// keeping...
constexpr double kStale = 0.75;
/// ...and so many pairs may be opened beside those it began with before it is made anew: bounds
/// made together are tighter than what is added one by one.
constexpr std::size_t kMostAdded = 8;
/// Longest rest after fronts that did not pay, in queries.
constexpr int kLongestRest = 64;

/// Matrices that are off from rotations by less are rotations but for rounding, which travel()
/// allows for.
constexpr double kRotationRounding = 1e-12;

double reach(const Box& box) { return norm(max(abs(box.low), abs(box.high))); }

/// Frobenius norm.
double size_of(const Mat3& m) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) sum += dot(m[i], m[i]);
  return std::sqrt(sum);
}

double radius_of(const Bvh& tree) { return 0.5 * tree.bounds().diagonal(); }

float rounded_up(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// The same with the body at rest and the moving one given by its bounds.
double travel(const Box& bounds, const Pose& then, const Pose& now, double not_rigid) {
  const Vec3 center = bounds.center();
  const double radius = 0.5 * bounds.diagonal();
  const Mat3 turn = now.rotation - then.rotation;
  // Two rotations differ by 2 sin(angle/2) in any direction across the axis, and by root two times
  // that in the Frobenius norm. Matrices that are rotations only nearly may differ by more.
  const double lever = size_of(turn) / std::numbers::sqrt2 + 6.0 * not_rigid;
  const double moved = norm(now * center - then * center) + lever * radius;
  // Rounding of the products, in units of the coordinates.
  const double extent = norm(center) + radius + norm(now.translation) + norm(then.translation);
  return moved * (1.0 + 1e-12) + 1e-15 * 8.0 * extent;
}

}  // namespace

double travel_between(const Bvh& a, const Bvh& b, const Pose& a_from_b_then,
                      const Pose& a_from_b_now) {
  const double not_rigid =
      rigidity_error(a_from_b_then.rotation) + rigidity_error(a_from_b_now.rotation);
  // inverse() takes the transpose, which is off by as much as the matrix is not a rotation, and
  // lengths in B's frame are not those in A's.
  double far = norm(a_from_b_then.translation) + norm(a_from_b_now.translation);
  if (not_rigid > kRotationRounding) far += reach(a.bounds()) + reach(b.bounds());
  const double askew = not_rigid * far;
  return std::min(
      travel(b.bounds(), a_from_b_then, a_from_b_now, not_rigid),
      travel(a.bounds(), inverse(a_from_b_then), inverse(a_from_b_now), not_rigid) + 6.0 * askew);
}

bool WideFront::begin(const Bvh& a, const Bvh& b, const Pose& a_from_b) {
  const bool same = a_ && b_ && a_->wide() == a.wide() && b_->wide() == b.wide();
  if (!same) {
    forget();
    a_ = a;
    b_ = b;
    pose_ = a_from_b;
    return false;
  }
  const double step = travel_between(a, b, pose_, a_from_b);
  pose_ = a_from_b;
  if (!(step <= kLongestStep * std::min(radius_of(a), radius_of(b)))) {
    start_over();
    return false;
  }
  travelled_ += step;
  if (rest_ > 0) {
    --rest_;
    return false;
  }
  if (entries.size() > size_when_new_ + kMostAdded) start_over();
  if (entries.empty()) travelled_ = 0.0;
  travelled_up_ = rounded_up(travelled_);
  return true;
}

void WideFront::end(std::size_t looked_at) {
  if (size_when_new_ == 0) {
    size_when_new_ = std::max<std::size_t>(entries.size(), 1);
    looked_at_when_new_ = looked_at;
    fresh_ = true;
    return;
  }
  const bool stale =
      static_cast<double>(looked_at) > kStale * static_cast<double>(looked_at_when_new_);
  if (stale && fresh_) {
    rest_ = next_rest_;
    next_rest_ = std::min(2 * next_rest_, kLongestRest);
  } else {
    next_rest_ = 1;
  }
  fresh_ = false;
  if (stale) start_over();
}

void WideFront::forget() {
  start_over();
  a_.reset();
  b_.reset();
  rest_ = 0;
  next_rest_ = 1;
}

void WideFront::start_over() {
  entries.clear();
  keys.clear();
  travelled_ = 0.0;
  travelled_up_ = 0.0F;
  size_when_new_ = 0;
}

}  // namespace clearance::detail
