// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce all: every study, and one HTML report of them.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include <clearance/base/file.h>

#include "build_info.h"
#include "reproduce.h"
#include "reproduce_all_page.h"
#include "session.h"
#include "study_output.h"
#include "text.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

/// What a function prints on standard output.
class CapturedOutput {
 public:
  CapturedOutput() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~CapturedOutput() { std::cout.rdbuf(before_); }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "an unknown processor";
}

std::vector<std::pair<std::string, std::string>> charts_in(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> charts;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".svg") continue;
    const Result<MappedFile> file = MappedFile::open(entry.path().string());
    if (file) charts.emplace_back(entry.path().filename().string(), std::string(file->text()));
  }
  std::sort(charts.begin(), charts.end());
  return charts;
}

}  // namespace

int reproduce_all(const ReproduceOptions& options, std::span<const StudyToRun> studies) {
  if (!options.paths.empty())
    return fail_usage("reproduce", "all takes no files; --data names a folder");
  const fs::path folder = options.out.empty() ? fs::path("report") : fs::path(options.out);
  if (const Status there = check_data_folder(options); !there) return fail(there.error());
  std::vector<StudyResult> results;
  for (const StudyToRun& study : studies) {
    say("study " + std::to_string(results.size() + 1) + " of " + std::to_string(studies.size()) +
        ": " + study.name);
    ReproduceOptions own = options;
    own.json = true;
    own.csv.clear();
    own.out = study.draws ? (folder / study.name).string() : "";
    if (std::string(study.name) == "inertia-fit") own.data.clear();
    StudyResult result;
    result.name = study.name;
    result.description = study.description;
    const auto start = std::chrono::steady_clock::now();
    {
      const CapturedOutput output;
      result.status = study.run(own);
      result.json = output.text();
    }
    if (result.status == kInterrupted) return kInterrupted;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.charts = charts_in(own.out);
    results.push_back(std::move(result));
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  const std::string path = (folder / "report.html").string();
  std::string command = std::string("clearance reproduce all") + (options.quick ? " --quick" : "");
  if (!options.data.empty()) command += " --data DIR";
  const ReportHead head{
      std::string("clearance ") + kBuildVersion + " (commit " + kBuildCommit + ")",
      processor_name(), command};
  if (const Status written = write_file(path, report_page(head, results)); !written)
    return fail(written.error());
  const auto [holding, all] = count_claims(results);
  std::vector<std::vector<std::string>> lines;
  lines.reserve(results.size());
  for (const StudyResult& result : results) {
    lines.push_back({"  " + result.name, format_number("%.1f s", result.seconds),
                     result.status == kGood ? "done" : "status " + std::to_string(result.status)});
  }
  std::cout << align_columns(lines) << holding << " of " << all << " claims hold\n"
            << path << ": tables, charts and claims\n";
  int worst = kGood;
  for (const StudyResult& result : results) worst = std::max(worst, result.status);
  return worst;
}

}  // namespace clearance::cli
