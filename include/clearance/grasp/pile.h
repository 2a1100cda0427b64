// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A bin with a pile of equal parts in it: read from JSON, or dropped by a simulation.
//
// Frame: the world, z up; the floor of the bin is z = 0, its walls stand around the origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>
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

/// The walls of a bin as four boxes around its inside; none for a bare floor. The floor itself is
/// everything below z = 0.
[[nodiscard]] std::vector<Box> walls_of(const Bin& bin);
/// Boxes as one closed mesh, a part for each; the empty mesh for none.
[[nodiscard]] Mesh mesh_of(std::span<const Box> boxes);

/// schema/pile.schema.json. Errors name file, place and reason: poses that are not rigid or not
/// finite, sizes that make no sense, no parts.
[[nodiscard]] Result<Pile> read_pile(const std::string& path);
[[nodiscard]] Result<Pile> parse_pile(std::string_view text, const std::string& path);
/// What read_pile() reads, to the last bit.
[[nodiscard]] std::string pile_as_json(const Pile& pile);

/// Two parts of a pile that have a point in common, and how deep (solid.h, Penetration).
struct PileOverlap {
  std::size_t a = 0;  ///< the lower number
  std::size_t b = 0;
  double lower = 0.0;  ///< proven bounds of the depth [m]
  double upper = 0.0;
};
/// All pairs of parts that touch or overlap on their meshes, the deepest (by upper) first. A pile
/// at rest without any has an empty list. The same bits for any number of threads.
[[nodiscard]] std::vector<PileOverlap> overlaps_of(const Model& part, const Pile& pile,
                                                   Threads threads = {});

struct PileOptions {
  Bin bin;  ///< length 0: one that the parts fill to about half
  std::size_t count = 25;
  std::uint64_t seed = 1;
  double friction = 0.4;
  double pieces_error =
      0.0;  ///< how far the convex pieces may stick out of the part [m]; 0: 3 % of it
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
/// to rest (Bullet, convex pieces of the mesh). The same seed gives the same bits. Errors: a part
/// that is no solid, options that make no sense, a bin that does not hold the parts, meshes that
/// overlap by more than allowed, a build without Bullet; cancelled.
[[nodiscard]] Result<SimulatedPile> simulate_pile(const Model& part, const PileOptions& options);

/// Many piles of one part: the pieces are made once. An immutable value; any number of threads may
/// drop piles at the same time.
class PileSimulator {
 public:
  /// options.seed is not looked at.
  static Result<PileSimulator> make(const Model& part, const PileOptions& options);
  [[nodiscard]] Result<SimulatedPile> drop(std::uint64_t seed, Monitor* monitor = nullptr) const;
  [[nodiscard]] const Bin& bin() const;  ///< the one given, or the one chosen

 private:
  struct Data;
  explicit PileSimulator(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace clearance
