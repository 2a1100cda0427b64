// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance plan says about a plan: as text, as a chart, as a picture.
#pragma once

#include <string>

#include <clearance/base/result.h>
#include <clearance/plan/plan_file.h>

namespace clearance::cli {

struct PlanReport {
  const PlanScene& scene;
  const PlanFile& file;
  double seconds = 0.0;              ///< of planning
  std::vector<std::string> written;  ///< one line for each file
};

[[nodiscard]] std::string plan_text(const PlanReport& report);
/// The clearance along the path as SVG.
[[nodiscard]] std::string plan_chart(const PlanFile& file);
/// A PNG strip of key frames along the path; when there is none, the closest approach and what
/// blocks it, in red.
[[nodiscard]] Status draw_plan(const std::string& path, const PlanScene& scene,
                               const PlanFile& file, Threads threads);

}  // namespace clearance::cli
