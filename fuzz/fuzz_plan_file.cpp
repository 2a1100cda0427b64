// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_plan() promises for any bytes: a plan that keeps its rules and is written as it was
// read, or an error with a reason.
#include <cstddef>
#include <cstdint>

#include <clearance/plan/plan_file.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<PlanFile> plan = parse_plan(text, "plan.json");
  if (!plan) {
    fuzz::require(plan.error().file == "plan.json" && !plan.error().reason.empty());
    return 0;
  }
  for (const Pose& pose : plan->plan.path.poses) fuzz::require(checked_pose(pose).ok());
  fuzz::require(plan->plan.status != PlanStatus::Found || !plan->plan.path.poses.empty());
  const std::string written = plan_json(*plan, "plan.json");
  const Result<PlanFile> again = parse_plan(written, "plan.json");
  fuzz::require(again.ok() && again->plan.path.poses == plan->plan.path.poses);
  return 0;
}
