// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/grasp_samples.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace clearance::detail {
namespace {

/// A segment that is this much of a step too short still has its last position: lengths come from
/// decimals.
constexpr double kStepRounding = 1e-9;

/// A unit vector at right angles to a direction, from the coordinate axis that is farthest from it:
/// the mirror image of a segment has the mirror image of it, up to the sign.
Vec3 first_pinch(const Vec3& along) {
  const Vec3 size = abs(along);
  Vec3 axis{0.0, 0.0, 1.0};
  if (size.x <= size.y && size.x <= size.z) {
    axis = {1.0, 0.0, 0.0};
  } else if (size.y <= size.z) {
    axis = {0.0, 1.0, 0.0};
  }
  return normalized(axis - dot(axis, along) * along);
}

}  // namespace

GraspGrid::GraspGrid(std::span<const Segment> segments, double step, double radius)
    : segments_(segments.begin(), segments.end()), step_(step) {
  // An even number of thetas, so that half a turn is on the grid; phi has both ends of its half
  // turn. Three of each at least, for neighbours to be others.
  constexpr double kMost = 1e6;
  const double half_turn = std::clamp(std::round(std::numbers::pi * radius / step), 2.0, kMost);
  theta_count_ = 2 * static_cast<std::uint32_t>(half_turn);
  phi_count_ = static_cast<std::uint32_t>(half_turn) + 1;
  theta_step_ = 2.0 * std::numbers::pi / theta_count_;
  phi_step_ = std::numbers::pi / (phi_count_ - 1);
  first_row_.push_back(0);
  for (const Segment& s : segments_) {
    const double steps = std::floor(norm(s.b - s.a) / step + kStepRounding);
    expected_ += (steps + 1.0) * theta_count_ * phi_count_;
    const auto positions = static_cast<std::uint32_t>(std::min(steps, 4e9) + 1.0);
    along_count_.push_back(positions);
    first_row_.push_back(first_row_.back() + std::size_t{positions} * theta_count_);
  }
}

GraspSample GraspGrid::at(std::size_t row, std::uint32_t phi) const {
  const auto segment = static_cast<std::size_t>(
      std::upper_bound(first_row_.begin(), first_row_.end(), row) - first_row_.begin() - 1);
  const std::size_t in_segment = row - first_row_[segment];
  return {static_cast<std::uint32_t>(segment),
          static_cast<std::uint32_t>(in_segment / theta_count_),
          static_cast<std::uint32_t>(in_segment % theta_count_), phi};
}

Pose GraspGrid::part_from_gripper(const GraspSample& sample) const {
  const Segment& s = segments_[sample.segment];
  const Vec3 along = normalized(s.b - s.a);
  // A segment without length is a point: any direction will do.
  const Vec3 axis = norm(along) > 0.0 ? along : Vec3{0.0, 0.0, 1.0};
  const Vec3 u = first_pinch(axis);
  const Vec3 v = cross(axis, u);
  const double theta = theta_step_ * sample.theta;
  const Vec3 x = normalized(std::cos(theta) * u + std::sin(theta) * v);
  const double phi = phi_step_ * sample.phi;
  const Vec3 z = normalized(std::cos(phi) * axis + std::sin(phi) * cross(x, axis));
  return {Mat3::from_columns(x, cross(z, x), z), s.a + step_ * sample.along * axis};
}

bool GraspGrid::neighbours(const GraspSample& sample, std::span<std::size_t, 27> out) const {
  if (sample.phi == 0 || sample.phi + 1 >= phi_count_ || sample.along == 0 ||
      sample.along + 1 >= along_count_[sample.segment])
    return false;
  std::size_t n = 0;
  for (std::uint32_t along = sample.along - 1; along <= sample.along + 1; ++along) {
    for (const std::uint32_t turn : {theta_count_ - 1, 0U, 1U}) {
      const std::size_t row = first_row_[sample.segment] + std::size_t{along} * theta_count_ +
                              (sample.theta + turn) % theta_count_;
      for (std::uint32_t phi = sample.phi - 1; phi <= sample.phi + 1; ++phi)
        out[n++] = row * phi_count_ + phi;
    }
  }
  return true;
}

}  // namespace clearance::detail
