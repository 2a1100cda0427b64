// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/sphere_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/query/shapes.h>

namespace clearance::detail {
namespace {

/// The grid reaches this part of the diagonal beyond what stands there.
constexpr double kBorder = 0.2;

Float8 clamp(Float8 v, float low, float high) {
  return min(max(v, broadcast8(low)), broadcast8(high));
}

Float8 gathered(const float* table, Int8 index) {
#if CLEARANCE_FLOAT8_AVX
  return _mm256_i32gather_ps(table, (__m256i)index, 4);
#else
  Float8 v{};
  for (int i = 0; i < 8; ++i) v[i] = table[index[i]];
  return v;
#endif
}

std::vector<Float8> lanes_of(std::span<const FloatSphere> spheres) {
  std::vector<Float8> lanes;
  for (std::size_t i = 0; i < spheres.size(); i += 8) {
    Float8 x{};
    Float8 y{};
    Float8 z{};
    // Places left over touch nothing.
    Float8 r = broadcast8(-std::numeric_limits<float>::infinity());
    for (std::size_t k = 0; k < 8 && i + k < spheres.size(); ++k) {
      x[k] = spheres[i + k].x;
      y[k] = spheres[i + k].y;
      z[k] = spheres[i + k].z;
      r[k] = spheres[i + k].radius;
    }
    lanes.insert(lanes.end(), {x, y, z, r});
  }
  return lanes;
}

/// Which of eight spheres touch one ball.
unsigned touching(const Float8* lanes, Float8 x, Float8 y, Float8 z, Float8 radius) {
  const Float8 dx = lanes[0] - x;
  const Float8 dy = lanes[1] - y;
  const Float8 dz = lanes[2] - z;
  const Float8 near = lanes[3] + radius;
  const Float8 apart_sq = fused(dx, dx, fused(dy, dy, dz * dz));
  // near is -infinity for places left over: its square would touch everything.
  return bits((apart_sq <= near * near) & (near >= 0.0F));
}

}  // namespace

SphereField::SphereField(std::span<const Sphere> spheres, std::vector<Model> models, double margin,
                         int cells, Threads threads)
    : clusters_(clusters_of(spheres, margin)), models_(std::move(models)), margin_(margin) {
  cluster_lanes_ = lanes_of(clusters_.clusters);
  sphere_lanes_ = lanes_of(clusters_.spheres);
  if (empty()) return;
  for (const Sphere& s : spheres) {
    const Vec3 r{s.radius, s.radius, s.radius};
    bounds_.include(s.center - r);
    bounds_.include(s.center + r);
  }
  for (const Model& model : models_) bounds_.include(model.mesh().bounds());
  const double border = kBorder * bounds_.diagonal() + margin;
  const Vec3 size = bounds_.size() + 2.0 * Vec3{border, border, border};
  const double side = largest_component(size) / cells;
  cell_size_ = static_cast<float>(side);
  per_metre_ = 1.0F / cell_size_;
  for (std::size_t i = 0; i < 3; ++i) {
    origin_[i] = static_cast<float>(bounds_.low[i] - border);
    cells_[i] = std::max(1, static_cast<int>(std::ceil(size[i] / static_cast<double>(cell_size_))));
  }
  fill(threads, {spheres.begin(), spheres.end()});
}

void SphereField::fill(Threads threads, const std::vector<Sphere>& spheres) {
  const auto count = [&](std::size_t i) { return static_cast<std::size_t>(cells_[i]); };
  lower_.resize(count(0) * count(1) * count(2));
  const auto side = static_cast<double>(cell_size_);
  // Half a diagonal, and what rounding may put into the next cell.
  const double reach = 0.5 * std::sqrt(3.0) * side + 4.0 * margin_;
  slack_ = static_cast<float>(2.0 * reach) * (1.0F + 1e-6F);
  parallel_for(threads, count(2), [&](std::size_t k) {
    for (std::size_t j = 0; j < count(1); ++j) {
      for (std::size_t i = 0; i < count(0); ++i) {
        const Vec3 center{static_cast<double>(origin_[0]) + (static_cast<double>(i) + 0.5) * side,
                          static_cast<double>(origin_[1]) + (static_cast<double>(j) + 0.5) * side,
                          static_cast<double>(origin_[2]) + (static_cast<double>(k) + 0.5) * side};
        double least = std::numeric_limits<double>::infinity();
        for (const Sphere& s : spheres)
          least = std::min(least, distance(center, s.center) - s.radius);
        for (const Model& model : models_) {
          // Inside, and on the surface, there is no room.
          if (model.is_solid() && model.side(center) != Side::Outside) least = std::min(least, 0.0);
          if (least <= 0.0) continue;
          const ShapeDistance found = distance(model.bvh(), Shape(center), Pose::identity(), least);
          if (!found.beyond) least = std::min(least, found.distance * (1.0 - 1e-9));
        }
        auto bound = static_cast<float>(least - reach);
        bound = std::nextafter(bound, -std::numeric_limits<float>::infinity());
        lower_[(k * count(1) + j) * count(0) + i] = bound;
      }
    }
  });
}

Float8 SphereField::lower_bound(const PointLanes& p) const {
  // Outside the grid: the distance to the box around everything.
  const auto gap = [](Float8 v, double low, double high) {
    return max(max(static_cast<float>(low) - v, v - static_cast<float>(high)), broadcast8(0.0F));
  };
  const Float8 gx = gap(p.x, bounds_.low.x, bounds_.high.x);
  const Float8 gy = gap(p.y, bounds_.low.y, bounds_.high.y);
  const Float8 gz = gap(p.z, bounds_.low.z, bounds_.high.z);
  const Float8 to_box = sqrt(fused(gx, gx, fused(gy, gy, gz * gz))) * (1.0F - 1e-6F);
  // Inside: the cell. Whole numbers below 2^24 are exact.
  const Float8 fx = (p.x - origin_[0]) * per_metre_;
  const Float8 fy = (p.y - origin_[1]) * per_metre_;
  const Float8 fz = (p.z - origin_[2]) * per_metre_;
  const Float8 cx = clamp(fx, 0.0F, static_cast<float>(cells_[0] - 1));
  const Float8 cy = clamp(fy, 0.0F, static_cast<float>(cells_[1] - 1));
  const Float8 cz = clamp(fz, 0.0F, static_cast<float>(cells_[2] - 1));
  const Int8 ix = __builtin_convertvector(cx, Int8);
  const Int8 iy = __builtin_convertvector(cy, Int8);
  const Int8 iz = __builtin_convertvector(cz, Int8);
  const Float8 cell = gathered(lower_.data(), (iz * cells_[1] + iy) * cells_[0] + ix);
  const Int8 inside = (fx >= 0.0F) & (fy >= 0.0F) & (fz >= 0.0F) &
                      (fx < static_cast<float>(cells_[0])) & (fy < static_cast<float>(cells_[1])) &
                      (fz < static_cast<float>(cells_[2]));
  return inside ? cell : to_box;
}

unsigned SphereField::may_touch(const PointLanes& p, float radius, unsigned active) const {
  const Float8 lower = lower_bound(p);
  // Written so that a NaN counts as touching.
  return active & ~bits(lower > broadcast8(radius));
}

unsigned SphereField::touches(const PointLanes& p, float radius, unsigned active) const {
  const Float8 lower = lower_bound(p);
  unsigned open = active & ~bits(lower > broadcast8(radius));
  if (open == 0) return 0;
  // The far side of the cell touches as well.
  unsigned hit =
      open & bits(lower + slack_ < broadcast8(radius - static_cast<float>(2.0 * margin_)));
  for (open &= ~hit; open != 0; open &= open - 1) {
    const int lane = __builtin_ctz(open);
    if (touches(p.x[lane], p.y[lane], p.z[lane], radius)) hit |= 1U << lane;
  }
  return hit;
}

bool SphereField::touches(float x, float y, float z, float radius) const {
  if (touches_spheres(x, y, z, radius)) return true;
  if (models_.empty()) return false;
  const Vec3 center{x, y, z};
  const double grown = static_cast<double>(radius) + margin_;
  for (const Model& model : models_) {
    if (collide(model.bvh(), Sphere{center, grown}).hit) return true;
    if (model.is_solid() && model.side(center) != Side::Outside) return true;
    // The surface of a body that the ball swallows whole is inside the ball: a hit above.
  }
  return false;
}

bool SphereField::touches_spheres(float px, float py, float pz, float radius) const {
  const Float8 x = broadcast8(px);
  const Float8 y = broadcast8(py);
  const Float8 z = broadcast8(pz);
  // What rounding takes from the squares: 2^-21 of them.
  const Float8 r = broadcast8(radius * (1.0F + 1e-6F));
  for (std::size_t i = 0; i < cluster_lanes_.size(); i += 4) {
    for (unsigned open = touching(&cluster_lanes_[i], x, y, z, r); open != 0; open &= open - 1) {
      const std::size_t cluster = 2 * i + static_cast<std::size_t>(__builtin_ctz(open));
      if (touching(&sphere_lanes_[4 * cluster], x, y, z, r) != 0) return true;
    }
  }
  return false;
}

}  // namespace clearance::detail
