// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The verbs of the program. Each adds its subcommand to the program and returns what to run when
// it is chosen. To add one: write cli/<verb>.cpp, declare it here, list it in main.cpp, and give
// its
// --json result a schema in schema/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>

#include <clearance/base/result.h>

namespace clearance::cli {

/// Values that the completion scripts offer for an option or argument.
struct Hint {
  std::vector<std::string> values;      ///< one of these, or
  std::vector<std::string> extensions;  ///< a file with one of these, without the dot
};

/// The program as the verbs build it up.
struct Program {
  CLI::App& app;
  std::map<const CLI::Option*, Hint> hints;
};

struct Verb {
  CLI::App* command = nullptr;
  std::function<int()> run;  ///< returns the exit status
};

Verb add_inspect(Program& program);
Verb add_distance(Program& program);
Verb add_clash(Program& program);
Verb add_check(Program& program);
Verb add_plan(Program& program);
Verb add_verify(Program& program);
Verb add_fold(Program& program);
Verb add_probe(Program& program);
Verb add_simplify(Program& program);
Verb add_grasp(Program& program);
Verb add_pick(Program& program);
Verb add_generate(Program& program);
Verb add_reproduce(Program& program);
Verb add_view(Program& program);
Verb add_render(Program& program);
Verb add_completion(Program& program);

/// Names of length units an option may take, and the check for them.
[[nodiscard]] std::vector<std::string> unit_names();
/// "--unit" of a command, as metres per unit; 0 when not given.
CLI::Option* add_unit_option(Program& program, CLI::App& command, double& metres_per_unit,
                             const std::string& help);
/// The same under another name.
CLI::Option* add_unit_option(Program& program, CLI::App& command, const std::string& name,
                             double& metres_per_unit, const std::string& help);

/// "2mm", "0.002": a length, in metres where no unit is given; absent when it is none.
[[nodiscard]] std::optional<double> length_of(const std::string& text);
/// An option that takes a length.
void add_length_option(CLI::App& command, const std::string& name, double& metres,
                       const std::string& help);

/// Checks of what an option is given: a number from `least` to `most`, which NaN is not; a whole
/// number of `least` or more.
[[nodiscard]] std::function<std::string(const std::string&)> number_from(double least, double most);
[[nodiscard]] std::function<std::string(const std::string&)> count_from(std::uint64_t least);
/// A whole number written as 6e10, in digits; any other text as it is. For numbers of many digits:
/// a transform before the check.
[[nodiscard]] std::string in_digits(const std::string& text);
/// "--seed" of a command.
CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& help);

/// "--threads" of a command; 0 means one per core.
CLI::Option* add_threads_option(CLI::App& command, int& threads, const std::string& help);
/// The required files of a verb, "what" followed by the extensions that can be read.
void add_files_option(Program& program, CLI::App& command, const std::string& name,
                      std::vector<std::string>& paths, const std::string& what);
/// --deflection and --angle: how finely STEP is cut into triangles. 0 stays where none is given.
void add_step_options(CLI::App& command, double& deflection_mm, double& angle_deg);

/// A --json result as text. Bytes in names that are not UTF-8 become U+FFFD: JSON takes no others.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& result);
/// The result with the unit its files were read in, when one was asked for ("metres_per_unit"):
/// whoever opens it has to read them alike.
[[nodiscard]] nlohmann::ordered_json with_unit(nlohmann::ordered_json result,
                                               double metres_per_unit);
/// What stands for an error in a --json result.
[[nodiscard]] nlohmann::ordered_json error_json(const Error& error);

}  // namespace clearance::cli
