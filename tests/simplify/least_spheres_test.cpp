// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <gtest/gtest.h>

#include <clearance/mesh/generate.h>
#include <clearance/simplify/least_spheres.h>
#include <clearance/simplify/simplify.h>

#include "support/simple_meshes.h"

namespace clearance {
namespace {

KeptVolume kept_of(const Mesh& mesh, double external_diameter) {
  return *KeptVolume::make(*Model::build(mesh), {.external_diameter = external_diameter});
}

// A ball within e of a square edge holds 2.83 e of it. Of 100 mm that leaves room for three points
// that are 28.3 mm apart and some more, beside the corners; there are twelve edges.
TEST(LeastSpheres, ACubeNeedsAtLeastThoseOfItsEdges) {
  const KeptVolume kept = kept_of(test::cube(0.1), 0.0);
  constexpr double kError = 0.01;
  const LeastSpheres least = least_spheres(kept, kError).value();
  EXPECT_GE(least.points.size(), 24U);
  EXPECT_GT(least.pairs_proven, 0U);
  const Simplification made = simplify(kept.body(), {.error = kError}).value();
  EXPECT_LE(least.points.size(), made.spheres.size());
  // No sphere of a model holds two of them.
  for (const Sphere& ball : made.spheres) {
    int held = 0;
    for (const Vec3& p : least.points) held += distance(p, ball.center) <= ball.radius ? 1 : 0;
    EXPECT_LE(held, 1);
  }
  for (std::size_t i = 0; i < least.points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT(distance(least.points[i], least.points[j]), 0.02);
}

TEST(LeastSpheres, IsTheSameForAnyNumberOfThreadsAndHoldsForWhatIsFilled) {
  const KeptVolume kept = kept_of(*make_pipe({.length = 0.1, .triangles = 400}), 0.1);
  constexpr double kError = 0.008;
  const LeastSpheres one = least_spheres(kept, kError, {.threads = {1}}).value();
  const LeastSpheres three = least_spheres(kept, kError, {.threads = {3}}).value();
  EXPECT_EQ(one.points, three.points);
  EXPECT_GE(one.points.size(), 4U);
  const Simplification made =
      simplify(kept.body(), {.error = kError, .external_diameter = 0.1}).value();
  EXPECT_LE(one.points.size(), made.spheres.size());
  for (const Sphere& ball : made.spheres) {
    int held = 0;
    for (const Vec3& p : one.points) held += distance(p, ball.center) <= ball.radius ? 1 : 0;
    EXPECT_LE(held, 1);
  }
}

TEST(LeastSpheres, RefusesErrorsThatAreNoneAndTools) {
  const KeptVolume kept = kept_of(test::cube(0.1), 0.0);
  EXPECT_FALSE(least_spheres(kept, 0.0).ok());
  EXPECT_FALSE(least_spheres(kept, -1.0).ok());
  EXPECT_FALSE(least_spheres(kept, std::numeric_limits<double>::quiet_NaN()).ok());
  KeptVolumeOptions options;
  options.external_tool.spheres.push_back({{}, 0.05});
  const KeptVolume tool = *KeptVolume::make(kept.body(), options);
  EXPECT_FALSE(least_spheres(tool, 0.01).ok());
}

TEST(LeastSpheres, CancelsWhenAsked) {
  class Stop : public Monitor {
   public:
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return true; }
  };
  Stop stop;
  const Result<LeastSpheres> result =
      least_spheres(kept_of(test::cube(0.1), 0.0), 0.01, {.monitor = &stop});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace clearance
