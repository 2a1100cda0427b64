// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include <clearance/base/random.h>

namespace clearance {
namespace {

TEST(Random, SameSeedSameNumbersOnEveryMachine) {
  // xoshiro256++ seeded by SplitMix64 from 0, computed by a separate program in another language.
  Random random(0);
  const std::array<std::uint64_t, 4> expected{0x53175d61490b23dfu, 0x61da6f3dc380d507u,
                                              0x5c0fdf91ec9a7bfcu, 0x2eebf8c3bbe5e1au};
  for (const std::uint64_t bits : expected) EXPECT_EQ(random.next(), bits);
}

TEST(Random, UniformFillsTheUnitIntervalEvenly) {
  Random random(1);
  std::array<int, 10> bins{};
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++bins[static_cast<std::size_t>(u * 10.0)];
  }
  // Five standard deviations of a binomial count.
  for (const int count : bins) EXPECT_NEAR(count, kCount / 10, 5 * std::sqrt(kCount * 0.09));
}

TEST(Random, UniformStaysInItsRange) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const double u = random.uniform(-3.0, 5.0);
    ASSERT_GE(u, -3.0);
    ASSERT_LT(u, 5.0);
  }
  // A range of two neighbouring doubles: rounding must not give the excluded end.
  const double high = std::nextafter(1.0, 2.0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(random.uniform(1.0, high), 1.0);
}

TEST(Random, BelowHasNoBias) {
  Random random(3);
  std::array<int, 7> bins{};
  constexpr int kCount = 70000;
  for (int i = 0; i < kCount; ++i) ++bins[random.below(7)];
  for (const int count : bins) EXPECT_NEAR(count, kCount / 7, 5 * std::sqrt(kCount / 7.0));
  EXPECT_EQ(random.below(1), 0u);
  // Two thirds of the range: by plain remainder, the lower half would come twice as often.
  const std::uint64_t two_thirds = 0xaaaaaaaaaaaaaaaau;
  int low = 0;
  for (int i = 0; i < 10000; ++i) low += random.below(two_thirds) < two_thirds / 2 ? 1 : 0;
  EXPECT_NEAR(low, 5000, 250);
}

TEST(Random, NormalHasTheMomentsOfOne) {
  Random random(4);
  double sum = 0.0;
  double squares = 0.0;
  double fourth = 0.0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.02);
  EXPECT_NEAR(squares / kCount, 1.0, 0.03);
  EXPECT_NEAR(fourth / kCount, 3.0, 0.2);
}

TEST(Random, SplitGivesGeneratorsThatDiffer) {
  const Random random(5);
  std::set<std::uint64_t> first;
  for (std::uint64_t i = 0; i < 10000; ++i) first.insert(random.split(i).next());
  EXPECT_EQ(first.size(), 10000u);
  EXPECT_EQ(random.split(3).next(), random.split(3).next());
  EXPECT_NE(Random(6).split(0).next(), random.split(0).next());
}

TEST(Random, SplitDoesNotRepeatItsParent) {
  Random random(5);
  Random piece = random.split(0);
  EXPECT_NE(piece.next(), random.next());
}

}  // namespace
}  // namespace clearance
