// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/body_patches.h"

#include <set>

#include <gtest/gtest.h>

#include <clearance/mesh/generate.h>

namespace clearance::detail {
namespace {

using Corners = std::array<double, 9>;

Corners corners_of(const Triangle& t) {
  return {t.a.x, t.a.y, t.a.z, t.b.x, t.b.y, t.b.z, t.c.x, t.c.y, t.c.z};
}

bool is_inside(const Vec3& p, const OrientedBox& box) {
  const Vec3 d = abs(inverse(box.world_from_box) * p);
  return d.x <= box.half_size.x && d.y <= box.half_size.y && d.z <= box.half_size.z;
}

CheckBody torch() {
  RobotShape shape;
  shape.geometry = MeshShape{make_torch().value().flattened(), "torch"};
  return make_body("torch", 0, std::vector{shape}, {1}).value();
}

TEST(BodyPatches, HoldEveryTriangleAndEveryPieceOnce) {
  const CheckBody body = torch();
  ASSERT_GT(body.models.front().component_count(), 1U);
  const std::vector<BodyPatch> patches = patches_of(body, 24);
  EXPECT_LE(patches.size(), 24U);
  EXPECT_GT(patches.size(), 16U);
  std::multiset<Corners> expected;
  std::size_t pieces = 0;
  for (const Model& model : body.models) {
    for (std::size_t i = 0; i < model.mesh().triangle_count(); ++i)
      expected.insert(corners_of(model.mesh().triangle(i)));
    pieces += model.component_count();
  }
  std::multiset<Corners> found;
  const CoverBox whole = cover_of(body);
  for (const BodyPatch& patch : patches) {
    EXPECT_LT(patch.ball.radius, 0.4 * ball_of(body).radius);
    EXPECT_EQ(patch.cover.surface.triangle_count(), 12U);
    std::set<Corners> corners;
    for (std::size_t i = 0; i < patch.surface.triangle_count(); ++i) {
      const Triangle t = patch.surface.triangle(i);
      found.insert(corners_of(t));
      for (const Vec3& p : {t.a, t.b, t.c}) {
        EXPECT_LE(distance(p, patch.ball.center), patch.ball.radius);
        EXPECT_TRUE(is_inside(p, patch.cover.box));
        EXPECT_TRUE(is_inside(p, whole.box));
        corners.insert({p.x, p.y, p.z});
      }
    }
    for (const Vec3& p : patch.points) EXPECT_EQ(corners.count({p.x, p.y, p.z}), 1U);
    pieces -= patch.points.size();
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(pieces, 0U);
}

TEST(BodyPatches, KeepLongTrianglesTogetherAndCutAroundThem) {
  // The wire of the torch sticks out of its nozzle; its sides run from end to end of it, so that
  // middles of triangles do not tell it from the nozzle's mouth.
  const CheckBody body = torch();
  const Vec3 tip = torch_tip().translation;
  double thickness = 0.0;
  for (const BodyPatch& patch : patches_of(body, 32)) {
    bool at_tip = false;
    for (std::size_t i = 0; i < patch.surface.triangle_count(); ++i) {
      const Triangle t = patch.surface.triangle(i);
      for (const Vec3& p : {t.a, t.b, t.c}) at_tip = at_tip || distance(p, tip) < 1e-3;
    }
    // The axes of a cover are sorted, the longest first.
    if (at_tip) thickness = std::max(thickness, 2.0 * patch.cover.box.half_size.y);
  }
  EXPECT_GT(thickness, 0.0011);  // the wire is 1.2 mm thick, the nozzle 25 mm
  EXPECT_LT(thickness, 0.0020);
}

TEST(BodyPatches, LeaveFewTrianglesTogether) {
  RobotShape shape;
  shape.geometry = BoxShape{{0.1, 0.2, 0.3}};
  const CheckBody body = make_body("box", 0, std::vector{shape}, {1}).value();
  const std::vector<BodyPatch> patches = patches_of(body, 24);
  ASSERT_EQ(patches.size(), 1U);
  EXPECT_EQ(patches.front().surface.triangle_count(), 12U);
  EXPECT_EQ(patches.front().points.size(), 1U);
  EXPECT_GE(patches.front().ball.radius, norm(Vec3{0.1, 0.2, 0.3}));
}

}  // namespace
}  // namespace clearance::detail
