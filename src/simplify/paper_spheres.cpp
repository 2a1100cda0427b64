// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/paper_spheres.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/base/random.h>
#include <clearance/geometry/closest_points.h>
#include <clearance/query/shapes.h>

namespace clearance::detail {
namespace {

// Trials in one piece of a parallel loop, each with a generator of its own.
constexpr std::size_t kTrialPiece = 256;
// A sphere counts as held in two places when, moved off its contact by a way, it finds room for
// less than the way minus this part of the error.
constexpr double kHeldTolerance = 0.02;
// The step over which the direction away from contacts is seen, as a part of the error.
constexpr double kDirectionStep = 0.02;
// Points in a block: few enough for a small box, many enough that boxes are not the work.
constexpr std::size_t kBlockPoints = 64;
// Distances from boxes and from points are off by a few 1e-16 of themselves.
constexpr double kBoxRounding = 1e-12;

}  // namespace

std::vector<Sphere> random_external_spheres(const Model& body, double diameter, std::size_t trials,
                                            std::uint64_t seed, Threads threads) {
  // Balls a diameter away from the body touch it nowhere else than nearer ones do.
  Box box = body.mesh().bounds();
  const Vec3 margin{diameter, diameter, diameter};
  box.low = box.low - margin;
  box.high = box.high + margin;
  const Random random(seed);
  std::vector<std::vector<Sphere>> found((trials + kTrialPiece - 1) / kTrialPiece);
  parallel_for(threads, found.size(), [&](std::size_t piece) {
    Random own = random.split(piece);
    const std::size_t end = std::min(trials, (piece + 1) * kTrialPiece);
    for (std::size_t i = piece * kTrialPiece; i < end; ++i) {
      const Vec3 p{own.uniform(box.low.x, box.high.x), own.uniform(box.low.y, box.high.y),
                   own.uniform(box.low.z, box.high.z)};
      if (body.is_solid() && body.side(p) != Side::Outside) continue;
      const double radius = distance(body.bvh(), p).distance;
      if (radius >= 0.5 * diameter) found[piece].push_back({p, radius});
    }
  });
  std::vector<Sphere> spheres;
  for (const auto& some : found) spheres.insert(spheres.end(), some.begin(), some.end());
  return spheres;
}

InternalSpheres::InternalSpheres(const KeptVolume& kept, std::vector<Sphere> external,
                                 const InternalOptions& options)
    : kept_(kept), external_(std::move(external)), options_(options) {}

void InternalSpheres::add_points(std::span<const Vec3> points) {
  for (const Vec3& p : points) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Sphere& s : spheres_) nearest = std::min(nearest, distance(p, s.center) - s.radius);
    if (points_.size() % kBlockPoints == 0) blocks_.emplace_back();
    Block& block = blocks_.back();
    block.box.include(p);
    if (nearest > block.largest) block.largest = nearest, block.farthest = points_.size();
    points_.push_back(p);
    distances_.push_back(nearest);
  }
  find_largest();
}

void InternalSpheres::find_largest() {
  largest_ = -std::numeric_limits<double>::infinity();
  for (const Block& block : blocks_)
    if (block.largest > largest_) largest_ = block.largest, farthest_ = block.farthest;
}

void InternalSpheres::update(Block& block, std::size_t begin, const Sphere& sphere) {
  const double apart = std::sqrt(squared_distance(sphere.center, block.box));
  if ((1.0 - kBoxRounding) * apart - sphere.radius >= block.largest) return;
  block.largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = begin; i < std::min(points_.size(), begin + kBlockPoints); ++i) {
    distances_[i] = std::min(distances_[i], distance(points_[i], sphere.center) - sphere.radius);
    if (distances_[i] > block.largest) block.largest = distances_[i], block.farthest = i;
  }
}

bool InternalSpheres::run() {
  while (!points_.empty() && largest_ > options_.error &&
         (options_.most_spheres == 0 || spheres_.size() < options_.most_spheres)) {
    if (is_cancelled(options_.monitor)) return false;
    const Sphere sphere = place(points_[farthest_]);
    spheres_.push_back(sphere);
    for (std::size_t b = 0; b < blocks_.size(); ++b) update(blocks_[b], b * kBlockPoints, sphere);
    find_largest();
    history_.push_back({spheres_.size(), std::max(largest_, 0.0)});
  }
  return true;
}

// How large a sphere about c may be: up to the external spheres and the boundary.
double InternalSpheres::room(const Vec3& c) const {
  double radius = kept_.quick_radius(c, 0.0);
  for (const Sphere& s : external_) radius = std::min(radius, distance(c, s.center) - s.radius);
  return radius;
}

Vec3 InternalSpheres::away(const Vec3& c, double step) const {
  Vec3 gradient;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec3 offset;
    offset[axis] = step;
    gradient[axis] = room(c + offset) - room(c - offset);
  }
  return normalized(gradient);
}

Sphere InternalSpheres::place(const Vec3& start) const {
  const double step = kDirectionStep * options_.error;
  // Where the smallest sphere fits: off whatever it touches. Where it fits nowhere near, the
  // largest that does.
  Vec3 c = start;
  double radius = room(c);
  constexpr int kMostMoves = 30;
  for (int move = 0; move < kMostMoves && radius < options_.least_radius; ++move) {
    const Vec3 next = c + std::max(options_.least_radius - radius, step) * away(c, step);
    const double there = room(next);
    if (there <= radius) break;
    c = next;
    radius = there;
  }
  // Off the single contact along its normal, growing, until held in a second place.
  const Vec3 direction = away(c, step);
  const double held = kHeldTolerance * options_.error;
  const auto is_free = [&](double t) { return room(c + t * direction) >= radius + t - held; };
  double low = 0.0;
  double high = std::max(radius, options_.error);
  while (is_free(high) && high < kept_.bounds().diagonal()) low = high, high *= 2.0;
  constexpr int kBisections = 20;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    (is_free(middle) ? low : high) = middle;
  }
  c = c + low * direction;
  // Proven to stay in the kept volume, unless it is a point of it.
  radius = std::min(room(c), kept_.safe_radius(c, 0.0, 0.1 * step));
  if (!(radius > 0.0)) return {start, 0.0};
  return {c, radius};
}

}  // namespace clearance::detail
