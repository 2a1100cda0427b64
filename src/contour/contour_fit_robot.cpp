// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fits around the links of a robot, and how a number of segments is shared between them.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clearance/contour/contour_fit.h>

#include "contour/contour_fit_check.h"
#include "contour/contour_fit_search.h"

namespace clearance {
namespace {

/// A series for each shape of a link is taken instead of one for all when it encloses less than
/// this fraction. More series cost more to move and to look at.
constexpr double kClearlyLess = 0.8;

/// One series to be: what it is around, and what each number of segments would enclose.
struct SeriesFit {
  std::uint32_t link = 0;
  std::string name;
  Mesh mesh;
  detail::FitLadder ladder;
  std::size_t step = 0;  ///< segments less 1
};

const std::vector<RobotShape>& shapes_of(const RobotLink& link, bool visual) {
  return visual ? link.visual : link.collision;
}

SeriesFit fit_series(std::uint32_t link, std::string name, Mesh mesh,
                     const ContourFitOptions& options) {
  detail::FitLadder ladder =
      detail::best_ladder(mesh, detail::likely_axes(mesh), options.most_segments, options.margin);
  const std::size_t step = detail::chosen_step(ladder, options.least_gain);
  return {link, std::move(name), std::move(mesh), std::move(ladder), step};
}

double volume_of(const std::vector<SeriesFit>& series) {
  double sum = 0.0;
  for (const SeriesFit& s : series) sum += s.ladder.volume(s.step);
  return sum;
}

/// One series around all shapes of a link, or one around each.
std::vector<SeriesFit> fit_link(const Robot& robot, std::uint32_t link,
                                const RobotFitOptions& options) {
  const std::string& name = robot.links()[link].name;
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  for (const RobotShape& shape : shapes_of(robot.links()[link], options.visual)) {
    meshes.push_back(surface_of(shape));
    names.push_back(name + " " + std::to_string(names.size()));
  }
  std::vector<SeriesFit> together;
  // Meshes that were valid apart are valid together.
  together.push_back(fit_series(link, name, *merged(meshes, names), options.link));
  if (meshes.size() == 1) return together;
  std::vector<SeriesFit> apart;
  for (std::size_t i = 0; i < meshes.size(); ++i)
    apart.push_back(fit_series(link, names[i], std::move(meshes[i]), options.link));
  return volume_of(apart) < kClearlyLess * volume_of(together) ? std::move(apart)
                                                               : std::move(together);
}

/// Starts with one segment each and refines where a segment more takes away most, until there are
/// `most` or none would be taken by the fit of its own.
void share_segments(std::vector<SeriesFit>& series, std::size_t most) {
  std::vector<std::size_t> wanted;
  wanted.reserve(series.size());
  std::size_t left = most - series.size();
  for (SeriesFit& s : series) wanted.push_back(std::exchange(s.step, 0));
  for (;;) {
    double best_gain = 0.0;
    std::size_t best = 0;
    std::size_t best_step = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const detail::FitLadder& ladder = series[i].ladder;
      const double volume = ladder.volume(series[i].step);
      // Two segments may do together what neither does alone.
      for (std::size_t step = series[i].step + 1; step <= wanted[i]; ++step) {
        const std::size_t cost = step - series[i].step;
        const double gain = (volume - ladder.volume(step)) / static_cast<double>(cost);
        if (cost <= left && gain > best_gain) best_gain = gain, best = i, best_step = step;
      }
    }
    if (!(best_gain > 0.0)) return;
    left -= best_step - series[best].step;
    series[best].step = best_step;
  }
}

Error cancelled() { return {.code = ErrorCode::Cancelled, .reason = "the fit was cancelled"}; }

}  // namespace

Result<RobotFit> fit_contours(const Robot& robot, const RobotFitOptions& options,
                              Monitor* monitor) {
  std::vector<std::uint32_t> with_shapes;
  for (std::uint32_t link = 0; link < robot.links().size(); ++link)
    if (!shapes_of(robot.links()[link], options.visual).empty()) with_shapes.push_back(link);
  const std::string kind = options.visual ? "visual" : "collision";
  if (with_shapes.empty())
    return Error{.code = ErrorCode::Invalid,
                 .reason = "the robot " + robot.name() + " has no " + kind + " shapes"};
  const Mesh any_mesh =
      surface_of(shapes_of(robot.links()[with_shapes[0]], options.visual).front());
  if (const Status status = detail::check_fit(any_mesh, options.link); !status)
    return status.error();

  std::vector<std::vector<SeriesFit>> by_link(with_shapes.size());
  std::atomic<std::size_t> done = 0;
  parallel_for(options.threads, with_shapes.size(), [&](std::size_t i) {
    if (is_cancelled(monitor)) return;
    by_link[i] = fit_link(robot, with_shapes[i], options);
    report_progress(monitor, "fitting contours",
                    static_cast<double>(++done) / static_cast<double>(with_shapes.size()));
  });
  if (is_cancelled(monitor)) return cancelled();
  std::vector<SeriesFit> series;
  for (std::vector<SeriesFit>& fits : by_link)
    for (SeriesFit& fit : fits) series.push_back(std::move(fit));

  if (options.most_segments > 0) {
    if (options.most_segments < series.size())
      return Error{.code = ErrorCode::Invalid,
                   .reason = std::to_string(options.most_segments) + " segments are too few for " +
                             std::to_string(series.size()) + " series"};
    share_segments(series, options.most_segments);
  }

  std::vector<std::optional<Result<Contour>>> contours(series.size());
  std::vector<double> hulls(series.size());
  parallel_for(options.threads, series.size(), [&](std::size_t i) {
    const SeriesFit& s = series[i];
    contours[i] = detail::covering_contour(s.ladder, s.step, s.mesh, s.name);
    hulls[i] = detail::hull_volume(s.mesh);
  });
  std::vector<LinkContour> link_contours;
  std::vector<LinkFit> links;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const SeriesFit& s = series[i];
    if (!contours[i]->ok()) {
      Error error = contours[i]->error();
      error.place = "link '" + robot.links()[s.link].name + "'";
      return error;
    }
    links.push_back({.link = robot.links()[s.link].name,
                     .segments = (*contours[i])->segments().size(),
                     .enclosed_volume = s.ladder.volume(s.step),
                     .hull_volume = hulls[i]});
    link_contours.push_back({.link = s.link, .contour = std::move(**contours[i])});
  }
  Result<ContourRobot> fitted = ContourRobot::on_links(robot, std::move(link_contours));
  if (!fitted) return fitted.error();
  return RobotFit{std::move(*fitted), std::move(links)};
}

}  // namespace clearance
