// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <clearance/geometry/convex_hull.h>
#include <clearance/geometry/mass.h>
#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/grasp/wire_frame.h>

#include "grasp/curve_graph.h"
#include "grasp/part_check.h"
#include "grasp/voxel_thinning.h"

namespace clearance {
namespace {

/// Voxels along the longest side: a part of 200 mm is seen in steps of 3 mm, as grasps are made.
constexpr int kVoxels = 64;
/// Voxels that miss the volume by more than this fraction do not show the part: its walls are
/// thinner than they are.
constexpr double kLargestVolumeError = 0.3;
/// A skeleton shorter than this fraction of the diagonal has no middle to grasp along...
constexpr double kLeastLength = 0.25;
/// ...and one of more straight pieces is no wire-frame but a picture of the surface.
constexpr std::size_t kMostSegments = 64;
/// A part is hollow when it has so many times its volume with its bores and hollows filled...
constexpr double kHollow = 1.5;
/// ...and a pipe when tubes about the lines of that, as thick as it is there, hold so much of it:
/// 0.59 and 0.79 of two real pipes. Cups and bowls (0.40, 0.33) are grasped by their axes.
constexpr double kLeastTubes = 0.5;
/// Straight pieces stay within this fraction of the depth below the surface of the curve.
constexpr double kStraightness = 0.5;

/// The line through a point, as far as it is inside the convex hull.
Segment clipped_to_hull(const Vec3& center, const Vec3& direction, std::span<const Vec3> vertices,
                        const ConvexHull& hull) {
  double first = -std::numeric_limits<double>::infinity();
  double last = std::numeric_limits<double>::infinity();
  for (const auto& face : hull.faces) {
    const Triangle t{vertices[face[0]], vertices[face[1]], vertices[face[2]]};
    const Vec3 normal = triangle_normal(t);
    const double speed = dot(normal, direction);
    const double height = dot(normal, t.a - center);
    if (speed > 0.0) last = std::min(last, height / speed);
    if (speed < 0.0) first = std::max(first, height / speed);
  }
  return {center + first * direction, center + last * direction};
}

Result<std::vector<Segment>> principal_axes(const Mesh& mesh, const SolidProperties& solid) {
  const Result<ConvexHull> hull = convex_hull(mesh.vertices());
  if (!hull) return hull.error();
  const double sign = solid.volume < 0.0 ? -1.0 : 1.0;
  const Mat3 axes = eigen_of_symmetric(sign * solid.inertia).vectors;
  std::vector<Segment> segments;
  // The least inertia is about the longest axis: that one first.
  for (const std::size_t k : {2U, 1U, 0U}) {
    const Segment s = clipped_to_hull(solid.center_of_mass, axes.column(k), mesh.vertices(), *hull);
    if (is_finite(s.a) && is_finite(s.b) && s.a != s.b) segments.push_back(s);
  }
  return segments;
}

/// The shortest branch with a loose end that is not worth keeping; none when there is none.
const detail::CurveBranch* shortest_spur(const std::vector<detail::CurveBranch>& branches,
                                         double least) {
  const detail::CurveBranch* shortest = nullptr;
  // The last branch is the skeleton itself, however short.
  if (branches.size() < 2) return nullptr;
  for (const detail::CurveBranch& b : branches) {
    if (!b.has_loose_end || b.length() >= least) continue;
    if (shortest == nullptr || b.length() < shortest->length()) shortest = &b;
  }
  return shortest;
}

double volume_of(const detail::VoxelGrid& grid) {
  const auto filled = std::count(grid.filled.begin(), grid.filled.end(), std::uint8_t{1});
  return static_cast<double>(filled) * grid.side * grid.side * grid.side;
}

/// Straight pieces along the middle of voxels.
struct Skeleton {
  std::vector<Segment> segments;
  double length = 0.0;  // [m]
  double tubes = 0.0;   // volume of tubes about it, as thick as its depth [m^3]
  double filled = 0.0;  // volume of the voxels [m^3]
};
Skeleton skeleton_of(detail::VoxelGrid grid, double least_branch) {
  Skeleton skeleton;
  skeleton.filled = volume_of(grid);
  const std::vector<std::uint16_t> depths = detail::depths_of(grid);
  detail::thin(grid, depths);
  std::vector<detail::CurveBranch> branches = detail::branches_of(grid, depths);
  while (const auto* spur = shortest_spur(branches, least_branch)) {
    for (const std::size_t voxel : spur->voxels) grid.filled[voxel] = 0;
    detail::thin(grid, depths);
    branches = detail::branches_of(grid, depths);
  }
  for (const detail::CurveBranch& b : branches) {
    skeleton.tubes += std::numbers::pi * b.radius * b.radius * b.length();
    const std::vector<Segment> pieces =
        detail::straightened(b.points, std::max(grid.side, kStraightness * b.radius));
    for (const Segment& s : pieces) skeleton.length += norm(s.b - s.a);
    skeleton.segments.insert(skeleton.segments.end(), pieces.begin(), pieces.end());
  }
  return skeleton;
}

/// Straight pieces along the middle of a part; none when the part has no such middle.
std::vector<Segment> middle_of(const Model& part, const SolidProperties& solid,
                               const WireFrameOptions& options) {
  detail::VoxelGrid grid = detail::voxels_of(part, kVoxels, options.threads, options.monitor);
  const double volume = std::abs(solid.volume);
  if (std::abs(volume_of(grid) - volume) > kLargestVolumeError * volume) return {};
  const double diagonal = part.mesh().bounds().diagonal();
  const auto is_good = [&](const Skeleton& skeleton) {
    return skeleton.length >= kLeastLength * diagonal && skeleton.segments.size() <= kMostSegments;
  };
  const double least_branch = options.least_branch * diagonal;
  // Walls have no middle line of their own; the one to grasp along is that of what they are around.
  detail::VoxelGrid whole = grid;
  detail::add_walls(part, whole, options.threads);
  const double of_walls = volume_of(whole);
  detail::fill_hollows(whole);
  if (volume_of(whole) >= kHollow * of_walls) {
    Skeleton pipe = skeleton_of(std::move(whole), least_branch);
    if (is_good(pipe) && pipe.tubes >= kLeastTubes * pipe.filled) return std::move(pipe.segments);
  }
  Skeleton own = skeleton_of(std::move(grid), least_branch);
  return is_good(own) ? std::move(own.segments) : std::vector<Segment>{};
}

}  // namespace

Result<WireFrame> derive_wire_frame(const Model& part, const WireFrameOptions& options) {
  if (const Status status = detail::check_solid(part); !status) return status.error();
  if (!(options.least_branch >= 0.0 && options.least_branch <= 1.0))
    return Error{ErrorCode::Invalid,
                 {},
                 "least branch",
                 std::to_string(options.least_branch) + " is not between 0 and 1",
                 {}};
  const SolidProperties solid =
      solid_properties(part.mesh().vertices(), part.mesh().faces(), options.threads);
  report_progress(options.monitor, "skeleton", 0.0);
  WireFrame frame;
  frame.segments = middle_of(part, solid, options);
  if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
  frame.is_skeleton = !frame.segments.empty();
  if (frame.is_skeleton) return frame;
  Result<std::vector<Segment>> axes = principal_axes(part.mesh(), solid);
  if (!axes) return axes.error();
  if (axes->empty())
    return Error{ErrorCode::Invalid, {}, "part", "has no extent to grasp along", {}};
  frame.segments = std::move(*axes);
  return frame;
}

}  // namespace clearance
