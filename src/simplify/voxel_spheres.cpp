// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres at the cells of grids and of trees of boxes.
#include <array>
#include <cmath>
#include <optional>

#include <clearance/simplify/representations.h>

#include "simplify/body_probe.h"

namespace clearance {
namespace {

using detail::BodyProbe;

constexpr std::size_t kMostSpheres = 2'000'000;
/// A sphere around a cell is larger than that by this fraction, and by the slack of the probe: its
/// corners are rounded.
constexpr double kOutward = 1e-12;

/// Cells [first, last) of a grid, along each axis.
struct CellRange {
  std::array<std::uint32_t, 3> first{};
  std::array<std::uint32_t, 3> last{};
};

enum class Filling { Empty, Surface, Inside };

/// What of a body is in a box. Surface wherever that is possible.
Filling filling_of(const BodyProbe& body, const Vec3& center, const Vec3& half) {
  const OrientedBox box{Pose::translate(center), half};
  if (collide(body.body().bvh(), box).hit) return Filling::Surface;
  return body.side(center) != Side::Outside ? Filling::Inside : Filling::Empty;
}

double around(const BodyProbe& body, const Vec3& center, const Vec3& half) {
  return norm(half) * (1.0 + kOutward) + body.slack(center);
}

Error too_many(const char* what) {
  return {ErrorCode::Invalid, "", "", "more than two million spheres would be needed",
          std::string("take a larger ") + what};
}

class Grid {
 public:
  Grid(const Model& body, double size, VoxelSpheres kind, bool inside)
      : body_(body), low_(body.bvh().bounds().low), size_(size), kind_(kind), inside_(inside) {}

  /// False when there are too many.
  bool run() {
    CellRange all;
    const Vec3 extent = body_.body().bvh().bounds().size();
    for (std::size_t k = 0; k < 3; ++k) {
      const double count = std::floor(extent[k] / size_) + 1.0;
      // The grid itself may be large: it is the cells that count.
      if (!(count < 1e9)) return false;
      all.last[k] = static_cast<std::uint32_t>(count);
    }
    return descend(all);
  }
  [[nodiscard]] std::vector<Sphere>& spheres() { return spheres_; }

 private:
  [[nodiscard]] Vec3 corner(const std::array<std::uint32_t, 3>& at) const {
    return low_ + size_ * Vec3{static_cast<double>(at[0]), static_cast<double>(at[1]),
                               static_cast<double>(at[2])};
  }

  bool descend(const CellRange& range) {
    const Vec3 low = corner(range.first);
    const Vec3 high = corner(range.last);
    const Filling filling = filling_of(body_, 0.5 * (low + high), 0.5 * (high - low));
    if (filling == Filling::Empty || (filling == Filling::Inside && !inside_)) return true;
    std::size_t axis = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (range.last[k] - range.first[k] > range.last[axis] - range.first[axis]) axis = k;
    if (range.last[axis] - range.first[axis] == 1) {
      if (spheres_.size() >= kMostSpheres) return false;
      const Vec3 center = 0.5 * (low + high);
      spheres_.push_back(
          {center, kind_ == VoxelSpheres::Inscribed
                       ? 0.5 * size_
                       : around(body_, center, {0.5 * size_, 0.5 * size_, 0.5 * size_})});
      return true;
    }
    CellRange front = range;
    CellRange back = range;
    front.last[axis] = back.first[axis] =
        range.first[axis] + (range.last[axis] - range.first[axis]) / 2;
    return descend(front) && descend(back);
  }

  BodyProbe body_;
  Vec3 low_;
  double size_;
  VoxelSpheres kind_;
  bool inside_;
  std::vector<Sphere> spheres_;
};

/// Halves cells along their longest side until their spheres are close enough to the body. False
/// when there are too many.
bool descend(const BodyProbe& body, const Vec3& center, const Vec3& half, double error,
             std::vector<Sphere>& out) {
  // Faces of the body that lie in those of cells are in one of them, whatever was rounded.
  const double slack = body.slack(center);
  if (filling_of(body, center, half + Vec3{slack, slack, slack}) == Filling::Empty) return true;
  const double radius = around(body, center, half);
  const double surface = body.surface(center).distance;
  const double excess = body.side(center) == Side::Inside ? radius - surface : radius + surface;
  if (excess <= error) {
    out.push_back({center, radius});
    return out.size() <= kMostSpheres;
  }
  const std::size_t axis = half.x >= half.y && half.x >= half.z ? 0 : (half.y >= half.z ? 1 : 2);
  Vec3 part = half;
  part[axis] *= 0.5;
  Vec3 beside;
  beside[axis] = part[axis];
  return descend(body, center - beside, part, error, out) &&
         descend(body, center + beside, part, error, out);
}

}  // namespace

Result<std::vector<Sphere>> voxel_spheres(const Model& body, double size, VoxelSpheres kind,
                                          bool inside) {
  if (!(size > 0.0) || !std::isfinite(size))
    return Error{ErrorCode::Invalid, "", "", "the size of voxels is not a length above 0", ""};
  Grid grid(body, size, kind, inside);
  if (!grid.run()) return too_many("size");
  return std::move(grid.spheres());
}

Result<std::vector<Sphere>> octree_spheres(const Model& body, double error) {
  if (!(error > 0.0) || !std::isfinite(error))
    return Error{ErrorCode::Invalid, "", "", "the error is not a length above 0", ""};
  const Box box = body.bvh().bounds();
  // Cells of an error below what a double can tell apart would never be small enough.
  if (error < 1e-9 * (norm(max(abs(box.low), abs(box.high))))) return too_many("error");
  std::vector<Sphere> spheres;
  if (!descend(BodyProbe(body), box.center(), 0.5 * box.size(), error, spheres))
    return too_many("error");
  return spheres;
}

}  // namespace clearance
