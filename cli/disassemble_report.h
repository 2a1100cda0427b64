// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance plan --disassemble` found out, and the ways of telling it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/plan/disassemble.h>
#include <clearance/plan/scene_file.h>

namespace clearance::cli {

struct DisassemblyReport {
  std::vector<DisassemblyPart> parts;
  std::vector<SceneFile> sources;  ///< of each part
  double clearance = 0.0;
  Disassembly disassembly;
  std::vector<std::string> plans;     ///< plan file of each step, when written
  std::vector<std::string> warnings;  ///< about the files that were read
  std::vector<std::string> written;   ///< one line for each file
};

/// The result that follows schema/disassembly.schema.json.
[[nodiscard]] nlohmann::ordered_json disassembly_json(const DisassemblyReport& report);
[[nodiscard]] std::string disassembly_text(const DisassemblyReport& report);
/// One line a part, in the order of removal, with a line of headings; metres.
[[nodiscard]] std::string disassembly_csv(const DisassemblyReport& report);
/// The precedence graph: a column for each round, arrows to what can only leave afterwards.
[[nodiscard]] std::string precedence_svg(const DisassemblyReport& report);
/// The assembly, and a frame for each step (evenly chosen where there are many) with the part half
/// way out.
[[nodiscard]] Status draw_disassembly(const std::string& path, const DisassemblyReport& report,
                                      Threads threads);

}  // namespace clearance::cli
