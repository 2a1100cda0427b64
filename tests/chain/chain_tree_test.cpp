// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every kind of chain tree against brute force over its links, through random series of changes,
// accepted, rejected and exchanged.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/chain/chain_tree.h>

#include "chain/chain_state.h"
#include "chain/wide_chain.h"
#include "support/chain_scenes.h"

namespace clearance {
namespace {

using namespace clearance::test;

/// Steps of all series of one kind of tree; CLEARANCE_CHAIN_STEPS=1000000 for the long run. The
/// binary trees, there for comparison, get a tenth of it.
std::uint64_t step_count(ChainVolume volume) {
  const char* text = std::getenv("CLEARANCE_CHAIN_STEPS");
  const std::uint64_t steps = text == nullptr ? 100000 : std::strtoull(text, nullptr, 10);
  return volume == ChainVolume::Wide ? steps : steps / 10;
}

/// The kinds of trees that exist.
std::vector<ChainVolume> existing_volumes() {
  std::vector<ChainVolume> volumes;
  for (const ChainVolume volume :
       {ChainVolume::Wide, ChainVolume::LooseObb, ChainVolume::TightObb, ChainVolume::Rss}) {
    Chain chain;
    chain.links.emplace_back(LinkSpheres{{{}, 1.0}});
    if (ChainTree::build(chain, {volume})) volumes.push_back(volume);
  }
  return volumes;
}

std::string name_of(ChainVolume volume) {
  switch (volume) {
    case ChainVolume::Wide:
      return "Wide";
    case ChainVolume::LooseObb:
      return "LooseObb";
    case ChainVolume::TightObb:
      return "TightObb";
    case ChainVolume::Rss:
      return "Rss";
  }
  return "";
}

ChainTree tree_of(const Chain& chain, ChainVolume volume) {
  Result<ChainTree> tree = ChainTree::build(chain, {volume});
  EXPECT_TRUE(tree) << (tree ? "" : tree.error().message());
  return std::move(tree.value());
}

/// All a tree can be asked for without a descent, and all its nodes hold.
std::vector<std::byte> everything(const ChainTree& tree) {
  std::vector<std::byte> bytes;
  const auto append = [&](const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  };
  for (std::size_t i = 0; i < tree.link_count(); ++i) {
    if (i + 1 < tree.link_count()) append(&tree.joint(i), sizeof(Pose));
    if (const auto* spheres = std::get_if<LinkSpheres>(&tree.link(i)))
      append(spheres->data(), spheres->size() * sizeof(Sphere));
  }
  tree.state().append_bytes(bytes);
  return bytes;
}

/// The pairs of a query against those of brute force. Gaps within the tolerance of the cutoff may
/// be in or out; distances must agree.
using Pairs = std::map<LinkPair, double>;
::testing::AssertionResult same_pairs(const Pairs& found, const Pairs& expected, double cutoff,
                                      double tolerance) {
  for (const auto& [pair, gap] : expected) {
    const auto at = found.find(pair);
    if (at == found.end()) {
      if (gap > cutoff - tolerance) continue;
      return ::testing::AssertionFailure()
             << "pair " << pair.a << ", " << pair.b << " at " << gap << " is missing";
    }
    if (std::abs(at->second - std::max(gap, 0.0)) > tolerance) {
      return ::testing::AssertionFailure() << "pair " << pair.a << ", " << pair.b << " is " << gap
                                           << " apart, not " << at->second;
    }
  }
  for (const auto& [pair, gap] : found) {
    if (!expected.contains(pair)) {
      return ::testing::AssertionFailure()
             << "pair " << pair.a << ", " << pair.b << " at " << gap << " is too much";
    }
  }
  return ::testing::AssertionSuccess();
}

/// A chain, its tree, and a series of random steps.
class Series {
 public:
  Series(Random& random, ChainVolume volume, std::uint32_t link_count, LinkKind kind)
      : random_(random),
        chain_(random_chain(random, link_count, kind)),
        tree_(tree_of(chain_, volume)),
        brute_(chain_),
        accepted_(everything(tree_)) {}

  /// A change of a few joints, or of a shape, all questions, and back or not. False: see failures.
  void step() {
    const Chain before = chain_;
    for (std::uint64_t i = 0; i <= random_.below(2); ++i) propose();
    brute_.update(chain_);
    // A tree may put its update off until it is asked: the questions come in different orders.
    if (random_.below(4) == 0) ask_for_poses();
    ask();
    if (::testing::Test::HasFatalFailure()) return;
    if (random_.below(8) == 0) exchange(before);
    // Free states are kept, so that chains stay as they would in a simulation; some others too.
    if (last_hit_ ? random_.below(16) == 0 : random_.below(4) != 0) {
      tree_.accept();
      accepted_ = everything(tree_);
    } else {
      tree_.reject();
      chain_ = before;
      brute_.update(chain_);
      ASSERT_EQ(everything(tree_), accepted_) << "a reject left something behind";
    }
    joints_.clear();
    links_.clear();
    ask_for_nothing_changed();
  }

  std::uint64_t hits = 0;
  std::uint64_t steps = 0;
  std::uint64_t undecided = 0;
  std::uint64_t remembered = 0;

 private:
  void propose() {
    const auto count = static_cast<std::uint32_t>(chain_.links.size());
    if (random_.below(5) == 0) {
      const auto link = static_cast<std::uint32_t>(random_.below(count));
      if (auto* spheres = std::get_if<LinkSpheres>(&chain_.links[link])) {
        *spheres = reshaped(random_, *spheres);
        tree_.reshape(link, *spheres);
        insert(links_, link);
        return;
      }
    }
    if (count < 2) return;
    std::vector<JointChange> changes;
    const std::uint64_t most = random_.below(4) == 0 ? std::min<std::uint64_t>(count, 20) : 2;
    for (std::uint64_t i = random_.below(most) + 1; i-- > 0;) {
      const auto joint = static_cast<std::uint32_t>(random_.below(count - 1));
      changes.push_back({joint, random_joint(random_, chain_.joints[joint])});
      chain_.joints[joint] = changes.back().pose;
      insert(joints_, joint);
    }
    tree_.change(changes);
  }

  void ask() {
    ++steps;
    const double tolerance = brute_.tolerance();
    double least = std::numeric_limits<double>::infinity();
    brute_.changed_pairs(tolerance, joints_, links_, [&](std::uint32_t, std::uint32_t, double gap) {
      least = std::min(least, gap);
    });
    const ChainCollision collision =
        tree_.collide_changed(random_.below(4) == 0 ? nullptr : &memory_);
    last_hit_ = collision.hit;
    hits += collision.hit ? 1 : 0;
    remembered += collision.remembered ? 1 : 0;
    if (std::abs(least) <= tolerance) {
      // Shapes that are not spheres have no depth: touching is a gap of exactly zero.
      if (least == 0.0) {
        ASSERT_TRUE(collision.hit);
      } else {
        ++undecided;
      }
    } else {
      ASSERT_EQ(collision.hit, least < 0.0) << "least gap " << least;
    }
    if (collision.hit) {
      ASSERT_LT(collision.pair.a, collision.pair.b);
      ASSERT_LE(brute_.gap(collision.pair.a, collision.pair.b), tolerance);
    }
    if (random_.below(6) == 0) ask_for_changed_pairs();
    if (random_.below(16) == 0) ask_for_all_pairs();
    if (random_.below(6) == 0) ask_for_poses();
  }

  void ask_for_changed_pairs() {
    const double cutoff = random_.uniform(0.0, 1.5);
    Pairs expected;
    Pairs found;
    brute_.changed_pairs(cutoff + brute_.tolerance(), joints_, links_,
                         [&](std::uint32_t a, std::uint32_t b, double gap) {
                           expected[{a, b}] = gap;
                         });
    tree_.changed_pairs_within(cutoff, [&](std::uint32_t a, std::uint32_t b, double gap) {
      EXPECT_TRUE(found.insert({{a, b}, gap}).second) << "a pair comes twice";
    });
    ASSERT_TRUE(same_pairs(found, expected, cutoff, brute_.tolerance()));
    ask_for_spheres(true);
  }

  void ask_for_all_pairs() {
    const double tolerance = brute_.tolerance();
    const double cutoff = random_.uniform(0.0, 1.0);
    Pairs expected;
    double least = std::numeric_limits<double>::infinity();
    brute_.pairs(cutoff + tolerance, [&](std::uint32_t a, std::uint32_t b, double gap) {
      expected[{a, b}] = gap;
      least = std::min(least, gap);
    });
    Pairs found;
    tree_.pairs_within(cutoff, [&](std::uint32_t a, std::uint32_t b, double gap) {
      EXPECT_TRUE(found.insert({{a, b}, gap}).second) << "a pair comes twice";
    });
    ASSERT_TRUE(same_pairs(found, expected, cutoff, tolerance));

    Pairs touching;
    for (const LinkPair& pair : tree_.contacts()) touching[pair] = 0.0;
    std::erase_if(expected, [&](const auto& entry) { return entry.second > tolerance; });
    ASSERT_TRUE(same_pairs(touching, expected, 0.0, tolerance));
    ASSERT_EQ(tree_.collide_self().hit, !touching.empty());

    const ChainDistance nearest = tree_.distance_self();
    if (least <= cutoff) {
      ASSERT_NEAR(nearest.distance, std::max(least, 0.0), tolerance);
      ASSERT_LE(brute_.gap(nearest.pair.a, nearest.pair.b), nearest.distance + tolerance);
    } else {
      ASSERT_GE(nearest.distance, cutoff);
    }
    ask_for_spheres(false);
  }

  void ask_for_spheres(bool changed_only) {
    const double cutoff = random_.uniform(0.1, 2.0);
    const double tolerance = brute_.tolerance();
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<Key, double> expected;
    const auto expect = [&](std::uint32_t a, std::uint32_t b, double) {
      const LinkSpheres& in_a = brute_.spheres(a);
      const LinkSpheres& in_b = brute_.spheres(b);
      for (std::uint32_t i = 0; i < in_a.size(); ++i) {
        for (std::uint32_t j = 0; j < in_b.size(); ++j) {
          const double d = distance(in_a[i].center, in_b[j].center);
          if (d <= cutoff + tolerance) expected[{a, i, b, j}] = d;
        }
      }
    };
    if (changed_only) {
      brute_.changed_pairs(cutoff, joints_, links_, expect);
    } else {
      brute_.pairs(cutoff, expect);
    }
    std::size_t found = 0;
    const auto visit = [&](const ChainTree::SpherePair& pair) {
      const auto at = expected.find({pair.link_a, pair.sphere_a, pair.link_b, pair.sphere_b});
      ASSERT_NE(at, expected.end()) << pair.link_a << ", " << pair.link_b;
      ASSERT_NEAR(at->second, pair.center_distance, tolerance);
      expected.erase(at);
      ++found;
    };
    if (changed_only) {
      tree_.changed_sphere_pairs_within(cutoff, visit);
    } else {
      tree_.sphere_pairs_within(cutoff, visit);
    }
    for (const auto& [key, d] : expected) ASSERT_GT(d, cutoff - tolerance);
  }

  void ask_for_poses() {
    const std::vector<Pose> poses = tree_.poses();
    const std::size_t a = random_.below(chain_.links.size());
    const std::size_t b = random_.below(chain_.links.size());
    const Pose found = tree_.relative(a, b);
    const Pose expected = relative(brute_.poses()[a], brute_.poses()[b]);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(found.translation[k], expected.translation[k], brute_.tolerance());
      ASSERT_NEAR(poses[a].translation[k], brute_.poses()[a].translation[k], brute_.tolerance());
      for (std::size_t l = 0; l < 3; ++l)
        ASSERT_NEAR(found.rotation[k][l], expected.rotation[k][l], brute_.tolerance());
    }
  }

  /// The accepted state between two looks at the proposed one.
  void exchange(const Chain& before) {
    const std::vector<std::byte> proposed = everything(tree_);
    tree_.exchange();
    ASSERT_EQ(everything(tree_), accepted_);
    std::swap(chain_, const_cast<Chain&>(before));
    brute_.update(chain_);
    const bool hit = last_hit_;
    ask();
    last_hit_ = hit;
    tree_.exchange();
    ASSERT_EQ(everything(tree_), proposed);
    std::swap(chain_, const_cast<Chain&>(before));
    brute_.update(chain_);
  }

  void ask_for_nothing_changed() {
    const ChainCollision collision = tree_.collide_changed(&memory_);
    ASSERT_FALSE(collision.hit);
    ASSERT_FALSE(collision.remembered);
    tree_.changed_pairs_within(1.0, [](std::uint32_t, std::uint32_t, double) { FAIL(); });
  }

  static void insert(std::vector<std::uint32_t>& sorted, std::uint32_t value) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    if (at == sorted.end() || *at != value) sorted.insert(at, value);
  }

  Random& random_;
  Chain chain_;
  ChainTree tree_;
  BruteChain brute_;
  std::vector<std::byte> accepted_;
  ChainMemory memory_;
  std::vector<std::uint32_t> joints_;  // changed since the last accept or reject, sorted
  std::vector<std::uint32_t> links_;
  bool last_hit_ = false;
};

struct SeriesCase {
  ChainVolume volume;
  LinkKind kind;
};
class ChainTreeSeries : public ::testing::TestWithParam<SeriesCase> {};

TEST_P(ChainTreeSeries, AnswersAsBruteForceAndRestoresEveryBit) {
  const auto [volume, kind] = GetParam();
  // Links of several spheres cost brute force more: fewer and shorter series.
  const std::uint64_t share = kind == LinkKind::Spheres ? 55 : kind == LinkKind::Mixed ? 5 : 20;
  const std::uint64_t steps = step_count(volume) * share / 100;
  Random random(7);
  std::uint64_t done = 0;
  std::uint64_t hits = 0;
  std::uint64_t undecided = 0;
  std::uint64_t remembered = 0;
  for (std::uint64_t round = 0; done < steps; ++round) {
    // Mostly short chains, all lengths from 1 on; some of hundreds, few of thousands.
    std::uint64_t count = 1 + random.below(round % 4 == 0 ? 10 : 70);
    std::uint64_t length = 60;
    if (kind != LinkKind::Mixed) {
      if (round % 8 == 3) count = 1ULL << random.below(8);
      if (round % 20 == 7) count = 100 + random.below(400);
      if (round % 500 == 250) {
        count = kind == LinkKind::Groups ? 1000 + random.below(1000) : 1000 + random.below(4001);
        length = 15;
      }
    }
    Series series(random, volume, static_cast<std::uint32_t>(count), kind);
    for (std::uint64_t i = 0; i < length && done < steps; ++i) {
      series.step();
      ASSERT_FALSE(HasFailure()) << "round " << round << ", step " << i << ", " << count
                                 << " links";
      ++done;
    }
    hits += series.hits;
    undecided += series.undecided;
    remembered += series.remembered;
  }
  // The sample is not one-sided, and hardly ever too close to call.
  EXPECT_LE(undecided, 1 + done / 10000);
  if (done < 1000) return;
  EXPECT_GT(hits, 3 * done / 10);
  EXPECT_LT(hits, 7 * done / 10);
  EXPECT_GT(remembered, 0U);
}

std::vector<SeriesCase> series_cases() {
  std::vector<SeriesCase> cases;
  for (const ChainVolume volume : existing_volumes()) {
    for (const LinkKind kind :
         {LinkKind::Spheres, LinkKind::Sizes, LinkKind::Groups, LinkKind::Mixed})
      cases.push_back({volume, kind});
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, ChainTreeSeries, ::testing::ValuesIn(series_cases()),
                         [](const auto& tested) {
                           return name_of(tested.param.volume) + test::name_of(tested.param.kind);
                         });

class ChainTreeOf : public ::testing::TestWithParam<ChainVolume> {
 protected:
  [[nodiscard]] static ChainTree tree(const Chain& chain) { return tree_of(chain, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(All, ChainTreeOf, ::testing::ValuesIn(existing_volumes()),
                         [](const auto& tested) { return name_of(tested.param); });

/// Spheres of radius 0.4, 1 apart, along x.
Chain straight_chain(std::uint32_t count) {
  Chain chain;
  chain.links.assign(count, LinkSpheres{{{}, 0.4}});
  chain.joints.assign(count - 1, Pose::translate({1.0, 0.0, 0.0}));
  return chain;
}

/// A quarter turn to the left behind a joint.
JointChange left_turn(std::uint32_t joint) {
  return {joint, {rotation_about({0.0, 0.0, 1.0}, std::numbers::pi / 2.0), {1.0, 0.0, 0.0}}};
}

TEST_P(ChainTreeOf, FindsTheEndThatComesBackToTheStart) {
  // Four unit steps to the left lead back: link 4 falls on link 0, all others are 1 apart or more.
  ChainTree t = tree(straight_chain(5));
  EXPECT_FALSE(t.collide_self().hit);
  EXPECT_NEAR(t.distance_self().distance, 1.2, 1e-12);  // two steps less two radii
  EXPECT_EQ(t.distance_self().pair, (LinkPair{0, 2}));
  t.change({left_turn(0), left_turn(1)});
  EXPECT_FALSE(t.collide_changed().hit);
  t.change({left_turn(2)});
  const ChainCollision collision = t.collide_changed();
  EXPECT_TRUE(collision.hit);
  EXPECT_EQ(collision.pair, (LinkPair{0, 4}));
  EXPECT_EQ(t.contacts(), (std::vector<LinkPair>{{0, 4}}));
  EXPECT_EQ(t.distance_self().distance, 0.0);
  t.reject();
  EXPECT_FALSE(t.collide_self().hit);
  EXPECT_EQ(t.joint(2), Pose::translate({1.0, 0.0, 0.0}));
}

TEST_P(ChainTreeOf, LooksOnlyAtPairsThatChanged) {
  // The start touches itself; a joint behind it changes nothing about that.
  Chain chain = straight_chain(12);
  for (const std::uint32_t joint : {0U, 1U, 2U}) chain.joints[joint] = left_turn(joint).pose;
  ChainTree t = tree(chain);
  EXPECT_TRUE(t.collide_self().hit);
  t.change({left_turn(8)});
  EXPECT_FALSE(t.collide_changed().hit);
  // Only pairs across the corner between 8 and 9, whatever else is close.
  std::vector<LinkPair> pairs;
  t.changed_pairs_within(1.3, [&](std::uint32_t a, std::uint32_t b, double) {
    pairs.push_back({a, b});
  });
  for (const LinkPair& pair : pairs) {
    EXPECT_LE(pair.a, 8U);
    EXPECT_GT(pair.b, 8U);
  }
  EXPECT_FALSE(pairs.empty());
}

TEST_P(ChainTreeOf, LeavesNeighboursAndIgnoredPairsAlone) {
  Chain chain = straight_chain(5);
  for (const std::uint32_t joint : {0U, 1U, 2U}) chain.joints[joint] = left_turn(joint).pose;
  EXPECT_TRUE(tree(chain).collide_self().hit);
  chain.ignored = {{4, 0}};
  EXPECT_FALSE(tree(chain).collide_self().hit);
  EXPECT_NE(tree(chain).distance_self().pair, (LinkPair{0, 4}));
  chain.ignored.clear();
  chain.neighbours = 4;
  EXPECT_FALSE(tree(chain).collide_self().hit);
  EXPECT_TRUE(std::isinf(tree(chain).distance_self().distance));
}

TEST_P(ChainTreeOf, RemembersThePairThatCollided) {
  ChainTree t = tree(straight_chain(5));
  t.change({left_turn(0), left_turn(1)});
  t.accept();
  ChainMemory memory;
  for (const bool again : {false, true}) {
    t.change({left_turn(2)});
    const ChainCollision collision = t.collide_changed(&memory);
    EXPECT_TRUE(collision.hit);
    EXPECT_EQ(collision.remembered, again);
    EXPECT_EQ(collision.work.volume_tests == 0, again);
    t.reject();
  }
  // A pair of another, longer chain is of no harm.
  memory.recent = {{0, 1000}, {7, 3}};
  t.change({left_turn(2)});
  EXPECT_TRUE(t.collide_changed(&memory).hit);
}

TEST_P(ChainTreeOf, OneLinkAndNoBodies) {
  ChainTree one = tree(straight_chain(1));
  EXPECT_FALSE(one.collide_self().hit);
  EXPECT_TRUE(std::isinf(one.distance_self().distance));
  EXPECT_EQ(one.relative(0, 0), Pose::identity());
  one.change(std::span<const JointChange>{});
  one.accept();

  Chain chain = straight_chain(100);
  for (LinkShape& link : chain.links) link = LinkSpheres{};
  ChainTree none = tree(chain);
  none.change({left_turn(50)});
  EXPECT_FALSE(none.collide_changed().hit);
  EXPECT_FALSE(none.collide_self().hit);
  EXPECT_TRUE(std::isinf(none.distance_self().distance));
  none.pairs_within(1e9, [](std::uint32_t, std::uint32_t, double) { FAIL(); });
}

TEST_P(ChainTreeOf, AJointNamedTwiceGetsTheLastPose) {
  ChainTree t = tree(straight_chain(40));
  t.change({left_turn(20), {20, Pose::translate({1.0, 0.5, 0.0})}});
  EXPECT_EQ(t.joint(20), Pose::translate({1.0, 0.5, 0.0}));
  EXPECT_NEAR(t.relative(0, 39).translation.y, 0.5, 1e-12);
}

TEST_P(ChainTreeOf, SpheresThatJustTouchTouch) {
  // Two rows, 0.8 apart: all pairs across touch within rounding, and must be said to.
  for (const std::uint32_t count : {4U, 30U, 300U}) {
    Chain chain = straight_chain(2 * count);
    chain.joints[count - 1] = {rotation_about({0.0, 0.0, 1.0}, std::numbers::pi), {0.0, 0.8, 0.0}};
    EXPECT_EQ(tree(chain).contacts().size(), count - 1) << count;
  }
}

TEST_P(ChainTreeOf, SizesFromAtomsToPlanets) {
  for (const double scale : {1e-10, 1e-3, 1e6, 1e12}) {
    Chain chain = straight_chain(200);
    for (LinkShape& link : chain.links) link = LinkSpheres{{{}, 0.4 * scale}};
    for (Pose& joint : chain.joints) joint.translation = scale * joint.translation;
    ChainTree t = tree(chain);
    EXPECT_FALSE(t.collide_self().hit) << scale;
    EXPECT_NEAR(t.distance_self().distance / scale, 1.2, 1e-9);
    // Folded in the middle: the second half lies on the first, but for the links at the fold.
    t.change({{99, {rotation_about({0.0, 0.0, 1.0}, std::numbers::pi), {0.0, 0.0, 0.0}}}});
    EXPECT_TRUE(t.collide_changed().hit) << scale;
    EXPECT_EQ(t.contacts().size(), 99U) << scale;
  }
}

TEST_P(ChainTreeOf, JointsThatAreNotQuiteRotationsAreTakenForTheNearestOnes) {
  // Seven digits, as text files have them: 300 joints off by 4e-7 each would put the ends 1e-4 of
  // the chain from where they belong.
  Chain exact = straight_chain(600);
  exact.joints[299] = {rotation_about({0.0, 0.0, 1.0}, std::numbers::pi), {0.0, 0.8, 0.0}};
  Chain rounded = exact;
  for (std::size_t i = 0; i < rounded.joints.size(); ++i) {
    Mat3& r = rounded.joints[i].rotation;
    r = (1.0 + (i % 2 == 0 ? 4e-7 : -1e-7)) * r;
  }
  ChainTree t = tree(rounded);
  EXPECT_NEAR(norm(t.relative(0, 299).translation - Vec3{299.0, 0.0, 0.0}), 0.0, 1e-10);
  EXPECT_EQ(t.contacts().size(), 299U);
  for (const std::uint32_t joint : {40U, 150U, 299U, 420U}) {
    t.change({{joint, rounded.joints[joint]}});
    EXPECT_TRUE(t.collide_changed().hit) << joint;
    EXPECT_LE(rigidity_error(t.joint(joint).rotation), 1e-14);
    t.accept();
  }
  EXPECT_EQ(t.contacts().size(), 299U);
  EXPECT_NEAR(norm(t.poses()[599].translation - Vec3{0.0, 0.8, 0.0}), 0.0, 1e-10);
}

TEST_P(ChainTreeOf, EndsOfALongChainThatTouchTouch) {
  // Only the first and the last link have a body, and touch by 1e-14 of their distance. Twenty
  // thousand poses are multiplied in between.
  for (const double angle : {0.3, 0.4, 0.5, 0.6, 0.7, 0.8}) {
    Chain chain;
    chain.links.assign(20001, LinkSpheres{});
    chain.joints.assign(20000, {rotation_about({0.6, 0.64, 0.48}, angle), {1.0, 0.0, 0.0}});
    const double apart = exact_length(chain);
    const double radius = 0.5 * (1.0 + 1e-14) * apart;
    chain.links.front() = chain.links.back() = LinkSpheres{{{}, radius}};
    ChainTree t = tree(chain);
    EXPECT_TRUE(t.collide_self().hit) << angle;
    EXPECT_EQ(t.distance_self().distance, 0.0) << angle;
    t.change({{10000, chain.joints[10000]}});
    EXPECT_TRUE(t.collide_changed().hit) << angle;
    // Apart by more than the products can lose.
    const double less = 0.5 * (1.0 - 20001 * kChainContactError) * apart;
    const LinkSpheres smaller{{{}, less}};
    t.reshape(0, smaller);
    t.reshape(20000, smaller);
    EXPECT_FALSE(t.collide_self().hit) << angle;
  }
}

TEST_P(ChainTreeOf, FramesFarFromTheirBodiesLoseNothing) {
  // The frame of link 1 is 1e9 from its sphere, which touches that of link 0 by 1e-9 or so: less
  // than a pose can tell there.
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    const Vec3 far{1e9 * random.uniform(0.5, 1.0), 1e9 * random.uniform(0.5, 1.0),
                   1e9 * random.uniform(0.5, 1.0)};
    const Mat3 turn = rotation_about(normalized(Vec3{0.3, 0.5, 0.8}), random.uniform(0.5, 1.5));
    const Vec3 center = -transpose_times(turn, far - Vec3{1.0, 0.0, 0.0});
    long double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      long double x = far[k];
      for (std::size_t j = 0; j < 3; ++j) x += static_cast<long double>(turn[k][j]) * center[j];
      square += x * x;
    }
    const double radius = 0.5 * static_cast<double>(std::sqrt(square)) + 1e-10;
    Chain chain;
    chain.neighbours = 0;
    for (int k = 0; k < 9; ++k) chain.links.emplace_back(LinkSpheres{});
    chain.links[0] = LinkSpheres{{{}, radius}};
    chain.links[1] = LinkSpheres{{center, radius}};
    chain.joints.assign(8, Pose::identity());
    chain.joints[0] = {turn, far};
    EXPECT_TRUE(tree(chain).collide_self().hit) << i;
    // The same with a link without a body between them.
    std::swap(chain.links[1], chain.links[2]);
    EXPECT_TRUE(tree(chain).collide_self().hit) << i;
    chain.links[2] = LinkSpheres{{{}, radius}};
    chain.joints[1] = Pose::translate(center);
    EXPECT_TRUE(tree(chain).collide_self().hit) << i;
  }
}

TEST(WideChain, AChangeOfJointsTouchesOneNodeALevelForEach) {
  constexpr std::uint32_t kLinks = 5000;
  ChainTree t = tree_of(straight_chain(kLinks), ChainVolume::Wide);
  const auto& wide = dynamic_cast<const detail::WideChain&>(t.state());
  Random random(3);
  for (const std::uint32_t changed : {1U, 2U, 7U, 40U, 300U}) {
    std::vector<JointChange> changes;
    for (std::uint32_t i = 0; i < changed; ++i)
      changes.push_back(left_turn(static_cast<std::uint32_t>(random.below(kLinks - 1))));
    const std::uint64_t before = wide.nodes_updated();
    t.change(changes);
    t.accept();
    // k log(N/k): one node a level each, but never more than the level has.
    std::uint64_t most = 0;
    for (std::uint32_t level = 0; level < wide.level_count(); ++level)
      most += std::min(changed, wide.node_count(level));
    EXPECT_LE(wide.nodes_updated() - before, most) << changed;
    EXPECT_GT(wide.nodes_updated(), before);
  }
}

TEST(WideChain, JointsSetBackLeaveTheBitsOfTheStart) {
  // What a node holds follows from the joints alone, whichever of its sides moved in between and
  // however often: nothing drifts.
  Random random(11);
  for (const std::uint32_t links : {2U, 7U, 8U, 9U, 65U, 600U, 5000U}) {
    for (const LinkKind kind : {LinkKind::Spheres, LinkKind::Groups}) {
      const Chain start = random_chain(random, links, kind);
      ChainTree t = tree_of(start, ChainVolume::Wide);
      const std::vector<std::byte> bytes = everything(t);
      std::vector<std::uint32_t> moved;
      for (int i = 0; i < 300; ++i) {
        std::vector<JointChange> changes;
        for (std::uint64_t k = 0; k <= random.below(3); ++k) {
          const auto joint = static_cast<std::uint32_t>(random.below(links - 1));
          moved.push_back(joint);
          changes.push_back(
              {joint, turned(start.joints[joint], {}, {1.0, 0.0, 0.0}, random.uniform(-1.0, 1.0))});
        }
        t.change(changes);
        t.accept();
      }
      // One at a time, or several.
      for (std::size_t i = 0; i < moved.size();) {
        std::vector<JointChange> back;
        for (std::uint64_t k = 0; k <= random.below(3) && i < moved.size(); ++k, ++i)
          back.push_back({moved[i], start.joints[moved[i]]});
        t.change(back);
        t.accept();
      }
      EXPECT_EQ(everything(t), bytes) << links;
    }
  }
}

TEST(WideChain, ARejectedJointTouchesNoNode) {
  ChainTree t = tree_of(straight_chain(1000), ChainVolume::Wide);
  const auto& wide = dynamic_cast<const detail::WideChain&>(t.state());
  const std::uint64_t before = wide.nodes_updated();
  t.change({{500, {rotation_about({0.0, 0.0, 1.0}, std::numbers::pi), {0.0, 0.0, 0.0}}}});
  EXPECT_TRUE(t.collide_changed().hit);
  t.reject();
  EXPECT_EQ(wide.nodes_updated(), before);
}

TEST(WideChain, TakesLessThan400BytesASphere) {
  for (const std::uint32_t count : {1000U, 10000U}) {
    const ChainTree t = tree_of(straight_chain(count), ChainVolume::Wide);
    EXPECT_LE(t.memory_bytes(), 400U * count);
  }
}

TEST(CheckChain, NamesWhatIsWrong) {
  const auto refused = [](const std::function<void(Chain&)>& break_it, const std::string& place,
                          const std::string& reason) {
    Chain chain = straight_chain(4);
    ASSERT_TRUE(check(chain));
    break_it(chain);
    const Status status = check(chain);
    ASSERT_FALSE(status) << reason;
    EXPECT_EQ(status.error().code, ErrorCode::Invalid);
    EXPECT_EQ(status.error().place, place);
    EXPECT_NE(status.error().reason.find(reason), std::string::npos) << status.error().reason;
    EXPECT_FALSE(ChainTree::build(chain));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](Chain& c) { c.links.clear(); }, "", "no link");
  refused([](Chain& c) { c.joints.pop_back(); }, "", "4 links need 3 joints, and there are 2");
  refused([](Chain& c) { c.links[2] = LinkSpheres{{{}, -1.0}}; }, "link 2", "negative");
  refused([&](Chain& c) { c.links[1] = LinkSpheres{{{0.0, nan, 0.0}, 1.0}}; }, "link 1", "finite");
  refused([&](Chain& c) { c.links[1] = LinkSpheres{{{}, nan}}; }, "link 1", "finite");
  refused([&](Chain& c) { c.links[3] = Capsule{{{}, {nan, 0.0, 0.0}}, 1.0}; }, "link 3", "finite");
  refused([](Chain& c) { c.links[0] = LinkSpheres{{{1e16, 0.0, 0.0}, 1.0}}; }, "link 0", "1e15");
  refused([](Chain& c) { c.joints[1].rotation[0].x = 1.1; }, "joint 1", "rotation");
  refused([&](Chain& c) { c.joints[2].translation.z = nan; }, "joint 2", "finite");
  refused([](Chain& c) { c.joints[2].translation.z = -2e15; }, "joint 2", "1e15");
  refused([](Chain& c) { c.ignored = {{1, 4}}; }, "ignored pair 1, 4", "4 links");
  refused([](Chain& c) { c.ignored = {{2, 2}}; }, "ignored pair 2, 2", "two");
}

}  // namespace
}  // namespace clearance
