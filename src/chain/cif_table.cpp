// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/cif_table.h"

#include <exception>

#include <gemmi/cif.hpp>

namespace clearance::detail {

CifTable read_cif_table(std::string_view text, const std::string& prefix,
                        const std::vector<std::string>& tags) {
  CifTable result;
  try {
    gemmi::cif::Document document = gemmi::cif::read_memory(text.data(), text.size(), "");
    for (gemmi::cif::Block& block : document.blocks) {
      gemmi::cif::Table table = block.find(prefix, tags);
      if (!table.ok() || table.length() == 0) continue;
      for (std::size_t i = 0; i < tags.size(); ++i) {
        result.has_column.push_back(table.has_column(static_cast<int>(i)));
      }
      result.values.reserve(table.length() * tags.size());
      for (const gemmi::cif::Table::Row row : table) {
        for (std::size_t i = 0; i < tags.size(); ++i) {
          result.values.push_back(row.has2(i) ? gemmi::cif::as_string(row[i]) : std::string());
        }
      }
      return result;
    }
  } catch (const gemmi::cif::pegtl::parse_error& problem) {
    result.error = problem.message();
    result.error_line = problem.positions().empty() ? 0 : problem.positions().front().line;
  } catch (const std::exception& problem) {
    result.error = problem.what();
  }
  return result;
}

}  // namespace clearance::detail
