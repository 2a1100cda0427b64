// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/voxel_thinning.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include <clearance/query/shapes.h>

namespace clearance::detail {
namespace {

/// The 27 places of a cube of voxels, 13 its middle.
constexpr int kMiddle = 13;
constexpr std::array<int, 3> place_in_cube(int i) { return {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}; }

/// Curves that come up faster than this towards the middle lead to a corner, not along the part, in
/// thirds of a voxel a step: the taper of a cone of 80 degrees.
constexpr int kSteepest = 2;

/// How many coordinates of a place in the cube differ from another.
struct Difference {
  int largest = 0;
  int count = 0;
};
constexpr Difference difference(int a, int b) {
  const std::array<int, 3> p = place_in_cube(a);
  const std::array<int, 3> q = place_in_cube(b);
  Difference d;
  for (std::size_t k = 0; k < 3; ++k) {
    const int apart = p[k] > q[k] ? p[k] - q[k] : q[k] - p[k];
    d.largest = std::max(d.largest, apart);
    d.count += apart > 0 ? 1 : 0;
  }
  return d;
}

/// For each place of the cube the places that touch it, as bits; the middle is left out.
using Masks = std::array<std::uint32_t, 27>;
constexpr Masks masks(bool by_faces) {
  Masks result{};
  for (int a = 0; a < 27; ++a) {
    for (int b = 0; b < 27; ++b) {
      const Difference d = difference(a, b);
      const bool touch = a != b && b != kMiddle && d.largest == 1 && (!by_faces || d.count == 1);
      if (touch) result[static_cast<std::size_t>(a)] |= 1U << b;
    }
  }
  return result;
}
constexpr Masks kTouching = masks(false);
constexpr Masks kFaces = masks(true);

/// The places with at most two coordinates that differ from the middle.
constexpr std::uint32_t near_places() {
  std::uint32_t result = 0;
  for (int i = 0; i < 27; ++i) {
    const int count = difference(i, kMiddle).count;
    if (count == 1 || count == 2) result |= 1U << i;
  }
  return result;
}
constexpr std::uint32_t kNear = near_places();

/// Lines through the middle of the cube, each by the first of its two places.
constexpr std::size_t kDirections = 13;
/// The planes through the middle that hold four of these lines, as bits: three along the sides, six
/// from edge to edge.
constexpr std::array<std::uint16_t, 9> planes() {
  constexpr std::array<std::array<int, 3>, 9> kNormals{{{1, 0, 0},
                                                        {0, 1, 0},
                                                        {0, 0, 1},
                                                        {1, 1, 0},
                                                        {1, -1, 0},
                                                        {1, 0, 1},
                                                        {1, 0, -1},
                                                        {0, 1, 1},
                                                        {0, 1, -1}}};
  std::array<std::uint16_t, 9> result{};
  for (std::size_t n = 0; n < kNormals.size(); ++n) {
    for (std::size_t i = 0; i < kDirections; ++i) {
      const std::array<int, 3> p = place_in_cube(static_cast<int>(i));
      if (kNormals[n][0] * p[0] + kNormals[n][1] * p[1] + kNormals[n][2] * p[2] == 0)
        result[n] = static_cast<std::uint16_t>(result[n] | (1U << i));
    }
  }
  return result;
}
constexpr std::array<std::uint16_t, 9> kPlanes = planes();

/// What of `set` hangs together with its first place in `from`.
std::uint32_t piece_of(std::uint32_t set, std::uint32_t from, const Masks& neighbours) {
  std::uint32_t piece = from & (~from + 1);
  std::uint32_t fresh = piece;
  while (fresh != 0) {
    const int i = __builtin_ctz(fresh);
    fresh &= fresh - 1;
    const std::uint32_t found = neighbours[static_cast<std::size_t>(i)] & set & ~piece;
    piece |= found;
    fresh |= found;
  }
  return piece;
}

std::uint32_t filled_around(const VoxelGrid& grid, std::size_t voxel,
                            const std::array<std::ptrdiff_t, 26>& around) {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < around.size(); ++i) {
    const std::size_t bit = i < kMiddle ? i : i + 1;
    if (grid.filled[voxel + static_cast<std::size_t>(around[i])] != 0) set |= 1U << bit;
  }
  return set;
}

bool is_simple(std::uint32_t filled) {
  if (filled == 0) return false;
  if (piece_of(filled, filled, kTouching) != filled) return false;
  const std::uint32_t empty = ~filled & kNear;
  const std::uint32_t at_faces = empty & kFaces[kMiddle];
  if (at_faces == 0) return false;
  return (at_faces & ~piece_of(empty, at_faces, kFaces)) == 0;
}

}  // namespace

std::array<int, 3> VoxelGrid::place(std::size_t index) const {
  const auto nx = static_cast<std::size_t>(counts[0]);
  const auto ny = static_cast<std::size_t>(counts[1]);
  return {static_cast<int>(index % nx), static_cast<int>(index / nx % ny),
          static_cast<int>(index / nx / ny)};
}

Vec3 VoxelGrid::middle(std::size_t index) const {
  const std::array<int, 3> p = place(index);
  return low + side * Vec3{double(p[0]), double(p[1]), double(p[2])};
}

std::array<std::ptrdiff_t, 26> VoxelGrid::around() const {
  std::array<std::ptrdiff_t, 26> result{};
  std::size_t n = 0;
  for (int i = 0; i < 27; ++i) {
    if (i == kMiddle) continue;
    const std::array<int, 3> p = place_in_cube(i);
    result[n++] = (static_cast<std::ptrdiff_t>(p[2]) * counts[1] + p[1]) * counts[0] + p[0];
  }
  return result;
}

VoxelGrid voxels_of(const Model& part, int along_longest, Threads threads, Monitor* monitor) {
  VoxelGrid grid;
  const Box bounds = part.mesh().bounds();
  const Vec3 size = bounds.size();
  grid.side = largest_component(size) / along_longest;
  Vec3 first;
  for (std::size_t k = 0; k < 3; ++k) {
    // As many as the part needs, in its middle, and an empty one at both ends.
    const int inside = std::max(1, static_cast<int>(std::ceil(size[k] / grid.side - 1e-9)));
    grid.counts[k] = inside + 2;
    first[k] = bounds.center()[k] - 0.5 * grid.side * (inside - 1) - grid.side;
  }
  grid.low = first;
  grid.filled.assign(static_cast<std::size_t>(grid.counts[0]) *
                         static_cast<std::size_t>(grid.counts[1]) *
                         static_cast<std::size_t>(grid.counts[2]),
                     0);
  parallel_for(threads, static_cast<std::size_t>(grid.counts[2] - 2), [&](std::size_t layer) {
    if (is_cancelled(monitor)) return;
    const int z = static_cast<int>(layer) + 1;
    for (int y = 1; y + 1 < grid.counts[1]; ++y) {
      for (int x = 1; x + 1 < grid.counts[0]; ++x) {
        const std::size_t i = grid.index(x, y, z);
        grid.filled[i] = part.side(grid.middle(i)) == Side::Inside ? 1 : 0;
      }
    }
  });
  return grid;
}

void add_walls(const Model& part, VoxelGrid& grid, Threads threads) {
  parallel_for(threads, static_cast<std::size_t>(grid.counts[2] - 2), [&](std::size_t layer) {
    const int z = static_cast<int>(layer) + 1;
    for (int y = 1; y + 1 < grid.counts[1]; ++y) {
      for (int x = 1; x + 1 < grid.counts[0]; ++x) {
        const std::size_t i = grid.index(x, y, z);
        if (grid.filled[i] == 0 && within(part.bvh(), grid.middle(i), 0.5 * grid.side).within)
          grid.filled[i] = 1;
      }
    }
  });
}

void fill_hollows(VoxelGrid& grid) {
  const std::array<std::ptrdiff_t, 26> around = grid.around();
  std::vector<std::uint16_t> enclosed(grid.filled.size(), 0);  // in which directions, as bits
  std::vector<std::uint8_t> before(grid.filled.size(), 0);
  std::vector<std::uint8_t> behind(grid.filled.size(), 0);
  std::vector<std::size_t> inner;
  for (int z = 1; z + 1 < grid.counts[2]; ++z)
    for (int y = 1; y + 1 < grid.counts[1]; ++y)
      for (int x = 1; x + 1 < grid.counts[0]; ++x) inner.push_back(grid.index(x, y, z));
  // The first half of the neighbours comes before a voxel in the order of their numbers.
  for (std::size_t direction = 0; direction < kDirections; ++direction) {
    const auto step = static_cast<std::size_t>(around[direction]);
    for (const std::size_t i : inner) before[i] = grid.filled[i + step] | before[i + step];
    for (std::size_t n = inner.size(); n-- > 0;) {
      const std::size_t i = inner[n];
      behind[i] = grid.filled[i - step] | behind[i - step];
    }
    for (const std::size_t i : inner) {
      if ((before[i] & behind[i]) != 0)
        enclosed[i] = static_cast<std::uint16_t>(enclosed[i] | (1U << direction));
    }
  }
  for (const std::size_t i : inner) {
    for (const std::uint16_t plane : kPlanes)
      if ((enclosed[i] & plane) == plane) grid.filled[i] = 1;
  }
}

std::vector<std::uint16_t> depths_of(const VoxelGrid& grid) {
  // Two sweeps with steps of 3, 4 and 5 for faces, edges and corners.
  constexpr std::uint16_t kFar = 0xff00;
  std::vector<std::uint16_t> depths(grid.filled.size());
  std::transform(grid.filled.begin(), grid.filled.end(), depths.begin(),
                 [](std::uint8_t filled) { return filled != 0 ? kFar : std::uint16_t{0}; });
  const std::array<std::ptrdiff_t, 26> around = grid.around();
  const auto relax = [&](std::size_t i, std::size_t first, std::size_t last) {
    if (depths[i] == 0) return;
    for (std::size_t n = first; n < last; ++n) {
      const int bit = static_cast<int>(n < kMiddle ? n : n + 1);
      const int step = 2 + difference(bit, kMiddle).count;
      const int through = depths[i + static_cast<std::size_t>(around[n])] + step;
      if (through < depths[i]) depths[i] = static_cast<std::uint16_t>(through);
    }
  };
  for (std::size_t i = 0; i < depths.size(); ++i) relax(i, 0, 13);
  for (std::size_t i = depths.size(); i-- > 0;) relax(i, 13, 26);
  return depths;
}

bool is_simple(const VoxelGrid& grid, std::size_t voxel) {
  return is_simple(filled_around(grid, voxel, grid.around()));
}

void thin(VoxelGrid& grid, const std::vector<std::uint16_t>& depths) {
  const std::array<std::ptrdiff_t, 26> around = grid.around();
  // By depth, then in rounds, so that flat pieces shrink from all their rims alike.
  using Entry = std::tuple<std::uint16_t, std::uint32_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t i = 0; i < grid.filled.size(); ++i)
    if (grid.filled[i] != 0) queue.emplace(depths[i], 0U, i);
  while (!queue.empty()) {
    const auto [depth, round, voxel] = queue.top();
    queue.pop();
    if (grid.filled[voxel] == 0) continue;
    const std::uint32_t filled = filled_around(grid, voxel, around);
    if (filled == 0 || !is_simple(filled)) continue;
    // One neighbour: the end of a curve. It stays, unless it leads out to a corner of the part.
    if (__builtin_popcount(filled) == 1) {
      const auto bit = static_cast<std::size_t>(__builtin_ctz(filled));
      const std::size_t next =
          voxel + static_cast<std::size_t>(around[bit < kMiddle ? bit : bit - 1]);
      if (depths[next] <= depths[voxel] + kSteepest) continue;
    }
    grid.filled[voxel] = 0;
    for (const std::ptrdiff_t step : around) {
      const std::size_t neighbour = voxel + static_cast<std::size_t>(step);
      if (grid.filled[neighbour] != 0)
        queue.emplace(std::max(depth, depths[neighbour]), round + 1, neighbour);
    }
  }
}

}  // namespace clearance::detail
