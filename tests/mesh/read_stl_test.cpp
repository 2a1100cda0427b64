// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/write.h>

#include "support/data.h"

namespace clearance {
namespace {

using Corner = std::array<float, 3>;

// A binary STL of these triangles, whose count field and normals the caller may change.
std::string binary_stl(const std::vector<std::array<Corner, 3>>& triangles,
                       std::uint32_t promised_count, float normal = 0.0f) {
  std::string bytes(80, '\0');
  bytes.append(reinterpret_cast<const char*>(&promised_count), 4);
  const std::array<float, 3> normals{normal, normal, normal};
  for (const std::array<Corner, 3>& triangle : triangles) {
    bytes.append(reinterpret_cast<const char*>(normals.data()), 12);
    bytes.append(reinterpret_cast<const char*>(triangle.data()), 36);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string two_triangles() {
  return binary_stl({{Corner{0, 0, 0}, Corner{1, 0, 0}, Corner{0, 1, 0}},
                     {Corner{1, 0, 0}, Corner{1, 1, 0}, Corner{0, 1, 0}}},
                    2);
}

Result<LoadedAssembly> parse(const std::string& bytes, const ReadOptions& options = {}) {
  return parse_assembly(bytes, "x.stl", options);
}

std::string message(const Result<LoadedAssembly>& result) {
  return result.ok() ? "read" : result.error().message();
}

const Mesh& only_mesh(const Result<LoadedAssembly>& result) {
  EXPECT_TRUE(result.ok()) << message(result);
  EXPECT_EQ(result->assembly.parts.size(), 1u);
  return result->assembly.parts[0].mesh;
}

TEST(ReadStl, WeldsSharedCornersNumberedByFirstUse) {
  const Result<LoadedAssembly> loaded = parse(two_triangles());
  const Mesh& mesh = only_mesh(loaded);
  ASSERT_EQ(mesh.vertex_count(), 4u);
  EXPECT_EQ(mesh.faces()[0], (Face{0, 1, 2}));
  EXPECT_EQ(mesh.faces()[1], (Face{1, 3, 2}));
  EXPECT_EQ(mesh.vertices()[3], (Vec3{1, 1, 0}));
  EXPECT_EQ(loaded->info.format, "binary STL");
  EXPECT_EQ(loaded->info.bytes, 184u);
  EXPECT_EQ(loaded->assembly.parts[0].name, "x");
}

TEST(ReadStl, KeepsCornersApartWithoutWelding) {
  ReadOptions options;
  options.weld = false;
  const Result<LoadedAssembly> loaded = parse(two_triangles(), options);
  const Mesh& mesh = only_mesh(loaded);
  EXPECT_EQ(mesh.vertex_count(), 6u);
  EXPECT_EQ(mesh.faces()[1], (Face{3, 4, 5}));
}

TEST(ReadStl, TakesNegativeZeroForZero) {
  const Result<LoadedAssembly> loaded =
      parse(binary_stl({{Corner{0, 0, 0}, Corner{1, -0.0f, 0}, Corner{0, 1, -0.0f}},
                        {Corner{-0.0f, -0.0f, 0}, Corner{0, 1, 0}, Corner{1, 0, 0}}},
                       2));
  EXPECT_EQ(only_mesh(loaded).vertex_count(), 3u);
}

TEST(ReadStl, RefusesCountBeyondFileSize) {
  const std::string bytes =
      binary_stl({{Corner{0, 0, 0}, Corner{1, 0, 0}, Corner{0, 1, 0}}}, 4000000000u);
  const std::string text = message(parse(bytes));
  EXPECT_EQ(text.rfind("x.stl: byte 80: promises 4000000000 triangles (200000000084 bytes), but "
                       "the file has 134 bytes",
                       0),
            0u)
      << text;
}

TEST(ReadStl, RefusesFileCutAnywhere) {
  const std::string whole = two_triangles();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse(whole.substr(0, size)).ok()) << size;
  }
}

TEST(ReadStl, AcceptsShortFooterWithWarning) {
  const Result<LoadedAssembly> loaded = parse(two_triangles() + "footer");
  EXPECT_EQ(only_mesh(loaded).triangle_count(), 2u);
  ASSERT_EQ(loaded->info.warnings.size(), 1u);
  EXPECT_NE(loaded->info.warnings[0].find("last 6 bytes"), std::string::npos);
}

TEST(ReadStl, RefusesCountFarBelowFileSize) {
  const std::string text = message(parse(two_triangles() + std::string(100000, 'x')));
  EXPECT_NE(text.find("byte 80: promises 2 triangles"), std::string::npos) << text;
}

TEST(ReadStl, RefusesCoordinatesThatAreNotFiniteNamingTheTriangle) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::vector<std::array<Corner, 3>> triangles(
        50000, {Corner{0, 0, 0}, Corner{1, 0, 0}, Corner{0, 1, 0}});
    triangles[40001][2][1] = bad;
    triangles[49999][0][0] = bad;
    const std::string text = message(parse(binary_stl(triangles, 50000)));
    EXPECT_NE(text.find("byte 2000134: a coordinate of triangle 40001 is not finite"),
              std::string::npos)
        << text;
  }
}

TEST(ReadStl, IgnoresNormalsThatAreNotNumbersWithWarning) {
  const Result<LoadedAssembly> loaded =
      parse(binary_stl({{Corner{0, 0, 0}, Corner{1, 0, 0}, Corner{0, 1, 0}}}, 1,
                       std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(only_mesh(loaded).triangle_count(), 1u);
  ASSERT_EQ(loaded->info.warnings.size(), 1u);
  EXPECT_NE(loaded->info.warnings[0].find("1 normals"), std::string::npos);
}

TEST(ReadStl, TellsBinaryThatBeginsWithSolidBySize) {
  std::string bytes = two_triangles();
  bytes.replace(0, 5, "solid");
  const Result<LoadedAssembly> loaded = parse(bytes);
  EXPECT_EQ(only_mesh(loaded).triangle_count(), 2u);
  EXPECT_EQ(loaded->info.format, "binary STL");
}

TEST(ReadStl, RefusesNoTriangles) {
  EXPECT_NE(message(parse(binary_stl({}, 0))).find("no triangles"), std::string::npos);
  EXPECT_NE(message(parse("solid a\nendsolid a\n")).find("no triangles"), std::string::npos);
}

// Many pieces, so that threads meet: random corners out of a small set, so that vertices are shared
// between distant triangles.
TEST(ReadStl, GivesTheSameMeshForAnyNumberOfThreads) {
  Random random(7);
  std::vector<std::array<Corner, 3>> triangles(100000);
  for (std::array<Corner, 3>& triangle : triangles) {
    for (Corner& corner : triangle) {
      for (float& value : corner) value = static_cast<float>(random.below(60)) - 30.0f;
    }
  }
  const std::string bytes = binary_stl(triangles, 100000);
  ReadOptions options;
  options.threads = Threads{1};
  const Result<LoadedAssembly> one = parse(bytes, options);
  const Mesh& expected = only_mesh(one);

  // The definition: numbers by first use, equal where the position is.
  std::vector<Vec3> seen;
  std::uint32_t next = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t v = expected.faces()[t][c];
      ASSERT_LE(v, next);
      if (v == next) ++next;
      const Corner& p = triangles[t][c];
      ASSERT_EQ(expected.vertices()[v], (Vec3{p[0], p[1], p[2]}));
    }
  }
  EXPECT_EQ(next, expected.vertex_count());
  EXPECT_LE(expected.vertex_count(), 60u * 60u * 60u);

  for (const int threads : {2, 3, 8}) {
    options.threads = Threads{threads};
    const Result<LoadedAssembly> many = parse(bytes, options);
    const Mesh& mesh = only_mesh(many);
    EXPECT_TRUE(std::equal(mesh.faces().begin(), mesh.faces().end(), expected.faces().begin(),
                           expected.faces().end()));
    EXPECT_TRUE(std::equal(mesh.vertices().begin(), mesh.vertices().end(),
                           expected.vertices().begin(), expected.vertices().end()));
  }
}

constexpr std::string_view kAsciiTriangle =
    "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1e0 0\n"
    " endloop\nendfacet\n";

TEST(ReadStl, ReadsSolidsOfAsciiAsNamedParts) {
  const std::string triangle(kAsciiTriangle);
  const Result<LoadedAssembly> loaded =
      parse("solid left part\n" + triangle + "endsolid left part\nsolid empty\nendsolid\nsolid\n" +
            triangle + triangle + "endsolid\n");
  ASSERT_TRUE(loaded.ok()) << message(loaded);
  ASSERT_EQ(loaded->assembly.parts.size(), 2u);
  EXPECT_EQ(loaded->assembly.parts[0].name, "left part");
  EXPECT_EQ(loaded->assembly.parts[0].mesh.triangle_count(), 1u);
  EXPECT_EQ(loaded->assembly.parts[1].name, "x");
  EXPECT_EQ(loaded->assembly.parts[1].mesh.triangle_count(), 2u);
  EXPECT_EQ(loaded->info.format, "ASCII STL");
}

TEST(ReadStl, ReadsAsciiWithOddBeginningsAndLineEnds) {
  std::string carriage_returns = "SOLID x\r" + std::string(kAsciiTriangle) + "ENDSOLID\r";
  std::replace(carriage_returns.begin(), carriage_returns.end(), '\n', '\r');
  for (const std::string& bytes :
       {"\xef\xbb\xbf  solid\n" + std::string(kAsciiTriangle) + "endsolid", carriage_returns,
        std::string(kAsciiTriangle) + "endsolid"}) {
    const Result<LoadedAssembly> loaded = parse(bytes);
    EXPECT_EQ(only_mesh(loaded).triangle_count(), 1u);
  }
}

TEST(ReadStl, NamesTheLineOfAsciiErrors) {
  const std::string triangle(kAsciiTriangle);
  const struct {
    std::string bytes;
    std::string expected;
  } cases[] = {
      {"solid\n" + triangle, "line 1: this solid has no 'endsolid'"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 blah", "line 4: 'blah' is not a number"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "line 4: a vertex has three numbers"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n",
       "line 4: a coordinate of triangle 0 is not finite"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e999\n",
       "line 4: a coordinate of triangle 0 is not finite"},
      {"solid\nfoo\n", "line 2: expected 'facet' or 'endsolid', found 'foo'"},
      {"solid\n" + triangle + "endsolid\nrubbish", "line 10: "},
  };
  for (const auto& c : cases) {
    const std::string text = message(parse(c.bytes));
    EXPECT_NE(text.find(c.expected), std::string::npos) << text;
  }
}

TEST(ReadStl, AppliesTheUnit) {
  ReadOptions options;
  options.metres_per_unit = 0.001;
  for (const std::string& bytes :
       {two_triangles(), "solid\n" + std::string(kAsciiTriangle) + "endsolid\n"}) {
    const Result<LoadedAssembly> loaded = parse(bytes, options);
    EXPECT_EQ(only_mesh(loaded).vertices()[1], (Vec3{0.001, 0, 0}));
    EXPECT_EQ(loaded->info.unit_source, UnitSource::Option);
  }
}

// Read from a file in pieces and from memory: the same.
TEST(ReadStl, ReadsFilesAsFromMemory) {
  const test::TemporaryFolder folder;
  const Result<LoadedAssembly> loaded = parse(two_triangles());
  ASSERT_TRUE(write_mesh(folder.file("a.stl"), only_mesh(loaded)).ok());
  const Result<LoadedMesh> again = read_mesh(folder.file("a.stl"));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->mesh.triangle_count(), 2u);
  EXPECT_EQ(again->mesh.vertex_count(), 4u);
}

}  // namespace
}  // namespace clearance
