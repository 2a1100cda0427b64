// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "render_picture.h"

#include <algorithm>

#include <clearance/mesh/ball_mesh.h>
#include <clearance/picture/colour_scale.h>
#include <clearance/query/sweep.h>

namespace clearance::cli {
namespace {

/// More balls than this are drawn with fewer triangles each.
constexpr std::size_t kManyBalls = 3000;
/// Items more transparent than this are left out: the rasteriser draws solid surfaces only.
constexpr double kLeastOpacity = 0.3;

/// The last moment at or before `time`, and the way to the next in [0, 1].
std::pair<std::size_t, double> moment_at(const ViewMotion& motion, double time) {
  const auto next = std::upper_bound(motion.times.begin(), motion.times.end(), time);
  if (next == motion.times.begin()) return {0, 0.0};
  const auto index = static_cast<std::size_t>(next - motion.times.begin()) - 1;
  if (next == motion.times.end() || motion.steps) return {index, 0.0};
  return {index, (time - motion.times[index]) / (motion.times[index + 1] - motion.times[index])};
}

Pose pose_at(const ViewDocument& document, const ViewItem& item, double time) {
  if (item.owner) return pose_at(document, document.items[*item.owner], time);
  if (!item.motion || item.motion->poses.empty()) return item.world_from_item;
  const auto [index, fraction] = moment_at(*item.motion, time);
  const std::vector<Pose>& poses = item.motion->poses;
  if (fraction == 0.0 || index + 1 >= poses.size()) return poses[std::min(index, poses.size() - 1)];
  return RigidMotion::interpolated(poses[index], poses[index + 1], item.motion->pivot).at(fraction);
}

/// The points of a moving item, `count` of them; empty when it has none.
std::vector<Vec3> points_at(const ViewItem& item, std::size_t count, double time) {
  if (!item.motion || item.motion->points.empty()) return {};
  const auto [index, fraction] = moment_at(*item.motion, time);
  const std::vector<Vec3>& all = item.motion->points;
  std::vector<Vec3> points(all.begin() + static_cast<std::ptrdiff_t>(index * count),
                           all.begin() + static_cast<std::ptrdiff_t>((index + 1) * count));
  if (fraction > 0.0 && (index + 2) * count <= all.size()) {
    for (std::size_t i = 0; i < count; ++i)
      points[i] += fraction * (all[(index + 1) * count + i] - points[i]);
  }
  return points;
}

/// The colour of the i-th vertex, sphere or line.
Colour colour_at(const ViewDocument& document, const ViewItem& item, std::size_t i) {
  if (item.legend && i < item.values.size()) {
    const ViewLegend& legend = document.legends[*item.legend];
    const double value =
        legend.high_is_warm ? legend.low + legend.high - item.values[i] : item.values[i];
    return clearance::colour_at({legend.low, legend.high}, value);
  }
  return i < item.colours.size() ? item.colours[i] : item.colour;
}

bool is_shown(const ViewDocument& document, const ViewItem& item, std::size_t number, double time,
              std::size_t level, const ViewFocus* focus) {
  if (item.level && static_cast<std::size_t>(*item.level) != level) return false;
  if (item.owner) {
    return is_shown(document, document.items[*item.owner], *item.owner, time, level, focus);
  }
  if (item.shown && (time < item.shown->from || time > item.shown->to)) return false;
  if (focus != nullptr && std::ranges::count(focus->show, number) > 0) return true;
  if (focus != nullptr && !focus->items.empty() && std::ranges::count(focus->items, number) == 0)
    return false;
  return item.visible;
}

}  // namespace

Image render_document(const ViewDocument& document, const RenderOptions& options) {
  const ViewFocus* focus = options.finding && *options.finding < document.focuses.size()
                               ? &document.focuses[*options.finding]
                               : nullptr;
  double time = document.timeline ? document.timeline->start : 0.0;
  if (focus != nullptr && focus->time) time = *focus->time;
  if (options.time) time = *options.time;
  const std::size_t level = options.level.value_or(document.first_level);

  std::vector<PictureItem> items;
  std::vector<PictureLine> lines;
  for (std::size_t number = 0; number < document.items.size(); ++number) {
    const ViewItem& item = document.items[number];
    if (!is_shown(document, item, number, time, level, focus)) continue;
    const bool coloured = item.legend.has_value() || !item.colours.empty();
    switch (item.shape) {
      case ViewShape::Mesh: {
        if (item.opacity < kLeastOpacity) break;
        PictureItem drawn{item.mesh, pose_at(document, item, time), item.colour, false, {}};
        for (std::size_t i = 0; coloured && i < item.mesh.vertex_count(); ++i)
          drawn.vertex_colours.push_back(colour_at(document, item, i));
        items.push_back(std::move(drawn));
        break;
      }
      case ViewShape::Spheres: {
        std::vector<Sphere> spheres = item.spheres;
        const std::vector<Vec3> centers = points_at(item, spheres.size(), time);
        for (std::size_t i = 0; i < centers.size(); ++i) spheres[i].center = centers[i];
        const int times = spheres.size() > kManyBalls ? 2 : 3;
        PictureItem drawn{
            ball_mesh(spheres, times), pose_at(document, item, time), item.colour, false, {}};
        for (std::size_t i = 0; coloured && i < spheres.size(); ++i) {
          if (spheres[i].radius > 0.0) {
            drawn.vertex_colours.insert(drawn.vertex_colours.end(), ball_vertex_count(times),
                                        colour_at(document, item, i));
          }
        }
        if (!drawn.mesh.empty()) items.push_back(std::move(drawn));
        break;
      }
      case ViewShape::Lines: {
        const Pose pose = pose_at(document, item, time);
        const std::vector<Vec3> ends = points_at(item, 2 * item.lines.size(), time);
        for (std::size_t i = 0; i < item.lines.size(); ++i) {
          const Segment line = ends.empty() ? item.lines[i] : Segment{ends[2 * i], ends[2 * i + 1]};
          lines.push_back({{pose * line.a, pose * line.b},
                           coloured ? colour_at(document, item, i) : item.colour,
                           item.width});
        }
        break;
      }
    }
  }
  PictureOptions picture = options.picture;
  picture.region = document.region;
  if (focus != nullptr) {
    const double reach = std::max(focus->radius, 1e-9);
    const Vec3 half{reach, reach, reach};
    picture.region = Box{focus->point - half, focus->point + half};
    if (focus->line) lines.push_back({*focus->line, colour_of(ViewState::Bad), 3.0});
  }
  Image image = render(items, lines, picture);
  if (document.legends.empty() || document.legends.front().high_is_warm) return image;
  const ViewLegend& legend = document.legends.front();
  return with_legend(image, {legend.low, legend.high}, {legend.title, legend.units_per_one});
}

}  // namespace clearance::cli
