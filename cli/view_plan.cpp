// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance plan`: the body on its way between the obstacles, the clearance along it,
// and the closest pair at each moment.
#include <algorithm>
#include <numbers>

#include <nlohmann/json.hpp>

#include <clearance/plan/plan_file.h>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

constexpr Colour kObstacle{0.66, 0.71, 0.76};
constexpr Colour kBody{0.91, 0.55, 0.18};
/// The body is mostly inside of them: they are seen through.
constexpr double kObstacleOpacity = 0.45;
constexpr std::size_t kGhosts = 9;
/// The body is drawn this often along the path: between, the pivot goes straight as in the path.
constexpr std::size_t kMoments = 400;

/// The parts of a mesh as items, so that they can be hidden one by one.
void append_obstacles(const Mesh& mesh, ViewDocument& document) {
  constexpr std::size_t kMostParts = 400;
  if (mesh.parts().size() < 2 || mesh.parts().size() > kMostParts) {
    ViewItem item;
    item.name = "obstacles";
    item.group = "Obstacles";
    item.mesh = mesh;
    item.colour = kObstacle;
    item.opacity = kObstacleOpacity;
    document.add(std::move(item));
    return;
  }
  for (const MeshPart& part : mesh.parts()) {
    Result<Mesh> own = submesh(mesh, part.first_triangle, part.triangle_count);
    if (!own) continue;
    ViewItem item;
    item.name = part.name;
    item.group = "Obstacles";
    item.mesh = std::move(*own);
    item.colour = kObstacle;
    item.opacity = kObstacleOpacity;
    document.add(std::move(item));
  }
}

}  // namespace

Result<ViewDocument> view_plan(const ViewSource& source) {
  const Result<PlanFile> file = read_plan(source.path());
  if (!file) return file.error();
  const Plan& plan = file->plan;
  ViewDocument document;
  document.kind = "plan";
  document.title =
      file->scene.name.empty() ? file_name(source.path()) : file_name(file->scene.name);
  const bool found = plan.status == PlanStatus::Found;
  document.state = found ? ViewState::Good : ViewState::Bad;
  document.summary =
      found ? "path found, proven free" : std::string("no path: ") + name_of(plan.status);
  std::replace(document.summary.begin(), document.summary.end(), '_', ' ');
  const PathLength length = length_of(plan.path);
  document.facts = {{"planner", file->planner},
                    {"found by", plan.method},
                    {"poses", std::to_string(plan.path.poses.size())},
                    {"way", short_length(length.translation)},
                    {"turns", format_number("%.0f°", length.rotation * 180.0 / std::numbers::pi)}};
  if (found) {
    document.facts.push_back({"proven clearance", short_length(plan.proof.clearance_lower)});
    document.facts.push_back({"distances asked", group_digits(plan.proof.looks)});
  }
  if (file->relief > 0.0)
    document.facts.push_back({"body relieved by", short_length(file->relief)});
  for (const std::string& note : file->notes) document.warn(note);

  ViewTimeline timeline{"way", "%", 0.0, 100.0, 0.0, 8.0, {}};
  const Result<PlanScene> scene = load_scene_of(
      *file, {.threads = source.options().threads, .monitor = source.options().monitor});
  if (!scene) document.warn(scene.error().message());
  const std::vector<Pose>& poses = plan.path.poses;
  if (scene) {
    append_obstacles(scene->problem.obstacles.mesh(), document);
    // By arc length, as the samples are: the poses of the path are among the moments.
    ViewMotion motion;
    motion.pivot = plan.path.pivot;
    for (std::size_t i = 0; i <= kMoments && !poses.empty(); ++i) {
      const double at = static_cast<double>(i) / kMoments;
      motion.times.push_back(100.0 * at);
      motion.poses.push_back(pose_at(plan.path, at, file->radius));
    }
    for (std::size_t i = 0; i < kGhosts && poses.size() > 1; ++i) {
      ViewItem ghost;
      ghost.name = "ghost " + std::to_string(i + 1);
      ghost.group = "Swept";
      ghost.mesh = scene->body_mesh;
      ghost.world_from_item =
          pose_at(plan.path, static_cast<double>(i) / (kGhosts - 1), file->radius);
      ghost.colour = kBody;
      ghost.opacity = 0.10;
      ghost.outlined = false;
      ghost.explodes = false;
      document.add(std::move(ghost));
    }
    ViewItem body;
    body.name = "body";
    body.group = "Body";
    body.mesh = scene->body_mesh;
    body.colour = kBody;
    body.explodes = false;
    if (!motion.poses.empty()) {
      body.world_from_item = motion.poses.front();
      body.motion = std::move(motion);
    }
    document.add(std::move(body));
  }
  ViewItem way;
  way.name = "way of the pivot";
  way.group = "Body";
  way.shape = ViewShape::Lines;
  way.colour = {0.25, 0.45, 0.80};
  for (std::size_t i = 0; i + 1 < poses.size(); ++i)
    way.lines.push_back({poses[i] * plan.path.pivot, poses[i + 1] * plan.path.pivot});
  if (!way.lines.empty()) document.add(std::move(way));

  if (!file->samples.empty()) {
    ViewItem pair;
    pair.name = "closest pair";
    pair.group = "Body";
    pair.shape = ViewShape::Lines;
    pair.colour = colour_of(ViewState::Bad);
    pair.width = 4.0;
    pair.motion.emplace();
    ViewSeries series{"clearance", {}, false};
    const PlanSample* least = &file->samples.front();
    for (const PlanSample& sample : file->samples) {
      series.points.push_back({100.0 * sample.at, 1e3 * sample.distance});
      pair.motion->times.push_back(100.0 * sample.at);
      pair.motion->points.insert(pair.motion->points.end(), {sample.on_obstacle, sample.on_body});
      if (sample.distance < least->distance) least = &sample;
    }
    pair.lines.push_back({file->samples.front().on_obstacle, file->samples.front().on_body});
    document.add(std::move(pair));
    ViewPlot plot{"clearance [mm]", {std::move(series)}, {}};
    if (file->scene.clearance > 0.0) plot.limit = 1e3 * file->scene.clearance;
    document.plots.push_back(std::move(plot));

    ViewFocus focus;
    focus.label = "Narrowest: " + short_length(least->distance);
    focus.line = Segment{least->on_obstacle, least->on_body};
    focus.point = least->on_body;
    focus.radius = scene ? 0.25 * scene->body_mesh.bounds().diagonal() : least->distance;
    focus.time = 100.0 * least->at;
    document.focuses.push_back(focus);
    timeline.marks.push_back({{100.0 * least->at, 100.0 * least->at},
                              found ? ViewState::Warning : ViewState::Bad,
                              focus.label,
                              std::size_t{0}});
    document.tables.push_back({"Findings",
                               {"what", "clearance", "at"},
                               {{{"narrowest place", short_length(least->distance),
                                  format_number("%.0f %%", 100.0 * least->at)},
                                 ViewState::Warning,
                                 std::size_t{0}}}});
  }
  if (poses.size() > 1) document.timeline = std::move(timeline);
  return document;
}

}  // namespace clearance::cli
