// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <clearance/simplify/cover.h>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/cover_proof.h"

namespace clearance {
namespace {

using detail::Ball;
using detail::BallSet;
using detail::BodyProbe;
using detail::Candidates;
using detail::CellPiece;

constexpr double kSqrt3 = 1.7320508075688773;
constexpr std::size_t kBlock = 64;
/// What sums of volumes lose to rounding, as a fraction: far below any gap that is asked for.
constexpr double kSumRounding = 1e-12;

enum class Part : std::uint8_t { None, Some, All };

/// A cell, and how much of it is in the balls and in the body.
struct VolumeCell {
  CellPiece piece;
  Part balls = Part::Some;
  Part body = Part::Some;
  [[nodiscard]] bool is_decided() const {
    return balls == Part::None || (balls == Part::All && body != Part::Some);
  }
};

void measure(const BodyProbe& probe, const BallSet& balls, VolumeCell& cell) {
  const Vec3& y = cell.piece.center;
  const double h = kSqrt3 * cell.piece.half * (1.0 + 1e-15);
  const Vec3 half{cell.piece.half, cell.piece.half, cell.piece.half};
  if (cell.balls == Part::Some) {
    Candidates near;
    balls.near(y, h, near);
    cell.balls = Part::None;
    for (const std::uint32_t i : near) {
      const Vec3 offset = abs(y - balls[i].center);
      if (norm(max(offset - half, Vec3{})) > balls[i].outer) continue;
      cell.balls = Part::Some;
      if (norm(offset + half) > balls[i].inner) continue;
      cell.balls = Part::All;
      break;
    }
  }
  if (cell.balls == Part::None || cell.body != Part::Some) return;
  if (probe.surface(y, h + 2.0 * probe.slack(y)).distance <= h + probe.slack(y)) return;
  const Side side = probe.side(y);
  if (side == Side::Inside) cell.body = Part::All;
  if (side == Side::Outside) cell.body = Part::None;
}

}  // namespace

SphereVolumes sphere_volumes(const Model& body, std::span<const Sphere> spheres,
                             double relative_gap, const CoverOptions& options) {
  const Box& bounds = body.bvh().bounds();
  const BallSet balls(spheres, norm(max(abs(bounds.low), abs(bounds.high))));
  const BodyProbe probe(body);
  SphereVolumes volumes;
  if (balls.size() == 0) return volumes;
  Box box;
  for (const Ball& ball : balls.balls()) {
    const Vec3 r{ball.outer, ball.outer, ball.outer};
    box.include(Box{ball.center - r, ball.center + r});
  }
  VolumeCell root;
  root.piece.center = box.center();
  root.piece.half = 0.5001 * largest_component(box.size());
  // Without a solid nothing is inside.
  if (!body.is_solid()) root.body = Part::None;

  // Level by level; what is decided is added up, the rest lies between the bounds.
  std::vector<VolumeCell> open{root};
  std::size_t pieces = 1;
  double all = 0.0;
  double outside = 0.0;
  double covered = 0.0;
  while (!open.empty() && pieces < options.most_pieces && !is_cancelled(options.monitor)) {
    std::vector<std::array<VolumeCell, 8>> parts(open.size());
    parallel_for(options.threads, (open.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
      std::vector<CellPiece> divided;
      for (std::size_t i = block * kBlock; i < std::min(open.size(), (block + 1) * kBlock); ++i) {
        divided.clear();
        divide_cell(open[i].piece, divided);
        for (std::size_t k = 0; k < 8; ++k) {
          parts[i][k] = {divided[k], open[i].balls, open[i].body};
          measure(probe, balls, parts[i][k]);
        }
      }
    });
    pieces += 8 * open.size();
    const double edge = open.front().piece.half;
    const double volume = edge * edge * edge;
    std::vector<VolumeCell> next;
    double all_open = 0.0;
    double outside_open = 0.0;
    double covered_open = 0.0;
    for (const auto& eight : parts) {
      for (const VolumeCell& cell : eight) {
        if (cell.balls == Part::None) continue;
        if (!cell.is_decided()) {
          next.push_back(cell);
          // A cell that the balls hold whole counts with all of it, whatever of the body is there.
          if (cell.balls == Part::Some) all_open += volume;
          if (cell.body != Part::All) outside_open += volume;
          if (cell.body != Part::None) covered_open += volume;
        } else {
          all += volume;
          outside += cell.body == Part::None ? volume : 0.0;
          covered += cell.body == Part::All ? volume : 0.0;
        }
      }
    }
    double whole = 0.0;
    for (const VolumeCell& cell : next) whole += cell.balls == Part::All ? volume : 0.0;
    const double down = 1.0 - kSumRounding;
    const double up = 1.0 + kSumRounding;
    volumes.all = {(all + whole) * down, (all + whole + all_open) * up};
    volumes.outside = {outside * down, (outside + outside_open) * up};
    volumes.covered = {covered * down, (covered + covered_open) * up};
    open = std::move(next);
    const double gap = std::max({volumes.all.upper - volumes.all.lower,
                                 volumes.outside.upper - volumes.outside.lower,
                                 volumes.covered.upper - volumes.covered.lower});
    if (gap <= relative_gap * volumes.all.lower) break;
    if (8 * open.size() > options.most_pieces - std::min(options.most_pieces, pieces)) break;
  }
  return volumes;
}

}  // namespace clearance
