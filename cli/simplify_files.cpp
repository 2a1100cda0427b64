// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify_files.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>

#include <clearance/base/file.h>
#include <clearance/mesh/ball_mesh.h>
#include <clearance/mesh/write.h>
#include <clearance/picture/colour_scale.h>
#include <clearance/picture/picture.h>
#include <clearance/simplify/sphere_robot_file.h>

#include "text.h"

namespace clearance::cli {
namespace {

/// How often triangles of balls are cut into four, and for how many balls less often.
constexpr int kTimes = 3;
constexpr std::size_t kManyBalls = 2000;
/// Room between the mesh and its spheres in a picture, as a fraction of their width.
constexpr double kGap = 0.08;

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension.empty() ? extension : extension.substr(1);
}

/// The spheres of all bodies in the world.
std::vector<Sphere> placed_spheres(const SimplifyScene& scene) {
  std::vector<Sphere> out;
  for (std::size_t i = 0; i < scene.report->bodies.size(); ++i) {
    for (const Sphere& sphere : scene.report->bodies[i].spheres)
      out.push_back({scene.poses[i] * sphere.center, sphere.radius});
  }
  return out;
}

/// From the smallest radius to the largest.
ColourScale scale_of(std::span<const Sphere> spheres) {
  ColourScale scale{std::numeric_limits<double>::infinity(), 0.0};
  for (const Sphere& sphere : spheres) {
    scale.low = std::min(scale.low, sphere.radius);
    scale.high = std::max(scale.high, sphere.radius);
  }
  // All of one size: any scale shows that.
  if (!(scale.low < scale.high)) scale.low = 0.0;
  return scale;
}

int detail_for(std::size_t balls) { return balls > kManyBalls ? kTimes - 1 : kTimes; }

std::vector<Colour> colours_of(std::span<const Sphere> spheres, const ColourScale& scale) {
  std::vector<Colour> colours;
  const std::size_t corners = ball_vertex_count(detail_for(spheres.size()));
  for (const Sphere& sphere : spheres)
    if (sphere.radius > 0.0)
      colours.insert(colours.end(), corners, colour_at(scale, sphere.radius));
  return colours;
}

std::string csv_of(const SimplifyReport& report) {
  std::string text = report.is_robot ? "link,x,y,z,radius\n" : "x,y,z,radius\n";
  for (const SimplifiedBody& body : report.bodies) {
    for (const Sphere& sphere : body.spheres) {
      if (report.is_robot) text += csv_field(body.name) + ",";
      const Vec3& c = sphere.center;
      text += format_number("%.17g,", c.x) + format_number("%.17g,", c.y) +
              format_number("%.17g,", c.z) + format_number("%.17g\n", sphere.radius);
    }
  }
  return text;
}

Status write_balls(const std::string& path, const std::string& extension,
                   const SimplifyScene& scene) {
  const std::vector<Sphere> spheres = placed_spheres(scene);
  const Mesh mesh = ball_mesh(spheres, detail_for(spheres.size()));
  if (extension == "stl" || extension == "obj") return write_mesh(path, mesh);
  const ColourScale scale = scale_of(spheres);
  ColouredMesh coloured{"spheres", mesh, {}, {}};
  for (const Colour& colour : colours_of(spheres, scale)) {
    const auto byte = [](double v) { return static_cast<std::uint8_t>(std::lround(255.0 * v)); };
    coloured.colours.push_back({byte(colour.r), byte(colour.g), byte(colour.b)});
  }
  const std::string comment = "spheres by radius in metres: red " +
                              format_number("%.6g", scale.low) + ", blue " +
                              format_number("%.6g", scale.high);
  return write_coloured(path, std::span(&coloured, 1), "radius", comment);
}

}  // namespace

std::vector<std::string> model_extensions(bool robot) {
  std::vector<std::string> names{"json", "yaml", "yml", "csv", "stl", "obj", "ply", "glb"};
  if (robot) names.insert(names.begin(), "urdf");
  return names;
}

std::string wrong_with_name(const std::string& path, bool robot) {
  const std::vector<std::string> known = model_extensions(robot);
  if (std::ranges::find(known, extension_of(path)) != known.end()) return "";
  std::string words = path + " cannot be written: ";
  if (!robot && extension_of(path) == "urdf") return words + "a .urdf takes a robot, not a part";
  words += "known are";
  for (const std::string& name : known) words += " ." + name;
  return words;
}

Status write_model(const std::string& path, const SimplifyScene& scene) {
  const std::string extension = extension_of(path);
  const SimplifyReport& report = *scene.report;
  if (extension == "csv") return write_file(path, csv_of(report));
  if (extension == "urdf") return write_sphere_urdf(path, scene.robot->model, report.file);
  if (extension != "json" && extension != "yaml" && extension != "yml")
    return write_balls(path, extension, scene);
  if (scene.robot != nullptr)
    return write_spheres(path, named_spheres(scene.robot->model, scene.robot->links));
  const SimplifiedBody& body = report.bodies.front();
  const NamedSpheres part{body.name, body.spheres, body.error};
  return extension == "json" ? write_file(path, foam_text(part))
                             : write_spheres(path, std::span(&part, 1));
}

Status draw_model(const std::string& path, const SimplifyScene& scene, const Vec3& towards_eye,
                  Threads threads) {
  PictureOptions options;
  options.towards_eye = towards_eye;
  options.width = 1200;
  options.height = 600;
  options.threads = threads;
  const Vec3 right = normalized(cross(options.up, options.towards_eye));
  std::vector<PictureItem> items;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  const auto include = [&](const Vec3& p, double radius) {
    low = std::min(low, dot(p, right) - radius);
    high = std::max(high, dot(p, right) + radius);
  };
  for (const Mesh& mesh : scene.meshes) {
    for (const Vec3& p : mesh.vertices()) include(p, 0.0);
    items.emplace_back().mesh = mesh;
  }
  const std::vector<Sphere> spheres = placed_spheres(scene);
  for (const Sphere& sphere : spheres) include(sphere.center, sphere.radius);
  const ColourScale scale = scale_of(spheres);
  PictureItem& balls = items.emplace_back();
  balls.mesh = ball_mesh(spheres, detail_for(spheres.size()));
  balls.world_from_mesh = Pose::translate((1.0 + kGap) * (high - low) * right);
  balls.vertex_colours = colours_of(spheres, scale);
  const bool large = scale.high >= 1.0;
  const Legend legend{large ? "radius [m]" : "radius [mm]", large ? 1.0 : 1000.0};
  return write_png(path, with_legend(render(items, {}, options), scale, legend));
}

}  // namespace clearance::cli
