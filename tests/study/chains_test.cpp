// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/chains.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "chaintree/torsion_walk.h"

namespace clearance::study {
namespace {

std::vector<Vec3> centers_of(const Chain& chain) {
  std::vector<Vec3> centers;
  const std::vector<Pose> poses = link_poses(chain.joints);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const LinkSpheres& spheres = std::get<LinkSpheres>(chain.links[i]);
    EXPECT_EQ(spheres.size(), 1U);
    EXPECT_EQ(spheres[0].radius, kSphereRadius);
    centers.push_back(poses[i] * spheres[0].center);
  }
  return centers;
}

// Over all pairs that are not neighbours.
double least_distance(const std::vector<Vec3>& centers) {
  double least_sq = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < centers.size(); ++i) {
    for (std::size_t j = i + 2; j < centers.size(); ++j) {
      const Vec3 d = centers[j] - centers[i];
      least_sq = std::min(least_sq, dot(d, d));
    }
  }
  return std::sqrt(least_sq);
}

TEST(CompactChain, HasBondsOfTheSameLengthAlongTheXAxisOfItsLinks) {
  const Chain chain = compact_chain(3000, 5);
  ASSERT_EQ(chain.joints.size(), 2999U);
  for (const Pose& joint : chain.joints) {
    EXPECT_LT(rigidity_error(joint.rotation), 1e-14);
    // The last links of rows far from the start lose a few digits to the size of the chain.
    EXPECT_NEAR(joint.translation.x, kBondLength, 1e-12);
    EXPECT_NEAR(std::hypot(joint.translation.y, joint.translation.z), 0.0, 1e-12);
  }
}

TEST(CompactChain, IsFreeOfContactForAnyNumberOfLinks) {
  for (const std::size_t links : {1, 2, 3, 7, 8, 9, 26, 27, 28, 100, 999, 1000, 1001, 2500}) {
    for (const std::uint64_t seed : {1, 2}) {
      const Chain chain = compact_chain(links, seed);
      ASSERT_EQ(chain.links.size(), links);
      EXPECT_GT(least_distance(centers_of(chain)), kCompactLeastDistance) << links;
    }
  }
}

TEST(CompactChain, FillsACube) {
  for (const std::size_t links : {1000, 2500, 27000}) {
    Box box;
    for (const Vec3& p : centers_of(compact_chain(links, 1))) box.include(p);
    const double side = kBondLength * (std::cbrt(static_cast<double>(links)) - 1.0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Link 0 lies along its bond, so the axes of the cube are nearly those of the frame.
      EXPECT_NEAR(box.high[axis] - box.low[axis], side, 0.15 * side + kBondLength) << links;
    }
  }
}

TEST(CompactChain, IsTheSameForTheSameSeedAndBentElsewiseForAnother) {
  EXPECT_EQ(compact_chain(500, 3).joints, compact_chain(500, 3).joints);
  const Chain a = compact_chain(500, 3);
  const Chain b = compact_chain(500, 4);
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.joints.size(); ++i) different += a.joints[i] == b.joints[i] ? 0 : 1;
  EXPECT_GT(different, 480U);
}

TEST(WorstCaseChain, HasTheLinksOfTheLemmaOnDistinctPointsOfALattice) {
  for (const std::size_t d : {8, 16, 24, 32}) {
    const Chain chain = worst_case_chain(d);
    EXPECT_EQ(chain.links.size(), 3 * d * d * d / 64);
    EXPECT_GT(least_distance(centers_of(chain)), kBondLength - 1e-9) << d;
  }
}

TEST(WorstCaseChain, HasUnitsWhoseHullsShareAPoint) {
  // The hull of a unit is the tetrahedron of its start A, its corners B and C and its end D: in
  // bonds, from A, (0,0,0), (d-1,0,0), (d-1,d,0), (d-1,d,d), and so x <= d-1, y/d <= x/(d-1), z <=
  // y, z >= 0. The lemma's point is ((d-1), (d-1)/2, (d-1)/8).
  constexpr std::size_t kD = 32;
  const Chain chain = worst_case_chain(kD);
  const std::vector<Vec3> centers = centers_of(chain);
  // Link 0 is the start of the first unit, and its frame has the axes of the construction.
  constexpr double d = kD;
  const Vec3 point{d - 1.0, 0.5 * (d - 1.0), 0.125 * (d - 1.0)};
  constexpr std::size_t kUnit = 3 * kD;
  for (std::size_t unit = 0; unit * kUnit < centers.size(); ++unit) {
    const Vec3 first = centers[unit * kUnit];
    const Vec3 last = centers[(unit + 1) * kUnit - 1];
    const Vec3 start = (1.0 / kBondLength) * (first.z < last.z ? first : last);
    const Vec3 p = point - start;
    constexpr double kRounding = 1e-9;
    EXPECT_LE(p.x, d - 1.0 + kRounding);
    EXPECT_LE(p.y / d, p.x / (d - 1.0) + kRounding);
    EXPECT_LE(p.z, p.y + kRounding);
    EXPECT_GE(p.z, -kRounding);
  }
}

TEST(TorsionWalk, TurnsOnFromWhatWasKept) {
  const Chain chain = compact_chain(10, 1);
  TorsionWalk walk(chain, {4}, 1);
  const auto angle = [&](const JointChange& change) {
    // The turn about x since the start.
    const Mat3 turn = change.pose.rotation * transpose(chain.joints[4].rotation);
    return std::atan2(turn[2][1], turn[1][1]);
  };
  double kept = 0.0;
  for (int i = 0; i < 100; ++i) {
    const JointChange change = walk.propose();
    EXPECT_EQ(change.joint, 4U);
    EXPECT_LE(std::abs(angle(change) - kept), kLargestTurn + 1e-12);
    EXPECT_NEAR(norm(change.pose.translation - chain.joints[4].translation), 0.0, 1e-12);
    const bool keep = i % 3 != 0;
    walk.answer(keep);
    if (keep) kept = angle(change);
  }
}

TEST(TorsionWalk, IsTheSameForTheSameAnswers) {
  const Chain chain = compact_chain(50, 1);
  TorsionWalk a(chain, {}, 7);
  TorsionWalk b(chain, {}, 7);
  std::vector<bool> used(49, false);
  for (int i = 0; i < 1000; ++i) {
    const JointChange change = a.propose();
    EXPECT_EQ(change.pose, b.propose().pose);
    used[change.joint] = true;
    a.answer(i % 2 == 0);
    b.answer(i % 2 == 0);
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), true), 49);
}

}  // namespace
}  // namespace clearance::study
