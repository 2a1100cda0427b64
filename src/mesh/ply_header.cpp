// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/ply_header.h"

#include <algorithm>
#include <array>

#include "mesh/text_scanner.h"

namespace clearance::detail {
namespace {

// More elements or properties than any real file has: a header may not take time without end.
constexpr std::size_t kMostElements = 256;
constexpr std::size_t kMostProperties = 4096;

std::optional<PlyType> type_from_name(std::string_view name) {
  struct Name {
    std::string_view name;
    PlyType type;
  };
  static constexpr std::array kNames{
      Name{"char", PlyType::Int8},     Name{"int8", PlyType::Int8},
      Name{"uchar", PlyType::UInt8},   Name{"uint8", PlyType::UInt8},
      Name{"short", PlyType::Int16},   Name{"int16", PlyType::Int16},
      Name{"ushort", PlyType::UInt16}, Name{"uint16", PlyType::UInt16},
      Name{"int", PlyType::Int32},     Name{"int32", PlyType::Int32},
      Name{"uint", PlyType::UInt32},   Name{"uint32", PlyType::UInt32},
      Name{"float", PlyType::Float},   Name{"float32", PlyType::Float},
      Name{"double", PlyType::Double}, Name{"float64", PlyType::Double},
  };
  for (const Name& candidate : kNames) {
    if (candidate.name == name) return candidate.type;
  }
  return std::nullopt;
}

class HeaderReader {
 public:
  explicit HeaderReader(const ByteSource& source) : source_(source), scanner_(source) {}

  Result<PlyHeader> read() {
    if (word() != "ply") return error("does not begin with 'ply'");
    // A file whose lines end with a bare CR may have a first data byte that looks like a LF.
    const bool bare_carriage_return = end_line_is_bare_carriage_return();
    bool has_format = false;
    while (true) {
      scanner_.skip_space();
      line_ = scanner_.offset();
      if (scanner_.at_end()) return error("the file ends before 'end_header'");
      const std::string keyword = word();
      if (keyword == "end_header") break;
      Status status;
      if (keyword == "format") {
        status = has_format ? error("a second format") : read_format();
        has_format = true;
      } else if (keyword == "element") {
        status = read_element();
      } else if (keyword == "property") {
        status = read_property();
      } else if (keyword != "comment" && keyword != "obj_info") {
        status = error("is no PLY header line: " + quoted(keyword));
      }
      if (!status) return status.error();
      scanner_.skip_line();
    }
    if (!has_format) return error("the header names no format");
    end_header(bare_carriage_return);
    if (scanner_.failure()) return *scanner_.failure();
    header_.data_offset = scanner_.offset();
    if (const Status status = check_size(); !status) return status.error();
    return std::move(header_);
  }

 private:
  Error error(std::string reason) const {
    if (scanner_.failure()) return *scanner_.failure();
    return malformed_line(source_, line_, std::move(reason));
  }

  // The next word of the line; empty at its end.
  std::string word() {
    scanner_.skip_blanks();
    return std::string(scanner_.word());
  }

  bool end_line_is_bare_carriage_return() {
    scanner_.skip_blanks();
    if (scanner_.peek() != '\r') return false;
    scanner_.skip_character();
    return scanner_.peek() != '\n';
  }

  void end_header(bool bare_carriage_return) {
    scanner_.skip_blanks();
    if (bare_carriage_return) {
      if (scanner_.peek() == '\r') scanner_.skip_character();
    } else {
      scanner_.skip_line();
    }
  }

  Status read_format() {
    const std::string name = word();
    if (name == "ascii") {
      header_.format = PlyFormat::Ascii;
    } else if (name == "binary_little_endian") {
      header_.format = PlyFormat::LittleEndian;
    } else if (name == "binary_big_endian") {
      header_.format = PlyFormat::BigEndian;
    } else {
      return error("unknown format " + quoted(name));
    }
    const std::string version = word();
    if (version != "1.0") return error("version " + quoted(version) + " instead of 1.0");
    return {};
  }

  Status read_element() {
    PlyElement element;
    element.name = word();
    element.offset = line_;
    scanner_.skip_blanks();
    const std::optional<std::int64_t> count = scanner_.integer();
    if (element.name.empty() || !count || *count < 0)
      return error("an element needs a name and a count");
    element.count = static_cast<std::uint64_t>(*count);
    if (header_.find(element.name) != nullptr)
      return error("a second element " + quoted(element.name));
    if (header_.elements.size() >= kMostElements) return error("too many elements");
    header_.elements.push_back(std::move(element));
    return {};
  }

  Status read_property() {
    if (header_.elements.empty()) return error("a property before the first element");
    PlyProperty property;
    std::string type = word();
    if (type == "list") {
      property.count_type = type_from_name(word());
      if (!property.count_type || !is_integer(*property.count_type))
        return error("the length of a list needs an integer type");
      type = word();
    }
    const std::optional<PlyType> known = type_from_name(type);
    if (!known) return error("unknown type " + quoted(type));
    property.type = *known;
    property.name = word();
    if (property.name.empty()) return error("a property needs a name");
    PlyElement& element = header_.elements.back();
    if (element.find(property.name)) return error("a second property " + quoted(property.name));
    if (element.properties.size() >= kMostProperties) return error("too many properties");
    element.properties.push_back(std::move(property));
    return {};
  }

  // Each element needs its smallest size; in text, each value a character and a separator (but for
  // the last one).
  Status check_size() {
    const bool ascii = header_.format == PlyFormat::Ascii;
    std::uint64_t left = source_.size() - header_.data_offset + (ascii ? 1 : 0);
    for (const PlyElement& element : header_.elements) {
      const std::uint64_t smallest =
          ascii ? 2 * element.properties.size() : element.smallest_size();
      if (smallest == 0) continue;
      if (element.count > left / smallest) {
        line_ = element.offset;
        return error("promises " + std::to_string(element.count) + " of '" + element.name +
                     "' with at least " + std::to_string(smallest) + " bytes each, but only " +
                     std::to_string(left) + " bytes are left in the file");
      }
      left -= element.count * smallest;
    }
    return {};
  }

  const ByteSource& source_;
  TextScanner scanner_;
  PlyHeader header_;
  std::uint64_t line_ = 0;
};

}  // namespace

std::size_t size_of(PlyType type) {
  switch (type) {
    case PlyType::Int8:
    case PlyType::UInt8:
      return 1;
    case PlyType::Int16:
    case PlyType::UInt16:
      return 2;
    case PlyType::Int32:
    case PlyType::UInt32:
    case PlyType::Float:
      return 4;
    case PlyType::Double:
      break;
  }
  return 8;
}

bool is_integer(PlyType type) { return type != PlyType::Float && type != PlyType::Double; }

std::optional<std::size_t> PlyElement::find(std::string_view property) const {
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].name == property) return i;
  }
  return std::nullopt;
}

std::size_t PlyElement::smallest_size() const {
  std::size_t size = 0;
  for (const PlyProperty& property : properties)
    size += size_of(property.count_type.value_or(property.type));
  return size;
}

bool PlyElement::has_list() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PlyProperty& property) { return property.count_type.has_value(); });
}

const PlyElement* PlyHeader::find(std::string_view element) const {
  for (const PlyElement& candidate : elements) {
    if (candidate.name == element) return &candidate;
  }
  return nullptr;
}

Result<PlyHeader> read_ply_header(const ByteSource& source) { return HeaderReader(source).read(); }

}  // namespace clearance::detail
