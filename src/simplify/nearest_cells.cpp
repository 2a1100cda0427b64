// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/nearest_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace clearance::detail {
namespace {

// Coordinates of empty places: farther than any point, and no overflow when squared.
constexpr float kFarAway = 1e18F;
// Cells with no more points are not divided, and their lists not made shorter.
constexpr std::size_t kFew = 64;
// Points listed in all cells at most, 16 bytes each; beyond, longer lists are gone through.
constexpr std::size_t kMostEntries = 12'000'000;
// Rounding of squared distances, as a fraction.
constexpr float kRounding = 2e-6F;
// Places of a cell whose nearest points are compared with the rest, in halves of its sides from the
// middle: its corners, which leave few, then the middles of its sides and faces.
constexpr std::array<std::array<float, 3>, 26> kPlaces = [] {
  std::array<std::array<float, 3>, 26> places{};
  std::size_t count = 0;
  for (const int sides : {3, 2, 1}) {
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z)
          if (x * x + y * y + z * z == sides)
            places[count++] = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
  }
  return places;
}();

}  // namespace

NearestCells::Cell::~Cell() {
  for (std::atomic<Cell*>& part : parts) delete part.load(std::memory_order_relaxed);
}

NearestCells::NearestCells(std::span<const Vec3> points, const Box& region, double finest)
    : origin_(region.center()),
      finest_(static_cast<float>(finest)),
      root_(std::make_unique<Cell>()) {
  root_->half = static_cast<float>(0.5001 * largest_component(region.size()));
  root_->padded = (points.size() + kWidth - 1) / kWidth * kWidth;
  root_->at.assign(3 * root_->padded, kFarAway);
  root_->point.assign(root_->padded, kNone);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      root_->at[k * root_->padded + i] = static_cast<float>(points[i][k] - origin_[k]);
    root_->point[i] = static_cast<std::uint32_t>(i);
  }
}

bool NearestCells::contains(const Vec3& c) const {
  return largest_component(abs(c - origin_)) <= static_cast<double>(root_->half);
}

void NearestCells::drop_beyond(const Cell& cell, const Cell& part, const float* at,
                               std::vector<std::uint32_t>& kept) {
  const float* x = cell.at.data();
  const float* y = x + cell.padded;
  const float* z = y + cell.padded;
  const auto distance_sq = [&](std::uint32_t i, const float* from) {
    const float dx = x[i] - from[0];
    const float dy = y[i] - from[1];
    const float dz = z[i] - from[2];
    return dx * dx + dy * dy + dz * dz;
  };
  std::uint32_t m = kNone;
  float least = std::numeric_limits<float>::max();
  for (const std::uint32_t i : kept) {
    const float sq = distance_sq(i, at);
    if (sq < least) least = sq, m = i;
  }
  if (m == kNone) return;
  const float of_nearest = distance_sq(m, part.center);
  std::erase_if(kept, [&](std::uint32_t i) {
    const float apart = std::abs(x[i] - x[m]) + std::abs(y[i] - y[m]) + std::abs(z[i] - z[m]);
    const float sq = distance_sq(i, part.center);
    return sq - of_nearest > 2.0F * part.half * apart + kRounding * sq;
  });
}

// The points of a cell that are nearest to some place in one of its parts. Of two points the linear
// function |c - a|^2 - |c - b|^2 says which is nearer, and is least at a corner of the part. A
// point is left out when another is nearer in all of the part. Those nearest to a few places of the
// part are the others that are tried: with the one nearest to the middle alone, lists reach twice
// as far as they have to, and much farther where surfaces bend around a part.
const NearestCells::Cell& NearestCells::part_of(const Cell& cell, std::size_t octant) const {
  std::atomic<Cell*>& slot = cell.parts[octant];
  if (const Cell* made = slot.load(std::memory_order_acquire)) return *made;
  auto part = std::make_unique<Cell>();
  part->half = 0.5F * cell.half;
  for (std::size_t k = 0; k < 3; ++k)
    part->center[k] = cell.center[k] + ((octant >> k & 1U) != 0 ? part->half : -part->half);
  std::vector<std::uint32_t> kept(cell.padded);
  std::iota(kept.begin(), kept.end(), 0U);
  std::erase_if(kept, [&](std::uint32_t i) { return cell.point[i] == kNone; });
  // The middle first: it leaves few for the others.
  drop_beyond(cell, *part, part->center, kept);
  for (const std::array<float, 3>& place : kPlaces) {
    if (kept.size() <= kFew) break;
    float at[3];
    for (std::size_t k = 0; k < 3; ++k) at[k] = part->center[k] + part->half * place[k];
    drop_beyond(cell, *part, at, kept);
  }
  const std::size_t n = cell.padded;
  part->padded = (kept.size() + kWidth - 1) / kWidth * kWidth;
  part->at.assign(3 * part->padded, kFarAway);
  part->point.assign(part->padded, kNone);
  for (std::size_t j = 0; j < kept.size(); ++j) {
    for (std::size_t k = 0; k < 3; ++k) part->at[k * part->padded + j] = cell.at[k * n + kept[j]];
    part->point[j] = cell.point[kept[j]];
  }
  entries_.fetch_add(part->padded, std::memory_order_relaxed);
  Cell* expected = nullptr;
  if (slot.compare_exchange_strong(expected, part.get(), std::memory_order_acq_rel))
    return *part.release();
  return *expected;
}

std::uint32_t NearestCells::nearest(const Vec3& c) const {
  const Vec3 local = c - origin_;
  const auto x = static_cast<float>(local.x);
  const auto y = static_cast<float>(local.y);
  const auto z = static_cast<float>(local.z);
  const Cell* cell = root_.get();
  while (cell->padded > kFew && cell->half > finest_) {
    const std::size_t octant = (x > cell->center[0] ? 1U : 0U) | (y > cell->center[1] ? 2U : 0U) |
                               (z > cell->center[2] ? 4U : 0U);
    const Cell* made = cell->parts[octant].load(std::memory_order_acquire);
    if (made == nullptr) {
      if (entries_.load(std::memory_order_relaxed) > kMostEntries) break;
      made = &part_of(*cell, octant);
    }
    cell = made;
  }
  const std::size_t n = cell->padded;
  if (n == 0) return kNone;
  const float* ax = cell->at.data();
  const float* ay = ax + n;
  const float* az = ay + n;
  float best[kWidth];
  std::uint32_t block[kWidth];
  for (std::size_t j = 0; j < kWidth; ++j)
    best[j] = std::numeric_limits<float>::max(), block[j] = 0;
  for (std::size_t i = 0; i < n; i += kWidth) {
    for (std::size_t j = 0; j < kWidth; ++j) {
      const float dx = ax[i + j] - x;
      const float dy = ay[i + j] - y;
      const float dz = az[i + j] - z;
      const float square = dx * dx + dy * dy + dz * dz;
      const bool nearer = square < best[j];
      best[j] = nearer ? square : best[j];
      block[j] = nearer ? static_cast<std::uint32_t>(i) : block[j];
    }
  }
  std::uint32_t found = kNone;
  float least = std::numeric_limits<float>::max();
  for (std::size_t j = 0; j < kWidth; ++j) {
    if (best[j] > least) continue;
    const std::uint32_t point = cell->point[block[j] + j];
    if (best[j] < least || point < found) found = point;
    least = best[j];
  }
  return found;
}

}  // namespace clearance::detail
