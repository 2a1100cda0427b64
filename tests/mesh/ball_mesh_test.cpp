// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/mesh/ball_mesh.h>
#include <clearance/mesh/health.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

TEST(BallMesh, IsClosedAndFacesOutwardWithCornersOnTheSphere) {
  const Sphere ball{{1.0, -2.0, 3.0}, 0.5};
  for (int times = 0; times <= 4; ++times) {
    const Mesh mesh = ball_mesh(std::span(&ball, 1), times);
    EXPECT_EQ(mesh.vertex_count(), ball_vertex_count(times));
    EXPECT_EQ(mesh.triangle_count(), 8U << (2 * times));
    const MeshHealth health = examine(mesh);
    EXPECT_TRUE(health.closed && health.consistently_oriented && !health.inside_out);
    for (const Vec3& p : mesh.vertices()) EXPECT_NEAR(distance(p, ball.center), 0.5, 1e-15);
  }
  // 2,048 faces: the volume comes within a percent of the ball's.
  const double volume = test::signed_volume(ball_mesh(std::span(&ball, 1), 4));
  EXPECT_NEAR(volume / (4.0 / 3.0 * std::numbers::pi * 0.125), 1.0, 0.01);
}

TEST(BallMesh, LeavesOutWhatIsNoBall) {
  const std::vector<Sphere> balls{{{}, 1.0}, {{}, 0.0}, {{}, -1.0}, {{3.0, 0.0, 0.0}, 1.0}};
  EXPECT_EQ(ball_mesh(balls, 1).vertex_count(), 2 * ball_vertex_count(1));
  EXPECT_TRUE(ball_mesh({}, 2).empty());
}

}  // namespace
}  // namespace clearance
