// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One table of a CIF file as text, through gemmi. Only the standard library in this header, and
// nothing newer than C++17: gemmi's CIF documents do not compile as C++20 with clang, so
// cif_table.cpp is compiled as C++17 (CMakeLists.txt).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clearance::detail {

struct CifTable {
  std::vector<bool> has_column;  // per tag asked for
  /// Row by row, as many a row as tags were asked for; unquoted; empty for '?' and '.' and in
  /// columns that are not there.
  std::vector<std::string> values;
  /// What the parser says when the text is not CIF, and the line, 0 when it names none. No rows
  /// then.
  std::string error;
  std::size_t error_line = 0;
};

/// The first table that has all the tags, in any data block; no values when there is none. A tag
/// that starts with '?' may be missing; the first may not.
CifTable read_cif_table(std::string_view text, const std::string& prefix,
                        const std::vector<std::string>& tags);

}  // namespace clearance::detail
