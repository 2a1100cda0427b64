// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where grasps are tried: the grid of places along the lines of a wire-frame and of two turns, in
// the order line, place, theta, phi.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

#include "grasp/wire_lines.h"

namespace clearance::detail {

/// More samples than this are a mistake in the step: an hour's work, and a gigabyte.
inline constexpr double kMostSamples = 1e8;

/// On the grid.
struct GraspSample {
  std::uint32_t place = 0;  ///< number among those of all lines
  std::uint32_t theta = 0;
  std::uint32_t phi = 0;
};

class GraspGrid {
 public:
  /// Steps [m] along the lines and as arcs at a radius [m]. Without places where there would be
  /// more than kMostSamples samples.
  GraspGrid(std::span<const Segment> segments, double step, double radius);

  /// Samples in all. A row is all phi of one theta.
  [[nodiscard]] double expected() const { return expected_; }  ///< without overflow
  [[nodiscard]] std::size_t count() const { return rows() * phi_count_; }
  [[nodiscard]] std::size_t rows() const { return places_.size() * theta_count_; }
  [[nodiscard]] std::uint32_t phi_count() const { return phi_count_; }
  [[nodiscard]] double theta_step() const { return theta_step_; }
  [[nodiscard]] double phi_step() const { return phi_step_; }

  [[nodiscard]] GraspSample at(std::size_t row, std::uint32_t phi) const {
    return {static_cast<std::uint32_t>(row / theta_count_),
            static_cast<std::uint32_t>(row % theta_count_), phi};
  }
  /// The segment that a place is on, and its number on its line.
  [[nodiscard]] std::uint32_t segment_of(std::uint32_t place) const {
    return places_[place].segment;
  }
  [[nodiscard]] std::uint32_t along_of(std::uint32_t place) const {
    return place - line_at_[places_[place].segment].first;
  }
  /// The place that these two are of.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t segment, std::uint32_t along) const {
    return line_at_[segment].first + along;
  }
  [[nodiscard]] Pose part_from_gripper(const GraspSample& sample) const;
  /// Numbers of the 27 samples around one, itself among them; nothing where one is not on the grid.
  /// Theta and closed lines go round, the others end.
  [[nodiscard]] bool neighbours(const GraspSample& sample, std::span<std::size_t, 27> out) const;

 private:
  struct PlacesOfLine {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    bool is_ring = false;
  };
  std::vector<WirePlace> places_;
  std::vector<PlacesOfLine> line_at_;  // of each segment
  std::uint32_t theta_count_ = 1;
  std::uint32_t phi_count_ = 1;
  double theta_step_ = 0.0;
  double phi_step_ = 0.0;
  double expected_ = 0.0;
};

}  // namespace clearance::detail
