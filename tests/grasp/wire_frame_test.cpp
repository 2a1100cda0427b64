// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/grasp/wire_frame.h>

#include "support/data.h"

namespace clearance {
namespace {

std::string message_of(const std::string& text) {
  const Result<std::vector<Segment>> frame = parse_wire_frame(text, "frame.json");
  return frame.ok() ? "" : frame.error().message();
}

TEST(WireFrameFile, ReadsSegmentsInItsUnit) {
  const Result<std::vector<Segment>> frame = parse_wire_frame(
      R"({"clearance": "wire-frame", "version": 1, "units": {"length": "mm"},
          "segments": [[[0, 1, 2], [10, 20, 30]], [[0, 0, 0], [0, 0, -5]]]})",
      "frame.json");
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  ASSERT_EQ(frame->size(), 2U);
  EXPECT_DOUBLE_EQ((*frame)[0].b.y, 0.02);
  EXPECT_DOUBLE_EQ((*frame)[1].b.z, -0.005);
  const Result<std::vector<Segment>> again =
      parse_wire_frame(wire_frame_as_json(*frame), "again.json");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ((*again)[0].b, (*frame)[0].b);
}

TEST(WireFrameFile, NamesPlaceAndReason) {
  EXPECT_NE(message_of("{"), "");
  EXPECT_NE(message_of("[]"), "");
  EXPECT_NE(message_of(R"({"clearance": "cell", "version": 1, "segments": []})"), "");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1})"),
            "frame.json: has no 'segments'");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1, "segments": []})"),
            "frame.json: segments: is empty");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1, "segments": [[[0, 0, 0]]]})"),
            "frame.json: segments/0: is not an array of two points");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1,
                           "segments": [[[0, 0, 0], [0, 0, 0]]]})"),
            "frame.json: segments/0: has no length");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1,
                           "segments": [[[0, 0, 0], [0, "1", 0]]]})"),
            "frame.json: segments/0/1/1: \"1\" is not a number");
  EXPECT_EQ(read_wire_frame("/none/there.json").error().code, ErrorCode::NotFound);
}

TEST(WireFrameFile, ExampleIsRead) {
  const Result<std::vector<Segment>> frame =
      read_wire_frame(CLEARANCE_SOURCE_DIR "/examples/conrod_wire_frame.json");
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  EXPECT_EQ(frame->size(), 5U);
}

}  // namespace
}  // namespace clearance
