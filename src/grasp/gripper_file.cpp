// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grippers from JSON, as schema/gripper.schema.json has it.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include <clearance/base/file.h>
#include <clearance/grasp/gripper.h>
#include <clearance/mesh/read.h>
#include <clearance/robot/robot_file.h>

#include "grasp/grasp_cut.h"
#include "mesh/json_reader.h"

namespace clearance {
namespace {

using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

/// What the file says, before the gripper is built.
struct Description {
  std::string name;
  std::optional<GripperSizes> boxes;
  std::array<Mesh, 3> pieces;  // palm, finger at -x, finger at +x
  double opening = 0.0;
  double finger_width = 0.0;
  double tip = 0.0;
};

class GripperReader {
 public:
  explicit GripperReader(const std::string& path) : in_(path, kLargestRobotLength) {}

  Result<Description> read(const JsonNode& top) {
    if (in_.is_document(top, "gripper",
                        {"units", "name", "sizes", "meshes", "urdf", "frame", "opening",
                         "finger_width", "tip"}))
      read_top(top);
    if (in_.failed()) return in_.error();
    return std::move(out_);
  }

 private:
  void read_top(const JsonNode& top) {
    if (top.has("units")) in_.read_units(top["units"]);
    out_.name =
        top.has("name") ? in_.text(top["name"]) : std::filesystem::path(in_.path()).stem().string();
    const bool sizes = top.has("sizes");
    if (sizes + top.has("meshes") + top.has("urdf") != 1)
      return in_.fail(top, "needs one of 'sizes', 'meshes' and 'urdf'");
    if (sizes) {
      for (const char* key : {"frame", "opening", "finger_width", "tip"})
        if (top.has(key)) return in_.fail(top[key], "goes with 'meshes' or 'urdf'");
      return read_sizes(top["sizes"]);
    }
    if (!in_.needs(top, "finger_width") || !in_.needs(top, "tip")) return;
    out_.finger_width = in_.size(top["finger_width"]);
    out_.tip = in_.radius(top["tip"]);
    const Pose frame = in_.pose_of(top, "frame");
    if (top.has("meshes")) {
      read_meshes(top["meshes"]);
    } else {
      read_urdf(top["urdf"]);
    }
    if (in_.failed()) return;
    for (Mesh& piece : out_.pieces) piece = transformed(piece, inverse(frame));
    if (top.has("opening")) {
      out_.opening = in_.size(top["opening"]);
    } else {
      measure_opening(top);
    }
  }

  void read_sizes(const JsonNode& at) {
    if (!in_.is_object(
            at, {"opening", "finger_width", "finger_thickness", "finger_length", "tip", "palm"}))
      return;
    GripperSizes sizes;
    const auto read = [&](const char* key, double& size) {
      if (at.has(key)) size = in_.size(at[key]);
    };
    read("opening", sizes.opening);
    read("finger_width", sizes.finger_width);
    read("finger_thickness", sizes.finger_thickness);
    read("finger_length", sizes.finger_length);
    if (at.has("tip")) sizes.tip = in_.radius(at["tip"]);
    if (at.has("palm")) sizes.palm = in_.point(at["palm"]);
    out_.boxes = sizes;
  }

  void read_meshes(const JsonNode& at) {
    if (!in_.is_object(at, {"palm", "left", "right", "unit"})) return;
    ReadOptions options;
    if (at.has("unit")) options.metres_per_unit = in_.unit(at["unit"]);
    std::size_t piece = 0;
    for (const char* key : {"palm", "left", "right"}) {
      if (!in_.needs(at, key)) return;
      const std::string path = in_.file(at[key]);
      if (in_.failed()) return;
      const Result<LoadedMesh> loaded = read_mesh(path, options);
      if (!loaded) return in_.fail(at[key], loaded.error().message());
      out_.pieces[piece++] = loaded->mesh;
    }
  }

  void read_urdf(const JsonNode& at) {
    if (!in_.is_object(
            at, {"file", "packages", "palm", "left", "right", "joints", "shapes", "mesh_scale"}) ||
        !in_.needs(at, "file"))
      return;
    const bool visual = at.has("shapes") && in_.choice(at["shapes"], {"collision", "visual"}) == 1;
    RobotFileOptions options{.visual = visual, .collision = !visual};
    if (at.has("packages")) {
      in_.each(at["packages"], [&](const JsonNode& folder) {
        options.package_folders.push_back(in_.file(folder));
      });
    }
    const double scale = at.has("mesh_scale") ? in_.positive(at["mesh_scale"]) : 1.0;
    const std::string path = in_.file(at["file"]);
    if (in_.failed()) return;
    const Result<RobotFile> file = read_robot(path, options);
    if (!file) return in_.fail(at["file"], file.error().message());
    const Robot& robot = file->robot;
    const std::vector<double> values = joint_values(at, robot);
    if (in_.failed()) return;
    const std::vector<Pose> poses = robot.link_poses(values);
    std::size_t piece = 0;
    for (const char* key : {"palm", "left", "right"}) {
      if (!in_.needs(at, key)) return;
      out_.pieces[piece++] = links_mesh(at[key], robot, poses, visual, scale);
      if (in_.failed()) return;
    }
  }

  std::vector<double> joint_values(const JsonNode& at, const Robot& robot) {
    std::vector<double> values = robot.rest();
    if (!at.has("joints")) return values;
    const JsonNode joints = at["joints"];
    if (!joints.is_object()) {
      in_.fail(joints, "is not an object of joint names and values");
      return values;
    }
    for (const std::string& name : joints.keys()) {
      const std::optional<std::uint32_t> joint = robot.joint(name);
      const auto free =
          joint ? std::ranges::find(robot.free_joints(), *joint) : robot.free_joints().end();
      if (free == robot.free_joints().end()) {
        in_.fail(joints[name], "the gripper " + robot.name() + " has no joint of this name to set");
        return values;
      }
      const bool slides = robot.joints()[*joint].kind == JointKind::Prismatic;
      values[static_cast<std::size_t>(free - robot.free_joints().begin())] =
          slides ? in_.length(joints[name]) : in_.angle(joints[name]);
    }
    if (in_.failed()) return values;
    if (const Status status = robot.check(values); !status)
      in_.fail(joints, status.error().message());
    return values;
  }

  /// The shapes of some links in one mesh, in the frame of the root.
  Mesh links_mesh(const JsonNode& at, const Robot& robot, std::span<const Pose> poses, bool visual,
                  double scale) {
    std::vector<Mesh> meshes;
    std::vector<std::string> names;
    in_.each(at, [&](const JsonNode& item) {
      const std::string name = in_.text(item);
      const std::optional<std::uint32_t> link = robot.link(name);
      if (in_.failed()) return;
      if (!link)
        return in_.fail(item, "the gripper " + robot.name() + " has no link '" + name + "'");
      const RobotLink& of_robot = robot.links()[*link];
      for (RobotShape shape : visual ? of_robot.visual : of_robot.collision) {
        if (auto* mesh = std::get_if<MeshShape>(&shape.geometry))
          mesh->mesh = scaled(mesh->mesh, {scale, scale, scale});
        meshes.push_back(transformed(surface_of(shape), poses[*link]));
        names.push_back(name + " " + std::to_string(names.size()));
      }
    });
    if (in_.failed()) return {};
    if (meshes.empty()) {
      in_.fail(at, "names no link with a shape");
      return {};
    }
    Result<Mesh> whole = merged(meshes, names);
    if (!whole) {
      in_.fail(at, whole.error().message());
      return {};
    }
    return std::move(whole).value();
  }

  /// The gap of the fingers in the plane of contacts; both then move so that the origin is midway.
  void measure_opening(const JsonNode& top) {
    std::array<double, 2> inner{-std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::infinity()};
    for (const std::size_t finger : {0U, 1U}) {
      const Mesh& mesh = out_.pieces[finger + 1];
      const Result<Bvh> tree = Bvh::build(mesh.vertices(), mesh.faces(), {.threads = Threads{1}});
      if (!tree) return in_.fail(top, tree.error().message());
      const double reach = norm(mesh.bounds().low) + norm(mesh.bounds().high);
      std::vector<detail::CutSegment> cut;
      detail::cut_region(*tree, Pose::identity(), {reach, 0.5 * out_.finger_width}, cut);
      for (const detail::CutSegment& s : cut) {
        for (const double x : s.x)
          inner[finger] = finger == 0 ? std::max(inner[finger], x) : std::min(inner[finger], x);
      }
    }
    out_.opening = inner[1] - inner[0];
    if (!(out_.opening > 0.0 && out_.opening < kLargestRobotLength)) {
      return in_.fail(top, "the fingers leave no gap where the plane of contacts cuts them",
                      "look at 'frame', and that 'left' is the finger at -x; or give 'opening'");
    }
    const Pose to_middle = Pose::translate({-0.5 * (inner[0] + inner[1]), 0.0, 0.0});
    for (Mesh& piece : out_.pieces) piece = transformed(piece, to_middle);
  }

  JsonReader in_;
  Description out_;
};

}  // namespace

Result<Gripper> Gripper::parse(std::string_view text, const std::string& path) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  Result<Description> read = GripperReader(path).read(document->top());
  if (!read) return read.error();
  Result<Gripper> gripper =
      read->boxes ? of_boxes(*read->boxes, read->name)
                  : make(read->name, read->pieces, read->opening, read->finger_width, read->tip);
  if (!gripper) {
    Error error = gripper.error();
    error.file = path;
    return error;
  }
  return gripper;
}

Result<Gripper> Gripper::read(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse(file->text(), path);
}

}  // namespace clearance
