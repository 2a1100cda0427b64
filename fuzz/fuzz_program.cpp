// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_program() promises for any bytes: moves whose way-points are within the limits, or an
// error with a reason.
#include <cstddef>
#include <cstdint>

#include <clearance/check/program.h>
#include <clearance/robot/robot_file.h>

#include "check_reader.h"

namespace {

const clearance::Cell& cell() {
  using namespace clearance;
  static const Cell made{
      .robot = parse_robot(
                   R"(<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" velocity="1"/></joint>
        <joint name="k" type="prismatic"><parent link="b"/><child link="c"/><limit lower="0" upper="1" velocity="1"/></joint></robot>)",
                   "r.urdf")
                   ->robot,
      .world_from_base = {},
      .bodies = {{"table", kNoLink, {}, {}}},
      .tool_link = 2,
      .link_from_tool = {}};
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<RobotProgram> program = parse_program(text, "fuzz.json", cell());
  if (!program) {
    fuzz::require(program.error().file == "fuzz.json" && !program.error().reason.empty());
    return 0;
  }
  fuzz::require(cell().robot.check(program->start).ok());
  for (const ProgramMove& move : program->moves) {
    fuzz::require(move.kind != MoveKind::Joint || cell().robot.check(move.values).ok());
    fuzz::require(move.seconds >= 0.0 && move.speed >= 0.0 && move.rate >= 0.0);
    fuzz::require(is_finite(move.world_from_tool.translation));
  }
  return 0;
}
