// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_charts.h"

#include <utility>

namespace clearance::cli {
namespace {

constexpr int kWidth = 760;
constexpr int kHeight = 300;

}  // namespace

std::string step_chart(const std::string& title, const std::string& unit,
                       std::vector<LineSeries> series, PlotAxis y) {
  LineChart chart;
  chart.title = title;
  chart.x.title = "step";
  chart.y = std::move(y);
  chart.y.title = unit;
  chart.series = std::move(series);
  chart.width = kWidth;
  chart.height = kHeight;
  return svg(chart);
}

std::string stacked_charts(std::vector<std::string> charts) {
  // SVG nests: each chart becomes a picture within the picture, moved down.
  const int height = kHeight * static_cast<int>(charts.size());
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(kWidth) +
                     "\" height=\"" + std::to_string(height) + "\" viewBox=\"0 0 " +
                     std::to_string(kWidth) + " " + std::to_string(height) + "\">\n";
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const std::string y = "<svg y=\"" + std::to_string(kHeight * i) + "\"";
    text += charts[i].replace(charts[i].find("<svg"), 4, y);
  }
  return text + "</svg>\n";
}

}  // namespace clearance::cli
