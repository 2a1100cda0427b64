// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <vector>

#include <clearance/picture/colour_scale.h>
#include <clearance/picture/picture.h>

#include "grasp_report.h"

namespace clearance::cli {
namespace {

/// Length of the stem of the best T, as a fraction of the part's diagonal; its bar is as long.
constexpr double kLargestT = 0.25;
/// Distance of the two views, as a fraction of their width.
constexpr double kGap = 0.12;
constexpr Colour kWire{0.15, 0.15, 0.2};

/// A picture has no more than 30,000 lines, and a T is two of them in two places: of more grasps
/// every second, third and so on is drawn, from the best on.
constexpr std::size_t kMostDrawn = 7000;

/// The T shapes, the best last: they are drawn over the others.
void append_grasps(const GraspPicture& picture, const Vec3& shift,
                   std::vector<PictureLine>& lines) {
  const double size = kLargestT * picture.part.bounds().diagonal();
  const ColourScale scale{0.0, 1.0};
  const double best = picture.grasps.empty() ? 1.0 : picture.grasps.front().quality;
  const std::size_t count = picture.grasps.size();
  const std::size_t stride = (count + kMostDrawn - 1) / kMostDrawn;
  for (std::size_t i = count; i-- > 0;) {
    if (i % stride != 0) continue;
    const Grasp& g = picture.grasps[i];
    const double share = g.quality / best;
    const Vec3 at = g.part_from_gripper.translation + shift;
    const Vec3 bar = 0.5 * size * share * g.part_from_gripper.rotation.column(0);
    const Vec3 stem = -size * share * g.part_from_gripper.rotation.column(2);
    const Colour colour = colour_at(scale, 1.0 - share);
    lines.push_back({{at, at + stem}, colour, 1.0});
    lines.push_back({{at - bar, at + bar}, colour, 1.5});
  }
}

}  // namespace

Status draw_grasps(const std::string& path, const GraspPicture& picture, Threads threads) {
  PictureOptions options;
  options.width = 1400;
  options.height = 480;
  options.towards_eye = picture.towards_eye;
  options.up = picture.up;
  options.threads = threads;
  const Vec3 right = normalized(cross(options.up, options.towards_eye));
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Vec3& p : picture.part.vertices()) {
    low = std::min(low, dot(p, right));
    high = std::max(high, dot(p, right));
  }
  const Vec3 beside = (1.0 + kGap) * (high - low) * right;
  std::vector<PictureItem> items(1);
  items[0].mesh = picture.part;
  std::vector<PictureLine> lines;
  for (const Vec3& shift : {Vec3{}, beside}) {
    for (const Segment& s : picture.wire_frame)
      lines.push_back({{s.a + shift, s.b + shift}, kWire, 3.0});
    append_grasps(picture, shift, lines);
  }
  return write_png(path, render(items, lines, options));
}

}  // namespace clearance::cli
