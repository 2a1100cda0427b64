// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/read.h>
#include <clearance/query/model.h>

#include "support/data.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

Model model_of(const Mesh& mesh, Volume volume = Volume::Wide) {
  BvhOptions options;
  options.volume = volume;
  if (volume != Volume::Wide) options.fitter = Fitter::Inertia;
  Result<Model> model = Model::build(mesh, options);
  EXPECT_TRUE(model.ok());
  return std::move(*model);
}

TEST(Model, RefusesTheEmptyMesh) {
  const Result<Model> model = Model::build(Mesh{});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, ErrorCode::Invalid);
}

TEST(Model, SharesTheMeshAndKeepsItAlive) {
  const Vec3* first = nullptr;
  const Model model = [&] {
    const Mesh mesh = test::cube();
    first = mesh.vertices().data();
    return model_of(mesh);
  }();
  EXPECT_EQ(model.mesh().vertices().data(), first);
  EXPECT_EQ(model.bvh().vertices().data(), first);
}

TEST(Model, IsSolidWhenClosedAndConsistentlyWound) {
  EXPECT_TRUE(model_of(test::cube()).is_solid());
  EXPECT_TRUE(model_of(test::soup(test::cube())).is_solid());
  EXPECT_TRUE(model_of(test::turned(test::cube())).is_solid());
  EXPECT_FALSE(model_of(test::without(test::cube(), {3})).is_solid());
  EXPECT_FALSE(model_of(test::moebius_strip(8)).is_solid());
}

TEST(Model, HasOnePointForEachPieceOfTheSurface) {
  EXPECT_EQ(model_of(test::soup(test::cube())).component_count(), 1U);
  const Mesh three = test::together({test::cube(), test::cube(1.0, {5, 0, 0}), test::cube(0.5)});
  // The third shares the corner at the origin with the first.
  EXPECT_EQ(model_of(three).component_count(), 2U);
}

TEST(ModelSide, IsRightForACubeOnEveryTree) {
  for (const Volume volume :
       {Volume::Wide, Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere}) {
    for (const Mesh& mesh : {test::cube(), test::turned(test::cube())}) {
      const Model cube = model_of(mesh, volume);
      EXPECT_EQ(cube.side({0.5, 0.5, 0.5}), Side::Inside);
      EXPECT_EQ(cube.side({0.25, 0.25, 0.25}), Side::Inside);
      EXPECT_EQ(cube.side({1e-9, 0.5, 0.5}), Side::Inside);
      EXPECT_EQ(cube.side({-1e-9, 0.5, 0.5}), Side::Outside);
      EXPECT_EQ(cube.side({0.5, 0.5, 1.5}), Side::Outside);
      EXPECT_EQ(cube.side({0.0, 0.3, 0.7}), Side::Boundary);
      EXPECT_EQ(cube.side({0.0, 0.0, 0.7}), Side::Boundary);
      EXPECT_EQ(cube.side({1.0, 1.0, 1.0}), Side::Boundary);
    }
  }
}

TEST(ModelSide, CavitiesAreOutsideAndOverlapsInside) {
  const Model hollow =
      model_of(test::together({test::cube(3.0), test::turned(test::cube(1.0, {1, 1, 1}))}));
  EXPECT_EQ(hollow.side({1.5, 1.5, 1.5}), Side::Outside);
  EXPECT_EQ(hollow.side({0.5, 0.5, 0.5}), Side::Inside);
  const Model two = model_of(test::together({test::cube(2.0), test::cube(2.0, {1, 1, 1})}));
  EXPECT_EQ(two.side({1.5, 1.5, 1.5}), Side::Inside);
  EXPECT_EQ(two.side({2.5, 2.5, 2.5}), Side::Inside);
  EXPECT_EQ(two.side({2.5, 0.5, 0.5}), Side::Outside);
}

TEST(ModelSide, WorksToTheEndOfTheRangeOfTrees) {
  // A ray four diagonals long would end beyond the 1e15 m that trees take.
  const double side = 1e15;
  const Vec3 corner = -0.5 * side * Vec3{1, 1, 1};
  for (const Volume volume : {Volume::Wide, Volume::Rss}) {
    const Model model = model_of(test::cube(side, corner), volume);
    EXPECT_EQ(model.side({1.0, 2.0, 3.0}), Side::Inside);
    EXPECT_EQ(model.side({0.499 * side, 0.0, 0.0}), Side::Inside);
    EXPECT_EQ(model.side({0.501 * side, 0.0, 0.0}), Side::Outside);
  }
  // At the very end no ray gets out; what is not proven is not called outside.
  EXPECT_NE(model_of(test::cube(side)).side(0.5 * side * Vec3{1, 1, 1}), Side::Outside);
}

TEST(ModelSide, OfAPointThatIsNoneIsNotOutside) {
  const Model model = model_of(test::cube());
  EXPECT_EQ(model.side({std::nan(""), 0.5, 0.5}), Side::Boundary);
  EXPECT_EQ(model.side({0.5, 0.5, std::nan("")}), Side::Boundary);
}

TEST(ModelSide, OpenSurfacesHaveNoInside) {
  const Model open = model_of(test::without(test::cube(), {3}));
  EXPECT_NE(open.side({0.5, 0.5, 0.5}), Side::Inside);
}

TEST(ModelSide, SurvivesDegenerateTriangles) {
  // Points, a needle along the diagonal, and a cap that lies in an edge.
  const Mesh cube = test::cube();
  const Mesh odd = test::with(cube, {{0, 0, 0}, {6, 6, 6}, {0, 1, 0}});
  const Model model = model_of(odd);
  EXPECT_TRUE(model.is_solid());
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p{random.uniform(-0.5, 1.5), random.uniform(-0.5, 1.5), random.uniform(-0.5, 1.5)};
    const bool inside = p.x > 0 && p.x < 1 && p.y > 0 && p.y < 1 && p.z > 0 && p.z < 1;
    EXPECT_EQ(model.side(p), inside ? Side::Inside : Side::Outside);
  }
}

void agrees_with_winding_numbers(const Mesh& mesh, int count) {
  const Model model = model_of(mesh);
  ASSERT_TRUE(model.is_solid());
  const InsideTest reference(mesh);
  const Box box = mesh.bounds();
  Random random(7);
  int inside = 0;
  for (int i = 0; i < count; ++i) {
    Vec3 p;
    if (i % 4 == 0) {
      // Level with vertices: a coordinate of one, two of another.
      const std::span<const Vec3> v = mesh.vertices();
      p = {v[random.below(v.size())].x, v[random.below(v.size())].y, v[random.below(v.size())].z};
    } else {
      for (std::size_t k = 0; k < 3; ++k) p[k] = random.uniform(box.low[k], box.high[k]);
    }
    const Side expected = reference.side(p);
    EXPECT_EQ(model.side(p), expected) << p.x << ' ' << p.y << ' ' << p.z;
    inside += expected == Side::Inside ? 1 : 0;
  }
  EXPECT_GT(inside, count / 50);
  EXPECT_LT(inside, count);
}

TEST(ModelSide, AgreesWithWindingNumbersOnSpheres) {
  agrees_with_winding_numbers(test::uv_sphere(1.0, 12), 1000);
  agrees_with_winding_numbers(test::uv_sphere(1e-9, 12), 200);
  agrees_with_winding_numbers(test::uv_sphere(1.0, 12, {1e5, -2e5, 3e5}), 400);
}

TEST(ModelSide, AgreesWithWindingNumbersOnRealParts) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  for (const char* name :
       {"parts/conrod/linkrods_coarse.stl", "parts/step/component8.stl", "parts/screw/screw.stl"}) {
    const std::filesystem::path path = test::data_path(name);
    if (path.empty()) continue;
    const auto loaded = read_mesh(path.string());
    ASSERT_TRUE(loaded.ok());
    SCOPED_TRACE(name);
    agrees_with_winding_numbers(loaded->mesh, 300);
  }
}

}  // namespace
}  // namespace clearance
