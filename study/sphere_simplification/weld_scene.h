// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The work cell of Table I of the paper: a robot with a welding torch around a section of three
// pipes, and 15,178 configurations of it.
//
// The robot is an ABB IRB 4400 where its files are, else an arm of boxes and cylinders with about
// the same reach. The program is ours: rings around each pipe at a distance that goes from well
// clear to just inside, the torch leaning and turning about its wire, as a search for torch angles
// does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/mesh/mesh.h>
#include <clearance/robot/robot.h>

namespace clearance::study {

inline constexpr std::size_t kPaperChecks = 15'178;
inline constexpr const char* kIndustrialRobot = "IRB 4400";

/// irb4400l_30_243.urdf below a folder of data; empty when it is not there.
[[nodiscard]] std::string industrial_robot_file(const std::string& data);

/// A robot that carries a torch, the section, and the configurations to check.
struct WeldScene {
  std::string robot_name;
  Robot robot;                   ///< its collision shapes are what is checked
  std::uint32_t torch_link = 0;  ///< the link that holds the torch
  Mesh torch;                    ///< in the frame of that link [m]
  Mesh section;                  ///< in the world [m]
  std::vector<std::vector<double>> configurations;

  /// All configurations, one after the other.
  [[nodiscard]] std::vector<double> all_values() const;
};

struct WeldProgramOptions {
  std::string data;  ///< as SphereStudyOptions::data
  bool quick = false;
  Threads threads;
  Monitor* monitor = nullptr;
};

[[nodiscard]] Result<WeldScene> weld_scene(const WeldProgramOptions& options);

}  // namespace clearance::study
