// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <clearance/base/file.h>

#include "mesh/writers.h"

namespace clearance::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");
constexpr std::size_t kHeaderBytes = 80;
constexpr std::size_t kTriangleBytes = 50;

void put(char*& at, const Vec3& v) {
  for (const double value : {v.x, v.y, v.z}) {
    const float single = static_cast<float>(value);
    std::memcpy(at, &single, sizeof single);
    at += sizeof single;
  }
}

}  // namespace

Status write_stl(const std::string& path, const Mesh& mesh, const WriteOptions& options) {
  // A double beyond the range of a float would become an infinity, which no reader accepts.
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
    const Vec3 v = mesh.vertices()[i] / options.metres_per_unit;
    if (!(largest_component(abs(v)) <= double{std::numeric_limits<float>::max()})) {
      return Error{ErrorCode::Invalid, path, "vertex " + std::to_string(i),
                   "is beyond the range of the single precision numbers of STL", ""};
    }
  }
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();

  // The header must not begin with "solid": some readers take such a file for ASCII.
  std::array<char, kHeaderBytes> header{};
  std::strncpy(header.data(), "Clearance binary STL", header.size() - 1);
  file->write(header.data(), header.size());
  const auto count = static_cast<std::uint32_t>(mesh.triangle_count());
  file->write(&count, sizeof count);
  std::array<char, kTriangleBytes> record{};
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    char* at = record.data();
    put(at, normalized(cross(t.b - t.a, t.c - t.a)));
    for (const Vec3& corner : {t.a, t.b, t.c}) put(at, corner / options.metres_per_unit);
    file->write(record.data(), record.size());
  }
  return file->commit();
}

}  // namespace clearance::detail
