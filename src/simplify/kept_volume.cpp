// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <mutex>

#include <clearance/base/assert.h>
#include <clearance/simplify/kept_volume.h>

#include "simplify/body_probe.h"
#include "simplify/offset_shell.h"

namespace clearance {
namespace {

using detail::BodyProbe;
using detail::FreePoint;
using detail::OffsetShell;
using detail::SurfacePoint;

/// Resolution when none is asked for, as a fraction of the diagonal.
constexpr double kResolution = 0.01;
/// Shells kept for errors beyond the external radius; a search by bisection uses one at a time.
constexpr std::size_t kShells = 4;
/// Distances spent on moving a point out into D(s).
constexpr int kPushSteps = 5;
/// And on drawing a free ball towards a point: a few for each of three contacts.
constexpr int kDrawSteps = 16;

/// Size of the cells of a shell: what is lost in one is its square over twice the offset, which is
/// to be half the resolution at most.
double cell_size(double s, double resolution) {
  return 0.5 * std::min(s, std::sqrt(2.0 * s * resolution));
}

}  // namespace

struct KeptVolume::Data {
  Data(const Model& model, const KeptVolumeOptions& options)
      : body(model),
        probe(body),
        external_diameter(options.external_diameter),
        resolution(options.resolution > 0.0 ? options.resolution
                                            : kResolution * body.bvh().bounds().diagonal()) {}

  [[nodiscard]] std::shared_ptr<const OffsetShell> make_shell(double s, Threads threads,
                                                              Monitor* monitor) const {
    // A body that is a point has no size to go by.
    const double fine = std::max(resolution, 1e-6 * s);
    return std::make_shared<const OffsetShell>(
        probe, s, OffsetShell::Options{cell_size(s, fine), threads, monitor});
  }

  /// The shell for an offset above 0; made when it is first asked for.
  [[nodiscard]] std::shared_ptr<const OffsetShell> shell(double s, Threads threads) const {
    if (filled != nullptr && s == filled->offset()) return filled;
    const std::scoped_lock lock(mutex);
    const auto found = std::find_if(shells.begin(), shells.end(),
                                    [&](const auto& shell) { return shell->offset() == s; });
    if (found != shells.end()) {
      std::rotate(shells.begin(), found, found + 1);
      return shells.front();
    }
    shells.insert(shells.begin(), make_shell(s, threads, nullptr));
    if (shells.size() > kShells) shells.pop_back();
    return shells.front();
  }

  Model body;
  BodyProbe probe;
  double external_diameter;
  double resolution;
  std::shared_ptr<const OffsetShell> filled;  // of the external radius; null without filling
  mutable std::mutex mutex;                   // of `shells`, the most recently used first
  mutable std::vector<std::shared_ptr<const OffsetShell>> shells;
};

Result<KeptVolume> KeptVolume::make(const Model& body, const KeptVolumeOptions& options) {
  if (!(options.external_diameter >= 0.0) || !std::isfinite(options.external_diameter)) {
    return Error{ErrorCode::Invalid,
                 {},
                 {},
                 "the diameter of external balls is negative or not finite",
                 "0 fills nothing"};
  }
  if (!(options.resolution >= 0.0) || !std::isfinite(options.resolution)) {
    return Error{ErrorCode::Invalid,
                 {},
                 {},
                 "the resolution of the kept volume is negative or not finite",
                 "0 takes a hundredth of the diagonal"};
  }
  const auto data = std::make_shared<Data>(body, options);
  if (options.external_diameter > 0.0) {
    data->filled =
        data->make_shell(0.5 * options.external_diameter, options.threads, options.monitor);
    if (!data->filled->ok()) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
  }
  return KeptVolume(data);
}

const Model& KeptVolume::body() const { return data_->body; }
double KeptVolume::external_diameter() const { return data_->external_diameter; }
double KeptVolume::resolution() const { return data_->resolution; }
Box KeptVolume::bounds() const { return data_->body.bvh().bounds(); }

std::span<const Sphere> KeptVolume::external_spheres() const {
  if (data_->filled == nullptr) return {};
  return data_->filled->free_balls();
}

void KeptVolume::prepare(double error, Threads threads) const {
  const double s = std::max(0.5 * data_->external_diameter, error);
  if (s > 0.0 && std::isfinite(s)) (void)data_->shell(s, threads);
}

struct KeptVolume::Search {
  const Data& data;
  Vec3 center;
  double radius;  // of what the ball is to hold
  double slack;
  bool generous;  // half as much around the point as there can be, where that is found

  [[nodiscard]] bool holds(const Sphere& ball) const {
    return distance(ball.center, center) + radius + 2.0 * slack < ball.radius;
  }
  /// The ball of the kept volume's kind that holds everything within `radius` of `center`; radius 0
  /// when none is found.
  [[nodiscard]] Sphere run() const;
};

Sphere KeptVolume::Search::run() const {
  const BodyProbe& probe = data.probe;
  const bool filling = data.filled != nullptr;
  const double r = 0.5 * data.external_diameter;
  OffsetShell::Nearest nearest;
  if (filling) {
    nearest = data.filled->nearest_sample(center);
    // Well within K: nothing would be found.
    if (nearest.distance > 0.0 &&
        nearest.sample_distance > r - radius + 2.0 * data.filled->cell_size()) {
      return {};
    }
    if (!generous && holds({nearest.sample, r})) return {nearest.sample, r};
  }
  const SurfacePoint surface = probe.surface(center);
  const Sphere around{center, surface.distance - slack};
  if (!holds(around) || probe.side(center) != Side::Outside) return {};
  if (!filling || around.radius >= r) return around;

  // The ball that touches where the surface is nearest, or one that touches elsewhere as well,
  // drawn towards the cell from the nearest sample. A generous search goes on until the ball holds
  // half as much around the point as the surface allows, and takes the best it saw.
  const double margin = generous ? 0.5 * surface.distance : radius + 2.0 * slack;
  Sphere best;
  double most = radius + 2.0 * slack;
  const auto is_enough = [&](const Sphere& ball) {
    const double held = ball.radius - distance(ball.center, center);
    if (held > most) {
      best = ball;
      most = held;
    }
    return held > margin;
  };
  if (generous && is_enough({nearest.sample, r})) return best;
  const FreePoint above = detail::push_out(probe, r, kPushSteps, center, true);
  if (above.found && is_enough({above.point, above.radius})) return best;
  FreePoint start = above;
  if (!above.found || distance(above.point, center) > nearest.sample_distance) {
    if (!std::isfinite(nearest.sample_distance)) return best;
    start = detail::push_out(probe, r, 1, nearest.sample, true);
  }
  if (!start.found) return best;
  const FreePoint drawn =
      detail::draw_near(probe, r, kDrawSteps, start, center, r - margin - 2.0 * slack);
  (void)is_enough({drawn.point, drawn.radius});
  return best;
}

bool KeptVolume::is_outside(const Vec3& center, double radius) const {
  if (!is_finite(center) || !(radius >= 0.0) || !std::isfinite(radius)) return false;
  const double slack = data_->probe.slack(center) + detail::kProbeRounding * radius;
  return Search{*data_, center, radius, slack, false}.run().radius > 0.0;
}

Sphere KeptVolume::free_ball(const Vec3& point) const {
  if (!is_finite(point)) return {};
  return Search{*data_, point, 0.0, data_->probe.slack(point), true}.run();
}

double KeptVolume::safe_radius(const Vec3& c, double error, double tolerance) const {
  CLEARANCE_ASSERT(error >= 0.0 && tolerance >= 0.0);
  if (!is_finite(c)) return -std::numeric_limits<double>::infinity();
  const BodyProbe& probe = data_->probe;
  const double r = 0.5 * data_->external_diameter;
  const double s = std::max(r, error);
  const double less = std::max(r - error, 0.0);
  const double slack = probe.slack(c) + detail::kProbeRounding * s;
  const SurfacePoint surface = probe.surface(c);
  const bool inside = probe.side(c) == Side::Inside;
  const double depth = inside ? surface.distance : -surface.distance;
  // From c to D(s): to the surface first when inside, and s from there on at least.
  double lower = depth + s - slack;
  if (s == 0.0 || lower <= 0.0) return lower - less;

  // Straight on through the nearest point of the surface, if that is free.
  double upper = std::numeric_limits<double>::infinity();
  if (surface.distance > slack) {
    const Vec3 away =
        (1.0 / surface.distance) * (inside ? surface.nearest - c : c - surface.nearest);
    const FreePoint beyond =
        detail::push_out(probe, s, kPushSteps, surface.nearest + s * away, false);
    if (beyond.found) upper = distance(c, beyond.point);
  }
  if (upper - lower > tolerance) {
    upper = std::min(upper, data_->shell(s, Threads{1})->distance_above(c, kDrawSteps));
    lower = std::max(lower, data_->shell(s, Threads{1})->distance_below(c, tolerance, upper));
  }
  return lower - less;
}

double KeptVolume::quick_radius(const Vec3& c, double error) const {
  return quick_ball(c, error).radius;
}

KeptVolume::QuickBall KeptVolume::quick_ball(const Vec3& c, double error) const {
  CLEARANCE_ASSERT(error >= 0.0);
  if (!is_finite(c)) return {-std::numeric_limits<double>::infinity(), c};
  const double r = 0.5 * data_->external_diameter;
  const double s = std::max(r, error);
  if (s == 0.0) return {safe_radius(c, error, 0.0), data_->probe.surface(c).nearest};
  const OffsetShell::Nearest nearest = data_->shell(s, Threads{1})->nearest_sample(c);
  return {nearest.distance - std::max(r - error, 0.0), nearest.nearest};
}

}  // namespace clearance
