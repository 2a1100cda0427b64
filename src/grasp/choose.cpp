// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <clearance/base/assert.h>
#include <clearance/grasp/choose.h>
#include <clearance/query/shapes.h>

namespace clearance {
namespace {

/// The reach is found to this fraction: finer would change a few grasps of hundreds.
constexpr double kReachPrecision = 0.01;
/// Grasps that are this fraction of their extent apart are the same one, written down twice.
constexpr double kLeastReach = 1e-9;
/// A corner of a gripper that is this fraction of the opening off is where it was: meshes of real
/// grippers are not symmetric to the bit.
constexpr double kSymmetry = 0.01;

/// Where a gripper is, turns as lengths: p, radius * z, radius * x.
struct Place {
  Vec3 p;
  Vec3 z;
  Vec3 x;
};

double distance_sq(const Place& a, const Place& b, bool is_symmetric) {
  const double pinch = squared_norm(a.x - b.x);
  return squared_norm(a.p - b.p) + squared_norm(a.z - b.z) +
         (is_symmetric ? std::min(pinch, squared_norm(a.x + b.x)) : pinch);
}

Place place_of(const Grasp& grasp, double radius) {
  const Pose& pose = grasp.part_from_gripper;
  return {pose.translation, radius * pose.rotation.column(2), radius * pose.rotation.column(0)};
}

/// The best first; equal ones by their poses.
bool comes_before(const Grasp& a, const Grasp& b) {
  if (a.quality != b.quality) return a.quality > b.quality;
  const auto numbers = [](const Pose& pose) {
    std::array<double, 12> all{};
    for (std::size_t i = 0; i < 3; ++i) all[i] = pose.translation[i];
    for (std::size_t i = 0; i < 9; ++i) all[3 + i] = pose.rotation[i / 3][i % 3];
    return all;
  };
  return numbers(a.part_from_gripper) < numbers(b.part_from_gripper);
}

/// Takes grasps that keep a reach from each other.
class Chooser {
 public:
  Chooser(std::span<const Place> places, bool is_symmetric)
      : places_(places), is_symmetric_(is_symmetric) {
    low_ = high_ = places.front().p;
    for (const Place& place : places) {
      low_ = min(low_, place.p);
      high_ = max(high_, place.p);
    }
    const Vec3 size = high_ - low_;
    axis_ = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  }
  /// No two grasps are farther apart than this.
  [[nodiscard]] double extent() const {
    constexpr double kTurns = 8.0;  // 2^2 for the approach, 2^2 for the pinch
    return std::sqrt(squared_norm(high_ - low_) + kTurns * squared_norm(places_.front().z));
  }
  /// Those that are taken, in order; nothing when they are more than `most`.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> take(double reach, std::size_t most) {
    // Slices across the longest side, so that only those of three are near enough.
    const double length = high_[axis_] - low_[axis_];
    constexpr double kMostSlices = 4096.0;
    constexpr double kThicker = 0.999;  // than the reach: rounding moves none too far
    const double slices = std::clamp(std::floor(kThicker * length / reach), 1.0, kMostSlices);
    slices_.assign(static_cast<std::size_t>(slices), {});
    std::vector<std::uint32_t> taken;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const double at = length > 0.0 ? (places_[i].p[axis_] - low_[axis_]) / length * slices : 0.0;
      const auto slice = static_cast<std::size_t>(std::min(std::floor(at), slices - 1.0));
      if (is_near(i, slice, reach * reach)) continue;
      if (taken.size() == most) return std::nullopt;
      taken.push_back(i);
      slices_[slice].push_back(i);
    }
    return taken;
  }

 private:
  [[nodiscard]] bool is_near(std::uint32_t number, std::size_t slice, double reach_sq) const {
    const std::size_t last = std::min(slice + 1, slices_.size() - 1);
    for (std::size_t k = slice > 0 ? slice - 1 : 0; k <= last; ++k) {
      for (const std::uint32_t other : slices_[k])
        if (distance_sq(places_[number], places_[other], is_symmetric_) <= reach_sq) return true;
    }
    return false;
  }

  std::span<const Place> places_;
  bool is_symmetric_;
  Vec3 low_;
  Vec3 high_;
  std::size_t axis_ = 0;
  std::vector<std::vector<std::uint32_t>> slices_;  // those taken
};

}  // namespace

double mean_radius(const GraspSet& set) {
  return set.theta_step > 0.0 ? set.step / set.theta_step : 0.0;
}

bool is_symmetric(const Gripper& gripper) {
  const Bvh& surface = gripper.open().bvh();
  return std::ranges::all_of(gripper.open().mesh().vertices(), [&](const Vec3& v) {
    return distance(surface, Vec3{-v.x, -v.y, v.z}).distance <= kSymmetry * gripper.opening();
  });
}

double distance_of(const Grasp& a, const Grasp& b, const SpreadOptions& options) {
  return std::sqrt(
      distance_sq(place_of(a, options.radius), place_of(b, options.radius), options.is_symmetric));
}

SpreadGrasps spread_grasps(std::span<const Grasp> grasps, std::size_t count,
                           const SpreadOptions& options) {
  CLEARANCE_ASSERT(options.radius > 0.0);
  SpreadGrasps spread;
  std::vector<std::uint32_t> order(grasps.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return comes_before(grasps[a], grasps[b]); });
  if (grasps.size() <= count || count == 0) {
    if (count > 0) spread.chosen = std::move(order);
    return spread;
  }
  std::vector<Place> places;
  places.reserve(grasps.size());
  for (const std::uint32_t i : order) places.push_back(place_of(grasps[i], options.radius));
  Chooser chooser(places, options.is_symmetric);
  // With the whole extent as reach the best alone is taken.
  const double least = kLeastReach * chooser.extent();
  double low = 0.0;
  double high = chooser.extent();
  std::vector<std::uint32_t> taken{0};
  while (high - low > kReachPrecision * high && high > least) {
    const double reach = 0.5 * (low + high);
    if (std::optional<std::vector<std::uint32_t>> fewer = chooser.take(reach, count)) {
      taken = std::move(*fewer);
      high = reach;
    } else {
      low = reach;
    }
  }
  spread.reach = high;
  // The places left over.
  std::vector<std::uint8_t> is_taken(grasps.size(), 0);
  for (const std::uint32_t i : taken) is_taken[i] = 1;
  std::size_t left = count - taken.size();
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (is_taken[i] == 0 && left == 0) continue;
    if (is_taken[i] == 0) --left;
    spread.chosen.push_back(order[i]);
  }
  return spread;
}

}  // namespace clearance
