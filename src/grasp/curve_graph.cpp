// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/curve_graph.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <clearance/geometry/closest_points.h>

namespace clearance::detail {
namespace {

/// Steps of a voxel's chamfer depth in its side.
constexpr double kDepthUnit = 1.0 / 3.0;
/// Curves of voxels are smoothed so often: each takes the mean of a point and its neighbours.
constexpr int kSmoothings = 4;

constexpr std::uint32_t kNoJunction = 0xffffffffU;

class Tracer {
 public:
  Tracer(const VoxelGrid& grid, const std::vector<std::uint16_t>& depths)
      : grid_(grid), depths_(depths), around_(grid.around()) {
    for (std::size_t i = 0; i < grid.filled.size(); ++i)
      if (grid.filled[i] != 0) voxels_.push_back(i);
    junction_.assign(grid.filled.size(), kNoJunction);
    used_.assign(grid.filled.size(), 0);
  }

  std::vector<CurveBranch> run() {
    find_junctions();
    // From junctions, from loose ends, and around rings.
    for (const std::size_t v : voxels_) {
      if (junction_[v] == kNoJunction) continue;
      for (const std::size_t n : neighbours(v))
        if (junction_[n] == kNoJunction && used_[n] == 0) trace(n, junction_[v]);
    }
    for (const std::size_t v : voxels_)
      if (is_fresh(v) && neighbours(v).size() <= 1) trace(v, kNoJunction);
    for (const std::size_t v : voxels_)
      if (is_fresh(v)) trace(v, kNoJunction);
    join_pairs();
    for (CurveBranch& branch : branches_) {
      branch.has_loose_end = !is_closed(branch) && (branch.junctions[0] == kNoJunction ||
                                                    branch.junctions[1] == kNoJunction);
      for (int i = 0; i < kSmoothings; ++i) smooth(branch.points);
    }
    return std::move(branches_);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t v) const {
    std::vector<std::size_t> result;
    for (const std::ptrdiff_t step : around_) {
      const std::size_t n = v + static_cast<std::size_t>(step);
      if (grid_.filled[n] != 0) result.push_back(n);
    }
    return result;
  }
  [[nodiscard]] bool is_fresh(std::size_t v) const {
    return junction_[v] == kNoJunction && used_[v] == 0;
  }

  /// Voxels of more than two neighbours, joined where they touch.
  void find_junctions() {
    const auto is_junction = [&](std::size_t v) { return neighbours(v).size() > 2; };
    for (const std::size_t seed : voxels_) {
      if (junction_[seed] != kNoJunction || !is_junction(seed)) continue;
      const auto number = static_cast<std::uint32_t>(middles_.size());
      std::vector<std::size_t> cluster{seed};
      junction_[seed] = number;
      Vec3 sum;
      for (std::size_t i = 0; i < cluster.size(); ++i) {
        sum = sum + grid_.middle(cluster[i]);
        for (const std::size_t n : neighbours(cluster[i])) {
          if (junction_[n] != kNoJunction || !is_junction(n)) continue;
          junction_[n] = number;
          cluster.push_back(n);
        }
      }
      middles_.push_back(sum / static_cast<double>(cluster.size()));
    }
  }

  /// Follows fresh voxels from one on, which touches junction `from` or none.
  void trace(std::size_t start, std::uint32_t from) {
    CurveBranch branch;
    if (from != kNoJunction) branch.points.push_back(middles_[from]);
    std::size_t at = start;
    std::uint32_t end = kNoJunction;
    bool closes = false;
    while (true) {
      used_[at] = 1;
      branch.voxels.push_back(at);
      branch.points.push_back(grid_.middle(at));
      branch.radius += kDepthUnit * grid_.side * depths_[at];
      std::optional<std::size_t> next;
      for (const std::size_t n : neighbours(at)) {
        if (is_fresh(n) && !next) next = n;
        // The junction it came from ends it only after some way.
        const bool other = junction_[n] != kNoJunction && (junction_[n] != from || at != start);
        if (other && end == kNoJunction) end = junction_[n];
        closes = closes || (from == kNoJunction && n == start && branch.voxels.size() > 2);
      }
      if (end != kNoJunction || !next) break;
      at = *next;
    }
    branch.radius /= static_cast<double>(branch.voxels.size());
    if (end != kNoJunction) {
      branch.points.push_back(middles_[end]);
    } else if (closes) {
      branch.points.push_back(branch.points.front());
    }
    branch.junctions = {from, end};
    if (branch.points.size() >= 2) branches_.push_back(std::move(branch));
  }

  static bool is_closed(const CurveBranch& branch) {
    return branch.points.front() == branch.points.back();
  }

  /// A junction of two branches is none: they become one.
  void join_pairs() {
    for (std::uint32_t junction = 0; junction < middles_.size(); ++junction) {
      std::vector<std::size_t> meeting;
      for (std::size_t i = 0; i < branches_.size(); ++i)
        for (const std::uint32_t end : branches_[i].junctions)
          if (end == junction) meeting.push_back(i);
      if (meeting.size() != 2 || meeting[0] == meeting[1]) continue;
      CurveBranch& a = branches_[meeting[0]];
      CurveBranch& b = branches_[meeting[1]];
      if (a.junctions[1] != junction) turn_round(a);
      if (b.junctions[0] != junction) turn_round(b);
      const auto count_a = static_cast<double>(a.voxels.size());
      const auto count_b = static_cast<double>(b.voxels.size());
      a.radius = (count_a * a.radius + count_b * b.radius) / (count_a + count_b);
      a.points.insert(a.points.end(), b.points.begin() + 1, b.points.end());
      a.voxels.insert(a.voxels.end(), b.voxels.begin(), b.voxels.end());
      a.junctions[1] = b.junctions[1];
      branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(meeting[1]));
    }
  }
  static void turn_round(CurveBranch& branch) {
    std::reverse(branch.points.begin(), branch.points.end());
    std::reverse(branch.voxels.begin(), branch.voxels.end());
    std::swap(branch.junctions[0], branch.junctions[1]);
  }

  static void smooth(std::vector<Vec3>& points) {
    const std::vector<Vec3> old = points;
    for (std::size_t i = 1; i + 1 < points.size(); ++i)
      points[i] = 0.25 * old[i - 1] + 0.5 * old[i] + 0.25 * old[i + 1];
  }

  const VoxelGrid& grid_;
  const std::vector<std::uint16_t>& depths_;
  std::array<std::ptrdiff_t, 26> around_;
  std::vector<std::size_t> voxels_;
  std::vector<std::uint32_t> junction_;
  std::vector<std::uint8_t> used_;
  std::vector<Vec3> middles_;
  std::vector<CurveBranch> branches_;
};

}  // namespace

double CurveBranch::length() const {
  double sum = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) sum += norm(points[i] - points[i - 1]);
  return sum;
}

std::vector<CurveBranch> branches_of(const VoxelGrid& thin,
                                     const std::vector<std::uint16_t>& depths) {
  return Tracer(thin, depths).run();
}

std::vector<Segment> straightened(std::span<const Vec3> points, double tolerance) {
  // Cut at the point farthest from the straight piece, until none is too far.
  std::vector<Segment> result;
  std::vector<std::pair<std::size_t, std::size_t>> pending{{0, points.size() - 1}};
  while (!pending.empty()) {
    const auto [first, last] = pending.back();
    pending.pop_back();
    const Segment straight{points[first], points[last]};
    double farthest = tolerance;
    std::size_t cut = first;
    for (std::size_t i = first + 1; i < last; ++i) {
      const double distance = closest_points(points[i], straight).distance;
      if (distance <= farthest) continue;
      farthest = distance;
      cut = i;
    }
    if (cut == first) {
      if (straight.a != straight.b) result.push_back(straight);
      continue;
    }
    pending.emplace_back(cut, last);
    pending.emplace_back(first, cut);
  }
  return result;
}

}  // namespace clearance::detail
