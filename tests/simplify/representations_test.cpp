// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/health.h>
#include <clearance/mesh/sample.h>
#include <clearance/query/shapes.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/representations.h>

#include "simplify/model_of.h"
#include "support/simple_meshes.h"
#include "support/text.h"

namespace clearance {
namespace {

using namespace clearance::test;

Mesh pipe(std::size_t triangles = 512) {
  PipeOptions options;
  options.triangles = triangles;
  return make_pipe(options).value();
}
bool holds(const std::vector<Sphere>& spheres, const Vec3& p) {
  return std::ranges::any_of(
      spheres, [&](const Sphere& s) { return distance(s.center, p) <= s.radius * (1.0 + 1e-12); });
}
/// Points of the solid or of the surface.
std::vector<Vec3> points_of(const Model& body, std::size_t count) {
  std::vector<Vec3> points(body.mesh().vertices().begin(), body.mesh().vertices().end());
  for (const SurfaceSample& sample : sample_surface(body.mesh(), count, 1))
    points.push_back(sample.point);
  Random random(2);
  const Box box = body.mesh().bounds();
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p{random.uniform(box.low.x, box.high.x), random.uniform(box.low.y, box.high.y),
                 random.uniform(box.low.z, box.high.z)};
    if (body.is_solid() && body.side(p) == Side::Inside) points.push_back(p);
  }
  return points;
}

/// The farthest from the body among some points of each sphere.
double excess_found(const Model& body, const std::vector<Sphere>& spheres) {
  Random random(3);
  double excess = 0.0;
  for (const Sphere& sphere : spheres) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 direction = normalized({random.normal(), random.normal(), random.normal()});
      const Vec3 p = sphere.center + sphere.radius * direction;
      if (body.is_solid() && body.side(p) != Side::Outside) continue;
      excess = std::max(excess, distance(body.bvh(), Shape(p)).distance);
    }
  }
  return excess;
}

TEST(FarthestFrom, CubesSideBySideAndInEachOther) {
  const Model small = model_of(cube(1.0));
  const Model moved = model_of(cube(1.0, {3.0, 0.0, 0.0}));
  const Model large = model_of(cube(3.0, {-1.0, -1.0, -1.0}));
  FarthestOptions options;
  options.tolerance = 0.01;
  // The far face of the one is 3 m from the near face of the other.
  const Enclosure apart = farthest_from(small, moved, options);
  EXPECT_LE(apart.lower, 3.0);
  EXPECT_GE(apart.upper, 3.0);
  EXPECT_NEAR(apart.lower, apart.upper, 0.02);
  // Corners of the large cube are sqrt(3) from the corners of the small one, and it is all inside.
  const Enclosure out = farthest_from(large, small, options);
  EXPECT_LE(out.lower, std::sqrt(3.0));
  EXPECT_GE(out.upper, std::sqrt(3.0));
  EXPECT_NEAR(out.lower, out.upper, 0.02);
  EXPECT_EQ(farthest_from(small, large, options).lower, 0.0);
  EXPECT_LE(farthest_from(small, large, options).upper, 0.01);
}

TEST(FarthestFrom, FindsTheAxisOfABoreInTheHull) {
  const Mesh mesh = pipe(1942);
  const Result<Mesh> hull = hull_of(mesh);
  ASSERT_TRUE(hull) << hull.error().message();
  const Enclosure found = farthest_from(model_of(*hull), model_of(mesh), {.tolerance = 4e-4});
  // The axis of the bore of 40 mm; the bore has flat sides, the nearest a little inside.
  EXPECT_LE(found.lower, 0.020);
  EXPECT_GE(found.upper, 0.0198);
  EXPECT_LE(found.upper - found.lower, 4e-4);
}

TEST(FarthestFrom, SurfacesHaveNoInside) {
  const Model open = model_of(without(cube(2.0, {-1.0, -1.0, -1.0}), {0}));
  const Model inner = model_of(cube(0.2, {-0.1, -0.1, -0.1}));
  const Enclosure found = farthest_from(inner, open, {.tolerance = 1e-3});
  EXPECT_GE(found.upper, 0.9);
  EXPECT_GE(found.lower, 0.8);
}

TEST(HullOf, IsClosedAndRefusesALine) {
  const Result<Mesh> hull = hull_of(pipe());
  ASSERT_TRUE(hull) << hull.error().message();
  EXPECT_TRUE(examine(*hull).closed);
  EXPECT_FALSE(hull_of(Mesh::make({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}).value()));
}

TEST(ConvexPieces, AConvexBodyStaysWhole) {
  const Model body = model_of(uv_sphere(1.0, 8));
  const Result<ConvexPieces> pieces = convex_pieces(body, {.error = 1e-3});
  ASSERT_TRUE(pieces) << pieces.error().message();
  EXPECT_EQ(pieces->mesh.parts().size(), 1U);
  EXPECT_LE(pieces->outward.lower, 1e-3);
}

TEST(ConvexPieces, HoldTheBodyAndKeepTheError) {
  const Model body = model_of(pipe());
  const Result<ConvexPieces> pieces = convex_pieces(body, {.error = 0.005, .most_pieces = 64});
  ASSERT_TRUE(pieces) << pieces.error().message();
  EXPECT_LE(pieces->outward.lower, 0.005);
  EXPECT_LE(pieces->outward.upper, 0.008);
  EXPECT_GT(pieces->mesh.parts().size(), 4U);
  const Model model = model_of(pieces->mesh);
  ASSERT_TRUE(model.is_solid());
  for (const Vec3& p : points_of(body, 3000)) EXPECT_NE(model.side(p), Side::Outside);
  // Nothing of them is farther from the body than they say.
  for (const Vec3& p : points_of(model, 3000)) {
    const bool inside = body.side(p) != Side::Outside;
    EXPECT_LE(inside ? 0.0 : distance(body.bvh(), Shape(p)).distance, pieces->outward.upper);
  }
}

TEST(ConvexPieces, CornersInsideTheBodyAreNotForgotten) {
  // Cut in all three directions, a cube with a notch has a piece with a corner in its middle.
  const Mesh notched = together({cube(3.0), turned(cube(1.0, {1.0, 1.0, 2.0}))});
  const Model body = model_of(notched);
  ASSERT_TRUE(body.is_solid());
  const Result<ConvexPieces> pieces = convex_pieces(body, {.error = 0.2, .most_pieces = 60});
  ASSERT_TRUE(pieces) << pieces.error().message();
  const Model model = model_of(pieces->mesh);
  for (const Vec3& p : points_of(body, 20000)) EXPECT_NE(model.side(p), Side::Outside);
}

TEST(ConvexPieces, OpenAndFlatSurfacesAreHeldToo) {
  for (const Mesh& mesh : {without(cube(1.0), {0, 5}), moebius_strip(40),
                           Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}).value()}) {
    const Model body = model_of(mesh);
    const Result<ConvexPieces> pieces = convex_pieces(body, {.error = 0.05, .most_pieces = 20});
    ASSERT_TRUE(pieces) << pieces.error().message();
    const Model model = model_of(pieces->mesh);
    for (const Vec3& p : points_of(body, 2000)) EXPECT_NE(model.side(p), Side::Outside);
  }
}

TEST(ConvexPieces, AreTheSameForAnyNumberOfThreads) {
  const Model body = model_of(pipe());
  ConvexPiecesOptions options{.error = 0.004, .most_pieces = 6};
  options.threads = Threads{1};
  const ConvexPieces one = convex_pieces(body, options).value();
  options.threads = Threads{3};
  const ConvexPieces three = convex_pieces(body, options).value();
  ASSERT_EQ(one.mesh.vertex_count(), three.mesh.vertex_count());
  EXPECT_TRUE(std::ranges::equal(one.mesh.vertices(), three.mesh.vertices()));
  EXPECT_EQ(one.outward.upper, three.outward.upper);
}

TEST(ConvexPieces, BadOptionsAreRefused) {
  const Model body = model_of(cube());
  EXPECT_FALSE(convex_pieces(body, {.error = -1.0}));
  EXPECT_FALSE(convex_pieces(body, {.error = 1.0, .most_pieces = 0}));
}

TEST(VoxelSpheres, AroundTheirCellsHoldTheBody) {
  for (const Mesh& mesh : {pipe(), without(cube(0.1), {3})}) {
    const Model body = model_of(mesh);
    const Result<std::vector<Sphere>> spheres =
        voxel_spheres(body, 0.01, VoxelSpheres::Around, true);
    ASSERT_TRUE(spheres) << spheres.error().message();
    for (const Vec3& p : points_of(body, 2000)) EXPECT_TRUE(holds(*spheres, p));
    // A cell touches the body, and its sphere reaches half a diagonal beyond its middle.
    EXPECT_LE(excess_found(body, *spheres), 0.01 * std::sqrt(3.0) * 1.001);
  }
}

TEST(VoxelSpheres, InscribedAreAsThePaperHasThem) {
  const Model body = model_of(cube(1.0));
  const Result<std::vector<Sphere>> surface =
      voxel_spheres(body, 0.21, VoxelSpheres::Inscribed, false);
  const Result<std::vector<Sphere>> all = voxel_spheres(body, 0.21, VoxelSpheres::Inscribed, true);
  ASSERT_TRUE(surface && all);
  // Five cells a side, of which three are inside.
  EXPECT_EQ(all->size(), 125U);
  EXPECT_EQ(surface->size(), 125U - 27U);
  for (const Sphere& sphere : *all) EXPECT_EQ(sphere.radius, 0.105);
  // Where eight cells meet.
  EXPECT_FALSE(holds(*all, {0.42, 0.42, 0.42}));
}

TEST(VoxelSpheres, BadSizesAreRefused) {
  const Model body = model_of(cube());
  EXPECT_FALSE(voxel_spheres(body, 0.0, VoxelSpheres::Around, true));
  EXPECT_FALSE(voxel_spheres(body, std::nan(""), VoxelSpheres::Around, true));
  EXPECT_SAYS(voxel_spheres(body, 1e-300, VoxelSpheres::Around, true).error().message(), "million");
}

TEST(OctreeSpheres, HoldTheBodyWithinTheError) {
  for (const Mesh& mesh : {pipe(), without(cube(0.1), {3})}) {
    const Model body = model_of(mesh);
    const Result<std::vector<Sphere>> spheres = octree_spheres(body, 0.006);
    ASSERT_TRUE(spheres) << spheres.error().message();
    for (const Vec3& p : points_of(body, 2000)) EXPECT_TRUE(holds(*spheres, p));
    EXPECT_LE(excess_found(body, *spheres), 0.006);
  }
}

TEST(OctreeSpheres, PlatesAreCutAlongTheirFaces) {
  // A sphere that sticks out of a plate of 10 mm by 5 mm holds a square of 12.2 mm of it: 128 x 128
  // squares of 7.8 mm. Cubes would have to be thinner than the plate: 262,144 of them.
  const Mesh unit = cube(1.0);
  std::vector<Vec3> corners;
  for (const Vec3& v : unit.vertices()) corners.push_back({v.x, v.y, 0.01 * v.z});
  const Mesh plate =
      Mesh::make(std::move(corners), {unit.faces().begin(), unit.faces().end()}).value();
  const Result<std::vector<Sphere>> spheres = octree_spheres(model_of(plate), 0.005);
  ASSERT_TRUE(spheres) << spheres.error().message();
  EXPECT_LE(spheres->size(), 16'384U);
}

TEST(OctreeSpheres, HoldFlatSheetsAtAnyHeight) {
  for (const double height : {0.0, 0.1, 1.0 / 3.0}) {
    const Mesh sheet =
        Mesh::make({{0, 0, height}, {0.3, 0, height}, {0, 0.7, height}}, {{0, 1, 2}}).value();
    const Model body = model_of(sheet);
    const Result<std::vector<Sphere>> spheres = octree_spheres(body, 0.01);
    ASSERT_TRUE(spheres) << spheres.error().message();
    EXPECT_EQ(verify_cover(body, *spheres).status, CoverStatus::Covered);
  }
}

TEST(OctreeSpheres, BadErrorsAreRefused) {
  const Model body = model_of(cube());
  EXPECT_FALSE(octree_spheres(body, 0.0));
  EXPECT_FALSE(octree_spheres(body, std::nan("")));
  EXPECT_SAYS(octree_spheres(body, 1e-12).error().message(), "million");
}

}  // namespace
}  // namespace clearance
