// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce bin-picking: grasps of a con-rod, and what they are worth in piles.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>

#include "bin_picking_report.h"
#include "grasp_report.h"
#include "pick_report.h"
#include "reproduce.h"
#include "session.h"
#include "study_output.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

/// Enough to see a difference, in seconds.
constexpr std::size_t kQuickPiles = 3;
constexpr std::size_t kQuickTriangles = 3000;

Status write_figures(const std::string& folder, const study::BinPickingStudy& study,
                     const study::BinPickingOptions& options) {
  const study::PlotFile chart{"valid_picks.svg", bin_picking_chart(study)};
  Status status = write_charts(folder, std::span(&chart, 1));
  const auto in_folder = [&](const char* name) {
    return (std::filesystem::path(folder) / name).string();
  };
  const Result<study::ConRod> rod = study::con_rod(options.triangles);
  if (!rod) return rod.error();
  const Mesh& part = rod->model.mesh();
  std::vector<std::size_t> candidates;
  for (const Candidate& candidate : study.example_generated.ranked)
    candidates.push_back(candidate.part);
  // (a) the pile, (b) its candidates, (c) valid picks of generated grasps, (d) of nominal ones.
  const PickResult nothing;
  const std::vector<std::size_t> none;
  const auto draw = [&](const char* name, std::span<const std::size_t> which,
                        const PickResult& result) {
    return draw_pile(in_folder(name), {part, study.example, which, result}, options.threads);
  };
  if (status) status = draw("figure8a.png", none, nothing);
  if (status) status = draw("figure8b.png", candidates, nothing);
  if (status) status = draw("figure8c.png", candidates, study.example_generated);
  if (status) status = draw("figure8d.png", candidates, study.example_nominal);
  // The robust grasps, obliquely and from above; those that are used; the nominal ones.
  constexpr Vec3 kOblique{1.0, -1.4, 0.9};
  constexpr Vec3 kAbove{0.0, -0.02, 1.0};
  const std::span<const Grasp> robust = study.grasps.robust();
  std::vector<Grasp> spread;
  for (const std::uint32_t i : study.spread_grasps) spread.push_back(robust[i]);
  struct View {
    const char* name;
    std::span<const Grasp> grasps;
    Vec3 towards_eye;
  };
  for (const View& view :
       {View{"figure6a.png", robust, kOblique}, View{"figure6b.png", robust, kAbove},
        View{"figure6_used.png", robust.first(study.tried), kOblique},
        View{"figure6_spread.png", spread, kOblique},
        View{"figure7.png", rod->nominal, kOblique}}) {
    if (!status) break;
    status = draw_grasps(in_folder(view.name),
                         {part, rod->wire_frame, view.grasps, view.towards_eye}, options.threads);
  }
  return status;
}

}  // namespace

int reproduce_bin_picking(const ReproduceOptions& options) {
  if (!options.paths.empty())
    return fail_usage("reproduce", "bin-picking has no use for files: it makes its own con-rod");
  if (!options.data.empty())
    return fail_usage("reproduce", "bin-picking has no use for --data: it makes its own con-rod");
  TerminalMonitor monitor;
  study::BinPickingOptions study_options;
  study_options.seed = options.seed;
  study_options.threads = Threads{0};
  study_options.monitor = &monitor;
  if (options.quick) {
    study_options.piles = kQuickPiles;
    study_options.triangles = kQuickTriangles;
    study_options.all_readings = false;
  }
  const Result<study::BinPickingStudy> study = study::study_bin_picking(study_options);
  monitor.clear();
  if (!study) return fail(study.error());
  const Status written = write_study(
      options, monitor, bin_picking_csv(*study),
      [&](const std::string& folder) { return write_figures(folder, *study, study_options); });
  if (!written) return fail(written.error());
  std::cout << (options.json ? json_text(bin_picking_json(*study, study_options))
                             : bin_picking_text(*study, study_options));
  return kGood;
}

}  // namespace clearance::cli
