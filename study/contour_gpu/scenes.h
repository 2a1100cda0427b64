// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the study, its tests and the benchmarks measure: a mesh, and segments that move past it,
// free of contact. The same for the same arguments. Metres.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/mesh/mesh.h>

namespace clearance::study {

using ContourFrame = std::vector<ContourSegment>;

struct ContourScene {
  std::string name;       ///< "catheter", "fitted hand"
  std::string mesh_name;  ///< "generated atrium", "scanned atrium"
  Mesh mesh;
  std::vector<ContourFrame> frames;
  [[nodiscard]] std::size_t segment_count() const { return frames.front().size(); }
};

/// The paper's counts.
inline constexpr std::size_t kTubeSegments = 30;
inline constexpr std::size_t kCatheterSegments = 7;
inline constexpr std::size_t kHandSegments = 39;
inline constexpr std::size_t kAtriumTriangles = 10'658;
inline constexpr std::size_t kWallTriangles = 4'308;

/// Figures 5 and 6, Table 1: a bent tube of 30 segments that is drawn through an atrium of any
/// (even) number of triangles, from vein to vein. All sizes show the same atrium and the same
/// frames. Errors: those of generate().
[[nodiscard]] Result<ContourScene> tube_scene(std::size_t triangles, std::size_t frames,
                                              std::uint64_t seed);

/// Scenario B: the tip of a catheter, 7 segments, is advanced through the atrium and bent to and
/// fro. The atrium is the scan anatomy/left_atrium_mri/segmentation_10k.stl below `data` where that
/// is, else a generated one of 10,658 triangles.
[[nodiscard]] Result<ContourScene> catheter_scene(const std::string& data, std::size_t frames,
                                                  std::uint64_t seed);

/// Scenario C: a hand of 39 segments reaches through the hole of a wall of 4,308 triangles and
/// closes. The hand is fitted to robots/atlas_description/urdf/atlas_v3_right_arm_sandia_hand.urdf
/// below `data` where that is (robot_hand.h), else generated: forearm, palm and four fingers.
[[nodiscard]] Result<ContourScene> hand_scene(const std::string& data, std::size_t frames,
                                              std::uint64_t seed);

/// Frames in random order: no query gains from the one before it.
void shuffle_frames(std::vector<ContourFrame>& frames, std::uint64_t seed);

/// All vertices elsewhere: a wave of 1 % of the mesh's size runs through it, one period in
/// `period` frames, as a heart beats.
[[nodiscard]] std::vector<Vec3> beating(const Mesh& mesh, std::size_t frame, std::size_t period);

}  // namespace clearance::study
