// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies and joints as files have them, and the chain made of them: shared by JSON and URDF.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <clearance/chain/chain_file.h>
#include <clearance/mesh/mesh.h>

namespace clearance::detail {

/// A rigid body of several shapes, all in its frame.
struct FileBody {
  std::string name;
  LinkSpheres spheres;
  std::vector<Capsule> capsules;
  std::vector<ConvexBody> convex;
  std::vector<Vec3> vertices;  // of all meshes
  std::vector<Face> faces;

  [[nodiscard]] bool has_shape() const {
    return !spheres.empty() || !capsules.empty() || !convex.empty() || !faces.empty();
  }
};

/// A joint before a body, as URDF has it: the axis in the frame of the body at value 0.
struct FileJoint {
  enum class Type : std::uint8_t { Fixed, Revolute, Prismatic };
  std::string name;
  Type type = Type::Fixed;
  Pose origin;               // of the body at value 0, in the frame of the body before
  Vec3 axis{1.0, 0.0, 0.0};  // of any length but 0
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double value = 0.0;
};

/// What is wrong with a joint; empty when nothing is.
[[nodiscard]] std::string wrong_with(const FileJoint& joint);

/// The corners of a box and of the prism around a cylinder along z, both about the origin.
[[nodiscard]] std::vector<Vec3> box_corners(const Vec3& size);
[[nodiscard]] std::vector<Vec3> prism_corners(double radius, double length);

/// Meshes by path, each read once.
class MeshFiles {
 public:
  /// `metres_per_unit` 0: what the file says.
  [[nodiscard]] Result<Mesh> read(const std::string& path, double metres_per_unit);

 private:
  std::map<std::pair<std::string, double>, Mesh> meshes_;
};

/// Adds a mesh, scaled and then moved. A mirroring scale turns the triangles round.
void add_mesh(FileBody& body, const Mesh& mesh, const Vec3& scale, const Pose& pose);

struct FileChain {
  std::vector<FileBody> bodies;   // at least one
  std::vector<FileJoint> joints;  // one less; wrong_with() found nothing
  std::uint32_t neighbours = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ignored;  // bodies
  std::vector<std::string> notes;
};

/// Errors as check(Chain), with `path` as the file.
[[nodiscard]] Result<ChainFile> chain_of(FileChain file, const std::string& path);

}  // namespace clearance::detail
