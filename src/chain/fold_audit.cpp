// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/fold_audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace clearance::detail {
namespace {

Mat3 turn_about(const Vec3& unit_axis, double angle) {
  const Vec3 v = std::sin(0.5 * angle) * unit_axis;
  return rotation_from(Quaternion{v.x, v.y, v.z, std::cos(0.5 * angle)});
}

/// Cells along each side of the grid, at most: three of them fit into a 64-bit key.
constexpr double kMostCells = 1 << 20;

/// Points sorted into cubes, so that close ones are in the same or in neighbouring cubes.
class CellGrid {
 public:
  CellGrid(std::span<const Vec3> points, double limit) {
    for (const Vec3& p : points) bounds_.include(p);
    side_ = std::max(limit, largest_component(bounds_.size()) / kMostCells);
    entries_.reserve(points.size());
    for (std::uint32_t i = 0; i < points.size(); ++i)
      entries_.emplace_back(key(cell_of(points[i])), i);
    std::sort(entries_.begin(), entries_.end());
  }

  using Cell = std::array<std::int64_t, 3>;
  using Entry = std::pair<std::int64_t, std::uint32_t>;
  [[nodiscard]] Cell cell_of(const Vec3& p) const {
    Cell cell{};
    for (std::size_t i = 0; i < 3; ++i)
      cell[i] = side_ > 0.0 ? static_cast<std::int64_t>((p[i] - bounds_.low[i]) / side_) : 0;
    return cell;
  }
  [[nodiscard]] std::span<const Entry> points_in(const Cell& cell) const {
    if (std::any_of(cell.begin(), cell.end(), [](std::int64_t c) { return c < 0; })) return {};
    const std::int64_t wanted = key(cell);
    const auto range =
        std::equal_range(entries_.begin(), entries_.end(), Entry{wanted, 0},
                         [](const Entry& x, const Entry& y) { return x.first < y.first; });
    return {range.first, range.second};
  }

 private:
  static std::int64_t key(const Cell& cell) { return (cell[0] << 42) + (cell[1] << 21) + cell[2]; }
  Box bounds_;
  double side_ = 0.0;
  std::vector<Entry> entries_;
};

}  // namespace

Conformation conformation_from_scratch(const FoldModel& model, std::span<const double> angles) {
  const std::size_t torsion_count = model.torsions.size();
  std::vector<Pose> joints = model.chain.joints;
  for (std::size_t i = 0; i < torsion_count; ++i) {
    const FoldTorsion& torsion = model.torsions[i];
    if (torsion.slides) {
      joints[torsion.joint] =
          Pose::translate(angles[i] * torsion.unit_axis) * joints[torsion.joint];
      continue;
    }
    const Mat3 turn = turn_about(torsion.unit_axis, angles[i]);
    const Pose about_point{turn, torsion.point - turn * torsion.point};
    joints[torsion.joint] = about_point * joints[torsion.joint];
  }

  std::vector<LinkSpheres> spheres;
  spheres.reserve(model.chain.links.size());
  for (const LinkShape& link : model.chain.links) {
    const auto* group = std::get_if<LinkSpheres>(&link);
    spheres.push_back(group != nullptr ? *group : LinkSpheres{});
  }
  for (std::size_t i = 0; i < model.rotors.size(); ++i) {
    const FoldRotor& rotor = model.rotors[i];
    LinkSpheres& group = spheres[rotor.link];
    const Vec3 point = group[rotor.from].center;
    const Mat3 turn =
        turn_about(normalized(group[rotor.to].center - point), angles[torsion_count + i]);
    for (const std::uint32_t moved : rotor.moved)
      group[moved].center = point + turn * (group[moved].center - point);
  }

  Conformation conformation;
  Pose pose;
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    if (i > 0) pose = pose * joints[i - 1];
    conformation.poses.push_back(pose);
    for (const Sphere& sphere : spheres[i]) conformation.centers.push_back(pose * sphere.center);
  }
  return conformation;
}

SphereIndex::SphereIndex(const Chain& chain) : first{0} {
  for (std::uint32_t i = 0; i < chain.links.size(); ++i) {
    if (const auto* group = std::get_if<LinkSpheres>(&chain.links[i])) {
      for (const Sphere& sphere : *group) {
        link.push_back(i);
        radius.push_back(sphere.radius);
      }
    }
    first.push_back(static_cast<std::uint32_t>(link.size()));
  }
}

TestedPairs::TestedPairs(const Chain& chain)
    : neighbours_(chain.neighbours), ignored_(chain.ignored) {
  for (LinkPair& pair : ignored_) {
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  }
  std::sort(ignored_.begin(), ignored_.end());
}

bool TestedPairs::contains(std::uint32_t link_a, std::uint32_t link_b) const {
  const auto [low, high] = std::minmax(link_a, link_b);
  return high - low > neighbours_ &&
         !std::binary_search(ignored_.begin(), ignored_.end(), LinkPair{low, high});
}

void visit_close_points(std::span<const Vec3> points, double limit,
                        const std::function<void(std::uint32_t, std::uint32_t, double)>& visit) {
  const CellGrid grid(points, limit);
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const CellGrid::Cell cell = grid.cell_of(points[i]);
    for (std::int64_t dx = -1; dx <= 1; ++dx) {
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
          for (const auto& [key, j] : grid.points_in({cell[0] + dx, cell[1] + dy, cell[2] + dz})) {
            if (j <= i) continue;
            const double gap = distance(points[i], points[j]);
            if (gap <= limit) visit(i, j, gap);
          }
        }
      }
    }
  }
}

std::vector<FoldClash> overlapping_spheres(const Chain& chain, std::span<const Vec3> centers,
                                           double tolerance) {
  const SphereIndex index(chain);
  const TestedPairs tested(chain);
  double largest = 0.0;
  for (const double radius : index.radius) largest = std::max(largest, radius);
  std::vector<FoldClash> clashes;
  visit_close_points(centers, 2.0 * largest, [&](std::uint32_t a, std::uint32_t b, double gap) {
    const double overlap = index.radius[a] + index.radius[b] - gap;
    if (overlap < tolerance || !tested.contains(index.link[a], index.link[b])) return;
    clashes.push_back(
        {index.link[a], index.within_link(a), index.link[b], index.within_link(b), overlap});
  });
  std::sort(clashes.begin(), clashes.end(), [](const FoldClash& x, const FoldClash& y) {
    return std::tuple(-x.overlap, x.link_a, x.sphere_a, x.link_b, x.sphere_b) <
           std::tuple(-y.overlap, y.link_a, y.sphere_a, y.link_b, y.sphere_b);
  });
  return clashes;
}

}  // namespace clearance::detail

namespace clearance {

std::vector<FoldClash> find_clashes(const FoldModel& model) {
  const std::vector<double> start(model.torsions.size() + model.rotors.size(), 0.0);
  return detail::overlapping_spheres(model.chain,
                                     detail::conformation_from_scratch(model, start).centers, 0.0);
}

bool FoldAudit::good() const {
  return energy_drift <= kFoldEnergyDrift && contacts_agree && clashes.empty() && free &&
         pose_drift <= kFoldPoseDrift * extent;
}

}  // namespace clearance
