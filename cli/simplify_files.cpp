// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify_files.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>

#include <clearance/base/file.h>
#include <clearance/mesh/write.h>
#include <clearance/picture/colour_scale.h>
#include <clearance/picture/picture.h>
#include <clearance/simplify/sphere_robot_file.h>

#include "simplify_shapes.h"
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

/// The models of all bodies in the world.
PrimitiveSet placed_model(const SimplifyScene& scene) {
  PrimitiveSet out;
  for (std::size_t i = 0; i < scene.report->bodies.size(); ++i)
    append(placed(scene.report->bodies[i].model, scene.poses[i]), out);
  return out;
}

/// From the smallest radius to the largest.
ColourScale scale_of(const PrimitiveSet& model) {
  const SizeRange range = sizes_of(model);
  // All of one size: any scale shows that.
  return {range.least < range.most ? range.least : 0.0, range.most};
}

int detail_for(std::size_t balls) { return balls > kManyBalls ? kTimes - 1 : kTimes; }

std::vector<Colour> colours_of(std::span<const double> sizes, const ColourScale& scale) {
  std::vector<Colour> colours;
  colours.reserve(sizes.size());
  for (const double size : sizes) colours.push_back(colour_at(scale, size));
  return colours;
}

std::string numbers_of(const Vec3& v) {
  return format_number("%.17g,", v.x) + format_number("%.17g,", v.y) + format_number("%.17g,", v.z);
}

/// Shapes are all points within a radius of a box, whose edges may be 0: one line each.
std::string csv_of_shapes(const SimplifyReport& report) {
  std::string text = "shape,x,y,z,qx,qy,qz,qw,size_x,size_y,size_z,radius\n";
  if (report.is_robot) text = "link," + text;
  for (const SimplifiedBody& body : report.bodies) {
    const auto add = [&](const char* kind, const Pose& pose, const Vec3& size, double radius) {
      if (report.is_robot) text += csv_field(body.name) + ",";
      const Quaternion q = quaternion_from(pose.rotation);
      text += std::string(kind) + "," + numbers_of(pose.translation) + numbers_of({q.x, q.y, q.z}) +
              format_number("%.17g,", q.w) + numbers_of(size) + format_number("%.17g\n", radius);
    };
    for (const OrientedBox& box : body.model.boxes)
      add("box", box.world_from_box, 2.0 * box.half_size, 0.0);
    for (const Capsule& capsule : body.model.capsules) {
      const Vec3 way = capsule.axis.b - capsule.axis.a;
      const Pose pose{norm(way) > 0.0 ? upright(way) : Mat3::identity(),
                      0.5 * (capsule.axis.a + capsule.axis.b)};
      add("capsule", pose, {0.0, 0.0, norm(way)}, capsule.radius);
    }
    for (const Sphere& sphere : body.model.spheres)
      add("sphere", Pose::translate(sphere.center), {}, sphere.radius);
  }
  return text;
}

std::string csv_of(const SimplifyReport& report) {
  if (report.has_shapes()) return csv_of_shapes(report);
  std::string text = report.is_robot ? "link,x,y,z,radius\n" : "x,y,z,radius\n";
  for (const SimplifiedBody& body : report.bodies) {
    for (const Sphere& sphere : body.model.spheres) {
      if (report.is_robot) text += csv_field(body.name) + ",";
      text += numbers_of(sphere.center) + format_number("%.17g\n", sphere.radius);
    }
  }
  return text;
}

Status write_balls(const std::string& path, const std::string& extension,
                   const SimplifyScene& scene) {
  const PrimitiveSet model = placed_model(scene);
  const ShapeMesh shown = shape_mesh(model, detail_for(model.size()));
  if (extension == "stl" || extension == "obj") return write_mesh(path, shown.mesh);
  const ColourScale scale = scale_of(model);
  const std::string what = scene.report->has_shapes() ? "shapes" : "spheres";
  ColouredMesh coloured{what, shown.mesh, {}, {}};
  for (const Colour& colour : colours_of(shown.sizes, scale)) {
    const auto byte = [](double v) { return static_cast<std::uint8_t>(std::lround(255.0 * v)); };
    coloured.colours.push_back({byte(colour.r), byte(colour.g), byte(colour.b)});
  }
  const std::string comment = what + " by radius in metres: red " +
                              format_number("%.6g", scale.low) + ", blue " +
                              format_number("%.6g", scale.high);
  return write_coloured(path, std::span(&coloured, 1), "radius", comment);
}

}  // namespace

std::vector<std::string> model_extensions(bool shapes) {
  if (shapes) return {"urdf", "csv", "stl", "obj", "ply", "glb"};
  return {"urdf", "json", "yaml", "yml", "csv", "stl", "obj", "ply", "glb"};
}

std::string wrong_with_name(const std::string& path, bool shapes) {
  const std::vector<std::string> known = model_extensions(shapes);
  const std::string extension = extension_of(path);
  if (std::ranges::find(known, extension) != known.end()) return "";
  std::string words = path + " cannot be written: ";
  if (extension == "json" || extension == "yaml" || extension == "yml") {
    return words + "files of foam and cuRobo hold spheres alone; leave --shapes out, or write a " +
           ".urdf or .csv";
  }
  words += "known are";
  for (const std::string& name : known) words += " ." + name;
  return words;
}

Status write_model(const std::string& path, const SimplifyScene& scene) {
  const std::string extension = extension_of(path);
  const SimplifyReport& report = *scene.report;
  if (extension == "csv") return write_file(path, csv_of(report));
  if (extension == "urdf") {
    if (scene.robot == nullptr) {
      const SimplifiedBody& part = report.bodies.front();
      return write_file(path, primitive_urdf_text(part.name, part.model));
    }
    return report.has_shapes() ? write_primitive_urdf(path, scene.robot->model.robot,
                                                      scene.robot->primitives, report.file)
                               : write_sphere_urdf(path, scene.robot->model, report.file);
  }
  if (extension != "json" && extension != "yaml" && extension != "yml")
    return write_balls(path, extension, scene);
  if (scene.robot != nullptr)
    return write_spheres(path, named_spheres(scene.robot->model, scene.robot->links));
  const SimplifiedBody& body = report.bodies.front();
  const NamedSpheres part{body.name, body.model.spheres, body.error};
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
  const auto include = [&](const Vec3& p) {
    low = std::min(low, dot(p, right));
    high = std::max(high, dot(p, right));
  };
  for (const Mesh& mesh : scene.meshes) {
    for (const Vec3& p : mesh.vertices()) include(p);
    items.emplace_back().mesh = mesh;
  }
  const PrimitiveSet model = placed_model(scene);
  ShapeMesh shown = shape_mesh(model, detail_for(model.size()));
  for (const Vec3& p : shown.mesh.vertices()) include(p);
  const ColourScale scale = scale_of(model);
  PictureItem& balls = items.emplace_back();
  balls.mesh = std::move(shown.mesh);
  balls.world_from_mesh = Pose::translate((1.0 + kGap) * (high - low) * right);
  balls.vertex_colours = colours_of(shown.sizes, scale);
  const bool large = scale.high >= 1.0;
  const std::string what = scene.report->has_shapes() ? "half width" : "radius";
  const Legend legend{what + (large ? " [m]" : " [mm]"), large ? 1.0 : 1000.0};
  return write_png(path, with_legend(render(items, {}, options), scale, legend));
}

}  // namespace clearance::cli
