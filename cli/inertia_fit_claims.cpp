// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "inertia_fit_claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <clearance/picture/plot.h>

#include "text.h"

namespace clearance::cli {
namespace {

using study::kFitterCount;
using study::kInertia;
using study::kPqp;
using study::kRapid2;
using study::kTrees;
using study::PaperRow;
using study::PlanningRow;
using study::StudyRow;
using study::TreeFigures;
using PaperFigure = const std::array<double, kFitterCount> PaperRow::*;

constexpr std::string_view kLongWord = " Subassembly";

std::vector<const StudyRow*> rows_of_paper(const InertiaFit& found) {
  std::vector<const StudyRow*> rows;
  for (const StudyRow& row : found.rows)
    if (row.paper != nullptr) rows.push_back(&row);
  return rows;
}

std::array<double, kFitterCount> figures_of(const StudyRow& row, double TreeFigures::*figure) {
  return {row.trees[kPqp].*figure, row.trees[kRapid2].*figure, row.trees[kInertia].*figure};
}

/// A claim about each mesh: it holds when it does on as many here as in the paper.
template <class Test>
study::Claim claim_of(const char* words, const std::vector<const StudyRow*>& rows,
                      double TreeFigures::*figure, PaperFigure paper_figure, const Test& test) {
  std::size_t here = 0;
  std::size_t paper = 0;
  for (const StudyRow* row : rows) {
    here += test(figures_of(*row, figure)) ? 1 : 0;
    paper += test(row->paper->*paper_figure) ? 1 : 0;
  }
  return {words, here >= paper,
          "on " + std::to_string(here) + " of " + std::to_string(rows.size()) +
              " meshes (paper: " + std::to_string(paper) + ")"};
}

BarChart chart_of(const char* title, const char* unit, const std::vector<const StudyRow*>& rows,
                  double TreeFigures::*figure, PaperFigure paper_figure) {
  BarChart chart;
  chart.title = title;
  chart.subtitle = "a hundred is that of pqp on the same mesh";
  chart.y.title = unit;
  constexpr double kHundred = 100.0;
  const auto add = [&](const std::string& name, const auto& value) {
    BarSeries series{name, {}};
    for (const StudyRow* row : rows) series.values.push_back(kHundred * value(*row));
    chart.series.push_back(std::move(series));
  };
  for (std::size_t i = 1; i < kTrees.size(); ++i) {
    add(std::string(kTrees[i]) + ", here",
        [&](const StudyRow& row) { return row.trees[i].*figure / (row.trees[kPqp].*figure); });
    if (i >= kFitterCount) continue;
    add(std::string(kTrees[i]) + ", paper", [&](const StudyRow& row) {
      return (row.paper->*paper_figure)[i] / (row.paper->*paper_figure)[kPqp];
    });
  }
  for (const StudyRow* row : rows) {
    // The whole name is too wide to stand beside its neighbours.
    std::string name = row->name;
    if (const std::size_t at = name.find(kLongWord); at != std::string::npos)
      name.erase(at, kLongWord.size());
    chart.groups.push_back(std::move(name));
  }
  constexpr int kWidth = 1080;  // room for the names
  chart.width = kWidth;
  return chart;
}

}  // namespace

std::vector<study::Claim> inertia_fit_claims(const InertiaFit& found) {
  const std::vector<const StudyRow*> rows = rows_of_paper(found);
  std::vector<study::Claim> claims;
  if (rows.empty()) return claims;
  using Values = std::array<double, kFitterCount>;
  const auto tighter = [](const Values& v) { return v[kInertia] < v[kPqp]; };
  const auto loosest = [](const Values& v) { return v[kRapid2] > std::max(v[kPqp], v[kInertia]); };
  claims.push_back(claim_of("inertia gives volumes of less area than pqp (Table II)", rows,
                            &TreeFigures::area, &PaperRow::area, tighter));
  claims.push_back(claim_of("inertia gives volumes of less volume than pqp (Table II)", rows,
                            &TreeFigures::volume, &PaperRow::volume, tighter));
  claims.push_back(claim_of("rapid2 has more area than both others (Table II)", rows,
                            &TreeFigures::area, &PaperRow::area, loosest));
  double ratio = 0.0;
  double paper_ratio = 0.0;
  for (const StudyRow* row : rows) {
    ratio += std::log(row->trees[kInertia].build_ms / row->trees[kPqp].build_ms);
    paper_ratio += std::log(row->paper->build_ms[kInertia] / row->paper->build_ms[kPqp]);
  }
  ratio = std::exp(ratio / static_cast<double>(rows.size()));
  paper_ratio = std::exp(paper_ratio / static_cast<double>(rows.size()));
  claims.push_back({"building by inertia takes only slightly longer than by pqp (Table IV)",
                    ratio <= paper_ratio,
                    format_number("%.2f times as long in the geometric mean", ratio) +
                        format_number(" (paper: %.2f)", paper_ratio)});
  std::size_t proven = 0;
  std::size_t faster = 0;
  for (const PlanningRow& row : found.planning) {
    const double pqp = row.trees[kPqp].prove_s;
    const double inertia = row.trees[kInertia].prove_s;
    if (!row.same_proof || pqp <= 0.0 || inertia <= 0.0) continue;
    ++proven;
    faster += inertia <= pqp ? 1 : 0;
  }
  if (proven > 0) {
    claims.push_back({"planning is faster by inertia than by pqp (Table III)", faster == proven,
                      "the same path is proven faster on " + std::to_string(faster) + " of " +
                          std::to_string(proven) + " cases (paper: 3 of 3 planned faster)"});
  }
  return claims;
}

std::vector<study::PlotFile> inertia_fit_charts(const InertiaFit& found) {
  const std::vector<const StudyRow*> rows = rows_of_paper(found);
  if (rows.empty()) return {};
  std::vector<study::PlotFile> charts{
      {"table2-area.svg", svg(chart_of("Table II: area of all bounding volumes", "[% of pqp]", rows,
                                       &TreeFigures::area, &PaperRow::area))},
      {"table2-volume.svg", svg(chart_of("Table II: volume of all bounding volumes", "[% of pqp]",
                                         rows, &TreeFigures::volume, &PaperRow::volume))},
      {"table4-build.svg", svg(chart_of("Table IV: time to build", "[% of pqp]", rows,
                                        &TreeFigures::build_ms, &PaperRow::build_ms))}};
  if (found.planning.empty()) return charts;
  BarChart planning;
  planning.title = "Table III: time to prove one path on each tree, here";
  planning.y = {"time [s]", AxisScale::Log};
  planning.show_values = true;
  for (std::size_t i = 0; i < kTrees.size(); ++i) {
    BarSeries series{kTrees[i], {}};
    for (const PlanningRow& row : found.planning) series.values.push_back(row.trees[i].prove_s);
    planning.series.push_back(std::move(series));
  }
  for (const PlanningRow& row : found.planning) planning.groups.emplace_back(row.paper->name);
  charts.push_back({"table3-proof.svg", svg(planning)});
  return charts;
}

}  // namespace clearance::cli
