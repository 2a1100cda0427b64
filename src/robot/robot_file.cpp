// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <clearance/base/file.h>
#include <clearance/mesh/health.h>
#include <clearance/mesh/read.h>
#include <clearance/robot/robot_file.h>

#include "robot/package_path.h"
#include "robot/urdf_document.h"

namespace clearance {
namespace {

using detail::UrdfDocument;
using detail::UrdfJoint;
using detail::UrdfLink;
using detail::UrdfMesh;
using detail::UrdfMotion;
using detail::UrdfShape;

/// The root a simulator hangs a robot on so that it can move as a whole.
constexpr std::string_view kWorld = "world";

/// Meshes of a URDF: first all names, then the files, then each as it is scaled.
class MeshCache {
 public:
  MeshCache(const std::string& urdf_path, const RobotFileOptions& options)
      : urdf_path_(urdf_path), options_(options) {}

  /// Errors: not found.
  Status want(const UrdfMesh& mesh, const std::string& place) {
    if (numbers_.contains(mesh.file)) return {};
    Result<std::string> path =
        detail::find_mesh(mesh.file, urdf_path_, place, options_.package_folders);
    if (!path) return path.error();
    numbers_.emplace(mesh.file, files_.size());
    files_.push_back({std::move(path.value()), place, std::nullopt});
    return {};
  }

  /// Reads all that is wanted, and notes what the readers warn of. Errors: the first mesh that
  /// cannot be read.
  Status read(std::vector<std::string>& notes) {
    parallel_for(options_.threads, files_.size(), [&](std::size_t i) {
      ReadOptions options;
      options.threads = Threads{1};
      files_[i].loaded = read_mesh(files_[i].path, options);
    });
    for (const File& file : files_) {
      if (const Result<LoadedMesh>& loaded = *file.loaded; !loaded)
        return Error{loaded.error().code, urdf_path_, file.place, loaded.error().message(), ""};
      for (const std::string& warning : (*file.loaded)->info.warnings)
        if (warning != unit_doubt(**file.loaded)) notes.push_back(file.path + ": " + warning);
    }
    return {};
  }

  /// After read(). The same file and scale share one mesh.
  MeshShape get(const UrdfMesh& mesh) {
    const File& file = files_[numbers_.at(mesh.file)];
    const auto key = std::tuple(numbers_.at(mesh.file), mesh.scale.x, mesh.scale.y, mesh.scale.z);
    auto at = scaled_.find(key);
    if (at == scaled_.end()) {
      const Mesh& read = (*file.loaded)->mesh;
      const bool as_it_is = mesh.scale == Vec3{1.0, 1.0, 1.0};
      at = scaled_.emplace(key, as_it_is ? read : scaled(read, mesh.scale)).first;
    }
    return {at->second, file.path};
  }

  /// The box of a mesh before it is scaled. After read().
  [[nodiscard]] Box bounds(const UrdfMesh& mesh) const {
    return (*files_[numbers_.at(mesh.file)].loaded)->mesh.bounds();
  }

 private:
  /// What a reader says of a file without a unit and of an unusual size. A URDF has a scale beside
  /// it: the doubt is about what comes out (see RobotBuilder).
  static std::string unit_doubt(const LoadedMesh& mesh) {
    const double size = largest_component(mesh.mesh.bounds().size());
    return assess_unit(size, mesh.info.metres_per_unit).sentence + ".";
  }

  struct File {
    std::string path;
    std::string place;  // of the first link that names it
    std::optional<Result<LoadedMesh>> loaded;
  };
  const std::string& urdf_path_;
  const RobotFileOptions& options_;
  std::map<std::string, std::size_t> numbers_;  // of files, by the name in the URDF
  std::vector<File> files_;
  std::map<std::tuple<std::size_t, double, double, double>, Mesh> scaled_;
};

class RobotBuilder {
 public:
  RobotBuilder(UrdfDocument document, const std::string& path, const RobotFileOptions& options)
      : document_(std::move(document)), path_(path), options_(options), meshes_(path, options) {}

  Result<RobotFile> build() {
    leave_out_world();
    std::vector<RobotJoint> joints;
    for (const UrdfJoint& joint : document_.joints) {
      Result<RobotJoint> made = robot_joint(joint);
      if (!made) return made.error();
      joints.push_back(std::move(made.value()));
    }
    Result<std::vector<RobotLink>> links = robot_links();
    if (!links) return links.error();
    Result<Robot> robot = Robot::make(document_.name, std::move(links.value()), std::move(joints));
    if (!robot) {
      Error error = robot.error();
      error.code = ErrorCode::Malformed;
      error.file = path_;
      return error;
    }
    return RobotFile{std::move(robot.value()), std::move(notes_)};
  }

 private:
  [[nodiscard]] Error error(std::string place, std::string reason, std::string advice = "") const {
    return {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }

  /// A root "world" without shapes, with nothing but a robot that floats in it.
  void leave_out_world() {
    const UrdfLink& root = document_.links.front();
    if (root.name != kWorld || root.child_joints.size() != 1 || !root.visual.empty() ||
        !root.collision.empty())
      return;
    const UrdfJoint& joint = document_.joints.front();
    if (joint.motion != UrdfMotion::Floating && joint.motion != UrdfMotion::Planar) return;
    notes_.push_back("Joint '" + joint.name + "', by which the robot moves in '" +
                     std::string(kWorld) + "', is left out: '" + document_.links[1].name +
                     "' is the root.");
    document_.links.erase(document_.links.begin());
    document_.joints.erase(document_.joints.begin());
    for (UrdfLink& link : document_.links)
      for (std::uint32_t& number : link.child_joints) --number;
    for (UrdfJoint& each : document_.joints) {
      --each.parent;
      --each.child;
    }
  }

  Result<RobotJoint> robot_joint(const UrdfJoint& joint) {
    RobotJoint out;
    out.name = joint.name;
    out.parent = joint.parent;
    out.child = joint.child;
    out.parent_from_joint = joint.origin;
    switch (joint.motion) {
      case UrdfMotion::Fixed:
        return out;
      case UrdfMotion::Revolute:
        out.kind = JointKind::Revolute;
        break;
      case UrdfMotion::Continuous:
        out.kind = JointKind::Continuous;
        break;
      case UrdfMotion::Prismatic:
        out.kind = JointKind::Prismatic;
        break;
      case UrdfMotion::Floating:
      case UrdfMotion::Planar:
        return error(place_of(joint), "moves in more than one way (floating or planar)",
                     "make it fixed, or several joints in a row");
    }
    out.unit_axis = joint.axis;
    out.lower = joint.lower;
    out.upper = joint.upper;
    out.velocity = joint.velocity;
    if (joint.mimic) {
      const Result<JointMimic> mimic = followed(joint);
      if (!mimic) return mimic.error();
      out.mimic = *mimic;
    }
    return out;
  }

  /// The free joint a mimic follows in the end. A mimic of a mimic is legal in a URDF.
  Result<JointMimic> followed(const UrdfJoint& joint) {
    JointMimic out{0, 1.0, 0.0};
    const UrdfJoint* at = &joint;
    for (std::size_t steps = 0; at->mimic; ++steps) {
      if (steps > document_.joints.size())
        return error(place_of(joint), "mimics itself, by way of other joints");
      const auto next = std::ranges::find(document_.joints, at->mimic->joint, &UrdfJoint::name);
      if (next == document_.joints.end())
        return error(place_of(joint),
                     "mimics joint '" + at->mimic->joint + "', which is not there");
      // value = m (m' x + o') + o
      out.offset += out.multiplier * at->mimic->offset;
      out.multiplier *= at->mimic->multiplier;
      out.joint = static_cast<std::uint32_t>(next - document_.joints.begin());
      at = &*next;
      if (steps == 1) {
        notes_.push_back("Joint '" + joint.name + "' mimics a joint that mimics another: it " +
                         "follows the last of them.");
      }
    }
    return out;
  }

  Result<std::vector<RobotLink>> robot_links() {
    for (const UrdfLink& link : document_.links) {
      for (const auto* shapes : read_shapes(link)) {
        for (const UrdfShape& shape : *shapes) {
          const auto* mesh = std::get_if<UrdfMesh>(&shape.geometry);
          if (mesh == nullptr) continue;
          if (Status status = meshes_.want(*mesh, place_of(link)); !status) return status.error();
        }
      }
    }
    if (Status status = meshes_.read(notes_); !status) return status.error();
    std::vector<RobotLink> links(document_.links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      const UrdfLink& link = document_.links[i];
      links[i].name = link.name;
      if (i > 0) {
        links[i].parent = document_.joints[i - 1].parent;
        links[i].joint = static_cast<std::uint32_t>(i - 1);
      }
      if (options_.visual)
        if (Status status = add_shapes(link, link.visual, links[i].visual); !status)
          return status.error();
      if (options_.collision)
        if (Status status = add_shapes(link, link.collision, links[i].collision); !status)
          return status.error();
    }
    return links;
  }

  /// The shapes of a link that were asked for.
  [[nodiscard]] std::vector<const std::vector<UrdfShape>*> read_shapes(const UrdfLink& link) const {
    std::vector<const std::vector<UrdfShape>*> out;
    if (options_.visual) out.push_back(&link.visual);
    if (options_.collision) out.push_back(&link.collision);
    return out;
  }

  Status add_shapes(const UrdfLink& link, const std::vector<UrdfShape>& shapes,
                    std::vector<RobotShape>& out) {
    for (const UrdfShape& shape : shapes) {
      RobotShape& added = out.emplace_back();
      added.name = shape.name;
      added.link_from_shape = shape.link_from_shape;
      if (const auto* mesh = std::get_if<UrdfMesh>(&shape.geometry)) {
        if (!scale_fits(*mesh)) {
          return error(place_of(link),
                       "the scale of mesh '" + mesh->file + "' is 0, not finite or too large");
        }
        MeshShape scaled = meshes_.get(*mesh);
        if (doubted_.insert(scaled.mesh.vertices().data()).second) doubt_size(link, scaled);
        added.geometry = std::move(scaled);
      } else if (const auto* box = std::get_if<BoxShape>(&shape.geometry)) {
        added.geometry = *box;
      } else if (const auto* cylinder = std::get_if<CylinderShape>(&shape.geometry)) {
        added.geometry = *cylinder;
      } else {
        added.geometry = std::get<SphereShape>(shape.geometry);
      }
    }
    return {};
  }

  void doubt_size(const UrdfLink& link, const MeshShape& shape) {
    const double size = largest_component(shape.mesh.bounds().size());
    if (assess_unit(size).unit != LikelyUnit::Millimetres) return;
    notes_.push_back("The mesh " + shape.file + " of link '" + link.name + "' is " +
                     std::to_string(std::lround(size)) + " m across: is its scale missing?");
  }

  /// No factor is 0, and what comes out is not too large.
  [[nodiscard]] bool scale_fits(const UrdfMesh& mesh) const {
    const Vec3 scale = abs(mesh.scale);
    const Box bounds = meshes_.bounds(mesh);
    const Vec3 size = max(abs(bounds.low), abs(bounds.high));
    const Vec3 scaled{scale.x * size.x, scale.y * size.y, scale.z * size.z};
    return is_finite(scale) && scale.x * scale.y * scale.z > 0.0 && is_finite(scaled) &&
           largest_component(scaled) <= kLargestRobotLength;
  }

  UrdfDocument document_;
  const std::string& path_;
  const RobotFileOptions& options_;
  MeshCache meshes_;
  std::set<const Vec3*> doubted_;  // meshes whose size was looked at, by their vertices
  std::vector<std::string> notes_;
};

}  // namespace

Result<RobotFile> parse_robot(std::string_view urdf, const std::string& path,
                              const RobotFileOptions& options) {
  Result<UrdfDocument> document = detail::parse_urdf(urdf, path);
  if (!document) return document.error();
  return RobotBuilder(std::move(document.value()), path, options).build();
}

Result<RobotFile> read_robot(const std::string& path, const RobotFileOptions& options) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_robot(file->text(), path, options);
}

}  // namespace clearance
