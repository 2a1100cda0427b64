// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <clearance/mesh/read.h>

namespace clearance::cli {

namespace fs = std::filesystem;

namespace {

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

Result<std::vector<std::string>> files_below(const std::string& folder) {
  const std::vector<std::string> known = readable_extensions();
  std::vector<std::string> files;
  std::error_code problem;
  for (auto entry = fs::recursive_directory_iterator(folder, problem);
       !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    const std::string extension = lower_extension(entry->path());
    if (std::find(known.begin(), known.end(), extension) != known.end() &&
        entry->is_regular_file(problem))
      files.push_back(entry->path().string());
  }
  if (problem) return Error{ErrorCode::Unreadable, folder, "", problem.message(), ""};
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace clearance::cli
