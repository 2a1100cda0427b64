// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The header of a PLY file: which elements follow, how many, and what each is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/byte_source.h"

namespace clearance::detail {

enum class PlyFormat { Ascii, LittleEndian, BigEndian };
enum class PlyType { Int8, UInt8, Int16, UInt16, Int32, UInt32, Float, Double };

/// Bytes of a value in a binary file.
std::size_t size_of(PlyType type);
bool is_integer(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::Float;      ///< of the value, or of the values of a list
  std::optional<PlyType> count_type;  ///< of the length in front of a list; none: not a list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::uint64_t offset = 0;  ///< byte of its line in the header
  std::vector<PlyProperty> properties;

  /// The place of a property among the properties.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view property) const;
  /// Bytes of one element in a binary file whose lists are all empty: the smallest it can be.
  [[nodiscard]] std::size_t smallest_size() const;
  [[nodiscard]] bool has_list() const;
};

struct PlyHeader {
  PlyFormat format = PlyFormat::Ascii;
  std::vector<PlyElement> elements;
  std::uint64_t data_offset = 0;  ///< byte after the header

  [[nodiscard]] const PlyElement* find(std::string_view element) const;
};

/// Reads the header, and checks that as many elements as it promises can be in the file.
Result<PlyHeader> read_ply_header(const ByteSource& source);

}  // namespace clearance::detail
