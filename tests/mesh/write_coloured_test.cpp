// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/write.h>

#include "support/data.h"

namespace clearance {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Mesh triangle_at(double x) {
  return Mesh::make({{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}}, {Face{0, 1, 2}}).value();
}

std::vector<ColouredMesh> two_meshes() {
  return {{"wall", triangle_at(0), {{255, 0, 0}, {0, 255, 0}, {0, 0, 128}}, {0.25, 0.5, 1e300}},
          {"robot", triangle_at(5), {{7, 7, 7}, {8, 8, 8}, {9, 9, 9}}}};
}

std::string bytes_of(const std::string& path) {
  return std::string(MappedFile::open(path).value().text());
}

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST(WriteColoured, PlyHoldsColoursAndValuesByVertex) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("map.ply");
  ASSERT_TRUE(write_coloured(path, two_meshes(), "distance", "red is near\nblue is far"));
  const std::string bytes = bytes_of(path);
  EXPECT_THAT(bytes, HasSubstr("comment red is near\ncomment blue is far\n"));
  EXPECT_THAT(bytes, HasSubstr("element vertex 6\n"));
  EXPECT_THAT(bytes, HasSubstr("property uchar blue\nproperty double distance\nelement face 2\n"));
  // Records of three doubles, three bytes, one double.
  constexpr std::size_t kRecord = 3 * 8 + 3 + 8;
  const std::size_t first = bytes.find("end_header\n") + 11;
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 24), 255);
  EXPECT_EQ(at<double>(bytes, first + 27), 0.25);
  EXPECT_EQ(at<double>(bytes, first + kRecord), 1.0);
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 2 * kRecord + 26), 128);
  EXPECT_EQ(at<double>(bytes, first + 2 * kRecord + 27), 1e300);
  EXPECT_TRUE(std::isnan(at<double>(bytes, first + 3 * kRecord + 27)));

  const Result<LoadedMesh> again = read_mesh(path);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->mesh.triangle_count(), 2U);
  EXPECT_EQ(again->mesh.triangle(1).a, (Vec3{5, 0, 0}));
}

TEST(WriteColoured, PlyWithoutValuesHasNoPropertyForThem) {
  const test::TemporaryFolder folder;
  std::vector<ColouredMesh> meshes = two_meshes();
  meshes[0].values.clear();
  ASSERT_TRUE(write_coloured(folder.file("map.ply"), meshes, "distance"));
  EXPECT_EQ(bytes_of(folder.file("map.ply")).find("distance"), std::string::npos);
}

TEST(WriteColoured, GlbHoldsColoursAsLight) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("map.glb");
  ASSERT_TRUE(write_coloured(path, two_meshes()));
  const std::string bytes = bytes_of(path);
  const auto json_size = at<std::uint32_t>(bytes, 12);
  const Json root = Json::parse(bytes.substr(20, json_size));
  const Json& primitive = root["meshes"][0]["primitives"][0];
  const Json& accessor = root["accessors"][primitive["attributes"]["COLOR_0"].get<std::size_t>()];
  EXPECT_EQ(accessor["type"], "VEC4");
  EXPECT_EQ(accessor["normalized"], true);
  EXPECT_EQ(accessor["count"], 3);
  const Json& view = root["bufferViews"][accessor["bufferView"].get<std::size_t>()];
  const std::size_t start = 20 + json_size + 8 + view["byteOffset"].get<std::size_t>();
  EXPECT_EQ(at<std::uint16_t>(bytes, start), 65535);
  EXPECT_EQ(at<std::uint16_t>(bytes, start + 2), 0);
  EXPECT_EQ(at<std::uint16_t>(bytes, start + 6), 65535);
  // 128 of 255 on a screen is 21.6 % of the light.
  EXPECT_NEAR(at<std::uint16_t>(bytes, start + 2 * 8 + 4) / 65535.0, 0.2159, 1e-4);
  EXPECT_EQ(root["materials"][primitive["material"].get<std::size_t>()]["doubleSided"], true);

  const Result<LoadedAssembly> again = read_assembly(path);
  ASSERT_TRUE(again.ok()) << again.error().message();
  ASSERT_EQ(again->assembly.parts.size(), 2U);
  EXPECT_EQ(again->assembly.parts[1].name, "robot");
  const Mesh flat = again->assembly.flattened();
  EXPECT_EQ(flat.triangle(1).b, (Vec3{6, 0, 0}));
}

TEST(WriteColoured, RefusesWrongCountsAndOtherFormats) {
  const test::TemporaryFolder folder;
  std::vector<ColouredMesh> meshes = two_meshes();
  const auto reason = [&](const std::string& name) {
    const Status status = write_coloured(folder.file(name), meshes);
    return status.ok() ? std::string() : status.error().message();
  };
  EXPECT_THAT(reason("map.stl"), HasSubstr("cannot be written with colours"));
  meshes[0].colours.pop_back();
  EXPECT_THAT(reason("map.ply"), HasSubstr("'wall': 3 vertices, but 2 colours"));
  meshes.clear();
  EXPECT_THAT(reason("map.glb"), HasSubstr("no triangles"));
}

}  // namespace
}  // namespace clearance
