// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "probe_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <clearance/base/file.h>
#include <clearance/contour/contour_mesh.h>
#include <clearance/mesh/write.h>
#include <clearance/picture/colour_scale.h>
#include <clearance/picture/picture.h>

#include "text.h"

namespace clearance::cli {
namespace {

constexpr Colour kRobotColour{0.42, 0.45, 0.50};
constexpr Colour kRodColour{0.05, 0.05, 0.05};
/// Of the rod between the closest points, as a fraction of the mesh's size.
constexpr double kRodRadius = 0.0025;
/// Edges a colour scale is cut into where --map-detail does not say.
constexpr double kEdgesPerRange = 24.0;

/// The legend in the unit that suits the far end of the scale.
Legend legend_of(const ColourScale& scale) {
  struct Unit {
    const char* title;
    double per_metre;
  };
  constexpr std::array<Unit, 3> kUnits{
      {{"distance [m]", 1.0}, {"distance [mm]", 1e3}, {"distance [um]", 1e6}}};
  const Unit& unit = scale.high >= 1.0 ? kUnits[0] : scale.high >= 1e-3 ? kUnits[1] : kUnits[2];
  return {unit.title, unit.per_metre};
}

VertexColour bytes_of(const Colour& colour) {
  const auto byte = [](double v) { return static_cast<std::uint8_t>(std::lround(255.0 * v)); };
  return {byte(colour.r), byte(colour.g), byte(colour.b)};
}

/// From contact to the farthest distance that is shown.
ColourScale scale_of(const ProbeMapOptions& options, std::span<const double> distances) {
  double high = options.range;
  if (high <= 0.0) {
    for (const double d : distances)
      if (std::isfinite(d)) high = std::max(high, d);
  }
  // All in contact: any scale shows that.
  return {0.0, high > 0.0 ? high : 1e-3};
}

/// Cuts triangles until their edges are at most `longest`, those with a distance beyond the range
/// (infinity) excepted. The vertices there were stay the first ones. An edge is cut or not whatever
/// triangle it belongs to, so nothing gapes where both sides are cut.
Result<Mesh> refined(const Mesh& mesh, std::span<const double> triangle_distances, double longest) {
  // More than any picture shows; what is not cut by then stays as it is.
  constexpr std::size_t kMostTriangles = 2'000'000;
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  std::vector<Face> faces;
  std::vector<Face> kept;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i)
    (std::isfinite(triangle_distances[i]) ? faces : kept).push_back(mesh.faces()[i]);

  while (!faces.empty() && faces.size() + kept.size() < kMostTriangles) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle_of = [&](std::uint32_t a, std::uint32_t b) -> std::optional<std::uint32_t> {
      if (!(norm(vertices[b] - vertices[a]) > longest)) return std::nullopt;
      const auto [entry, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(vertices.size()));
      if (is_new) vertices.push_back(0.5 * (vertices[a] + vertices[b]));
      return entry->second;
    };
    std::vector<Face> finer;
    for (const Face& f : faces) {
      // The longest edge alone, so that slivers become rounder; the pieces have their turn next.
      std::size_t k = 0;
      for (std::size_t i = 1; i < 3; ++i) {
        const auto length = [&](std::size_t e) {
          return norm(vertices[f[(e + 1) % 3]] - vertices[f[e]]);
        };
        if (length(i) > length(k)) k = i;
      }
      const std::uint32_t a = f[k];
      const std::uint32_t b = f[(k + 1) % 3];
      const std::uint32_t c = f[(k + 2) % 3];
      const std::optional<std::uint32_t> middle = middle_of(a, b);
      if (!middle) {
        kept.push_back(f);
        continue;
      }
      finer.push_back({a, *middle, c});
      finer.push_back({*middle, b, c});
    }
    faces = std::move(finer);
  }
  kept.insert(kept.end(), faces.begin(), faces.end());
  return Mesh::make(std::move(vertices), std::move(kept));
}

/// The mesh behind the plane through the middle of the robot, across the view; with all vertices,
/// so that their colours still fit. Absent when nothing is left.
std::optional<Mesh> behind(const Mesh& mesh, std::span<const ContourSegment> segments,
                           const Vec3& towards_eye) {
  Vec3 middle;
  for (const ContourSegment& segment : segments)
    middle += 0.5 * (segment.start.center + segment.end.center);
  middle = middle / static_cast<double>(segments.size());
  std::vector<Face> faces;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    if (dot((t.a + t.b + t.c) / 3.0 - middle, towards_eye) <= 0.0) faces.push_back(mesh.faces()[i]);
  }
  Result<Mesh> rest =
      Mesh::make({mesh.vertices().begin(), mesh.vertices().end()}, std::move(faces));
  return rest ? std::optional(std::move(*rest)) : std::nullopt;
}

Status draw(const ProbeMapOptions& options, const Mesh& mesh, const Mesh& robot,
            std::vector<Colour> colours, const ColourScale& scale,
            std::span<const ContourSegment> segments, const ProbeHit& closest) {
  std::vector<PictureItem> items;
  const std::optional<Mesh> shown =
      options.cut_away ? behind(mesh, segments, options.towards_eye) : std::optional(mesh);
  if (shown) items.push_back({*shown, Pose{}, {}, false, std::move(colours)});
  items.push_back({robot, Pose{}, kRobotColour, false});
  if (closest.found() && closest.distance > 0.0) {
    // The gap as a thin rod: a line would be hidden by the tube it begins on.
    const double radius = kRodRadius * norm(mesh.bounds().size());
    const Vec3 along = normalized(closest.on_contour - closest.on_mesh);
    const Result<ContourSegment> rod =
        make_segment({closest.on_mesh, along, radius}, {closest.on_contour, along, radius});
    if (rod) items.push_back({contour_mesh(std::span(&*rod, 1)), Pose{}, kRodColour, false});
  }
  PictureOptions picture;
  picture.towards_eye = options.towards_eye;
  picture.threads = options.threads;
  return write_png(options.picture,
                   with_legend(render(items, {}, picture), scale, legend_of(scale)));
}

}  // namespace

Result<std::vector<std::string>> write_maps(const ProbeMapOptions& options, const Mesh& given,
                                            Prober& prober, const ProberOptions& prober_options,
                                            std::span<const ContourSegment> segments,
                                            const ProbeHit& closest) {
  const double range =
      options.range > 0.0 ? options.range : std::numeric_limits<double>::infinity();
  Result<std::vector<double>> distances = prober.vertex_distances(segments, range);
  if (!distances) return distances.error();
  const ColourScale scale = scale_of(options, *distances);

  // Where triangles are large, colours blended from corner to corner would be wrong between them.
  Mesh mesh = given;
  const double detail = options.detail < 0.0 ? scale.high / kEdgesPerRange : options.detail;
  if (detail > 0.0) {
    const Result<std::vector<double>> near = prober.triangle_distances(segments, range);
    if (!near) return near.error();
    Result<Mesh> finer = refined(given, *near, detail);
    if (!finer) return finer.error();
    mesh = std::move(*finer);
    Result<std::unique_ptr<Prober>> second = make_prober(mesh, prober_options);
    if (!second) return second.error();
    distances = (*second)->vertex_distances(segments, range);
    if (!distances) return distances.error();
  }
  std::vector<Colour> colours;
  colours.reserve(distances->size());
  for (const double d : *distances) colours.push_back(colour_at(scale, d));
  const Mesh robot = contour_mesh(segments);

  std::vector<std::string> written;
  if (!options.map.empty()) {
    ColouredMesh surroundings{"mesh", mesh, {}, std::move(*distances)};
    for (const Colour& colour : colours) surroundings.colours.push_back(bytes_of(colour));
    ColouredMesh contour{"robot", robot, {}, {}};
    contour.colours.assign(robot.vertex_count(), bytes_of(kRobotColour));
    const std::array<ColouredMesh, 2> both{std::move(surroundings), std::move(contour)};
    const std::string comment = "distance from the robot in metres: red 0, blue " +
                                format_number("%.6g", scale.high) + ", grey farther";
    if (Status status = write_coloured(options.map, both, "distance", comment); !status)
      return status.error();
    const std::string legend =
        std::filesystem::path(options.map).replace_extension(".legend.svg").string();
    if (Status status = write_file(legend, legend_svg(scale, legend_of(scale))); !status)
      return status.error();
    written.push_back(options.map);
    written.push_back(legend);
  }
  if (!options.picture.empty()) {
    const Status status = draw(options, mesh, robot, std::move(colours), scale, segments, closest);
    if (!status) return status.error();
    written.push_back(options.picture);
  }
  return written;
}

}  // namespace clearance::cli
