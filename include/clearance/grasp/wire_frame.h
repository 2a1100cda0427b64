// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wire-frames: a few line segments along the middle of a part, on which grasps are sampled. Given
// by hand in JSON, or derived from the mesh.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>

namespace clearance {

/// {"clearance": "wire-frame", "version": 1, "units": {"length": "mm"}, "segments": [[[x, y, z],
/// [x, y, z]], ...]} (schema/wire-frame.schema.json); metres without units. Errors name file, place
/// and reason: no segment, one without length, coordinates that are no numbers.
[[nodiscard]] Result<std::vector<Segment>> read_wire_frame(const std::string& path);
[[nodiscard]] Result<std::vector<Segment>> parse_wire_frame(std::string_view text,
                                                            const std::string& path);

/// The same as text, in metres.
[[nodiscard]] std::string wire_frame_as_json(std::span<const Segment> segments);

struct WireFrameOptions {
  /// Branches shorter than this fraction of the part's diagonal are left out.
  double least_branch = 0.15;
  Threads threads;
  Monitor* monitor = nullptr;
};
struct WireFrame {
  std::vector<Segment> segments;
  bool is_skeleton = false;  ///< false: the principal axes, because the part has no thin middle
};
/// A curve skeleton of a solid, as straight pieces that share their ends where a curve goes on; of
/// a pipe that of its filled body, which is in the bore. Where that fails (flat, compact or tiny
/// parts) the principal axes through the centre of mass, as far as they are inside the convex hull.
/// The same bits for any number of threads. Errors: a part that is no solid; cancelled.
[[nodiscard]] Result<WireFrame> derive_wire_frame(const Model& part,
                                                  const WireFrameOptions& options = {});

}  // namespace clearance
