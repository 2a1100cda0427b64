// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Real data files for tests, when present: ../shared/data beside the source tree, or the folder
// named by CLEARANCE_DATA. Tests skip cleanly where it is absent.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace clearance::test {

/// A file or folder of the source tree: "examples/gripper.json". The one place that knows where the
/// tree stands, so that the compiler cache serves every checkout.
std::string source_path(const std::string& relative);
/// The data folder, or an empty path.
std::filesystem::path data_folder();
/// A file or folder below the data folder, or an empty path when it is not there.
std::filesystem::path data_path(const std::string& relative);
/// All regular files below a folder, sorted, whose extension (lower case) is one of these; all when
/// none given.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::vector<std::string>& extensions = {});

/// All bytes of a file; nothing where there is none.
std::string contents(const std::filesystem::path& path);

/// An empty folder of its own, removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace clearance::test

#define CLEARANCE_SKIP_WITHOUT_DATA()           \
  if (::clearance::test::data_folder().empty()) \
  GTEST_SKIP() << "no data folder beside the source tree (CLEARANCE_DATA)"
