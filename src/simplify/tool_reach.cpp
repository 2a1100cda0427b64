// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/tool_reach.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Cells of the grid along the longest side of the body.
constexpr int kGridCells = 24;
/// Contacts spent on moving the tool out, and on drawing it near.
constexpr int kPushSteps = 5;
constexpr int kDrawSteps = 16;
/// Parts that are moved towards a point in a search for a ball around it.
constexpr std::size_t kMostMoved = 3;

}  // namespace

ToolReach::ToolReach(const BodyProbe& body, std::span<const Sphere> tool,
                     std::span<const Mat3> turns, const OffsetShell::Options& options)
    : least_radius_(kInfinity) {
  for (const Sphere& sphere : tool) least_radius_ = std::min(least_radius_, sphere.radius);
  for (std::uint32_t turn = 0; turn < turns.size(); ++turn) {
    std::vector<Sphere> turned;
    turned.reserve(tool.size());
    for (const Sphere& sphere : tool)
      turned.push_back({turns[turn] * sphere.center, sphere.radius});
    for (std::size_t k = 0; k < turned.size(); ++k) {
      // What is inside another sphere reaches nothing of its own.
      bool is_inside = false;
      for (std::size_t j = 0; j < turned.size() && !is_inside; ++j) {
        const double room = turned[j].radius - turned[k].radius;
        is_inside =
            j != k && distance(turned[k].center, turned[j].center) <= room && (room > 0.0 || j < k);
      }
      if (!is_inside) parts_.push_back({turn, turned[k].center, turned[k].radius});
    }
    report_progress(options.monitor, "moving the tool", double(turn) / double(turns.size()));
    shells_.push_back(std::make_unique<const OffsetShell>(body, turned, options));
    if (!shells_.back()->ok()) return;
  }
  for (std::uint32_t i = 0; i < parts_.size(); ++i) all_.push_back(i);
  make_grid(body.body().bvh().bounds(), options.threads);
}

bool ToolReach::ok() const {
  return std::all_of(shells_.begin(), shells_.end(), [](const auto& shell) { return shell->ok(); });
}

double ToolReach::cell_size() const {
  double largest = 0.0;
  for (const auto& shell : shells_) largest = std::max(largest, shell->cell_size());
  return largest;
}

void ToolReach::make_grid(const Box& bounds, Threads threads) {
  if (parts_.size() < 2) return;
  const double size = largest_component(bounds.size());
  if (!(size > 0.0)) return;
  grid_cell_ = 1.05 * size / kGridCells;
  for (std::size_t k = 0; k < 3; ++k)
    grid_size_[k] = 1 + static_cast<int>(1.05 * bounds.size()[k] / grid_cell_);
  const Vec3 span{grid_size_[0] * grid_cell_, grid_size_[1] * grid_cell_,
                  grid_size_[2] * grid_cell_};
  grid_low_ = bounds.center() - 0.5 * span;
  grid_.resize(static_cast<std::size_t>(grid_size_[0]) * static_cast<std::size_t>(grid_size_[1]) *
               static_cast<std::size_t>(grid_size_[2]));
  // Distances change by no more than the way from the middle of the cell.
  const double reach = std::sqrt(3.0) * grid_cell_ + 2.0 * cell_size();
  parallel_for(threads, grid_.size(), [&](std::size_t i) {
    const auto nx = static_cast<std::size_t>(grid_size_[0]);
    const auto ny = static_cast<std::size_t>(grid_size_[1]);
    const std::size_t x = i % nx;
    const std::size_t y = i / nx % ny;
    const std::size_t z = i / (nx * ny);
    const Vec3 at{double(x) + 0.5, double(y) + 0.5, double(z) + 0.5};
    const Vec3 c = grid_low_ + grid_cell_ * at;
    std::vector<double> distances;
    double least = kInfinity;
    for (const Part& part : parts_) {
      distances.push_back(nearest(part, c).distance - part.radius);
      least = std::min(least, distances.back());
    }
    for (std::uint32_t k = 0; k < parts_.size(); ++k)
      if (distances[k] <= least + reach) grid_[i].push_back(k);
  });
}

std::span<const std::uint32_t> ToolReach::parts_near(const Vec3& c) const {
  if (grid_.empty()) return all_;
  const Vec3 at = (c - grid_low_) / grid_cell_;
  std::size_t index = 0;
  for (std::size_t k = 3; k-- > 0;) {
    if (!(at[k] >= 0.0) || !(at[k] < grid_size_[k])) return all_;
    index = index * static_cast<std::size_t>(grid_size_[k]) + static_cast<std::size_t>(at[k]);
  }
  return grid_[index];
}

ToolReach::Quick ToolReach::quick(const Vec3& c) const {
  Quick best;
  for (const std::uint32_t i : parts_near(c)) {
    const Part& part = parts_[i];
    const OffsetShell::Nearest found = nearest(part, c);
    if (!(found.distance - part.radius < best.distance)) continue;
    best.distance = found.distance - part.radius;
    best.center = found.nearest + part.offset;
  }
  return best;
}

double ToolReach::distance_below(const Vec3& c, double tolerance, double enough, double surface,
                                 bool is_inside) const {
  // Balls of F are free of the body: the middle of one that is about c is farther from it than its
  // radius.
  if (!is_inside) {
    for (const Part& part : parts_) {
      const ToolProbe& tool = shells_[part.turn]->tool();
      const Vec3 t = c - part.offset;
      const double slack = tool.slack(t);
      if (surface < part.radius - 2.0 * slack) continue;
      if (tool.contact(t).spare() >= -2.0 * slack && tool.side(t) != Side::Inside)
        return -kInfinity;
    }
  }
  // A ball of F that is near bounds the search for nearer ones.
  double upper = kInfinity;
  const Part* closest = nullptr;
  for (const Part& part : parts_) {
    const double d = nearest(part, c).sample_distance - part.radius;
    if (d < upper) {
      upper = d;
      closest = &part;
    }
  }
  if (closest != nullptr) {
    const double drawn = shells_[closest->turn]->distance_above(c - closest->offset, kDrawSteps);
    if (drawn > 0.0) upper = std::min(upper, drawn - closest->radius);
  }
  double lower = upper;
  for (const Part& part : parts_) {
    const double d =
        shells_[part.turn]->distance_below(c - part.offset, tolerance, upper + part.radius);
    lower = std::min(lower, d - part.radius);
    if (lower <= enough) return -kInfinity;
  }
  return lower;
}

Sphere ToolReach::ball_around(const Vec3& c, double least, double wanted) const {
  Sphere best;
  double most = least;
  const auto consider = [&](const Part& part, const FreePoint& place) {
    if (!place.found) return false;
    const Sphere ball{place.point + part.offset, part.radius + place.spare};
    const double held = ball.radius - distance(ball.center, c);
    if (held > most) {
      best = ball;
      most = held;
    }
    return most > wanted;
  };
  // By samples first: cheap, and the order of what comes after.
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const std::uint32_t i : parts_near(c)) {
    const Part& part = parts_[i];
    const double d = nearest(part, c).distance - part.radius;
    order.emplace_back(d, i);
    FreePoint sample = shells_[part.turn]->nearest_free(c - part.offset);
    sample.spare = 0.0;
    if (consider(part, sample)) return best;
  }
  std::sort(order.begin(), order.end());
  // Well outside of F: nothing would be found.
  if (order.empty() || order.front().first > 2.0 * cell_size() - least) return best;
  for (std::size_t k = 0; k < std::min(order.size(), kMostMoved); ++k) {
    const Part& part = parts_[order[k].second];
    const OffsetShell& shell = *shells_[part.turn];
    const Vec3 t = c - part.offset;
    if (consider(part, push_out(shell.tool(), kPushSteps, t, false))) return best;
    const FreePoint start = shell.nearest_free(t);
    if (!start.found) continue;
    const double enough = part.radius - wanted;
    if (consider(part, draw_near(shell.tool(), kDrawSteps, start, t, enough))) return best;
  }
  return best;
}

}  // namespace clearance::detail
