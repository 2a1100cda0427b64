// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <bit>
#include <cstring>

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

}  // namespace clearance::detail
