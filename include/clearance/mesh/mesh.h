// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A triangle mesh: vertices, triangles that index them, and optionally named ranges of triangles.
// An immutable value: copies share their data, and any number of threads may read it.
// It may be a soup: open, self-intersecting, with degenerate or duplicate triangles. Those are
// legal and harmless in every query; health.h counts them. Coordinates are metres and always
// finite.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

namespace detail {
class CheckedArrays;  // how readers hand over arrays they have checked already
}

/// Three vertex indices, counter-clockwise seen from outside.
using Face = std::array<std::uint32_t, 3>;

/// A named run of triangles of a Mesh (an STL solid, an OBJ group, a part of an assembly).
struct MeshPart {
  std::string name;
  std::uint32_t first_triangle = 0;
  std::uint32_t triangle_count = 0;
  bool operator==(const MeshPart&) const = default;
};

class Mesh {
 public:
  /// The empty mesh. Readers never return it; queries refuse it.
  Mesh();

  /// Takes over the arrays after checking them: every coordinate finite, every index below the
  /// number of vertices, fewer than 2³² vertices and triangles, at least one triangle, parts inside
  /// the mesh. An error names the first vertex or triangle at fault.
  static Result<Mesh> make(std::vector<Vec3> vertices, std::vector<Face> faces,
                           std::vector<MeshPart> parts = {});

  [[nodiscard]] std::span<const Vec3> vertices() const { return data_->vertices; }
  [[nodiscard]] std::span<const Face> faces() const { return data_->faces; }
  [[nodiscard]] std::span<const MeshPart> parts() const { return data_->parts; }
  [[nodiscard]] std::size_t vertex_count() const { return data_->vertices.size(); }
  [[nodiscard]] std::size_t triangle_count() const { return data_->faces.size(); }
  [[nodiscard]] bool empty() const { return data_->faces.empty(); }
  [[nodiscard]] Triangle triangle(std::size_t i) const {
    const Face& f = data_->faces[i];
    return {data_->vertices[f[0]], data_->vertices[f[1]], data_->vertices[f[2]]};
  }
  /// Bounding box of the vertices that triangles use.
  [[nodiscard]] Box bounds() const;
  /// Bytes held by vertices, triangles and parts.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  friend class detail::CheckedArrays;
  struct Data {
    std::span<const Vec3> vertices;
    std::span<const Face> faces;
    std::vector<MeshPart> parts;
    std::shared_ptr<const void> owner;  // of the memory behind the two spans
  };
  explicit Mesh(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// The mesh with every vertex moved by a pose.
[[nodiscard]] Mesh transformed(const Mesh& mesh, const Pose& pose);
/// The mesh with every coordinate multiplied; a negative product turns the triangles round so that
/// they keep facing outward. No factor may be zero or not finite.
[[nodiscard]] Mesh scaled(const Mesh& mesh, const Vec3& factors);
/// All meshes in one, each a part (or its parts, as "name/part") of the result.
[[nodiscard]] Result<Mesh> merged(std::span<const Mesh> meshes, std::span<const std::string> names);
/// One vertex for all vertices at exactly the same position (-0 equals 0). Triangles keep their
/// order; vertices are numbered by first use; unused vertices go. Nothing moves.
[[nodiscard]] Mesh welded(const Mesh& mesh);
/// The triangles [first, first + count) as a mesh of their own.
[[nodiscard]] Result<Mesh> submesh(const Mesh& mesh, std::size_t first, std::size_t count);

}  // namespace clearance
