// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Draws every generated part: the pictures of docs/generate.md.
//   make_pictures [FOLDER [NAME...]]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <clearance/mesh/generate.h>
#include <clearance/picture/picture.h>

namespace {

using namespace clearance;

// What to draw: a generator, from where, and which of its parts.
struct Subject {
  std::string file;
  std::string generator;
  Vec3 towards_eye{1.0, -1.4, 0.9};
  std::string only;  ///< parts whose names begin so; empty: all
  std::string without;
  bool triangles = false;
};

const std::vector<Subject> kSubjects{
    {"pipe", "pipe", {1.0, -1.4, 1.1}, "", "", true},
    {"pipe-joint", "pipe-joint", {1.0, -1.4, 1.1}, "", "", true},
    {"conrod", "conrod"},
    {"conrod-triangles", "conrod", {1.0, -1.4, 0.9}, "", "", true},
    {"tubular-frame", "tubular-frame"},
    {"tunnel-console", "tunnel-console", {-1.0, -1.1, 1.0}, "", "obstacle/roof"},
    {"tunnel-console-body", "tunnel-console", {-1.0, -1.1, 1.0}, "body/", "", true},
    {"cylinder-head", "cylinder-head", {0.8, 1.4, 0.7}},
    {"cylinder-head-body", "cylinder-head", {0.8, 1.4, 0.9}, "body/"},
    {"air-cleaner", "air-cleaner"},
    {"air-cleaner-body", "air-cleaner", {1.0, -1.4, 0.9}, "body/", "body/lid"},
    {"atrium", "atrium", {0.3, -1.4, 0.5}},
    {"wall", "wall", {1.4, -0.7, 0.5}},
    {"bin", "bin"},
    {"gripper", "gripper", {1.0, -1.4, 0.5}},
    {"torch", "torch", {0.6, -1.4, 0.5}},
};

bool draw(const Subject& subject, const std::filesystem::path& folder) {
  const Result<Assembly> assembly = generate(subject.generator);
  if (!assembly) {
    std::fprintf(stderr, "%s\n", assembly.error().message().c_str());
    return false;
  }
  Assembly shown;
  for (const AssemblyPart& part : assembly->parts) {
    if (!part.name.starts_with(subject.only)) continue;
    if (!subject.without.empty() && part.name.starts_with(subject.without)) continue;
    shown.parts.push_back(part);
  }
  std::vector<PictureItem> items = picture_items(shown);
  for (PictureItem& item : items) item.triangles = subject.triangles;
  PictureOptions options;
  options.width = 400;
  options.height = 300;
  options.towards_eye = subject.towards_eye;
  // A small palette keeps the files small.
  constexpr int kColours = 64;
  const Status written = write_png((folder / (subject.file + ".png")).string(),
                                   render(items, {}, options), {kColours});
  if (!written) std::fprintf(stderr, "%s\n", written.error().message().c_str());
  return written.ok();
}

int draw_all(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "pictures";
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  std::filesystem::create_directories(folder);
  for (const Subject& subject : kSubjects) {
    const bool chosen =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), subject.file) != wanted.end();
    if (chosen && !draw(subject, folder)) return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return draw_all(argc, argv);
  } catch (const std::exception& error) {  // out of memory, a folder that cannot be made
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
