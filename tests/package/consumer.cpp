// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program outside the tree: makes a part, writes it, reads it back, and asks whether it is sound.
#include <cstdio>
#include <string>

#include <clearance/mesh/generate.h>
#include <clearance/mesh/health.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/write.h>

int main(int argc, char** argv) {
  using namespace clearance;
  if (argc != 2) return 2;
  const std::string path = argv[1];
  const Result<Mesh> pipe = make_pipe();
  if (!pipe) return 2;
  if (const Status written = write_mesh(path, *pipe); !written) {
    std::fprintf(stderr, "%s\n", written.error().message().c_str());
    return 2;
  }
  const Result<LoadedMesh> loaded = read_mesh(path);
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().message().c_str());
    return 2;
  }
  const MeshHealth health = examine(loaded->mesh);
  std::printf("%zu triangles, %s\n", health.triangles, health.closed ? "closed" : "open");
  return health.closed && health.triangles == pipe->triangle_count() ? 0 : 1;
}
