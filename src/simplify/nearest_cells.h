// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nearest of many points, asked for again and again in one region: an octree of the region
// whose cells list the points that are nearest to some place in them. A cell is made when it is
// first asked for, from the list of the cell around it; then a query is a way down and a short
// list. In single precision: for estimates.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

class NearestCells {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  /// `finest`: cells below this size are not divided [m].
  NearestCells(std::span<const Vec3> points, const Box& region, double finest);

  [[nodiscard]] bool contains(const Vec3& c) const;
  /// The number of the point nearest to c, which the region contains; of equals the first. Any
  /// number of threads may ask.
  [[nodiscard]] std::uint32_t nearest(const Vec3& c) const;

 private:
  struct Cell {
    ~Cell();
    float half = 0.0F;  // of a side
    float center[3]{};
    std::size_t padded = 0;  // entries: a multiple of kWidth, filled up with far ones
    std::vector<float> at;   // x of all, y of all, z of all
    std::vector<std::uint32_t> point;
    mutable std::array<std::atomic<Cell*>, 8> parts{};  // made when asked for
  };
  static constexpr std::size_t kWidth = 8;  // points looked at together
  [[nodiscard]] const Cell& part_of(const Cell& cell, std::size_t octant) const;
  /// Leaves out the entries of a cell that are farther from all of a part of it than the entry
  /// nearest to `at`, a place in that part.
  static void drop_beyond(const Cell& cell, const Cell& part, const float* at,
                          std::vector<std::uint32_t>& kept);

  Vec3 origin_;
  float finest_ = 0.0F;
  std::unique_ptr<Cell> root_;
  mutable std::atomic<std::size_t> entries_{0};
};

}  // namespace clearance::detail
