// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From what a reader found in a file to the checked mesh in metres: named parts, unit, welding.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mesh/readers.h"
#include "mesh/weld.h"

namespace clearance::detail {

/// Named runs of triangles as a file gives them: runs without triangles vanish, and neighbours of
/// the same name are one.
class PartList {
 public:
  /// What follows after `triangle_count` triangles belongs to a part of this name; an empty name:
  /// to no named part.
  void begin(std::string name, std::size_t triangle_count);
  /// The parts; none when no triangle is in a named one. Else triangles without a part are in one
  /// called `other`.
  std::vector<MeshPart> finish(std::size_t triangle_count, const std::string& other) &&;

 private:
  std::vector<MeshPart> parts_;
};

/// The mesh of a format that writes out the corners of each triangle.
class SoupBuilder {
 public:
  SoupBuilder(double metres_per_unit, bool weld) : metres_per_unit_(metres_per_unit), weld_(weld) {}

  void add(const std::array<Vec3, 3>& corners) {
    waiting_.insert(waiting_.end(), corners.begin(), corners.end());
    ++triangle_count_;
    if (waiting_.size() >= kWaiting) flush();
  }
  [[nodiscard]] std::size_t triangle_count() const { return triangle_count_; }
  /// Whether one more triangle would need a vertex number beyond 32 bits.
  [[nodiscard]] bool full() const { return triangle_count_ >= 0xffffffffu / 3; }
  Result<LoadedMesh> finish(FileInfo info, std::vector<MeshPart> parts) &&;

 private:
  void flush();

  // Corners that are looked up together.
  static constexpr std::size_t kWaiting = 3 * 1024;
  double metres_per_unit_;
  bool weld_;
  std::size_t triangle_count_ = 0;
  std::vector<Vec3> waiting_;
  std::vector<std::uint32_t> numbers_;
  PositionTable table_{0};
  std::vector<Vec3> vertices_;
  std::vector<Face> faces_;
};

/// The mesh of a format that indexes its vertices. `vertices` are in file units and finite, indices
/// are in range.
Result<LoadedMesh> finish_indexed(FileInfo info, bool weld, std::vector<Vec3> vertices,
                                  std::vector<Face> faces, std::vector<MeshPart> parts);

/// Adds the warning about the size to a mesh all of whose vertices are used.
LoadedMesh finish_checked(FileInfo info, Mesh mesh, Threads threads);

/// The mesh of arrays that are in metres and welded as wanted. Adds the warning about the size.
Result<LoadedMesh> finish_mesh(FileInfo info, std::vector<Vec3> vertices, std::vector<Face> faces,
                               std::vector<MeshPart> parts);

}  // namespace clearance::detail
