// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/grasp_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace clearance::detail {

GraspGrid::GraspGrid(std::span<const Segment> segments, double step, double radius) {
  // An even number of thetas, so that half a turn is on the grid; phi has both ends of its half
  // turn. Three of each at least, for neighbours to be others.
  constexpr double kMost = 1e6;
  const double half_turn = std::clamp(std::round(std::numbers::pi * radius / step), 2.0, kMost);
  theta_count_ = 2 * static_cast<std::uint32_t>(half_turn);
  phi_count_ = static_cast<std::uint32_t>(half_turn) + 1;
  theta_step_ = 2.0 * std::numbers::pi / theta_count_;
  phi_step_ = std::numbers::pi / (phi_count_ - 1);
  const std::vector<WireLine> lines = lines_of(segments);
  for (const WireLine& line : lines)
    expected_ += place_count(line, step) * theta_count_ * phi_count_;
  line_at_.resize(segments.size());
  if (expected_ > kMostSamples) return;
  for (const WireLine& line : lines) {
    const std::vector<WirePlace> places = places_of(line, segments, step, radius);
    const PlacesOfLine at{static_cast<std::uint32_t>(places_.size()),
                          static_cast<std::uint32_t>(places.size()), is_ring(line, step)};
    for (const WirePiece& piece : line.pieces) line_at_[piece.segment] = at;
    places_.insert(places_.end(), places.begin(), places.end());
  }
}

Pose GraspGrid::part_from_gripper(const GraspSample& sample) const {
  const WirePlace& place = places_[sample.place];
  const Vec3& axis = place.along;
  const Vec3& u = place.across;
  const Vec3 v = cross(axis, u);
  const double theta = theta_step_ * sample.theta;
  const Vec3 x = normalized(std::cos(theta) * u + std::sin(theta) * v);
  const double phi = phi_step_ * sample.phi;
  const Vec3 z = normalized(std::cos(phi) * axis + std::sin(phi) * cross(x, axis));
  return {Mat3::from_columns(x, cross(z, x), z), place.point};
}

bool GraspGrid::neighbours(const GraspSample& sample, std::span<std::size_t, 27> out) const {
  const PlacesOfLine& line = line_at_[segment_of(sample.place)];
  const std::uint32_t along = sample.place - line.first;
  if (sample.phi == 0 || sample.phi + 1 >= phi_count_) return false;
  if (!line.is_ring && (along == 0 || along + 1 >= line.count)) return false;
  const std::array<std::uint32_t, 3> around{(along + line.count - 1) % line.count, along,
                                            (along + 1) % line.count};
  std::size_t n = 0;
  for (const std::uint32_t near : around) {
    for (const std::uint32_t turn : {theta_count_ - 1, 0U, 1U}) {
      const std::size_t row =
          (std::size_t{line.first} + near) * theta_count_ + (sample.theta + turn) % theta_count_;
      for (std::uint32_t phi = sample.phi - 1; phi <= sample.phi + 1; ++phi)
        out[n++] = row * phi_count_ + phi;
    }
  }
  return true;
}

}  // namespace clearance::detail
