// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What Gripper::parse() promises for any bytes: a gripper that keeps its rules, or an error with a
// reason. The only file it can name here is the URDF that the harness puts beside it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <clearance/base/file.h>
#include <clearance/grasp/gripper.h>

#include "check_reader.h"

namespace {

/// A folder with hand.urdf in it: a palm and two fingers that slide.
const std::string& folder() {
  static const std::string path = [] {
    std::string made = (std::filesystem::temp_directory_path() / "clearance_fuzz_gripper").string();
    std::filesystem::create_directories(made);
    std::string text = R"(<robot name="h"><link name="p"><collision><geometry>
        <box size="0.1 0.1 0.05"/></geometry></collision></link>)";
    for (const char* side : {"l", "r"}) {
      const std::string x = side == std::string("l") ? "-0.04" : "0.04";
      text += std::string("<link name=\"") + side +
              "\"><collision><geometry><box size=\"0.01 0.01 0.1\"/></geometry></collision></link>"
              "<joint name=\"j" +
              side + "\" type=\"prismatic\"><parent link=\"p\"/><child link=\"" + side +
              "\"/><origin xyz=\"" + x +
              " 0 0.08\"/><limit lower=\"0\" upper=\"0.03\" velocity=\"1\" effort=\"1\"/></joint>";
    }
    const clearance::Status written = clearance::write_file(made + "/hand.urdf", text + "</robot>");
    clearance::fuzz::require(written.ok());
    return made;
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string path = folder() + "/gripper.json";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Meshes could be any file of the machine.
  if (text.find("meshes") != std::string_view::npos) return 0;
  const Result<Gripper> gripper = Gripper::parse(text, path);
  if (!gripper) {
    fuzz::require(gripper.error().file == path && !gripper.error().reason.empty());
    return 0;
  }
  fuzz::require(gripper->opening() > 0.0 && std::isfinite(gripper->opening()));
  fuzz::require(gripper->finger_width() > 0.0 && gripper->tip() >= 0.0);
  fuzz::require(!gripper->open().mesh().empty());
  fuzz::require(gripper->mesh_at(0.5 * gripper->opening()).triangle_count() ==
                gripper->open().mesh().triangle_count());
  return 0;
}
