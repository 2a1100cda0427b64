// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Work cells from JSON, as schema/cell.schema.json has it.
#include <array>
#include <map>
#include <optional>
#include <set>

#include <clearance/base/file.h>
#include <clearance/check/cell.h>
#include <clearance/mesh/read.h>
#include <clearance/robot/robot_file.h>

#include "mesh/json_reader.h"

namespace clearance {
namespace {

using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

/// Samples of the collision matrix at most: a day's work.
constexpr std::uint64_t kMostSamples = 100'000'000;

class CellReader {
 public:
  CellReader(const std::string& path, Threads threads)
      : in_(path, kLargestRobotLength), threads_(threads) {}

  Result<Cell> read(const JsonNode& top) {
    if (in_.is_document(top, "cell",
                        {"units", "robot", "tool", "bodies", "allowed", "matrix", "models"}))
      read_top(top);
    if (in_.failed()) return in_.error();
    return Cell{.robot = *robot_,
                .world_from_base = base_,
                .visual = visual_,
                .bodies = std::move(bodies_),
                .tool_link = tool_link_,
                .link_from_tool = tool_,
                .allowed = std::move(allowed_),
                .srdf = std::move(srdf_),
                .samples = samples_,
                .seed = seed_,
                .leave_out_never = leave_out_never_,
                .models = models_,
                .spheres = spheres_,
                .notes = std::move(notes_)};
  }

 private:
  void read_top(const JsonNode& top) {
    if (top.has("units")) in_.read_units(top["units"]);
    if (!in_.needs(top, "robot")) return;
    read_robot_part(top["robot"]);
    if (in_.failed()) return;
    for (const RobotLink& link : robot_->links()) names_.insert(link.name);
    // Without a tool the last link of the chain stands for it.
    tool_link_ = static_cast<std::uint32_t>(robot_->links().size() - 1);
    if (top.has("tool")) read_tool(top["tool"]);
    if (top.has("bodies")) in_.each(top["bodies"], [&](const JsonNode& body) { read_body(body); });
    if (top.has("allowed") && !in_.failed()) read_allowed(top["allowed"]);
    if (top.has("matrix") && !in_.failed()) read_matrix(top["matrix"]);
    if (top.has("models") && !in_.failed()) read_models(top["models"]);
  }

  void read_robot_part(const JsonNode& at) {
    if (!in_.is_object(at, {"urdf", "packages", "srdf", "base", "shapes"}) ||
        !in_.needs(at, "urdf"))
      return;
    base_ = in_.pose_of(at, "base");
    if (at.has("shapes")) visual_ = in_.choice(at["shapes"], {"collision", "visual"}) == 1;
    RobotFileOptions options{.visual = visual_, .collision = !visual_, .threads = threads_};
    if (at.has("packages")) {
      in_.each(at["packages"], [&](const JsonNode& folder) {
        options.package_folders.push_back(in_.file(folder));
      });
    }
    const std::string urdf = in_.file(at["urdf"]);
    if (in_.failed()) return;
    Result<RobotFile> file = read_robot(urdf, options);
    if (!file) return in_.fail(at["urdf"], file.error().message());
    robot_ = std::move(file->robot);
    notes_ = std::move(file->notes);
    if (!at.has("srdf")) return;
    const std::string path = in_.file(at["srdf"]);
    if (in_.failed()) return;
    Result<Srdf> srdf = read_srdf(path);
    if (!srdf) return in_.fail(at["srdf"], srdf.error().message());
    notes_.insert(notes_.end(), srdf->notes.begin(), srdf->notes.end());
    srdf_ = std::move(*srdf);
  }

  std::uint32_t link(const JsonNode& at) {
    const std::string name = in_.text(at);
    if (in_.failed()) return 0;
    const std::optional<std::uint32_t> found = robot_->link(name);
    if (!found) in_.fail(at, "the robot " + robot_->name() + " has no link '" + name + "'");
    return found.value_or(0);
  }

  void read_tool(const JsonNode& at) {
    if (!in_.is_object(at, {"link", "point"}) || !in_.needs(at, "link")) return;
    tool_link_ = link(at["link"]);
    tool_ = in_.pose_of(at, "point");
  }

  void read_body(const JsonNode& at) {
    if (!in_.is_object(at, {"name", "on", "pose", "shapes"}) || !in_.needs(at, "shapes")) return;
    CellBody body;
    body.name = at.has("name") ? in_.text(at["name"]) : "body " + std::to_string(bodies_.size());
    if (!in_.failed() && !names_.insert(body.name).second) {
      return in_.fail(at, "there is a link or a body '" + body.name + "' already",
                      "names tell bodies apart");
    }
    if (at.has("on")) body.link = link(at["on"]);
    body.frame_from_body = in_.pose_of(at, "pose");
    const JsonNode shapes = at["shapes"];
    in_.each(shapes, [&](const JsonNode& shape) { read_shape(shape, body); });
    if (shapes.size() == 0) in_.fail(shapes, "is empty");
    bodies_.push_back(std::move(body));
  }

  void read_shape(const JsonNode& at, CellBody& body) {
    if (!in_.is_object(at, {"box", "cylinder", "sphere", "mesh", "pose", "unit", "scale", "name"}))
      return;
    int kinds = 0;
    for (const char* kind : {"box", "cylinder", "sphere", "mesh"}) kinds += at.has(kind) ? 1 : 0;
    if (kinds != 1) return in_.fail(at, "needs one of 'box', 'cylinder', 'sphere' and 'mesh'");
    if (!at.has("mesh")) {
      for (const char* key : {"unit", "scale"})
        if (at.has(key)) return in_.fail(at[key], "goes with 'mesh' only");
    }
    RobotShape shape;
    if (at.has("name")) shape.name = in_.text(at["name"]);
    shape.link_from_shape = body.frame_from_body * in_.pose_of(at, "pose");
    if (at.has("box")) {
      const Vec3 size = in_.point(at["box"]);
      if (!(size.x > 0.0 && size.y > 0.0 && size.z > 0.0))
        in_.fail(at["box"], "has a size that is not above 0");
      shape.geometry = BoxShape{0.5 * size};
    } else if (at.has("cylinder")) {
      const JsonNode cylinder = at["cylinder"];
      if (!in_.is_object(cylinder, {"radius", "length"}) || !in_.needs(cylinder, "radius") ||
          !in_.needs(cylinder, "length"))
        return;
      shape.geometry = CylinderShape{in_.size(cylinder["radius"]), in_.size(cylinder["length"])};
    } else if (at.has("sphere")) {
      const JsonNode sphere = at["sphere"];
      if (!in_.is_object(sphere, {"radius"}) || !in_.needs(sphere, "radius")) return;
      shape.geometry = SphereShape{in_.size(sphere["radius"])};
    } else {
      shape.geometry = mesh(at);
    }
    if (!in_.failed()) body.shapes.push_back(std::move(shape));
  }

  MeshShape mesh(const JsonNode& at) {
    const std::string path = in_.file(at["mesh"]);
    ReadOptions options;
    options.threads = threads_;
    if (at.has("unit")) options.metres_per_unit = in_.unit(at["unit"]);
    const double scale = at.has("scale") ? in_.positive(at["scale"]) : 1.0;
    if (in_.failed()) return {};
    auto [known, is_new] = meshes_.try_emplace({path, options.metres_per_unit.value_or(0.0)});
    if (is_new) {
      Result<LoadedMesh> loaded = read_mesh(path, options);
      if (!loaded) {
        in_.fail(at["mesh"], loaded.error().message());
        return {};
      }
      notes_.insert(notes_.end(), loaded->info.warnings.begin(), loaded->info.warnings.end());
      known->second = loaded->mesh;
    }
    Mesh mesh = scale == 1.0 ? known->second : scaled(known->second, {scale, scale, scale});
    const Box box = mesh.bounds();
    if (!(largest_component(max(abs(box.low), abs(box.high))) <= kLargestRobotLength))
      in_.fail(at["mesh"], "is too large");
    return {std::move(mesh), path};
  }

  void read_allowed(const JsonNode& at) {
    in_.each(at, [&](const JsonNode& pair) {
      if (!pair.is_array() || pair.size() != 2) return in_.fail(pair, "is not a pair of names");
      const std::string a = in_.text(pair.item(0));
      const std::string b = in_.text(pair.item(1));
      for (const std::string& name : {a, b}) {
        if (!in_.failed() && !names_.contains(name))
          in_.fail(pair, "there is no link and no body '" + name + "'");
      }
      if (a == b) in_.fail(pair, "names '" + a + "' twice");
      allowed_.emplace_back(a, b);
    });
  }

  void read_matrix(const JsonNode& at) {
    if (!in_.is_object(at, {"samples", "seed", "leave_out_never"})) return;
    if (at.has("samples")) samples_ = in_.whole(at["samples"], 0, kMostSamples);
    if (at.has("seed")) seed_ = in_.whole(at["seed"], 0, std::numeric_limits<std::uint64_t>::max());
    if (at.has("leave_out_never")) leave_out_never_ = in_.yes(at["leave_out_never"]);
    if (leave_out_never_ && samples_ == 0)
      in_.fail(at["leave_out_never"], "needs 'samples' above 0");
  }

  void read_models(const JsonNode& at) {
    if (!in_.is_object(at, {"use", "error", "file"}) || !in_.needs(at, "use")) return;
    constexpr std::array kModels{CheckModels::Meshes, CheckModels::Spheres,
                                 CheckModels::SpheresFirst};
    models_ = kModels.at(
        in_.choice(at["use"], {name_of(kModels[0]), name_of(kModels[1]), name_of(kModels[2])}));
    if (at.has("error")) spheres_.error = in_.size(at["error"]);
    if (at.has("file")) read_spheres(at["file"]);
  }

  void read_spheres(const JsonNode& at) {
    const std::string path = in_.file(at);
    if (in_.failed()) return;
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return in_.fail(at, file.error().message());
    Result<std::vector<NamedSpheres>> spheres = parse_foam(file->text(), path);
    if (!spheres) return in_.fail(at, spheres.error().message());
    for (const NamedSpheres& one : *spheres) {
      if (!names_.contains(one.name))
        return in_.fail(at, path + ": there is no link and no body '" + one.name + "'");
    }
    spheres_.given = std::move(*spheres);
  }

  JsonReader in_;
  Threads threads_;
  std::set<std::string> names_;                            // of links and bodies
  std::map<std::pair<std::string, double>, Mesh> meshes_;  // by file and unit

  std::optional<Robot> robot_;
  Pose base_;
  bool visual_ = false;
  std::vector<CellBody> bodies_;
  std::uint32_t tool_link_ = 0;
  Pose tool_;
  std::vector<std::pair<std::string, std::string>> allowed_;
  std::optional<Srdf> srdf_;
  std::size_t samples_ = 0;
  std::uint64_t seed_ = 1;
  bool leave_out_never_ = false;
  CheckModels models_ = CheckModels::Meshes;
  CellSpheres spheres_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Cell> parse_cell(std::string_view text, const std::string& path, Threads threads) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  return CellReader(path, threads).read(document->top());
}

Result<Cell> read_cell(const std::string& path, Threads threads) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_cell(file->text(), path, threads);
}

}  // namespace clearance
