// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce_all_page.h"

#include <gtest/gtest.h>

namespace clearance::cli {
namespace {

constexpr const char* kResult = R"({
  "schema": "clearance.reproduce-x", "version": 1, "threads": 2,
  "meshes": [{"name": "rod <1>", "triangles": 1200,
              "trees": {"pqp": {"area": 2.5}, "inertia": {"area": 1.5}},
              "rankings": [{"measure": "area", "holds": true}],
              "verdict": "Inertia has less area than pqp, as in the paper, and so it goes on for a long while."}],
  "claims": [{"claim": "less area", "holds": true, "words": "1.5 of 2.5"},
             {"claim": "less time", "holds": false, "words": "the same"},
             {"claim": "more fun", "holds": null, "words": "nobody asked"}],
  "conclusion": "It holds."})";

std::string page() {
  StudyResult study;
  study.name = "x";
  study.json = kResult;
  study.charts = {{"a.svg", "<?xml version=\"1.0\"?><svg id=\"chart\"></svg>"}};
  return report_page({"clearance", "a machine", "clearance reproduce all"}, {study});
}

TEST(ReportPage, FiguresByNameAndListsBecomeTablesOfTheirOwn) {
  const std::string text = page();
  EXPECT_NE(text.find("<h3>meshes, trees</h3>"), std::string::npos);
  EXPECT_NE(text.find("<td>rod &lt;1&gt;</td><td>inertia</td><td class=\"number\">1.5</td>"),
            std::string::npos);
  EXPECT_NE(text.find("<h3>meshes, rankings</h3>"), std::string::npos);
  EXPECT_NE(text.find("<td>rod &lt;1&gt;</td><td class=\"number\">1,200</td>"), std::string::npos);
}

TEST(ReportPage, SentencesStandBelowTheTables) {
  EXPECT_NE(page().find("<p><b>rod &lt;1&gt;</b>: Inertia has less area"), std::string::npos);
}

TEST(ReportPage, CountsTheClaimsThatWereMeasured) {
  const std::string text = page();
  EXPECT_NE(text.find("1 of 2 claims hold"), std::string::npos);
  EXPECT_NE(text.find("does not hold</td><td>less time"), std::string::npos);
  EXPECT_NE(text.find("not measured</td><td>more fun"), std::string::npos);
  EXPECT_NE(text.find("<figure><svg id=\"chart\">"), std::string::npos);
}

}  // namespace
}  // namespace clearance::cli
