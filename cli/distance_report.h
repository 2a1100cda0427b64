// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance distance` found out, and the three ways of telling it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/geometry/pose.h>
#include <clearance/query/solid.h>

namespace clearance::cli {

struct DistanceBody {
  std::string path;
  std::size_t triangles = 0;
  bool closed = false;  ///< can count as a solid
};

struct DistanceRow {
  Pose a_from_b;
  SolidDistance answer;  ///< with surfaces only, `touch` is None or Surfaces
  std::optional<Penetration> penetration;
  bool too_close = false;  ///< in contact, or at --within or closer
};

struct DistanceReport {
  DistanceBody a, b;
  bool solid = true;             ///< bodies that are closed count as solids
  std::optional<double> within;  ///< [m]
  std::vector<DistanceRow> rows;
  std::vector<std::string> warnings;  ///< of the files

  [[nodiscard]] std::size_t contact_count() const;
  [[nodiscard]] std::size_t too_close_count() const;
  /// The row of the least distance; among contacts the deepest known, else the first.
  [[nodiscard]] std::size_t worst() const;
};

/// The result that follows schema/distance.schema.json.
[[nodiscard]] nlohmann::ordered_json distance_json(const DistanceReport& report);
/// For people: a paragraph for a single pose, a table for several.
[[nodiscard]] std::string distance_text(const DistanceReport& report);
/// A table with one row a pose, for spreadsheets; lengths in metres.
[[nodiscard]] std::string distance_csv(const DistanceReport& report);

}  // namespace clearance::cli
