// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds of eight pairs of triangles: never above the distance, and good enough to tell most pairs
// apart without computing it.
#include "query/wide_triangles.h"

#include <array>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/triangle_triangle.h>

namespace clearance {
namespace {

using namespace clearance::detail;

constexpr float kLow = 1e-20F;  // a limit no bound is below, unless it is zero

/// A triangle of floats: every third a sliver, every seventh without any extent.
Triangle random_triangle(Random& random, int kind, double size) {
  const auto rounded = [&](const Vec3& v) {
    return Vec3{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  const auto any = [&] { return Vec3{random.normal(), random.normal(), random.normal()}; };
  const Vec3 p = size * any();
  const Vec3 q = kind % 7 == 6 ? p : p + size * any();
  const Vec3 r = kind % 7 == 6   ? p
                 : kind % 3 == 2 ? p + 0.5 * (q - p) + 1e-5 * size * any()
                                 : p + size * any();
  return {rounded(p), rounded(q), rounded(r)};
}

void put(Corners8& corners, int lane, const Triangle& t) {
  const std::array<Vec3, 3> p{t.a, t.b, t.c};
  for (int c = 0; c < 3; ++c) {
    for (std::size_t k = 0; k < 3; ++k)
      corners.c[3 * c + static_cast<int>(k)][lane] =
          static_cast<float>(p[static_cast<std::size_t>(c)][k]);
  }
}

TEST(TrianglePairs8, BoundsAreNeverAboveTheDistance) {
  int close = 0;
  int pairs = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    const double size = std::pow(10.0, random.uniform(-4.0, 8.0));
    Corners8 a{};
    Corners8 b{};
    std::array<double, 8> distance{};
    std::array<double, 8> extent{};
    for (int i = 0; i < 8; ++i) {
      const Triangle ta = random_triangle(random, i, size);
      Triangle tb = random_triangle(random, i + static_cast<int>(seed % 21), size);
      const Vec3 away{static_cast<float>(4.0 * size * random.uniform()), 0.0, 0.0};
      tb = {tb.a + away, tb.b + away, tb.c + away};
      for (Vec3* p : {&tb.a, &tb.b, &tb.c}) p->x = static_cast<float>(p->x);
      put(a, i, ta);
      put(b, i, tb);
      const auto at = static_cast<std::size_t>(i);
      distance[at] = closest_points(ta, tb).distance;
      for (const Vec3& p : {ta.a, ta.b, ta.c, tb.a, tb.b, tb.c})
        extent[at] = std::max(extent[at], norm(p));
    }
    TrianglePairs8 all(a, b, broadcast8(0.0F));
    const unsigned left = all.below(broadcast8(std::numeric_limits<float>::max()), 0xffU, false);
    EXPECT_EQ(left, 0xffU);  // nothing is that far: all directions were looked along
    for (int i = 0; i < 8; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double bound = std::sqrt(static_cast<double>(all.squares()[i]));
      ASSERT_LE(bound, distance[at] + static_cast<double>(kFloatError) * extent[at])
          << "seed " << seed << ", lane " << i;
      if (distance[at] == 0.0) continue;
      ++pairs;
      close += bound > 0.999 * distance[at] ? 1 : 0;
    }
  }
  // Of most pairs, slivers included, the closest features give one of the directions.
  EXPECT_GT(close, pairs * 17 / 20);
}

TEST(TrianglePairs8, StopsWhereAllChosenPairsAreApart) {
  Corners8 a{};
  Corners8 b{};
  for (int i = 0; i < 8; ++i) {
    put(a, i, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
    // Lane 0 crosses the first triangle, the others are i above it.
    put(b, i, {{0.2, 0.2, i - 0.5}, {0.3, 0.2, i + 0.5}, {0.2, 0.3, i + 0.5}});
  }
  for (const bool touching : {false, true}) {
    TrianglePairs8 all(a, b, broadcast8(0.0F));
    EXPECT_EQ(all.below(broadcast8(kLow), 0xffU, touching), 1U);
    TrianglePairs8 far(a, b, broadcast8(0.0F));
    EXPECT_EQ(far.below(broadcast8(kLow), 0xfeU, touching), 0U);
    // The gap of lane i is i - 0.5: those below 3 are 0 to 3.
    TrianglePairs8 some(a, b, broadcast8(0.0F));
    EXPECT_EQ(some.below(broadcast8(9.0F), 0xffU, touching), 0x0fU);
  }
}

TEST(TrianglePairs8, TakesTheNamedLanes) {
  Corners8 a{};
  for (int i = 0; i < 8; ++i) {
    const auto x = static_cast<double>(i);
    put(a, i, {{x, 1, 2}, {x, 3, 4}, {x, 5, 6}});
  }
  const Corners8 t = taken(a, Int8{7, 0, 3, 3, 1, 2, 6, 5});
  const std::array<float, 8> expected{7, 0, 3, 3, 1, 2, 6, 5};
  for (std::size_t i = 0; i < 8; ++i) {
    for (const int c : {0, 3, 6}) EXPECT_EQ(t.c[c][i], expected[i]);
    EXPECT_EQ(t.c[8][i], 6.0F);
  }
}

}  // namespace
}  // namespace clearance
