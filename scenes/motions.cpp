// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "motions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <clearance/base/random.h>
#include <clearance/query/query.h>

namespace clearance::scenes {
namespace {

constexpr double kNearGap = 0.01;     // of D
constexpr double kGapSlack = 0.1;     // a gap this close to the wanted one is taken
constexpr double kPathSlope = 0.002;  // of D: most the path moves in or out in a step

Vec3 random_direction(Random& random) {
  while (true) {
    const Vec3 v{random.normal(), random.normal(), random.normal()};
    if (norm(v) > 1e-6) return normalized(v);
  }
}

Mat3 random_rotation(Random& random) {
  return rotation_from({random.normal(), random.normal(), random.normal(), random.normal()});
}

struct Sizes {
  Vec3 center_a, center_b;
  double radius_a, radius_b, diameter;
};

Sizes sizes_of(const Bvh& a, const Bvh& b) {
  const double da = a.bounds().diagonal();
  const double db = b.bounds().diagonal();
  return {a.bounds().center(), b.bounds().center(), 0.5 * da, 0.5 * db, std::max(da, db)};
}

// B turned about its middle, which stands `out` from A's middle along `direction`.
Pose pose_at(const Sizes& s, const Mat3& rotation, const Vec3& direction, double out) {
  return {rotation, s.center_a + out * direction - rotation * s.center_b};
}

// Pulls B in along -direction until the gap is the wanted one; the distance never lets it
// overshoot. Negative when it passes A by.
double pull_in(const Bvh& a, const Bvh& b, const Sizes& s, const Mat3& rotation,
               const Vec3& direction, double gap) {
  Coherence coherence;
  double out = s.radius_a + s.radius_b + gap;
  while (out > -(s.radius_a + s.radius_b)) {
    const double d = distance(a, b, pose_at(s, rotation, direction, out), {}, &coherence).distance;
    if (d <= gap * (1.0 + kGapSlack)) return out;
    out -= d - gap;
  }
  return -1.0;
}

std::vector<Pose> make_path(const Bvh& a, const Bvh& b, const Sizes& s, std::size_t count,
                            Random& random) {
  const Vec3 pole = random_direction(random);
  const Vec3 side = any_perpendicular(pole);
  const Vec3 other = cross(pole, side);
  const Vec3 axis = random_direction(random);
  const Mat3 start = random_rotation(random);
  std::vector<Mat3> rotations(count);
  std::vector<Vec3> directions(count);
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count);
    const double turn = 0.5 * std::numbers::pi * t;
    directions[i] = normalized(std::cos(turn) * side + std::sin(turn) * other +
                               0.3 * std::sin(3.0 * turn) * pole);
    rotations[i] = rotation_about(axis, 0.5 * t) * start;
    const double in = pull_in(a, b, s, rotations[i], directions[i], kNearGap * s.diameter);
    out[i] = std::max(in, 0.0);
  }
  // Hollows are passed over, not dived into: the way out changes by no more than the slope.
  const double slope = kPathSlope * s.diameter;
  for (std::size_t i = 1; i < count; ++i) out[i] = std::max(out[i], out[i - 1] - slope);
  for (std::size_t i = count - 1; i-- > 0;) out[i] = std::max(out[i], out[i + 1] - slope);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i)
    poses.push_back(pose_at(s, rotations[i], directions[i], out[i]));
  return poses;
}

}  // namespace

const char* name_of(Motion motion) {
  switch (motion) {
    case Motion::Far:
      return "far";
    case Motion::Near:
      return "near";
    case Motion::Mixed:
      return "mixed";
    case Motion::Path:
      return "path";
  }
  return "";
}

std::vector<Pose> make_poses(const Bvh& a, const Bvh& b, Motion motion, std::size_t count,
                             std::uint64_t seed) {
  Random random = Random(seed).split(static_cast<std::uint64_t>(motion));
  const Sizes s = sizes_of(a, b);
  if (motion == Motion::Path) return make_path(a, b, s, count, random);
  std::vector<Pose> poses;
  while (poses.size() < count) {
    const Mat3 rotation = random_rotation(random);
    const Vec3 direction = random_direction(random);
    double out = s.radius_a + s.radius_b + s.diameter;
    if (motion != Motion::Far) {
      const double push = motion == Motion::Mixed ? random.uniform(-0.2, 0.2) * s.diameter : 0.0;
      out = pull_in(a, b, s, rotation, direction, kNearGap * s.diameter);
      if (out < 0.0) continue;
      out += push;
    }
    poses.push_back(pose_at(s, rotation, direction, out));
  }
  return poses;
}

}  // namespace clearance::scenes
