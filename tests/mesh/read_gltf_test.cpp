// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/mesh/read.h>

#include "mesh/base64.h"
#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"

namespace clearance {
namespace {

using test::replaced;
using ::testing::HasSubstr;

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

std::string base64(const std::string& bytes) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : alphabet[bits >> (18 - 6 * j) & 63u];
    }
  }
  return text;
}

// Four corners of a tetrahedron (48 bytes), then its faces as 16-bit indices (24 bytes). In the
// frame of the file, Y up.
std::string tetrahedron_bytes() {
  return bytes_of<float>({0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}) +
         bytes_of<std::uint16_t>({0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3});
}

std::string tetrahedron_gltf(const std::string& nodes, const std::string& uri) {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": )" +
         nodes + R"(,
    "meshes": [{"name": "tetra", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [
      {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
      {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 48},
                    {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
    "buffers": [{"byteLength": 72, "uri": ")" +
         uri + R"("}]})";
}

std::string tetrahedron_gltf(const std::string& nodes = R"([{"mesh": 0, "name": "a"}])") {
  return tetrahedron_gltf(nodes,
                          "data:application/octet-stream;base64," + base64(tetrahedron_bytes()));
}

Assembly read(const std::string& text, const std::string& name = "scene.gltf") {
  Result<LoadedAssembly> loaded = parse_assembly(text, name);
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message());
  return loaded.ok() ? loaded->assembly : Assembly{};
}

std::string refusal(const std::string& text, const std::string& name = "scene.gltf") {
  const Result<LoadedAssembly> loaded = parse_assembly(text, name);
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? "" : loaded.error().message();
}

std::string glb(std::string json, std::string binary) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  binary.resize((binary.size() + 3) / 4 * 4, '\0');
  const auto u32 = [](std::size_t value) {
    return bytes_of<std::uint32_t>({static_cast<std::uint32_t>(value)});
  };
  return "glTF" + u32(2) + u32(28 + json.size() + binary.size()) + u32(json.size()) + "JSON" +
         json + u32(binary.size()) + std::string("BIN\0", 4) + binary;
}

TEST(ReadGltf, ReadsADataUriAndTurnsYUpIntoZUp) {
  const Assembly assembly = read(tetrahedron_gltf());
  ASSERT_EQ(assembly.parts.size(), 1u);
  EXPECT_EQ(assembly.parts[0].name, "a");
  const Mesh flat = assembly.flattened();
  EXPECT_EQ(flat.triangle_count(), 4u);
  EXPECT_EQ(flat.vertex_count(), 4u);
  // 2 along the file's y is 2 up; 3 along its z is 3 along -y.
  EXPECT_EQ(flat.bounds().low, Vec3(0, -3, 0));
  EXPECT_EQ(flat.bounds().high, Vec3(1, 0, 2));
}

TEST(ReadGltf, SaysThatTheUnitIsDeclaredByTheFormat) {
  const auto loaded = parse_assembly(tetrahedron_gltf(), "scene.gltf");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->info.format, "glTF");
  EXPECT_EQ(loaded->info.unit_source, UnitSource::Declared);
  ReadOptions options;
  options.metres_per_unit = 0.5;
  const auto halved = parse_assembly(tetrahedron_gltf(R"([{"mesh": 0, "translation": [8, 0, 0]}])"),
                                     "scene.gltf", options);
  ASSERT_TRUE(halved.ok());
  EXPECT_EQ(halved->assembly.bounds().low.x, 4.0);
  EXPECT_EQ(halved->assembly.bounds().high.z, 1.0);
}

TEST(ReadGltf, ReadsAGlbWithItsBinaryChunk) {
  const std::string json =
      replaced(tetrahedron_gltf(R"([{"mesh": 0}])", "@"), R"(, "uri": "@")", "");
  const Assembly assembly = read(glb(json, tetrahedron_bytes()), "scene.glb");
  EXPECT_EQ(assembly.triangle_count(), 4u);
  EXPECT_EQ(assembly.parts.at(0).name, "tetra");
}

TEST(ReadGltf, RefusesEveryTruncatedGlb) {
  const std::string json =
      replaced(tetrahedron_gltf(R"([{"mesh": 0}])", "@"), R"(, "uri": "@")", "");
  const std::string whole = glb(json, tetrahedron_bytes());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_FALSE(parse_assembly(whole.substr(0, size), "scene.glb").ok()) << size;
  }
}

TEST(ReadGltf, ReadsExternalBuffersBesideTheFile) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("my data.bin"), std::ios::binary) << tetrahedron_bytes();
  std::ofstream(folder.file("scene.gltf")) << tetrahedron_gltf(R"([{"mesh": 0}])", "my%20data.bin");
  const auto loaded = read_assembly(folder.file("scene.gltf"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->assembly.triangle_count(), 4u);
}

TEST(ReadGltf, RefusesBufferPathsThatLeaveTheFolder) {
  for (const char* uri : {"../secret.bin", "/etc/passwd", "a/../../b", "%2e%2e/secret", "file:///a",
                          "http://host/a.bin", "..\\\\secret"}) {
    EXPECT_THAT(refusal(tetrahedron_gltf(R"([{"mesh": 0}])", uri)),
                HasSubstr("out of the file's folder"))
        << uri;
  }
  EXPECT_THAT(refusal(tetrahedron_gltf(R"([{"mesh": 0}])", "absent.bin")), HasSubstr("absent.bin"));
}

TEST(ReadGltf, PlacesNodesByMatrixAndByTranslationRotationScale) {
  // A quarter turn about the file's y axis, then one metre along its x; the scale is baked.
  const Assembly assembly = read(tetrahedron_gltf(R"([
    {"children": [1, 2], "translation": [1, 0, 0]},
    {"name": "trs", "mesh": 0, "rotation": [0, 0.7071067811865476, 0, 0.7071067811865476],
     "scale": [2, 2, 2]},
    {"name": "matrix", "mesh": 0, "matrix": [0,0,-2,0, 0,2,0,0, 2,0,0,0, 0,0,0,1]}])"));
  ASSERT_EQ(assembly.parts.size(), 2u);
  const AssemblyPart& a = assembly.parts[0];
  const AssemblyPart& b = assembly.parts[1];
  EXPECT_EQ(a.mesh.vertices().data(), b.mesh.vertices().data());
  // In the file: (1, 0, 0) -> scaled (2, 0, 0) -> turned (0, 0, -2) -> moved (1, 0, -2); Z up: (1,
  // 2, 0).
  EXPECT_LT(distance(a.world_from_part * Vec3{2, 0, 0}, {1, 2, 0}), 1e-14);
  EXPECT_LT(distance(b.world_from_part * Vec3{2, 0, 0}, {1, 2, 0}), 1e-14);
  EXPECT_EQ(a.mesh.bounds().high, Vec3(2, 4, 6));
}

TEST(ReadGltf, TurnsTrianglesRoundUnderAMirror) {
  const Mesh mirrored = read(tetrahedron_gltf(R"([{"mesh": 0, "scale": [-1, 1, 1]}])")).flattened();
  EXPECT_DOUBLE_EQ(test::signed_volume(mirrored), 1.0);
  EXPECT_EQ(mirrored.bounds().low.x, -1.0);
}

TEST(ReadGltf, ReadsEveryComponentTypeStridesStripsAndFans) {
  // A unit square as a strip, with positions of signed bytes 4 apart (KHR_mesh_quantization), and
  // as a fan with normalised 16-bit positions and no indices.
  const std::string data =
      bytes_of<std::int8_t>({0, 0, 0, 9, 1, 0, 0, 9, 0, 1, 0, 9, 1, 1, 0, 9}) +
      bytes_of<std::uint16_t>({0, 0, 0, 65535, 0, 0, 65535, 65535, 0, 0, 65535, 0}) +
      bytes_of<std::uint8_t>({0, 1, 2, 3});
  const Assembly assembly = read(R"({"asset": {"version": "2.0"},
    "extensionsRequired": ["KHR_mesh_quantization"],
    "nodes": [{"mesh": 0, "name": "strip"}, {"mesh": 1, "name": "fan"}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 2, "mode": 5}]},
               {"primitives": [{"attributes": {"POSITION": 1}, "mode": 6}]}],
    "accessors": [
      {"bufferView": 0, "componentType": 5120, "count": 4, "type": "VEC3"},
      {"bufferView": 1, "componentType": 5123, "count": 4, "type": "VEC3", "normalized": true},
      {"bufferView": 2, "componentType": 5121, "count": 4, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 16, "byteStride": 4},
                    {"buffer": 0, "byteOffset": 16, "byteLength": 24},
                    {"buffer": 0, "byteOffset": 40, "byteLength": 4}],
    "buffers": [{"byteLength": 44, "uri": "data:;base64,)" +
                                 base64(data) + R"("}]})");
  ASSERT_EQ(assembly.parts.size(), 2u);
  for (const AssemblyPart& part : assembly.parts) {
    ASSERT_EQ(part.mesh.triangle_count(), 2u) << part.name;
    EXPECT_EQ(part.mesh.bounds().high, Vec3(1, 1, 0)) << part.name;
    for (std::size_t i = 0; i < 2; ++i) {  // both face along +z of the mesh
      const Triangle t = part.mesh.triangle(i);
      EXPECT_EQ(cross(t.b - t.a, t.c - t.a).z, 1.0) << part.name;
    }
  }
}

TEST(ReadGltf, AppliesSparseAccessors) {
  // All zeros but for elements 1 and 2.
  const std::string data = bytes_of<float>({1, 0, 0, 0, 1, 0}) + bytes_of<std::uint8_t>({1, 2});
  const std::string text = R"({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3", "sparse": {"count": 2,
      "indices": {"bufferView": 0, "byteOffset": 24, "componentType": 5121},
      "values": {"bufferView": 0}}}],
    "bufferViews": [{"buffer": 0, "byteLength": 26}],
    "buffers": [{"byteLength": 26, "uri": "data:;base64,)" +
                           base64(data) + R"("}]})";
  EXPECT_EQ(read(text).parts.at(0).mesh.bounds().high, Vec3(1, 1, 0));
  EXPECT_THAT(refusal(replaced(text, R"("count": 3)", R"("count": 2)")),
              HasSubstr("accessor 0, sparse"));
  EXPECT_THAT(refusal(replaced(text, R"("count": 3)", R"("count": 3000000000)")),
              HasSubstr("promises"));
}

TEST(ReadGltf, RefusesNonFiniteCoordinatesByAccessorAndElement) {
  std::string data = tetrahedron_bytes();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(data.data() + 16, &nan, sizeof nan);
  EXPECT_THAT(refusal(tetrahedron_gltf(R"([{"mesh": 0}])", "data:;base64," + base64(data))),
              HasSubstr("accessor 0, element 1: coordinate is not finite"));
}

TEST(ReadGltf, RefusesIndicesBeyondTheVertices) {
  std::string data = tetrahedron_bytes();
  data[48 + 2 * 5] = 4;
  EXPECT_THAT(refusal(tetrahedron_gltf(R"([{"mesh": 0}])", "data:;base64," + base64(data))),
              HasSubstr("accessor 1, element 5: uses vertex 4, but there are only 4"));
}

TEST(ReadGltf, ChecksSizesAgainstTheBuffersBeforeItBelievesThem) {
  const std::string good = tetrahedron_gltf();
  EXPECT_THAT(refusal(replaced(good, R"("count": 4)", R"("count": 5)")), HasSubstr("accessor 0"));
  EXPECT_THAT(refusal(replaced(good, R"("count": 4)", R"("count": 18446744073709551615)")),
              HasSubstr("accessor 0"));
  EXPECT_THAT(refusal(replaced(good, R"("count": 12)", R"("count": 4000000000)")),
              HasSubstr("accessor 1"));
  EXPECT_THAT(refusal(replaced(good, R"("byteLength": 48)", R"("byteLength": 73)")),
              HasSubstr("bufferView 0"));
  EXPECT_THAT(
      refusal(replaced(good, R"("byteOffset": 48)", R"("byteOffset": 18446744073709551615)")),
      HasSubstr("bufferView 1"));
  EXPECT_THAT(refusal(replaced(good, R"("byteLength": 72)", R"("byteLength": 73)")),
              HasSubstr("buffer 0"));
}

TEST(ReadGltf, RefusesLoopsAndNodesWithTwoParents) {
  EXPECT_THAT(refusal(tetrahedron_gltf(R"([{"children": [1]}, {"children": [0], "mesh": 0}])")),
              HasSubstr("not a tree"));
  EXPECT_THAT(refusal(tetrahedron_gltf(R"([{"children": [1, 1]}, {"mesh": 0}])")),
              HasSubstr("not a tree"));
  EXPECT_THAT(refusal(tetrahedron_gltf(R"([{"children": [7]}])")), HasSubstr("does not exist"));
  const std::string no_scene =
      replaced(tetrahedron_gltf(R"([{"children": [1]}, {"children": [0], "mesh": 0}])"),
               R"("scene": 0,)", "");
  EXPECT_THAT(refusal(no_scene), HasSubstr("loop"));
}

TEST(ReadGltf, ReadsTreesOfAnyDepth) {
  std::string nodes = "[";
  constexpr int kDepth = 50'000;
  for (int i = 0; i < kDepth; ++i) nodes += R"({"children":[)" + std::to_string(i + 1) + "]},";
  EXPECT_EQ(read(tetrahedron_gltf(nodes + R"({"mesh": 0}])")).triangle_count(), 4u);
}

TEST(ReadGltf, SurvivesDeeplyNestedJson) {
  EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("JSON"));
}

TEST(ReadGltf, TakesTheDefaultSceneElseAllRoots) {
  const std::string two = R"([{"mesh": 0, "name": "in"}, {"mesh": 0, "name": "out"}])";
  const auto loaded = parse_assembly(tetrahedron_gltf(two), "scene.gltf");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->assembly.parts.size(), 1u);
  ASSERT_EQ(loaded->info.warnings.size(), 1u);
  EXPECT_THAT(loaded->info.warnings[0], HasSubstr("not in the default scene"));
  EXPECT_EQ(read(replaced(tetrahedron_gltf(two), R"("scene": 0,)", "")).parts.size(), 2u);
}

TEST(ReadGltf, RefusesRequiredExtensionsByName) {
  const std::string good = tetrahedron_gltf();
  const auto with = [&](const char* extension) {
    return replaced(good, R"("scene": 0)",
                    std::string(R"("extensionsRequired": [")") + extension + R"("], "scene": 0)");
  };
  EXPECT_THAT(refusal(with("KHR_draco_mesh_compression")), HasSubstr("KHR_draco_mesh_compression"));
  EXPECT_THAT(refusal(with("EXT_meshopt_compression")), HasSubstr("EXT_meshopt_compression"));
  EXPECT_EQ(read(with("KHR_materials_unlit")).parts.size(), 1u);
}

TEST(ReadGltf, IgnoresLinesWithAWarningAndRefusesAFileOfLinesOnly) {
  const std::string lines =
      replaced(tetrahedron_gltf(), R"("indices": 1})",
               R"("indices": 1}, {"attributes": {"POSITION": 0}, "mode": 1})");
  const auto loaded = parse_assembly(lines, "scene.gltf");
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->info.warnings.size(), 1u);
  EXPECT_THAT(loaded->info.warnings[0], HasSubstr("lines"));
  EXPECT_THAT(refusal(replaced(tetrahedron_gltf(), R"("indices": 1)", R"("mode": 1)")),
              HasSubstr("no triangles"));
}

TEST(ReadGltf, RefusesWhatIsNotGltf2) {
  EXPECT_THAT(refusal("{"), HasSubstr("byte 2"));
  EXPECT_THAT(refusal("[1e999]"), HasSubstr("JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("not an object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("version"));
  EXPECT_THAT(refusal(R"({"asset": {"version": "1.0"}})"), HasSubstr("1.0"));
}

TEST(ReadGltf, RefusesValuesOfTheWrongType) {
  const std::string good = tetrahedron_gltf();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {R"("nodes": [0])", R"("nodes": {"0": 0})"},
           {R"("nodes": [0])", R"("nodes": ["0"])"},
           {R"({"mesh": 0, "name": "a"})", R"("mesh")"},
           {R"({"mesh": 0, "name": "a"})", R"({"mesh": "0"})"},
           {R"({"mesh": 0, "name": "a"})", R"({"mesh": 0, "matrix": [1, 2]})"},
           {R"({"mesh": 0, "name": "a"})", R"({"mesh": 0, "scale": ["a", 1, 1]})"},
           {R"("attributes": {"POSITION": 0})", R"("attributes": {"POSITION": -1})"},
           {R"("attributes": {"POSITION": 0})", R"("attributes": [0])"},
           {R"("componentType": 5126)", R"("componentType": 5130)"},
           {R"("type": "VEC3")", R"("type": "VEC2")"}}) {
    EXPECT_FALSE(parse_assembly(replaced(good, from, to), "scene.gltf").ok()) << to;
  }
}

TEST(ReadGltf, RefusesASmallFileThatUnfoldsWithoutEnd) {
  // 300 meshes that all use the same 20,000 corners.
  std::string json = R"({"asset": {"version": "2.0"}, "nodes": [)";
  std::string meshes;
  for (int i = 0; i < 300; ++i) {
    json += (i > 0 ? "," : "") + std::string(R"({"mesh": )") + std::to_string(i) + "}";
    meshes += (i > 0 ? "," : "") +
              std::string(R"({"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]})");
  }
  json += R"(], "meshes": [)" + meshes + R"(],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 20000, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 240000}], "buffers": [{"byteLength": 240000}]})";
  EXPECT_THAT(refusal(glb(json, std::string(240000, '\0')), "bomb.glb"), HasSubstr("unfolds"));
}

TEST(Base64, DecodesWithAndWithoutPaddingAndRefusesTheRest) {
  const auto decoded = [](std::string_view text) {
    const auto bytes = detail::decode_base64(text);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                 : "refused";
  };
  EXPECT_EQ(decoded("aGVsbG8="), "hello");
  EXPECT_EQ(decoded("aGVsbG8"), "hello");
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("-_-_"), decoded("+/+/"));
  EXPECT_EQ(decoded("a"), "refused");
  EXPECT_EQ(decoded("aG Vs"), "refused");
  EXPECT_EQ(decoded("=aaa"), "refused");
}

}  // namespace
}  // namespace clearance
