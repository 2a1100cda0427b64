// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collected odd and broken files: each is read, with the right number of triangles, or refused
// with the right reason. And good files that are cut or changed at random: never a crash, and what
// is read is a valid mesh.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/write.h>

#include "support/data.h"

namespace clearance {
namespace {

struct Expectation {
  std::string_view file;
  std::size_t triangle_count;  // 0: refused
  std::string_view reason;     // part of the message
};

constexpr Expectation kExpectations[] = {
    {"assimp/OutOfMemory.off", 0, "line 2: promises 353535235358 vertices"},
    {"assimp/Spider_binary.stl", 1368, ""},
    {"assimp/box_UTF16BE.obj", 0, "UTF-16"},
    {"assimp/box_longline.obj", 944, ""},
    {"assimp/box_without_lineending.obj", 12, ""},
    {"assimp/crash-30d6d0f7c529b3b66b4131700b7a4580cd7082df.ply", 0, "line 7: unknown type"},
    {"assimp/cube_binary_header_with_RN_newline.ply", 12, ""},
    {"assimp/cube_binary_starts_with_nl.ply", 12, ""},
    {"assimp/empty.obj", 0, "empty"},
    {"assimp/empty.off", 0, "empty"},
    {"assimp/empty.ply", 0, "empty"},
    {"assimp/invalid.off", 0, "line 6: a face has at least three vertices"},
    {"assimp/issue623.ply", 0, "points but no triangles"},
    {"assimp/malformed.obj", 0, "line 28: vertex index 0"},
    {"assimp/malformed2.obj", 0, "line 23: a face has at least three vertices"},
    {"assimp/number_formats.obj", 0, "line 11: '3.1+e2' is not a number"},
    {"assimp/payload_JVN42386607.ply", 0, "line 2: version"},
    {"assimp/point_cloud.obj", 0, "points but no triangles"},
    {"assimp/sphereWithHole.stl", 285, ""},
    {"assimp/testmixed.obj", 12, ""},
    {"assimp/triangle_with_empty_solid.stl", 1, ""},
    {"assimp/triangle_with_two_solids.stl", 2, ""},
    {"atrialmtk/appledouble_Clipped.stl", 0, "byte 80: promises 0 triangles"},
    {"dart/convhull_LWP_merged.stl", 7626, ""},
    {"dart/invalid_mesh.stl", 0, "is not an STL file"},
    {"isaac/drawer_handle.stl", 848, ""},
    {"manifold/Havocglass8_left.obj", 164, ""},
    {"manifold/openscad-nonmanifold-crash.obj", 1442, ""},
    {"mujoco/duplicate.obj", 4, ""},
    {"mujoco/duplicate_vertices.stl", 4, ""},
    {"mujoco/line.obj", 0, "points but no triangles"},
    {"mujoco/malformed_face.obj", 4, ""},
    {"openscad/bad-stl-pcbvicebar.stl", 260, ""},
    {"openscad/bad-stl-tardis.stl", 3636, ""},
    {"openscad/bad-stl-wing.stl", 842, ""},
    {"openscad/empty.stl", 0, "empty"},
    {"openscad/empty2.stl", 0, "no triangles"},
    {"openscad/import_bin_solid.stl", 46, ""},
    {"openscad/invalidvertex.stl", 0, "line 89: 'blah' is not a number"},
    {"openscad/issue1580-back-to-back.stl", 10, ""},
    {"openscad/issue1580-zero-area-triangle.stl", 14, ""},
    // Its NaN is in a normal only.
    {"openscad/issue945e.stl", 94, ""},
    {"openscad/toomanyvertices.stl", 0, "line 91: a facet has three vertices"},
    {"openscad/unparseable.stl", 0, "line 4: '?' is not a number"},
    {"trimesh/7_8ths_cube.stl", 24, ""},
    {"trimesh/busted.STL", 3878, ""},
    {"trimesh/comments.off", 12, ""},
    {"trimesh/empty.obj", 0, "no triangles"},
    {"trimesh/empty.ply", 0, "no triangles"},
    {"trimesh/empty.stl", 0, "no triangles"},
    {"trimesh/face_in_group_name.obj", 0, "points but no triangles"},
    {"trimesh/jacked.obj", 12, ""},
    {"trimesh/nancolor.obj", 12, ""},
    {"trimesh/negative_indices.obj", 12, ""},
    {"trimesh/notenoughindices.obj", 0, "line 9: a face has at least three vertices"},
    {"trimesh/obj_points.obj", 0, "points but no triangles"},
    {"trimesh/obj_with_no_face_in_chunk.obj", 1, ""},
    {"trimesh/ply_empty_bin.ply", 0, "no triangles"},
    {"trimesh/ply_empty_header.ply", 0, "no triangles"},
    {"trimesh/points_emptyface.ply", 0, "points but no triangles"},
    {"trimesh/polygonfaces.obj", 3, ""},
    {"trimesh/soup.stl", 100, ""},
    {"trimesh/stl_empty_ascii.stl", 0, "no triangles"},
    {"trimesh/stl_empty_bin.stl", 0, "no triangles"},
    {"trimesh/two_objects_mixed_case_names.stl", 24, ""},
    {"trimesh/wallhole.obj", 66, ""},
    {"trimesh/whitespace.off", 12, ""},
};

TEST(Malformed, EveryCollectedFileIsReadOrRefusedAsExpected) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const std::filesystem::path folder = test::data_path("malformed");
  std::size_t met = 0;
  for (const std::filesystem::path& path :
       test::files_below(folder, {".stl", ".obj", ".ply", ".off"})) {
    const std::string name = std::filesystem::relative(path, folder).string();
    const auto* const expected =
        std::find_if(std::begin(kExpectations), std::end(kExpectations),
                     [&](const Expectation& expectation) { return expectation.file == name; });
    ASSERT_NE(expected, std::end(kExpectations)) << name << " is not in the table";
    ++met;
    const Result<LoadedMesh> loaded = read_mesh(path.string());
    if (expected->triangle_count > 0) {
      ASSERT_TRUE(loaded.ok()) << loaded.error().message();
      EXPECT_EQ(loaded->mesh.triangle_count(), expected->triangle_count) << name;
    } else {
      ASSERT_FALSE(loaded.ok()) << name;
      const std::string text = loaded.error().message();
      EXPECT_EQ(text.rfind(path.string() + ": ", 0), 0u) << text;
      EXPECT_NE(text.find(expected->reason), std::string::npos) << text;
    }
  }
  EXPECT_EQ(met, std::size(kExpectations));
}

TEST(Malformed, UnknownFormatsDirectoriesAndMissingFilesAreRefused) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "folder.stl");
  std::filesystem::create_directory(folder.path() / "parts");
  const struct {
    std::string path;
    ErrorCode code;
    std::string reason;
  } cases[] = {
      {folder.file("a.xyz"), ErrorCode::Unsupported, "format '.xyz' is not known"},
      {folder.file("plain"), ErrorCode::Unsupported, "no extension"},
      {folder.file("missing.stl"), ErrorCode::NotFound, "cannot open"},
      {folder.file("missing.glb"), ErrorCode::NotFound, "cannot open"},
      {folder.file("folder.stl"), ErrorCode::Unreadable, "is a directory"},
      {folder.file("parts"), ErrorCode::Unreadable, "is a directory"},
  };
  for (const auto& c : cases) {
    const Result<LoadedMesh> loaded = read_mesh(c.path);
    ASSERT_FALSE(loaded.ok()) << c.path;
    EXPECT_EQ(loaded.error().code, c.code) << loaded.error().message();
    EXPECT_NE(loaded.error().message().find(c.reason), std::string::npos)
        << loaded.error().message();
    EXPECT_FALSE(read_assembly(c.path).ok());
  }
}

// A closed box with 12 triangles in each format that can be written, and an OFF and ASCII kinds.
std::vector<std::pair<std::string, std::string>> good_files() {
  const std::string obj =
      "o box\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
      "f 4 3 2 1\nf 5 6 7 8\ng side\nf -8//1 -7//1 -3//1 -4//1\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  std::vector<std::pair<std::string, std::string>> files{{"x.obj", obj}};
  const Mesh mesh = parse_assembly(obj, "x.obj").value().assembly.parts[0].mesh;
  const test::TemporaryFolder folder;
  for (const std::string name : {"x.stl", "x.ply"}) {
    EXPECT_TRUE(write_mesh(folder.file(name), mesh).ok());
    std::ifstream file(folder.file(name), std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    files.emplace_back(name, bytes.str());
  }
  files.emplace_back("x.stl",
                     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                     "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
  files.emplace_back("x.ply",
                     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                     "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
                     "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  files.emplace_back("x.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  return files;
}

void expect_valid(const Result<LoadedAssembly>& loaded) {
  if (!loaded.ok()) {
    EXPECT_FALSE(loaded.error().reason.empty());
    return;
  }
  EXPECT_FALSE(loaded->assembly.parts.empty());
  for (const AssemblyPart& part : loaded->assembly.parts) {
    EXPECT_FALSE(part.mesh.empty());
    for (const Vec3& v : part.mesh.vertices()) EXPECT_TRUE(is_finite(v));
    for (const Face& face : part.mesh.faces()) {
      for (const std::uint32_t v : face) EXPECT_LT(v, part.mesh.vertex_count());
    }
  }
}

TEST(Malformed, ChangedBytesNeverBreakAReader) {
  Random random(11);
  for (const auto& [name, good] : good_files()) {
    ASSERT_TRUE(parse_assembly(good, name).ok()) << name;
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = good;
      const std::uint64_t changes = 1 + random.below(4);
      for (std::uint64_t change = 0; change < changes; ++change) {
        const std::size_t at = random.below(bytes.size());
        switch (random.below(4)) {
          case 0:
            bytes[at] = static_cast<char>(random.below(256));
            break;
          case 1:
            bytes.erase(at, 1 + random.below(4));
            break;
          case 2:
            bytes.insert(at, 1, "0123456789-/\\ \n\r.eE#"[random.below(20)]);
            break;
          default:
            bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(20)));
        }
        if (bytes.empty()) bytes = "x";
      }
      expect_valid(parse_assembly(bytes, name));
    }
  }
}

TEST(Malformed, CutFilesNeverBreakAReader) {
  for (const auto& [name, good] : good_files()) {
    for (std::size_t size = 0; size < good.size(); ++size)
      expect_valid(parse_assembly(good.substr(0, size), name));
  }
}

}  // namespace
}  // namespace clearance
