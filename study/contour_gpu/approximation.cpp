// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/approximation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include <clearance/base/random.h>
#include <clearance/contour/prober.h>
#include <clearance/contour/segment_distance.h>

#include "contour_gpu/brute_force.h"

namespace clearance::study {
namespace {

/// What one pair contributes to its row.
struct PairError {
  double error = 0.0;  ///< paper's less right, over the size of the segment
  bool face = false;
  bool contact = false;
  bool missed = false;
  double rounds = 0.0;
  std::optional<ApproximationCause> cause{};
};

std::array<Segment, 3> edges_of(const Triangle& t) {
  return {{{t.a, t.b}, {t.b, t.c}, {t.c, t.a}}};
}

/// Rounds that the iteration never needs, if it goes where it should.
constexpr PaperOptions kManyRounds{.rounds = 1000, .epsilon = 0.0};

PairError measure_pair(const ContourSegment& segment, const Triangle& triangle,
                       const PaperOptions& options) {
  const double size = bounds_of(segment).diagonal();
  const SegmentDistance right = distance(segment, triangle);
  const PaperDistance paper = paper_distance(segment, triangle, options);
  double right_edges = std::numeric_limits<double>::infinity();
  PairError result;
  for (const Segment& edge : edges_of(triangle)) {
    right_edges = std::min(right_edges, distance(segment, edge).distance);
    result.rounds += paper_distance(segment, edge, options).rounds / 3.0;
  }
  // Where edge and face are equally near, rounding decides which is nearer: that is no face case.
  constexpr double kTie = 1e-9;
  result.error = (paper.distance - right.distance) / size;
  result.face = right.distance < right_edges - kTie * size;
  result.contact = right.distance == 0.0;
  result.missed = result.contact && paper.distance > 0.0;
  if (std::abs(result.error) <= kWrongByMoreThan) return result;
  if (result.face) {
    result.cause = result.contact ? ApproximationCause::Piercing : ApproximationCause::Face;
  } else {
    const double settled = paper_distance(segment, triangle, kManyRounds).distance;
    result.cause = std::abs(settled - right.distance) <= kWrongByMoreThan * size
                       ? ApproximationCause::Early
                       : ApproximationCause::Stuck;
  }
  return result;
}

Vec3 random_direction(Random& random) {
  Vec3 direction;
  while (squared_norm(direction) == 0.0)
    direction = normalized({random.normal(), random.normal(), random.normal()});
  return direction;
}

/// A unit vector at a random angle of up to `tilt` from another.
Vec3 tilted(const Vec3& direction, double tilt, Random& random) {
  const Vec3 axis = normalized(cross(direction, random_direction(random)));
  return normalized(rotation_about(axis, random.uniform(-tilt, tilt)) * direction);
}

}  // namespace

const char* name_of(ApproximationCause cause) {
  static constexpr std::array<const char*, kApproximationCauses.size()> kNames{"face", "piercing",
                                                                               "early", "stuck"};
  return kNames[static_cast<std::size_t>(cause)];
}

Result<ContourPairs> deciding_pairs(const ContourScene& scene) {
  Result<std::unique_ptr<Prober>> tree = make_prober(scene.mesh);
  if (!tree) return tree.error();
  ContourPairs pairs{scene.name, {}, {}};
  for (const ContourFrame& frame : scene.frames) {
    const Result<std::vector<ProbeHit>> hits = (*tree)->closest_of_each(frame);
    if (!hits) return hits.error();
    for (std::size_t s = 0; s < frame.size(); ++s) {
      pairs.segments.push_back(frame[s]);
      pairs.triangles.push_back(scene.mesh.triangle((*hits)[s].triangle));
    }
  }
  return pairs;
}

ContourPairs random_pairs(std::size_t count, double tilt, double size, std::uint64_t seed) {
  Random random(seed);
  ContourPairs pairs;
  pairs.name =
      std::string(tilt > 0.0 ? "tilted" : "parallel") + (size < 1.0 ? ", small" : ", large");
  while (pairs.segments.size() < count) {
    const Vec3 axis = random_direction(random);
    const double length = random.uniform(0.3, 2.0);
    const Result<ContourSegment> segment =
        make_segment({{}, tilted(axis, tilt, random), random.uniform(0.1, 1.0)},
                     {length * axis, tilted(axis, tilt, random), random.uniform(0.1, 1.0)});
    if (!segment) continue;
    const Box bounds = bounds_of(*segment);
    const double extent = bounds.diagonal();
    // About a point from the middle of the segment to its size beyond its surface.
    const Vec3 middle =
        bounds.center() + random.uniform(0.0, 1.5) * extent * random_direction(random);
    const auto corner = [&] { return middle + 0.6 * size * extent * random_direction(random); };
    pairs.triangles.push_back({corner(), corner(), corner()});
    pairs.segments.push_back(*segment);
  }
  return pairs;
}

ApproximationRow measure_approximation(const ContourPairs& pairs, const PaperOptions& options,
                                       const std::string& variant, Threads threads) {
  std::vector<PairError> errors(pairs.segments.size());
  constexpr std::size_t kPiece = 64;
  parallel_for(threads, (errors.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::size_t last = std::min(errors.size(), (piece + 1) * kPiece);
    for (std::size_t i = piece * kPiece; i < last; ++i)
      errors[i] = measure_pair(pairs.segments[i], pairs.triangles[i], options);
  });
  ApproximationRow row;
  row.name = pairs.name;
  row.variant = variant;
  row.pairs = errors.size();
  for (const PairError& pair : errors) {
    row.largest_above = std::max(row.largest_above, pair.error);
    row.largest_below = std::max(row.largest_below, -pair.error);
    row.mean += std::abs(pair.error) / static_cast<double>(errors.size());
    row.rounds += pair.rounds / static_cast<double>(errors.size());
    row.faces += pair.face ? 1 : 0;
    row.contact += pair.contact ? 1 : 0;
    row.missed += pair.missed ? 1 : 0;
    if (!pair.cause) continue;
    ++row.wrong;
    ++row.causes[static_cast<std::size_t>(*pair.cause)];
  }
  return row;
}

Result<QueryErrorRow> measure_query_error(const std::string& name, const ContourScene& scene,
                                          std::size_t frames, Threads threads) {
  Result<std::unique_ptr<Prober>> tree = make_prober(scene.mesh);
  if (!tree) return tree.error();
  const PaperBruteForce paper(scene.mesh);
  QueryErrorRow row;
  row.name = name;
  row.frames = std::min(frames, scene.frames.size());
  for (std::size_t i = 0; i < row.frames; ++i) {
    const ContourFrame& frame = scene.frames[i * scene.frames.size() / row.frames];
    const Result<ProbeHit> right = (*tree)->closest(frame);
    if (!right) return right.error();
    const PaperClosest found = paper.closest(frame, threads);
    const double error = found.distance - right->distance;
    if (std::abs(error) > std::abs(row.largest)) row.largest = error;
    row.mean += std::abs(error) / static_cast<double>(row.frames);
    if (right->distance > 0.0)
      row.largest_relative = std::max(row.largest_relative, std::abs(error) / right->distance);
    row.other_triangle += found.triangle != right->triangle ? 1 : 0;
  }
  return row;
}

}  // namespace clearance::study
