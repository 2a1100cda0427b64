// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance grasp` found out, and the ways of telling it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/grasp/grasp.h>
#include <clearance/grasp/gripper.h>
#include <clearance/mesh/mesh.h>

namespace clearance::cli {

struct GraspReport {
  std::string file;
  std::optional<Mesh> part;
  std::optional<Gripper> gripper;
  std::string gripper_file;     ///< empty: of boxes
  std::string wire_frame_file;  ///< empty: derived
  bool is_skeleton = false;     ///< of a derived one
  GraspOptions asked;
  std::size_t best = 10;  ///< grasps told about
  GraspSet set;
  std::vector<std::string> notes{};
  std::vector<std::string> written{};
  double seconds = 0.0;

  /// Why there is no robust grasp; empty when there is one.
  [[nodiscard]] std::string why_none() const;
};

/// The result that follows schema/grasp.schema.json.
[[nodiscard]] nlohmann::ordered_json grasp_json(const GraspReport& report);
/// For people.
[[nodiscard]] std::string grasp_text(const GraspReport& report);

/// As Figure 6 of the paper: the wire-frame with a T for each grasp, its bar along the pinching
/// direction, its stem where the gripper comes from, its size the quality; on the part, and beside
/// it without. A PNG file.
struct GraspPicture {
  const Mesh& part;
  std::span<const Segment> wire_frame;
  std::span<const Grasp> grasps;  ///< the best first
  Vec3 towards_eye{1.0, -1.4, 0.9};
  Vec3 up{0.0, 0.0, 1.0};
};
[[nodiscard]] Status draw_grasps(const std::string& path, const GraspPicture& picture,
                                 Threads threads);

/// Which gripper, for views: its file, or the sizes of its boxes.
[[nodiscard]] nlohmann::ordered_json gripper_json(const Gripper& gripper, const std::string& file);

}  // namespace clearance::cli
