// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include <clearance/base/file.h>
#include <clearance/grasp/points_file.h>
#include <clearance/robot/robot.h>

#include "mesh/ply_header.h"
#include "mesh/text_scanner.h"

namespace clearance {
namespace {

using detail::PlyElement;
using detail::PlyFormat;
using detail::PlyHeader;
using detail::PlyType;

class PointsReader {
 public:
  PointsReader(std::string_view bytes, const std::string& path, double metres_per_unit)
      : bytes_(bytes), path_(path), metres_(metres_per_unit) {}

  Result<std::vector<Vec3>> read() {
    Status status = bytes_.starts_with("ply") ? read_ply() : read_text(0, {0, 1, 2}, 0);
    if (!status) return status.error();
    if (points_.empty()) return error("", "holds no points");
    return std::move(points_);
  }

 private:
  [[nodiscard]] Error error(std::string place, std::string reason, std::string advice = "") const {
    return {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }

  Status add(const Vec3& point, const std::string& place) {
    const Vec3 metres = metres_ * point;
    if (!is_finite(point))
      return error(place, "a coordinate is not finite", "leave out pixels without depth");
    if (largest_component(abs(metres)) > kLargestRobotLength)
      return error(place, "a coordinate is too large", "is the unit right?");
    points_.push_back(metres);
    return {};
  }

  /// Lines from a byte on; `most` of them, or all for 0. Columns of x, y and z.
  Status read_text(std::size_t begin, const std::array<std::size_t, 3>& columns,
                   std::uint64_t most) {
    const bool is_ply = most > 0;
    std::uint64_t line =
        1 + static_cast<std::uint64_t>(std::count(bytes_.begin(), bytes_.begin() + begin, '\n'));
    const std::size_t needed = 1 + *std::max_element(columns.begin(), columns.end());
    for (std::size_t at = begin; at < bytes_.size(); ++line) {
      if (is_ply && points_.size() == most) break;
      const std::size_t end = std::min(bytes_.find('\n', at), bytes_.size());
      const std::string_view text = bytes_.substr(at, end - at);
      at = end + 1;
      std::vector<double> numbers;
      const char* c = text.data();
      const char* stop = text.data() + text.size();
      const auto is_gap = [](char x) { return x == ' ' || x == '\t' || x == ',' || x == '\r'; };
      while (numbers.size() < needed) {
        while (c != stop && is_gap(*c)) ++c;
        double value = 0.0;
        const char* next = c == stop ? nullptr : detail::parse_number(c, stop, value);
        if (next == nullptr || (next != stop && !is_gap(*next))) break;
        numbers.push_back(value);
        c = next;
      }
      const bool is_empty = c == stop && numbers.empty();
      if (is_empty || (!is_ply && text.starts_with('#'))) continue;
      const std::string place = "line " + std::to_string(line);
      if (numbers.size() < needed) {
        // The names of columns, before the first point.
        if (!is_ply && points_.empty() && numbers.empty() && !seen_header_) {
          seen_header_ = true;
          continue;
        }
        return error(place, "is not three numbers");
      }
      Status status = add({numbers[columns[0]], numbers[columns[1]], numbers[columns[2]]}, place);
      if (!status) return status;
    }
    if (is_ply && points_.size() < most)
      return error("", "ends after " + std::to_string(points_.size()) + " of " +
                           std::to_string(most) + " points");
    return {};
  }

  Status read_ply() {
    const detail::ByteSource source(bytes_, path_);
    const Result<PlyHeader> header = detail::read_ply_header(source);
    if (!header) return header.error();
    const PlyElement* vertex = header->find("vertex");
    if (vertex == nullptr || vertex->count == 0) return error("", "holds no points");
    if (vertex != header->elements.data() || vertex->has_list())
      return error("header", "has lists or other elements before its vertices",
                   "write the points alone");
    std::array<std::size_t, 3> columns{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string name(1, "xyz"[i]);
      const std::optional<std::size_t> found = vertex->find(name);
      if (!found) return error("header", "vertices have no '" + name + "'");
      columns[i] = *found;
    }
    if (header->format == PlyFormat::Ascii)
      return read_text(header->data_offset, columns, vertex->count);
    return read_binary(*header, *vertex, columns);
  }

  Status read_binary(const PlyHeader& header, const PlyElement& vertex,
                     const std::array<std::size_t, 3>& columns) {
    const bool swap =
        (header.format == PlyFormat::BigEndian) == (std::endian::native == std::endian::little);
    const std::size_t size = vertex.smallest_size();
    std::array<std::size_t, 3> offsets{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < columns[i]; ++j)
        offsets[i] += detail::size_of(vertex.properties[j].type);
    for (std::uint64_t i = 0; i < vertex.count; ++i) {
      const std::size_t at = header.data_offset + i * size;
      const std::string place = "point " + std::to_string(i);
      if (at + size > bytes_.size()) return error(place, "the file ends before it");
      Vec3 point;
      for (std::size_t k = 0; k < 3; ++k)
        point[k] = number(at + offsets[k], vertex.properties[columns[k]].type, swap);
      if (Status status = add(point, place); !status) return status;
    }
    return {};
  }

  [[nodiscard]] double number(std::size_t at, PlyType type, bool swap) const {
    std::array<char, 8> raw{};
    const std::size_t size = detail::size_of(type);
    for (std::size_t i = 0; i < std::min(size, raw.size()); ++i)
      raw[i] = bytes_[at + (swap ? size - 1 - i : i)];
    const auto as = [&]<class T>(T value) {
      std::memcpy(&value, raw.data(), sizeof value);
      return static_cast<double>(value);
    };
    switch (type) {
      case PlyType::Int8:
        return as(std::int8_t{});
      case PlyType::UInt8:
        return as(std::uint8_t{});
      case PlyType::Int16:
        return as(std::int16_t{});
      case PlyType::UInt16:
        return as(std::uint16_t{});
      case PlyType::Int32:
        return as(std::int32_t{});
      case PlyType::UInt32:
        return as(std::uint32_t{});
      case PlyType::Float:
        return as(float{});
      case PlyType::Double:
        break;
    }
    return as(double{});
  }

  std::string_view bytes_;
  const std::string& path_;
  double metres_;
  bool seen_header_ = false;
  std::vector<Vec3> points_;
};

}  // namespace

Result<std::vector<Vec3>> parse_points(std::string_view bytes, const std::string& path,
                                       double metres_per_unit) {
  return PointsReader(bytes, path, metres_per_unit).read();
}

Result<std::vector<Vec3>> read_points(const std::string& path, double metres_per_unit) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_points(file->text(), path, metres_per_unit);
}

}  // namespace clearance
