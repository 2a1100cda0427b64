// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/volume_samples.h"

#include <numbers>

#include <gtest/gtest.h>

#include "support/simple_meshes.h"

namespace clearance::study {
namespace {

constexpr std::size_t kCount = 100'000;

Model unit_cube() { return Model::build(test::cube()).value(); }

TEST(VolumeSamples, MeasureWhatEachSphereAdds) {
  const VolumeSamples samples(unit_cube(), 0.5, kCount, 1, {});
  // A ball in the middle, the same again, one with its middle on a side, one with the whole cube.
  const std::vector<Sphere> spheres{
      {{0.5, 0.5, 0.5}, 0.3}, {{0.5, 0.5, 0.5}, 0.3}, {{0, 0.5, 0.5}, 0.2}, {{0.5, 0.5, 0.5}, 0.9}};
  const std::vector<VolumeShares> shares = samples.shares(spheres);
  ASSERT_EQ(shares.size(), 5U);
  const auto ball = [](double radius) {
    return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  };
  EXPECT_EQ(shares[0].covered, 0.0);
  EXPECT_EQ(shares[0].outside, 0.0);
  EXPECT_NEAR(shares[1].covered, ball(0.3), 0.01);
  EXPECT_EQ(shares[1].outside, 0.0);
  EXPECT_EQ(shares[2].covered, shares[1].covered);
  // Both balls reach to x = 0.2: they do not overlap.
  EXPECT_NEAR(shares[3].covered, ball(0.3) + 0.5 * ball(0.2), 0.01);
  EXPECT_NEAR(shares[3].outside, 0.5 * ball(0.2), 0.005);
  EXPECT_NEAR(shares[4].covered, 1.0, 1e-9);
  EXPECT_NEAR(shares[4].outside, ball(0.9) - 1.0, 0.04);
}

TEST(VolumeSamples, DoNotDependOnThreads) {
  const std::vector<Sphere> spheres{{{0.2, 0.3, 0.4}, 0.3}, {{0.9, 0.9, 0.9}, 0.4}};
  const auto one = VolumeSamples(unit_cube(), 0.1, 5000, 7, {1}).shares(spheres);
  const auto four = VolumeSamples(unit_cube(), 0.1, 5000, 7, {4}).shares(spheres);
  for (std::size_t n = 0; n < one.size(); ++n) {
    EXPECT_EQ(one[n].covered, four[n].covered);
    EXPECT_EQ(one[n].outside, four[n].outside);
  }
}

}  // namespace
}  // namespace clearance::study
