// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clearance/base/random.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/write.h>

#include "support/data.h"

namespace clearance {
namespace {

// A small soup with coordinates of all magnitudes a float holds, every vertex in use.
Mesh random_mesh(Random& random) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  const std::uint64_t count = 1 + random.below(40);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (int corner = 0; corner < 3; ++corner) {
      Vec3 p;
      for (std::size_t axis = 0; axis < 3; ++axis)
        p[axis] = random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-30.0, 30.0));
      vertices.push_back(p);
    }
    faces.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

TEST(Write, WhatIsWrittenReadsBackTheSame) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Mesh mesh = random_mesh(random);
    for (const std::string name : {"a.obj", "a.ply", "a.stl"}) {
      RC_ASSERT(write_mesh(folder.file(name), mesh).ok());
      const Result<LoadedMesh> again = read_mesh(folder.file(name));
      RC_ASSERT(again.ok());
      RC_ASSERT(again->mesh.triangle_count() == mesh.triangle_count());
      RC_ASSERT(again->mesh.vertex_count() == mesh.vertex_count());
      for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
        Vec3 expected = mesh.vertices()[i];
        if (name == "a.stl") {
          for (std::size_t axis = 0; axis < 3; ++axis)
            expected[axis] = static_cast<double>(static_cast<float>(expected[axis]));
        }
        RC_ASSERT(again->mesh.vertices()[i] == expected);
      }
    }
  }));
}

Mesh two_parts() {
  return Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    {Face{0, 1, 2}, Face{0, 1, 3}, Face{1, 2, 3}},
                    {{"first one", 0, 1}, {"second\nline", 1, 2}})
      .value();
}

TEST(Write, ObjKeepsPartsAsGroups) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_mesh(folder.file("a.obj"), two_parts()).ok());
  const Mesh again = read_mesh(folder.file("a.obj")).value().mesh;
  const std::vector<MeshPart> expected{{"first one", 0, 1}, {"second line", 1, 2}};
  EXPECT_EQ(std::vector<MeshPart>(again.parts().begin(), again.parts().end()), expected);
}

TEST(Write, UsesTheUnit) {
  const test::TemporaryFolder folder;
  WriteOptions write;
  write.metres_per_unit = 0.001;
  ReadOptions read;
  read.metres_per_unit = 0.001;
  for (const std::string name : {"a.obj", "a.ply", "a.stl"}) {
    ASSERT_TRUE(write_mesh(folder.file(name), two_parts(), write).ok());
    EXPECT_EQ(read_mesh(folder.file(name)).value().mesh.bounds().high, (Vec3{1000, 1000, 1000}));
    EXPECT_EQ(read_mesh(folder.file(name), read).value().mesh.bounds().high, (Vec3{1, 1, 1}));
  }
}

TEST(Write, FlattensAssemblies) {
  const test::TemporaryFolder folder;
  Assembly assembly;
  assembly.parts.push_back({"here", two_parts(), Pose{}});
  assembly.parts.push_back({"there", two_parts(), Pose::translate({10, 0, 0})});
  ASSERT_TRUE(write_assembly(folder.file("a.PLY"), assembly).ok());
  const Mesh again = read_mesh(folder.file("a.PLY")).value().mesh;
  EXPECT_EQ(again.triangle_count(), 6u);
  EXPECT_EQ(again.bounds().high, (Vec3{11, 1, 1}));
}

TEST(Write, RefusesAndLeavesTheFolderAsItWas) {
  const test::TemporaryFolder folder;
  WriteOptions zero;
  zero.metres_per_unit = 0.0;
  const Mesh far = Mesh::make({{1e39, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {Face{0, 1, 2}}).value();
  EXPECT_NE(write_mesh(folder.file("a.stl"), far).error().message().find("vertex 0: is beyond"),
            std::string::npos);
  EXPECT_EQ(write_mesh(folder.file("a.xyz"), two_parts()).error().code, ErrorCode::Unsupported);
  EXPECT_EQ(write_mesh(folder.file("a.obj"), Mesh()).error().code, ErrorCode::Invalid);
  EXPECT_EQ(write_mesh(folder.file("a.obj"), two_parts(), zero).error().code, ErrorCode::Invalid);
  EXPECT_EQ(write_assembly(folder.file("a.glb"), Assembly()).error().code, ErrorCode::Invalid);
  EXPECT_FALSE(write_mesh(folder.file("missing/a.obj"), two_parts()).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace clearance
