// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bin_picking_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <clearance/picture/plot.h>

#include "text.h"

namespace clearance::cli {
namespace {

using study::BinPickingOptions;
using study::BinPickingPaper;
using study::BinPickingStudy;
using study::PileRow;
using study::PileTally;

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

std::string count_and_share(std::size_t count, std::size_t of) {
  return group_digits(count) + " (" +
         format_number("%.1f %%", 100.0 * static_cast<double>(count) / static_cast<double>(of)) +
         ")";
}

/// Sums over all piles.
PileTally total(const std::vector<PileRow>& rows, PileTally PileRow::*set) {
  PileTally sum;
  for (const PileRow& row : rows) {
    sum.valid += (row.*set).valid;
    sum.buried += (row.*set).buried;
    sum.pickable += (row.*set).pickable;
    sum.free += (row.*set).free;
    sum.tried += (row.*set).tried;
  }
  return sum;
}

std::string mean_of(std::size_t sum, std::size_t piles) {
  return format_number("%.2f", static_cast<double>(sum) / static_cast<double>(piles));
}

std::string columns(const Lines& lines) {
  std::vector<std::size_t> right;
  for (std::size_t i = 1; i < lines.front().size(); ++i) right.push_back(i);
  return align_columns(lines, right);
}

std::string table_two(const BinPickingStudy& study) {
  Lines lines{{"Table II: grasps", "ours", "paper"}};
  const GraspCounts& ours = study.grasps.counts;
  const GraspCounts& paper = BinPickingPaper::kGrasps;
  lines.push_back({"  sampled", group_digits(ours.sampled), group_digits(paper.sampled)});
  for (const auto& [name, count] :
       {std::pair("  feasible", &GraspCounts::feasible),
        std::pair("  stable", &GraspCounts::stable), std::pair("  robust", &GraspCounts::robust)}) {
    lines.push_back({name, count_and_share(ours.*count, ours.sampled),
                     count_and_share(paper.*count, paper.sampled)});
  }
  return columns(lines);
}

std::string table_three(const BinPickingStudy& study, const BinPickingOptions& options) {
  return columns(
      {{"Table III: experiment", "ours", "paper"},
       {"  piles", std::to_string(options.piles), "100"},
       {"  parts in a pile", std::to_string(options.parts), "25"},
       {"  candidates", std::to_string(options.candidates), "15"},
       {"  robust grasps used", format_number("%.0f %%", 100.0 * options.top), "10 %"},
       {"  grasps used", group_digits(study.tried), group_digits(BinPickingPaper::kTried)}});
}

std::string table_four(const BinPickingStudy& study) {
  const PileTally g = total(study.piles, &PileRow::generated);
  const PileTally n = total(study.piles, &PileRow::nominal);
  const PileTally s = total(study.piles, &PileRow::spread);
  const PileTally r = total(study.piles, &PileRow::rest);
  const PileTally a = total(study.piles, &PileRow::all);
  const std::size_t piles = study.piles.size();
  return columns(
      {{"Table IV: valid picks, mean over the piles", "generated", "nominal", "probability"},
       {"  ours, as in the paper", mean_of(g.valid, piles), mean_of(n.valid, piles),
        format_number("%.3g", study.test.probability)},
       {"  ours, as many grasps spread", mean_of(s.valid, piles), mean_of(n.valid, piles),
        format_number("%.3g", study.spread.probability)},
       {"  ours, these and the rest where none is free", mean_of(r.valid, piles),
        mean_of(n.valid, piles), format_number("%.3g", study.rest.probability)},
       {"  ours, all robust grasps", format_number("%.2f", study.mean_all), mean_of(n.valid, piles),
        format_number("%.3g", study.all.probability)},
       {"  paper", format_number("%.0f", BinPickingPaper::kGenerated),
        format_number("%.0f", BinPickingPaper::kNominal),
        format_number("%.3g", BinPickingPaper::kProbability)},
       {"  of ours as in the paper, buried", mean_of(g.buried, piles), mean_of(n.buried, piles),
        ""},
       {"  of ours spread, buried", mean_of(s.buried, piles), mean_of(n.buried, piles), ""},
       {"  as in the paper, with ways in and out", mean_of(g.pickable, piles),
        mean_of(n.pickable, piles), format_number("%.3g", study.pickable.probability)},
       {"  spread, with ways in and out", mean_of(s.pickable, piles), mean_of(n.pickable, piles),
        format_number("%.3g", study.spread_pickable.probability)},
       {"  spread and the rest, with ways in and out", mean_of(r.pickable, piles),
        mean_of(n.pickable, piles), format_number("%.3g", study.rest_pickable.probability)},
       {"  grasps tried in a pile, as in the paper or spread", mean_of(g.tried, piles),
        mean_of(n.tried, piles), ""},
       {"  grasps tried in a pile, spread and the rest", mean_of(r.tried, piles),
        mean_of(n.tried, piles), ""},
       {"  grasps tried in a pile, all robust grasps", mean_of(a.tried, piles),
        mean_of(n.tried, piles), ""}});
}

std::string table_of_readings(const BinPickingStudy& study) {
  Lines lines{{"Table IV under other readings", "generated", "nominal", "ratio", "probability",
               "spread", "ratio", "probability"}};
  for (const study::BinPickingReading& reading : study.readings) {
    lines.push_back({"  " + (reading.choice.empty() ? "" : reading.choice + ": ") + reading.reading,
                     format_number("%.2f", reading.mean_generated),
                     format_number("%.2f", reading.mean_nominal),
                     format_number("%.2f", reading.mean_generated / reading.mean_nominal),
                     format_number("%.1g", reading.test.probability),
                     format_number("%.2f", reading.mean_spread),
                     format_number("%.2f", reading.mean_spread / reading.mean_nominal),
                     format_number("%.1g", reading.spread.probability)});
  }
  return columns(lines);
}

Json to_json(const PileTally& tally) {
  return {{"valid", tally.valid},
          {"buried", tally.buried},
          {"pickable", tally.pickable},
          {"free_grasps", tally.free},
          {"tried_grasps", tally.tried}};
}

Json to_json(const GraspCounts& counts) {
  return {{"sampled", counts.sampled},
          {"feasible", counts.feasible},
          {"stable", counts.stable},
          {"robust", counts.robust}};
}

Json to_json(const study::PairedTest& test) {
  return {{"mean_difference", test.mean_difference},
          {"deviation", test.deviation},
          {"t", test.t},
          {"probability", test.probability}};
}

}  // namespace

std::string bin_picking_text(const BinPickingStudy& study, const BinPickingOptions& options) {
  std::string text = table_two(study) + "\n" + table_three(study, options) + "\n" +
                     table_four(study) + "\n" + table_of_readings(study) + "\n";
  for (const study::Claim& claim : claims_of(study)) {
    text += std::string(claim.holds ? "holds: " : "does NOT hold: ") + claim.claim + "\n       " +
            claim.words + "\n";
  }
  return text;
}

Json bin_picking_json(const BinPickingStudy& study, const BinPickingOptions& options) {
  Json piles = Json::array();
  for (const PileRow& row : study.piles) {
    piles.push_back({{"seed", row.seed},
                     {"overlap", row.overlap},
                     {"generated", to_json(row.generated)},
                     {"nominal", to_json(row.nominal)},
                     {"spread", to_json(row.spread)},
                     {"spread_and_rest", to_json(row.rest)},
                     {"all_valid", row.all.valid}});
  }
  Json readings = Json::array();
  for (const study::BinPickingReading& reading : study.readings) {
    readings.push_back({{"choice", reading.choice},
                        {"reading", reading.reading},
                        {"generated", reading.mean_generated},
                        {"nominal", reading.mean_nominal},
                        {"test", to_json(reading.test)},
                        {"spread", reading.mean_spread},
                        {"test_spread", to_json(reading.spread)}});
  }
  Json claims = Json::array();
  for (const study::Claim& claim : claims_of(study))
    claims.push_back({{"claim", claim.claim}, {"holds", claim.holds}, {"words", claim.words}});
  return {{"schema", "clearance.reproduce-bin-picking"},
          {"version", 1},
          {"options",
           {{"piles", options.piles},
            {"parts", options.parts},
            {"candidates", options.candidates},
            {"top", options.top},
            {"step", options.step},
            {"seed", options.seed}}},
          {"grasps",
           {{"ours", to_json(study.grasps.counts)},
            {"paper", to_json(BinPickingPaper::kGrasps)},
            {"tried", study.tried},
            {"spread_reach", study.spread_reach}}},
          {"valid_picks",
           {{"generated", study.mean_generated},
            {"nominal", study.mean_nominal},
            {"spread", study.mean_spread},
            {"spread_and_rest", study.mean_rest},
            {"all", study.mean_all},
            {"paper_generated", BinPickingPaper::kGenerated},
            {"paper_nominal", BinPickingPaper::kNominal},
            {"paper_probability", BinPickingPaper::kProbability}}},
          {"test", to_json(study.test)},
          {"test_all", to_json(study.all)},
          {"test_spread", to_json(study.spread)},
          {"test_spread_against_best", to_json(study.spread_best)},
          {"test_with_ways", to_json(study.pickable)},
          {"test_spread_with_ways", to_json(study.spread_pickable)},
          {"test_spread_and_rest", to_json(study.rest)},
          {"test_spread_and_rest_with_ways", to_json(study.rest_pickable)},
          {"readings", std::move(readings)},
          {"piles", std::move(piles)},
          {"claims", std::move(claims)}};
}

std::string bin_picking_csv(const BinPickingStudy& study) {
  std::string text =
      "seed,overlap,generated_valid,generated_buried,generated_pickable,generated_free,"
      "nominal_valid,nominal_buried,nominal_pickable,nominal_free,"
      "spread_valid,spread_buried,spread_pickable,spread_free,"
      "rest_valid,rest_buried,rest_pickable,rest_free,rest_tried,all_valid\n";
  for (const PileRow& row : study.piles) {
    text += std::to_string(row.seed) + "," + format_number("%.6g", row.overlap);
    for (const PileTally* tally : {&row.generated, &row.nominal, &row.spread, &row.rest}) {
      for (const std::size_t count : {tally->valid, tally->buried, tally->pickable, tally->free})
        text += "," + std::to_string(count);
    }
    text += "," + std::to_string(row.rest.tried);
    text += "," + std::to_string(row.all.valid) + "\n";
  }
  return text;
}

std::string bin_picking_chart(const BinPickingStudy& study) {
  // How many piles have so many valid picks.
  LineChart chart{
      .title = "Valid picks of a pile", .x = {"candidates with a free grasp"}, .y = {"piles"}};
  std::size_t most = 0;
  for (const PileRow& row : study.piles)
    most = std::max({most, row.generated.valid, row.nominal.valid, row.rest.valid});
  const auto add = [&](const char* name, PileTally PileRow::*set) {
    LineSeries series{name, {}};
    for (std::size_t count = 0; count <= most; ++count) {
      const auto piles =
          std::count_if(study.piles.begin(), study.piles.end(),
                        [&](const PileRow& row) { return (row.*set).valid == count; });
      series.points.push_back({static_cast<double>(count), static_cast<double>(piles)});
    }
    chart.series.push_back(std::move(series));
  };
  add("generated", &PileRow::generated);
  add("nominal", &PileRow::nominal);
  add("spread", &PileRow::spread);
  add("spread and the rest", &PileRow::rest);
  return svg(chart);
}

}  // namespace clearance::cli
