// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/plots.h"

#include <cmath>
#include <utility>

#include <clearance/picture/plot.h>

#include "chaintree/claims.h"

namespace clearance::study {
namespace {

constexpr int kWideChart = 1000;  // pixels, for nine bars a group

/// One measure of all methods on all chains, on a logarithmic axis: factors are what counts.
std::string bars(const std::string& title, const std::vector<ChainRow>& rows, const auto& value) {
  BarChart chart{.title = title,
                 .subtitle = "one torsion a step, undone on collision; mean, one thread",
                 .x_title = "chain",
                 .y = {"time per step [us]", AxisScale::Log}};
  chart.show_values = true;
  chart.width = kWideChart;
  for (const ChainRow& row : rows) chart.groups.push_back(row.name);
  for (const ChainMethod method : kChainMethods) {
    BarSeries series{name_of(method), {}};
    for (const ChainRow& row : rows) series.values.push_back(value(row[method]));
    chart.series.push_back(std::move(series));
  }
  return svg(chart);
}

void add_figure(std::vector<PlotFile>& files, const std::string& number, const std::string& what,
                const std::vector<ChainRow>& rows) {
  if (rows.empty()) return;
  const std::string title = "Figure " + number + ", " + what + ": ";
  const std::string name = "figure" + number + "-";
  files.push_back({name + "update.svg", bars(title + "update", rows,
                                             [](const MethodFigures& m) { return m.update_us; })});
  files.push_back({name + "test.svg",
                   bars(title + "test", rows, [](const MethodFigures& m) { return m.test_us; })});
  files.push_back({name + "total.svg", bars(title + "update and test", rows,
                                            [](const MethodFigures& m) { return m.total_us(); })});
}

std::string table_1(const ChainStudy& study) {
  BarChart chart{.title = "Table 1: box tests per step, here and in the paper",
                 .x_title = "chain",
                 .y = {"box tests per step"}};
  chart.show_values = true;
  chart.width = kWideChart;
  chart.series = {{"paper: ChainTree", {}}, {"here: loose-obb", {}}, {"here: tight-obb", {}},
                  {"here: rss", {}},        {"here: chaintree", {}}, {"paper: K-OBBTree", {}},
                  {"here: k-obbtree", {}}};
  for (const auto* rows : {&study.compact, &study.proteins}) {
    for (const ChainRow& row : *rows) {
      if (!row.paper) continue;
      chart.groups.push_back(row.name);
      std::size_t i = 0;
      for (const double value :
           {row.paper->chain_tree, row[ChainMethod::LooseObb].box_tests,
            row[ChainMethod::TightObb].box_tests, row[ChainMethod::Rss].box_tests,
            row[ChainMethod::ChainTree].box_tests, row.paper->k_obb_tree,
            row[ChainMethod::KObbTree].box_tests}) {
        chart.series[i++].values.push_back(value);
      }
    }
  }
  return chart.groups.empty() ? std::string() : svg(chart);
}

std::string exponent(const char* what, const PowerFit& fit) {
  std::string digits = std::to_string(std::round(100.0 * fit.exponent) / 100.0);
  digits.resize(digits.find('.') + 3);
  return std::string(what) + " ~ N^" + digits;
}

/// The fit over the range of the rows.
LineSeries line_of(const char* what, const PowerFit& fit, double first, double last) {
  const auto at = [&](double x) { return PlotPoint{x, fit.factor * std::pow(x, fit.exponent)}; };
  return {exponent(what, fit), {at(first), at(last)}, true};
}

std::string growth(const std::vector<GrowthRow>& rows) {
  LineChart chart{.title = "Growth of a step with the length of the chain",
                  .subtitle = "default tree, compact chains",
                  .x = {"links", AxisScale::Log},
                  .y = {"time per step [us]", AxisScale::Log}};
  const GrowthFits fits = fit(rows);
  const auto first = static_cast<double>(rows.front().links);
  const auto last = static_cast<double>(rows.back().links);
  const auto add = [&](const char* what, const auto& value) {
    LineSeries series{what, {}};
    for (const GrowthRow& row : rows)
      series.points.push_back({static_cast<double>(row.links), value(row)});
    chart.series.push_back(std::move(series));
  };
  add("update and test", [](const GrowthRow& row) { return row.total_us(); });
  chart.series.push_back(line_of("both", fits.step, first, last));
  add("update", [](const GrowthRow& row) { return row.update_us; });
  chart.series.push_back(line_of("update", fits.update, first, last));
  add("test", [](const GrowthRow& row) { return row.test_us; });
  return svg(chart);
}

std::string worst_case(const std::vector<WorstCaseRow>& rows) {
  LineChart chart{.title = "The worst case of Lemma 7: box tests of a whole self-collision test",
                  .x = {"links", AxisScale::Log},
                  .y = {"box tests", AxisScale::Log}};
  const WorstCaseFits fits = fit(rows);
  const auto first = static_cast<double>(rows.front().links);
  const auto last = static_cast<double>(rows.back().links);
  LineSeries loose{"loose-obb", {}};
  LineSeries tree{"chaintree", {}};
  for (const WorstCaseRow& row : rows) {
    loose.points.push_back({static_cast<double>(row.links), row.loose_obb});
    tree.points.push_back({static_cast<double>(row.links), row.chain_tree});
  }
  chart.series = {loose, line_of("loose-obb", fits.loose_obb, first, last), tree,
                  line_of("chaintree", fits.chain_tree, first, last)};
  return svg(chart);
}

}  // namespace

std::vector<PlotFile> plots_of(const ChainStudy& study) {
  std::vector<PlotFile> files;
  add_figure(files, "7", "compact chains", study.compact);
  add_figure(files, "8", "proteins", study.proteins);
  if (std::string picture = table_1(study); !picture.empty())
    files.push_back({"table1.svg", std::move(picture)});
  if (study.growth.size() >= 2) files.push_back({"growth.svg", growth(study.growth)});
  if (study.worst_case.size() >= 2)
    files.push_back({"worst-case.svg", worst_case(study.worst_case)});
  return files;
}

}  // namespace clearance::study
