// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Charts of measured numbers as SVG text: lines over a linear or logarithmic axis, and groups of
// bars. For studies and reports; a light background, a palette that colour-blind readers can tell
// apart, a mark of its own for each line.
//
//   LineChart chart{.title = "Cost of a step", .x = {"links", AxisScale::Log}, .y = {"time [us]"}};
//   chart.series.push_back({"grid", {{1000, 41.0}, {10000, 420.0}}});
//   write_file("step.svg", svg(chart));
//
// The same chart gives the same bytes. Text may hold anything: it is escaped, and bytes that are
// not UTF-8 become U+FFFD. Numbers that cannot be drawn (not finite; zero and below on a
// logarithmic axis; beyond the ends given to an axis) are left out, and a line is broken there.
// Bars beyond the ends are cut off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clearance {

enum class AxisScale : std::uint8_t { Linear, Log };

struct PlotAxis {
  std::string title;  ///< with the unit: "time per step [us]"
  AxisScale scale = AxisScale::Linear;
  /// The ends of the axis; where absent, round numbers around what is drawn. Wrong ones (not
  /// finite, low not below high, zero and below on a logarithmic axis) count as absent.
  std::optional<double> low{};
  std::optional<double> high{};
};

struct PlotPoint {
  double x = 0.0;
  double y = 0.0;
};

/// One line of a chart.
struct LineSeries {
  std::string name;  ///< in the legend; not listed when empty
  std::vector<PlotPoint> points;
  /// For what was not measured (a fit, a figure of a paper): dashed and without marks, in the
  /// colour of the line before it.
  bool reference = false;
  bool marks = true;  ///< off: the line alone, for hundreds of points
};

struct LineChart {
  std::string title;
  std::string subtitle{};  ///< a smaller line below the title; may be empty
  PlotAxis x{};
  PlotAxis y{};
  std::vector<LineSeries> series{};
  int width = 760;   ///< [pixels], 200 to 10,000
  int height = 440;  ///< [pixels], 150 to 10,000
};

/// Bars of one colour, one for each group.
struct BarSeries {
  std::string name;
  std::vector<double> values;  ///< by group; missing ones are left out
};

/// Bars side by side in groups. A linear axis starts at zero; a logarithmic one has no zero, and
/// only the tops of bars are to be compared.
struct BarChart {
  std::string title;
  std::string subtitle{};
  std::string x_title{};
  PlotAxis y{};
  std::vector<std::string> groups{};
  std::vector<BarSeries> series{};
  bool show_values = false;  ///< the number above each bar, upright: three digits
  int width = 760;           ///< [pixels], 200 to 10,000
  int height = 440;          ///< [pixels], 150 to 10,000
};

/// The chart as a whole SVG file. A chart without anything to draw has its axes and titles.
[[nodiscard]] std::string svg(const LineChart& chart);
[[nodiscard]] std::string svg(const BarChart& chart);

}  // namespace clearance
