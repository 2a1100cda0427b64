// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark program: measures the chosen rows and figures, prints a table and writes
// ratios.csv, figures.csv and environment.txt. Exit status: 0, or 1 when a row's answers differ
// from its rival's, or 2 for wrong usage. A missed bar is printed, not an error: time is noisy.
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <regex>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>

#include <clearance/base/file.h>

#include "build_info.h"
#include "harness.h"
#include "rivals.h"

namespace {

using namespace clearance;
using namespace clearance::bench;

std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string environment_text() {
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::string text;
  text += "processor: " + processor_name() + '\n';
  text += "cores: " + std::to_string(std::thread::hardware_concurrency()) + '\n';
  text += std::string("compiler: ") + kBuildCompiler + '\n';
  text += std::string("flags: ") + kBuildFlags + '\n';
  text += std::string("version: ") + kBuildVersion + '\n';
  text += std::string("commit: ") + kBuildCommit + '\n';
  text += std::string("rivals: ") + kRivalPackages + '\n';
  text += "seed: " + std::to_string(seed()) + '\n';
  text += std::string("date: ") + date + '\n';
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times Clearance against other libraries on the same input.");
  std::string only;
  std::string folder = ".";
  std::uint64_t seed_option = kDefaultSeed;
  bool list = false;
  Effort effort;
  app.add_option("--only", only, "Regular expression: measure the rows whose name it finds");
  app.add_option("--out", folder, "Folder for ratios.csv, figures.csv and environment.txt");
  app.add_option("--seed", seed_option, "Seed of the random input")->capture_default_str();
  app.add_option("--budget", effort.budget_s, "Seconds per row")->capture_default_str();
  app.add_option("--seeds", effort.seeds, "Runs of each random planner")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--limit", effort.limit_s, "Seconds after which a planner is given up")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--enough", effort.enough,
                 "Planners are given up once they took this many times as long as ours; 0: not")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  bool quick = false;
  app.add_flag("--quick", quick, "Planners: three seeds, 10 seconds");
  app.add_flag("--list", list, "Print the names and stop");
  CLI11_PARSE(app, argc, argv);
  set_seed(seed_option);
  if (quick) {
    effort.seeds = 3;
    effort.limit_s = 10.0;
  }

  std::regex chosen;
  try {
    chosen = std::regex(only);
  } catch (const std::regex_error& error) {
    std::cerr << "bench: --only: " << error.what() << '\n';
    return 2;
  }

  // Before the minutes of measuring, not after them.
  if (std::error_code error; !list && (std::filesystem::create_directories(folder, error), error)) {
    std::cerr << "bench: " << folder << ": cannot be made: " << error.message() << '\n';
    return 2;
  }

  std::vector<Measurement> rows;
  std::vector<FigureResult> figures;
  for (const Registered& entry : registered()) {
    if (!std::regex_search(entry.name, chosen)) continue;
    if (list) {
      std::cout << entry.name << '\n';
      continue;
    }
    std::cerr << "measuring " << entry.name << " ...\n";
    if (entry.row) {
      rows.push_back(measure(entry.name, entry.row(), effort));
    } else if (entry.timed) {
      if (std::optional<Measurement> row = entry.timed(effort)) rows.push_back(std::move(*row));
    } else {
      figures.push_back({entry.name, entry.figure()});
    }
  }
  if (list) return 0;
  for (FigureResult& mean : means(rows)) figures.push_back(std::move(mean));

  std::cout << table(rows, figures) << '\n';
  for (const auto& [name, text] :
       {std::pair{"ratios.csv", ratios_csv(rows)}, std::pair{"figures.csv", figures_csv(figures)},
        std::pair{"environment.txt", environment_text()}}) {
    if (const Status status = write_file(folder + "/" + name, text); !status) {
      std::cerr << "bench: " << status.error().message() << '\n';
      return 2;
    }
  }
  std::cout << "Written to " << folder << ": ratios.csv, figures.csv, environment.txt\n";
  for (const Measurement& row : rows) {
    if (row.compared && !row.equal) return 1;
  }
  return 0;
}
