// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_cell() promises for any bytes: a cell that keeps its rules, or an error with a reason.
// The only file it can name here is the robot that the harness puts beside it.
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <clearance/base/file.h>
#include <clearance/check/cell.h>

#include "check_reader.h"

namespace {

/// A folder with robot.urdf in it: two links and a joint.
const std::string& folder() {
  static const std::string path = [] {
    std::string made = (std::filesystem::temp_directory_path() / "clearance_fuzz_cell").string();
    std::filesystem::create_directories(made);
    const clearance::Status written = clearance::write_file(
        made + "/robot.urdf",
        R"(<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>
        <link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)");
    clearance::fuzz::require(written.ok());
    return made;
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string path = folder() + "/cell.json";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Meshes could be any file of the machine.
  if (text.find("mesh") != std::string_view::npos) return 0;
  const Result<Cell> cell = parse_cell(text, path, {1});
  if (!cell) {
    fuzz::require(cell.error().file == path && !cell.error().reason.empty());
    return 0;
  }
  fuzz::require(cell->tool_link < cell->robot.links().size());
  for (const CellBody& body : cell->bodies) {
    fuzz::require(body.link == kNoLink || body.link < cell->robot.links().size());
    fuzz::require(!body.shapes.empty());
    for (const RobotShape& shape : body.shapes)
      fuzz::require(checked_pose(shape.link_from_shape).ok());
  }
  return 0;
}
