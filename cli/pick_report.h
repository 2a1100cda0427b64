// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance pick says: as text, as JSON, as a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/grasp/gripper.h>
#include <clearance/grasp/pick.h>
#include <clearance/grasp/pile.h>
#include <clearance/mesh/mesh.h>

#include "pick_plan.h"

namespace clearance::cli {

/// A depth image among the obstacles.
struct DepthReport {
  std::string path;        ///< of the view
  std::size_t pixels = 0;  ///< of the image
  std::size_t seen = 0;    ///< of these with a depth
  bool is_blocked = true;  ///< space that was not seen
};

/// A point cloud among them.
struct CloudReport {
  std::string path;
  std::size_t points = 0;
  double radius = 0.0;           ///< of the ball of each point [m]
  double metres_per_unit = 1.0;  ///< of the file
};

struct PickReport {
  std::string part_file;
  std::string grasps_file;
  std::string gripper_file;  ///< empty: of boxes
  std::optional<Gripper> gripper;
  std::string pile_file;  ///< empty: simulated
  std::optional<SimulatedPile> simulated;
  std::uint64_t seed = 0;  ///< of the simulation
  Mesh part;
  Pile pile;
  std::vector<Grasp> grasps;           ///< those that were tried; all when asked.first names some
  std::vector<std::uint32_t> numbers;  ///< of these in the file
  std::size_t tried = 0;               ///< so many with every candidate
  std::size_t robust = 0;              ///< of the file
  /// A spread choice: each robust grasp has one among them within this that is as good [m].
  std::optional<double> reach;
  std::vector<CloudReport> clouds;
  std::vector<std::string> obstacle_meshes;  ///< their files
  std::vector<DepthReport> depth_views;
  PickOptions asked;
  PickResult result;
  std::vector<PileOverlap> overlaps;  ///< of a pile from a file
  std::vector<std::string> notes;
  std::vector<std::string> written;
  double seconds = 0.0;  ///< of the evaluation
  /// By part of the pile, where a way out was looked for; empty: not asked for.
  std::vector<std::optional<WayOut>> ways_out;
  /// The last so many of the valid ones come out by a planned way.
  std::size_t planned = 0;
  double plan_seconds = 0.0;

  /// Of a part; null when none was looked for.
  [[nodiscard]] const WayOut* way_out(std::size_t number) const {
    return number < ways_out.size() && ways_out[number] ? &*ways_out[number] : nullptr;
  }
};

[[nodiscard]] std::string pick_text(const PickReport& report);
[[nodiscard]] nlohmann::ordered_json pick_json(const PickReport& report);

/// The pile with its candidates, those that can be picked numbered by their rating (Figure 8 of the
/// paper); a PNG file.
struct PilePicture {
  const Mesh& part;
  const Pile& pile;
  std::span<const std::size_t> candidates;
  const PickResult& result;
  std::span<const Model> obstacles{};  ///< in the world
  std::span<const DepthMap> seen{};    ///< what depth cameras saw
};
[[nodiscard]] Status draw_pile(const std::string& path, const PilePicture& scene, Threads threads);

}  // namespace clearance::cli
