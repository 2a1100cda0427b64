// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clearance/base/random.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/write.h>

#include "support/data.h"

namespace clearance {
namespace {

using Json = nlohmann::json;

Mesh tetrahedron(const Vec3& at = {}) {
  std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (Vec3& v : vertices) v += at;
  return Mesh::make(std::move(vertices), {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}).value();
}

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Checks the container by the specification and returns the JSON.
Json checked_json(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(u32(bytes, 4), 2u);
  EXPECT_EQ(u32(bytes, 8), bytes.size());
  const std::uint32_t json_size = u32(bytes, 12);
  EXPECT_EQ(json_size % 4, 0u);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  const std::size_t binary = 20 + json_size;
  EXPECT_EQ(u32(bytes, binary) % 4, 0u);
  EXPECT_EQ(bytes.substr(binary + 4, 4), std::string("BIN\0", 4));
  EXPECT_EQ(binary + 8 + u32(bytes, binary), bytes.size());
  const Json json = Json::parse(bytes.substr(20, json_size));
  EXPECT_EQ(json["buffers"][0]["byteLength"], u32(bytes, binary));
  for (const Json& view : json["bufferViews"]) EXPECT_EQ(view["byteOffset"].get<int>() % 4, 0);
  return json;
}

Assembly read_back(const std::string& path) {
  const auto loaded = read_assembly(path);
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message());
  return loaded.ok() ? loaded->assembly : Assembly{};
}

TEST(WriteGlb, KeepsNamesPlacementAndSharedShapes) {
  const test::TemporaryFolder folder;
  const Mesh mesh = tetrahedron();
  Assembly assembly;
  assembly.parts.push_back({"base", mesh, Pose::identity()});
  assembly.parts.push_back({"arm", mesh, {rotation_from_rpy(0.3, 0.2, -1.0), {1, 2, 3}}});
  assembly.parts.push_back({"tool", tetrahedron({0.5, 0, 0}), Pose::translate({0, 0, 5})});
  ASSERT_TRUE(write_assembly(folder.file("a.glb"), assembly).ok());

  const Json json = checked_json(test::contents(folder.file("a.glb")));
  EXPECT_EQ(json["meshes"].size(), 2u);
  EXPECT_EQ(json["asset"]["generator"], "Clearance");
  const Json& accessor = json["accessors"][0];
  EXPECT_EQ(accessor["min"], Json::array({0.0, 0.0, 0.0}));
  EXPECT_EQ(accessor["max"], Json::array({1.0, 1.0, 1.0}));

  const Assembly back = read_back(folder.file("a.glb"));
  ASSERT_EQ(back.parts.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.parts[i].name, assembly.parts[i].name);
    for (std::size_t t = 0; t < 4; ++t) {
      const Vec3 before = assembly.parts[i].world_from_part * assembly.parts[i].mesh.triangle(t).b;
      const Vec3 after = back.parts[i].world_from_part * back.parts[i].mesh.triangle(t).b;
      EXPECT_LT(distance(before, after), 1e-14);
    }
  }
  // Z up to Y up and back is exact.
  EXPECT_EQ(back.parts[0].world_from_part, Pose::identity());
  EXPECT_EQ(back.parts[2].world_from_part, Pose::translate({0, 0, 5}));
  EXPECT_EQ(back.parts[0].mesh.vertices().data(), back.parts[1].mesh.vertices().data());
}

TEST(WriteGlb, WritesNamedRangesOfAMeshAsNodesOfTheirOwn) {
  const test::TemporaryFolder folder;
  const Mesh plain = tetrahedron();
  const Mesh mesh =
      Mesh::make({plain.vertices().begin(), plain.vertices().end()},
                 {plain.faces().begin(), plain.faces().end()}, {{"floor", 0, 1}, {"walls", 1, 3}})
          .value();
  ASSERT_TRUE(write_mesh(folder.file("a.glb"), mesh).ok());
  checked_json(test::contents(folder.file("a.glb")));
  const Assembly back = read_back(folder.file("a.glb"));
  ASSERT_EQ(back.parts.size(), 2u);
  EXPECT_EQ(back.parts[0].name, "floor");
  EXPECT_EQ(back.parts[0].mesh.triangle_count(), 1u);
  EXPECT_EQ(back.parts[1].name, "walls");
  EXPECT_EQ(back.parts[1].mesh.triangle_count(), 3u);
}

TEST(WriteGlb, KeepsPrecisionFarFromTheOrigin) {
  // A part of 0.1 mm features 10 km away: single precision about the origin would keep 1 mm.
  const test::TemporaryFolder folder;
  const Vec3 far{10'000.0, -20'000.0, 5'000.0};
  const Mesh mesh =
      Mesh::make({far, far + Vec3{1e-4, 0, 0}, far + Vec3{0, 1, 0}}, {{0, 1, 2}}).value();
  Assembly assembly;
  assembly.parts.push_back({"part", mesh, {rotation_about({0, 0, 1}, 0.5), {1, 1, 1}}});
  ASSERT_TRUE(write_assembly(folder.file("a.glb"), assembly).ok());
  const Mesh back = read_back(folder.file("a.glb")).flattened();
  const Mesh before = assembly.flattened();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(distance(back.vertices()[i], before.vertices()[i]), 1e-7);
  }
}

TEST(WriteGlb, ChoosesTheIndexSizeByTheNumberOfVertices) {
  for (const std::size_t vertex_count : {65'535u, 65'536u}) {
    const test::TemporaryFolder folder;
    Random random(1);
    std::vector<Vec3> vertices(vertex_count);
    for (Vec3& v : vertices) v = {random.uniform(), random.uniform(), random.uniform()};
    std::vector<Face> faces;
    for (std::uint32_t i = 0; i + 2 < vertex_count; i += 3) faces.push_back({i, i + 1, i + 2});
    const auto last = static_cast<std::uint32_t>(vertex_count - 1);
    faces.push_back({0, 1, last});
    const Mesh mesh = Mesh::make(vertices, faces).value();
    ASSERT_TRUE(write_mesh(folder.file("a.glb"), mesh).ok());
    const Json json = checked_json(test::contents(folder.file("a.glb")));
    EXPECT_EQ(json["accessors"][1]["componentType"], vertex_count == 65'535u ? 5123 : 5125);
    const Mesh back = read_back(folder.file("a.glb")).flattened();
    ASSERT_EQ(back.triangle_count(), faces.size());
    EXPECT_LT(distance(back.triangle(faces.size() - 1).c, vertices[last]), 1e-7);
  }
}

TEST(WriteGlb, WritesTheSameBytesEachTime) {
  const test::TemporaryFolder folder;
  Assembly assembly;
  assembly.parts.push_back({"a", tetrahedron(), Pose::identity()});
  assembly.parts.push_back({"b", tetrahedron({1, 1, 1}), Pose::translate({3, 0, 0})});
  ASSERT_TRUE(write_assembly(folder.file("1.glb"), assembly).ok());
  Assembly again;
  again.parts.push_back({"a", tetrahedron(), Pose::identity()});
  again.parts.push_back({"b", tetrahedron({1, 1, 1}), Pose::translate({3, 0, 0})});
  ASSERT_TRUE(write_assembly(folder.file("2.glb"), again).ok());
  EXPECT_EQ(test::contents(folder.file("1.glb")), test::contents(folder.file("2.glb")));
}

TEST(WriteGlb, RefusesCoordinatesBeyondSinglePrecision) {
  const test::TemporaryFolder folder;
  const Mesh huge = Mesh::make({{0, 0, 0}, {1e300, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}).value();
  const Status status = write_mesh(folder.file("a.glb"), huge);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::Unsupported);
  EXPECT_TRUE(test::files_below(folder.path()).empty());
}

TEST(WriteGlb, ReplacesNamesThatAreNotUtf8) {
  const test::TemporaryFolder folder;
  Assembly assembly;
  assembly.parts.push_back({"bolt\xFF", tetrahedron(), Pose::identity()});
  ASSERT_TRUE(write_assembly(folder.file("a.glb"), assembly).ok());
  EXPECT_EQ(read_back(folder.file("a.glb")).parts.at(0).name, "bolt\xEF\xBF\xBD");
}

}  // namespace
}  // namespace clearance
