// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance check says: as text, as JSON, as CSV, as a chart, as pictures.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/check/check.h>
#include <clearance/picture/picture.h>

namespace clearance::cli {

struct CheckReport {
  std::string cell_file;
  std::string program_file;
  const ReadyCell& cell;
  const RobotProgram& program;
  const JointPath& path;
  CheckOptions options;
  CheckResult result;
  std::vector<std::string> pictures;  ///< by interval; empty: none were drawn

  [[nodiscard]] const std::string& name(std::uint32_t body) const { return cell.bodies[body].name; }
};

[[nodiscard]] std::string check_text(const CheckReport& report);
[[nodiscard]] nlohmann::ordered_json check_json(const CheckReport& report);
/// The clearance over time, one line a sample.
[[nodiscard]] std::string check_csv(const CheckReport& report);
/// The same as an SVG chart.
[[nodiscard]] std::string check_chart(const CheckReport& report);
/// The worst moment of an interval: the whole cell, and beside it what is around the contact.
[[nodiscard]] Image check_picture(const CheckReport& report, const ContactInterval& interval);

/// Which pairs are left out, and why.
[[nodiscard]] std::string pairs_text(const ReadyCell& cell);
[[nodiscard]] nlohmann::ordered_json pairs_json(const ReadyCell& cell);

/// All bodies where a configuration puts them; two of them red.
[[nodiscard]] std::vector<PictureItem> cell_items(const ReadyCell& cell,
                                                  const std::vector<double>& values,
                                                  const BodyPair& red);
/// Two images of the same height, one beside the other.
[[nodiscard]] Image side_by_side(const Image& left, const Image& right);

}  // namespace clearance::cli
