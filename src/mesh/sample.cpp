// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <unordered_map>

#include <clearance/base/random.h>
#include <clearance/geometry/mass.h>
#include <clearance/mesh/sample.h>

namespace clearance {
namespace {

// Samples per piece, each piece with a random stream of its own: the points do not depend on the
// number of threads.
constexpr std::size_t kBlock = 4096;
// Candidates per wanted point. Yuksel finds little gain beyond 5.
constexpr std::size_t kCandidatesPerSample = 5;

SurfaceSample random_point(const Mesh& mesh, std::size_t triangle, Random& random) {
  const Triangle t = mesh.triangle(triangle);
  // The root spreads the points evenly over lines parallel to the side opposite the first corner.
  const double s = std::sqrt(random.uniform());
  const double v = random.uniform();
  const std::array<double, 3> weights{1.0 - s, s * (1.0 - v), s * v};
  return {t.a + weights[1] * (t.b - t.a) + weights[2] * (t.c - t.a), triangle_normal(t),
          static_cast<std::uint32_t>(triangle), weights};
}

/// Points in cubes of a grid, to find those nearer than the side of a cube.
class Grid {
 public:
  /// Points lie in the box. The side is at least a millionth of it, so that cells can be numbered.
  Grid(const std::vector<SurfaceSample>& samples, double side, const Box& box)
      : side_(std::fmax(side, 1e-6 * largest_component(box.size()))), origin_(box.low) {
    cells_.reserve(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      cells_[key(cell_of(samples[i].point))].push_back(static_cast<std::uint32_t>(i));
    }
  }
  /// Calls f(j) for every point that may be nearer to p than the side, and some others.
  template <class Function>
  void for_each_near(const Vec3& p, const Function& f) const {
    const Cell middle = cell_of(p);
    for (std::int64_t dx = -1; dx <= 1; ++dx) {
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
          const auto found = cells_.find(key({middle[0] + dx, middle[1] + dy, middle[2] + dz}));
          if (found == cells_.end()) continue;
          for (const std::uint32_t j : found->second) f(j);
        }
      }
    }
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  [[nodiscard]] Cell cell_of(const Vec3& p) const {
    const Vec3 q = (p - origin_) / side_;
    return {static_cast<std::int64_t>(std::floor(q.x)), static_cast<std::int64_t>(std::floor(q.y)),
            static_cast<std::int64_t>(std::floor(q.z))};
  }
  /// 21 bits each. Cells that share a key only cost time: distances are checked by the caller.
  static std::uint64_t key(const Cell& c) {
    constexpr std::uint64_t kMask = (1u << 21) - 1;
    return (static_cast<std::uint64_t>(c[0]) & kMask) |
           (static_cast<std::uint64_t>(c[1]) & kMask) << 21 |
           (static_cast<std::uint64_t>(c[2]) & kMask) << 42;
  }
  double side_;
  Vec3 origin_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

/// The samples to keep, ascending: the most crowded is removed until `count` are left.
std::vector<std::uint32_t> eliminate(const std::vector<SurfaceSample>& samples, std::size_t count,
                                     double area, const Box& box) {
  // The largest spacing `count` points can have on a plane of this area is twice this (hexagonal
  // packing); below the inner radius all neighbours crowd alike (Yuksel, section 3.3).
  const double outer = std::sqrt(area / (2.0 * std::numbers::sqrt3 * static_cast<double>(count)));
  const double share = static_cast<double>(count) / static_cast<double>(samples.size());
  const double inner = 0.65 * outer * (1.0 - std::pow(share, 1.5));
  const Grid grid(samples, 2.0 * outer, box);
  const auto crowding = [&](std::size_t i, std::size_t j) {
    const double d = std::fmax(distance(samples[i].point, samples[j].point), inner);
    const double nearness = std::fmax(0.0, 1.0 - d / (2.0 * outer));
    const double squared = nearness * nearness;
    return squared * squared * squared * squared;
  };

  std::vector<double> weight(samples.size(), 0.0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    grid.for_each_near(samples[i].point, [&](std::uint32_t j) {
      if (i != j) weight[i] += crowding(i, j);
    });
  }
  // Weights only fall, so an entry that is out of date stands too high: it is looked at in time and
  // put back. Ties by number.
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry> queue;
  for (std::uint32_t i = 0; i < samples.size(); ++i) queue.push({weight[i], i});
  std::vector<std::uint8_t> removed(samples.size(), 0);
  for (std::size_t left = samples.size(); left > count;) {
    const auto [crowd, i] = queue.top();
    queue.pop();
    if (crowd != weight[i]) {
      queue.push({weight[i], i});
      continue;
    }
    removed[i] = 1;
    --left;
    grid.for_each_near(samples[i].point, [&, i = i](std::uint32_t j) {
      if (i != j && removed[j] == 0) weight[j] -= crowding(i, j);
    });
  }
  std::vector<std::uint32_t> kept;
  kept.reserve(count);
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    if (removed[i] == 0) kept.push_back(i);
  }
  return kept;
}

}  // namespace

std::vector<SurfaceSample> sample_surface(const Mesh& mesh, std::size_t count, std::uint64_t seed,
                                          Threads threads) {
  std::vector<double> area_up_to(mesh.triangle_count());
  double total = 0.0;
  std::size_t last_with_area = 0;
  for (std::size_t i = 0; i < area_up_to.size(); ++i) {
    const double before = total;
    total += triangle_area(mesh.triangle(i));
    area_up_to[i] = total;
    if (total > before) last_with_area = i;
  }
  if (!(total > 0.0)) return {};

  std::vector<SurfaceSample> samples(count);
  const Random random(seed);
  parallel_for(threads, (count + kBlock - 1) / kBlock, [&](std::size_t block) {
    Random stream = random.split(block);
    for (std::size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) {
      // The first triangle whose running area exceeds the drawn one: never one without area. The
      // product can round up to the total.
      const auto found =
          std::upper_bound(area_up_to.begin(), area_up_to.end(), stream.uniform() * total);
      const auto triangle =
          std::min(last_with_area, static_cast<std::size_t>(found - area_up_to.begin()));
      samples[i] = random_point(mesh, triangle, stream);
    }
  });
  return samples;
}

std::vector<SurfaceSample> sample_surface_evenly(const Mesh& mesh, std::size_t count,
                                                 std::uint64_t seed, Threads threads) {
  if (count == 0) return {};
  const std::vector<SurfaceSample> candidates =
      sample_surface(mesh, count * kCandidatesPerSample, seed, threads);
  if (candidates.empty()) return {};
  const double area = surface_properties(mesh.vertices(), mesh.faces(), threads).area;
  std::vector<SurfaceSample> samples;
  samples.reserve(count);
  for (const std::uint32_t i : eliminate(candidates, count, area, mesh.bounds())) {
    samples.push_back(candidates[i]);
  }
  return samples;
}

}  // namespace clearance
