// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// OFF (Geomview): the text kinds OFF, COFF, NOFF, STOFF and their combinations. Colours, normals
// and texture coordinates are stepped over.
#include <algorithm>
#include <cmath>

#include "mesh/mesh_builder.h"
#include "mesh/readers.h"
#include "mesh/text_scanner.h"

namespace clearance::detail {
namespace {

// The shortest vertex and face lines, "0 0 0\n" and "3 0 1 2\n" [bytes].
constexpr std::uint64_t kShortestVertex = 6;
constexpr std::uint64_t kShortestFace = 8;

class OffReader {
 public:
  OffReader(const ByteSource& source, const ReadOptions& options)
      : source_(source), options_(options), scanner_(source) {}

  Result<LoadedMesh> read() {
    if (Status status = read_header(); !status) return status.error();
    if (Status status = read_vertices(); !status) return status.error();
    if (Status status = read_faces(); !status) return status.error();
    if (scanner_.failure()) return *scanner_.failure();
    return finish_indexed(plain_info(source_, "OFF", options_), options_.weld, std::move(vertices_),
                          std::move(faces_), {});
  }

 private:
  Error error(std::uint64_t place, std::string reason) const {
    if (scanner_.failure()) return *scanner_.failure();
    return malformed_line(source_, place, std::move(reason));
  }
  Error error(std::string reason) { return error(scanner_.offset(), std::move(reason)); }

  // Goes to the next thing that is neither white space nor a comment.
  void skip_to_content() {
    scanner_.skip_space();
    while (scanner_.peek() == '#') {
      scanner_.skip_line();
      scanner_.skip_space();
    }
  }
  // Whether nothing follows on this line.
  bool at_content_end() {
    scanner_.skip_blanks();
    return scanner_.at_line_end() || scanner_.peek() == '#';
  }

  Status read_header() {
    for (const char c : std::string_view("\xef\xbb\xbf")) {
      if (scanner_.peek() != c) break;
      scanner_.skip_character();
    }
    skip_to_content();
    if (Status status = read_keyword(); !status) return status;
    skip_to_content();
    counts_at_ = scanner_.offset();
    if (Status status = read_count(vertex_count_); !status) return status;
    scanner_.skip_blanks();
    if (Status status = read_count(face_count_); !status) return status;
    // The number of edges, which nobody uses, may be missing.
    scanner_.skip_line();
    if (vertex_count_ == 0 || face_count_ == 0) {
      return error(counts_at_, vertex_count_ > 0 ? "the file holds points but no triangles"
                                                 : "the file holds no triangles");
    }
    const std::uint64_t left = source_.size() - scanner_.offset() + 1;
    if (vertex_count_ > left / kShortestVertex || face_count_ > left / kShortestFace) {
      return error(counts_at_, "promises " + std::to_string(vertex_count_) + " vertices and " +
                                   std::to_string(face_count_) + " faces, but only " +
                                   std::to_string(left - 1) + " bytes follow");
    }
    return {};
  }

  // [ST][C][N][4][n]OFF. The counts may follow without a space.
  Status read_keyword() {
    const std::uint64_t place = scanner_.offset();
    std::string keyword;
    while (keyword.size() < 8 && !keyword.ends_with("OFF") && !scanner_.at_line_end()) {
      keyword.push_back(scanner_.peek());
      scanner_.skip_character();
    }
    if (!keyword.ends_with("OFF")) return error(place, "does not begin with 'OFF'");
    std::string_view prefix = std::string_view(keyword).substr(0, keyword.size() - 3);
    plain_ = prefix.empty();
    if (prefix.starts_with("ST")) prefix.remove_prefix(2);
    if (prefix.starts_with("C")) prefix.remove_prefix(1);
    if (prefix.starts_with("N")) prefix.remove_prefix(1);
    if (prefix == "4" || prefix == "n" || prefix == "4n") {
      return Error{ErrorCode::Unsupported, source_.name(), "line 1",
                   "is OFF of more than three dimensions", ""};
    }
    if (!prefix.empty()) return error(place, "unknown kind of OFF: " + quoted(keyword));
    scanner_.skip_blanks();
    if (scanner_.peek() == 'B') {
      return Error{ErrorCode::Unsupported, source_.name(), "line 1", "binary OFF is not read",
                   "convert the file to PLY"};
    }
    return {};
  }

  Status read_count(std::uint64_t& count) {
    const std::uint64_t place = scanner_.offset();
    const std::optional<std::int64_t> value = scanner_.integer();
    if (!value || *value < 0)
      return error(place, "the numbers of vertices and faces should stand here");
    count = static_cast<std::uint64_t>(*value);
    return {};
  }

  Status pause(std::uint64_t i) {
    if ((i & 0xffff) != 0) return {};
    if (is_cancelled(options_.monitor))
      return Error{ErrorCode::Cancelled, source_.name(), "", "cancelled", ""};
    report_progress(options_.monitor, "reading",
                    static_cast<double>(scanner_.offset()) / static_cast<double>(source_.size()));
    return {};
  }

  Status read_vertices() {
    vertices_.reserve(static_cast<std::size_t>(vertex_count_));
    for (std::uint64_t i = 0; i < vertex_count_; ++i) {
      if (Status status = pause(i); !status) return status;
      skip_to_content();
      if (scanner_.at_end()) {
        return error("the file ends after " + std::to_string(i) + " of " +
                     std::to_string(vertex_count_) + " vertices");
      }
      Vec3 position;
      for (double* value : {&position.x, &position.y, &position.z}) {
        if (at_content_end()) return error("a vertex has three numbers");
        const std::uint64_t place = scanner_.offset();
        const std::optional<double> number = scanner_.number();
        if (!number) return error(place, quoted(scanner_.word()) + " is not a number");
        if (!std::isfinite(*number)) return error(place, "a coordinate is not finite");
        *value = *number;
      }
      // In a plain OFF more numbers would be a second vertex, and all that follows out of step.
      if (plain_ && !at_content_end())
        return error("a vertex of a plain OFF file has three numbers, here are more");
      scanner_.skip_line();
      vertices_.push_back(position);
    }
    return {};
  }

  Status read_faces() {
    faces_.reserve(static_cast<std::size_t>(face_count_));
    for (std::uint64_t i = 0; i < face_count_; ++i) {
      if (Status status = pause(i); !status) return status;
      skip_to_content();
      if (scanner_.at_end()) {
        return error("the file ends after " + std::to_string(i) + " of " +
                     std::to_string(face_count_) + " faces");
      }
      if (Status status = read_face(); !status) return status;
      // Colours may follow.
      scanner_.skip_line();
    }
    return {};
  }

  Status read_face() {
    const std::uint64_t place = scanner_.offset();
    const std::optional<std::int64_t> size = scanner_.integer();
    if (!size) return error(place, quoted(scanner_.word()) + " is not a whole number");
    if (*size < 3) {
      return error(place,
                   "a face has at least three vertices, this one has " + std::to_string(*size));
    }
    std::uint32_t first = 0;
    std::uint32_t previous = 0;
    for (std::int64_t corner = 0; corner < *size; ++corner) {
      if (at_content_end()) {
        return error("the face has " + std::to_string(corner) + " of its " + std::to_string(*size) +
                     " vertices");
      }
      const std::uint64_t at = scanner_.offset();
      const std::optional<std::int64_t> index = scanner_.integer();
      if (!index) return error(at, quoted(scanner_.word()) + " is not a vertex index");
      if (*index < 0 || *index >= static_cast<std::int64_t>(vertex_count_)) {
        return error(at, "uses vertex " + std::to_string(*index) + ", but there are only " +
                             std::to_string(vertex_count_));
      }
      const auto current = static_cast<std::uint32_t>(*index);
      if (corner == 0) first = current;
      if (corner >= 2) faces_.push_back({first, previous, current});
      previous = current;
    }
    return {};
  }

  const ByteSource& source_;
  const ReadOptions& options_;
  TextScanner scanner_;
  bool plain_ = true;
  std::uint64_t counts_at_ = 0;
  std::uint64_t vertex_count_ = 0;
  std::uint64_t face_count_ = 0;
  std::vector<Vec3> vertices_;
  std::vector<Face> faces_;
};

}  // namespace

Result<LoadedMesh> read_off(const ByteSource& source, const ReadOptions& options) {
  return OffReader(source, options).read();
}

}  // namespace clearance::detail
