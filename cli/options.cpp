// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options and JSON that several verbs share.
#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include <clearance/mesh/read.h>

#include "text.h"
#include "verbs.h"

namespace clearance::cli {

std::vector<std::string> unit_names() { return {"m", "mm", "cm", "um", "in", "ft"}; }

CLI::Option* add_unit_option(Program& program, CLI::App& command, const std::string& name,
                             double& metres_per_unit, const std::string& help) {
  CLI::Option* option = command.add_option_function<std::string>(
      name,
      [name, &metres_per_unit](const std::string& text) {
        const std::optional<double> metres = unit_from_name(text);
        if (!metres) {
          std::string known;
          for (const std::string& unit : unit_names()) known += " " + unit;
          throw CLI::ValidationError(name, "there is no unit '" + text + "'; known:" + known);
        }
        metres_per_unit = *metres;
      },
      help);
  option->option_text("UNIT");
  program.hints[option] = {unit_names(), {}};
  return option;
}

CLI::Option* add_unit_option(Program& program, CLI::App& command, double& metres_per_unit,
                             const std::string& help) {
  return add_unit_option(program, command, "--unit", metres_per_unit, help);
}

std::function<std::string(const std::string&)> number_from(double least, double most) {
  return [least, most](const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool good = !text.empty() && *end == '\0' && value >= least && value <= most;
    return good ? std::string()
                : "'" + text + "' is not a number from " + format_number("%g", least) + " to " +
                      format_number("%g", most);
  };
}

std::function<std::string(const std::string&)> count_from(std::uint64_t least) {
  return [least](const std::string& text) {
    const bool digits = !text.empty() && text.size() < 19 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    const bool good = digits && std::strtoull(text.c_str(), nullptr, 10) >= least;
    return good ? std::string()
                : "'" + text + "' is not a number of " + std::to_string(least) + " or more";
  };
}

std::string in_digits(const std::string& text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == 0 || e == std::string::npos) return text;
  const std::string digits = text.substr(0, e);
  const std::string zeros = text.substr(e + 1);
  const auto whole = [](const std::string& part) {
    return !part.empty() && part.size() < 19 &&
           part.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!whole(digits) || !whole(zeros)) return text;
  const std::uint64_t count = std::strtoull(zeros.c_str(), nullptr, 10);
  return count < 19 ? digits + std::string(count, '0') : text;
}

CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  return command.add_option("--seed", seed, help)->option_text("S")->check(count_from(0));
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

nlohmann::ordered_json with_unit(nlohmann::ordered_json result, double metres_per_unit) {
  if (metres_per_unit > 0.0) result["metres_per_unit"] = metres_per_unit;
  return result;
}

std::string json_text(const nlohmann::ordered_json& result) {
  return result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

nlohmann::ordered_json error_json(const Error& error) {
  static constexpr const char* kCodes[] = {"not_found",   "unreadable", "malformed",
                                           "unsupported", "invalid",    "cancelled"};
  return {{"code", kCodes[static_cast<int>(error.code)]},
          {"place", error.place},
          {"reason", error.reason},
          {"advice", error.advice}};
}

void add_files_option(Program& program, CLI::App& command, const std::string& name,
                      std::vector<std::string>& paths, const std::string& what) {
  std::string extensions;
  std::vector<std::string> bare;
  for (const std::string& extension : readable_extensions()) {
    extensions += " " + extension;
    bare.push_back(extension.substr(1));
  }
  CLI::Option* files = command.add_option(name, paths, what + extensions);
  files->required();
  program.hints[files] = {{}, bare};
}

void add_step_options(CLI::App& command, double& deflection_mm, double& angle_deg) {
  const auto positive = [](double most) {
    return [most](const std::string& text) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      const bool good = !text.empty() && *end == '\0' && value > 0.0 && value <= most;
      return good ? std::string() : "'" + text + "' is not a number above 0";
    };
  };
  command
      .add_option("--deflection", deflection_mm,
                  "STEP: largest distance of a triangle from its face, in mm (0.1)")
      ->option_text("MM")
      ->check(positive(1e6));
  command
      .add_option("--angle", angle_deg,
                  "STEP: largest angle between neighbouring triangles of a face, in degrees (20)")
      ->option_text("DEG")
      ->check(positive(180.0));
}

std::optional<double> length_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end == text.c_str() || !std::isfinite(value) || value < 0.0)
    return std::nullopt;
  if (*end == '\0') return value;
  const std::optional<double> unit = unit_from_name(end);
  return unit ? std::optional(value * *unit) : std::nullopt;
}

void add_length_option(CLI::App& command, const std::string& name, double& metres,
                       const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [name, &metres](const std::string& text) {
            const std::optional<double> length = length_of(text);
            if (!length)
              throw CLI::ValidationError(name,
                                         "'" + text + "' is no length such as 0.5mm or 0.002");
            metres = *length;
          },
          help)
      ->option_text("LENGTH");
}

}  // namespace clearance::cli
