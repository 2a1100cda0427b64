// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <clearance/picture/plot.h>

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The picture as XML; an empty document, and a failed test, when it is not.
pugi::xml_document parsed(const std::string& text) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(text.c_str());
  EXPECT_TRUE(result) << result.description();
  EXPECT_STREQ(document.document_element().name(), "svg");
  return document;
}

bool has_text(const pugi::xml_document& picture, const std::string& words) {
  for (const pugi::xml_node& node : picture.document_element().children("text")) {
    if (node.text().get() == words) return true;
  }
  return false;
}

// Centres of the marks of the first line: discs.
std::vector<PlotPoint> discs(const pugi::xml_document& picture) {
  std::vector<PlotPoint> centres;
  for (const pugi::xml_node& node : picture.document_element().children("circle"))
    centres.push_back({node.attribute("cx").as_double(), node.attribute("cy").as_double()});
  return centres;
}

// The bars: rectangles with a place of their own that are not in the legend (12 pixels high).
std::vector<pugi::xml_node> bars(const pugi::xml_document& picture) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node& node : picture.document_element().children("rect")) {
    if (node.attribute("x") && node.attribute("height").as_double() != 12.0) found.push_back(node);
  }
  return found;
}

LineChart steps() {
  LineChart chart{.title = "Cost of a step",
                  .subtitle = "mean of 20,000",
                  .x = {"links", AxisScale::Log},
                  .y = {"time [us]", AxisScale::Log}};
  chart.series.push_back({"", {{1e3, 10.0}, {1e4, 100.0}, {1e5, 1000.0}, {1e6, 1e4}}});
  return chart;
}

TEST(LineChart, PutsPowersOfTenEvenlyOnLogarithmicAxes) {
  const pugi::xml_document picture = parsed(svg(steps()));
  const std::vector<PlotPoint> marks = discs(picture);
  ASSERT_EQ(marks.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(marks[i].x - marks[i - 1].x, marks[1].x - marks[0].x, 0.02);
    EXPECT_NEAR(marks[i].y - marks[i - 1].y, marks[1].y - marks[0].y, 0.02);
  }
  EXPECT_GT(marks[1].x - marks[0].x, 100.0);
  EXPECT_LT(marks[1].y, marks[0].y);  // up is less in SVG
  for (const char* label : {"1,000", "10,000", "100,000", "1,000,000", "10", "100", "links",
                            "time [us]", "Cost of a step", "mean of 20,000"}) {
    EXPECT_TRUE(has_text(picture, label)) << label;
  }
}

TEST(LineChart, PutsEqualStepsEvenlyOnLinearAxes) {
  LineChart chart{.title = "", .x = {"x"}, .y = {"y"}};
  chart.series.push_back({"", {{0.0, -1.0}, {0.5, 0.0}, {1.0, 1.0}}});
  const pugi::xml_document picture = parsed(svg(chart));
  const std::vector<PlotPoint> marks = discs(picture);
  ASSERT_EQ(marks.size(), 3U);
  EXPECT_NEAR(marks[2].x - marks[1].x, marks[1].x - marks[0].x, 0.02);
  EXPECT_NEAR(marks[2].y - marks[1].y, marks[1].y - marks[0].y, 0.02);
  for (const char* label : {"-1", "-0.5", "0", "0.5", "1", "0.2"})
    EXPECT_TRUE(has_text(picture, label)) << label;
}

TEST(LineChart, IsTheSameBytesEveryTime) { EXPECT_EQ(svg(steps()), svg(steps())); }

TEST(LineChart, EscapesTextAndReplacesWhatIsNotUtf8) {
  LineChart chart = steps();
  chart.title = "a < b & \"c\" </svg> \x01";
  chart.series[0].name = "d\xc3\xa9j\xc3\xa0 \xff\xed\xa0\x80 \xc0\xaf";
  const std::string text = svg(chart);
  const pugi::xml_document picture = parsed(text);
  EXPECT_TRUE(has_text(picture, "a < b & \"c\" </svg>  "));
  // A stray byte, the three of a surrogate, and the two of an overlong slash.
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_TRUE(has_text(picture, "d\xc3\xa9j\xc3\xa0 " + bad + bad + bad + bad + " " + bad + bad));
  EXPECT_EQ(text.find('\x01'), std::string::npos);
}

TEST(LineChart, BreaksTheLineWhereANumberCannotBeDrawn) {
  LineChart chart = steps();
  chart.y.high = 2e4;
  chart.series[0].points = {{1e3, 1.0},  {2e3, 2.0}, {3e3, 0.0},       {4e3, 4.0},
                            {5e3, kNan}, {6e3, 6.0}, {7e3, kInfinity}, {0.0, 7.0},
                            {8e3, 1e5},  {9e3, 9.0}, {1e4, 10.0},      {2e4, -1.0}};
  const pugi::xml_document picture = parsed(svg(chart));
  EXPECT_EQ(discs(picture).size(), 6U);
  const std::string path = picture.document_element().child("path").attribute("d").value();
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 4);
  EXPECT_EQ(path.find("nan"), std::string::npos);
}

TEST(LineChart, DrawsReferencesDashedAndWithoutMarks) {
  LineChart chart = steps();
  chart.series[0].reference = true;
  chart.series[0].name = "fit";
  const pugi::xml_document picture = parsed(svg(chart));
  EXPECT_TRUE(discs(picture).empty());
  EXPECT_TRUE(picture.document_element().child("path").attribute("stroke-dasharray"));
  EXPECT_TRUE(has_text(picture, "fit"));
}

TEST(LineChart, DrawsLinesWithoutMarksWhenAsked) {
  LineChart chart = steps();
  const pugi::xml_document with = parsed(svg(chart));
  EXPECT_FALSE(discs(with).empty());
  chart.series[0].marks = false;
  const pugi::xml_document without = parsed(svg(chart));
  EXPECT_TRUE(discs(without).empty());
}

TEST(LineChart, StandsNothingToDrawAndSingleValuesAndWrongEnds) {
  for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log}) {
    for (const std::vector<PlotPoint>& points : {std::vector<PlotPoint>{},
                                                 {{5.0, 5.0}},
                                                 {{1.0, kNan}},
                                                 {{1e300, 1e-300}, {1e-300, 1e300}},
                                                 {{3.0, 3.0}, {3.0, 3.0}}}) {
      for (const auto& [low, high] :
           {std::pair{2.0, 1.0}, {kNan, kInfinity}, {-1.0, 100.0}, {50.0, 60.0}}) {
        LineChart chart{.title = "t", .x = {"x", scale}, .y = {"y", scale, low, high}};
        chart.series.push_back({"s", points});
        const std::string text = svg(chart);
        const pugi::xml_document picture = parsed(text);
        EXPECT_EQ(text.find("nan"), std::string::npos);
        EXPECT_EQ(text.find("inf"), std::string::npos);
        EXPECT_LT(text.size(), 100'000U);
      }
    }
  }
  parsed(svg(LineChart{.title = "", .width = -5, .height = 1'000'000}));
}

BarChart times() {
  BarChart chart{.title = "Update", .x_title = "links", .y = {"time [us]"}};
  chart.groups = {"1,000", "10,000"};
  chart.series = {{"tree", {1.0, 2.0}}, {"grid", {40.0, 400.0}}};
  return chart;
}

TEST(BarChart, DrawsBarsInProportionFromZero) {
  const pugi::xml_document picture = parsed(svg(times()));
  const std::vector<pugi::xml_node> found = bars(picture);
  ASSERT_EQ(found.size(), 4U);
  const auto height = [&](std::size_t i) { return found[i].attribute("height").as_double(); };
  EXPECT_NEAR(height(3) / height(1), 10.0, 0.02);
  EXPECT_GT(height(3), 200.0);
  // Grouped: tree and grid of a group beside each other, in the colours of the legend.
  const auto left = [&](std::size_t i) { return found[i].attribute("x").as_double(); };
  EXPECT_LT(left(0), left(1));
  EXPECT_LT(left(1), left(2));
  EXPECT_STREQ(found[0].attribute("fill").value(), found[2].attribute("fill").value());
  EXPECT_STRNE(found[0].attribute("fill").value(), found[1].attribute("fill").value());
  for (const char* label : {"tree", "grid", "1,000", "10,000", "links", "Update", "400"})
    EXPECT_TRUE(has_text(picture, label)) << label;
}

TEST(BarChart, ShowsTheLeastBarOnALogarithmicAxis) {
  BarChart chart = times();
  chart.y.scale = AxisScale::Log;
  const pugi::xml_document picture = parsed(svg(chart));
  for (const pugi::xml_node& bar : bars(picture))
    EXPECT_GT(bar.attribute("height").as_double(), 5.0);
}

TEST(BarChart, WritesTheValuesWhenAsked) {
  BarChart chart = times();
  chart.series[0].values = {0.01234, 1234567.8};
  chart.y.scale = AxisScale::Log;
  chart.show_values = true;
  const pugi::xml_document picture = parsed(svg(chart));
  EXPECT_TRUE(has_text(picture, "0.0123"));
  EXPECT_TRUE(has_text(picture, "1,234,568"));
}

TEST(BarChart, LeavesOutWhatIsMissing) {
  BarChart chart = times();
  chart.series[0].values = {1.0};
  chart.series[1].values = {kNan, 3.0, 4.0, 5.0};
  EXPECT_EQ(bars(parsed(svg(chart))).size(), 2U);
  chart.groups.clear();
  EXPECT_TRUE(bars(parsed(svg(chart))).empty());
}

TEST(BarChart, DrawsNegativeValuesBelowZero) {
  BarChart chart = times();
  chart.series = {{"", {-2.0, 4.0}}};
  const pugi::xml_document picture = parsed(svg(chart));
  const std::vector<pugi::xml_node> found = bars(picture);
  ASSERT_EQ(found.size(), 2U);
  const double zero = found[0].attribute("y").as_double();
  EXPECT_NEAR(found[1].attribute("y").as_double() + found[1].attribute("height").as_double(), zero,
              0.02);
}

}  // namespace
}  // namespace clearance
