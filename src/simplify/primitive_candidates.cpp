// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/primitive_candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "simplify/convex_shape.h"

namespace clearance::detail {
namespace {

// Seeds of capsules and of boxes; more are thinned.
constexpr std::size_t kCapsuleSeeds = 250;
constexpr std::size_t kBoxSeeds = 120;
// Directions of capsules and orientations of boxes that are tried.
constexpr std::size_t kMostDirections = 8;
constexpr std::size_t kMostFrames = 6;
// Directions nearer to each other than this are one: cos 8°.
constexpr double kSameDirection = 0.99;
// Capsules have these parts of the largest radius about their seed: the thinner, the longer.
constexpr std::array kShares{0.985, 0.95, 0.85};
// Steps along the axis of a capsule, as a part of the error; at most so many to either side.
constexpr double kStep = 0.25;
constexpr int kMostSteps = 400;
// Neighbours of a seed that a capsule leads to.
constexpr std::size_t kNeighbours = 8;
// Boxes of one orientation, at most.
constexpr std::size_t kMostBoxes = 32;
// A box is grown while it sticks out by no more than this part of the error, so that each of its
// faces finds room; then all of them move out together as far as the whole error allows.
constexpr double kGrowthError = 0.35;
// Points along a side of a face that are looked at.
constexpr int kGrid = 6;
// Rounds of growth; steps grow and shrink by powers of two.
constexpr int kGrowthRounds = 28;

/// The heaviest directions, none near another; the sign does not matter.
std::vector<Vec3> main_directions(std::span<const std::pair<Vec3, double>> weighted,
                                  std::size_t most) {
  // By cells of the unit sphere first: there may be millions.
  struct Bin {
    double weight = 0.0;
    double heaviest = 0.0;
    Vec3 direction;
  };
  std::map<std::array<int, 3>, Bin> bins;
  for (const auto& [given, weight] : weighted) {
    const Vec3 steep = abs(given);
    const double largest = largest_component(steep);
    if (!(largest > 0.0) || !(weight > 0.0)) continue;
    const double leading = steep.x == largest ? given.x : steep.y == largest ? given.y : given.z;
    const Vec3 d = normalized(leading < 0.0 ? -given : given);
    Bin& bin =
        bins[{static_cast<int>(std::lround(16.0 * d.x)), static_cast<int>(std::lround(16.0 * d.y)),
              static_cast<int>(std::lround(16.0 * d.z))}];
    bin.weight += weight;
    if (weight > bin.heaviest) bin.heaviest = weight, bin.direction = d;
  }
  std::vector<Bin> sorted;
  sorted.reserve(bins.size());
  for (const auto& [key, bin] : bins) sorted.push_back(bin);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Bin& a, const Bin& b) { return a.weight > b.weight; });
  std::vector<Vec3> out;
  for (const Bin& bin : sorted) {
    if (out.size() == most) break;
    if (std::none_of(out.begin(), out.end(), [&](const Vec3& d) {
          return std::abs(dot(d, bin.direction)) > kSameDirection;
        }))
      out.push_back(bin.direction);
  }
  return out;
}

std::vector<Vec3> edge_directions(const Mesh& mesh) {
  std::vector<std::pair<Vec3, double>> weighted;
  for (std::size_t t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    for (const Vec3& edge :
         {triangle.b - triangle.a, triangle.c - triangle.b, triangle.a - triangle.c})
      weighted.emplace_back(edge, norm(edge));
  }
  return main_directions(weighted, kMostDirections);
}

/// Orientations whose axes are normals of faces, the largest first; that of the coordinates as
/// well.
std::vector<Mat3> face_frames(const Mesh& mesh) {
  std::vector<std::pair<Vec3, double>> weighted;
  for (std::size_t t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    const Vec3 normal = cross(triangle.b - triangle.a, triangle.c - triangle.a);
    weighted.emplace_back(normal, norm(normal));
  }
  const std::vector<Vec3> normals = main_directions(weighted, kMostDirections);
  const std::vector<Vec3> edges = edge_directions(mesh);
  std::vector<Mat3> frames;
  const auto is_known = [&](const Mat3& frame) {
    return std::any_of(frames.begin(), frames.end(), [&](const Mat3& other) {
      int same = 0;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          if (std::abs(dot(frame.column(i), other.column(j))) > kSameDirection) ++same;
      return same == 3;
    });
  };
  const auto add = [&](const Vec3& x, const Vec3& near_y) {
    const Vec3 across = near_y - dot(x, near_y) * x;
    if (norm(across) < 0.9 || frames.size() == kMostFrames) return;
    const Vec3 y = normalized(across);
    const Mat3 frame = Mat3::from_columns(x, y, cross(x, y));
    if (!is_known(frame)) frames.push_back(frame);
  };
  // Two faces at a right angle, or a face and an edge in it.
  for (std::size_t i = 0; i < normals.size(); ++i) {
    for (std::size_t j = i + 1; j < normals.size(); ++j)
      if (std::abs(dot(normals[i], normals[j])) < 1e-3) add(normals[i], normals[j]);
    for (const Vec3& edge : edges)
      if (std::abs(dot(normals[i], edge)) < 1e-3) add(normals[i], edge);
  }
  if (frames.size() == kMostFrames) frames.pop_back();
  if (!is_known(Mat3::identity())) frames.push_back(Mat3::identity());
  return frames;
}

std::vector<Vec3> thinned(std::span<const Vec3> points, std::size_t most) {
  const std::size_t stride = (points.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<Vec3> out;
  for (std::size_t i = 0; i < points.size(); i += std::max<std::size_t>(stride, 1))
    out.push_back(points[i]);
  return out;
}

void append_along(const BallField& field, const Vec3& seed, std::span<const Vec3> directions,
                  std::vector<Capsule>& out) {
  const double radius = field.radius(seed);
  if (!(radius > 0.0)) return;
  const double step = kStep * field.error();
  for (const Vec3& direction : directions) {
    // How far each radius goes to both sides, in one walk.
    std::array<std::array<double, 2>, kShares.size()> ends{};
    for (std::size_t side = 0; side < 2; ++side) {
      std::size_t open = 0;  // the first share that still goes on; thinner ones do as well
      for (int i = 1; i <= kMostSteps && open < kShares.size(); ++i) {
        const double t = i * step * (side == 0 ? -1.0 : 1.0);
        const double there = field.radius(seed + t * direction);
        while (open < kShares.size() && there < kShares[open] * radius) ++open;
        for (std::size_t k = open; k < kShares.size(); ++k) ends[k][side] = t;
      }
    }
    for (std::size_t k = 0; k < kShares.size(); ++k) {
      if (ends[k][1] - ends[k][0] < 0.5 * field.error()) continue;
      out.push_back(
          {{seed + ends[k][0] * direction, seed + ends[k][1] * direction}, kShares[k] * radius});
    }
  }
}

void append_between(const BallField& field, const Vec3& a, const Vec3& b,
                    std::vector<Capsule>& out) {
  const double length = distance(a, b);
  const int steps = std::clamp(static_cast<int>(length / (kStep * field.error())), 2, kMostSteps);
  double least = std::min(field.radius(a), field.radius(b));
  for (int i = 1; i < steps && least > 0.0; ++i)
    least = std::min(least, field.radius(a + (double(i) / steps) * (b - a)));
  if (least > 0.0) out.push_back({{a, b}, (1.0 - 1e-2) * least});
}

/// A box in a frame that is grown.
class GrowingBox {
 public:
  GrowingBox(const BallField& field, const Mat3& axes, const Vec3& seed)
      : field_(field), axes_(axes), low_(transpose_times(axes, seed)), high_(low_) {
    const double first = 0.2 * std::max(field.radius(seed), 0.0);
    low_ -= Vec3{first, first, first};
    high_ += Vec3{first, first, first};
  }

  [[nodiscard]] bool grow() {
    const double room = (1.0 - kGrowthError) * field_.error();
    if (!is_within(low_, high_, room)) return false;
    std::array<double, 6> step;
    step.fill(2.0 * field_.error());
    const double finest = 0.05 * field_.error();
    for (int round = 0; round < kGrowthRounds; ++round) {
      bool is_done = true;
      for (std::size_t face = 0; face < 6; ++face) {
        if (step[face] < finest) continue;
        is_done = false;
        const std::size_t axis = face / 2;
        // Only what is new is looked at.
        Vec3 low = low_;
        Vec3 high = high_;
        if (face % 2 == 0) {
          high[axis] = low_[axis];
          low[axis] -= step[face];
        } else {
          low[axis] = high_[axis];
          high[axis] += step[face];
        }
        if (!is_within(low, high, room)) {
          step[face] *= 0.5;
          continue;
        }
        low_ = min(low_, low);
        high_ = max(high_, high);
        step[face] *= 2.0;
      }
      if (is_done) break;
    }
    return true;
  }

  /// Moves all faces out together as far as the whole error allows.
  void spread() {
    double good = 0.0;
    double bad = field_.error();
    for (int i = 0; i < 6; ++i) {
      const double way = 0.5 * (good + bad);
      const Vec3 more{way, way, way};
      (is_within(low_ - more, high_ + more, 0.0) ? good : bad) = way;
    }
    low_ -= Vec3{good, good, good};
    high_ += Vec3{good, good, good};
  }

  [[nodiscard]] OrientedBox box() const {
    return {{axes_, axes_ * (0.5 * (low_ + high_))}, 0.5 * (high_ - low_)};
  }

 private:
  // Is the radius at points of the box at least so large? The nearer to the error from the body,
  // the smaller it is; at the error it is 0.
  [[nodiscard]] bool is_within(const Vec3& low, const Vec3& high, double room) const {
    const Vec3 size = high - low;
    std::array<int, 3> count{};
    for (std::size_t k = 0; k < 3; ++k)
      count[k] = std::clamp(1 + static_cast<int>(size[k] / field_.error()), 2, kGrid);
    for (int x = 0; x < count[0]; ++x) {
      for (int y = 0; y < count[1]; ++y) {
        for (int z = 0; z < count[2]; ++z) {
          const Vec3 p{low.x + size.x * x / (count[0] - 1), low.y + size.y * y / (count[1] - 1),
                       low.z + size.z * z / (count[2] - 1)};
          if (field_.radius(axes_ * p) < room) return false;
        }
      }
    }
    return true;
  }

  const BallField& field_;
  Mat3 axes_;
  Vec3 low_, high_;  // in the frame of the axes
};

}  // namespace

std::vector<Capsule> capsule_candidates(const BallField& field, std::span<const Vec3> seeds,
                                        const CandidateOptions& options) {
  const std::vector<Vec3> directions = edge_directions(field.kept().body().mesh());
  const std::vector<Vec3> few = thinned(seeds, kCapsuleSeeds);
  std::vector<std::vector<Capsule>> found(few.size());
  parallel_for(options.threads, few.size(), [&](std::size_t i) {
    if (is_cancelled(options.monitor)) return;
    append_along(field, few[i], directions, found[i]);
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t k = i + 1; k < few.size(); ++k) near.emplace_back(distance(few[i], few[k]), k);
    const std::size_t count = std::min(near.size(), kNeighbours);
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end());
    for (std::size_t k = 0; k < count; ++k)
      append_between(field, few[i], few[near[k].second], found[i]);
  });
  std::vector<Capsule> out;
  for (const auto& list : found) out.insert(out.end(), list.begin(), list.end());
  return out;
}

std::vector<OrientedBox> box_candidates(const BallField& field, std::span<const Vec3> seeds,
                                        const CandidateOptions& options) {
  const std::vector<Mat3> frames = face_frames(field.kept().body().mesh());
  const std::vector<Vec3> few = thinned(seeds, kBoxSeeds);
  std::vector<std::vector<OrientedBox>> found(frames.size());
  parallel_for(options.threads, frames.size(), [&](std::size_t f) {
    std::vector<ConvexShape> known;
    for (const Vec3& seed : few) {
      if (is_cancelled(options.monitor) || found[f].size() >= kMostBoxes) return;
      // What is well inside of another would grow into it.
      if (std::any_of(known.begin(), known.end(), [&](const ConvexShape& box) {
            return box.signed_distance(seed) < -field.error();
          }))
        continue;
      GrowingBox box(field, frames[f], seed);
      if (!box.grow()) continue;
      box.spread();
      found[f].push_back(box.box());
      known.push_back(convex_shape(box.box(), 0.0));
    }
  });
  std::vector<OrientedBox> out;
  for (const auto& list : found) out.insert(out.end(), list.begin(), list.end());
  return out;
}

}  // namespace clearance::detail
