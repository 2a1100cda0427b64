// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance probe --stream --view: a page that follows the stream. The loop tells of each answer
// without ever waiting or allocating; a thread of low priority sends what has gathered to the page
// some 25 times a second. Between two pictures nothing is lost that matters: the least distance,
// the worst latency and every contact of the answers in between are counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clearance/contour/contour.h>
#include <clearance/contour/stream.h>
#include <clearance/mesh/mesh.h>

#include "probe_input.h"

namespace clearance::cli {

struct ProbeLiveOptions {
  int port = 0;  ///< 0: one that is free
  std::string mesh_file;
  std::string method;
  double range = std::numeric_limits<double>::infinity();  ///< [m]
  std::optional<double> clearance{};                       ///< [m]
  FixtureOptions fixture{};
  /// Where the vertices of the mesh are at a time of its own [s]; empty: they stand still.
  std::function<std::span<const Vec3>(double)> vertices_at{};
};

class ProbeLive {
 public:
  /// Starts the server and the thread. `segments` are those of the first picture. Errors: built
  /// without the viewer; the port is taken; a mesh that cannot be probed.
  static Result<std::unique_ptr<ProbeLive>> start(const ProbeRobot& robot, const Mesh& mesh,
                                                  std::span<const ContourSegment> segments,
                                                  const ProbeLiveOptions& options);
  ~ProbeLive();
  ProbeLive(const ProbeLive&) = delete;
  ProbeLive& operator=(const ProbeLive&) = delete;

  [[nodiscard]] std::string address() const;

  /// From the loop. Neither waits nor allocates; as many segments as at the start.
  void tell(const ProbeAnswer& answer, bool too_close, std::span<const ContourSegment> segments,
            double mesh_seconds);
  void tell_refused();
  /// The stream is over: the page says so and keeps the last picture.
  void end(const std::string& words);

 private:
  struct State;
  explicit ProbeLive(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace clearance::cli
