// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include <clearance/base/file.h>

#include "mesh/writers.h"

namespace clearance::detail {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

Status write_ply(const std::string& path, const Mesh& mesh, const WriteOptions& options) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write("ply\nformat binary_little_endian 1.0\ncomment Clearance\nelement vertex " +
              std::to_string(mesh.vertex_count()) +
              "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
              std::to_string(mesh.triangle_count()) +
              "\nproperty list uchar uint vertex_indices\nend_header\n");
  for (const Vec3& v : mesh.vertices()) {
    const Vec3 scaled = v / options.metres_per_unit;
    const std::array<double, 3> record{scaled.x, scaled.y, scaled.z};
    file->write(record.data(), sizeof record);
  }
  std::array<char, 1 + sizeof(Face)> record{3};
  for (const Face& face : mesh.faces()) {
    std::memcpy(record.data() + 1, face.data(), sizeof(Face));
    file->write(record.data(), record.size());
  }
  return file->commit();
}

Status write_coloured_ply(const std::string& path, std::span<const ColouredMesh> meshes,
                          const std::string& value_name, const std::string& comment) {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
  bool values = false;
  for (const ColouredMesh& part : meshes) {
    vertices += part.mesh.vertex_count();
    triangles += part.mesh.triangle_count();
    values = values || !part.values.empty();
  }
  if (vertices > std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorCode::Unsupported, path, "", "more vertices than 32-bit indices reach", ""};
  }
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  std::string header = "ply\nformat binary_little_endian 1.0\ncomment Clearance\n";
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    header += "comment " + comment.substr(at, end - at) + "\n";
    at = end + 1;
  }
  header += "element vertex " + std::to_string(vertices) +
            "\nproperty double x\nproperty double y\nproperty double z\n"
            "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  if (values) header += "property double " + value_name + "\n";
  header += "element face " + std::to_string(triangles) +
            "\nproperty list uchar uint vertex_indices\nend_header\n";
  file->write(header);
  for (const ColouredMesh& part : meshes) {
    for (std::size_t i = 0; i < part.mesh.vertex_count(); ++i) {
      const Vec3& v = part.mesh.vertices()[i];
      const std::array<double, 3> position{v.x, v.y, v.z};
      file->write(position.data(), sizeof position);
      file->write(part.colours[i].data(), sizeof part.colours[i]);
      const double value =
          part.values.empty() ? std::numeric_limits<double>::quiet_NaN() : part.values[i];
      if (values) file->write(&value, sizeof value);
    }
  }
  std::array<char, 1 + sizeof(Face)> record{3};
  std::uint32_t base = 0;
  for (const ColouredMesh& part : meshes) {
    for (Face face : part.mesh.faces()) {
      for (std::uint32_t& v : face) v += base;
      std::memcpy(record.data() + 1, face.data(), sizeof(Face));
      file->write(record.data(), record.size());
    }
    base += static_cast<std::uint32_t>(part.mesh.vertex_count());
  }
  return file->commit();
}

}  // namespace clearance::detail
