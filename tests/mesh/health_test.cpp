// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/mesh/health.h>

namespace clearance {
namespace {

/// The cube [0, side]³ moved by `offset`: 8 vertices, 12 triangles, facing outward.
Mesh cube(double side, const Vec3& offset = {}) {
  std::vector<Vec3> vertices;
  for (const double z : {0.0, side}) {
    for (const double y : {0.0, side}) {
      for (const double x : {0.0, side}) vertices.push_back(Vec3{x, y, z} + offset);
    }
  }
  const std::vector<Face> faces{{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return Mesh::make(std::move(vertices), faces).value();
}

TEST(Examine, CubeIsAClosedSolid) {
  const MeshHealth health = examine(cube(0.5));
  EXPECT_EQ(health.vertices, 8u);
  EXPECT_EQ(health.triangles, 12u);
  EXPECT_EQ(health.distinct_positions, 8u);
  EXPECT_TRUE(health.closed);
  EXPECT_TRUE(health.consistently_oriented);
  EXPECT_TRUE(health.volume_is_meaningful);
  EXPECT_FALSE(health.inside_out);
  EXPECT_DOUBLE_EQ(health.volume, 0.125);
  EXPECT_DOUBLE_EQ(health.surface_area, 1.5);
  EXPECT_EQ(health.center_of_mass, (Vec3{0.25, 0.25, 0.25}));
  EXPECT_EQ(health.components, 1u);
  EXPECT_EQ(health.edges, 18u);
  EXPECT_EQ(health.euler_characteristic, 2);
  EXPECT_TRUE(health.findings.empty());
}

}  // namespace
}  // namespace clearance
