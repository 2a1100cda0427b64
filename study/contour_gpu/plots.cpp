// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/plots.h"

#include <string>
#include <utility>

#include <clearance/picture/plot.h>

#include "contour_gpu/claims.h"

namespace clearance::study {
namespace {

constexpr int kWideChart = 980;

/// One line for each method that was measured.
void add_lines(LineChart& chart, const std::vector<ContourSizeRow>& rows, const auto& value) {
  for (const ContourMethod method : kContourMethods) {
    LineSeries series{name_of(method), {}};
    for (const ContourSizeRow& row : rows) {
      if (row[method].measured)
        series.points.push_back({static_cast<double>(row.triangles), value(row, method)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
}

std::string figure_5(const std::vector<ContourSizeRow>& rows) {
  LineChart chart{.title = "Figure 5: time of a query, 30 segments",
                  .subtitle = "one core where nothing else is said; paper: its own brute force",
                  .x = {"triangles", AxisScale::Log},
                  .y = {"time of a query [ms]", AxisScale::Log}};
  chart.width = kWideChart;
  add_lines(chart, rows,
            [](const ContourSizeRow& row, ContourMethod method) { return row[method].query_ms; });
  LineSeries first{"tree, from the bare mesh", {}, true};
  for (const ContourSizeRow& row : rows)
    first.points.push_back({static_cast<double>(row.triangles), row[ContourMethod::Tree].first_ms});
  chart.series.push_back(std::move(first));
  return svg(chart);
}

std::string figure_6(const std::vector<ContourSizeRow>& rows) {
  LineChart chart{.title = "Figure 6: speed-up over the paper's brute force on one core",
                  .subtitle = "30 segments; the paper's GPU: about 200 with culling",
                  .x = {"triangles", AxisScale::Log},
                  .y = {"times faster", AxisScale::Log}};
  chart.width = kWideChart;
  add_lines(chart, rows,
            [](const ContourSizeRow& row, ContourMethod method) { return row.speedup(method); });
  return svg(chart);
}

std::string table_1(const ContourSizeRow& row) {
  BarChart chart{.title = "Table 1: time of a query, 30 segments",
                 .subtitle = "here: " + std::to_string(row.triangles) + " triangles, one core",
                 .x_title = "culling",
                 .y = {"time [s]", AxisScale::Log}};
  chart.show_values = true;
  chart.series = {{"paper: CPU", {}}, {"paper: GPU", {}}, {"here", {}}};
  for (const ContourPaperRow& paper : contour_paper_rows()) {
    chart.groups.emplace_back(paper.name);
    chart.series[0].values.push_back(paper.cpu_s);
    chart.series[1].values.push_back(paper.gpu_s);
    chart.series[2].values.push_back(1e-3 * row[paper.method].query_ms);
  }
  chart.groups.emplace_back("tree");
  chart.series[2].values.resize(contour_paper_rows().size());
  chart.series[2].values.push_back(1e-3 * row[ContourMethod::Tree].query_ms);
  return svg(chart);
}

std::string approximation(const std::vector<ApproximationRow>& rows) {
  BarChart chart{.title = "Pairs the paper's distance is off by more than 1 % of the segment",
                 .subtitle =
                     "10 rounds; closest triangle of each segment, and random pairs: circles "
                     "parallel or tilted, triangles small or large",
                 .x_title = "pairs",
                 .y = {"of all pairs [%]"}};
  chart.width = kWideChart;
  chart.show_values = true;
  for (const ApproximationCause cause : kApproximationCauses)
    chart.series.push_back({name_of(cause), {}});
  for (const ApproximationRow& row : rows) {
    if (row.variant != "10 rounds") continue;
    chart.groups.push_back(row.name);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      chart.series[i].values.push_back(100.0 * static_cast<double>(row.causes[i]) /
                                       static_cast<double>(row.pairs));
    }
  }
  return svg(chart);
}

}  // namespace

std::vector<PlotFile> plots_of(const ContourStudy& study) {
  std::vector<PlotFile> files;
  if (study.sizes.size() >= 2) {
    files.push_back({"figure5-time.svg", figure_5(study.sizes)});
    files.push_back({"figure6-speedup.svg", figure_6(study.sizes)});
  }
  if (const ContourSizeRow* row = table_1_row(study); row != nullptr)
    files.push_back({"table1-culling.svg", table_1(*row)});
  if (!study.approximation.empty())
    files.push_back({"approximation.svg", approximation(study.approximation)});
  return files;
}

}  // namespace clearance::study
