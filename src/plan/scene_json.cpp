// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/scene_json.h"

namespace clearance::detail {

std::optional<Pose> read_goal(JsonReader& in, const JsonNode& at) {
  if (!at.is_text()) return in.any_pose(at);
  in.choice(at, {"out"});
  return std::nullopt;
}

Box read_bounds(JsonReader& in, const JsonNode& at) {
  if (!in.is_object(at, {"low", "high"}) || !in.needs(at, "low") || !in.needs(at, "high"))
    return {};
  const Box box{in.point(at["low"]), in.point(at["high"])};
  if (!in.failed() && !(box.low.x < box.high.x && box.low.y < box.high.y && box.low.z < box.high.z))
    in.fail(at, "'low' is not below 'high'");
  return box;
}

}  // namespace clearance::detail
