// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading a mesh of a million triangles from a file in the page cache: against assimp's importer
// without post-processing, and against the least any reader must do, read() and one look at each
// byte. And the memory it takes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>

#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fcntl.h>
#include <unistd.h>

#include <clearance/mesh/generate.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/write.h>

#include "harness.h"

namespace {
using namespace clearance;

constexpr std::size_t kTriangles = 1'000'000;

// The same mesh in each format, in a folder of its own that goes at the end.
class Files {
 public:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "clearance-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    PipeOptions options;
    options.triangles = kTriangles;
    const Mesh mesh = make_pipe(options).value();
    for (const char* file : {"pipe.stl", "pipe.obj", "pipe.ply"}) {
      if (!write_mesh(path(file), mesh).ok()) std::abort();
    }
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }

  static const Files& get() {
    static const Files files;
    return files;
  }

 private:
  std::filesystem::path folder_;
};

Mesh read_ours(const std::string& path, bool weld = true) {
  ReadOptions options;
  options.weld = weld;
  return read_mesh(path, options).value().mesh;
}

// The corners of all triangles in order, in single precision as assimp keeps them.
using Soup = std::vector<std::array<float, 3>>;

Soup soup_of(const Mesh& mesh) {
  Soup soup;
  soup.reserve(3 * mesh.triangle_count());
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    for (const Vec3& p : {t.a, t.b, t.c}) {
      soup.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    }
  }
  return soup;
}

Soup soup_of_assimp(const std::string& path, unsigned flags) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(path, flags);
  Soup soup;
  if (scene == nullptr) return soup;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
    const aiMesh& mesh = *scene->mMeshes[m];
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      for (unsigned c = 0; c < mesh.mFaces[f].mNumIndices; ++c) {
        const aiVector3D& p = mesh.mVertices[mesh.mFaces[f].mIndices[c]];
        soup.push_back({p.x, p.y, p.z});
      }
    }
  }
  return soup;
}

bool same(const Soup& a, const Soup& b, float tolerance) {
  return !a.empty() &&
         std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& p, const auto& q) {
           float difference = 0.0f;
           for (std::size_t i = 0; i < 3; ++i)
             difference = std::max(difference, std::abs(p[i] - q[i]));
           return difference <= tolerance;
         });
}

// `tolerance` [m]: 0 where both keep the file's floats. assimp's own parser of decimal numbers is
// off in the last bits; the part is 0.2 m long.
bench::Row against_assimp(const std::string& file, unsigned flags, float tolerance, double bar,
                          bool weld = true) {
  const std::string path = Files::get().path(file);
  return bench::Row{.rival = flags == 0 ? "assimp" : "assimp, joining vertices",
                    .ours = [path, weld] { bench::keep(read_ours(path, weld).triangle_count()); },
                    .theirs =
                        [path, flags] {
                          Assimp::Importer importer;
                          bench::keep(importer.ReadFile(path, flags));
                        },
                    .equal =
                        [path, flags, tolerance, weld] {
                          return same(soup_of(read_ours(path, weld)), soup_of_assimp(path, flags),
                                      tolerance);
                        },
                    .bar = bar};
}

// Reads a file into a fresh buffer and adds up its bytes.
std::uint64_t read_and_pass(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) std::abort();
  const auto size = static_cast<std::size_t>(::lseek(descriptor, 0, SEEK_END));
  ::lseek(descriptor, 0, SEEK_SET);
  const std::unique_ptr<unsigned char[]> buffer(new unsigned char[size]);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(descriptor, buffer.get() + done, size - done);
    if (count <= 0) std::abort();
    done += static_cast<std::size_t>(count);
  }
  ::close(descriptor);
  return std::accumulate(buffer.get(), buffer.get() + size, std::uint64_t{0});
}

const bench::RowEntry kStl{"read/stl_binary_1m",
                           [] { return against_assimp("pipe.stl", 0, 0.0f, 10.0); }};
// Like with like: assimp leaves the corners unjoined, unless it is told to join them.
const bench::RowEntry kStlSoup{"read/stl_binary_1m_soup", [] {
                                 return against_assimp("pipe.stl", 0, 0.0f, 10.0, /*weld=*/false);
                               }};
const bench::RowEntry kStlWelded{
    "read/stl_binary_1m_welded",
    [] { return against_assimp("pipe.stl", aiProcess_JoinIdenticalVertices, 0.0f, 10.0); }};
const bench::RowEntry kObj{"read/obj_1m", [] { return against_assimp("pipe.obj", 0, 1e-6f, 5.0); }};
const bench::RowEntry kPly{"read/ply_1m", [] { return against_assimp("pipe.ply", 0, 0.0f, 5.0); }};

// The answers of this row are of different kinds: nothing to compare.
const bench::RowEntry kStlRaw{
    "read/stl_binary_1m_raw", [] {
      const std::string path = Files::get().path("pipe.stl");
      return bench::Row{.rival = "read() and one pass",
                        .ours = [path] { bench::keep(read_ours(path).triangle_count()); },
                        .theirs = [path] { bench::keep(read_and_pass(path)); },
                        .equal = {},
                        .bar = 0.5};
    }};

bench::Figure memory_while_reading(const std::string& file) {
  const std::string path = Files::get().path(file);
  const auto mesh_bytes = static_cast<double>(read_ours(path).memory_bytes());
  const std::uint64_t growth =
      bench::peak_memory_growth([&] { bench::keep(read_ours(path).triangle_count()); });
  return {.value = static_cast<double>(growth) / mesh_bytes, .unit = "x mesh", .at_most = 2.5};
}

const bench::FigureEntry kStlMemory{"read/stl_binary_1m_memory",
                                    [] { return memory_while_reading("pipe.stl"); }};
const bench::FigureEntry kObjMemory{"read/obj_1m_memory",
                                    [] { return memory_while_reading("pipe.obj"); }};
const bench::FigureEntry kPlyMemory{"read/ply_1m_memory",
                                    [] { return memory_while_reading("pipe.ply"); }};

}  // namespace
