// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A bin with a pile of equal parts in it: read from JSON, or dropped by a simulation.
//
// Frame: the world, z up; the floor of the bin is z = 0, its walls stand around the origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/query/model.h>

namespace clearance {

/// Inner sizes; a height of 0 is a bare floor.
struct Bin {
  double length = 0.0;          ///< along x [m]
  double width = 0.0;           ///< along y [m]
  double height = 0.0;          ///< of the walls [m]
  double wall_thickness = 0.0;  ///< [m]
};

struct Pile {
  Bin bin;
  /// world_from_part, in the order in which the parts fell: the last are most likely on top.
  std::vector<Pose> parts;
};

/// schema/pile.schema.json. Errors name file, place and reason: poses that are not rigid or not
/// finite, no parts.
[[nodiscard]] Result<Pile> read_pile(const std::string& path);
[[nodiscard]] Result<Pile> parse_pile(std::string_view text, const std::string& path);
[[nodiscard]] std::string pile_as_json(const Pile& pile);

struct PileOptions {
  Bin bin;  ///< length 0: one that the parts fill to about half
  std::size_t count = 25;
  std::uint64_t seed = 1;
  double friction = 0.4;
  double pieces_error = 0.0;  ///< of the convex pieces that stand for the part [m]; 0: 1 % of it
  /// Parts overlap by at most this [m]; 0: 0.2 % of the part's diagonal. Proven on the meshes after
  /// settling; a pile that does not keep it is an error.
  double overlap = 0.0;
  Monitor* monitor = nullptr;
};
struct SimulatedPile {
  Pile pile;
  double overlap = 0.0;    ///< proven upper bound of the deepest overlap of meshes [m]
  double simulated = 0.0;  ///< time until everything lay still [s]
  bool settled = false;
};
/// Drops parts one after the other from above at seeded random places and turns, and lets each come
/// to rest (Bullet, convex pieces of the mesh). The same seed gives the same bits.
[[nodiscard]] Result<SimulatedPile> simulate_pile(const Model& part, const PileOptions& options);

}  // namespace clearance
