// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/contour/contour_robot.h>

namespace clearance {

ContourRobot::ContourRobot(std::optional<Robot> robot, std::vector<LinkContour> series)
    : robot_(std::move(robot)), series_(std::move(series)) {
  for (std::uint32_t i = 0; i < series_.size(); ++i)
    owner_.insert(owner_.end(), series_[i].contour.segments().size(), i);
}

Result<ContourRobot> ContourRobot::rigid(std::vector<Contour> series) {
  if (series.empty())
    return Error{.code = ErrorCode::Invalid, .reason = "there is no series of segments"};
  std::vector<LinkContour> on_body;
  on_body.reserve(series.size());
  for (Contour& contour : series) on_body.push_back({.link = 0, .contour = std::move(contour)});
  return ContourRobot(std::nullopt, std::move(on_body));
}

Result<ContourRobot> ContourRobot::on_links(Robot robot, std::vector<LinkContour> series) {
  if (series.empty())
    return Error{.code = ErrorCode::Invalid, .reason = "there is no series of segments"};
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].link < robot.links().size()) continue;
    return Error{.code = ErrorCode::Invalid,
                 .place = "series " + std::to_string(i),
                 .reason = "is on link " + std::to_string(series[i].link) + ", but the robot has " +
                           std::to_string(robot.links().size()) + " links"};
  }
  return ContourRobot(std::move(robot), std::move(series));
}

void ContourRobot::place(std::span<const double> values, const Pose& world_from_root,
                         std::span<ContourSegment> segments, std::vector<Pose>& scratch) const {
  CLEARANCE_ASSERT(segments.size() == segment_count());
  CLEARANCE_ASSERT(values.size() == (robot_ ? robot_->degrees_of_freedom() : 0));
  if (robot_) {
    scratch.resize(robot_->links().size());
    robot_->link_poses(values, world_from_root, scratch);
  } else {
    scratch.assign(1, world_from_root);
  }
  std::size_t next = 0;
  for (const LinkContour& series : series_) {
    const Pose& world_from_link = scratch[series.link];
    for (const ContourSegment& segment : series.contour.segments())
      segments[next++] = world_from_link * segment;
  }
}

std::vector<ContourSegment> ContourRobot::place(std::span<const double> values,
                                                const Pose& world_from_root) const {
  std::vector<ContourSegment> segments(segment_count());
  std::vector<Pose> scratch;
  place(values, world_from_root, segments, scratch);
  return segments;
}

}  // namespace clearance
