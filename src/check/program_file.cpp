// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Robot programs from JSON, as schema/program.schema.json has it.
#include <algorithm>
#include <map>
#include <optional>

#include <clearance/base/file.h>
#include <clearance/check/program.h>

#include "mesh/json_reader.h"

namespace clearance {
namespace {

using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

class ProgramReader {
 public:
  ProgramReader(const std::string& path, const Cell& cell)
      : in_(path, kLargestRobotLength), cell_(cell) {
    program_.file = path;
  }

  Result<RobotProgram> read(const JsonNode& top) {
    if (in_.is_document(top, "program", {"units", "way_points", "start", "moves"})) read_top(top);
    if (in_.failed()) return in_.error();
    return std::move(program_);
  }

 private:
  void read_top(const JsonNode& top) {
    if (top.has("units")) in_.read_units(top["units"]);
    if (!in_.needs(top, "start") || !in_.needs(top, "moves")) return;
    if (top.has("way_points")) {
      const JsonNode points = top["way_points"];
      if (!points.is_object()) return in_.fail(points, "is not an object");
      for (const std::string& name : points.keys()) way_points_[name] = configuration(points[name]);
    }
    if (in_.failed()) return;
    program_.start = configuration(top["start"]);
    in_.each(top["moves"], [&](const JsonNode& move) { read_move(move); });
  }

  [[nodiscard]] double unit_of(std::size_t value) const {
    const RobotJoint& joint = cell_.robot.joints()[cell_.robot.free_joints()[value]];
    return joint.kind == JointKind::Prismatic ? in_.metres() : in_.radians();
  }

  /// The name of a way-point, numbers in the order of the joints, or {"joint": number, ...} with
  /// all of them.
  std::vector<double> configuration(const JsonNode& at) {
    const Robot& robot = cell_.robot;
    const std::size_t count = robot.degrees_of_freedom();
    std::vector<double> values(count, 0.0);
    if (at.is_text()) {
      const std::string name = in_.text(at);
      const auto found = way_points_.find(name);
      if (found != way_points_.end()) return found->second;
      in_.fail(at, "there is no way-point '" + name + "'");
      return values;
    }
    if (at.is_array()) {
      if (at.size() != count) {
        std::string names;
        for (const std::uint32_t joint : robot.free_joints())
          names += (names.empty() ? "" : ", ") + robot.joints()[joint].name;
        in_.fail(at,
                 "has " + std::to_string(at.size()) + " numbers, but the robot " +
                     std::to_string(count) + " joints to set",
                 "in this order: " + names);
        return values;
      }
      for (std::size_t k = 0; k < count; ++k) values[k] = unit_of(k) * in_.number(at.item(k));
    } else if (at.is_object()) {
      std::vector<bool> given(count, false);
      for (const std::string& name : at.keys()) {
        const JsonNode node = at[name];
        const std::optional<std::size_t> k = value_named(name, node);
        if (!k) return values;
        values[*k] = unit_of(*k) * in_.number(node);
        given[*k] = true;
      }
      const auto missing = std::ranges::find(given, false);
      if (missing != given.end() && !in_.failed()) {
        const auto k = static_cast<std::size_t>(missing - given.begin());
        in_.fail(at, "says nothing of joint '" + robot.joints()[robot.free_joints()[k]].name + "'");
      }
    } else {
      in_.fail(at, "is neither a way-point nor a list of joint values");
    }
    if (in_.failed()) return values;
    if (const Status status = robot.check(values); !status) {
      in_.fail(at, status.error().place + ": " + status.error().reason,
               in_.radians() == 1.0 ? R"(in degrees? say "units": {"angle": "deg"})" : "");
    }
    return values;
  }

  std::optional<std::size_t> value_named(const std::string& name, const JsonNode& at) {
    const Robot& robot = cell_.robot;
    const std::optional<std::uint32_t> joint = robot.joint(name);
    if (!joint) {
      in_.fail(at, "the robot " + robot.name() + " has no joint '" + name + "'");
      return std::nullopt;
    }
    const auto free = std::ranges::find(robot.free_joints(), *joint);
    if (free == robot.free_joints().end()) {
      in_.fail(at, "joint '" + name + "' is fixed or follows another: it cannot be set");
      return std::nullopt;
    }
    return static_cast<std::size_t>(free - robot.free_joints().begin());
  }

  void read_move(const JsonNode& at) {
    ProgramMove move;
    move.place = at.place;
    if (!in_.is_object(at, {"name", "joint", "line", "wait", "in", "speed", "rate"})) return;
    if (at.has("name")) move.name = in_.text(at["name"]);
    int kinds = 0;
    for (const char* kind : {"joint", "line", "wait"}) kinds += at.has(kind) ? 1 : 0;
    if (kinds != 1) return in_.fail(at, "needs one of 'joint', 'line' and 'wait'");
    if (at.has("in") && !at.has("line")) return in_.fail(at["in"], "goes with 'line' only");
    if (at.has("wait")) {
      for (const char* key : {"speed", "rate"})
        if (at.has(key)) return in_.fail(at[key], "means nothing for a wait");
      move.kind = MoveKind::Wait;
      move.seconds = in_.not_negative(at["wait"]);
    } else if (at.has("joint")) {
      read_joint_move(at, move);
    } else {
      read_line(at, move);
    }
    if (!in_.failed()) program_.moves.push_back(std::move(move));
  }

  void read_joint_move(const JsonNode& at, ProgramMove& move) {
    move.kind = MoveKind::Joint;
    move.values = configuration(at["joint"]);
    if (at.has("rate")) move.rate = in_.radians() * in_.positive(at["rate"]);
    // Without any speed, as fast as the robot can.
    if (at.has("speed") || !at.has("rate")) {
      move.speed = at.has("speed") ? in_.positive(at["speed"]) : 1.0;
      if (move.speed > 1.0) {
        in_.fail(at["speed"], "is above 1: it is a fraction of the robot's velocities",
                 "a speed in radians per second is a \"rate\"");
      }
    }
  }

  void read_line(const JsonNode& at, ProgramMove& move) {
    move.kind = MoveKind::Line;
    const JsonNode to = at["line"];
    if (to.is_text()) {
      if (at.has("in")) return in_.fail(at["in"], "means nothing for a way-point");
      const std::vector<double> values = configuration(to);
      if (!in_.failed()) move.world_from_tool = cell_.world_from_tool(values);
    } else {
      Pose world_from_frame;
      if (at.has("in")) {
        const std::string name = in_.text(at["in"]);
        const CellBody* body = cell_.body(name);
        if (body == nullptr || body->link != kNoLink)
          return in_.fail(at["in"], "no body '" + name + "' stands in the cell");
        world_from_frame = body->frame_from_body;
      }
      move.world_from_tool = world_from_frame * in_.pose(to);
    }
    if (!at.has("speed") && !at.has("rate"))
      in_.fail(at, "has neither 'speed' nor 'rate'", "speed is in lengths per second");
    if (at.has("speed")) move.speed = in_.metres() * in_.positive(at["speed"]);
    if (at.has("rate")) move.rate = in_.radians() * in_.positive(at["rate"]);
  }

  JsonReader in_;
  const Cell& cell_;
  std::map<std::string, std::vector<double>> way_points_;
  RobotProgram program_;
};

}  // namespace

Result<RobotProgram> parse_program(std::string_view text, const std::string& path,
                                   const Cell& cell) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  return ProgramReader(path, cell).read(document->top());
}

Result<RobotProgram> read_program(const std::string& path, const Cell& cell) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_program(file->text(), path, cell);
}

}  // namespace clearance
