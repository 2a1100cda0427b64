// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fits around the links of a robot, and how a number of segments is shared between them.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
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
  std::shared_ptr<const detail::FitLadder> ladder;
  std::size_t step = 0;  ///< segments less 1

  [[nodiscard]] double volume() const { return ladder->volume(step); }
};

const std::vector<RobotShape>& shapes_of(const RobotLink& link, bool visual) {
  return visual ? link.visual : link.collision;
}

/// The series a link may have: one around all its shapes, and, when there are several, one around
/// each.
struct LinkSeries {
  SeriesFit together;
  std::vector<SeriesFit> apart;
};

LinkSeries series_of(const Robot& robot, std::uint32_t link, bool visual) {
  const std::string& name = robot.links()[link].name;
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  for (const RobotShape& shape : shapes_of(robot.links()[link], visual)) {
    meshes.push_back(surface_of(shape));
    names.push_back(name + " " + std::to_string(names.size()));
  }
  LinkSeries series;
  // Meshes that were valid apart are valid together.
  series.together = {.link = link, .name = name, .mesh = *merged(meshes, names)};
  for (std::size_t i = 0; meshes.size() > 1 && i < meshes.size(); ++i)
    series.apart.push_back({.link = link, .name = names[i], .mesh = meshes[i]});
  return series;
}

bool is_same(const Mesh& a, const Mesh& b) {
  return std::ranges::equal(a.vertices(), b.vertices()) && std::ranges::equal(a.faces(), b.faces());
}

/// Fits all series. The fingers of a hand are often the same: each mesh is fitted once.
void fit_all(std::vector<SeriesFit*>& series, const RobotFitOptions& options, Monitor* monitor) {
  std::vector<std::size_t> first_of(series.size());
  std::vector<std::size_t> to_fit;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto same = std::ranges::find_if(
        to_fit, [&](std::size_t k) { return is_same(series[k]->mesh, series[i]->mesh); });
    first_of[i] = same == to_fit.end() ? i : *same;
    if (same == to_fit.end()) to_fit.push_back(i);
  }
  std::atomic<std::size_t> done = 0;
  parallel_for(options.threads, to_fit.size(), [&](std::size_t i) {
    if (is_cancelled(monitor)) return;
    SeriesFit& fit = *series[to_fit[i]];
    fit.ladder = std::make_shared<const detail::FitLadder>(
        detail::best_ladder(fit.mesh, options.link.most_segments, options.link.margin));
    fit.step = detail::chosen_step(*fit.ladder, options.link.least_gain);
    report_progress(monitor, "fitting contours",
                    static_cast<double>(++done) / static_cast<double>(to_fit.size()));
  });
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i]->ladder = series[first_of[i]]->ladder;
    series[i]->step = series[first_of[i]]->step;
  }
}

/// For each link one series, or several where that encloses clearly less; `most` of them at most
/// (0: any number), the links that save most first.
std::vector<SeriesFit> chosen_series(const std::vector<LinkSeries>& links, std::size_t most) {
  std::vector<std::pair<double, std::size_t>> saved;
  for (std::size_t i = 0; i < links.size(); ++i) {
    double apart = 0.0;
    for (const SeriesFit& s : links[i].apart) apart += s.volume();
    const double together = links[i].together.volume();
    if (!links[i].apart.empty() && apart < kClearlyLess * together)
      saved.emplace_back(apart - together, i);
  }
  std::sort(saved.begin(), saved.end());
  std::size_t count = links.size();
  std::vector<bool> is_apart(links.size(), false);
  for (const auto& [volume, i] : saved) {
    const std::size_t with_these = count + links[i].apart.size() - 1;
    if (most > 0 && with_these > most) continue;
    count = with_these;
    is_apart[i] = true;
  }
  std::vector<SeriesFit> chosen;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (is_apart[i])
      chosen.insert(chosen.end(), links[i].apart.begin(), links[i].apart.end());
    else
      chosen.push_back(links[i].together);
  }
  return chosen;
}

/// Starts with one segment each and refines where a segment more takes most off the surface, until
/// there are `most` or none would be taken by the fit of its own.
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
      const detail::FitLadder& ladder = *series[i].ladder;
      const double volume = ladder.volume(series[i].step);
      const double surface = std::cbrt(volume) * std::cbrt(volume);
      // Two segments may do together what neither does alone.
      for (std::size_t step = series[i].step + 1; step <= wanted[i]; ++step) {
        const std::size_t cost = step - series[i].step;
        const double gain = (volume - ladder.volume(step)) / surface / static_cast<double>(cost);
        if (cost <= left && gain > best_gain) best_gain = gain, best = i, best_step = step;
      }
    }
    if (!(best_gain > 0.0)) return;
    left -= best_step - series[best].step;
    series[best].step = best_step;
  }
}

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
  if (const Status status = detail::check_fit(options.link); !status) return status.error();
  if (options.most_segments > 0 && options.most_segments < with_shapes.size())
    return Error{.code = ErrorCode::Invalid,
                 .reason = std::to_string(options.most_segments) + " segments are too few for " +
                           std::to_string(with_shapes.size()) + " links with shapes"};

  std::vector<LinkSeries> by_link;
  by_link.reserve(with_shapes.size());
  for (const std::uint32_t link : with_shapes)
    by_link.push_back(series_of(robot, link, options.visual));
  std::vector<SeriesFit*> to_fit;
  for (LinkSeries& link : by_link) {
    to_fit.push_back(&link.together);
    for (SeriesFit& s : link.apart) to_fit.push_back(&s);
  }
  fit_all(to_fit, options, monitor);
  if (is_cancelled(monitor))
    return Error{.code = ErrorCode::Cancelled, .reason = "the fit was cancelled"};
  std::vector<SeriesFit> series = chosen_series(by_link, options.most_segments);
  if (options.most_segments > 0) share_segments(series, options.most_segments);

  std::vector<std::optional<Result<Contour>>> contours(series.size());
  std::vector<detail::FitExcess> excess(series.size());
  parallel_for(options.threads, series.size(), [&](std::size_t i) {
    const SeriesFit& s = series[i];
    contours[i] = detail::covering_contour(*s.ladder, s.step, s.mesh, s.name);
    if (contours[i]->ok()) excess[i] = detail::excess_of(**contours[i], s.mesh);
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
                     .enclosed_volume = s.volume(),
                     .hull_volume = excess[i].hull_volume,
                     .farthest = excess[i].farthest});
    link_contours.push_back({.link = s.link, .contour = std::move(**contours[i])});
  }
  Result<ContourRobot> fitted = ContourRobot::on_links(robot, std::move(link_contours));
  if (!fitted) return fitted.error();
  return RobotFit{std::move(*fitted), std::move(links)};
}

}  // namespace clearance
