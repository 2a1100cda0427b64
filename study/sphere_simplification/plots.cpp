// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/plots.h"

#include <algorithm>
#include <string>
#include <utility>

#include <clearance/picture/plot.h>

namespace clearance::study {
namespace {

constexpr double kMillimetres = 1e3;
constexpr double kPercent = 100.0;

std::string figure_3(const std::vector<ExternalSizeRow>& rows) {
  LineChart chart{.title = "Figure 3: what external spheres do not reach",
                  .subtitle = "pipe of 40 mm bore, share of the box around it",
                  .x = {"diameter of the external spheres [mm]"},
                  .y = {"not reached [%]"}};
  LineSeries series{"pipe", {}};
  for (const ExternalSizeRow& row : rows)
    series.points.push_back({kMillimetres * row.diameter, kPercent * row.kept});
  chart.series.push_back(std::move(series));
  return svg(chart);
}

/// One line for each method, and where the lines of the paper end: packing with 4,546 spheres, the
/// other with 419, or 222 in Figure 7.
template <typename Value>
void add_methods(LineChart& chart, const std::vector<SphereCountRow>& rows, const Value& value,
                 PlotPoint paper_packing, PlotPoint paper_bounding) {
  for (const auto& [method, name] :
       {std::pair{SimplifyMethod::Packing, "sphere packing"},
        std::pair{SimplifyMethod::Paper, "bounding sphere simplification"},
        std::pair{SimplifyMethod::Cover, "ours"}}) {
    LineSeries series{name, {}};
    series.marks = method == SimplifyMethod::Cover;
    for (const SphereCountRow& row : rows) {
      if (row.method == method)
        series.points.push_back({static_cast<double>(row.spheres), value(row)});
    }
    chart.series.push_back(std::move(series));
  }
  chart.series.push_back({"packing in the paper", {paper_packing}});
  chart.series.push_back({"bounding in the paper", {paper_bounding}});
}

std::string figure_6(const std::vector<SphereCountRow>& rows) {
  LineChart chart{.title = "Figure 6: largest error over the number of spheres",
                  .subtitle = "pipe; spheres before they are grown by it (ours: as delivered)",
                  .x = {"spheres", AxisScale::Log},
                  .y = {"error [mm]", AxisScale::Log}};
  add_methods(chart, rows, [](const SphereCountRow& row) { return kMillimetres * row.error; },
              {4546, 1.0}, {419, 1.0});
  return svg(chart);
}

std::string figure_7(const std::vector<SphereCountRow>& rows) {
  LineChart chart{.title = "Figure 7: how much of the pipe the spheres cover",
                  .subtitle = "before they are grown (ours: as delivered)",
                  .x = {"spheres", AxisScale::Log},
                  .y = {"covered [%]"}};
  add_methods(chart, rows, [](const SphereCountRow& row) { return kPercent * row.covered; },
              {4546, 66.0}, {222, 97.0});
  return svg(chart);
}

std::string figure_8(const std::vector<SphereCountRow>& rows) {
  LineChart chart{.title = "Figure 8: what the spheres add to the volume of the pipe",
                  .subtitle = "before they are grown (ours: as delivered)",
                  .x = {"spheres", AxisScale::Log},
                  .y = {"outside of the pipe [% of its volume]"}};
  add_methods(chart, rows, [](const SphereCountRow& row) { return kPercent * row.outside; },
              {4546, 7.0}, {419, 145.0});
  return svg(chart);
}

bool is_unfilled_by_number(const SphereModelRow& row) {
  return !row.filled && row.wanted == 0.0 && row.method == SimplifyMethod::Cover;
}

std::string rivals(const std::vector<SphereModelRow>& rows) {
  LineChart chart{.title = "Largest outward excess without filling",
                  .subtitle = "pipe 60 mm outside, 40 mm bore; medial and MorphIt leave holes",
                  .x = {"spheres", AxisScale::Log},
                  .y = {"excess [mm]", AxisScale::Log}};
  LineSeries ours{"ours, covered by proof", {}};
  for (const SphereModelRow& row : rows) {
    if (is_unfilled_by_number(row))
      ours.points.push_back({static_cast<double>(row.spheres), kMillimetres * row.error});
  }
  LineSeries hubbard{"Hubbard (covers)", {}};
  LineSeries medial{"medial", {}};
  LineSeries morphit{"MorphIt-B", {}};
  for (const RivalRow& row : rival_rows()) {
    const auto spheres = static_cast<double>(row.spheres);
    hubbard.points.push_back({spheres, kMillimetres * row.hubbard});
    medial.points.push_back({spheres, kMillimetres * row.medial});
    morphit.points.push_back({spheres, kMillimetres * row.morphit});
  }
  chart.series = {std::move(ours), std::move(hubbard), std::move(medial), std::move(morphit)};
  return svg(chart);
}

std::string table_1(const WeldProgramResult& program) {
  constexpr double kMicroseconds = 1e6;
  BarChart chart{.title = "Table I: time of a check",
                 .subtitle = program.robot_name + " with a torch around three pipes, one core; " +
                             "the paper on its machine",
                 .x_title = "representation",
                 .y = {"time [us]", AxisScale::Log}};
  chart.width = 1240;
  chart.show_values = true;
  chart.series = {{"paper", {}}, {"here", {}}};
  for (const RepresentationRow& row : program.rows) {
    chart.groups.push_back(row.name);
    chart.series[0].values.push_back(kMicroseconds * row.paper_seconds /
                                     static_cast<double>(kPaperChecks));
    chart.series[1].values.push_back(kMicroseconds * row.seconds /
                                     static_cast<double>(program.checks));
  }
  return svg(chart);
}

}  // namespace

std::vector<PlotFile> plots_of(const SphereStudy& study) {
  std::vector<PlotFile> plots;
  if (!study.external.empty()) plots.push_back({"figure3-external.svg", figure_3(study.external)});
  if (!study.counts.empty()) {
    plots.push_back({"figure6-error.svg", figure_6(study.counts)});
    plots.push_back({"figure7-coverage.svg", figure_7(study.counts)});
    plots.push_back({"figure8-excess.svg", figure_8(study.counts)});
  }
  if (std::ranges::any_of(study.models, is_unfilled_by_number))
    plots.push_back({"rivals.svg", rivals(study.models)});
  if (!study.program.rows.empty()) plots.push_back({"table1-time.svg", table_1(study.program)});
  return plots;
}

}  // namespace clearance::study
