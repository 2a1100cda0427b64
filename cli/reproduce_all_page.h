// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The report of all studies as one HTML page: which claims hold, then study by study its tables and
// charts. Needs nothing beside it: charts are inside.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace clearance::cli {

struct StudyResult {
  std::string name;
  std::string description;
  int status = 0;  ///< exit status of the study
  double seconds = 0.0;
  std::string json;                                         ///< its --json result; may be empty
  std::vector<std::pair<std::string, std::string>> charts;  ///< file name and SVG text
};

struct ReportHead {
  std::string program;  ///< version and commit
  std::string machine;
  std::string command;  ///< as typed
};

[[nodiscard]] std::string report_page(const ReportHead& head,
                                      const std::vector<StudyResult>& studies);

/// How many claims of the studies hold, and how many there are.
[[nodiscard]] std::pair<std::size_t, std::size_t> count_claims(
    const std::vector<StudyResult>& studies);

}  // namespace clearance::cli
