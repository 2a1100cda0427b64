// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance simplify` found out, and the ways of telling it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/simplify/comparison.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/primitives.h>
#include <clearance/simplify/simplify.h>

namespace clearance::cli {

/// How spheres, and other shapes, deviate from the mesh they stand for, in proven bounds.
struct SimplifyDeviation {
  Enclosure excess;       ///< farthest that a point of a shape is from the mesh [m]
  SphereVolumes volumes;  ///< [m³]
};

/// A link of a robot, or the part.
struct SimplifiedBody {
  std::string name;
  std::size_t shapes = 1;
  std::size_t triangles = 0;
  bool solid = false;
  double volume = 0.0;            ///< of a closed part [m³]; 0: not known
  PrimitiveSet model;             ///< spheres alone unless others are asked for
  std::size_t spheres_alone = 0;  ///< how many spheres do the same
  double error = 0.0;             ///< proven [m]
  bool covered = false;
  SimplifyDeviation deviation{};
};

struct SimplifyReport {
  std::string file;
  bool is_robot = false;
  std::size_t links = 0;  ///< of a robot, those without shapes included
  SimplifyOptions asked;
  bool error_is_default = false;
  bool visual = false;
  std::string tool;  ///< file of the external tool
  std::vector<SimplifiedBody> bodies;
  std::vector<std::string> notes;
  std::optional<Comparison> comparison{};
  std::vector<std::string> written{};
  double seconds = 0.0;

  /// More than the mesh is covered.
  [[nodiscard]] bool is_filled() const {
    return asked.external_diameter > 0.0 || !asked.external_tool.empty();
  }
  /// Other shapes than spheres were asked for.
  [[nodiscard]] bool has_shapes() const { return asked.primitives.any(); }
  [[nodiscard]] std::size_t sphere_count() const;
  [[nodiscard]] std::size_t capsule_count() const;
  [[nodiscard]] std::size_t box_count() const;
  [[nodiscard]] std::size_t spheres_alone() const;
  [[nodiscard]] double error() const;  ///< the largest of a body [m]
  [[nodiscard]] bool covered() const;
  /// The error that was asked for is kept, and everything is covered.
  [[nodiscard]] bool limits_met() const;
  /// The largest excess of a body, and the sums of the volumes.
  [[nodiscard]] SimplifyDeviation deviation() const;
};

/// The result that follows schema/simplify.schema.json.
[[nodiscard]] nlohmann::ordered_json simplify_json(const SimplifyReport& report);
/// For people.
[[nodiscard]] std::string simplify_text(const SimplifyReport& report);

}  // namespace clearance::cli
