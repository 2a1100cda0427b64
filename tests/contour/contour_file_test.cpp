// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/contour/contour_file.h>

#include "support/data.h"

namespace clearance {
namespace {

using testing::HasSubstr;

const std::string kExamples = test::source_path("examples/");

std::string with_series(const std::string& series, const std::string& more = "") {
  return R"({"clearance": "contour", "version": 1, )" + more + R"("series": [)" + series + "]}";
}
const std::string kLine = R"({"line": [[0, 0, 0], [0, 0, 1]], "radius": 0.5})";

/// The message of what must be refused.
std::string refusal(const std::string& text) {
  const auto contours = parse_contours(text, "c.json");
  return contours ? "was accepted" : contours.error().message();
}

TEST(ReadContours, ReadsLinesAndNodesInAnyUnit) {
  const auto contours =
      parse_contours(with_series(R"({"name": "a", "line": [[0, 0, 0], [0, 0, 20]], "radii": [1, 2]},
                     {"nodes": [{"position": [0, 0, 0], "tangent": [0, 0, 1], "radius": 4},
                                {"position": [0, 0, 8], "tangent": [0, 0.6, 0.8], "radius": 0}]})",
                                 R"("units": "mm", )"),
                     "c.json");
  ASSERT_TRUE(contours.ok()) << contours.error().message();
  ASSERT_EQ(contours->series().size(), 2U);
  const Contour& a = contours->series()[0].contour;
  EXPECT_EQ(a.name(), "a");
  EXPECT_DOUBLE_EQ(a.nodes()[1].position.z, 0.02);
  EXPECT_DOUBLE_EQ(a.nodes()[1].radius, 0.002);
  EXPECT_EQ(a.nodes()[1].tangent, (Vec3{0, 0, 1}));
  const Contour& b = contours->series()[1].contour;
  EXPECT_DOUBLE_EQ(b.nodes()[0].radius, 0.004);
  EXPECT_EQ(b.nodes()[1].tangent, (Vec3{0, 0.6, 0.8}));
}

TEST(ReadContours, ExampleCatheterHasSevenSegments) {
  const auto catheter = read_contours(kExamples + "catheter.json");
  ASSERT_TRUE(catheter.ok()) << catheter.error().message();
  EXPECT_EQ(catheter->segment_count(), 7U);
  EXPECT_FALSE(catheter->robot().has_value());
}

TEST(ReadContours, ExampleHandIsOnItsRobot) {
  const auto hand = read_contours(kExamples + "hand.json");
  ASSERT_TRUE(hand.ok()) << hand.error().message();
  ASSERT_TRUE(hand->robot().has_value());
  EXPECT_EQ(hand->robot()->degrees_of_freedom(), 6U);
  EXPECT_EQ(hand->segment_count(), 13U);
  EXPECT_EQ(hand->robot()->links()[hand->series()[2].link].name, "index_distal");
}

TEST(ReadContours, NamesThePlaceOfWhatIsWrong) {
  const std::string wrong_radius = with_series(kLine + R"(, {"name": "finger", "nodes": [
      {"position": [0, 0, 0], "tangent": [0, 0, 1], "radius": 1},
      {"position": [0, 0, 1], "tangent": [0, 0, 1], "radius": -1}]})");
  EXPECT_THAT(refusal(wrong_radius), HasSubstr("c.json: series 1 \"finger\", node 1"));
  EXPECT_THAT(refusal(wrong_radius), HasSubstr("negative"));
}

TEST(ReadContours, RefusesBadNodes) {
  const auto nodes = [](const std::string& a, const std::string& b) {
    return refusal(with_series(R"({"nodes": [)" + a + ", " + b + "]}"));
  };
  const std::string good = R"({"position": [0, 0, 0], "tangent": [0, 0, 1], "radius": 1})";
  EXPECT_THAT(nodes(good, good), HasSubstr("same as the node before"));
  EXPECT_THAT(nodes(good, R"({"position": [0, 0, 1], "tangent": [0, 0, -1], "radius": 1})"),
              HasSubstr("opposite"));
  EXPECT_THAT(nodes(good, R"({"position": [0, 0, 1], "tangent": [0, 0, 2], "radius": 1})"),
              HasSubstr("node 1: the tangent has the length 2"));
  EXPECT_THAT(nodes(good, R"({"position": [0, 1], "tangent": [0, 0, 1], "radius": 1})"),
              HasSubstr("node 1, position: is not an array of three numbers"));
  EXPECT_THAT(nodes(good, R"({"position": [0, 0, 1e200], "tangent": [0, 0, 1], "radius": 1})"),
              HasSubstr("too large"));
  EXPECT_THAT(nodes(good, R"({"position": [0, 0, 1], "tangent": [0, 0, 1]})"),
              HasSubstr("has no 'radius'"));
  EXPECT_THAT(nodes(good, R"({"position": [0, 0, 1], "tangent": [0, 0, 1], "radius": "1"})"),
              HasSubstr("node 1, radius: \"1\" is not a number"));
  EXPECT_THAT(refusal(with_series(R"({"nodes": [)" + good + "]}")), HasSubstr("two nodes"));
}

TEST(ReadContours, RefusesBadLines) {
  EXPECT_THAT(refusal(with_series(R"({"line": [[0, 0, 0], [0, 0, 1]], "radii": [1]})")),
              HasSubstr("2 points of the centre line, but 1 radii"));
  EXPECT_THAT(refusal(with_series(R"({"line": [[0, 0, 0], [0, 0, 0]], "radius": 1})")),
              HasSubstr("node 1: it is at the same place"));
  EXPECT_THAT(refusal(with_series(R"({"line": [[0, 0, 0], [0, 0, 1]]})")),
              HasSubstr("either 'radii' or 'radius'"));
  EXPECT_THAT(refusal(with_series(R"({"radius": 1})")), HasSubstr("either 'nodes' or 'line'"));
  EXPECT_THAT(refusal(with_series(R"({"nodes": [], "radius": 1})")),
              HasSubstr("goes with 'line' only"));
}

TEST(ReadContours, RefusesOtherDocuments) {
  EXPECT_THAT(refusal("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("is not a JSON object"));
  EXPECT_THAT(refusal(R"({"format": "clearance-chain-1"})"), HasSubstr("another kind of file"));
  EXPECT_THAT(refusal(R"({"clearance": "contour", "version": 2, "series": []})"),
              HasSubstr("version: 2 is not 1"));
  const std::string brackets = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_THAT(refusal(R"({"clearance": "contour", "version": )" + brackets + "}"),
              HasSubstr("is nested too deeply"));
  EXPECT_THAT(refusal(R"({"clearance": "contour", "version": 1})"), HasSubstr("has no 'series'"));
  EXPECT_THAT(refusal(with_series("")), HasSubstr("no series"));
  EXPECT_THAT(refusal(with_series(kLine, R"("unit": "mm", )")), HasSubstr("unknown key 'unit'"));
  EXPECT_THAT(refusal(with_series(kLine, R"("units": "miles", )")), HasSubstr("unit of length"));
  EXPECT_THAT(refusal(with_series(R"({"line": [[0, 0, 1e999], [0, 0, 1]], "radius": 1})")),
              HasSubstr("cannot be read"));
  EXPECT_FALSE(read_contours("no/such/file.json").ok());
}

TEST(ReadContours, RefusesLinksThatAreNotThere) {
  const std::string on_link = R"({"link": "a", "line": [[0, 0, 0], [0, 0, 1]], "radius": 1})";
  EXPECT_THAT(refusal(with_series(on_link)), HasSubstr("names no robot"));
  EXPECT_THAT(refusal(with_series(on_link, R"("robot": "none.urdf", )")), HasSubstr("none.urdf"));
  const auto on_hand = [&](const std::string& series) {
    const auto contours =
        parse_contours(with_series(series, R"("robot": "hand.urdf", )"), kExamples + "c.json");
    return contours ? "was accepted" : contours.error().message();
  };
  EXPECT_THAT(on_hand(on_link), HasSubstr("series 0: the robot small_hand has no link 'a'"));
  EXPECT_THAT(on_hand(kLine), HasSubstr("has no 'link'"));
}

TEST(WriteContours, WhatWasWrittenReadsTheSame) {
  test::TemporaryFolder folder;
  const auto catheter = read_contours(kExamples + "catheter.json");
  ASSERT_TRUE(catheter.ok());
  ASSERT_TRUE(write_contours(folder.file("c.json"), *catheter).ok());
  const auto again = read_contours(folder.file("c.json"));
  ASSERT_TRUE(again.ok()) << again.error().message();
  ASSERT_EQ(again->series().size(), 1U);
  const auto before = catheter->series()[0].contour.nodes();
  const auto behind = again->series()[0].contour.nodes();
  EXPECT_TRUE(std::equal(before.begin(), before.end(), behind.begin(), behind.end()));
  EXPECT_EQ(contours_to_json(*again), contours_to_json(*catheter));
}

TEST(WriteContours, KeepsLinksWithTheirRobot) {
  test::TemporaryFolder folder;
  const auto hand = read_contours(kExamples + "hand.json");
  ASSERT_TRUE(hand.ok());
  // Without the name of the robot's file nobody could read it again.
  EXPECT_FALSE(write_contours(folder.file("c.json"), *hand).ok());
  ASSERT_TRUE(write_contours(folder.file("c.json"), *hand, kExamples + "hand.urdf").ok());
  const auto again = read_contours(folder.file("c.json"));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->segment_count(), hand->segment_count());
  EXPECT_EQ(again->series()[3].link, hand->series()[3].link);
}

TEST(WriteContours, NamesThatAreNotUtf8DoNotStopIt) {
  const auto contours = ContourRobot::rigid({*Contour::make(
      {{.position = {0, 0, 0}, .radius = 1.0}, {.position = {0, 0, 1}, .radius = 1.0}},
      "tube \xff")});
  const auto again = parse_contours(contours_to_json(*contours), "c.json");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->segment_count(), 1U);
}

}  // namespace
}  // namespace clearance
