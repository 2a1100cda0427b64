// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nearly the nearest place, against looking at all of them.
#include "plan/place_index.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>

namespace clearance::detail {
namespace {

constexpr double kRadius = 0.7;

Quaternion random_turn(Random& random) {
  return turn_by(
      Vec3{random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)});
}

/// Places of a tree: each not far from one before it, so that they crowd here and are missing
/// there.
std::vector<Place> crowded_places(std::size_t count, Random& random) {
  std::vector<Place> places{{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}};
  while (places.size() < count) {
    const auto from =
        static_cast<std::size_t>(random.uniform(0.0, 1.0) * static_cast<double>(places.size()));
    const Step6 step{
        {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)},
        {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)}};
    places.push_back(moved(places[from], step, kRadius));
  }
  return places;
}

Place target(Random& random) {
  return {{random.uniform(-4.0, 4.0), random.uniform(-4.0, 4.0), random.uniform(-4.0, 4.0)},
          random_turn(random)};
}

double gap(const Place& a, const Place& b) { return std::sqrt(squared_gap(a, b, kRadius)); }

struct Brute {
  std::uint32_t name = kNoPlace;
  double gap = std::numeric_limits<double>::infinity();
};
Brute nearest_of(const std::vector<Place>& places, const std::vector<bool>& gone,
                 const Place& place) {
  Brute best;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    if (gone[i]) continue;
    const double here = gap(places[i], place);
    if (here < best.gap) best = {i, here};
  }
  return best;
}

TEST(PlaceIndex, IsTheNearestOfFewAndNearlyTheNearestOfMany) {
  Random random(7);
  const std::vector<Place> places = crowded_places(5000, random);
  PlaceIndex index(kRadius);
  std::vector<Place> so_far;
  std::uint64_t compared = 0;
  EXPECT_EQ(index.near_to(places[0], compared), kNoPlace);
  int exact = 0;
  int asked = 0;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    index.add(places[i], i);
    so_far.push_back(places[i]);
    if (i % 7 != 0) continue;
    const Place at =
        i % 2 == 0 ? target(random) : moved(places[i / 2], {{0.05, 0.0, 0.0}, {}}, kRadius);
    const Brute best = nearest_of(so_far, std::vector<bool>(so_far.size(), false), at);
    const std::uint32_t found = index.near_to(at, compared);
    ASSERT_LT(found, so_far.size());
    const double allowed = so_far.size() < 256 ? 1.0 : 1.3;
    ASSERT_LE(gap(so_far[found], at), allowed * best.gap * (1.0 + 1e-4) + 1e-3) << i;
    ++asked;
    exact += found == best.name ? 1 : 0;
  }
  // Most often it is the nearest after all, and far fewer than all were looked at.
  EXPECT_GT(2 * exact, asked);
  EXPECT_LT(compared, static_cast<std::uint64_t>(asked) * places.size() / 8);
}

TEST(PlaceIndex, CountsATurnWithEitherSignOfItsQuaternion) {
  Random random(3);
  PlaceIndex index(kRadius);
  std::vector<Place> places;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    places.push_back(target(random));
    index.add(places.back(), i);
  }
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const Quaternion& q = places[i].turn;
    std::uint64_t compared = 0;
    EXPECT_EQ(index.near_to({places[i].position, {-q.x, -q.y, -q.z, -q.w}}, compared), i);
  }
}

TEST(PlaceIndex, ForgetsWhatIsRemovedWhereverItIsKept) {
  Random random(11);
  const std::vector<Place> places = crowded_places(3000, random);
  PlaceIndex index(kRadius);
  std::vector<bool> gone(places.size(), false);
  std::vector<Place> so_far;
  std::uint64_t compared = 0;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    index.add(places[i], i);
    so_far.push_back(places[i]);
    if (i % 100 != 99) continue;
    // A run of them in the middle, some in trees and some in the list; trees are made of the rest.
    for (std::uint32_t j = i / 2; j < i / 2 + 60 && j <= i; ++j) gone[j] = true;
    index.remove_if([&gone](std::uint32_t name) { return gone[name]; });
    const std::vector<bool> now(gone.begin(), gone.begin() + i + 1);
    for (int k = 0; k < 10; ++k) {
      const Place at = target(random);
      const std::uint32_t found = index.near_to(at, compared);
      ASSERT_LT(found, so_far.size());
      EXPECT_FALSE(gone[found]);
      EXPECT_LE(gap(so_far[found], at),
                1.3 * nearest_of(so_far, now, at).gap * (1.0 + 1e-4) + 1e-3);
    }
  }
  index.remove_if([](std::uint32_t) { return true; });
  EXPECT_EQ(index.near_to(places[0], compared), kNoPlace);
}

TEST(PlaceIndex, NamesTheFirstOfEqualPlaces) {
  PlaceIndex index(kRadius);
  const Place here{{1.0, 2.0, 3.0}, {0.0, 0.0, 0.0, 1.0}};
  for (std::uint32_t i = 0; i < 700; ++i) index.add(here, i);
  std::uint64_t compared = 0;
  EXPECT_EQ(index.near_to(here, compared), 0U);
}

}  // namespace
}  // namespace clearance::detail
