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
// Contacts that a sphere is to leave in directions less than this apart are one place [cosine of
// 40 degrees]: the flat faces that stand for a round one, and blunt edges. Smaller, and the faces
// of a rough cylinder hold a sphere off its axis; larger, and faces at right angles are one place.
constexpr double kSamePlace = 0.76604444311897804;
// A sphere has left a contact that it is farther from than this part of the error.
constexpr double kHeldTolerance = 0.02;
// A sphere stays as near as this part of the error to the point that it is added for, however many
// places hold it: else the point would remain the farthest. In a square edge that lets a sphere
// start as wide as 2.6 times the error; the one that holds the most of it is twice as wide.
constexpr double kMostLeft = 0.55;
// The step over which the direction away from contacts is seen, as a part of the error.
constexpr double kDirectionStep = 0.02;
// What a proven radius may fall short of the largest by, as a part of the error.
constexpr double kProofTolerance = 0.002;
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
    : kept_(kept), quick_(kept.quick(0.0)), external_(std::move(external)), options_(options) {}

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

void InternalSpheres::drop(std::size_t point) {
  distances_[point] = -std::numeric_limits<double>::infinity();
  Block& block = blocks_[point / kBlockPoints];
  block.largest = distances_[point];
  const std::size_t begin = point / kBlockPoints * kBlockPoints;
  for (std::size_t i = begin; i < std::min(points_.size(), begin + kBlockPoints); ++i)
    if (distances_[i] > block.largest) block.largest = distances_[i], block.farthest = i;
  find_largest();
}

bool InternalSpheres::run() {
  // All are equally far from no sphere.
  if (spheres_.empty() && !points_.empty()) farthest_ = Random(options_.seed).below(points_.size());
  while (!points_.empty() && largest_ > options_.error &&
         (options_.most_spheres == 0 || spheres_.size() < options_.most_spheres)) {
    if (is_cancelled(options_.monitor)) return false;
    const std::optional<Sphere> placed = place(points_[farthest_]);
    if (!placed) {
      drop(farthest_);
      continue;
    }
    const Sphere sphere = *placed;
    spheres_.push_back(sphere);
    for (std::size_t b = 0; b < blocks_.size(); ++b) update(blocks_[b], b * kBlockPoints, sphere);
    find_largest();
    history_.push_back({spheres_.size(), std::max(largest_, 0.0)});
  }
  return true;
}

// How large a sphere about c may be, up to the external spheres and the boundary.
InternalSpheres::Room InternalSpheres::room(const Vec3& c) const {
  const KeptVolume::QuickBall ball = quick_.ball(c);
  // What limits it is outside: the place that is touched, or the middle of an external ball. One
  // that is outside itself is moved the other way, to the place that is nearest.
  Room room{ball.radius, ball.radius >= 0.0 || kept_.is_filled() ? c - ball.limit : ball.limit - c};
  for (const Sphere& s : external_) {
    const double radius = distance(c, s.center) - s.radius;
    if (radius < room.radius) room = {radius, c - s.center};
  }
  room.away = normalized(room.away);
  return room;
}

bool InternalSpheres::is_near(const Placed& placed, const Vec3& point) const {
  return distance(placed.center, point) - placed.room.radius <= kMostLeft * options_.error;
}

Vec3 InternalSpheres::uphill(const Vec3& c, double step) const {
  Vec3 gradient;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec3 offset;
    offset[axis] = step;
    gradient[axis] = room(c + offset).radius - room(c - offset).radius;
  }
  return normalized(gradient);
}

// Where the smallest sphere fits: off whatever it touches. Where it fits nowhere near the point, a
// smaller one.
InternalSpheres::Placed InternalSpheres::moved_off(const Vec3& point) const {
  const double step = kDirectionStep * options_.error;
  Placed placed{point, room(point)};
  constexpr int kMostMoves = 30;
  bool has_moved = true;
  for (int move = 0; move < kMostMoves && has_moved; ++move) {
    const double lacking = options_.least_radius - placed.room.radius;
    if (lacking <= 0.0) break;
    const Vec3 direction = uphill(placed.center, step);
    has_moved = false;
    for (double way = std::max(lacking, step); !has_moved && way >= step; way *= 0.5) {
      const Placed there = at(placed.center + way * direction);
      has_moved = there.room.radius > placed.room.radius && is_near(there, point);
      if (has_moved) placed = there;
    }
  }
  return placed;
}

// Along the normal of the contact, growing, as long as nothing touches that is a place of its own.
InternalSpheres::Placed InternalSpheres::moved_along(const Placed& from, const Vec3& normal,
                                                     double first_way, const Vec3& point) const {
  const auto is_free = [&](const Placed& there, double way) {
    return dot(there.room.away, normal) >= kSamePlace &&
           there.room.radius >= from.room.radius + kSamePlace * way && is_near(there, point);
  };
  Placed best = from;
  double low = 0.0;
  double high = first_way;
  const double most = kept_.bounds().diagonal();
  for (Placed there = at(from.center + high * normal); high < most && is_free(there, high);
       there = at(from.center + high * normal)) {
    best = there;
    low = high;
    high *= 2.0;
  }
  constexpr int kBisections = 20;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    const Placed there = at(from.center + middle * normal);
    const bool free = is_free(there, middle);
    (free ? low : high) = middle;
    if (free) best = there;
  }
  return best;
}

std::optional<Sphere> InternalSpheres::place(const Vec3& point) const {
  Placed placed = moved_off(point);
  // Moved and grown, until a second place holds it while it still touches the first.
  const double held = kHeldTolerance * options_.error;
  constexpr double kMoved = 0.1;  // of the error; where it did not move, its contact is the normal
  constexpr int kMostMoves = 8;
  Vec3 normal = distance(placed.center, point) > kMoved * options_.error
                    ? normalized(placed.center - point)
                    : placed.room.away;
  double first_way = std::max(placed.room.radius, options_.error);
  for (int move = 0; move < kMostMoves; ++move) {
    const Placed there = moved_along(placed, normal, first_way, point);
    const double way = distance(there.center, placed.center);
    const double left = placed.room.radius + way - there.room.radius;
    placed = there;
    if (move > 0 && (way <= held || left <= held)) break;
    normal = placed.room.away;
    first_way = kMoved * options_.error;
  }
  // Proven to stay in the kept volume.
  const double tolerance = kProofTolerance * options_.error;
  const double radius =
      std::min(placed.room.radius, kept_.safe_radius(placed.center, 0.0, tolerance));
  if (radius > 0.0 && distance(placed.center, point) - radius < options_.error)
    return Sphere{placed.center, radius};
  // The point alone; an estimate of the boundary may be outside by a little. Where it is outside by
  // more, no sphere can hold it, nor need one.
  const double alone =
      std::min(kept_.safe_radius(point, options_.error, tolerance) - options_.error, 0.0);
  if (alone < -kMostLeft * options_.error) return std::nullopt;
  return Sphere{point, alone};
}

}  // namespace clearance::detail
