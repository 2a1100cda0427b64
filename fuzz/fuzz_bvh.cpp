// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tree files. Bytes that begin like one are mapped as they are, then once more with a true
// checksum. All others are changes to a file that Bvh::save() wrote: the first byte says which,
// then groups of four an offset (two bytes, taken modulo the size), what to do and a value. So the
// checks behind the checksum are reached, whatever the version of the format. A file that passes
// them may hold any numbers: queries on it give some answer and come to an end.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <clearance/bvh/bvh.h>
#include <clearance/query/query.h>

#include "bvh/bvh_file.h"
#include "check_reader.h"

namespace {

using namespace clearance;
using fuzz::require;

/// A file that lives in memory only.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("tree", 0)) { require(descriptor_ >= 0); }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  void fill(std::span<const std::byte> bytes) {
    require(::ftruncate(descriptor_, 0) == 0);
    require(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// The bytes of a small saved tree: a fan of `count` triangles.
std::vector<std::byte> saved_tree(Volume volume, std::uint32_t count) {
  std::vector<Vec3> vertices{{0, 0, 1}};
  std::vector<std::array<std::uint32_t, 3>> faces;
  for (std::uint32_t i = 0; i <= count; ++i) vertices.push_back({1.0 * i, 0.1 * i * i, 0.0});
  for (std::uint32_t i = 0; i < count; ++i) faces.push_back({0, i + 1, i + 2});
  BvhOptions options;
  options.volume = volume;
  options.threads = {1};
  char name[] = "/tmp/clearance-fuzz-XXXXXX";
  const int descriptor = ::mkstemp(name);
  require(descriptor >= 0);
  ::close(descriptor);
  require(Bvh::build(vertices, faces, options).value().save(name).ok());
  std::vector<std::byte> bytes;
  std::FILE* file = std::fopen(name, "rb");
  require(file != nullptr);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    bytes.push_back(static_cast<std::byte>(c));
  std::fclose(file);
  ::unlink(name);
  return bytes;
}

void check_map(MemoryFile& file, std::span<const std::byte> bytes) {
  file.fill(bytes);
  const Result<Bvh> tree = Bvh::map(file.path());
  if (!tree) {
    require(tree.error().file == file.path() && !tree.error().reason.empty());
    return;
  }
  for (const auto& face : tree->faces()) {
    for (const std::uint32_t v : face) require(is_finite(tree->vertices()[v]));
  }
  require(tree->statistics().node_count > 0);
  const Pose pose{Mat3::identity(), {0.1, 0.2, 3.0}};
  (void)distance(*tree, *tree, pose);
  (void)collide(*tree, *tree, pose);
  (void)contacts(*tree, *tree, pose, 100);
  require(tree->refit(tree->vertices(), nullptr, {1}).ok());
}

std::vector<std::byte> changed(std::vector<std::byte> bytes, const std::uint8_t* data,
                               std::size_t size) {
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    std::byte& place = bytes[(data[i] + 256U * data[i + 1]) % bytes.size()];
    const auto value = static_cast<std::byte>(data[i + 3]);
    switch (data[i + 2] % 3) {
      case 0:
        place = value;
        break;
      case 1:
        place ^= value;
        break;
      default:
        place = static_cast<std::byte>(std::to_integer<int>(place) + data[i + 3]);
    }
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<std::vector<std::byte>, 4> kSaved{
      saved_tree(Volume::Wide, 5), saved_tree(Volume::Wide, 30), saved_tree(Volume::Wide, 100),
      saved_tree(Volume::Rss, 12)};
  static MemoryFile file;
  if (size == 0) return 0;
  std::vector<std::byte> bytes;
  if (static_cast<char>(data[0]) == clearance::detail::kTreeFileMagic[0]) {
    const std::span<const std::byte> given = std::as_bytes(std::span(data, size));
    bytes.assign(given.begin(), given.end());
    check_map(file, bytes);
  } else {
    bytes = changed(kSaved[data[0] % kSaved.size()], data + 1, size - 1);
  }
  clearance::detail::seal_bytes(bytes, clearance::detail::kTreeFile);
  check_map(file, bytes);
  return 0;
}
