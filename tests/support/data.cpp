// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/data.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace clearance::test {
namespace fs = std::filesystem;

std::string source_path(const std::string& relative) { return CLEARANCE_SOURCE_DIR "/" + relative; }

fs::path data_folder() {
  if (const char* named = std::getenv("CLEARANCE_DATA"))
    return fs::is_directory(named) ? fs::path(named) : fs::path();
  const fs::path beside = fs::path(CLEARANCE_SOURCE_DIR).parent_path() / "shared" / "data";
  return fs::is_directory(beside) ? beside : fs::path();
}

fs::path data_path(const std::string& relative) {
  const fs::path folder = data_folder();
  if (folder.empty() || !fs::exists(folder / relative)) return {};
  return folder / relative;
}

std::vector<fs::path> files_below(const fs::path& folder,
                                  const std::vector<std::string>& extensions) {
  std::vector<fs::path> files;
  if (folder.empty()) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string extension = entry.path().extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extensions.empty() ||
        std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "clearance-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace clearance::test
