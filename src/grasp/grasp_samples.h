// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where grasps are tried: the grid of positions along the segments and of two turns, in the order
// segment, position, theta, phi.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// A place on the grid.
struct GraspSample {
  std::uint32_t segment = 0;
  std::uint32_t along = 0;
  std::uint32_t theta = 0;
  std::uint32_t phi = 0;
};

class GraspGrid {
 public:
  /// Steps [m] along the segments and as arcs at a radius [m].
  GraspGrid(std::span<const Segment> segments, double step, double radius);

  /// Samples in all. A row is all phi of one theta.
  [[nodiscard]] double expected() const { return expected_; }  ///< without overflow
  [[nodiscard]] std::size_t count() const { return rows() * phi_count_; }
  [[nodiscard]] std::size_t rows() const { return first_row_.back(); }
  [[nodiscard]] std::uint32_t phi_count() const { return phi_count_; }
  [[nodiscard]] double theta_step() const { return theta_step_; }
  [[nodiscard]] double phi_step() const { return phi_step_; }

  [[nodiscard]] GraspSample at(std::size_t row, std::uint32_t phi) const;
  [[nodiscard]] Pose part_from_gripper(const GraspSample& sample) const;
  /// Numbers of the 27 samples around one, itself among them; nothing where one is not on the grid.
  /// Theta goes round, the others end.
  [[nodiscard]] bool neighbours(const GraspSample& sample, std::span<std::size_t, 27> out) const;

 private:
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> along_count_;
  std::vector<std::size_t> first_row_;  // of each segment, and the end
  double step_;
  std::uint32_t theta_count_ = 1;
  std::uint32_t phi_count_ = 1;
  double theta_step_ = 0.0;
  double phi_step_ = 0.0;
  double expected_ = 0.0;
};

}  // namespace clearance::detail
