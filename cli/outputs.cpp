// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "outputs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

/// What an option was given that may be a file.
struct Named {
  std::string option;
  std::string text;  ///< of the option in --help
  fs::path path;
};

struct Files {
  std::vector<Named> read;
  std::vector<Named> written;
  bool makes_folder = false;  ///< an option names a folder, which the verb may make
};

Files files_of(const CLI::App& command) {
  Files files;
  for (const CLI::Option* option : command.get_options()) {
    const std::string& text = option->get_option_text();
    // A checkpoint is written where it was read.
    if (option->check_lname("resume")) continue;
    files.makes_folder =
        files.makes_folder || (option->count() > 0 && (text == "DIR" || text == "FOLDER"));
    std::vector<Named>& list = text.starts_with("OUT") ? files.written : files.read;
    for (const std::string& value : option->results())
      list.push_back({option->get_name(false, false), text, value});
  }
  return files;
}

/// A device or a pipe may be written by several, and is no file to lose.
bool is_special(const fs::path& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed) && !failed) return fs::is_regular_file(a, failed);
  // What is not there yet stays relative, unless it is made absolute first.
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a, failed), failed);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b, failed), failed);
  return !failed && whole_a == whole_b;
}

/// ".png" for "OUT.png"; pictures and charts are not what another name for pictures says.
bool is_another_picture(const Named& out) {
  if (out.text != "OUT.png" && out.text != "OUT.svg") return false;
  constexpr std::array<std::string_view, 9> kPictures{".png", ".svg", ".jpg",  ".jpeg", ".gif",
                                                      ".bmp", ".pdf", ".tiff", ".webp"};
  std::string extension = out.path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension != out.text.substr(3) &&
         std::ranges::find(kPictures, extension) != kPictures.end();
}

Error wrong(const Named& out, std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", out.option + " " + out.path.string(), std::move(reason),
          std::move(advice)};
}

}  // namespace

Status check_outputs(const CLI::App& command) {
  const Files files = files_of(command);
  for (std::size_t i = 0; i < files.written.size(); ++i) {
    const Named& out = files.written[i];
    if (is_special(out.path)) continue;
    if (std::error_code none; fs::is_directory(out.path, none))
      return wrong(out, "is a folder, not a file");
    if (is_another_picture(out))
      return wrong(out, "is written as " + out.text.substr(3), "name it so");
    for (std::size_t k = 0; k < i; ++k) {
      if (is_same_file(out.path, files.written[k].path))
        return wrong(out, "is the file of " + files.written[k].option + " as well");
    }
    for (const Named& in : files.read) {
      if (std::error_code none;
          fs::is_regular_file(in.path, none) && is_same_file(out.path, in.path))
        return wrong(out, "would overwrite what " + in.option + " names");
    }
    const fs::path folder = out.path.parent_path();
    std::error_code none;
    if (!folder.empty() && !files.makes_folder && !fs::is_directory(folder, none))
      return wrong(out, "cannot be written: there is no folder " + folder.string());
  }
  return {};
}

}  // namespace clearance::cli
