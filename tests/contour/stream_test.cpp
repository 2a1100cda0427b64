// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clearance/contour/stream.h>

namespace clearance {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const FrameShape kRigid{{}, 2};
const FrameShape kArm{{"shoulder", "elbow"}, 0};

ProbeFrame parsed(const std::string& line, const FrameShape& shape) {
  ProbeFrame frame;
  const Status status = parse_frame(line, shape, frame);
  EXPECT_TRUE(status.ok()) << line << ": " << (status.ok() ? "" : status.error().message());
  return frame;
}

std::string refused(const std::string& line, const FrameShape& shape) {
  ProbeFrame frame;
  const Status status = parse_frame(line, shape, frame);
  EXPECT_FALSE(status.ok()) << line;
  return status.ok() ? "" : status.error().message();
}

TEST(ParseFrame, TakesPosesOfThreeSevenAndSixteenNumbers) {
  EXPECT_EQ(parsed(R"({"pose":[1,2,3]})", kRigid).world_from_root, Pose::translate({1, 2, 3}));
  // A quarter turn about z takes x to y.
  const double h = std::sqrt(0.5);
  const std::string turned =
      "{\"pose\": [1, 2, 3, 0, 0, " + std::to_string(h) + ", " + std::to_string(h) + "]}";
  for (const std::string& line :
       {turned, std::string(R"({ "pose" : [0,-1,0,1, 1,0,0,2, 0,0,1,3, 0,0,0,1] })")}) {
    const ProbeFrame frame = parsed(line, kRigid);
    ASSERT_TRUE(frame.world_from_root.has_value());
    const Vec3 p = *frame.world_from_root * Vec3{1, 0, 0};
    EXPECT_NEAR(norm(p - Vec3{1, 3, 3}), 0.0, 1e-6);
  }
}

TEST(ParseFrame, ReadsNumbersToTheLastBit) {
  const ProbeFrame frame =
      parsed(R"({"pose":[0.30000000000000004,-5e-324,12345678.9E-2]})", kRigid);
  ASSERT_TRUE(frame.world_from_root.has_value());
  EXPECT_EQ(frame.world_from_root->translation,
            (Vec3{0.1 + 0.2, -std::numeric_limits<double>::denorm_min(), 123456.789}));
}

TEST(ParseFrame, TakesJointsByOrderAndByName) {
  EXPECT_THAT(parsed(R"({"joints":[0.5,-1e-3]})", kArm).joints, testing::ElementsAre(0.5, -1e-3));
  const std::vector<double> named = parsed(R"({"joints":{"elbow":0.25}})", kArm).joints;
  ASSERT_EQ(named.size(), 2U);
  EXPECT_TRUE(std::isnan(named[0]));
  EXPECT_EQ(named[1], 0.25);
}

TEST(ParseFrame, TakesWholeShapes) {
  const ProbeFrame frame = parsed(
      R"({"nodes":[[0,0,0,0,0,1,0.002],[0,0,0.01,0,0.6,0.8,0]],"id":-7,"time":0.5})", kRigid);
  ASSERT_EQ(frame.nodes.size(), 2U);
  EXPECT_EQ(frame.nodes[1], (ContourNode{{0, 0, 0.01}, {0, 0.6, 0.8}, 0.0}));
  EXPECT_EQ(frame.id, -7);
  EXPECT_EQ(frame.time, 0.5);
}

TEST(ParseFrame, AFrameIsCompleteByItself) {
  ProbeFrame frame;
  ASSERT_TRUE(parse_frame(R"({"joints":[1,2],"pose":[1,2,3],"id":4})", kArm, frame));
  ASSERT_TRUE(parse_frame(R"({"joints":{"elbow":3}})", kArm, frame));
  EXPECT_FALSE(frame.world_from_root.has_value());
  EXPECT_FALSE(frame.id.has_value());
  EXPECT_TRUE(std::isnan(frame.joints[0]));
}

TEST(ParseFrame, RefusesWhatIsNotAPlace) {
  EXPECT_THAT(refused(R"({"pose":[NaN,0,0]})", kRigid),
              HasSubstr("pose: expected a number, not 'NaN'"));
  EXPECT_THAT(refused(R"({"pose":[-Infinity,0,0]})", kRigid), HasSubstr("not '-Infinity'"));
  EXPECT_THAT(refused(R"({"pose":[null,0,0]})", kRigid), HasSubstr("not 'null'"));
  EXPECT_THAT(refused(R"({"pose":[1e999,0,0]})", kRigid), HasSubstr("too large"));
  EXPECT_THAT(refused(R"({"pose":[1e300,0,0]})", kRigid), HasSubstr("beyond 1e+15 m"));
  EXPECT_THAT(refused(R"({"pose":[0,0,0,0,0,0,2]})", kRigid), HasSubstr("quaternion has length 2"));
  EXPECT_THAT(refused(R"({"pose":[2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1]})", kRigid),
              HasSubstr("pose: not a rotation"));
  EXPECT_THAT(refused(R"({"pose":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,1,1]})", kRigid),
              HasSubstr("last row"));
  EXPECT_EQ(parsed(R"({"pose":[1e-999,0,0]})", kRigid).world_from_root, Pose{});
}

TEST(ParseFrame, RefusesWrongCounts) {
  EXPECT_THAT(refused(R"({"pose":[1,2,3,4]})", kRigid),
              HasSubstr("4 numbers instead of 3, 7 or 16"));
  EXPECT_THAT(refused(R"({"pose":[]})", kRigid), HasSubstr("0 numbers"));
  EXPECT_THAT(refused(R"({"joints":[1]})", kArm), HasSubstr("1 numbers, but the robot has 2"));
  EXPECT_THAT(refused(R"({"joints":[1,2,3]})", kArm), HasSubstr("more than 2"));
  EXPECT_THAT(refused(R"({"joints":[1]})", kRigid), HasSubstr("has no joints"));
  EXPECT_THAT(refused(R"({"nodes":[[0,0,0,0,0,1,1]]})", kRigid),
              HasSubstr("1 circles, but the robot has 2"));
  EXPECT_THAT(refused(R"({"nodes":[[0,0,0,0,0,1]]})", kRigid),
              HasSubstr("nodes/0: 6 numbers instead of 7"));
  EXPECT_THAT(refused(R"({"nodes":[[0,0,0,0,0,1,1],[0,0,0,0,0,1,2],[0,0,0,0,0,1,3]]})", kRigid),
              HasSubstr("more than the 2"));
  EXPECT_THAT(refused(R"({"nodes":[]})", kArm), HasSubstr("moves by its joints"));
}

TEST(ParseFrame, RefusesCirclesThatAreNone) {
  EXPECT_THAT(refused(R"({"nodes":[[0,0,0,0,0,1,-1],[0,0,1,0,0,1,1]]})", kRigid),
              HasSubstr("nodes/0: the radius is negative"));
  EXPECT_THAT(refused(R"({"nodes":[[0,0,0,0,0,1,1],[0,0,1,0,1,1,1]]})", kRigid),
              HasSubstr("nodes/1: the tangent has length 1.414, not 1"));
}

TEST(ParseFrame, RefusesWhatIsNotAFrame) {
  for (const char* line : {"",
                           " ",
                           "null",
                           "[]",
                           "pose",
                           "{",
                           "{]",
                           R"({"pose")",
                           R"({"pose":)",
                           R"({"pose":[1,2,3)",
                           R"({"pose":[1,2,3],})",
                           R"({"pose":[1,2,3]}})",
                           R"({"pose":[1,,3]})",
                           R"({"pose":[1 2 3]})",
                           R"({"pose":[01,2,3]})",
                           R"({"pose":[.5,2,3]})",
                           R"({"pose":[5.,2,3]})",
                           R"({"pose":[+5,2,3]})",
                           R"({"pose":[0x5,2,3]})",
                           R"({pose:[1,2,3]})",
                           R"({"po\u0073e":[1,2,3]})",
                           R"({"pose":"1 2 3"})",
                           R"({"joints":{"elbow"}})",
                           "{}",
                           R"({"id":1})"})
    EXPECT_NE(refused(line, kArm), "") << line;
  EXPECT_THAT(refused(R"({"pos":[1,2,3]})", kArm), HasSubstr("there is no \"pos\" in a frame"));
  EXPECT_THAT(refused(R"({"joints":{"wrist":1}})", kArm),
              HasSubstr("joints/wrist: the robot has no"));
  EXPECT_THAT(refused(R"({"joints":{"elbow":1,"elbow":1}})", kArm), HasSubstr("twice"));
  EXPECT_THAT(refused(R"({"pose":[1,2,3],"pose":[1,2,3]})", kArm), HasSubstr("twice"));
  EXPECT_THAT(refused(R"({"pose":[1,2,3],"id":1.5})", kArm), HasSubstr("id: is not an integer"));
  EXPECT_THAT(refused(std::string(kLongestFrame + 1, ' '), kArm), HasSubstr("longer than"));
}

TEST(ParseFrame, RefusesEveryBeginningOfALine) {
  const std::string line = R"({"joints":{"elbow":0.5,"shoulder":-1e2},"pose":[1,2,3],"id":12})";
  ASSERT_TRUE(parsed(line, kArm).id.has_value());
  for (std::size_t size = 0; size < line.size(); ++size)
    EXPECT_NE(refused(line.substr(0, size), kArm), "");
}

ProbeHit hit_at(double distance) {
  ProbeHit hit;
  hit.distance = distance;
  hit.on_mesh = {1, 2, 3};
  hit.on_contour = {1, 2 + distance, 3};
  hit.triangle = 5;
  hit.segment = 1;
  return hit;
}

TEST(FixtureForce, PushesAwayWithinTheMarginOnly) {
  const FixtureOptions spring{200.0, 0.01};
  const FixtureForce near = fixture_force(hit_at(0.004), spring);
  EXPECT_NEAR(norm(near.direction - Vec3{0, 1, 0}), 0.0, 1e-12);
  EXPECT_NEAR(near.magnitude, 200.0 * 0.006, 1e-12);
  EXPECT_NEAR(near.force.y, 1.2, 1e-12);
  const FixtureForce far = fixture_force(hit_at(0.02), spring);
  EXPECT_EQ(far.magnitude, 0.0);
  EXPECT_NEAR(far.direction.y, 1.0, 1e-12);
}

TEST(FixtureForce, InContactKeepsTheDirectionBefore) {
  const FixtureOptions spring{200.0, 0.01};
  const FixtureForce held = fixture_force(hit_at(0.0), spring, {0, 0, 1});
  EXPECT_EQ(held.direction, (Vec3{0, 0, 1}));
  EXPECT_NEAR(held.force.z, 2.0, 1e-12);
  const FixtureForce unknown = fixture_force(hit_at(0.0), spring);
  EXPECT_EQ(unknown.direction, Vec3{});
  EXPECT_EQ(unknown.force, Vec3{});
  EXPECT_NEAR(unknown.magnitude, 2.0, 1e-12);
}

TEST(FixtureForce, NothingInRangeIsNoForce) {
  const FixtureForce none = fixture_force(ProbeHit{}, {200.0, 0.01}, {0, 0, 1});
  EXPECT_EQ(none.direction, Vec3{});
  EXPECT_EQ(none.magnitude, 0.0);
}

TEST(WriteAnswer, HoldsEveryBit) {
  ProbeAnswer answer;
  answer.sequence = 41;
  answer.id = 7;
  answer.hit = hit_at(0.1 + 0.2);
  answer.fixture = fixture_force(answer.hit, {1.0, 1.0});
  answer.latency = 12.345e-6;
  std::string line;
  write_answer(answer, line);
  ASSERT_EQ(line.back(), '\n');
  const Json json = Json::parse(line);
  EXPECT_EQ(json["sequence"], 41);
  EXPECT_EQ(json["id"], 7);
  EXPECT_EQ(json["distance"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(json["on_contour"][1].get<double>(), answer.hit.on_contour.y);
  EXPECT_EQ(json["on_mesh"], Json::array({1, 2, 3}));
  EXPECT_EQ(json["triangle"], 5);
  EXPECT_EQ(json["segment"], 1);
  EXPECT_EQ(json["latency_us"].get<double>(), 12.3);
  EXPECT_EQ(json["missed"], false);
}

TEST(WriteAnswer, WhatIsNotKnownIsNull) {
  ProbeAnswer answer;
  answer.missed = true;
  std::string line;
  write_answer(answer, line);
  const Json json = Json::parse(line);
  EXPECT_FALSE(json.contains("id"));
  for (const char* name : {"distance", "direction", "on_contour", "on_mesh", "segment", "triangle"})
    EXPECT_TRUE(json[name].is_null()) << name;
  EXPECT_EQ(json["missed"], true);
}

TEST(WriteRefusal, IsJsonWhateverTheLineHeld) {
  std::string line;
  write_refusal({ErrorCode::Malformed, {}, "joints/\"\\\n\xff", "is \x7f", {}}, 12, line);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["line"], 12);
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("joints/\"\\\n\xEF\xBF\xBD: is"));
}

}  // namespace
}  // namespace clearance
