// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/maps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include <clearance/contour/prober.h>
#include <clearance/mesh/write.h>
#include <clearance/picture/picture.h>

namespace clearance::study {
namespace {

/// The colour of a distance: red at 0, over yellow and green to blue at `range` and beyond.
Colour colour_of(double distance, double range) {
  constexpr std::array<Colour, 5> kStops{{{0.80, 0.10, 0.10},
                                          {0.95, 0.55, 0.15},
                                          {0.95, 0.90, 0.35},
                                          {0.35, 0.75, 0.55},
                                          {0.20, 0.35, 0.75}}};
  const double place = std::clamp(distance / range, 0.0, 1.0) * (kStops.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  const double t = place - static_cast<double>(i);
  return {std::lerp(kStops[i].r, kStops[i + 1].r, t), std::lerp(kStops[i].g, kStops[i + 1].g, t),
          std::lerp(kStops[i].b, kStops[i + 1].b, t)};
}

/// The surfaces of all segments: rings of points, and a fan at both ends.
Result<Mesh> surface_of(const ContourFrame& frame) {
  constexpr std::uint32_t kSides = 32;
  constexpr std::uint32_t kRings = 5;
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (const ContourSegment& segment : frame) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      for (std::uint32_t k = 0; k < kSides; ++k) {
        const double theta = 2.0 * std::numbers::pi * k / kSides;
        vertices.push_back(
            segment.at(static_cast<double>(ring) / (kRings - 1), std::cos(theta), std::sin(theta)));
        if (ring == 0) continue;
        const std::uint32_t next = (k + 1) % kSides;
        const std::uint32_t below = base + (ring - 1) * kSides;
        const std::uint32_t above = base + ring * kSides;
        faces.push_back({below + k, below + next, above + next});
        faces.push_back({below + k, above + next, above + k});
      }
    }
    const std::uint32_t end = base + (kRings - 1) * kSides;
    for (std::uint32_t k = 1; k + 1 < kSides; ++k) {
      faces.push_back({base, base + k + 1, base + k});
      faces.push_back({end, end + k, end + k + 1});
    }
  }
  return Mesh::make(std::move(vertices), std::move(faces));
}

/// The triangles on the far side of a plane through the middle, with all vertices: what is before
/// the catheter is cut away.
Result<Mesh> half_of(const Mesh& mesh, const Vec3& towards_eye, const Vec3& point) {
  std::vector<Face> faces;
  for (std::size_t t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle triangle = mesh.triangle(t);
    const Vec3 middle = (triangle.a + triangle.b + triangle.c) / 3.0;
    if (dot(middle - point, towards_eye) <= 0.0) faces.push_back(mesh.faces()[t]);
  }
  return Mesh::make({mesh.vertices().begin(), mesh.vertices().end()}, std::move(faces));
}

/// The mesh within a box, its triangles halved at their longest edge until none is longer than
/// `longest` [m]: colours between the corners of a large triangle would show nothing.
Result<Mesh> refined(const Mesh& mesh, const Box& region, double longest) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Triangle> open;
  for (std::size_t t = 0; t < mesh.triangle_count(); ++t) open.push_back(mesh.triangle(t));
  const auto beside = [&](const Triangle& t) {
    const Vec3 low = min(t.a, min(t.b, t.c));
    const Vec3 high = max(t.a, max(t.b, t.c));
    return high.x < region.low.x || high.y < region.low.y || high.z < region.low.z ||
           low.x > region.high.x || low.y > region.high.y || low.z > region.high.z;
  };
  while (!open.empty()) {
    Triangle t = open.back();
    open.pop_back();
    if (beside(t)) continue;
    // The longest edge becomes ab.
    for (int turn = 0; turn < 2; ++turn) {
      if (distance(t.a, t.b) < std::max(distance(t.b, t.c), distance(t.c, t.a)))
        t = {t.b, t.c, t.a};
    }
    if (distance(t.a, t.b) > longest) {
      const Vec3 middle = 0.5 * (t.a + t.b);
      open.push_back({t.a, middle, t.c});
      open.push_back({middle, t.b, t.c});
      continue;
    }
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), {t.a, t.b, t.c});
    faces.push_back({first, first + 1, first + 2});
  }
  Result<Mesh> result = Mesh::make(std::move(vertices), std::move(faces));
  if (!result) return result.error();
  return welded(*result);
}

/// A picture to be drawn.
struct Map {
  std::string name;
  Mesh mesh;
  ContourFrame frame;
  double range;  ///< blue from here on [m]
  Vec3 towards_eye;
  bool cut_open;  ///< leave out what is before the robot
};

Status write_map(const std::string& folder, const Map& map) {
  const ContourFrame& frame = map.frame;
  Result<std::unique_ptr<Prober>> tree = make_prober(map.mesh);
  if (!tree) return tree.error();
  const Result<std::vector<double>> distances = (*tree)->vertex_distances(frame);
  if (!distances) return distances.error();
  const Result<Mesh> robot = surface_of(frame);
  if (!robot) return robot.error();

  // The picture.
  Mesh shown = map.mesh;
  if (map.cut_open) {
    Result<Mesh> half = half_of(map.mesh, map.towards_eye, frame[frame.size() / 2].start.center);
    if (!half) return half.error();
    shown = std::move(*half);
  }
  PictureItem surroundings{.mesh = shown};
  ColouredMesh coloured{"mesh", map.mesh, {}, *distances};
  for (const double value : *distances) {
    const Colour colour = colour_of(value, map.range);
    surroundings.vertex_colours.push_back(colour);
    const auto byte = [](double part) {
      return static_cast<std::uint8_t>(std::lround(255.0 * part));
    };
    coloured.colours.push_back({byte(colour.r), byte(colour.g), byte(colour.b)});
  }
  constexpr Colour kRobot{0.30, 0.55, 0.30};
  const std::vector<PictureItem> items{std::move(surroundings),
                                       PictureItem{.mesh = *robot, .colour = kRobot}};
  PictureOptions options;
  options.towards_eye = map.towards_eye;
  const std::string path = (std::filesystem::path(folder) / map.name).string();
  if (Status written = write_png(path + ".png", render(items, {}, options)); !written)
    return written;

  // The same for other programs, whole.
  ColouredMesh robot_colours{"robot", *robot, {}, {}};
  robot_colours.colours.assign(robot->vertex_count(), {77, 140, 77});
  const std::array<ColouredMesh, 2> both{std::move(coloured), std::move(robot_colours)};
  return write_coloured(path + ".ply", both, "distance");
}

}  // namespace

Status write_maps(const std::string& folder, const ContourStudyOptions& options) {
  const Result<std::array<ContourScene, 2>> scenes = contour_scenarios(options);
  if (!scenes) return scenes.error();
  const auto& [catheter, hand] = *scenes;
  const std::size_t frames = catheter.frames.size();
  constexpr double kAtriumRange = 0.025;
  constexpr double kWallRange = 0.15;
  constexpr Box kAroundHole{{-0.1, -0.42, -0.42}, {0.1, 0.42, 0.42}};
  constexpr double kLongestEdge = 0.012;
  const Result<Mesh> wall = refined(hand.mesh, kAroundHole, kLongestEdge);
  if (!wall) return wall.error();
  constexpr Vec3 kBeside{0.6, -1.4, 0.7};
  constexpr Vec3 kBehind{-1.2, -1.0, 0.5};
  const std::array<Map, 3> maps{
      {{"scenario-b-1", catheter.mesh, catheter.frames[frames / 4], kAtriumRange, kBeside, true},
       {"scenario-b-2", catheter.mesh, catheter.frames[2 * frames / 3], kAtriumRange, kBeside,
        true},
       {"scenario-c", *wall, hand.frames[3 * frames / 4], kWallRange, kBehind, false}}};
  for (const Map& map : maps) {
    if (Status written = write_map(folder, map); !written) return written;
  }
  return {};
}

}  // namespace clearance::study
