// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/sample.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/simplify.h>

#include "simplify/model_of.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::model_of;

Model cube() { return model_of(test::cube(0.1)); }
Model box(const Vec3& size) {
  const Mesh unit = test::cube(1.0);
  std::vector<Vec3> vertices;
  for (const Vec3& v : unit.vertices())
    vertices.push_back({v.x * size.x, v.y * size.y, v.z * size.z});
  return model_of(
      Mesh::make(std::move(vertices), {unit.faces().begin(), unit.faces().end()}).value());
}

Simplification simplified(const Model& body, const SimplifyOptions& options) {
  Result<Simplification> result = simplify(body, options);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return *result;
}

bool in_one(const Vec3& p, const std::vector<Sphere>& spheres) {
  return std::any_of(spheres.begin(), spheres.end(), [&](const Sphere& s) {
    return distance(p, s.center) <= s.radius * (1.0 + 1e-12);
  });
}

bool are_same(const std::vector<Sphere>& a, const std::vector<Sphere>& b) {
  return std::ranges::equal(a, b, [](const Sphere& s, const Sphere& t) {
    return s.center == t.center && s.radius == t.radius;
  });
}

// Random points of the surface and of the inside, each looked at in every sphere.
void expect_covered_at_random_points(const Model& body, const std::vector<Sphere>& spheres) {
  for (const SurfaceSample& sample : sample_surface(body.mesh(), 20'000, 5))
    ASSERT_TRUE(in_one(sample.point, spheres));
  Random random(6);
  const Box box = body.mesh().bounds();
  int inside = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Vec3 p{random.uniform(box.low.x, box.high.x), random.uniform(box.low.y, box.high.y),
                 random.uniform(box.low.z, box.high.z)};
    if (body.side(p) != Side::Inside) continue;
    ++inside;
    ASSERT_TRUE(in_one(p, spheres));
  }
  EXPECT_GT(inside, 1000);
}

TEST(Simplify, CubeIsCoveredByProofAndAtRandomPoints) {
  const Model body = cube();
  const Simplification result = simplified(body, {.error = 0.01});
  EXPECT_TRUE(result.covered);
  EXPECT_EQ(result.error, 0.01);
  EXPECT_EQ(verify_cover(body, result.spheres).status, CoverStatus::Covered);
  EXPECT_LE(outward_excess(body, result.spheres, 1e-5).lower, 0.01);
  expect_covered_at_random_points(body, result.spheres);
  EXPECT_LE(result.spheres.size(), 48U);
  EXPECT_TRUE(std::is_sorted(result.spheres.begin(), result.spheres.end(),
                             [](const Sphere& a, const Sphere& b) { return a.radius > b.radius; }));
}

// Eight balls for the corners and nine along the axis, each of which holds 36 mm of all four edges,
// but only if its centre is close to the axis: a millimetre off it reaches about half as far.
TEST(Simplify, FewBallsArePlacedWhereEachHoldsTheMost) {
  const Simplification result = simplified(box({0.4, 0.08, 0.08}), {.error = 0.02});
  EXPECT_TRUE(result.covered);
  EXPECT_LE(result.spheres.size(), 18U);  // one to spare for a search by chance
  EXPECT_LE(simplified(box({0.1, 0.16, 0.1}), {.error = 0.02}).spheres.size(), 15U);
}

TEST(Simplify, LargerErrorNeedsFewerSpheres) {
  const Model body = cube();
  std::size_t last = std::numeric_limits<std::size_t>::max();
  for (const double error : {0.02, 0.04}) {
    const Simplification result = simplified(body, {.error = error});
    EXPECT_TRUE(result.covered);
    EXPECT_LT(result.spheres.size(), last);
    last = result.spheres.size();
  }
}

TEST(Simplify, SameSpheresForAnyNumberOfThreads) {
  const Model body = cube();
  const Simplification one = simplified(body, {.error = 0.03, .threads = {1}});
  const Simplification two = simplified(body, {.error = 0.03, .threads = {2}});
  EXPECT_TRUE(are_same(one.spheres, two.spheres));
}

TEST(Simplify, PipeWithoutFillingIsBetterThanTheBar) {
  // Issue 6: 5 mm with 256 spheres.
  const Model body = model_of(*make_pipe({.outer_diameter = 0.06, .bore = 0.04}));
  const Simplification result = simplified(body, {.error = 0.005});
  EXPECT_TRUE(result.covered);
  EXPECT_LE(result.spheres.size(), 256U);
  EXPECT_LE(outward_excess(body, result.spheres, 1e-5).lower, 0.005);
  // The bore stays open.
  EXPECT_FALSE(in_one({0.0, 0.0, 0.0}, result.spheres));
}

TEST(Simplify, FilledPipeTakesAsFewSpheresAsWereWanted) {
  // Issue 6: 250 at 1 mm; 248 are needed here, and 244 to 252 with other seeds.
  const Model body = model_of(*make_pipe());
  const SimplifyOptions options{.error = 0.001, .external_diameter = 0.1, .threads = {1}};
  const Simplification one = simplified(body, options);
  EXPECT_TRUE(one.covered);
  EXPECT_EQ(one.error, 0.001);
  EXPECT_LE(one.spheres.size(), 250U);
  for (const Sphere& s : one.spheres)
    EXPECT_LE(s.radius, one.kept.safe_radius(s.center, 0.001, 1e-7) + 1e-6);
  EXPECT_EQ(verify_cover(one.kept, one.spheres).status, CoverStatus::Covered);
  SimplifyOptions with_threads = options;
  with_threads.threads = {3};
  EXPECT_TRUE(are_same(one.spheres, simplified(body, with_threads).spheres));
}

TEST(Simplify, FillingClosesTheBore) {
  const Model body = model_of(*make_pipe({.length = 0.1, .triangles = 400}));
  const Simplification result = simplified(body, {.error = 0.01, .external_diameter = 0.1});
  EXPECT_TRUE(result.covered);
  EXPECT_TRUE(in_one({0.0, 0.0, 0.0}, result.spheres));
  EXPECT_EQ(verify_cover(result.kept, result.spheres).status, CoverStatus::Covered);
}

TEST(Simplify, FilledJointIsCoveredBetweenItsPipes) {
  // Between the pipes external balls touch two of them at once: the places that are hardest to
  // tell.
  const Model body = model_of(*make_pipe_joint({}));
  const Simplification result = simplified(body, {.error = 0.006, .external_diameter = 0.1});
  EXPECT_TRUE(result.covered);
  EXPECT_EQ(verify_cover(result.kept, result.spheres).status, CoverStatus::Covered);
  EXPECT_LE(result.spheres.size(), 60U);
}

TEST(Simplify, MoreSearchesNeedNoMoreSpheres) {
  const Model body = model_of(*make_pipe({.length = 0.1, .triangles = 400}));
  const Simplification once = simplified(body, {.error = 0.008, .external_diameter = 0.1});
  const Simplification again =
      simplified(body, {.error = 0.008, .searches = 3, .external_diameter = 0.1});
  EXPECT_TRUE(once.covered);
  EXPECT_TRUE(again.covered);
  EXPECT_LE(again.spheres.size(), once.spheres.size());
}

TEST(Simplify, NumberOfSpheresIsKeptAndErrorComesBack) {
  const Model body = cube();
  const Simplification result = simplified(body, {.most_spheres = 30});
  EXPECT_LE(result.spheres.size(), 30U);
  EXPECT_GE(result.spheres.size(), 15U);
  EXPECT_TRUE(result.covered);
  EXPECT_LE(outward_excess(body, result.spheres, 1e-5).lower, result.error);
  // One sphere around the cube sticks out by less than this.
  EXPECT_LT(result.error, 0.04);
}

TEST(Simplify, OpenMeshIsCoveredAsSurface) {
  const Model body = model_of(test::without(test::cube(0.1), {0, 1}));
  ASSERT_FALSE(body.is_solid());
  const Simplification result = simplified(body, {.error = 0.02});
  EXPECT_TRUE(result.covered);
  for (const SurfaceSample& sample : sample_surface(body.mesh(), 10'000, 5))
    ASSERT_TRUE(in_one(sample.point, result.spheres));
}

TEST(Simplify, PaperCoversWhenGrown) {
  const Model body = cube();
  const Simplification result = simplified(body, {.method = SimplifyMethod::Paper, .error = 0.01});
  EXPECT_TRUE(result.covered);
  EXPECT_EQ(result.grown_by, 0.01);
  EXPECT_EQ(verify_cover(body, result.spheres).status, CoverStatus::Covered);
  EXPECT_LE(outward_excess(body, result.spheres, 1e-5).lower, 0.01);
  expect_covered_at_random_points(body, result.spheres);
  ASSERT_EQ(result.history.size(), result.spheres.size());
  // Errors fall while spheres are added, but for points found between those looked at.
  EXPECT_GT(result.history.front().error, 3.0 * result.history.back().error);
  EXPECT_EQ(result.history.back().spheres, result.spheres.size());
  EXPECT_LE(result.history.back().error, 0.01);
}

TEST(Simplify, PaperNeedsNoMoreSpheresThanItReports) {
  // The pipe of Figure 4e: 419 at 1 mm with external spheres of 100 mm (issue 6). Seeds 1 to 3 give
  // 396 to 401.
  const Model body = model_of(*make_pipe());
  const Simplification result =
      simplified(body, {.method = SimplifyMethod::Paper, .error = 0.001, .external_diameter = 0.1});
  EXPECT_TRUE(result.covered);
  EXPECT_EQ(result.error, 0.001);
  EXPECT_LE(result.spheres.size(), 410U);
}

TEST(Simplify, FlatFacesOfARoundPartAreOnePlace) {
  // Spheres grow on until they touch the other side, and are then on the axis, whatever the place
  // on its flat face that they began at. Faces of 5 degrees; filled, to be a rod.
  const Model body = model_of(*make_pipe({.length = 0.3, .triangles = 576}));
  const Simplification result = simplified(
      body,
      {.method = SimplifyMethod::Paper, .error = 0.004, .external_diameter = 0.1, .grow = false});
  int along = 0;
  for (const Sphere& s : result.spheres) {
    if (std::abs(s.center.z) > 0.15 - 0.026 - 0.004) continue;
    ++along;
    EXPECT_LT(std::hypot(s.center.x, s.center.y), 0.0004);
  }
  EXPECT_GE(along, 5);
}

TEST(Simplify, SpheresThatStartTooWideForAWallEndAllTheSame) {
  // A sphere of 60 mm fits nowhere in 5 mm.
  const Model body = box({0.1, 0.1, 0.005});
  for (const SimplifyMethod method : {SimplifyMethod::Paper, SimplifyMethod::Packing}) {
    const Simplification result =
        simplified(body, {.method = method, .error = 0.004, .least_internal_diameter = 0.06});
    EXPECT_TRUE(result.covered);
    EXPECT_LE(outward_excess(body, result.spheres, 1e-6).lower, 0.004);
    EXPECT_LE(result.spheres.size(), 500U);
  }
}

TEST(Simplify, PaperOnAnOpenMeshHasPointsForSpheres) {
  const Model body = model_of(test::without(test::cube(0.1), {0, 1}));
  const Simplification result = simplified(body, {.method = SimplifyMethod::Paper, .error = 0.01});
  EXPECT_TRUE(result.covered);
  EXPECT_LE(outward_excess(body, result.spheres, 1e-6).lower, 0.01);
}

TEST(Simplify, PaperGivesTheSameForAnyNumberOfThreadsAndOthersForOtherSeeds) {
  const Model body = cube();
  const SimplifyOptions options{.method = SimplifyMethod::Paper, .error = 0.01};
  SimplifyOptions two = options;
  two.threads = {2};
  SimplifyOptions other = options;
  other.seed = 2;
  const std::vector<Sphere> spheres = simplified(body, options).spheres;
  EXPECT_TRUE(are_same(spheres, simplified(body, two).spheres));
  EXPECT_FALSE(are_same(spheres, simplified(body, other).spheres));
}

TEST(Simplify, PackingStaysInside) {
  const Model body = cube();
  const Simplification result =
      simplified(body, {.method = SimplifyMethod::Packing, .error = 0.01, .grow = false});
  EXPECT_FALSE(result.covered);
  EXPECT_EQ(result.grown_by, 0.0);
  EXPECT_LE(outward_excess(body, result.spheres, 1e-6).lower, 1e-9);
}

TEST(Simplify, RefusesBadOptions) {
  const Model body = cube();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto reason = [&](const SimplifyOptions& options) {
    const Result<Simplification> result = simplify(body, options);
    EXPECT_FALSE(result.ok());
    return result.ok() ? "" : result.error().reason;
  };
  EXPECT_EQ(reason({}), "the error limit is zero");
  EXPECT_EQ(reason({.error = -1.0}), "the error limit is negative or not finite");
  EXPECT_EQ(reason({.error = nan}), "the error limit is negative or not finite");
  EXPECT_EQ(reason({.method = SimplifyMethod::Paper, .most_spheres = 5}),
            "the error limit is zero");
  EXPECT_EQ(reason({.error = 0.01, .external_diameter = 5.0}),
            "the external spheres are more than ten times as large as the body");
  EXPECT_EQ(
      reason({.method = SimplifyMethod::Paper, .error = 0.01, .least_internal_diameter = 0.5}),
      "the smallest internal sphere is larger than the body");
  EXPECT_EQ(reason({.error = 1e-12}), "the error limit needs more than 10 million spheres");
}

TEST(Simplify, PackingOfAnOpenMeshIsRefused) {
  const Model body = model_of(test::without(test::cube(0.1), {0}));
  const Result<Simplification> result =
      simplify(body, {.method = SimplifyMethod::Packing, .error = 0.01});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::Invalid);
}

TEST(Simplify, CancelsWhenAsked) {
  class Stop : public Monitor {
   public:
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return true; }
  };
  Stop stop;
  const Result<Simplification> result = simplify(cube(), {.error = 0.01, .monitor = &stop});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
}

// The set of free places has a hundred thousand cells at errors as small as this: some seconds.
TEST(Simplify, CancelsSoonAtSmallErrors) {
  class StopLater : public Monitor {
   public:
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return ++asked_ > 100; }
    [[nodiscard]] int asked() const { return asked_; }

   private:
    mutable std::atomic<int> asked_ = 0;
  };
  StopLater stop;
  const Result<KeptVolume> kept = KeptVolume::make(cube(), {});
  ASSERT_TRUE(kept.ok());
  kept->prepare(1e-5, {.count = 2}, &stop);
  // Each thread ends the block of cells that it has begun, and no other is begun.
  EXPECT_GT(stop.asked(), 100);
  const Result<Simplification> result = simplify(cube(), {.error = 1e-5, .monitor = &stop});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace clearance
