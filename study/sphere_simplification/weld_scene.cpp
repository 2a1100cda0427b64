// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/weld_scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <system_error>
#include <utility>

#include <clearance/check/inverse_kinematics.h>
#include <clearance/mesh/generate.h>
#include <clearance/robot/robot_file.h>

namespace clearance::study {
namespace {

constexpr double kPi = std::numbers::pi;

/// An arm of about the reach of the IRB 4400, for machines without its files.
constexpr const char* kArm = R"(<robot name="arm">
  <link name="base"><collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.28" length="0.4"/></geometry></collision></link>
  <link name="column"><collision><origin xyz="0 0 0.15"/><geometry><box size="0.5 0.4 0.5"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.45"/><geometry><box size="0.22 0.2 1.0"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.45 0 0.1"/><geometry><box size="1.2 0.18 0.2"/></geometry></collision></link>
  <link name="wrist"><collision><origin xyz="0 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.07" length="0.16"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.07"/></geometry></collision></link>
  <link name="flange"><collision><origin xyz="-0.02 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.045" length="0.04"/></geometry></collision></link>
  <link name="tool0"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="column"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/><limit lower="-2.8" upper="2.8" effort="0" velocity="2"/></joint>
  <joint name="shoulder" type="revolute"><parent link="column"/><child link="upper"/><origin xyz="0.2 0 0.28"/><axis xyz="0 1 0"/><limit lower="-1.3" upper="1.8" effort="0" velocity="2"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.9"/><axis xyz="0 1 0"/><limit lower="-1.2" upper="1.5" effort="0" velocity="2"/></joint>
  <joint name="roll" type="revolute"><parent link="fore"/><child link="wrist"/><origin xyz="1.14 0 0.1"/><axis xyz="1 0 0"/><limit lower="-3.4" upper="3.4" effort="0" velocity="3"/></joint>
  <joint name="bend" type="revolute"><parent link="wrist"/><child link="hand"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/><limit lower="-2.1" upper="2.1" effort="0" velocity="4"/></joint>
  <joint name="twist" type="revolute"><parent link="hand"/><child link="flange"/><origin xyz="0.14 0 0"/><axis xyz="1 0 0"/><limit lower="-6.9" upper="6.9" effort="0" velocity="5"/></joint>
  <joint name="face" type="fixed"><parent link="flange"/><child link="tool0"/><origin rpy="0 1.5707963267948966 0"/></joint>
</robot>)";

/// Ways to begin that are tried: random joint values, the torch turned about its wire by quarters.
constexpr std::size_t kAttempts = 200;
constexpr std::size_t kTrialChecks = 600;  ///< of a way to begin
constexpr double kLeap = 0.5;              ///< no joint turns by more from check to check [rad]

/// Where the middle of the section is [m].
constexpr Vec3 kSection{1.4, 0.0, 0.5};

/// A moment of the program: which pipe, how far along it, where around it, how far from its skin,
/// and how the torch stands.
struct TorchPlace {
  double pipe = 0.0;    ///< direction of its axis in the section's plane [rad]
  double along = 0.0;   ///< from the middle of the section [m]
  double around = 0.0;  ///< from the top [rad]
  double gap = 0.0;     ///< from the skin to the end of the wire [m]
  double lean = 0.0;    ///< of the wire, along the pipe [rad]
  double spin = 0.0;    ///< about the wire [rad]
};

/// world_from_tip of a place.
Pose tip_at(const TorchPlace& place, double pipe_radius) {
  const Vec3 axis{std::cos(place.pipe), std::sin(place.pipe), 0.0};
  const Vec3 side = cross(Vec3{0, 0, 1}, axis);
  const Vec3 out = std::cos(place.around) * Vec3{0, 0, 1} + std::sin(place.around) * side;
  const Vec3 point = kSection + place.along * axis + (pipe_radius + place.gap) * out;
  const Vec3 aim = -(std::cos(place.lean) * out + std::sin(place.lean) * axis);
  // The neck bends towards x: back to the robot, which keeps the wrist far from straight.
  const Vec3 back = -normalized(Vec3{point.x, point.y, 0.0});
  const Vec3 x0 = normalized(back - dot(back, aim) * aim);
  const Vec3 y0 = cross(aim, x0);
  const Vec3 x = std::cos(place.spin) * x0 + std::sin(place.spin) * y0;
  return {Mat3::from_columns(x, cross(aim, x), aim), point};
}

/// The program: three pipes one after the other; each is approached in rings, then walked along
/// close to its skin. `t` in [0, 1).
TorchPlace place_at(double t) {
  const double third = 3.0 * t;
  const double pipe = std::floor(third);
  const double u = third - pipe;
  TorchPlace place;
  place.pipe = pipe * 2.0 * kPi / 3.0;
  place.along = 0.08 + 0.05 * std::sin(2.0 * kPi * 1.5 * u);
  place.around = 0.45 * std::sin(2.0 * kPi * 7.0 * u);
  place.lean = 0.25 * std::sin(2.0 * kPi * 11.0 * u);
  place.spin = 0.2 * std::sin(2.0 * kPi * 5.0 * u);
  // The first half comes down from 80 mm to 4 mm; the second, the critical one, goes to and fro
  // between 4 mm before and 1.5 mm beyond the skin.
  place.gap = u < 0.5 ? 0.080 - 0.152 * u : 0.00125 + 0.00275 * std::cos(2.0 * kPi * 19.0 * u);
  return place;
}

/// Follows the program from a first guess.
struct Follower {
  const Robot& robot;
  std::uint32_t link;
  double pipe_radius;

  /// The configurations, evenly spread over the program; none where one is not reached, or takes a
  /// leap to reach. `spin` turns the torch about its wire.
  [[nodiscard]] std::vector<std::vector<double>> follow(double spin, std::vector<double> guess,
                                                        std::size_t count) const {
    std::vector<std::vector<double>> configurations;
    for (std::size_t i = 0; i < count; ++i) {
      TorchPlace place = place_at(static_cast<double>(i) / static_cast<double>(count));
      place.spin += spin;
      InverseResult found =
          inverse_kinematics(robot, {link, torch_tip(), tip_at(place, pipe_radius)}, guess);
      if (!found.reached) return {};
      for (std::size_t j = 0; i > 0 && j < guess.size(); ++j) {
        if (std::abs(found.values[j] - guess[j]) > kLeap) return {};
      }
      guess = found.values;
      configurations.push_back(std::move(found.values));
    }
    return configurations;
  }
};

Result<Robot> weld_robot(const WeldProgramOptions& options, std::string& name) {
  const std::string file = industrial_robot_file(options.data);
  RobotFileOptions read;
  read.visual = false;
  read.threads = options.threads;
  Result<RobotFile> robot =
      file.empty() ? parse_robot(kArm, "arm.urdf", read) : read_robot(file, read);
  if (!robot) return robot.error();
  name = file.empty() ? "arm of ours" : kIndustrialRobot;
  return robot->robot;
}

}  // namespace

std::vector<double> WeldScene::all_values() const {
  std::vector<double> values;
  for (const std::vector<double>& configuration : configurations)
    values.insert(values.end(), configuration.begin(), configuration.end());
  return values;
}

std::string industrial_robot_file(const std::string& data) {
  if (data.empty()) return {};
  const std::filesystem::path file = std::filesystem::path(data) / "robots" /
                                     "abb_irb4400_support" / "urdf" / "irb4400l_30_243.urdf";
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? file.string() : std::string();
}

Result<WeldScene> weld_scene(const WeldProgramOptions& options) {
  std::string name;
  Result<Robot> robot = weld_robot(options, name);
  if (!robot) return robot.error();
  Result<Assembly> torch = make_torch();
  if (!torch) return torch.error();
  // The label is an open sheet: without it the torch is solid.
  std::erase_if(torch->parts, [](const AssemblyPart& part) { return part.name == "label"; });
  const PipeJointOptions section_options;
  const Result<Mesh> section = make_pipe_joint(section_options);
  if (!section) return section.error();
  WeldScene scene{.robot_name = name,
                  .robot = *robot,
                  .torch_link = robot->link("tool0").value(),
                  .torch = torch->flattened(),
                  .section = transformed(*section, Pose::translate(kSection)),
                  .configurations = {}};

  const std::size_t count = options.quick ? kPaperChecks / 20 : kPaperChecks;
  const Follower follower{scene.robot, scene.torch_link, 0.5 * section_options.outer_diameter};
  Random random(1);
  for (std::size_t attempt = 0; attempt < kAttempts; ++attempt) {
    if (is_cancelled(options.monitor)) return Error{.code = ErrorCode::Cancelled};
    const double spin = 0.5 * kPi * static_cast<double>(attempt % 4);
    const std::vector<double> guess = scene.robot.random(random);
    if (follower.follow(spin, guess, kTrialChecks).empty()) continue;
    scene.configurations = follower.follow(spin, guess, count);
    if (!scene.configurations.empty()) return scene;
  }
  return Error{.code = ErrorCode::Invalid,
               .file = {},
               .place = scene.robot_name,
               .reason = "cannot follow the program of Table I"};
}

}  // namespace clearance::study
