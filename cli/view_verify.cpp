// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance verify`: the plan it looked at, and what it says about it.
#include <cmath>

#include <nlohmann/json.hpp>

#include <clearance/plan/plan_file.h>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Where on the timeline a moment of a piece of the path is [%].
double place_of(const PlanFile& file, std::size_t piece, double time) {
  double best = 2.0;
  double at = 0.0;
  for (const PlanSample& sample : file.samples) {
    if (sample.piece != piece || std::abs(sample.time - time) >= best) continue;
    best = std::abs(sample.time - time);
    at = 100.0 * sample.at;
  }
  return at;
}

}  // namespace

Result<ViewDocument> view_verify(const ViewSource& source) {
  const Json& json = source.json();
  const std::string path = source.find(json.at("plan").get<std::string>());
  const bool verified = json.at("verified").get<bool>();
  ViewDocument document;
  const Result<PlanFile> file = read_plan(path);
  Result<ViewDocument> plan = file ? view_plan(ViewSource(path, Json(), source.options()))
                                   : Result<ViewDocument>(file.error());
  if (plan) {
    document = std::move(*plan);
  } else {
    document.title = file_name(path);
    document.warn(plan.error().message() + ". It is looked for in the working folder and beside " +
                  source.path() + ".");
  }
  document.kind = "verify";
  document.state = verified ? ViewState::Good : ViewState::Bad;
  document.summary = verified ? "verified: free over its whole length" : "refused";
  document.facts.insert(
      document.facts.begin(),
      {{"proven again", verified ? "yes" : "no"},
       {"queries", group_digits(json.at("checks").get<std::uint64_t>())},
       {"pieces", group_digits(json.at("pieces").get<std::uint64_t>())},
       {"clearance asked for", short_length(json.at("clearance").get<double>())}});
  if (!json.at("starts_at_start").get<bool>())
    document.warn("The path does not begin at the start of the scene.");
  if (!json.at("reaches_goal").get<bool>()) document.warn("The path does not reach its goal.");
  if (json.contains("refused_at")) {
    const Json& where = json.at("refused_at");
    const auto piece = where.at("piece").get<std::size_t>();
    const double time = where.at("time").get<double>();
    ViewTable table{"Refused", {"what", "where"}, {}};
    ViewTable::Row row{
        {json.at("status").get<std::string>() == "refused" ? "too close" : "not proven",
         "piece " + std::to_string(piece) + " at " + format_number("%.3g", time)},
        ViewState::Bad,
        std::nullopt};
    if (file && document.timeline) {
      ViewFocus focus;
      focus.label = "Refused: " + row.cells[0] + ", " + row.cells[1];
      focus.time = place_of(*file, piece, time);
      const std::vector<Pose>& poses = file->plan.path.poses;
      focus.point =
          pose_at(file->plan.path, *focus.time / 100.0, file->radius) * file->plan.path.pivot;
      focus.radius = 1.5 * file->radius;
      document.focuses.push_back(focus);
      row.focus = document.focuses.size() - 1;
      if (!poses.empty()) {
        document.timeline->marks.push_back(
            {{*focus.time, *focus.time}, ViewState::Bad, focus.label, row.focus});
      }
    }
    table.rows.push_back(std::move(row));
    document.tables.insert(document.tables.begin(), std::move(table));
  }
  return document;
}

}  // namespace clearance::cli
