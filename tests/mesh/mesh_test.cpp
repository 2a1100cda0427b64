// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/mesh/mesh.h>

namespace clearance {
namespace {

// Two triangles of a square, each a part.
Mesh square() {
  return Mesh::make({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {Face{0, 1, 2}, Face{0, 2, 3}},
                    {{"low", 0, 1}, {"high", 1, 1}})
      .value();
}

TEST(Mesh, MakeNamesTheFirstThingAtFault) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Vec3> good{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, nan, 0}}, {Face{0, 1, 2}}).error().place,
            "vertex 2");
  EXPECT_EQ(Mesh::make({{0, 0, 0}, {1, 0, -infinity}, {0, nan, 0}}, {Face{0, 1, 2}}).error().place,
            "vertex 1");
  const Error beyond = Mesh::make(good, {Face{0, 1, 2}, Face{0, 3, 7}}).error();
  EXPECT_EQ(beyond.place, "triangle 1");
  EXPECT_EQ(beyond.reason, "uses vertex 3, but there are only 3");
  EXPECT_EQ(Mesh::make(good, {}).error().reason, "no triangles");
  EXPECT_FALSE(Mesh::make(good, {Face{0, 1, 2}}, {{"a", 1, 1}}).ok());
  EXPECT_FALSE(Mesh::make(good, {Face{0, 1, 2}}, {{"a", 0xffffffffu, 0xffffffffu}}).ok());
  EXPECT_TRUE(Mesh::make(good, {Face{0, 1, 2}}, {{"a", 0, 1}}).ok());
}

TEST(Mesh, BoundsLeaveOutUnusedVertices) {
  const Mesh mesh =
      Mesh::make({{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {Face{1, 2, 3}}).value();
  EXPECT_EQ(mesh.bounds(), (Box{{0, 0, 0}, {1, 1, 0}}));
}

TEST(Mesh, ScaledKeepsTrianglesFacingOutward) {
  const Mesh plain = scaled(square(), {2, 3, 4});
  EXPECT_EQ(plain.vertices()[2], (Vec3{2, 3, 0}));
  EXPECT_EQ(plain.faces()[0], (Face{0, 1, 2}));
  EXPECT_EQ(plain.parts().size(), 2u);
  // Mirrored in one direction or in three: turned round. In two it is a rotation.
  EXPECT_EQ(scaled(square(), {-1, 1, 1}).faces()[0], (Face{0, 2, 1}));
  EXPECT_EQ(scaled(square(), {-1, -1, -1}).faces()[0], (Face{0, 2, 1}));
  EXPECT_EQ(scaled(square(), {-1, -1, 1}).faces()[0], (Face{0, 1, 2}));
}

TEST(Mesh, TransformedMovesVerticesOnly) {
  const Mesh moved =
      transformed(square(), Pose{rotation_about({0, 0, 1}, std::numbers::pi / 2), Vec3{5, 0, 0}});
  EXPECT_NEAR(norm(moved.vertices()[1] - Vec3{5, 1, 0}), 0.0, 1e-15);
  EXPECT_EQ(moved.faces()[1], (Face{0, 2, 3}));
}

TEST(Mesh, MergedMakesPartsOfMeshesAndOfTheirParts) {
  const Mesh plain = Mesh::make({{0, 0, 1}, {1, 0, 1}, {0, 1, 1}}, {Face{0, 1, 2}}).value();
  const std::vector<Mesh> meshes{square(), plain};
  const std::vector<std::string> names{"square", "plain"};
  const Mesh all = merged(meshes, names).value();
  EXPECT_EQ(all.triangle_count(), 3u);
  EXPECT_EQ(all.triangle(2).b, (Vec3{1, 0, 1}));
  const std::vector<MeshPart> expected{
      {"square/low", 0, 1}, {"square/high", 1, 1}, {"plain", 2, 1}};
  EXPECT_EQ(std::vector<MeshPart>(all.parts().begin(), all.parts().end()), expected);
  EXPECT_FALSE(merged(meshes, {}).ok());
  EXPECT_FALSE(merged({}, {}).ok());
}

TEST(Mesh, SubmeshNumbersVerticesByFirstUse) {
  const Mesh half = submesh(square(), 1, 1).value();
  ASSERT_EQ(half.vertex_count(), 3u);
  EXPECT_EQ(half.faces()[0], (Face{0, 1, 2}));
  EXPECT_EQ(half.vertices()[2], (Vec3{0, 1, 0}));
  ASSERT_EQ(half.parts().size(), 1u);
  EXPECT_EQ(half.parts()[0], (MeshPart{"high", 0, 1}));
  EXPECT_FALSE(submesh(square(), 1, 2).ok());
  EXPECT_FALSE(submesh(square(), 3, 0).ok());
  EXPECT_FALSE(submesh(square(), 1, std::numeric_limits<std::size_t>::max()).ok());
  EXPECT_FALSE(submesh(square(), 0, 0).ok());
}

}  // namespace
}  // namespace clearance
