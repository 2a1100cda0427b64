// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/json_reader.h"

#include <numbers>

#include <gtest/gtest.h>

#include "support/text.h"

namespace clearance::detail {
namespace {

constexpr double kLongest = 1e6;

/// What a reader says of a document, or "accepted".
template <class Read>
std::string said(const std::string& text, const Read& read) {
  const Result<JsonDocument> document = JsonDocument::parse(text, "a/b.json");
  if (!document) return document.error().message();
  JsonReader in("a/b.json", kLongest);
  read(in, document->top());
  return in.failed() ? in.error().message() : "accepted";
}
std::string parsed(const std::string& text) {
  return said(text, [](JsonReader&, const JsonNode&) {});
}

TEST(JsonDocument, SaysWhereItIsNoJson) {
  EXPECT_SAYS(parsed(""), "a/b.json: byte 1: is not JSON");
  EXPECT_SAYS(parsed("{\"a\": nan}"), "is not JSON");
  EXPECT_SAYS(parsed("[1e999]"), "cannot be read");
  EXPECT_EQ(parsed("[1e99]"), "accepted");
}

TEST(JsonDocument, RefusesAKeyThatIsThereTwice) {
  EXPECT_SAYS(parsed(R"({"a": 1, "b": 2, "a": 3})"), "'a': is there twice");
  EXPECT_SAYS(parsed(R"([{"x": {"b": 1, "b": 1}}])"), "'b': is there twice");
  // The same key in two objects, one within or after the other.
  EXPECT_EQ(parsed(R"({"a": {"a": {"b": 1}}, "b": [{"a": 1}, {"a": 2}]})"), "accepted");
}

TEST(JsonDocument, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(parsed(nested(200)), "accepted");
  EXPECT_SAYS(parsed(nested(300)), "is nested too deeply");
  EXPECT_SAYS(parsed(nested(1'000'000)), "is nested too deeply");
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += R"({"a": )";
  objects += "1" + std::string(1000, '}');
  EXPECT_SAYS(parsed(objects), "is nested too deeply");
}

TEST(JsonReader, KnowsItsDocuments) {
  const auto pile = [](const std::string& text) {
    return said(text, [](JsonReader& in, const JsonNode& top) {
      in.is_document(top, "pile", {"objects"});
    });
  };
  EXPECT_EQ(pile(R"({"clearance": "pile", "version": 1, "objects": [], "$schema": "x"})"),
            "accepted");
  EXPECT_SAYS(pile("[]"), R"(it should begin with {"clearance": "pile")");
  EXPECT_SAYS(pile(R"({"clearance": "cell", "version": 1})"), R"(say "clearance": "pile")");
  EXPECT_SAYS(pile(R"({"clearance": 7, "version": 1})"), "another kind of file");
  EXPECT_SAYS(pile(R"({"clearance": "pile"})"), "has no 'version'");
  EXPECT_SAYS(pile(R"({"clearance": "pile", "version": 1.5})"), "version: 1.5 is not 1");
  EXPECT_SAYS(pile(R"({"clearance": "pile", "version": [[]]})"), "version: an array is not 1");
  EXPECT_SAYS(pile(R"({"clearance": "pile", "version": 1, "x": 0})"), "known are:");
}

TEST(JsonReader, NamesThePlaceOfTheFirstError) {
  const auto read = [](JsonReader& in, const JsonNode& top) {
    in.each(top["a"], [&](const JsonNode& item) { in.point(item["p"]); });
  };
  EXPECT_SAYS(said(R"({"a": [{"p": [1, 2, 3]}, {"p": [1, "x", null]}, {"p": 3}]})", read),
              R"(a/b.json: a/1/p/1: "x" is not a number)");
  EXPECT_SAYS(said(R"({"a": {"p": 3}})", read), "a: is not an array");
  EXPECT_SAYS(said(R"({"a": [{"p": [1, 2, 2e6]}]})", read), "a/0/p: is too large");
}

TEST(JsonReader, RefusesNumbersOutOfRange) {
  const auto read = [](const char* value, auto&& what) {
    return said(R"({"x": )" + std::string(value) + "}",
                [&](JsonReader& in, const JsonNode& top) { what(in, top["x"]); });
  };
  const auto fraction = [](JsonReader& in, const JsonNode& x) { in.number(x, 0.0, 1.0); };
  EXPECT_EQ(read("1", fraction), "accepted");
  EXPECT_SAYS(read("1.5", fraction), "x: 1.5 is not from 0.0 to 1.0");
  const auto count = [](JsonReader& in, const JsonNode& x) { in.whole(x, 1, 9); };
  EXPECT_EQ(read("9", count), "accepted");
  for (const char* wrong : {"0", "10", "-1", "2.0", "\"2\""})
    EXPECT_SAYS(read(wrong, count), "is not a whole number from 1 to 9");
  const auto size = [](JsonReader& in, const JsonNode& x) { in.size(x); };
  EXPECT_SAYS(read("0", size), "0 is not above 0");
  EXPECT_SAYS(read("1e7", size), "too large");
  const auto radius = [](JsonReader& in, const JsonNode& x) { in.radius(x); };
  EXPECT_EQ(read("0", radius), "accepted");
  EXPECT_SAYS(read("-1", radius), "is negative");
  const auto two = [](JsonReader& in, const JsonNode& x) { in.choice(x, {"a", "b"}); };
  EXPECT_SAYS(read("\"c\"", two), R"(x: is neither "a" nor "b")");
  const auto three = [](JsonReader& in, const JsonNode& x) { in.choice(x, {"a", "b", "c"}); };
  EXPECT_SAYS(read("\"d\"", three), R"(x: is none of "a", "b" and "c")");
  EXPECT_SAYS(read("3", three), "x: is not a text");
}

TEST(JsonReader, ReadsLengthsAnglesAndPosesInTheirUnits) {
  const Result<JsonDocument> document = JsonDocument::parse(
      R"({"units": {"length": "mm", "angle": "deg"}, "pose": {"xyz": [1, 2, 3], "rpy": [0, 0, 90]},
          "angle": 180, "file": "mesh.stl", "kind": "b"})",
      "a/b.json");
  ASSERT_TRUE(document.ok());
  JsonReader in("a/b.json", kLongest);
  const JsonNode top = document->top();
  in.read_units(top["units"]);
  const Pose pose = in.pose_of(top, "pose");
  EXPECT_EQ(pose.translation, (Vec3{0.001, 0.002, 0.003}));
  EXPECT_NEAR(distance(pose * Vec3{1, 0, 0}, Vec3{0.001, 1.002, 0.003}), 0.0, 1e-15);
  EXPECT_EQ(in.angle(top["angle"]), std::numbers::pi);
  EXPECT_EQ(in.file(top["file"]), "a/mesh.stl");
  EXPECT_EQ(in.choice(top["kind"], {"a", "b"}), 1U);
  EXPECT_EQ(in.pose_of(top, "gone").translation, Vec3{});
  EXPECT_FALSE(in.failed());
}

}  // namespace
}  // namespace clearance::detail
