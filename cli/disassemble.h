// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance plan --disassemble: a whole assembly, taken apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verbs.h"

namespace clearance::cli {

struct DisassembleArguments {
  std::vector<std::string> files;  ///< meshes, one assembly, or one scene
  std::string base;                ///< name of the part that stays; empty: the largest
  std::string order;               ///< the precedence graph, .svg or .dot
  std::string plans;               ///< folder for a plan file of each step
  bool no_turning = false;
  // What it shares with planning one body.
  double metres_per_unit = 0.0;
  double clearance = 0.0;
  std::string touching;          ///< "", "auto" or a length
  std::uint64_t operations = 0;  ///< for each part and round; 0: the default
  std::string out, csv, glb, picture;
  int threads = 0;
  bool json = false;
};

/// Adds --disassemble and what belongs to it alone.
void add_disassemble_options(Program& program, CLI::App& command, DisassembleArguments& arguments);

int run_disassemble(const DisassembleArguments& arguments);

}  // namespace clearance::cli
