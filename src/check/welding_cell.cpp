// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <system_error>

#include <clearance/base/file.h>
#include <clearance/check/welding_cell.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/write.h>

namespace clearance {
namespace {

/// An arm of 1.6 m reach. Its tool frame tool0 points along z.
constexpr const char* kRobot = R"(<?xml version="1.0"?>
<robot name="welder">
  <link name="base">
    <collision><origin xyz="0 0 0.15"/><geometry><cylinder radius="0.16" length="0.3"/></geometry></collision></link>
  <link name="shoulder">
    <collision><origin xyz="0.04 0 0.14"/><geometry><box size="0.32 0.26 0.28"/></geometry></collision></link>
  <link name="upper_arm">
    <collision><origin xyz="0 0 0.33"/><geometry><box size="0.12 0.16 0.66"/></geometry></collision>
    <collision><origin xyz="0 0 0" rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="elbow">
    <collision><origin xyz="0.03 0 0.06"/><geometry><box size="0.26 0.2 0.2"/></geometry></collision></link>
  <link name="forearm">
    <collision><origin xyz="0.26 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.055" length="0.5"/></geometry></collision></link>
  <link name="wrist">
    <collision><geometry><sphere radius="0.055"/></geometry></collision></link>
  <link name="flange">
    <collision><origin xyz="0.02 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.04" length="0.04"/></geometry></collision></link>
  <link name="tool0"/>

  <joint name="joint_1" type="revolute"><parent link="base"/><child link="shoulder"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/><limit lower="-2.8" upper="2.8" velocity="2.6" effort="1"/></joint>
  <joint name="joint_2" type="revolute"><parent link="shoulder"/><child link="upper_arm"/>
    <origin xyz="0.12 0 0.2"/><axis xyz="0 1 0"/><limit lower="-1.2" upper="1.7" velocity="2.6" effort="1"/></joint>
  <joint name="joint_3" type="revolute"><parent link="upper_arm"/><child link="elbow"/>
    <origin xyz="0 0 0.7"/><axis xyz="0 1 0"/><limit lower="-1.2" upper="2.4" velocity="2.6" effort="1"/></joint>
  <joint name="joint_4" type="revolute"><parent link="elbow"/><child link="forearm"/>
    <origin xyz="0.16 0 0.12"/><axis xyz="1 0 0"/><limit lower="-3" upper="3" velocity="5" effort="1"/></joint>
  <joint name="joint_5" type="revolute"><parent link="forearm"/><child link="wrist"/>
    <origin xyz="0.58 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="5" effort="1"/></joint>
  <joint name="joint_6" type="revolute"><parent link="wrist"/><child link="flange"/>
    <origin xyz="0.07 0 0"/><axis xyz="1 0 0"/><limit lower="-5" upper="5" velocity="6" effort="1"/></joint>
  <joint name="flange-tool0" type="fixed"><parent link="flange"/><child link="tool0"/>
    <origin xyz="0.04 0 0" rpy="0 1.5707963267948966 0"/></joint>
</robot>
)";

constexpr const char* kCellHead = R"({
  "clearance": "cell", "version": 1,
  "description": "Welding a joint of three pipes.",
  "units": {"length": "mm", "angle": "deg"},
  "robot": {"urdf": "welder.urdf"},
  "tool": {"link": "tool0", "point": {"xyz": [100.4, 0, 343.3], "rpy": [0, 35, 0]}},
  "bodies": [
    {"name": "torch", "on": "tool0", "shapes": [
      {"name": "handle", "cylinder": {"radius": 22, "length": 200}, "pose": {"xyz": [0, 0, 100]}},
      {"name": "neck", "cylinder": {"radius": 12, "length": 130}, "pose": {"xyz": [31.5, 0, 245.1], "rpy": [0, 35, 0]}}]},
    {"name": "nozzle", "on": "tool0", "shapes": [
      {"cylinder": {"radius": 8, "length": 40}, "pose": {"xyz": [80.3, 0, 314.7], "rpy": [0, 35, 0]}}]},
    {"name": "table", "pose": {"xyz": [950, 0, 300]}, "shapes": [
      {"box": [700, 1100, 40], "pose": {"xyz": [0, 0, -20]}},
      {"box": [60, 60, 260], "pose": {"xyz": [-300, -500, -170]}},
      {"box": [60, 60, 260], "pose": {"xyz": [-300, 500, -170]}},
      {"box": [60, 60, 260], "pose": {"xyz": [300, -500, -170]}},
      {"box": [60, 60, 260], "pose": {"xyz": [300, 500, -170]}}]},
    {"name": "fixture", "pose": {"xyz": [950, 0, 300]}, "shapes": [
      {"box": [60, 60, 120], "pose": {"xyz": [110, 0, 60]}},
      {"box": [60, 60, 120], "pose": {"xyz": [-55, 95.3, 60], "rpy": [0, 0, 120]}},
      {"box": [60, 60, 120], "pose": {"xyz": [-55, -95.3, 60], "rpy": [0, 0, -120]}}]},
    {"name": "work-piece", "pose": {"xyz": [950, 0, 450]}, "shapes": [
      {"mesh": "work_piece.stl", "unit": "mm"}]})";

constexpr const char* kPlanted = R"(,
    {"name": "post", "pose": {"xyz": [900, -220, 300]}, "shapes": [
      {"cylinder": {"radius": 4, "length": 320}, "pose": {"xyz": [0, 0, 160]}}]},
    {"name": "gas line", "pose": {"xyz": [500, 200, 1170]}, "shapes": [
      {"cylinder": {"radius": 5, "length": 600}, "pose": {"xyz": [0, 0, 300]}}]})";

constexpr const char* kCellTail = R"(
  ]
}
)";

/// Poses of the tool are in the frame of the work-piece: z of the tool points down at the seam.
constexpr const char* kProgram = R"({
  "clearance": "program", "version": 1,
  "description": "Weld along two seams of the pipe joint, from above.",
  "units": {"length": "mm", "angle": "deg"},
  "way_points": {
    "home": [0, -20, 40, 0, 60, 0],
    "left": [24, 4, 30, 0, 52, 24],
    "right": [-24, 4, 30, 0, 52, -24]
  },
  "start": "home",
  "moves": [
    {"name": "to the left", "joint": "left", "speed": 0.5},
    {"name": "above seam 1", "line": {"xyz": [12, 20.8, 120], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 250, "rate": 90},
    {"name": "down to seam 1", "line": {"xyz": [12, 20.8, 34], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 100},
    {"name": "weld seam 1", "line": {"xyz": [0, 0, 38], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 10},
    {"name": "up from seam 1", "line": {"xyz": [0, 0, 120], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 250},
    {"name": "clean the nozzle", "wait": 0.5},
    {"name": "swing to the right", "joint": "right", "speed": 0.5},
    {"name": "above seam 2", "line": {"xyz": [12, -20.8, 120], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 250, "rate": 90},
    {"name": "down to seam 2", "line": {"xyz": [12, -20.8, 34], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 100},
    {"name": "weld seam 2", "line": {"xyz": [0, 0, 38], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 10},
    {"name": "up from seam 2", "line": {"xyz": [0, 0, 120], "rpy": [180, 0, 0]}, "in": "work-piece", "speed": 250},
    {"name": "home", "joint": "home", "speed": 0.5}
  ]
}
)";

}  // namespace

Status write_welding_cell(const std::string& folder, const WeldingCellOptions& options) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{ErrorCode::Unreadable, folder, "", "cannot be made: " + failed.message(), ""};
  const std::filesystem::path at(folder);
  const Result<Mesh> work_piece = make_pipe_joint();
  if (!work_piece) return work_piece.error();
  const std::string cell = std::string(kCellHead) + (options.planted ? kPlanted : "") + kCellTail;
  if (Status status = write_file((at / "welder.urdf").string(), kRobot); !status) return status;
  if (Status status =
          write_mesh((at / "work_piece.stl").string(), *work_piece, {.metres_per_unit = 0.001});
      !status)
    return status;
  if (Status status = write_file((at / "cell.json").string(), cell); !status) return status;
  return write_file((at / "program.json").string(), kProgram);
}

}  // namespace clearance
