// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/mesh/read.h>

namespace clearance {
namespace {

const std::string kVertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

Result<LoadedAssembly> parse(const std::string& text, const ReadOptions& options = {}) {
  return parse_assembly(text, "x.obj", options);
}

std::string message(const Result<LoadedAssembly>& result) {
  return result.ok() ? "read" : result.error().message();
}

std::vector<Face> faces_of(const std::string& text) {
  ReadOptions options;
  options.weld = false;
  const Result<LoadedAssembly> loaded = parse(text, options);
  EXPECT_TRUE(loaded.ok()) << message(loaded);
  if (!loaded.ok()) return {};
  const Mesh& mesh = loaded->assembly.parts.at(0).mesh;
  return {mesh.faces().begin(), mesh.faces().end()};
}

TEST(ReadObj, ReadsEveryFormOfIndex) {
  const std::vector<Face> expected{Face{0, 1, 2}};
  EXPECT_EQ(faces_of(kVertices + "f 1 2 3\n"), expected);
  EXPECT_EQ(faces_of(kVertices + "f 1/7 2/7 3/7\n"), expected);
  EXPECT_EQ(faces_of(kVertices + "f 1//5 2//5 3//5\n"), expected);
  EXPECT_EQ(faces_of(kVertices + "f 1/7/5 2/7/5 3/7/5\n"), expected);
  EXPECT_EQ(faces_of(kVertices + "f 1/7/ 2// 3/\n"), expected);
  EXPECT_EQ(faces_of(kVertices + "f -4 -3 -2\n"), expected);
  EXPECT_EQ(faces_of(kVertices + "f -4/-1/-2 2 -2//-1\n"), expected);
}

TEST(ReadObj, CutsPolygonsIntoFans) {
  const std::vector<Face> expected{Face{0, 1, 2}, Face{0, 2, 3}};
  EXPECT_EQ(faces_of(kVertices + "f 1 2 3 4\n"), expected);
  EXPECT_EQ(faces_of(kVertices + "f -4 -3 -2 -1\n"), expected);
}

TEST(ReadObj, ReadsEveryLineEndAndContinuation) {
  const std::vector<Face> expected{Face{0, 1, 2}, Face{0, 2, 3}};
  const std::string text = kVertices + "\n\n# comment \\\nf 1 2 \\\n 3 4 # end\n";
  EXPECT_EQ(faces_of(text), expected);
  std::string windows;
  std::string old_mac;
  for (const char c : text) {
    windows += c == '\n' ? "\r\n" : std::string(1, c);
    old_mac += c == '\n' ? '\r' : c;
  }
  EXPECT_EQ(faces_of(windows), expected);
  EXPECT_EQ(faces_of(old_mac), expected);
  EXPECT_EQ(faces_of("\xef\xbb\xbf" + kVertices + "\tf  1\t2 3 4"), expected);
}

TEST(ReadObj, IgnoresColoursAndLooks) {
  EXPECT_EQ(faces_of("mtllib a.mtl\nv 0 0 0 nan nan nan\nv 1 0 0 1.0\nv 0 1 0\nvn 0 0 1\nvt 0 0\n"
                     "usemtl f 1 2 3\ns off\nf 1 2 3\n")
                .size(),
            1u);
}

TEST(ReadObj, KeepsEveryBitOfNumbers) {
  ReadOptions options;
  options.weld = false;
  const Result<LoadedAssembly> loaded = parse(
      "v 0.1 -1.2999999523162842 +3e-5\nv 12345678901234567890123 2. .5\n"
      "v 1e22 1E-300 4.9406564584124654e-324\nv 9007199254740993 0.30000000000000004 1e-400\n"
      "f 1 2 3\nf 1 2 4\n",
      options);
  ASSERT_TRUE(loaded.ok()) << message(loaded);
  const std::span<const Vec3> v = loaded->assembly.parts[0].mesh.vertices();
  EXPECT_EQ(v[0], (Vec3{0.1, -1.2999999523162842, 3e-5}));
  EXPECT_EQ(v[1], (Vec3{12345678901234567890123.0, 2.0, 0.5}));
  EXPECT_EQ(v[2], (Vec3{1e22, 1e-300, 4.9406564584124654e-324}));
  EXPECT_EQ(v[3], (Vec3{9007199254740993.0, 0.30000000000000004, 0.0}));
}

TEST(ReadObj, MakesPartsOfObjectsAndGroups) {
  const Result<LoadedAssembly> loaded =
      parse(kVertices + "f 1 2 3\no left\ng empty\ng arm of robot\nf 1 2 3\nf 1 3 4\n" +
            "g arm of robot\nf 1 2 4\no hand\nf 2 3 4\ng arm of robot\nf 1 2 3\n");
  ASSERT_TRUE(loaded.ok()) << message(loaded);
  std::vector<std::pair<std::string, std::size_t>> parts;
  for (const AssemblyPart& part : loaded->assembly.parts)
    parts.emplace_back(part.name, part.mesh.triangle_count());
  const std::vector<std::pair<std::string, std::size_t>> expected{
      {"x", 1}, {"arm of robot", 3}, {"hand", 1}, {"arm of robot#2", 1}};
  EXPECT_EQ(parts, expected);
}

TEST(ReadObj, JoinsVerticesThatExportersDoubleAtSeams) {
  const std::string text =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nv 1 0 -0\nv 0 1 0\nv 1 1 0\n"
      "f 1 2 3\nf 5 7 6\n";
  const Result<LoadedAssembly> loaded = parse(text);
  ASSERT_TRUE(loaded.ok()) << message(loaded);
  const Mesh& mesh = loaded->assembly.parts[0].mesh;
  EXPECT_EQ(mesh.vertex_count(), 4u);
  EXPECT_EQ(mesh.faces()[1], (Face{1, 3, 2}));
}

TEST(ReadObj, WarnsOfLinesAndUnknownStatements) {
  const Result<LoadedAssembly> loaded =
      parse(kVertices + "l 1 2\np 1\n4 1\nf 1 2 3\ncurv 0 1 1 2\n");
  ASSERT_TRUE(loaded.ok()) << message(loaded);
  ASSERT_EQ(loaded->info.warnings.size(), 2u);
  EXPECT_NE(loaded->info.warnings[0].find("2 lines and points"), std::string::npos);
  EXPECT_NE(loaded->info.warnings[1].find("2 statements"), std::string::npos);
}

TEST(ReadObj, RefusesWithLineAndReason) {
  const struct {
    std::string text;
    std::string expected;
  } cases[] = {
      {kVertices + "f 1 2 5\n", "x.obj: line 5: uses vertex 5, but there are only 4"},
      {kVertices + "f 1 2 99999999999\n", "line 5: vertex index"},
      {kVertices + "f 0 1 2\n", "line 5: vertex index 0"},
      {kVertices + "f -5 1 2\n", "line 5: a negative index reaches before the first vertex"},
      {kVertices + "f 1 2\n", "line 5: a face has at least three vertices, this one has 2"},
      {kVertices + "f\n", "line 5: a face has at least three vertices"},
      {kVertices + "f 1 2 x\n", "line 5: 'x' is not a vertex index"},
      {kVertices + "f 1 2 3/1/1/1\n", "line 5: '3/1/1/1' is not a vertex index"},
      {"v 0 0\nf 1 1 1\n", "line 1: a vertex has three numbers"},
      {"v 0 0 zero\n", "line 1: 'zero' is not a number"},
      {"v 0 0 inf\n", "line 1: a coordinate is not finite"},
      {"v 0 1e999 0\n", "line 1: a coordinate is not finite"},
      {"\n\n\x01\x02 1\n", "line 3: begins with no OBJ statement"},
      {"{\"json\": 1}\n", "no triangles"},
      {kVertices, "points but no triangles"},
      {"# nothing\n", "no triangles"},
      {std::string("\xff\xfev\0 \0", 6), "UTF-16"},
  };
  for (const auto& c : cases) {
    const std::string text = message(parse(c.text));
    EXPECT_NE(text.find(c.expected), std::string::npos) << text;
  }
}

// Large enough for many pieces: a strip whose faces use relative and absolute indices in turn, with
// lines continued, so that pieces are cut in all sorts of places.
TEST(ReadObj, GivesTheSameMeshForAnyNumberOfThreads) {
  std::string text;
  std::vector<Face> expected;
  std::uint32_t count = 0;
  for (int i = 0; i < 60000; ++i) {
    if (i % 10000 == 0) text += "g part " + std::to_string(i / 10000) + "\n";
    text += "v " + std::to_string(i) + " 0.25 1.5e-3\r\nv " + std::to_string(i) + " 1 \\\n 0\n";
    count += 2;
    if (i == 0) continue;
    text += i % 3 == 0 ? "f -4 -2 -1 \\\r\n -3\n"
                       : "f " + std::to_string(count - 3) + " " + std::to_string(count - 1) +
                             "/1 " + std::to_string(count) + " " + std::to_string(count - 2) + "\n";
    expected.push_back({count - 4, count - 2, count - 1});
    expected.push_back({count - 4, count - 1, count - 3});
  }
  ASSERT_GT(text.size(), std::size_t{3} << 20);
  for (const int threads : {1, 2, 5}) {
    ReadOptions options;
    options.weld = false;
    options.threads = Threads{threads};
    const Result<LoadedAssembly> loaded = parse(text, options);
    ASSERT_TRUE(loaded.ok()) << message(loaded);
    ASSERT_EQ(loaded->assembly.parts.size(), 6u);
    // Parts number their vertices anew: compare positions.
    std::size_t triangle = 0;
    for (const AssemblyPart& part : loaded->assembly.parts) {
      for (std::size_t i = 0; i < part.mesh.triangle_count(); ++i, ++triangle) {
        const Triangle t = part.mesh.triangle(i);
        ASSERT_EQ(t.a.x, expected[triangle][0] / 2);
        ASSERT_EQ(t.b.x, expected[triangle][1] / 2);
        ASSERT_EQ(t.c.y, expected[triangle][2] % 2 == 0 ? 0.25 : 1.0);
      }
    }
    EXPECT_EQ(triangle, expected.size());
  }
  // An error far inside names its line, whichever thread met it first.
  const std::string broken = text + "f 1 2\n" + text;
  const auto line = std::to_string(1 + std::count(text.begin(), text.end(), '\n'));
  EXPECT_NE(message(parse(broken)).find("line " + line + ":"), std::string::npos)
      << message(parse(broken));
}

TEST(ReadObj, ReadsALineLongerThanAPiece) {
  std::string text = kVertices + "f 1";
  for (int i = 0; i < 400000; ++i) text += i % 2 == 0 ? " 2" : " 000000000003";
  ASSERT_GT(text.size(), std::size_t{2} << 20);
  EXPECT_EQ(faces_of(text + "\nf 1 2 3\n").size(), 400000u);
}

}  // namespace
}  // namespace clearance
