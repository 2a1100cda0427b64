// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>

#include <clearance/base/random.h>
#include <clearance/check/cell_checker.h>
#include <clearance/check/inverse_kinematics.h>
#include <clearance/check/tool_angles.h>

namespace clearance {
namespace {

/// Seam and direction this much along each other (sine of the angle) make no frame.
constexpr double kParallel = 1e-6;

Error invalid(std::string reason) { return {ErrorCode::Invalid, "", "", std::move(reason), ""}; }

Status check_input(const ProcessPoint& point, const ToolAngleOptions& options) {
  if (!is_finite(point.point) || !is_finite(point.direction) || !is_finite(point.along))
    return invalid("the point, its direction or the seam has a number that is not finite");
  const Vec3 out = normalized(point.direction);
  const Vec3 along = normalized(point.along);
  if (out == Vec3{} || along == Vec3{}) return invalid("the direction or the seam has no length");
  if (norm(cross(out, along)) < kParallel)
    return invalid("the seam runs along the direction of the surface");
  for (const std::vector<double>* angles : {&options.work, &options.travel, &options.rotation}) {
    if (angles->empty()) return invalid("there is no angle to try");
    if (!std::ranges::all_of(*angles, [](double angle) { return std::isfinite(angle); }))
      return invalid("an angle is not finite");
  }
  return {};
}

/// One angle: configurations from several guesses, until one is free.
void look(const ReadyCell& ready, const Pose& world_from_tool, const ToolAngleOptions& options,
          Random& random, CellChecker& checker, std::vector<double>& last, ToolAngle& angle) {
  const Cell& cell = ready.cell;
  const InverseTarget target{cell.tool_link, cell.link_from_tool,
                             inverse(cell.world_from_base) * world_from_tool};
  for (std::size_t i = 0; i < options.guesses + 2; ++i) {
    const std::vector<double> guess =
        i == 0 ? last : (i == 1 ? cell.robot.rest() : cell.robot.random(random));
    InverseResult found = inverse_kinematics(cell.robot, target, guess);
    if (!found.reached) continue;
    const bool hit = checker.collides(found.values);
    if (hit && angle.status == ToolAngleStatus::Blocked) continue;
    angle.status = hit ? ToolAngleStatus::Blocked : ToolAngleStatus::Free;
    angle.contact = checker.contact();
    angle.values = found.values;
    if (hit) continue;
    last = std::move(found.values);
    return;
  }
}

}  // namespace

const char* name_of(ToolAngleStatus status) {
  switch (status) {
    case ToolAngleStatus::Free:
      return "free";
    case ToolAngleStatus::Blocked:
      return "blocked";
    case ToolAngleStatus::NotReached:
      break;
  }
  return "not_reached";
}

Pose tool_at(const ProcessPoint& point, double work, double travel, double rotation) {
  const Vec3 z = -normalized(point.direction);
  const Vec3 x = normalized(point.along - dot(point.along, z) * z);
  const Vec3 y = cross(z, x);
  const Mat3 straight = Mat3::from_columns(x, y, z);
  return {rotation_about(x, work) * rotation_about(y, travel) * straight *
              rotation_about({0.0, 0.0, 1.0}, rotation),
          point.point};
}

Result<std::vector<ToolAngle>> tool_angles(const ReadyCell& cell, const ProcessPoint& point,
                                           const ToolAngleOptions& options) {
  if (Status status = check_input(point, options); !status) return status.error();
  std::vector<ToolAngle> angles;
  for (const double work : options.work) {
    for (const double travel : options.travel) {
      for (const double rotation : options.rotation) angles.push_back({work, travel, rotation});
    }
  }
  // One row of rotations at a time: neighbours start from each other's solutions.
  const std::size_t row = options.rotation.size();
  const std::size_t rows = angles.size() / row;
  const Random random(options.seed);
  const CellChecker prepared(cell);
  std::atomic<std::size_t> done{0};
  parallel_for(options.threads, rows, [&](std::size_t r) {
    Random numbers = random.split(r);
    CellChecker checker = prepared.another();
    std::vector<double> last = cell.cell.robot.rest();
    for (std::size_t i = r * row; i < (r + 1) * row; ++i) {
      if (is_cancelled(options.monitor)) return;
      ToolAngle& angle = angles[i];
      look(cell, tool_at(point, angle.work, angle.travel, angle.rotation), options, numbers,
           checker, last, angle);
      report_progress(options.monitor, "tool angles",
                      static_cast<double>(++done) / static_cast<double>(angles.size()));
    }
  });
  if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, "", "", "cancelled", ""};
  return angles;
}

}  // namespace clearance
