// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// STL: which of its two kinds a file is, and the ASCII kind. Binary: read_stl_binary.cpp.
#include <array>
#include <cmath>

#include "mesh/mesh_builder.h"
#include "mesh/read_stl_binary.h"
#include "mesh/readers.h"
#include "mesh/text_scanner.h"

namespace clearance::detail {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Text begins with "solid" (or "facet", where an exporter left that out), and has no zero byte near
// its beginning. A binary file has some soon: the attribute bytes of its triangles.
bool looks_textual(std::string_view beginning) {
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  const std::size_t start = beginning.find_first_not_of(" \t\r\n\v\f");
  if (start == std::string_view::npos) return false;
  const std::string_view first = beginning.substr(start, 5);
  return (equals_ignoring_case(first, "solid") || equals_ignoring_case(first, "facet")) &&
         beginning.find('\0') == std::string_view::npos;
}

class AsciiReader {
 public:
  AsciiReader(const ByteSource& source, const ReadOptions& options)
      : source_(source),
        options_(options),
        scanner_(source),
        info_(plain_info(source, "ASCII STL", options)),
        soup_(info_.metres_per_unit, options.weld) {}

  Result<LoadedMesh> read() {
    skip_byte_order_mark();
    scanner_.skip_space();
    while (!scanner_.at_end()) {
      if (Status status = read_solid(); !status) return status.error();
      scanner_.skip_space();
    }
    if (scanner_.failure()) return *scanner_.failure();
    if (bad_normals_ > 0) {
      info_.warnings.push_back(std::to_string(bad_normals_) +
                               " normals are not numbers; normals are not used.");
    }
    std::vector<MeshPart> parts =
        std::move(parts_).finish(soup_.triangle_count(), stem_of(source_.name()));
    return std::move(soup_).finish(std::move(info_), std::move(parts));
  }

 private:
  Error error(std::uint64_t offset, std::string reason) const {
    if (scanner_.failure()) return *scanner_.failure();
    return malformed_line(source_, offset, std::move(reason));
  }

  void skip_byte_order_mark() {
    for (const char c : kByteOrderMark) {
      if (scanner_.peek() != c) break;
      scanner_.skip_character();
    }
  }

  // The next word must be this one.
  Status expect(std::string_view keyword) {
    scanner_.skip_space();
    const std::uint64_t offset = scanner_.offset();
    if (scanner_.at_end()) {
      return error(offset, "the file ends where '" + std::string(keyword) + "' should follow");
    }
    const std::string_view word = scanner_.word();
    if (equals_ignoring_case(word, keyword)) return {};
    return error(offset, "expected '" + std::string(keyword) + "', found " + quoted(word));
  }

  Status read_solid() {
    // The name reaches to the end of the line. Facets without a "solid" before them have none.
    std::string name;
    const std::uint64_t offset = scanner_.offset();
    if (scanner_.peek() == 's' || scanner_.peek() == 'S') {
      if (Status status = expect("solid"); !status) return status;
      name = scanner_.rest_of_line();
    }
    parts_.begin(std::move(name), soup_.triangle_count());
    while (true) {
      scanner_.skip_space();
      const std::uint64_t place = scanner_.offset();
      if (scanner_.at_end()) {
        return error(offset, "this solid has no 'endsolid': the file may have been cut short");
      }
      const std::string_view word = scanner_.word();
      if (equals_ignoring_case(word, "endsolid")) {
        scanner_.skip_line();
        return {};
      }
      if (!equals_ignoring_case(word, "facet"))
        return error(place, "expected 'facet' or 'endsolid', found " + quoted(word));
      if (Status status = read_facet(); !status) return status;
      if ((soup_.triangle_count() & 0xffff) == 0) {
        if (is_cancelled(options_.monitor))
          return Error{ErrorCode::Cancelled, source_.name(), "", "cancelled", ""};
        report_progress(options_.monitor, "reading",
                        static_cast<double>(place) / static_cast<double>(source_.size()));
      }
    }
  }

  Status read_facet() {
    if (Status status = expect("normal"); !status) return status;
    bool good_normal = true;
    for (int i = 0; i < 3; ++i) {
      scanner_.skip_blanks();
      if (scanner_.at_line_end()) return error(scanner_.offset(), "a normal has three numbers");
      const std::optional<double> value = scanner_.number();
      if (!value) scanner_.word();
      good_normal = good_normal && value && std::isfinite(*value);
    }
    if (!good_normal) ++bad_normals_;
    if (Status status = expect("outer"); !status) return status;
    if (Status status = expect("loop"); !status) return status;
    std::array<Vec3, 3> corners;
    for (Vec3& corner : corners) {
      if (Status status = read_vertex(corner); !status) return status;
    }
    scanner_.skip_space();
    const std::uint64_t place = scanner_.offset();
    if (scanner_.peek() == 'v' || scanner_.peek() == 'V')
      return error(place, "a facet has three vertices, here is a fourth");
    if (Status status = expect("endloop"); !status) return status;
    if (Status status = expect("endfacet"); !status) return status;
    if (soup_.full()) return error(place, "more triangles than 32-bit indices can number");
    soup_.add(corners);
    return {};
  }

  Status read_vertex(Vec3& corner) {
    if (Status status = expect("vertex"); !status) return status;
    for (double* value : {&corner.x, &corner.y, &corner.z}) {
      scanner_.skip_blanks();
      const std::uint64_t place = scanner_.offset();
      if (scanner_.at_line_end()) return error(place, "a vertex has three numbers");
      const std::optional<double> number = scanner_.number();
      if (!number) return error(place, quoted(scanner_.word()) + " is not a number");
      if (!std::isfinite(*number)) {
        return error(place, "a coordinate of triangle " + std::to_string(soup_.triangle_count()) +
                                " is not finite");
      }
      *value = *number;
    }
    return {};
  }

  const ByteSource& source_;
  const ReadOptions& options_;
  TextScanner scanner_;
  FileInfo info_;
  PartList parts_;
  SoupBuilder soup_;
  std::size_t bad_normals_ = 0;
};

}  // namespace

Result<LoadedMesh> read_stl(const ByteSource& source, const ReadOptions& options) {
  // The size decides first: a binary file may begin with "solid" too.
  constexpr std::size_t kBeginning = 512;
  std::array<char, kBeginning> buffer;
  const Result<std::string_view> beginning = source.read(0, buffer);
  if (!beginning) return beginning.error();
  if (!is_exact_binary_stl(*beginning, source.size()) && looks_textual(*beginning))
    return AsciiReader(source, options).read();
  return read_stl_binary(*beginning, source, options);
}

}  // namespace clearance::detail
