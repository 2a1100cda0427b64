// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance probe` found out, and the ways of telling it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/contour/prober.h>

#include "probe_input.h"

namespace clearance::cli {

/// The answer at one configuration.
struct ProbeRow {
  ProbeConfiguration configuration;
  ProbeHit hit;
  ProbeWork work;
  bool too_close = false;        ///< in contact, or at --clearance or closer
  std::vector<ProbeHit> each{};  ///< by segment, when asked for
};

struct ProbeReport {
  const ProbeRobot* robot = nullptr;
  std::string mesh_file;
  std::size_t triangles = 0;
  std::string method;                 ///< "tree"
  std::string description;            ///< "tree, 2 threads"
  std::optional<double> clearance{};  ///< [m]
  std::optional<double> range{};      ///< [m]
  std::vector<ProbeRow> rows{};

  [[nodiscard]] std::size_t contact_count() const;
  [[nodiscard]] std::size_t too_close_count() const;
  /// The row of the least distance, the first of equal ones.
  [[nodiscard]] std::size_t closest() const;
};

/// The result that follows schema/probe.schema.json.
[[nodiscard]] nlohmann::ordered_json probe_json(const ProbeReport& report);
/// For people: a paragraph for a single configuration, a table for several.
[[nodiscard]] std::string probe_text(const ProbeReport& report);
/// One row a configuration; metres and radians.
[[nodiscard]] std::string probe_csv(const ProbeReport& report);
/// Distance over time (or over the number of the configuration) as SVG.
[[nodiscard]] std::string probe_plot(const ProbeReport& report);

}  // namespace clearance::cli
