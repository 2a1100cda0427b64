// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>

#include <clearance/mesh/write.h>

#include "mesh/readers.h"
#include "mesh/writers.h"

namespace clearance {
namespace {

struct Format {
  std::string_view extension;
  Status (*write)(const std::string&, const Mesh&, const WriteOptions&);
};

// GLB is not here: it takes an assembly.
constexpr std::array kMeshFormats{Format{".stl", detail::write_stl},
                                  Format{".obj", detail::write_obj},
                                  Format{".ply", detail::write_ply}};
constexpr std::string_view kAssemblyFormat = ".glb";

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Error unknown_format(const std::string& path, const std::string& extension) {
  return {ErrorCode::Unsupported, path, "",
          extension.empty() ? "has no extension that tells its format"
                            : "the format '" + extension + "' cannot be written",
          "writable are .stl .obj .ply .glb"};
}

Status check(const std::string& path, std::size_t triangle_count, const WriteOptions& options) {
  if (triangle_count == 0) return Error{ErrorCode::Invalid, path, "", "no triangles to write", ""};
  if (!(options.metres_per_unit > 0.0 && std::isfinite(options.metres_per_unit))) {
    return Error{ErrorCode::Invalid, path, "", "the length of a unit must be a positive number",
                 ""};
  }
  return {};
}

}  // namespace

Status write_mesh(const std::string& path, const Mesh& mesh, const WriteOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == kAssemblyFormat) {
    Assembly assembly;
    assembly.parts.push_back({detail::stem_of(path), mesh, Pose{}});
    return write_assembly(path, assembly, options);
  }
  for (const Format& format : kMeshFormats) {
    if (format.extension != extension) continue;
    if (Status status = check(path, mesh.triangle_count(), options); !status) return status;
    return format.write(path, mesh, options);
  }
  return unknown_format(path, extension);
}

Status write_assembly(const std::string& path, const Assembly& assembly,
                      const WriteOptions& options) {
  const std::string extension = extension_of(path);
  if (Status status = check(path, assembly.triangle_count(), options); !status) return status;
  if (extension == kAssemblyFormat) return detail::write_glb(path, assembly, options);
  return write_mesh(path, assembly.flattened(), options);
}

Status write_coloured(const std::string& path, std::span<const ColouredMesh> meshes,
                      const std::string& value_name, const std::string& comment) {
  std::size_t triangles = 0;
  for (const ColouredMesh& part : meshes) {
    triangles += part.mesh.triangle_count();
    const std::size_t vertices = part.mesh.vertex_count();
    if (part.colours.size() != vertices ||
        (!part.values.empty() && part.values.size() != vertices)) {
      return Error{ErrorCode::Invalid, path, "mesh '" + part.name + "'",
                   std::to_string(vertices) + " vertices, but " +
                       std::to_string(part.colours.size()) + " colours and " +
                       std::to_string(part.values.size()) + " values",
                   ""};
    }
  }
  if (Status status = check(path, triangles, {}); !status) return status;
  const std::string extension = extension_of(path);
  if (extension == ".ply") return detail::write_coloured_ply(path, meshes, value_name, comment);
  if (extension == kAssemblyFormat) return detail::write_coloured_glb(path, meshes);
  return Error{ErrorCode::Unsupported, path, "",
               "the format '" + extension + "' cannot be written with colours",
               "writable are .ply .glb"};
}

}  // namespace clearance
