// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of a stream of poses: any bytes are refused with a reason or become a frame that keeps the
// promises of stream.h. The first byte chooses the robot.
#include <cmath>

#include <clearance/contour/stream.h>
#include <clearance/query/query.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using clearance::fuzz::require;
  if (size == 0) return 0;
  const bool arm = data[0] % 2 == 0;
  const clearance::FrameShape shape =
      arm ? clearance::FrameShape{{"a", "elbow", "wrist 2"}, 0} : clearance::FrameShape{{}, 3};
  const std::string_view line(reinterpret_cast<const char*>(data) + 1, size - 1);
  clearance::ProbeFrame frame;
  const clearance::Status status = clearance::parse_frame(line, shape, frame);
  std::string answer;
  if (!status) {
    require(!status.error().reason.empty());
    clearance::write_refusal(status.error(), 1, answer);
    require(answer.back() == '\n' && answer.find('\n') == answer.size() - 1);
    return 0;
  }
  require(frame.world_from_root || !frame.joints.empty() || !frame.nodes.empty());
  if (frame.world_from_root) require(clearance::checked_pose(*frame.world_from_root).ok());
  require(frame.joints.empty() || frame.joints.size() == shape.joints.size());
  for (const double value : frame.joints) require(!std::isinf(value));
  require(frame.nodes.empty() || frame.nodes.size() == shape.nodes);
  for (const clearance::ContourNode& node : frame.nodes)
    require(clearance::is_finite(node.position) && node.radius >= 0.0);
  return 0;
}
