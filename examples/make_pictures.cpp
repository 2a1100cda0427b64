// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Draws every generated part: the pictures of docs/generate.md.
//   make_pictures [FOLDER [NAME...]]
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <clearance/mesh/generate.h>
#include <clearance/picture/picture.h>

int main(int argc, char** argv) {
  using namespace clearance;
  const std::filesystem::path folder = argc > 1 ? argv[1] : "pictures";
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  std::filesystem::create_directories(folder);
  for (const GeneratorInfo& info : generators()) {
    const std::string name(info.name);
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    const Result<Assembly> assembly = generate(name);
    if (!assembly) {
      std::fprintf(stderr, "%s\n", assembly.error().message().c_str());
      return 2;
    }
    PictureOptions options;
    options.width = 360;
    options.height = 270;
    const std::vector<PictureItem> items = picture_items(*assembly);
    const Image image = render(items, {}, options);
    const Status written = write_png((folder / (name + ".png")).string(), image, {64});
    if (!written.ok()) {
      std::fprintf(stderr, "%s\n", written.error().message().c_str());
      return 2;
    }
  }
  return 0;
}
