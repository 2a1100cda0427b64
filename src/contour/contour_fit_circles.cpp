// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/contour_fit_circles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <clearance/base/assert.h>

namespace clearance::detail {
namespace {

/// All radii are this much larger than they need to be [units]: above what rounding does when the
/// circles are moved to the frame of the mesh and that of the world.
constexpr double kRadiusGap = 1e-9;
/// Keeps the centre line straight where no point holds it: weight of the squared distance of
/// neighbouring centres, beside volumes of about 1.
constexpr double kStraightness = 1e-6;
/// Rounds of adding points found outside. Three or four are usual; what is left is held by larger
/// radii.
constexpr int kMostRounds = 12;
/// The barrier counts for this much less in each stage.
constexpr double kStage = 12.0;
/// Newton's method stops when the step would gain less than this (the barrier counts 1 per e-fold).
constexpr double kLeastDecrease = 1e-2;
constexpr int kMostNewtonSteps = 40;
/// Volumes below this are taken for it where a fraction of the volume is meant: a needle has none.
constexpr double kThin = 1e-7;

/// A symmetric matrix and right side, solved in place by Cholesky's method. Dense: three numbers
/// for each of a few circles.
class Equations {
 public:
  explicit Equations(std::size_t size) : size_(size), matrix_(size * size), right_(size) {}
  void clear() {
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    std::fill(right_.begin(), right_.end(), 0.0);
  }
  /// Entry with row >= column: the lower half is all that is read.
  double& at(std::size_t row, std::size_t column) { return matrix_[row * size_ + column]; }
  double& right(std::size_t row) { return right_[row]; }

  /// The solution replaces the right side. False when the matrix is not positive definite.
  bool solve() {
    for (std::size_t j = 0; j < size_; ++j) {
      double* const row_j = &matrix_[j * size_];
      for (std::size_t i = j; i < size_; ++i) {
        double* const row_i = &matrix_[i * size_];
        double sum = row_i[j];
        for (std::size_t k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
        if (i == j && !(sum > 0.0)) return false;
        row_i[j] = i == j ? std::sqrt(sum) : sum / row_j[j];
      }
    }
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) right_[i] -= at(i, k) * right_[k];
      right_[i] /= at(i, i);
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) right_[i] -= at(k, i) * right_[k];
      right_[i] /= at(i, i);
    }
    return true;
  }

 private:
  std::size_t size_;
  std::vector<double> matrix_;
  std::vector<double> right_;
};

FitCircle between(const FitCircle& a, const FitCircle& b, double t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.radius + t * (b.radius - a.radius)};
}

double square(double x) { return x * x; }

}  // namespace

double volume_of(const FitSlabs& slabs, std::span<const std::size_t> nodes,
                 std::span<const FitCircle> circles) {
  double volume = 0.0;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const double height = slabs.stations[nodes[i + 1]] - slabs.stations[nodes[i]];
    const double a = circles[i].radius;
    const double b = circles[i + 1].radius;
    volume += std::numbers::pi / 3.0 * height * (a * a + a * b + b * b);
  }
  return volume;
}

CircleFitter::CircleFitter(const FitSlabs& slabs) : slabs_(slabs) {
  for (const std::vector<Vec3>& points : slabs.points) is_limit_.emplace_back(points.size(), false);
  node_of_slab_.resize(slabs.points.size());
}

void CircleFitter::locate(const std::vector<std::size_t>& nodes) {
  CLEARANCE_ASSERT(nodes.size() >= 2 && nodes.front() == 0 && nodes.back() == node_of_slab_.size());
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    for (std::size_t slab = nodes[i]; slab < nodes[i + 1]; ++slab) node_of_slab_[slab] = i;
}

CircleFitter::Row CircleFitter::row_of(const Limit& limit,
                                       std::span<const std::size_t> nodes) const {
  const Vec3& p = slabs_.points[limit.slab][limit.point];
  const std::size_t node = node_of_slab_[limit.slab];
  const double low = slabs_.stations[nodes[node]];
  const double high = slabs_.stations[nodes[node + 1]];
  return {.x = p.x, .y = p.y, .t = (p.z - low) / (high - low), .node = node};
}

/// Takes in the point that is farthest outside in each slab; returns how far the farthest of all
/// is, less than 0 when none is.
double CircleFitter::add_outside(std::span<const std::size_t> nodes,
                                 std::span<const FitCircle> circles,
                                 const CirclesPrecision& precision) {
  double farthest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t slab = 0; slab < slabs_.points.size(); ++slab) {
    double worst = -std::numeric_limits<double>::infinity();
    std::uint32_t which = 0;
    const std::size_t count =
        precision.outer_only ? slabs_.outer[slab] : slabs_.points[slab].size();
    for (std::uint32_t k = 0; k < count; ++k) {
      const Row row = row_of({slab, k}, nodes);
      const FitCircle c = between(circles[row.node], circles[row.node + 1], row.t);
      const double outside = std::sqrt(square(row.x - c.x) + square(row.y - c.y)) - c.radius;
      if (outside > worst) worst = outside, which = k;
    }
    farthest = std::max(farthest, worst);
    if (worst <= precision.outside || is_limit_[slab][which]) continue;
    is_limit_[slab][which] = true;
    limits_.push_back({slab, which});
  }
  return farthest;
}

/// From circles that hold all limits with room to spare to those that enclose about the least.
void CircleFitter::minimise(std::span<const std::size_t> nodes, double precision,
                            std::vector<FitCircle>& circles) const {
  std::vector<Row> rows;
  rows.reserve(limits_.size());
  for (const Limit& limit : limits_) rows.push_back(row_of(limit, nodes));
  const std::size_t count = circles.size();
  Equations equations(3 * count);

  // The volume, and what keeps the line straight, times `weight`, plus the barrier.
  double weight = 0.0;
  const auto value = [&](std::span<const FitCircle> at) {
    double sum = volume_of(slabs_, nodes, at);
    for (std::size_t i = 0; i + 1 < count; ++i)
      sum += kStraightness * (square(at[i + 1].x - at[i].x) + square(at[i + 1].y - at[i].y));
    sum *= weight;
    for (const FitCircle& c : at) {
      if (!(c.radius > 0.0)) return std::numeric_limits<double>::infinity();
      sum -= std::log(c.radius);
    }
    for (const Row& row : rows) {
      const FitCircle c = between(at[row.node], at[row.node + 1], row.t);
      const double room = square(c.radius) - square(c.x - row.x) - square(c.y - row.y);
      if (!(room > 0.0 && c.radius > 0.0)) return std::numeric_limits<double>::infinity();
      sum -= std::log(room);
    }
    return sum;
  };
  const auto assemble = [&] {
    equations.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const double r = circles[i].radius;
      equations.right(3 * i + 2) += 1.0 / r;
      equations.at(3 * i + 2, 3 * i + 2) += 1.0 / (r * r);
    }
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const double height = slabs_.stations[nodes[i + 1]] - slabs_.stations[nodes[i]];
      const double w = weight * std::numbers::pi / 3.0 * height;
      const double a = circles[i].radius;
      const double b = circles[i + 1].radius;
      equations.right(3 * i + 2) -= w * (2.0 * a + b);
      equations.right(3 * i + 5) -= w * (a + 2.0 * b);
      equations.at(3 * i + 2, 3 * i + 2) += 2.0 * w;
      equations.at(3 * i + 5, 3 * i + 5) += 2.0 * w;
      equations.at(3 * i + 5, 3 * i + 2) += w;
      const double s = 2.0 * weight * kStraightness;
      const std::array<double, 2> apart{circles[i + 1].x - circles[i].x,
                                        circles[i + 1].y - circles[i].y};
      for (std::size_t k = 0; k < 2; ++k) {
        equations.right(3 * i + k) += s * apart[k];
        equations.right(3 * i + 3 + k) -= s * apart[k];
        equations.at(3 * i + k, 3 * i + k) += s;
        equations.at(3 * i + 3 + k, 3 * i + 3 + k) += s;
        equations.at(3 * i + 3 + k, 3 * i + k) -= s;
      }
    }
    for (const Row& row : rows) {
      const FitCircle c = between(circles[row.node], circles[row.node + 1], row.t);
      // Of room(x, y, r): its slope, and its second derivatives, which are diagonal.
      const std::array<double, 3> slope{-2.0 * (c.x - row.x), -2.0 * (c.y - row.y), 2.0 * c.radius};
      constexpr std::array<double, 3> kSecond{-2.0, -2.0, 2.0};
      const double room = square(c.radius) - square(c.x - row.x) - square(c.y - row.y);
      const std::array<double, 2> share{1.0 - row.t, row.t};
      const std::size_t base = 3 * row.node;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t m = 0; m < 2; ++m)
          equations.right(base + 3 * m + i) += share[m] * slope[i] / room;
        for (std::size_t j = 0; j < 3; ++j) {
          const double second = (slope[i] * slope[j] / room - (i == j ? kSecond[i] : 0.0)) / room;
          equations.at(base + 3 + i, base + j) += share[0] * share[1] * second;
          if (j > i) continue;
          equations.at(base + i, base + j) += share[0] * share[0] * second;
          equations.at(base + 3 + i, base + 3 + j) += share[1] * share[1] * second;
        }
      }
    }
  };
  const auto newton_step = [&] {
    assemble();
    std::vector<double> slope(3 * count);
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = equations.right(i);
    if (!equations.solve()) return false;
    double decrease = 0.0;
    for (std::size_t i = 0; i < slope.size(); ++i) decrease += slope[i] * equations.right(i);
    if (!(decrease > kLeastDecrease)) return false;
    const double before = value(circles);
    std::vector<FitCircle> next(count);
    // Sixty halvings are a step of rounding.
    double step = 1.0;
    for (int halving = 0; halving < 60; ++halving, step *= 0.5) {
      for (std::size_t i = 0; i < count; ++i)
        next[i] = {circles[i].x + step * equations.right(3 * i),
                   circles[i].y + step * equations.right(3 * i + 1),
                   circles[i].radius + step * equations.right(3 * i + 2)};
      if (value(next) < before - 0.1 * step * decrease) {
        circles = std::move(next);
        return true;
      }
    }
    return false;
  };

  // What the barrier costs is at most its degree (2 for a cone) over the weight.
  const double degree = 2.0 * static_cast<double>(rows.size()) + static_cast<double>(count);
  const auto least_volume = [&] { return std::max(volume_of(slabs_, nodes, circles), kThin); };
  weight = degree / least_volume();
  for (;;) {
    for (int i = 0; i < kMostNewtonSteps && newton_step(); ++i) {
    }
    if (degree <= precision * weight * least_volume()) return;
    weight *= kStage;
  }
}

CirclesFit CircleFitter::fit(std::vector<std::size_t> nodes, const CirclesPrecision& precision) {
  locate(nodes);
  // One that holds everything: coordinates are within 1 of the origin, plus the margin.
  std::vector<FitCircle> circles(nodes.size(), FitCircle{0.0, 0.0, 1e-3});
  double outside = 0.0;
  for (int round = 0; round <= kMostRounds; ++round) {
    outside = add_outside(nodes, circles, precision);
    if (outside <= precision.outside || round == kMostRounds) break;
    // Enough room for the newcomers; the barrier wants some.
    for (FitCircle& circle : circles) circle.radius += 1.05 * outside + 1e-3;
    minimise(nodes, precision.volume, circles);
  }
  for (FitCircle& circle : circles)
    circle.radius = std::max(circle.radius + outside, 0.0) + kRadiusGap;
  const double volume = volume_of(slabs_, nodes, circles);
  return {std::move(nodes), std::move(circles), volume};
}

}  // namespace clearance::detail
