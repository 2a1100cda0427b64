// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "session.h"
#include "text.h"

namespace clearance::cli {
namespace {

/// Rows of a run, unless --every says otherwise.
constexpr std::uint64_t kUsualRows = 100;

}  // namespace

Status name_files_in(const std::string& folder,
                     const std::vector<std::pair<std::string*, const char*>>& files) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Error{ErrorCode::Unreadable, folder, "", "cannot make the folder: " + error.message(),
                 ""};
  }
  for (const auto& [path, file] : files)
    if (path->empty()) *path = (std::filesystem::path(folder) / file).string();
  return {};
}

Result<std::optional<FoldCheckpoint>> checkpoint_of(const std::string& path) {
  std::optional<FoldCheckpoint> from;
  if (path.empty()) return from;
  Result<FoldCheckpoint> checkpoint = read_checkpoint(path);
  if (!checkpoint) return checkpoint.error();
  from = std::move(*checkpoint);
  return from;
}

std::uint64_t interval_of(std::uint64_t asked_for, std::uint64_t steps,
                          const FoldCheckpoint* from) {
  // Another one than that of the checkpoint is refused by check_resume().
  if (asked_for > 0) return asked_for;
  if (from != nullptr) {
    for (const auto& [name, value] : from->identity) {
      if (name == kIntervalName)
        return std::max<std::uint64_t>(1, std::strtoull(value.c_str(), nullptr, 10));
    }
  }
  return std::max<std::uint64_t>(1, steps / kUsualRows);
}

Status check_resume(const FoldCheckpoint& from, const std::string& path,
                    std::span<const std::pair<std::string, std::string>> identity,
                    std::uint64_t steps) {
  if (Status status = check_identity(from, path, identity); !status) return status;
  if (from.state.counts.steps <= steps) return {};
  return Error{ErrorCode::Invalid, path, "",
               "is at step " + std::to_string(from.state.counts.steps) + ", beyond --steps " +
                   std::to_string(steps),
               ""};
}

void say_stopped(std::uint64_t step, std::uint64_t steps, const std::string& checkpoint) {
  say("stopped at step " + group_digits(step) + " of " + group_digits(steps) +
      (checkpoint.empty() ? ""
                          : "; to go on, add --resume " + checkpoint + " to the same command"));
}

}  // namespace clearance::cli
