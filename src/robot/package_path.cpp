// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "robot/package_path.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace clearance::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackage = "package://";
constexpr std::string_view kFile = "file://";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// A file of a package, by the name of the package and the path inside.
struct PackageFile {
  fs::path package;
  fs::path inside;

  /// Below a folder that holds the package, or that is the package.
  [[nodiscard]] std::optional<fs::path> below(const fs::path& folder) const {
    if (fs::path file = folder / package / inside; is_file(file)) return file;
    // A folder named with a slash at its end has an empty last part.
    const fs::path last = folder.filename().empty() ? folder.parent_path() : folder;
    if (fs::path file = folder / inside; last.filename() == package && is_file(file)) return file;
    return std::nullopt;
  }
};

/// The folders of an environment variable, which are separated by colons.
std::vector<fs::path> folders_of(const char* variable) {
  std::vector<fs::path> folders;
  // Nothing in Clearance changes the environment.
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

/// "in A, B and C" for a message; empty when there are none.
std::string listed(const std::vector<fs::path>& folders) {
  std::string text;
  for (const fs::path& folder : folders) text += (text.empty() ? "" : ", ") + folder.string();
  return text;
}

Result<std::string> find_in_packages(const PackageFile& file, const fs::path& urdf_folder,
                                     std::span<const std::string> package_folders, Error missing) {
  const std::vector<fs::path> given(package_folders.begin(), package_folders.end());
  const std::vector<fs::path> ros = folders_of("ROS_PACKAGE_PATH");
  std::vector<fs::path> ament = folders_of("AMENT_PREFIX_PATH");
  for (fs::path& folder : ament) folder /= "share";
  std::vector<fs::path> above;
  for (fs::path at = urdf_folder;; at = at.parent_path()) {
    above.push_back(at);
    if (at == at.parent_path()) break;
  }
  using Folders = std::span<const fs::path>;
  for (const Folders folders : {Folders(given), Folders(above), Folders(ros), Folders(ament)}) {
    for (const fs::path& folder : folders)
      if (const std::optional<fs::path> found = file.below(folder)) return found->string();
  }
  missing.advice = "package '" + file.package.string() + "' was looked for in the folders above " +
                   "the URDF, from " + urdf_folder.string() + " up";
  const auto add = [&](const char* what, const std::vector<fs::path>& folders) {
    missing.advice += std::string("; in ") + what + ": " +
                      (folders.empty() ? std::string("none") : listed(folders));
  };
  add("the package folders given", given);
  add("ROS_PACKAGE_PATH", ros);
  add("AMENT_PREFIX_PATH", ament);
  return missing;
}

}  // namespace

Result<std::string> find_mesh(const std::string& name, const std::string& urdf_path,
                              const std::string& place,
                              std::span<const std::string> package_folders) {
  std::error_code ignored;
  const fs::path urdf = fs::absolute(fs::path(urdf_path), ignored);
  const fs::path folder = urdf.lexically_normal().parent_path();
  Error missing{ErrorCode::NotFound, urdf_path, place, "mesh '" + name + "' was not found", ""};
  if (name.starts_with(kPackage)) {
    const fs::path path = name.substr(kPackage.size());
    PackageFile file;
    for (const fs::path& part : path) {
      if (file.package.empty()) {
        file.package = part;
      } else {
        file.inside /= part;
      }
    }
    return find_in_packages(file, folder, package_folders, std::move(missing));
  }
  // A path from the root of the disk replaces the folder.
  const fs::path file = folder / (name.starts_with(kFile) ? name.substr(kFile.size()) : name);
  if (is_file(file)) return file.string();
  missing.advice = "meshes are looked for beside the URDF: there is no file " + file.string();
  return missing;
}

}  // namespace clearance::detail
