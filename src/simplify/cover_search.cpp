// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/cover_search.h"

#include <algorithm>
#include <utility>

#include "simplify/ball_squeeze.h"
#include "simplify/cover_gaps.h"
#include "simplify/set_cover.h"

namespace clearance::detail {
namespace {

// Pieces of the surface and cells inside in which gaps are looked for, as parts of the error.
constexpr double kFinestFace = 0.03;
constexpr double kFinestInside = 0.15;
// When balls were squeezed before, so many put back in a row end it, as a part of all.
constexpr double kMostFailures = 0.25;
// Centres in one piece of a parallel loop.
constexpr std::size_t kPiece = 64;

}  // namespace

CoverSearch::CoverSearch(const BallField& field, const std::vector<SharpEdge>& edges,
                         const CoverSearchOptions& options)
    : field_(field), edges_(edges), options_(options) {}

bool CoverSearch::run() {
  Monitor* monitor = options_.monitor;
  if (balls_.empty()) {
    report_progress(monitor, "choosing spheres", 0.0);
    choose();
    if (options_.rounds > 0) {
      points_ = make_cover_points(field_, edges_, options_.fine, options_.threads, monitor).points;
      mend();
    }
    squeeze(1.0);
  }
  for (int round = 0; round < options_.rounds && !is_cancelled(monitor); ++round) {
    report_progress(monitor, "moving spheres", double(round) / options_.rounds);
    (void)note_gaps();
    mend();
    squeeze(kMostFailures);
  }
  for (int round = 0; options_.rounds > 0 && round < options_.closing_rounds; ++round) {
    if (is_cancelled(monitor)) break;
    report_progress(monitor, "closing gaps", double(round) / options_.closing_rounds);
    if (note_gaps() == 0) break;
    mend();
  }
  return !is_cancelled(monitor);
}

void CoverSearch::note(std::span<const Vec3> points) {
  points_.insert(points_.end(), points.begin(), points.end());
}

// A first cover of points that are far apart.
void CoverSearch::choose() {
  CoverPoints made =
      make_cover_points(field_, edges_, options_.spacing, options_.threads, options_.monitor);
  points_ = std::move(made.points);
  const std::vector<Sphere> candidates = balls_about(made.centers);
  const BallIncidence incidence(candidates, points_, options_.threads);
  const std::vector<std::uint32_t> numbers =
      cover_with_few(incidence, {.steps_per_ball = options_.steps_per_ball,
                                 .seed = options_.seed,
                                 .monitor = options_.monitor});
  for (const std::uint32_t k : numbers) balls_.push_back(candidates[k]);
}

std::vector<Sphere> CoverSearch::balls_about(const std::vector<Vec3>& centers) const {
  std::vector<Sphere> balls(centers.size());
  parallel_for(options_.threads, (centers.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    for (std::size_t i = piece * kPiece; i < std::min(centers.size(), (piece + 1) * kPiece); ++i)
      balls[i] = {centers[i], field_.radius(centers[i])};
  });
  return balls;
}

void CoverSearch::squeeze(double most_failures) {
  if (is_cancelled(options_.monitor)) return;
  squeeze_balls(
      field_, PointBlocks(points_), balls_,
      {.most_failures = most_failures, .threads = options_.threads, .monitor = options_.monitor});
}

void CoverSearch::mend() {
  if (is_cancelled(options_.monitor)) return;
  mend_balls(field_, PointBlocks(points_), balls_, {.monitor = options_.monitor});
}

// Gaps become points to cover. How many there are.
std::size_t CoverSearch::note_gaps() {
  std::vector<Sphere> larger = balls_;
  for (Sphere& ball : larger) ball.radius += options_.gap_depth * field_.error();
  const std::vector<Vec3> gaps = find_gaps(field_, larger,
                                           {.finest_face = kFinestFace,
                                            .finest_inside = kFinestInside,
                                            .threads = options_.threads,
                                            .monitor = options_.monitor});
  note(gaps);
  return gaps.size();
}

}  // namespace clearance::detail
