// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the readers of glTF, COLLADA and STEP put an assembly together: shapes first, then their
// instances, each under a name and an affine map out of the file's node tree. The builder makes
// names unique, splits the map into a rigid pose and a rest that is baked into the mesh, shares
// meshes, and refuses files whose instances would unfold beyond all proportion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <clearance/mesh/assembly.h>

namespace clearance::detail {

/// p -> linear * p + translation. `linear` may scale, shear and mirror.
struct Affine {
  Mat3 linear;
  Vec3 translation;
};
inline Affine operator*(const Affine& a, const Affine& b) {
  return {a.linear * b.linear, a.linear * b.translation + a.translation};
}
bool is_finite(const Affine& map);

/// linear = rotation * stretch, where `rotation` is one exactly and `stretch` is the identity when
/// the map is rigid within kRigidTolerance.
struct Split {
  Mat3 rotation;
  Mat3 stretch;
};
Split split_rotation(const Mat3& linear);

/// The mesh with every vertex multiplied; triangles turn round when the map mirrors.
Mesh stretched(const Mesh& mesh, const Mat3& stretch);

/// Most triangles (and most vertices) of all instances together. A file of instances of instances
/// can promise any number in a few bytes; beyond this, flattened() would need more than about 4 GB.
inline constexpr std::size_t kMostPlacedTriangles = 100'000'000;
/// Most triangles in copies that differ by their stretch only (about 500 MB), for the same reason.
inline constexpr std::size_t kMostStretchedTriangles = 20'000'000;
/// Most nodes visited in a file's node tree, instances unfolded.
inline constexpr std::size_t kMostNodes = 1'000'000;
/// Deepest nesting of nodes. Real files stay below 30; the readers recurse, and the stack is
/// finite.
inline constexpr int kDeepestNode = 256;

/// Most vertices and triangles a reader makes for each byte of the file. One byte makes one
/// triangle of a strip at most, and some files use an array in several shapes; a small file that
/// makes more is built to unfold without end.
inline constexpr std::uint64_t kMostElementsPerByte = 8;

/// What is left of the elements a file of a given size may make.
class ElementBudget {
 public:
  explicit ElementBudget(std::uint64_t bytes) : left_(kMostElementsPerByte * bytes) {}
  /// Takes `count` elements; false when so many are not left.
  [[nodiscard]] bool spend(std::uint64_t count);

  static constexpr const char* kReason =
      "the file unfolds to more triangles than its size explains";
  static constexpr const char* kAdvice = "export it without sharing arrays between shapes";

 private:
  std::uint64_t left_;
};

class AssemblyBuilder {
 public:
  /// `file` stands in errors.
  explicit AssemblyBuilder(std::string file) : file_(std::move(file)) {}

  /// Registers a shape, in metres; the number returned stands for it in place().
  std::size_t add_shape(Mesh mesh);
  /// Adds an instance of a shape as a part. An empty name becomes "part".
  Status place(std::string_view name, std::size_t shape, const Affine& world_from_shape);
  /// Sentences about stretched placements that a user should know of.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// The assembly, or an error when nothing was placed.
  Result<Assembly> finish() &&;

 private:
  struct Variant {
    Mat3 stretch;
    double reach = 0.0;  ///< largest coordinate [m]
    Mesh mesh;
  };
  std::string unique_name(std::string_view name);

  std::string file_;
  std::vector<std::vector<Variant>> shapes_;            ///< first variant: the shape itself
  std::unordered_map<std::string, std::size_t> names_;  ///< taken names, and the last suffix tried
  Assembly assembly_;
  std::size_t placed_ = 0;     ///< triangles (or vertices, if more) of all instances
  std::size_t stretched_ = 0;  ///< of the copies made for a stretch
  std::vector<std::string> warnings_;
};

}  // namespace clearance::detail
