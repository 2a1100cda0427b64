// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PLY: positions of the vertices, and faces or triangle strips. Other properties and elements are
// stepped over. The same code reads text and both byte orders, through a source of values; the
// layouts that nearly all binary files have go a shorter way.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "mesh/huge_pages.h"
#include "mesh/mesh_builder.h"
#include "mesh/ply_header.h"
#include "mesh/readers.h"
#include "mesh/text_scanner.h"

namespace clearance::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "little-endian is read as it lies");

// Values of a text file. An element stands on a line of its own.
class TextValues {
 public:
  TextValues(const ByteSource& source, std::uint64_t offset)
      : source_(source), scanner_(source, offset) {}

  [[nodiscard]] std::uint64_t offset() const { return scanner_.offset(); }
  Error error(std::uint64_t place, std::string reason) const {
    if (scanner_.failure()) return *scanner_.failure();
    return malformed_line(source_, place, std::move(reason));
  }
  Status begin_element() {
    scanner_.skip_space();
    if (scanner_.at_end()) {
      return error(scanner_.offset(), "the file ends before all its elements were read");
    }
    return {};
  }
  Status end_element() {
    scanner_.skip_blanks();
    if (!scanner_.at_line_end())
      return error(scanner_.offset(), "the line has more values than the header declares");
    return {};
  }
  Status real(PlyType, double& value) {
    scanner_.skip_blanks();
    const std::uint64_t place = scanner_.offset();
    if (scanner_.at_line_end()) return too_few(place);
    const std::optional<double> number = scanner_.number();
    if (!number) return error(place, quoted(scanner_.word()) + " is not a number");
    value = *number;
    return {};
  }
  Status whole(PlyType, std::int64_t& value) {
    scanner_.skip_blanks();
    const std::uint64_t place = scanner_.offset();
    if (scanner_.at_line_end()) return too_few(place);
    const std::optional<std::int64_t> number = scanner_.integer();
    if (!number) return error(place, quoted(scanner_.word()) + " is not a whole number");
    value = *number;
    return {};
  }
  Status skip(PlyType, std::uint64_t count) {
    for (; count > 0; --count) {
      scanner_.skip_blanks();
      if (scanner_.at_line_end()) return too_few(scanner_.offset());
      scanner_.word();
    }
    return {};
  }
  // Whether the file can hold this many more values.
  [[nodiscard]] bool can_hold(std::uint64_t count, PlyType) const {
    return count <= source_.size() - offset();
  }

 private:
  Error too_few(std::uint64_t place) const {
    return error(place, "the line has fewer values than the header declares");
  }
  const ByteSource& source_;
  TextScanner scanner_;
};

// Values of a binary file.
class BinaryValues {
 public:
  BinaryValues(const ByteSource& source, std::uint64_t offset, bool swap)
      : source_(source), swap_(swap), buffer_(kWindow), next_read_(offset) {}

  [[nodiscard]] std::uint64_t offset() const {
    return next_read_ - static_cast<std::uint64_t>(end_ - at_);
  }
  Error error(std::uint64_t place, std::string reason) const {
    return malformed_byte(source_, place, std::move(reason));
  }
  Status begin_element() { return {}; }
  Status end_element() { return {}; }
  Status real(PlyType type, double& value) {
    std::array<char, 8> bytes;
    if (Status status = take(size_of(type), bytes); !status) return status;
    switch (type) {
      case PlyType::Float:
        value = get<float>(bytes);
        break;
      case PlyType::Double:
        value = get<double>(bytes);
        break;
      default:
        value = static_cast<double>(get_whole(type, bytes));
        break;
    }
    return {};
  }
  Status whole(PlyType type, std::int64_t& value) {
    std::array<char, 8> bytes;
    if (Status status = take(size_of(type), bytes); !status) return status;
    value = get_whole(type, bytes);
    return {};
  }
  Status skip(PlyType type, std::uint64_t count) {
    const std::uint64_t bytes = count * size_of(type);
    if (bytes <= static_cast<std::uint64_t>(end_ - at_)) {
      at_ += bytes;
      return {};
    }
    if (bytes > source_.size() - offset()) return ends();
    next_read_ = offset() + bytes;
    at_ = end_ = nullptr;
    return {};
  }
  [[nodiscard]] bool can_hold(std::uint64_t count, PlyType type) const {
    return count <= (source_.size() - offset()) / size_of(type);
  }

  // For the short ways: the bytes at hand, at least `size` (at most a window) of them unless the
  // file ends before; then advance() over those used.
  Result<std::string_view> window(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) {
      if (Status status = refill(); !status) return status.error();
    }
    return std::string_view(at_, static_cast<std::size_t>(end_ - at_));
  }
  void advance(std::size_t size) { at_ += size; }
  [[nodiscard]] bool swapped() const { return swap_; }
  Error ends() const {
    return error(source_.size(), "the file ends before all its elements were read");
  }

  static constexpr std::size_t kWindow = std::size_t{1} << 17;

 private:
  Status refill() {
    const std::uint64_t from = offset();
    const Result<std::string_view> bytes = source_.read(from, buffer_);
    if (!bytes) return bytes.error();
    at_ = bytes->data();
    end_ = at_ + bytes->size();
    next_read_ = from + bytes->size();
    return {};
  }
  // The next `size` bytes in the order of this machine.
  Status take(std::size_t size, std::array<char, 8>& bytes) {
    if (static_cast<std::size_t>(end_ - at_) < size) {
      if (Status status = refill(); !status) return status;
      if (static_cast<std::size_t>(end_ - at_) < size) return ends();
    }
    std::uint64_t word = 0;
    std::memcpy(&word, at_, size);
    if (swap_) word = __builtin_bswap64(word) >> (64 - 8 * size);
    bytes = std::bit_cast<std::array<char, 8>>(word);
    at_ += size;
    return {};
  }
  template <class T>
  static T get(const std::array<char, 8>& bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  static std::int64_t get_whole(PlyType type, const std::array<char, 8>& bytes) {
    switch (type) {
      case PlyType::Int8:
        return get<std::int8_t>(bytes);
      case PlyType::UInt8:
        return get<std::uint8_t>(bytes);
      case PlyType::Int16:
        return get<std::int16_t>(bytes);
      case PlyType::UInt16:
        return get<std::uint16_t>(bytes);
      case PlyType::Int32:
        return get<std::int32_t>(bytes);
      default:
        return get<std::uint32_t>(bytes);
    }
  }

  const ByteSource& source_;
  bool swap_;
  std::vector<char> buffer_;
  std::uint64_t next_read_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

template <class Values>
class PlyReader {
 public:
  PlyReader(const ByteSource& source, const ReadOptions& options, const PlyHeader& header,
            Values values)
      : source_(source), options_(options), header_(header), values_(std::move(values)) {}

  Result<LoadedMesh> read(FileInfo info) {
    if (Status status = check_header(); !status) return status.error();
    for (const PlyElement& element : header_.elements) {
      Status status;
      if (&element == vertex_) {
        status = read_vertices();
      } else if (&element == face_ || &element == strips_) {
        status = read_faces(element);
      } else {
        status = for_each(element,
                          [&] { return skip_properties(element, 0, element.properties.size()); });
      }
      if (!status) return status.error();
    }
    if (faces_.empty()) return nothing();
    const std::uint64_t left = source_.size() - values_.offset();
    if (left > 0 && header_.format != PlyFormat::Ascii) {
      info.warnings.push_back("The last " + std::to_string(left) +
                              " bytes of the file, after the last element, were ignored.");
    }
    return finish_indexed(std::move(info), options_.weld, std::move(vertices_), std::move(faces_),
                          {});
  }

 private:
  Error nothing() const {
    return {ErrorCode::Malformed, source_.name(), "",
            vertex_ != nullptr && vertex_->count > 0 ? "the file holds points but no triangles"
                                                     : "the file holds no triangles",
            ""};
  }

  Status check_header() {
    vertex_ = header_.find("vertex");
    face_ = header_.find("face");
    strips_ = header_.find("tristrips");
    const bool any =
        (face_ != nullptr && face_->count > 0) || (strips_ != nullptr && strips_->count > 0);
    if (vertex_ == nullptr || vertex_->count == 0 || !any) return nothing();
    if (vertex_->count > 0xfffffffeu) {
      return Error{ErrorCode::Unsupported, source_.name(), "", "more than 4294967294 vertices", ""};
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      const std::optional<std::size_t> property = vertex_->find(name);
      if (!property || vertex_->properties[*property].count_type) {
        return malformed_line(source_, vertex_->offset,
                              "the vertices have no property '" + name + "'");
      }
      position_[axis] = *property;
    }
    for (const PlyElement* element : {face_, strips_}) {
      if (element == nullptr || element->count == 0) continue;
      const std::optional<std::size_t> list = index_list(*element);
      if (!list || !element->properties[*list].count_type ||
          !is_integer(element->properties[*list].type)) {
        return malformed_line(
            source_, element->offset,
            "'" + element->name + "' has no list 'vertex_indices' of whole numbers");
      }
    }
    return {};
  }

  static std::optional<std::size_t> index_list(const PlyElement& element) {
    const std::optional<std::size_t> plural = element.find("vertex_indices");
    return plural ? plural : element.find("vertex_index");
  }

  // Calls body() for each element, with progress and cancellation now and then.
  template <class Body>
  Status for_each(const PlyElement& element, const Body& body) {
    if (element.properties.empty()) return {};
    for (std::uint64_t i = 0; i < element.count; ++i) {
      if ((i & 0xffff) == 0) {
        if (Status status = pause(); !status) return status;
      }
      if (Status status = values_.begin_element(); !status) return status;
      if (Status status = body(); !status) return status;
      if (Status status = values_.end_element(); !status) return status;
    }
    return {};
  }
  Status pause() {
    if (is_cancelled(options_.monitor))
      return Error{ErrorCode::Cancelled, source_.name(), "", "cancelled", ""};
    report_progress(options_.monitor, "reading",
                    static_cast<double>(values_.offset()) / static_cast<double>(source_.size()));
    return {};
  }

  // Reads the length of a list and checks that the file can hold it.
  Status list_length(const PlyProperty& property, std::uint64_t& length) {
    const std::uint64_t place = values_.offset();
    std::int64_t value = 0;
    if (Status status = values_.whole(*property.count_type, value); !status) return status;
    length = static_cast<std::uint64_t>(value);
    if (value < 0 || !values_.can_hold(length, property.type)) {
      return values_.error(
          place, "a list of " + std::to_string(value) + " values, which the file cannot hold");
    }
    return {};
  }

  Status skip_properties(const PlyElement& element, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const PlyProperty& property = element.properties[i];
      std::uint64_t count = 1;
      if (property.count_type) {
        if (Status status = list_length(property, count); !status) return status;
      }
      if (Status status = values_.skip(property.type, count); !status) return status;
    }
    return {};
  }

  Status read_vertices() {
    reserve_huge(vertices_, static_cast<std::size_t>(vertex_->count));
    if constexpr (std::is_same_v<Values, BinaryValues>) {
      const auto all = [&](PlyType type) {
        return std::all_of(position_.begin(), position_.end(),
                           [&](std::size_t i) { return vertex_->properties[i].type == type; });
      };
      if (!vertex_->has_list() && !values_.swapped()) {
        if (all(PlyType::Float)) return read_fixed_vertices<float>();
        if (all(PlyType::Double)) return read_fixed_vertices<double>();
      }
    }
    return for_each(*vertex_, [&]() -> Status {
      Vec3 position;
      const std::uint64_t place = values_.offset();
      for (std::size_t i = 0; i < vertex_->properties.size(); ++i) {
        const auto axis = std::find(position_.begin(), position_.end(), i);
        Status status;
        if (axis == position_.end()) {
          status = skip_properties(*vertex_, i, i + 1);
        } else {
          status = values_.real(vertex_->properties[i].type,
                                position[static_cast<std::size_t>(axis - position_.begin())]);
        }
        if (!status) return status;
      }
      if (!is_finite(position)) return not_finite(place);
      vertices_.push_back(position);
      return {};
    });
  }
  Error not_finite(std::uint64_t place) const {
    return values_.error(
        place, "a coordinate of vertex " + std::to_string(vertices_.size()) + " is not finite");
  }

  // Vertices of one size in the byte order of this machine, a window at a time.
  template <class Real>
  Status read_fixed_vertices() {
    const std::size_t stride = vertex_->smallest_size();
    std::array<std::size_t, 3> offsets{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < position_[axis]; ++i)
        offsets[axis] += size_of(vertex_->properties[i].type);
    }
    for (std::uint64_t left = vertex_->count; left > 0;) {
      if (Status status = pause(); !status) return status;
      const Result<std::string_view> bytes = values_.window(stride);
      if (!bytes) return bytes.error();
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes->size() / stride));
      if (count == 0) return values_.ends();
      const char* record = bytes->data();
      for (std::size_t i = 0; i < count; ++i, record += stride) {
        std::array<Real, 3> p;
        for (std::size_t axis = 0; axis < 3; ++axis)
          std::memcpy(&p[axis], record + offsets[axis], sizeof(Real));
        const Vec3 position{p[0], p[1], p[2]};
        if (!is_finite(position)) return not_finite(values_.offset() + i * stride);
        vertices_.push_back(position);
      }
      values_.advance(count * stride);
      left -= count;
    }
    return {};
  }

  // The corners of polygons and strips, as they come.
  struct Corners {
    std::uint32_t first = 0;
    std::uint32_t previous = 0;
    std::uint64_t count = 0;
  };

  Status read_faces(const PlyElement& element) {
    const std::size_t list = *index_list(element);
    const PlyProperty& property = element.properties[list];
    const std::uint64_t smallest_face = element.smallest_size() + 3 * size_of(property.type);
    const std::uint64_t left = source_.size() - values_.offset();
    if (header_.format != PlyFormat::Ascii)
      reserve_huge(faces_,
                   static_cast<std::size_t>(std::min(element.count, left / smallest_face + 1)));
    if constexpr (std::is_same_v<Values, BinaryValues>) {
      const bool plain = element.properties.size() == 1 && size_of(*property.count_type) == 1 &&
                         size_of(property.type) == 4 && !values_.swapped();
      if (plain && &element == face_) return read_plain_faces(element);
    }
    return for_each(element, [&]() -> Status {
      if (Status status = skip_properties(element, 0, list); !status) return status;
      if (Status status = read_list(element, property); !status) return status;
      return skip_properties(element, list + 1, element.properties.size());
    });
  }

  // Faces of nothing but a one-byte length and 32-bit indices. Triangles, nearly always.
  Status read_plain_faces(const PlyElement& element) {
    constexpr std::size_t kRecord = 1 + sizeof(Face);
    const PlyProperty& property = element.properties[0];
    for (std::uint64_t left = element.count; left > 0;) {
      if (Status status = pause(); !status) return status;
      const Result<std::string_view> bytes = values_.window(kRecord);
      if (!bytes) return bytes.error();
      const char* at = bytes->data();
      const char* const end = at + bytes->size();
      while (left > 0 && static_cast<std::size_t>(end - at) >= kRecord && *at == 3) {
        Face face;
        std::memcpy(face.data(), at + 1, sizeof face);
        if (std::max({face[0], face[1], face[2]}) >= vertex_->count) break;
        faces_.push_back(face);
        at += kRecord;
        --left;
      }
      values_.advance(static_cast<std::size_t>(at - bytes->data()));
      // Anything else, and every error, the long way.
      const bool whole_record = static_cast<std::size_t>(end - at) >= kRecord;
      if (left > 0 && (whole_record || bytes->size() < kRecord)) {
        if (Status status = read_list(element, property); !status) return status;
        --left;
      }
    }
    return {};
  }

  Status read_list(const PlyElement& element, const PlyProperty& property) {
    const bool strip = &element == strips_;
    const std::uint64_t place = values_.offset();
    std::uint64_t length = 0;
    if (Status status = list_length(property, length); !status) return status;
    if (!strip && length < 3) {
      return values_.error(
          place, "a face has at least three vertices, this one has " + std::to_string(length));
    }
    Corners corners;
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint64_t at = values_.offset();
      std::int64_t index = 0;
      if (Status status = values_.whole(property.type, index); !status) return status;
      // -1 ends a strip and begins the next.
      if (strip && index == -1) {
        corners = {};
        continue;
      }
      if (index < 0 || index >= static_cast<std::int64_t>(vertex_->count)) {
        return values_.error(at, "uses vertex " + std::to_string(index) + ", but there are only " +
                                     std::to_string(vertex_->count));
      }
      add_corner(corners, static_cast<std::uint32_t>(index), strip);
    }
    return {};
  }

  void add_corner(Corners& corners, std::uint32_t index, bool strip) {
    if (corners.count >= 2) {
      // Every second triangle of a strip runs the other way round.
      if (strip && corners.count % 2 == 1) {
        faces_.push_back({corners.previous, corners.first, index});
      } else {
        faces_.push_back({corners.first, corners.previous, index});
      }
    }
    if (corners.count == 0 || (strip && corners.count >= 2)) {
      corners.first = corners.count == 0 ? index : corners.previous;
    }
    corners.previous = index;
    ++corners.count;
  }

  const ByteSource& source_;
  const ReadOptions& options_;
  const PlyHeader& header_;
  Values values_;
  const PlyElement* vertex_ = nullptr;
  const PlyElement* face_ = nullptr;
  const PlyElement* strips_ = nullptr;
  std::array<std::size_t, 3> position_{};  // which properties of a vertex are x, y, z
  std::vector<Vec3> vertices_;
  std::vector<Face> faces_;
};

}  // namespace

Result<LoadedMesh> read_ply(const ByteSource& source, const ReadOptions& options) {
  const Result<PlyHeader> header = read_ply_header(source);
  if (!header) return header.error();
  if (header->format == PlyFormat::Ascii) {
    return PlyReader<TextValues>(source, options, *header, TextValues(source, header->data_offset))
        .read(plain_info(source, "ASCII PLY", options));
  }
  const bool big = header->format == PlyFormat::BigEndian;
  return PlyReader<BinaryValues>(source, options, *header,
                                 BinaryValues(source, header->data_offset, big))
      .read(
          plain_info(source, big ? "binary big-endian PLY" : "binary little-endian PLY", options));
}

}  // namespace clearance::detail
