// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/mesh/read.h>

namespace clearance {
namespace {

Result<LoadedAssembly> parse(const std::string& text) { return parse_assembly(text, "x.off"); }

std::string message(const Result<LoadedAssembly>& result) {
  return result.ok() ? "read" : result.error().message();
}

TEST(ReadOff, ReadsTheTextKinds) {
  for (const std::string text : {
           "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
           "OFF 4 1 0 # counts\n0 0 0\n# comment\n1 0 0 # vertex\n1 1 0\n\n0 1 0\n4 0 1 2 3 1 0 0 "
           "1",
           "  OFF4 1\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n4 0 1 2 3 255 0 0\r\n",
           "COFF\n4 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n1 1 0 1 1 1 1\n0 1 0 1 1 1 1\n4 0 1 2 3\n",
           "NOFF\n4 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n4 0 1 2 3\n",
           "STCNOFF\n4 1 0\n0 0 0 9 9 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n4 0 1 2 3\n",
       }) {
    const Result<LoadedAssembly> loaded = parse(text);
    ASSERT_TRUE(loaded.ok()) << message(loaded);
    const Mesh& mesh = loaded->assembly.parts[0].mesh;
    ASSERT_EQ(mesh.triangle_count(), 2u);
    EXPECT_EQ(mesh.faces()[1], (Face{0, 2, 3}));
    EXPECT_EQ(mesh.vertices()[2], (Vec3{1, 1, 0}));
  }
}

TEST(ReadOff, RefusesWithLineAndReason) {
  const std::string vertices = "0 0 0\n1 0 0\n1 1 0\n";
  const struct {
    std::string text;
    std::string expected;
  } cases[] = {
      {"OFX\n3 1 0\n", "x.off: line 1: does not begin with 'OFF'"},
      {"XOFF\n3 1 0\n", "unknown kind"},
      {"4OFF\n3 1 0\n", "more than three dimensions"},
      {"OFF BINARY\n", "binary OFF is not read"},
      {"OFF\nthree\n", "line 2: the numbers of vertices and faces should stand here"},
      {"OFF\n-3 1 0\n", "line 2: the numbers"},
      {"OFF\n99999999999 1 0\n" + vertices, "line 2: promises 99999999999 vertices"},
      {"OFF\n3 99999999999 0\n" + vertices, "line 2: promises 3 vertices and 99999999999 faces"},
      {"OFF\n3 0 0\n" + vertices, "points but no triangles"},
      {"OFF\n0 0 0\n", "no triangles"},
      {"OFF\n3 1 0\n0 0 0 1 0 0\n1 1 0\n3 0 1 2\n", "line 3: a vertex of a plain OFF"},
      {"OFF\n3 1 0\n0 0\n1 1 0\n3 0 1 2\n3 0 1 2\n", "line 3: a vertex has three numbers"},
      {"OFF\n3 1 0\n0 0 nan\n1 1 0\n3 0 1 2\n3 0 1 2\n", "line 3: a coordinate is not finite"},
      {"OFF\n3 1 0\n" + vertices + "3 0 1 3\n", "line 6: uses vertex 3, but there are only 3"},
      {"OFF\n3 1 0\n" + vertices + "3 0 1 -1\n", "line 6: uses vertex -1"},
      {"OFF\n3 1 0\n" + vertices + "2 0 1    \n", "line 6: a face has at least three vertices"},
      {"OFF\n3 1 0\n" + vertices + "4 0 1 2\n", "line 6: the face has 3 of its 4 vertices"},
      {"OFF\n3 1 0\n" + vertices + "         ", "the file ends after 0 of 1 faces"},
  };
  for (const auto& c : cases) {
    const std::string text = message(parse(c.text));
    EXPECT_NE(text.find(c.expected), std::string::npos) << text << "\nexpected " << c.expected;
  }
}

}  // namespace
}  // namespace clearance
