// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>

#include <clearance/base/file.h>

#include "mesh/writers.h"

namespace clearance::detail {
namespace {

// "v" and three doubles of at most 24 characters, or "f" and three indices, fit easily.
using Line = std::array<char, 128>;

template <class Number>
char* append(char* at, Line& line, Number value) {
  *at++ = ' ';
  return std::to_chars(at, line.data() + line.size(), value).ptr;
}

// A name stays on its line, whatever it holds.
std::string on_one_line(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  if (!name.empty() && name.back() == '\\') name.back() = '/';
  return name;
}

}  // namespace

Status write_obj(const std::string& path, const Mesh& mesh, const WriteOptions& options) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write("# Clearance\n");

  Line line{};
  const auto flush = [&](char* end) {
    *end++ = '\n';
    file->write(line.data(), static_cast<std::size_t>(end - line.data()));
  };
  for (const Vec3& v : mesh.vertices()) {
    line[0] = 'v';
    char* at = line.data() + 1;
    for (const double value : {v.x, v.y, v.z})
      at = append(at, line, value / options.metres_per_unit);
    flush(at);
  }

  // Parts in the order of their triangles; they may leave gaps, which belong to no group.
  std::vector<MeshPart> parts(mesh.parts().begin(), mesh.parts().end());
  std::stable_sort(parts.begin(), parts.end(), [](const MeshPart& a, const MeshPart& b) {
    return a.first_triangle < b.first_triangle;
  });
  std::size_t part = 0;
  std::size_t part_end = 0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    while (part < parts.size() && parts[part].first_triangle == i) {
      part_end = i + parts[part].triangle_count;
      if (parts[part].triangle_count > 0) file->write("g " + on_one_line(parts[part].name) + "\n");
      ++part;
    }
    if (i != 0 && i == part_end) file->write("g\n");
    line[0] = 'f';
    char* at = line.data() + 1;
    for (const std::uint32_t v : mesh.faces()[i]) at = append(at, line, std::uint64_t{v} + 1);
    flush(at);
  }
  return file->commit();
}

}  // namespace clearance::detail
