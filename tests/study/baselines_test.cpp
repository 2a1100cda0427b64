// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/baselines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/chain/chain.h>

#include "chaintree/chain_tree_method.h"

namespace clearance::study {
namespace {

/// Spheres along a path that fills a cube row by row, `spacing` apart. Frames are not turned.
Chain serpentine(std::uint32_t side, double spacing, double radius) {
  Chain chain;
  Vec3 last;
  for (std::uint32_t i = 0; i < side * side * side; ++i) {
    const std::uint32_t layer = i / (side * side);
    const std::uint32_t row_of_all = i / side;
    const std::uint32_t row = layer % 2 == 0 ? row_of_all % side : side - 1 - row_of_all % side;
    const std::uint32_t column = row_of_all % 2 == 0 ? i % side : side - 1 - i % side;
    const Vec3 here = spacing * Vec3{double(column), double(row), double(layer)};
    chain.links.emplace_back(LinkSpheres{Sphere{{}, radius}});
    if (i > 0) chain.joints.push_back(Pose::translate(here - last));
    last = here;
  }
  return chain;
}

/// The same with a few more spheres on each link, as side chains have, some links without any, and
/// pairs that may touch.
Chain with_side_chains(Chain chain, Random& random) {
  for (LinkShape& link : chain.links) {
    LinkSpheres& spheres = std::get<LinkSpheres>(link);
    if (random.below(10) == 0) spheres.clear();
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      const Vec3 off{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      spheres.push_back({off, random.uniform(0.1, 0.9)});
    }
  }
  chain.neighbours = 2;
  for (int i = 0; i < 50; ++i) {
    const auto count = static_cast<std::uint32_t>(chain.links.size());
    const auto a = static_cast<std::uint32_t>(random.below(count));
    const auto b = static_cast<std::uint32_t>(random.below(count));
    if (a != b) chain.ignored.push_back({std::min(a, b), std::max(a, b)});
  }
  return chain;
}

/// The least gap between any two spheres of links that are tested against each other.
double least_gap(const Chain& chain, std::span<const Pose> joints) {
  const std::vector<Pose> poses = link_poses(joints);
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t b = 0; b < poses.size(); ++b) {
    for (const Sphere& sphere_b : std::get<LinkSpheres>(chain.links[b])) {
      const Vec3 center_b = poses[b] * sphere_b.center;
      for (std::uint32_t a = 0; a + chain.neighbours < b; ++a) {
        if (std::find(chain.ignored.begin(), chain.ignored.end(), LinkPair{a, b}) !=
            chain.ignored.end()) {
          continue;
        }
        for (const Sphere& sphere_a : std::get<LinkSpheres>(chain.links[a])) {
          least = std::min(least, distance(poses[a] * sphere_a.center, center_b) - sphere_a.radius -
                                      sphere_b.radius);
        }
      }
    }
  }
  return least;
}

/// One to `most` joints turned about their bonds; small turns and large ones.
std::vector<JointChange> random_move(std::span<const Pose> joints, std::uint64_t most,
                                     Random& random) {
  std::vector<JointChange> changes(1 + random.below(most));
  const double largest = random.below(2) == 0 ? 0.02 : std::numbers::pi;
  for (JointChange& change : changes) {
    change.joint = static_cast<std::uint32_t>(random.below(joints.size()));
    const Pose& joint = joints[change.joint];
    change.pose =
        turned(joint, {}, normalized(joint.translation), random.uniform(-largest, largest));
  }
  return changes;
}

/// All methods over the same moves, against brute force.
void compare_with_brute_force(const Chain& chain, int steps, std::uint64_t most, Random& random) {
  std::vector<std::unique_ptr<StepMethod>> methods;
  constexpr std::array kVolumes{ChainVolume::Wide, ChainVolume::LooseObb, ChainVolume::TightObb,
                                ChainVolume::Rss};
  methods.reserve(kBaselines.size() + kVolumes.size());
  for (const Baseline baseline : kBaselines) methods.push_back(make_baseline(baseline, chain));
  for (const ChainVolume volume : kVolumes) {
    methods.push_back(make_chain_tree_method(chain, {.volume = volume}));
  }
  std::vector<Pose> joints = chain.joints;
  ASSERT_GT(least_gap(chain, joints), 0.0);

  int hits = 0;
  for (int step = 0; step < steps; ++step) {
    const std::vector<JointChange> changes = random_move(joints, most, random);
    std::vector<Pose> proposed = joints;
    for (const JointChange& change : changes) proposed[change.joint] = change.pose;
    const double gap = least_gap(chain, proposed);
    // Nearer to touching than this the positions of the methods may disagree.
    constexpr double kRounding = 1e-11;
    ASSERT_GT(std::abs(gap), kRounding);
    const bool expected = gap <= 0.0;
    for (const auto& method : methods) {
      // Timed or not, the answer is the same.
      const bool hit = step % 2 == 0 ? method->step(changes) : method->timed_step(changes);
      ASSERT_EQ(hit, expected) << method->name() << " in step " << step << ", gap " << gap;
    }
    if (expected) {
      ++hits;
    } else {
      joints = proposed;
    }
  }
  // Both answers are well represented.
  EXPECT_GT(hits, steps / 10);
  EXPECT_LT(hits, steps * 9 / 10);

  // The same final state, in the joints to the bit.
  const std::vector<Pose> poses = link_poses(joints);
  for (const auto& method : methods) {
    EXPECT_EQ(method->work().steps, static_cast<std::uint64_t>(steps));
    EXPECT_EQ(method->work().hits, static_cast<std::uint64_t>(hits));
    EXPECT_GT(method->work().test_seconds, 0.0);
    for (std::size_t i = 0; i < joints.size(); ++i) ASSERT_EQ(method->joint(i), joints[i]);
    const std::vector<Vec3> centers = method->centers();
    std::size_t next = 0;
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
      for (const Sphere& sphere : std::get<LinkSpheres>(chain.links[i])) {
        ASSERT_LT(distance(centers.at(next++), poses[i] * sphere.center), 1e-10) << method->name();
      }
    }
    EXPECT_EQ(next, centers.size());
  }
}

// Chains open up as moves are kept, and collide less and less: several short runs. Yet long enough
// for the positions to be worked out anew from the joints, every 256 kept moves.
constexpr int kRuns = 5;
constexpr int kSteps = 500;

TEST(Baselines, AnswerAsBruteForceOnSingleSpheres) {
  Random random(1);
  for (int run = 0; run < kRuns; ++run) {
    compare_with_brute_force(serpentine(6, 4.0, 1.8), kSteps, 1, random);
  }
}

TEST(Baselines, AnswerAsBruteForceWhenSeveralJointsChange) {
  Random random(2);
  for (int run = 0; run < kRuns; ++run) {
    compare_with_brute_force(serpentine(5, 4.0, 1.6), kSteps, 5, random);
  }
}

TEST(Baselines, AnswerAsBruteForceOnGroupsOfSpheresAndIgnoredPairs) {
  Random random(3);
  for (int run = 0; run < kRuns; ++run) {
    const Chain chain = with_side_chains(serpentine(4, 4.0, 1.4), random);
    compare_with_brute_force(chain, kSteps, 3, random);
  }
}

TEST(Baselines, KeepASingleLinkFree) {
  Chain chain;
  chain.links.emplace_back(LinkSpheres{Sphere{{}, 1.0}});
  for (const Baseline baseline : kBaselines) {
    const auto method = make_baseline(baseline, chain);
    EXPECT_FALSE(method->step({})) << method->name();
    EXPECT_EQ(method->centers().size(), 1U);
  }
}

TEST(Baselines, TakeTheLastOfTwoPosesForOneJoint) {
  const Chain chain = serpentine(3, 4.0, 1.0);
  const Pose& joint = chain.joints[5];
  const Pose first = turned(joint, {}, normalized(joint.translation), 1.0);
  const Pose last = turned(joint, {}, normalized(joint.translation), 1e-3);
  for (const Baseline baseline : kBaselines) {
    const auto method = make_baseline(baseline, chain);
    const std::array changes{JointChange{5, first}, JointChange{5, last}};
    EXPECT_FALSE(method->step(changes)) << method->name();
    EXPECT_EQ(method->joint(5), last);
  }
}

TEST(Baselines, OnlyTreesCountBoxTests) {
  const Chain chain = serpentine(5, 4.0, 1.0);
  const Pose& joint = chain.joints[50];
  const std::array changes{JointChange{50, turned(joint, {}, normalized(joint.translation), 1e-3)}};
  for (const Baseline baseline : kBaselines) {
    const auto method = make_baseline(baseline, chain);
    EXPECT_FALSE(method->step(changes));
    const bool tree = baseline == Baseline::OneObbTree || baseline == Baseline::KObbTrees;
    EXPECT_EQ(method->work().box_tests > 0, tree) << method->name();
  }
}

}  // namespace
}  // namespace clearance::study
