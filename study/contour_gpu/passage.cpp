// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Points of a grid inside the body, joined to their neighbours; a way costs more where it is
// narrow. From the roomiest point the farthest one is an end of the way, and the farthest from
// that the other.
#include "contour_gpu/passage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>

#include <clearance/query/model.h>
#include <clearance/query/shapes.h>

namespace clearance::study {
namespace {

/// Cells along the longest side: fine enough for a vein, a twentieth of the atrium's length.
constexpr int kCells = 48;
/// Rounds of smoothing: the corners of the grid's steps go, the bends of the body stay.
constexpr int kSmoothings = 60;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Grid {
  std::array<int, 3> count{};
  Vec3 low;
  double cell = 0.0;
  std::vector<double> room;  ///< negative outside

  [[nodiscard]] Vec3 point(std::uint32_t i) const {
    const int x = static_cast<int>(i) % count[0];
    const int y = static_cast<int>(i) / count[0] % count[1];
    const int z = static_cast<int>(i) / (count[0] * count[1]);
    return low + cell * Vec3{double(x), double(y), double(z)};
  }
};

double room_of(const Model& model, const Vec3& point) {
  return model.side(point) == Side::Inside ? distance(model.bvh(), point).distance : -1.0;
}

Grid make_grid(const Model& model) {
  Grid grid;
  const Box bounds = model.bvh().bounds();
  grid.cell = largest_component(bounds.size()) / kCells;
  grid.low = bounds.low;
  for (std::size_t k = 0; k < 3; ++k)
    grid.count[k] = static_cast<int>(bounds.size()[k] / grid.cell) + 2;
  grid.room.resize(std::size_t(grid.count[0]) * std::size_t(grid.count[1]) *
                   std::size_t(grid.count[2]));
  for (std::uint32_t i = 0; i < grid.room.size(); ++i) grid.room[i] = room_of(model, grid.point(i));
  return grid;
}

/// Ways from one point of the grid to all others.
struct Ways {
  std::vector<double> length;  ///< infinity where there is none
  std::vector<std::uint32_t> from;
};

/// Dijkstra. The cost of a step is its length, times how much narrower it is than the roomiest
/// point, squared; what is returned is lengths along the cheapest ways.
Ways ways_from(const Grid& grid, std::uint32_t start, double least_room) {
  const double roomiest = *std::max_element(grid.room.begin(), grid.room.end());
  Ways ways;
  ways.length.assign(grid.room.size(), std::numeric_limits<double>::infinity());
  ways.from.assign(grid.room.size(), kNone);
  std::vector<double> cost = ways.length;
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  cost[start] = ways.length[start] = 0.0;
  open.emplace(0.0, start);
  while (!open.empty()) {
    const auto [at_cost, at] = open.top();
    open.pop();
    if (at_cost > cost[at]) continue;
    const int x = static_cast<int>(at) % grid.count[0];
    const int y = static_cast<int>(at) / grid.count[0] % grid.count[1];
    const int z = static_cast<int>(at) / (grid.count[0] * grid.count[1]);
    for (int direction = 0; direction < 27; ++direction) {
      const int nx = x + direction % 3 - 1;
      const int ny = y + direction / 3 % 3 - 1;
      const int nz = z + direction / 9 - 1;
      if (nx < 0 || ny < 0 || nz < 0 || nx >= grid.count[0] || ny >= grid.count[1] ||
          nz >= grid.count[2])
        continue;
      const auto next = static_cast<std::uint32_t>((nz * grid.count[1] + ny) * grid.count[0] + nx);
      if (grid.room[next] < least_room) continue;
      const double length = distance(grid.point(at), grid.point(next));
      const double narrow = roomiest / grid.room[next];
      const double next_cost = at_cost + length * narrow * narrow;
      if (next_cost >= cost[next]) continue;
      cost[next] = next_cost;
      ways.length[next] = ways.length[at] + length;
      ways.from[next] = at;
      open.emplace(next_cost, next);
    }
  }
  return ways;
}

std::uint32_t farthest(const Ways& ways) {
  std::uint32_t best = 0;
  double longest = -1.0;
  for (std::uint32_t i = 0; i < ways.length.size(); ++i) {
    if (std::isfinite(ways.length[i]) && ways.length[i] > longest) {
      longest = ways.length[i];
      best = i;
    }
  }
  return best;
}

/// Each inner point to the middle of its neighbours, where that is roomy enough.
void smooth(std::vector<Vec3>& points, const Model& model, double least_room) {
  for (int round = 0; round < kSmoothings; ++round) {
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      const Vec3 middle = 0.25 * points[i - 1] + 0.5 * points[i] + 0.25 * points[i + 1];
      if (room_of(model, middle) >= least_room) points[i] = middle;
    }
  }
}

/// Evenly spaced points of a polyline.
std::vector<Vec3> resampled(const std::vector<Vec3>& line, int count) {
  std::vector<double> arc{0.0};
  for (std::size_t i = 1; i < line.size(); ++i)
    arc.push_back(arc.back() + distance(line[i - 1], line[i]));
  std::vector<Vec3> points;
  std::size_t edge = 0;
  for (int k = 0; k < count; ++k) {
    const double wanted = arc.back() * k / (count - 1);
    while (edge + 2 < line.size() && arc[edge + 1] < wanted) ++edge;
    const double t = std::clamp((wanted - arc[edge]) / (arc[edge + 1] - arc[edge]), 0.0, 1.0);
    points.push_back(line[edge] + t * (line[edge + 1] - line[edge]));
  }
  return points;
}

/// The index below an arc length, and how far it is to the next.
std::pair<std::size_t, double> place_of(const Passage& passage, double arc) {
  const double place =
      std::clamp(arc / passage.length, 0.0, 1.0) * static_cast<double>(passage.points.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), passage.points.size() - 2);
  return {below, place - static_cast<double>(below)};
}

}  // namespace

Vec3 Passage::at(double arc) const {
  const auto [i, t] = place_of(*this, arc);
  return points[i] + t * (points[i + 1] - points[i]);
}

double Passage::room_at(double arc) const {
  const auto [i, t] = place_of(*this, arc);
  return std::lerp(room[i], room[i + 1], t);
}

Result<Passage> find_passage(const Mesh& mesh, double least_room) {
  const Result<Model> model = Model::build(mesh);
  if (!model) return model.error();
  if (!model->is_solid())
    return Error{ErrorCode::Invalid, {}, {}, "the surface is open: it has no inside", {}};
  const Grid grid = make_grid(*model);
  const auto roomiest = static_cast<std::uint32_t>(
      std::max_element(grid.room.begin(), grid.room.end()) - grid.room.begin());
  if (grid.room[roomiest] < least_room)
    return Error{ErrorCode::Invalid, {}, {}, "there is no room inside", {}};
  const std::uint32_t start = farthest(ways_from(grid, roomiest, least_room));
  const Ways ways = ways_from(grid, start, least_room);
  std::vector<Vec3> line;
  for (std::uint32_t at = farthest(ways); at != kNone; at = ways.from[at])
    line.push_back(grid.point(at));
  if (line.size() < 3)
    return Error{ErrorCode::Invalid, {}, {}, "the room inside is a single place", {}};
  smooth(line, *model, least_room);

  Passage passage;
  passage.points = resampled(line, kPassagePoints);
  for (std::size_t i = 0; i < passage.points.size(); ++i) {
    passage.room.push_back(room_of(*model, passage.points[i]));
    if (i > 0) passage.length += distance(passage.points[i - 1], passage.points[i]);
  }
  return passage;
}

}  // namespace clearance::study
