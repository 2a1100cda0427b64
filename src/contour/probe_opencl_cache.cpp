// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_opencl_cache.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace clearance::detail {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read once, at the start
  return value == nullptr ? std::string() : std::string(value);
}

// Whether a folder can be made or written to: what of its path exists decides.
bool is_writable(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0;
}

// A folder of this user that nobody else can write to: PoCL runs what it finds there.
bool is_private(const fs::path& folder) {
  struct stat about = {};
  return lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
         about.st_uid == geteuid() && (about.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

}  // namespace

std::string other_pocl_cache() {
  if (!variable("POCL_CACHE_DIR").empty()) return {};
  const std::string cache = variable("XDG_CACHE_HOME");
  const std::string home = variable("HOME");
  const fs::path wanted = !cache.empty() ? fs::path(cache) : fs::path(home) / ".cache";
  if ((!cache.empty() || !home.empty()) && is_writable(wanted / "pocl" / "kcache")) return {};
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return {};
  const fs::path folder = temporary / ("clearance-pocl-" + std::to_string(geteuid()));
  mkdir(folder.c_str(), S_IRWXU);
  return is_private(folder) ? folder.string() : std::string();
}

void give_pocl_a_cache() {
  static std::once_flag once;
  std::call_once(once, [] {
    const std::string folder = other_pocl_cache();
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is no other way to tell PoCL
    if (!folder.empty()) setenv("POCL_CACHE_DIR", folder.c_str(), 0);
  });
}

}  // namespace clearance::detail
