// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance probe --stream: lines of poses in, distances and forces out, at a fixed rate or as they
// come.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include <clearance/contour/prober.h>
#include <clearance/contour/stream.h>
#include <clearance/mesh/mesh.h>

#include "probe_input.h"
#include "session.h"

namespace clearance::cli {

struct ProbeStreamOptions {
  std::string mesh_file;
  double metres_per_unit = 0.0;  ///< of that file, as asked for; 0: as it says
  double rate = 0.0;             ///< [Hz]; 0: as lines come
  double deadline = 0.0;         ///< [s]; 0: the period, or none without a rate
  double seconds = 0.0;          ///< 0: until the lines end or Ctrl-C
  double range = std::numeric_limits<double>::infinity();  ///< [m]
  std::optional<double> clearance{};                       ///< [m]
  FixtureOptions fixture{};
  std::optional<int> udp_port{};
  std::string bind = "127.0.0.1";
  std::string synthetic{};  ///< "orbit", "sway" or a file; empty: lines from outside
  std::string move_mesh{};  ///< "breathing:AMPLITUDE"; empty: the mesh stands still
  bool view = false;        ///< serve a page that follows the stream
  int view_port = 0;        ///< of that page; 0: one that is free
  bool spin = false;
  bool realtime = false;
  bool one_thread = true;  ///< the prober computes on the thread that asks it
  bool json = false;       ///< the summary as the last line of standard output
};

/// Returns the exit status.
int probe_stream(const ProbeStreamOptions& options, const ProbeRobot& robot, const Mesh& mesh,
                 Prober& prober, TerminalMonitor& monitor);

}  // namespace clearance::cli
