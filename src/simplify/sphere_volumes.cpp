// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <clearance/simplify/cover.h>
#include <clearance/simplify/primitives.h>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/cover_proof.h"
#include "simplify/primitive_proof.h"

namespace clearance {
namespace {

using detail::Ball;
using detail::BallSet;
using detail::BodyProbe;
using detail::Candidates;
using detail::CellPiece;
using detail::ConvexShape;

constexpr double kSqrt3 = 1.7320508075688773;
constexpr std::size_t kBlock = 64;
/// What sums of volumes lose to rounding, as a fraction: far below any gap that is asked for.
constexpr double kSumRounding = 1e-12;

enum class Part : std::uint8_t { None, Some, All };

/// A cell, and how much of it is in the union and in the body.
struct VolumeCell {
  CellPiece piece;
  Part balls = Part::Some;
  Part body = Part::Some;
  [[nodiscard]] bool is_decided() const {
    return balls == Part::None || (balls == Part::All && body != Part::Some);
  }
};

/// Half the diagonal of a cell.
double reach_of(const CellPiece& cell) { return kSqrt3 * cell.half * (1.0 + 1e-15); }

/// How much of a cell is in the union of balls: all when it is in one of them.
class BallUnion {
 public:
  explicit BallUnion(const BallSet& balls) : balls_(balls) {}

  [[nodiscard]] Box bounds() const {
    Box box;
    for (const Ball& ball : balls_.balls()) {
      const Vec3 r{ball.outer, ball.outer, ball.outer};
      box.include(Box{ball.center - r, ball.center + r});
    }
    return box;
  }
  [[nodiscard]] Part part_of(const CellPiece& cell) const {
    const Vec3 half{cell.half, cell.half, cell.half};
    Candidates near;
    balls_.near(cell.center, reach_of(cell), near);
    Part part = Part::None;
    for (const std::uint32_t i : near) {
      const Vec3 offset = abs(cell.center - balls_[i].center);
      if (norm(max(offset - half, Vec3{})) > balls_[i].outer) continue;
      part = Part::Some;
      if (norm(offset + half) <= balls_[i].inner) return Part::All;
    }
    return part;
  }

 private:
  const BallSet& balls_;
};

/// The same of spheres, capsules and boxes. Spheres are looked up by place; of the others there are
/// few.
class PrimitiveUnion {
 public:
  explicit PrimitiveUnion(const detail::PrimitiveField& field)
      : balls_(field.balls()), others_(field.shapes().subspan(field.balls().size())) {}

  [[nodiscard]] Box bounds() const {
    Box box = balls_.bounds();
    for (const ConvexShape& shape : others_) {
      const Sphere around = shape.around();
      const double reach = around.radius + shape.slack;
      const Vec3 r{reach, reach, reach};
      box.include(Box{around.center - r, around.center + r});
    }
    return box;
  }
  [[nodiscard]] Part part_of(const CellPiece& cell) const {
    Part part = balls_.part_of(cell);
    if (part == Part::All) return part;
    const double h = reach_of(cell);
    for (const ConvexShape& shape : others_) {
      const double d = shape.signed_distance(cell.center);
      if (d > h + shape.slack) continue;
      part = Part::Some;
      if (d <= 0.0 && holds(shape, cell)) return Part::All;
    }
    return part;
  }

 private:
  // Convex: all of a cell when all of its corners.
  static bool holds(const ConvexShape& shape, const CellPiece& cell) {
    for (unsigned k = 0; k < 8; ++k) {
      const Vec3 corner = cell.center + Vec3{(k & 1U) != 0 ? cell.half : -cell.half,
                                             (k & 2U) != 0 ? cell.half : -cell.half,
                                             (k & 4U) != 0 ? cell.half : -cell.half};
      if (!shape.holds(corner)) return false;
    }
    return true;
  }

  BallUnion balls_;
  std::span<const ConvexShape> others_;
};

template <typename Union>
void measure(const BodyProbe& probe, const Union& shapes, VolumeCell& cell) {
  const Vec3& y = cell.piece.center;
  const double h = reach_of(cell.piece);
  if (cell.balls == Part::Some) cell.balls = shapes.part_of(cell.piece);
  if (cell.balls == Part::None || cell.body != Part::Some) return;
  if (probe.surface(y, h + 2.0 * probe.slack(y)).distance <= h + probe.slack(y)) return;
  const Side side = probe.side(y);
  if (side == Side::Inside) cell.body = Part::All;
  if (side == Side::Outside) cell.body = Part::None;
}

template <typename Union>
SphereVolumes volumes_of(const Model& body, const Union& shapes, double relative_gap,
                         const CoverOptions& options) {
  const BodyProbe probe(body);
  SphereVolumes volumes;
  const Box box = shapes.bounds();
  if (box.empty()) return volumes;
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
          measure(probe, shapes, parts[i][k]);
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
          // A cell that the union holds whole counts with all of it, whatever of the body is there.
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

}  // namespace

SphereVolumes sphere_volumes(const Model& body, std::span<const Sphere> spheres,
                             double relative_gap, const CoverOptions& options) {
  const Box& bounds = body.bvh().bounds();
  const BallSet balls(spheres, norm(max(abs(bounds.low), abs(bounds.high))));
  return volumes_of(body, BallUnion(balls), relative_gap, options);
}

SphereVolumes primitive_volumes(const Model& body, const PrimitiveSet& primitives,
                                double relative_gap, const CoverOptions& options) {
  const Box& bounds = body.bvh().bounds();
  const detail::PrimitiveField field(primitives, norm(max(abs(bounds.low), abs(bounds.high))));
  return volumes_of(body, PrimitiveUnion(field), relative_gap, options);
}

}  // namespace clearance
