// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing mesh files. The format goes by the extension: .stl (binary), .obj, .ply (binary
// little-endian), .glb. Files appear whole or not at all. Numbers: STL and GLB hold single
// precision and say so; OBJ and PLY keep every bit of the doubles (PLY as double, OBJ as shortest
// text that reads back the same).
//
// GLB is Y-up by definition: its parts hang below a node that turns Z up into Y up, which reading
// undoes without rounding. A shape that lies far from the origin of its frame is stored about the
// centre of its bounds, and its nodes are moved by that centre in double precision, so that the
// error is about 6e-8 of the shape's size and not of its distance from the origin.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/mesh/assembly.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

struct WriteOptions {
  /// Length of the unit to write in [m]: 0.001 writes millimetres. GLB is always metres.
  double metres_per_unit = 1.0;
};

/// Writes a mesh. Parts become OBJ groups or GLB meshes; STL and PLY hold triangles only.
Status write_mesh(const std::string& path, const Mesh& mesh, const WriteOptions& options = {});

/// Writes an assembly: GLB keeps names and placement, and a shape used twice is stored once; the
/// others get the flattened mesh.
Status write_assembly(const std::string& path, const Assembly& assembly,
                      const WriteOptions& options = {});

/// Red, green and blue in [0, 255], as a screen takes them (sRGB).
using VertexColour = std::array<std::uint8_t, 3>;

/// A mesh with a colour for each vertex.
struct ColouredMesh {
  std::string name;
  Mesh mesh;
  std::vector<VertexColour> colours;  ///< by vertex
  std::vector<double> values{};       ///< by vertex, what the colours stand for; may be empty
};

/// Writes coloured meshes in metres. .ply: all in one, colours as red, green and blue of a vertex,
/// and `values` as the property `value_name` (NaN for a mesh without) if any mesh has them; header
/// lines "comment" for each line of `comment`. .glb: a node for each, colours as COLOR_0 (single
/// precision as above); values and comment are left out. Errors also: another extension, another
/// number of colours or values than vertices.
Status write_coloured(const std::string& path, std::span<const ColouredMesh> meshes,
                      const std::string& value_name = "value", const std::string& comment = {});

}  // namespace clearance
