// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options and JSON that several verbs share.
#include <nlohmann/json.hpp>

#include <clearance/mesh/read.h>

#include "verbs.h"

namespace clearance::cli {

std::vector<std::string> unit_names() { return {"m", "mm", "cm", "um", "in", "ft"}; }

CLI::Option* add_unit_option(Program& program, CLI::App& command, double& metres_per_unit,
                             const std::string& help) {
  CLI::Option* option = command.add_option_function<std::string>(
      "--unit",
      [&metres_per_unit](const std::string& name) {
        const std::optional<double> metres = unit_from_name(name);
        if (!metres) {
          std::string known;
          for (const std::string& unit : unit_names()) known += " " + unit;
          throw CLI::ValidationError("--unit", "there is no unit '" + name + "'; known:" + known);
        }
        metres_per_unit = *metres;
      },
      help);
  option->option_text("UNIT");
  program.hints[option] = {unit_names(), {}};
  return option;
}

CLI::Option* add_threads_option(CLI::App& command, int& threads, const std::string& help) {
  CLI::Option* option = command.add_option("--threads", threads, help);
  option->option_text("N");
  return option->check([](const std::string& text) {
    const bool number = !text.empty() && text.size() < 6 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return number ? "" : "'" + text + "' is not a number of threads";
  });
}

nlohmann::ordered_json error_json(const Error& error) {
  static constexpr const char* kCodes[] = {"not_found",   "unreadable", "malformed",
                                           "unsupported", "invalid",    "cancelled"};
  return {{"code", kCodes[static_cast<int>(error.code)]},
          {"place", error.place},
          {"reason", error.reason},
          {"advice", error.advice}};
}

}  // namespace clearance::cli
