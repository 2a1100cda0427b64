// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The strip of key frames of a plan. Where obstacles hide the body it shines through them, so that
// every frame shows where it is.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <clearance/picture/picture.h>

#include "plan_report.h"

namespace clearance::cli {
namespace {

constexpr int kColumns = 3;
constexpr int kRows = 2;
constexpr int kFrameWidth = 420;
constexpr int kFrameHeight = 340;
constexpr int kGap = 6;  ///< between frames [pixels]
constexpr Colour kObstacle{0.70, 0.74, 0.79};
constexpr Colour kBody{0.93, 0.55, 0.18};
constexpr Colour kBlocking{0.82, 0.16, 0.14};
constexpr Colour kTrace{0.20, 0.36, 0.62};
/// How strongly the body shines through what hides it.
constexpr double kShine = 0.45;
/// Directions towards the eye that are tried; the first is the usual one.
constexpr std::array<Vec3, 8> kEyes{{{1.0, -1.4, 0.9},
                                     {-1.0, -1.4, 0.9},
                                     {1.0, 1.4, 0.9},
                                     {-1.0, 1.4, 0.9},
                                     {0.3, -1.0, 0.25},
                                     {1.0, -0.3, 0.25},
                                     {0.4, -0.6, 1.6},
                                     {0.5, -1.2, -0.8}}};
/// Small pictures by which the direction is chosen.
constexpr int kTrySize = 96;
/// Another direction must show this much more of the body than the usual one.
constexpr double kWorthTurning = 1.25;

struct Frame {
  std::vector<PictureItem> items;  ///< the first ones are the body, and what blocks it
  std::size_t shining = 1;         ///< of them: those that are seen through all others
  std::vector<PictureLine> lines;
};

bool is_same(const Image& a, const Image& b, std::size_t pixel) {
  return std::equal(a.rgb.begin() + static_cast<std::ptrdiff_t>(3 * pixel),
                    a.rgb.begin() + static_cast<std::ptrdiff_t>(3 * pixel + 3),
                    b.rgb.begin() + static_cast<std::ptrdiff_t>(3 * pixel));
}

/// Pixels in which the body is seen.
std::size_t visible(const Frame& frame, PictureOptions options) {
  options.width = options.height = kTrySize;
  options.samples = 1;
  options.outlines = false;
  const Image all = render(frame.items, {}, options);
  const Image body = render(std::span(frame.items).first(1), {}, options);
  const Image nothing = render({}, {}, options);
  std::size_t count = 0;
  for (std::size_t i = 0; i < nothing.rgb.size() / 3; ++i)
    count += !is_same(body, nothing, i) && is_same(all, body, i) ? 1 : 0;
  return count;
}

/// From where most of the body is seen over all frames.
Vec3 best_eye(const std::vector<Frame>& frames, PictureOptions options) {
  Vec3 best = kEyes.front();
  double most = 0.0;
  for (const Vec3& eye : kEyes) {
    options.towards_eye = eye;
    double seen = 0.0;
    for (const Frame& frame : frames) seen += static_cast<double>(visible(frame, options));
    const double wanted = best == kEyes.front() ? kWorthTurning * most : most;
    if (most > 0.0 && seen <= wanted) continue;
    best = eye;
    most = seen;
  }
  return best;
}

Image drawn(const Frame& frame, const PictureOptions& options) {
  Image image = render(frame.items, frame.lines, options);
  const Image body = render(std::span(frame.items).first(frame.shining), {}, options);
  const Image nothing = render({}, {}, options);
  for (std::size_t i = 0; i < image.rgb.size() / 3; ++i) {
    if (is_same(body, nothing, i)) continue;
    for (std::size_t c = 3 * i; c < 3 * i + 3; ++c) {
      const double blend = (1.0 - kShine) * image.rgb[c] + kShine * body.rgb[c];
      image.rgb[c] = static_cast<std::uint8_t>(std::lround(blend));
    }
  }
  return image;
}

Image strip(const std::vector<Image>& images, int columns) {
  const int rows = (static_cast<int>(images.size()) + columns - 1) / columns;
  const int width = images.front().width;
  const int height = images.front().height;
  Image all;
  all.width = columns * width + (columns - 1) * kGap;
  all.height = rows * height + (rows - 1) * kGap;
  all.rgb.assign(static_cast<std::size_t>(3) * static_cast<std::size_t>(all.width) *
                     static_cast<std::size_t>(all.height),
                 255);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const int left = static_cast<int>(i) % columns * (width + kGap);
    const int top = static_cast<int>(i) / columns * (height + kGap);
    for (int row = 0; row < height; ++row) {
      const auto from = images[i].rgb.begin() + static_cast<std::ptrdiff_t>(3) * row * width;
      const auto to =
          all.rgb.begin() + static_cast<std::ptrdiff_t>(3) * ((top + row) * all.width + left);
      std::copy(from, from + static_cast<std::ptrdiff_t>(3) * width, to);
    }
  }
  return all;
}

/// The way of the pivot, as a line.
std::vector<PictureLine> trace_of(const PlanFile& file) {
  std::vector<PictureLine> lines;
  const PlanPath& path = file.plan.path;
  for (std::size_t i = 0; i < path.size(); ++i)
    lines.push_back({{path.poses[i] * path.pivot, path.poses[i + 1] * path.pivot}, kTrace, 2.0});
  return lines;
}

/// The closest approach, with what blocks in red.
Frame blocked_frame(const PlanScene& scene, const PlanFile& file) {
  const Mesh& obstacles = scene.problem.obstacles.mesh();
  const std::vector<std::uint32_t>& blocking = file.plan.blocking_triangles;
  std::vector<Face> red;
  std::vector<Face> others;
  for (std::uint32_t i = 0; i < obstacles.triangle_count(); ++i)
    (std::ranges::binary_search(blocking, i) ? red : others).push_back(obstacles.faces()[i]);
  const std::vector<Vec3> vertices(obstacles.vertices().begin(), obstacles.vertices().end());
  Frame frame;
  frame.items.push_back({scene.body_mesh, file.plan.closest_pose, kBody});
  for (const auto& [faces, colour] : {std::pair(&red, kBlocking), std::pair(&others, kObstacle)}) {
    const Result<Mesh> mesh = Mesh::make(vertices, *faces);
    if (mesh) frame.items.push_back({*mesh, Pose::identity(), colour});
  }
  if (!red.empty()) frame.shining = 2;
  frame.lines = trace_of(file);
  return frame;
}

}  // namespace

Status draw_plan(const std::string& path, const PlanScene& scene, const PlanFile& file,
                 Threads threads) {
  const bool found = file.plan.status == PlanStatus::Found;
  Box region = scene.problem.obstacles.mesh().bounds();
  std::vector<Frame> frames;
  if (found) {
    constexpr int kFrames = kColumns * kRows;
    for (int i = 0; i < kFrames; ++i) {
      const Pose pose = pose_at(file.plan.path, i / (kFrames - 1.0), file.radius);
      frames.push_back({{{scene.body_mesh, pose, kBody},
                         {scene.problem.obstacles.mesh(), Pose::identity(), kObstacle}},
                        1,
                        trace_of(file)});
      region.include(transformed(scene.body_mesh, pose).bounds());
    }
  } else {
    frames.push_back(blocked_frame(scene, file));
    region.include(transformed(scene.body_mesh, file.plan.closest_pose).bounds());
  }
  PictureOptions options;
  options.region = region;
  options.threads = threads;
  options.towards_eye = best_eye(frames, options);
  options.width = found ? kFrameWidth : 2 * kFrameWidth;
  options.height = found ? kFrameHeight : 2 * kFrameHeight;
  std::vector<Image> images;
  images.reserve(frames.size());
  for (const Frame& frame : frames) images.push_back(drawn(frame, options));
  return write_png(path, strip(images, found ? kColumns : 1), {.colours = 256});
}

}  // namespace clearance::cli
