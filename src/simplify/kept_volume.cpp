// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/simplify/kept_volume.h>

#include "simplify/body_probe.h"
#include "simplify/offset_shell.h"
#include "simplify/tool_reach.h"

namespace clearance {
namespace {

using detail::BodyProbe;
using detail::FreePoint;
using detail::OffsetShell;
using detail::SurfacePoint;
using detail::ToolProbe;
using detail::ToolReach;

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

/// Spheres times orientations of a tool at most: each costs as much as an external ball.
constexpr std::size_t kMostToolParts = 512;

Error invalid(std::string reason, std::string advice) {
  return {ErrorCode::Invalid, {}, {}, std::move(reason), std::move(advice)};
}

Status check(const ExternalTool& tool, double diameter) {
  if (tool.empty()) return {};
  if (diameter > 0.0) {
    return invalid("what external balls and what a tool cannot reach are two kept volumes",
                   "give the one or the other");
  }
  for (const Sphere& sphere : tool.spheres) {
    if (!is_finite(sphere.center) || !(sphere.radius > 0.0) || !std::isfinite(sphere.radius))
      return invalid("a sphere of the external tool has no middle, or no radius above 0", "");
  }
  for (const Mat3& turn : tool.turns) {
    if (!(rigidity_error(turn) <= kRigidTolerance))
      return invalid("an orientation of the external tool is not a rotation", "");
  }
  if (tool.spheres.size() * tool.turns.size() > kMostToolParts) {
    return invalid("the external tool has " + std::to_string(tool.spheres.size()) + " spheres at " +
                       std::to_string(tool.turns.size()) + " orientations",
                   "512 altogether at most: give it fewer and larger spheres");
  }
  return {};
}

}  // namespace

struct KeptVolume::Data {
  Data(const Model& model, const KeptVolumeOptions& options)
      : body(model),
        probe(body),
        external_diameter(options.external_diameter),
        fill_cavities(options.fill_cavities),
        resolution(options.resolution > 0.0 ? options.resolution
                                            : kResolution * body.bvh().bounds().diagonal()) {}

  [[nodiscard]] std::shared_ptr<const OffsetShell> make_shell(double s, Threads threads,
                                                              Monitor* monitor) const {
    // A body that is a point has no size to go by.
    const double fine = std::max(resolution, 1e-6 * s);
    const Sphere ball{{}, s};
    OffsetShell::Options made{.cell = cell_size(s, fine), .threads = threads, .monitor = monitor};
    made.only_reached = fill_cavities && filled == nullptr && external_diameter > 0.0;
    if (filled != nullptr) made.reached = filled->reached();
    return std::make_shared<const OffsetShell>(probe, std::span(&ball, 1), made);
  }

  /// Of `tool`.
  [[nodiscard]] std::unique_ptr<const ToolReach> make_reach(Threads threads,
                                                            Monitor* monitor) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Sphere& sphere : tool.spheres) least = std::min(least, sphere.radius);
    const double fine = std::max(resolution, 1e-6 * least);
    return std::make_unique<const ToolReach>(
        probe, tool.spheres, tool.turns,
        OffsetShell::Options{
            .cell = cell_size(least, fine), .threads = threads, .monitor = monitor});
  }

  /// Of a place where balls of the external radius or larger ones are free.
  [[nodiscard]] bool reaches(const Vec3& place) const {
    return filled == nullptr || filled->reaches(place);
  }

  /// The shell for an offset above 0; made when it is first asked for.
  /// Null when cancelled.
  [[nodiscard]] std::shared_ptr<const OffsetShell> shell(double s, Threads threads,
                                                         Monitor* monitor = nullptr) const {
    if (filled != nullptr && s == filled->offset()) return filled;
    const std::scoped_lock lock(mutex);
    const auto found = std::find_if(shells.begin(), shells.end(),
                                    [&](const auto& shell) { return shell->offset() == s; });
    if (found != shells.end()) {
      std::rotate(shells.begin(), found, found + 1);
      return shells.front();
    }
    std::shared_ptr<const OffsetShell> made = make_shell(s, threads, monitor);
    if (!made->ok()) return nullptr;
    shells.insert(shells.begin(), std::move(made));
    if (shells.size() > kShells) shells.pop_back();
    return shells.front();
  }

  Model body;
  BodyProbe probe;
  double external_diameter;
  bool fill_cavities;
  double resolution;
  std::shared_ptr<const OffsetShell> filled;  // of the external radius; null without a ball
  ExternalTool tool;
  std::unique_ptr<const ToolReach> reach;  // of the tool; null without one
  mutable std::mutex mutex;                // of `shells`, the most recently used first
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
  if (Status status = check(options.external_tool, options.external_diameter); !status)
    return status.error();
  const auto data = std::make_shared<Data>(body, options);
  if (!options.external_tool.empty()) {
    data->tool = options.external_tool;
    if (data->tool.turns.empty()) data->tool.turns.push_back(Mat3::identity());
    data->reach = data->make_reach(options.threads, options.monitor);
    if (!data->reach->ok()) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
  }
  if (options.external_diameter > 0.0) {
    data->filled =
        data->make_shell(0.5 * options.external_diameter, options.threads, options.monitor);
    if (!data->filled->ok()) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
  }
  return KeptVolume(data);
}

const Model& KeptVolume::body() const { return data_->body; }
double KeptVolume::external_diameter() const { return data_->external_diameter; }
const ExternalTool& KeptVolume::external_tool() const { return data_->tool; }
bool KeptVolume::is_filled() const { return data_->filled != nullptr || data_->reach != nullptr; }
double KeptVolume::resolution() const { return data_->resolution; }
Box KeptVolume::bounds() const { return data_->body.bvh().bounds(); }

std::span<const Sphere> KeptVolume::external_spheres() const {
  if (data_->filled == nullptr) return {};
  return data_->filled->free_balls();
}

bool KeptVolume::has_filled_cavities() const {
  return data_->filled != nullptr && data_->filled->reached() != nullptr;
}

bool KeptVolume::is_reached(const Vec3& center) const { return data_->reaches(center); }

void KeptVolume::prepare(double error, Threads threads, Monitor* monitor) const {
  // With a tool, errors below its least radius need none.
  if (data_->reach != nullptr && error <= data_->reach->least_radius()) return;
  const double s = std::max(0.5 * data_->external_diameter, error);
  if (s > 0.0 && std::isfinite(s)) (void)data_->shell(s, threads, monitor);
}

struct KeptVolume::Search {
  const Data& data;
  Vec3 center;
  double radius;  // of what the ball is to hold
  double slack;
  bool generous;  // half as much around the point as there can be, where that is
                  // found

  [[nodiscard]] bool holds(const Sphere& ball) const {
    return distance(ball.center, center) + radius + 2.0 * slack < ball.radius;
  }
  /// The ball of the kept volume's kind that holds everything within `radius` of `center`; radius 0
  /// when none is found.
  [[nodiscard]] Sphere run() const;
  [[nodiscard]] Sphere run_tool() const;
};

Sphere KeptVolume::Search::run_tool() const {
  const SurfacePoint surface = data.probe.surface(center);
  if (!(surface.distance > radius + 2.0 * slack) || data.probe.side(center) != Side::Outside)
    return {};
  const double least = radius + 2.0 * slack;
  return data.reach->ball_around(center, least, generous ? 0.5 * surface.distance : least);
}

Sphere KeptVolume::Search::run() const {
  if (data.reach != nullptr) return run_tool();
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
  if (!filling) return around;
  if (around.radius >= r) return data.reaches(center) ? around : Sphere{};

  // The ball that touches where the surface is nearest, or one that touches elsewhere as well,
  // drawn towards the cell from the nearest sample. A generous search goes on until the ball holds
  // half as much around the point as the surface allows, and takes the best it saw.
  const double margin = generous ? 0.5 * surface.distance : radius + 2.0 * slack;
  Sphere best;
  double most = radius + 2.0 * slack;
  const auto is_enough = [&](const Sphere& ball) {
    if (!data.reaches(ball.center)) return false;
    const double held = ball.radius - distance(ball.center, center);
    if (held > most) {
      best = ball;
      most = held;
    }
    return held > margin;
  };
  if (generous && is_enough({nearest.sample, r})) return best;
  const Sphere of_tool{{}, r};
  const ToolProbe tool(probe, std::span(&of_tool, 1));
  const FreePoint above = detail::push_out(tool, kPushSteps, center, true);
  if (above.found && is_enough({above.point, r + above.spare})) return best;
  FreePoint start = above;
  if (!above.found || distance(above.point, center) > nearest.sample_distance) {
    if (!std::isfinite(nearest.sample_distance)) return best;
    start = detail::push_out(tool, 1, nearest.sample, true);
  }
  if (!start.found) return best;
  const FreePoint drawn =
      detail::draw_near(tool, kDrawSteps, start, center, r - margin - 2.0 * slack);
  (void)is_enough({drawn.point, r + drawn.spare});
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

// The ball stays within the error of the kept volume K when all points nearer to c than its radius
// less the error are in K, since each other point of it is within the error of one of these; and
// when it stays within the error of the body, which is a part of K.
double KeptVolume::safe_radius_of_tool(const Data& data, const Vec3& c, double error,
                                       double tolerance) {
  const BodyProbe& probe = data.probe;
  const double slack = probe.slack(c) + detail::kProbeRounding * error;
  const SurfacePoint surface = probe.surface(c);
  const bool inside = probe.side(c) == Side::Inside;
  const double depth = inside ? surface.distance : -surface.distance;
  double lower = depth + error - slack;
  // Where the tool touches the nearest place of the surface, that is all.
  if (data.reach->quick(c).distance + error - lower <= 0.5 * tolerance) return lower;
  const double beyond = data.reach->distance_below(c, tolerance, depth, surface.distance, inside);
  if (beyond >= 0.0) lower = std::max(lower, beyond + error - slack);
  // Errors larger than a sphere of the tool fill what that sphere alone reaches.
  if (error > data.reach->least_radius() && depth + error > slack) {
    const double upper = data.shell(error, Threads{1})->distance_above(c, kDrawSteps);
    if (upper - lower > tolerance) {
      lower = std::max(lower,
                       data.shell(error, Threads{1})->distance_below(c, tolerance, upper) - slack);
    }
  }
  return lower;
}

double KeptVolume::safe_radius(const Vec3& c, double error, double tolerance) const {
  CLEARANCE_ASSERT(error >= 0.0 && tolerance >= 0.0);
  if (!is_finite(c)) return -std::numeric_limits<double>::infinity();
  const BodyProbe& probe = data_->probe;
  if (data_->reach != nullptr) return safe_radius_of_tool(*data_, c, error, tolerance);
  const double r = 0.5 * data_->external_diameter;
  const double s = std::max(r, error);
  const double less = std::max(r - error, 0.0);
  const double slack = probe.slack(c) + detail::kProbeRounding * s;
  const SurfacePoint surface = probe.surface(c);
  const bool inside = probe.side(c) == Side::Inside;
  const double depth = inside ? surface.distance : -surface.distance;
  // From c to D(s): to the surface first when inside, and s from there on at least.
  double lower = depth + s - slack;
  if (s == 0.0 || (lower <= 0.0 && data_->reaches(c))) return lower - less;

  // Straight on through the nearest point of the surface, if that is free.
  double upper = std::numeric_limits<double>::infinity();
  if (surface.distance > slack) {
    const Vec3 away =
        (1.0 / surface.distance) * (inside ? surface.nearest - c : c - surface.nearest);
    const Sphere ball{{}, s};
    const FreePoint beyond = detail::push_out(ToolProbe(probe, std::span(&ball, 1)), kPushSteps,
                                              surface.nearest + s * away, false);
    if (beyond.found && data_->reaches(beyond.point)) upper = distance(c, beyond.point);
  }
  if (upper - lower > tolerance) {
    upper = std::min(upper, data_->shell(s, Threads{1})->distance_above(c, kDrawSteps));
    lower = std::max(lower, data_->shell(s, Threads{1})->distance_below(c, tolerance, upper));
  }
  if (error >= r || lower >= r || lower <= less) return lower - less;
  return error - distance_from_kept(*data_, c, surface.distance + slack, tolerance);
}

// From above, for a point that may be outside of K, between external balls (of the body it is
// `surface` away). Out of the ball that holds it, straight away from its middle, is the shortest
// way when it ends in K; it does not where another ball goes on, as in a hole of a thin plate that
// balls dip into from both sides.
double KeptVolume::distance_from_kept(const Data& data, const Vec3& c, double surface,
                                      double tolerance) {
  const double r = 0.5 * data.external_diameter;
  const FreePoint free = data.filled->drawn_near(c, kDrawSteps);
  const double way = distance(free.point, c);
  if (!free.found || way == 0.0) return surface;
  const double slack = data.probe.slack(c) + data.probe.slack(free.point);
  const double beyond = r + 0.5 * tolerance + 2.0 * slack;
  if (beyond - way >= surface) return surface;
  const Vec3 end = free.point + (beyond / way) * (c - free.point);
  const bool is_kept =
      data.filled->distance_below(end, 0.25 * tolerance, std::numeric_limits<double>::infinity()) >=
      r + slack;
  return is_kept ? std::min(surface, beyond - way + slack) : surface;
}

// A free ball of radius s about x keeps balls within the error off all points that are farther than
// the error from its surface, inside of it; for s = e from its middle alone.
std::optional<KeptVolume::Limit> KeptVolume::limit_near(const Vec3& c, double error) const {
  const double r = 0.5 * data_->external_diameter;
  const double s = std::max(r, error);
  if (!is_finite(c) || data_->reach != nullptr || !(s > 0.0)) return std::nullopt;
  const FreePoint drawn = data_->shell(s, Threads{1})->drawn_near(c, kDrawSteps);
  if (!drawn.found) return std::nullopt;
  const double slack = data_->probe.slack(c) + data_->probe.slack(drawn.point);
  return Limit{drawn.point, std::max(r - error, 0.0) - slack};
}

std::optional<KeptVolume::Limit> KeptVolume::limit_among(const Vec3& c, double error,
                                                         double beside) const {
  const double r = 0.5 * data_->external_diameter;
  const double s = std::max(r, error);
  if (!is_finite(c) || data_->reach != nullptr || !(s > 0.0)) return std::nullopt;
  const FreePoint place = data_->shell(s, Threads{1})->drawn_among(c, beside, kDrawSteps);
  if (!place.found) return std::nullopt;
  const double slack = data_->probe.slack(c) + data_->probe.slack(place.point);
  return Limit{place.point, std::max(r - error, 0.0) - slack};
}

double KeptVolume::quick_radius(const Vec3& c, double error) const {
  return quick_ball(c, error).radius;
}

KeptVolume::QuickBall KeptVolume::quick_ball(const Vec3& c, double error) const {
  return quick(error).ball(c);
}

KeptVolume::Quick KeptVolume::quick(double error) const {
  CLEARANCE_ASSERT(error >= 0.0);
  Quick quick;
  quick.data_ = data_;
  quick.error_ = error;
  const double s = std::max(0.5 * data_->external_diameter, error);
  const bool is_needed = data_->reach != nullptr ? error > data_->reach->least_radius() : s > 0.0;
  if (is_needed) quick.shell_ = data_->shell(s, Threads{1});
  return quick;
}

KeptVolume::QuickBall KeptVolume::Quick::ball(const Vec3& c) const {
  if (!is_finite(c)) return {-std::numeric_limits<double>::infinity(), c};
  const BodyProbe& probe = data_->probe;
  if (data_->reach != nullptr) {
    const ToolReach::Quick quick = data_->reach->quick(c);
    QuickBall ball{quick.distance + error_, quick.center};
    if (quick.distance < 0.0) {
      // Outside: what is near the body is near the kept volume.
      const SurfacePoint surface = probe.surface(c);
      const bool inside = probe.side(c) == Side::Inside;
      ball.radius = error_ + (inside ? surface.distance : -surface.distance);
    }
    if (shell_ != nullptr) {
      const OffsetShell::Nearest nearest = shell_->nearest_sample(c);
      if (nearest.distance > ball.radius) ball = {nearest.distance, nearest.nearest};
    }
    return ball;
  }
  if (shell_ == nullptr) {
    const SurfacePoint surface = probe.surface(c);
    const double depth = probe.side(c) == Side::Inside ? surface.distance : -surface.distance;
    return {depth - probe.slack(c), surface.nearest};
  }
  const OffsetShell::Nearest nearest = shell_->nearest_sample(c);
  const double r = 0.5 * data_->external_diameter;
  const double radius = nearest.distance - std::max(r - error_, 0.0);
  if (error_ >= r || nearest.distance >= r || radius <= 0.0) return {radius, nearest.nearest};
  // Outside of K: what is straight out of the ball that holds it may be in another.
  const Vec3 end = nearest.nearest + (r / nearest.distance) * (c - nearest.nearest);
  if (shell_->nearest_sample(end).distance >= r - data_->resolution)
    return {radius, nearest.nearest};
  return {std::min(radius, error_ - probe.surface(c).distance), nearest.nearest};
}

}  // namespace clearance
