// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/file.h>
#include <clearance/base/random.h>
#include <clearance/chain/fold.h>
#include <clearance/chain/protein.h>

#include "chain/fold_audit.h"
#include "chain/fold_energy.h"
#include "support/data.h"
#include "support/text.h"

namespace clearance {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

/// A zigzag of links 1.5 apart, each with a sphere and a side branch of three that two rotors turn;
/// every joint turns about the line to the next link.
FoldModel zigzag(std::uint32_t links) {
  FoldModel model;
  model.chain.neighbours = 2;
  for (std::uint32_t i = 0; i < links; ++i) {
    model.chain.links.emplace_back(LinkSpheres{
        {{0, 0, 0}, 0.8}, {{0, 1.2, 0}, 0.6}, {{0, 1.8, 0.9}, 0.6}, {{0.3, 2.6, 0.5}, 0.6}});
    model.rotors.push_back({i, 0, 1, {2, 3}});
    model.rotors.push_back({i, 1, 2, {3}});
    for (int k = 0; k < 4; ++k) {
      FoldAtom atom;
      atom.radius = k == 0 ? 1.3 : 1.1;
      atom.depth = k == 0 ? 0.5 : 0.3;
      atom.group = i;
      model.atoms.push_back(atom);
    }
    model.markers.push_back(4 * i);
    if (i == 0) continue;
    const Mat3 bend = rotation_about({0, 0, 1}, i % 2 == 0 ? 1.0 : -1.0);
    model.chain.joints.push_back({bend * rotation_about({1, 0, 0}, 1.9), {1.5, 0, 0}});
    model.torsions.push_back({i - 1, {}, {1, 0, 0}});
  }
  return model;
}

FoldOptions with_energy(FoldEnergy energy) {
  FoldOptions options;
  options.energy = energy;
  options.moves = 3;
  options.largest_angle = 0.8;
  options.cutoff = 4.0;
  options.native_distance = 3.2;
  options.seed = 11;
  return options;
}

Fold started(FoldModel model, FoldOptions options) {
  Result<Fold> fold = Fold::start(std::move(model), std::move(options));
  EXPECT_TRUE(fold.ok()) << (fold.ok() ? "" : fold.error().message());
  return std::move(*fold);
}

/// Pairs of spheres of links that are tested, closer than the cutoff, by all pairs.
using Quadruple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
std::set<Quadruple> all_pairs_within(const Chain& chain, const std::vector<Vec3>& points,
                                     double cutoff) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> owner;
  for (std::uint32_t link = 0; link < chain.links.size(); ++link) {
    const auto& spheres = std::get<LinkSpheres>(chain.links[link]);
    for (std::uint32_t i = 0; i < spheres.size(); ++i) owner.emplace_back(link, i);
  }
  std::set<Quadruple> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const auto [a, sphere_a] = owner[i];
      const auto [b, sphere_b] = owner[j];
      if (b - a <= chain.neighbours || distance(points[i], points[j]) > cutoff) continue;
      const bool ignored = std::any_of(chain.ignored.begin(), chain.ignored.end(),
                                       [a = a, b = b](const LinkPair& pair) {
                                         return std::minmax(pair.a, pair.b) == std::minmax(a, b);
                                       });
      if (!ignored) found.emplace(a, sphere_a, b, sphere_b);
    }
  }
  return found;
}

std::set<Quadruple> pairs_of(const ChainTree& tree, double cutoff) {
  std::set<Quadruple> found;
  tree.sphere_pairs_within(cutoff, [&](const ChainTree::SpherePair& pair) {
    const Quadruple a{pair.link_a, pair.sphere_a, pair.link_b, pair.sphere_b};
    const Quadruple b{pair.link_b, pair.sphere_b, pair.link_a, pair.sphere_a};
    const bool is_new = found.insert(std::min(a, b)).second;
    EXPECT_TRUE(is_new) << "a pair comes twice";
  });
  return found;
}

TEST(FoldEnergyTest, HasTheValuesOfItsFormulas) {
  FoldAtom atom;
  atom.radius = 1.5;
  atom.depth = 0.4;
  const std::vector<FoldAtom> atoms{atom, atom};
  const auto energy = [&](FoldEnergy kind, double distance,
                          std::vector<detail::PairEnergy::NativePair> native = {}) {
    const detail::PairEnergy pairs(kind, 6.0, atoms, std::move(native));
    detail::FoldTally tally;
    pairs.add(1, 0, distance, 1, tally);
    return static_cast<double>(tally.quanta) * kFoldEnergyQuantum;
  };
  // Radii sum to 3: at 2.4 the overlap is 0.2, 10 * 0.2² = 0.4; nothing beyond.
  EXPECT_NEAR(energy(FoldEnergy::Soft, 2.4), 0.4, 1e-9);
  EXPECT_EQ(energy(FoldEnergy::Soft, 3.0), 0.0);
  // The well of depth 0.4 has its floor at 3, raised by its value at 6: x = 1/2, x⁶ (x⁶ - 2).
  const double raised = 0.4 * (1.0 / 64) * (2.0 - 1.0 / 64);
  EXPECT_NEAR(energy(FoldEnergy::LennardJones, 3.0), -0.4 + raised, 1e-9);
  EXPECT_NEAR(energy(FoldEnergy::LennardJones, 6.0 - 1e-12), 0.0, 1e-9);
  // A native contact at 4: depth 1 there, x = 2/3 at the cutoff.
  const double x10 = std::pow(2.0 / 3.0, 10);
  const double at_cutoff = 5.0 * x10 * 4.0 / 9.0 - 6.0 * x10;
  EXPECT_NEAR(energy(FoldEnergy::Go, 4.0, {{0, 1, 4.0}}), -1.0 - at_cutoff, 1e-9);
  // Without it the pair is soft.
  EXPECT_NEAR(energy(FoldEnergy::Go, 2.4), 0.4, 1e-9);
  // Two centres at one point count as much as a pair can.
  EXPECT_EQ(energy(FoldEnergy::LennardJones, 0.0), kFoldLargestPairEnergy);
  EXPECT_EQ(energy(FoldEnergy::None, 1.0), 0.0);
}

TEST(FoldEnergyTest, ContactsOfTwoGroupsShareOneUnitAndAreCountedWhileFormed) {
  std::vector<FoldAtom> atoms(4);
  atoms[2].group = atoms[3].group = 7;
  const detail::PairEnergy pairs(FoldEnergy::Go, 8.0, atoms, {{0, 2, 4.0}, {1, 3, 4.0}});
  EXPECT_EQ(pairs.native_count(), 2);
  detail::FoldTally both;
  pairs.add(0, 2, 4.0, 1, both);
  pairs.add(3, 1, 4.0, 1, both);
  EXPECT_EQ(both.contacts, 2);
  EXPECT_NEAR(static_cast<double>(both.quanta) * kFoldEnergyQuantum, -1.0, 0.01);
  pairs.add(0, 2, 4.0, -1, both);
  pairs.add(0, 2, 1.21 * 4.0, 1, both);
  EXPECT_EQ(both.contacts, 1);
}

class FoldOfEachEnergy : public testing::TestWithParam<FoldEnergy> {};
INSTANTIATE_TEST_SUITE_P(Fold, FoldOfEachEnergy,
                         testing::Values(FoldEnergy::None, FoldEnergy::Soft,
                                         FoldEnergy::LennardJones, FoldEnergy::Go),
                         [](const auto& given) {
                           return std::to_string(static_cast<int>(given.param));
                         });

TEST_P(FoldOfEachEnergy, MaintainsWhatAllPairsGive) {
  Fold fold = started(zigzag(40), with_energy(GetParam()));
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) fold.step();
    const FoldAudit audit = fold.audit();
    ASSERT_TRUE(audit.good()) << round << ": energy off by " << audit.energy_drift
                              << ", positions by " << audit.pose_drift << ", "
                              << audit.clashes.size() << " clashes";
    // The audit itself is held to a plain double loop.
    const std::set<Quadruple> pairs =
        all_pairs_within(fold.model().chain, fold.positions(), fold.options().cutoff);
    EXPECT_EQ(audit.pairs, GetParam() == FoldEnergy::None ? 0 : pairs.size());
    EXPECT_EQ(pairs_of(fold.tree(), fold.options().cutoff), pairs);
  }
  const FoldCounts& counts = fold.counts();
  EXPECT_EQ(counts.steps, 2000U);
  EXPECT_EQ(counts.accepted + counts.clashed + counts.refused + counts.forbidden, counts.steps);
  // The sample is not one-sided.
  EXPECT_GT(counts.accepted, 20U);
  EXPECT_GT(counts.clashed, 20U);
  EXPECT_TRUE(counts.refused > 10U || GetParam() == FoldEnergy::None);
}

TEST_P(FoldOfEachEnergy, GivesTheSameStatesForTheSameSeedAndAcrossRestore) {
  Fold whole = started(zigzag(30), with_energy(GetParam()));
  Fold first = started(zigzag(30), with_energy(GetParam()));
  for (int i = 0; i < 700; ++i) whole.step();
  for (int i = 0; i < 300; ++i) first.step();
  const FoldState middle = first.state();
  Fold second = started(zigzag(30), with_energy(GetParam()));
  ASSERT_TRUE(second.restore(middle).ok());
  EXPECT_EQ(second.state(), middle);
  for (int i = 0; i < 400; ++i) second.step();
  EXPECT_EQ(second.state(), whole.state());

  FoldOptions other = with_energy(GetParam());
  other.seed = 12;
  Fold different = started(zigzag(30), other);
  for (int i = 0; i < 700; ++i) different.step();
  EXPECT_NE(different.state().angles, whole.state().angles);
}

TEST(FoldTest, GoesDownOnlyAtTemperatureZero) {
  FoldOptions options = with_energy(FoldEnergy::LennardJones);
  options.temperature = 0.0;
  Fold fold = started(zigzag(30), options);
  double last = fold.energy();
  for (int i = 0; i < 1000; ++i) {
    fold.step();
    ASSERT_LE(fold.energy(), last);
    last = fold.energy();
  }
  EXPECT_LT(last, -1.0);
}

TEST(FoldTest, SamplesTheBoltzmannDistribution) {
  // One hinge that swings a sphere around another: the energy is a function of the angle alone, so
  // its mean is an integral.
  FoldModel model;
  model.chain.neighbours = 1;
  model.chain.links = {LinkSpheres{{{0, 2, 0}, 0.1}}, LinkSpheres{}, LinkSpheres{{{0, 2, 0}, 0.1}}};
  model.chain.joints = {Pose::translate({1, 0, 0}), Pose::translate({1, 0, 0})};
  model.torsions.push_back({0, {}, {1, 0, 0}});
  FoldAtom atom;
  atom.radius = 1.25;
  atom.depth = 2.0;
  model.atoms = {atom, atom};
  FoldOptions options;
  options.energy = FoldEnergy::LennardJones;
  options.temperature = 0.8;
  options.largest_angle = 1.0;
  options.cutoff = 4.0;
  Fold fold = started(model, options);
  double mean = 0.0;
  constexpr int kSteps = 200'000;
  for (int i = 0; i < kSteps; ++i) {
    fold.step();
    mean += fold.energy() / kSteps;
  }
  const detail::PairEnergy pair(options.energy, options.cutoff, model.atoms, {});
  double weight = 0.0;
  double sum = 0.0;
  constexpr int kAngles = 20'000;
  for (int i = 0; i < kAngles; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + 0.5) / kAngles;
    const double gap = std::hypot(2.0, 4.0 * std::sin(0.5 * angle));
    detail::FoldTally tally;
    pair.add(0, 1, gap, 1, tally);
    const double energy = static_cast<double>(tally.quanta) * kFoldEnergyQuantum;
    weight += std::exp(-energy / options.temperature);
    sum += energy * std::exp(-energy / options.temperature);
  }
  EXPECT_LT(sum / weight, -0.3);
  EXPECT_NEAR(mean, sum / weight, 0.02);
}

TEST(FoldTest, KeepsTorsionsWithinTheirLimits) {
  FoldModel model = zigzag(10);
  for (FoldTorsion& torsion : model.torsions) torsion.lowest = -0.2, torsion.highest = 0.4;
  FoldOptions options = with_energy(FoldEnergy::None);
  Fold fold = started(model, options);
  for (int i = 0; i < 2000; ++i) fold.step();
  EXPECT_GT(fold.counts().forbidden, 100U);
  const FoldState state = fold.state();
  const auto torsions = std::span(state.angles).first(model.torsions.size());
  EXPECT_GE(*std::min_element(torsions.begin(), torsions.end()), -0.2);
  EXPECT_LE(*std::max_element(torsions.begin(), torsions.end()), 0.4);
  EXPECT_GT(*std::max_element(torsions.begin(), torsions.end()), 0.2);
}

TEST(FoldTest, JointsSlideAlongTheirAxesWithinTheirLimits) {
  // A telescope of balls along x whose joints are turned: the axes are those of the link before.
  FoldModel model;
  for (std::uint32_t i = 0; i < 6; ++i) {
    model.chain.links.emplace_back(LinkSpheres{{{0, 0, 0}, 0.9}});
    if (i == 0) continue;
    model.chain.joints.push_back({rotation_about({1, 0, 0}, 0.5), {1, 0, 0}});
    model.torsions.push_back({i - 1, {}, {1, 0, 0}, -0.5, 2.0, true});
  }
  // The last one goes up and down as far as it likes, and the one before it turns.
  model.torsions[4] = {4, {}, {0, 1, 0}};
  model.torsions[4].slides = true;
  model.torsions[3] = {3, {}, {1, 0, 0}};
  FoldOptions options;
  options.moves = 2;
  options.largest_angle = 1.0;
  options.largest_slide = 0.3;
  Fold fold = started(model, options);
  double longest = 0.0;
  double highest = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<double> before = fold.state().angles;
    fold.step();
    const std::vector<double> after = fold.state().angles;
    for (const std::size_t k : {0U, 1U, 2U, 4U}) ASSERT_LE(std::abs(after[k] - before[k]), 0.3);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_GE(after[k], -0.5);
      ASSERT_LE(after[k], 2.0);
    }
    // What slides keeps on the line: link 3 is 3 + the three values along x.
    const Vec3 third = fold.positions()[3];
    ASSERT_NEAR(third.x, 3.0 + after[0] + after[1] + after[2], 1e-12);
    ASSERT_NEAR(std::hypot(third.y, third.z), 0.0, 1e-12);
    longest = std::max(longest, third.x);
    highest = std::max(highest, std::abs(after[4]));
  }
  EXPECT_GT(longest, 6.0);
  // Beyond pi: a length is not brought back as an angle is.
  EXPECT_GT(highest, 4.0);
  EXPECT_GT(fold.counts().forbidden, 100U);
  EXPECT_GT(fold.counts().clashed, 10U);
  EXPECT_TRUE(fold.audit().good());
  Fold again = started(model, options);
  ASSERT_TRUE(again.restore(fold.state()));
  EXPECT_EQ(again.positions(), fold.positions());
}

TEST(FoldTest, RefusesWhatIsForbidden) {
  FoldOptions options = with_energy(FoldEnergy::Soft);
  // A wall: the last link stays on its side.
  options.forbidden = [](const ChainTree& tree) {
    return tree.relative(0, tree.link_count() - 1).translation.x < 10.0;
  };
  Fold fold = started(zigzag(20), options);
  for (int i = 0; i < 1000; ++i) fold.step();
  EXPECT_GT(fold.counts().forbidden, 10U);
  EXPECT_GT(fold.counts().accepted, 100U);
  EXPECT_GE(fold.positions()[4 * 19].x, 10.0 - 1e-9);
}

TEST(FoldTest, TellsWhatIsWrongWithAModel) {
  const auto error_of = [](const FoldModel& model, const FoldOptions& options = {}) {
    const Result<Fold> fold = Fold::start(model, options);
    return fold.ok() ? std::string("no error") : fold.error().message();
  };
  FoldModel model = zigzag(5);
  model.torsions.push_back({4, {}, {1, 0, 0}});
  EXPECT_THAT(error_of(model), HasSubstr("torsion 4: joint 4 does not exist"));
  model = zigzag(5);
  model.torsions[2].unit_axis = {};
  EXPECT_THAT(error_of(model), HasSubstr("torsion 2: its axis is not a unit vector"));
  model = zigzag(5);
  model.torsions[2].unit_axis.x = std::nan("");
  EXPECT_THAT(error_of(model), HasSubstr("torsion 2"));
  model = zigzag(5);
  model.torsions[2].joint = 1;
  EXPECT_THAT(error_of(model), HasSubstr("second of joint 1"));
  model = zigzag(5);
  model.torsions[2].lowest = 0.1;
  EXPECT_THAT(error_of(model), HasSubstr("do not hold the start"));
  model = zigzag(5);
  model.rotors[3].to = model.rotors[3].from;
  EXPECT_THAT(error_of(model), HasSubstr("rotor 3: its axis is a bond of no length"));
  model = zigzag(5);
  model.rotors[3].moved.push_back(4);
  EXPECT_THAT(error_of(model), HasSubstr("names a sphere"));
  model = zigzag(5);
  model.rotors[3].link = 5;
  EXPECT_THAT(error_of(model), HasSubstr("not a group of spheres"));
  model = zigzag(5);
  model.atoms.pop_back();
  EXPECT_THAT(error_of(model), HasSubstr("19 for 20 spheres"));
  model = zigzag(5);
  model.atoms[7].radius = 0.0;
  EXPECT_THAT(error_of(model), HasSubstr("atom 7"));
  model = zigzag(5);
  model.chain.joints.pop_back();
  EXPECT_NE(error_of(model), "no error");
  model = zigzag(5);
  model.torsions.clear();
  model.rotors.clear();
  EXPECT_THAT(error_of(model), HasSubstr("no angle to turn"));
}

TEST(FoldTest, TellsWhatIsWrongWithOptions) {
  const auto error_of = [](auto change) {
    FoldOptions options = with_energy(FoldEnergy::Go);
    change(options);
    const Result<Fold> fold = Fold::start(zigzag(5), options);
    return fold.ok() ? std::string("no error") : fold.error().message();
  };
  EXPECT_THAT(error_of([](FoldOptions& o) { o.temperature = -1.0; }), HasSubstr("temperature"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.temperature = std::nan(""); }),
              HasSubstr("temperature"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.moves = 0; }), HasSubstr("moves"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.largest_angle = 0.0; }), HasSubstr("angle"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.largest_slide = -1.0; }), HasSubstr("slide"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.cutoff = 0.0; }), HasSubstr("cutoff"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.native_distance = 4.0; }), HasSubstr("native"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.native.resize(3); }), HasSubstr("native state"));
  EXPECT_THAT(error_of([](FoldOptions& o) { o.forbidden = [](const ChainTree&) { return true; }; }),
              HasSubstr("obstacle"));
}

TEST(FoldTest, NamesTheSpheresThatOverlapAtTheStart) {
  FoldModel model = zigzag(12);
  // Sphere 2 of link 6 is put where sphere 0 of link 1 is, half a radius off.
  const std::vector<Pose> poses = link_poses(model.chain.joints);
  std::get<LinkSpheres>(model.chain.links[6])[2].center =
      inverse(poses[6]) * (poses[1].translation + Vec3{0.2, 0, 0});
  const std::vector<FoldClash> clashes = find_clashes(model);
  ASSERT_FALSE(clashes.empty());
  EXPECT_EQ(
      std::tuple(clashes[0].link_a, clashes[0].sphere_a, clashes[0].link_b, clashes[0].sphere_b),
      std::tuple(1U, 0U, 6U, 2U));
  EXPECT_NEAR(clashes[0].overlap, 0.8 + 0.6 - 0.2, 1e-12);
  const Result<Fold> fold = Fold::start(model, {});
  ASSERT_FALSE(fold.ok());
  EXPECT_THAT(fold.error().message(), HasSubstr("touch at the start"));
  model.chain.ignored.push_back({1, 6});
  for (const FoldClash& clash : find_clashes(model))
    EXPECT_NE(std::pair(clash.link_a, clash.link_b), std::pair(1U, 6U));
}

TEST(FoldAuditTest, MeasuresDriftOfTheEnergy) {
  Fold fold = started(zigzag(20), with_energy(FoldEnergy::Soft));
  FoldState state = fold.state();
  state.energy_quanta += 5000;  // 4.7e-6: within the bound that restore() allows
  ASSERT_TRUE(fold.restore(state).ok());
  const FoldAudit audit = fold.audit();
  EXPECT_NEAR(audit.energy_drift, 5000 * kFoldEnergyQuantum, 1e-7);
  EXPECT_TRUE(audit.good());
  FoldAudit bad = audit;
  bad.energy_drift = 1.1 * kFoldEnergyDrift;
  EXPECT_FALSE(bad.good());
  bad = audit;
  bad.pose_drift = 2.0 * kFoldPoseDrift * bad.extent;
  EXPECT_FALSE(bad.good());
  bad = audit;
  bad.clashes.emplace_back();
  EXPECT_FALSE(bad.good());
}

TEST(FoldTest, RestoreRefusesAStateThatDoesNotFitAndChangesNothing) {
  Fold fold = started(zigzag(20), with_energy(FoldEnergy::Soft));
  for (int i = 0; i < 50; ++i) fold.step();
  const FoldState before = fold.state();
  const auto refused = [&](auto change, const char* words) {
    FoldState state = before;
    change(state);
    const Status status = fold.restore(state);
    ASSERT_FALSE(status.ok()) << words;
    EXPECT_THAT(status.error().message(), HasSubstr(words));
    EXPECT_EQ(fold.state(), before);
    EXPECT_TRUE(fold.audit().good());
  };
  refused([](FoldState& s) { s.angles.pop_back(); }, "angles, the chain has");
  refused([](FoldState& s) { s.angles[3] = std::nan(""); }, "not a number");
  refused([](FoldState& s) { s.energy_quanta += std::int64_t{1} << 30; }, "energy");
  refused([](FoldState& s) { s.remembered.push_back({0, 99}); }, "link that does not exist");
  // Everything curled up into a ring.
  refused([](FoldState& s) { std::fill(s.angles.begin(), s.angles.begin() + 19, 1.2); }, "clashes");
}

FoldCheckpoint some_checkpoint() {
  FoldCheckpoint checkpoint;
  checkpoint.identity = {{"seed", "7"}, {"energy", "go"}};
  checkpoint.state.angles = {0.1, -0.0, 1.0 / 3.0, 5e-324, -std::numbers::pi};
  checkpoint.state.energy_quanta = -(std::int64_t{1} << 61) + 1;
  checkpoint.state.contacts = 12;
  checkpoint.state.counts = {100, 40, 50, 1, 9};
  checkpoint.state.remembered = {{3, 9}, {1, 70000}};
  checkpoint.reported = {90, 35, 46, 1, 8};
  checkpoint.worst_energy_drift = 1e-9;
  checkpoint.worst_pose_drift = 2e-13;
  checkpoint.audits = 3;
  checkpoint.files = {{"trajectory", {123456789012, 0xfedcba9876543210U}}};
  return checkpoint;
}

TEST(FoldCheckpointTest, ComesBackBitForBit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.checkpoint");
  const FoldCheckpoint checkpoint = some_checkpoint();
  ASSERT_TRUE(write_checkpoint(path, checkpoint).ok());
  const Result<FoldCheckpoint> back = read_checkpoint(path);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(*back, checkpoint);
  EXPECT_EQ(std::memcmp(back->state.angles.data(), checkpoint.state.angles.data(),
                        sizeof(double) * checkpoint.state.angles.size()),
            0);
  EXPECT_EQ(to_text(*back), to_text(checkpoint));
}

TEST(FoldCheckpointTest, RefusesDamagedAndForeignFiles) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.checkpoint");
  const std::string good = to_text(some_checkpoint());
  const auto error_of = [&](const std::string& text) {
    EXPECT_TRUE(write_file(path, text).ok());
    const Result<FoldCheckpoint> back = read_checkpoint(path);
    return back.ok() ? std::string("no error") : back.error().message();
  };
  EXPECT_THAT(read_checkpoint(folder.file("none")).error().message(), HasSubstr("none"));
  EXPECT_THAT(error_of(""), HasSubstr("is not a checkpoint"));
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("is not a checkpoint"));
  EXPECT_THAT(error_of("{\"schema\": \"clearance.clash\"}"), HasSubstr("is not a checkpoint"));
  EXPECT_THAT(error_of(good.substr(0, good.size() / 2)), HasSubstr("is not a checkpoint"));
  const std::string brackets = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const char* key : {"version", "run"}) {
    EXPECT_THAT(error_of(R"({"schema": "clearance.fold-checkpoint", ")" + std::string(key) +
                         "\": " + brackets + "}"),
                HasSubstr("is not a checkpoint"));
  }
  EXPECT_THAT(error_of(test::replaced(good, "\"version\": 1", "\"version\": 2")),
              HasSubstr("version 2"));
  EXPECT_THAT(error_of(test::replaced(good, "\"accepted\": 40", "\"accepted\": 41")),
              HasSubstr("damaged"));
  EXPECT_THAT(error_of(test::replaced(good, "\"run\"", "\"ran\"")), HasSubstr("damaged"));
  EXPECT_THAT(error_of(test::replaced(good, "\"checksum\": \"", "\"checksum\": \"0")),
              HasSubstr("damaged"));
}

TEST(FoldCheckpointTest, NamesWhatIsNotTheSame) {
  const FoldCheckpoint checkpoint = some_checkpoint();
  using Identity = std::vector<std::pair<std::string, std::string>>;
  const auto words = [&](const Identity& identity) {
    const Status status = check_identity(checkpoint, "run.checkpoint", identity);
    return status.ok() ? std::string() : status.error().message();
  };
  EXPECT_EQ(words({{"seed", "7"}, {"energy", "go"}}), "");
  EXPECT_THAT(words({{"seed", "8"}, {"energy", "go"}}), HasSubstr("another seed: 7, not 8"));
  EXPECT_THAT(words({{"seed", "7"}, {"energy", "lj"}}), HasSubstr("another energy: go, not lj"));
  EXPECT_NE(words({{"seed", "7"}}), "");
  EXPECT_NE(words({{"seed", "7"}, {"energy", "go"}, {"obstacle", "cube"}}), "");
}

TEST(FoldCheckpointTest, TellsModelsApart) {
  FoldModel model = zigzag(5);
  const std::uint64_t sum = checksum_of(model);
  EXPECT_EQ(checksum_of(zigzag(5)), sum);
  EXPECT_NE(checksum_of(zigzag(6)), sum);
  std::get<LinkSpheres>(model.chain.links[2])[1].center.x += 1e-15;
  EXPECT_NE(checksum_of(model), sum);
  model = zigzag(5);
  model.rotors[1].moved = {2};
  EXPECT_NE(checksum_of(model), sum);
  model = zigzag(5);
  model.torsions[1].slides = true;
  EXPECT_NE(checksum_of(model), sum);
}

TEST(FoldMeasureTest, SuperposesRotatedPointsAndNeverMirrors) {
  Random random(3);
  std::vector<Vec3> points(30);
  for (Vec3& p : points) p = {random.normal(), 3.0 * random.normal(), 0.5 * random.normal()};
  for (int i = 0; i < 50; ++i) {
    const Vec3 axis = normalized({random.normal(), random.normal(), random.normal()});
    const Pose pose{rotation_about(axis, random.uniform(-3.14, 3.14)),
                    {random.normal(), random.normal(), 10.0 * random.normal()}};
    std::vector<Vec3> moved;
    moved.reserve(points.size());
    for (const Vec3& p : points) moved.push_back(pose * p);
    const Superposition found = superpose(points, moved);
    EXPECT_LT(found.rmsd, 1e-12);
    EXPECT_LT(rigidity_error(found.onto_from_points.rotation), 1e-12);
    EXPECT_LT(distance(found.onto_from_points * points[7], moved[7]), 1e-12);
  }
  std::vector<Vec3> mirrored;
  mirrored.reserve(points.size());
  for (const Vec3& p : points) mirrored.push_back({-p.x, p.y, p.z});
  const Superposition mirror = superpose(points, mirrored);
  EXPECT_GT(determinant(mirror.onto_from_points.rotation), 0.0);
  EXPECT_GT(mirror.rmsd, 0.3);
  // No turn of a grid of rotations does better.
  for (int i = 0; i < 2000; ++i) {
    const Mat3 turn = rotation_from(
        Quaternion{random.normal(), random.normal(), random.normal(), random.normal()});
    Vec3 shift;
    for (std::size_t k = 0; k < points.size(); ++k)
      shift += (mirrored[k] - turn * points[k]) / static_cast<double>(points.size());
    double sum = 0.0;
    for (std::size_t k = 0; k < points.size(); ++k)
      sum += squared_norm(turn * points[k] + shift - mirrored[k]);
    EXPECT_GE(std::sqrt(sum / static_cast<double>(points.size())), mirror.rmsd - 1e-12);
  }
}

TEST(FoldMeasureTest, RadiusOfGyrationWeighsByMass) {
  const std::vector<Vec3> points{{0, 0, 0}, {4, 0, 0}};
  EXPECT_DOUBLE_EQ(radius_of_gyration(points), 2.0);
  std::vector<FoldAtom> atoms(2);
  atoms[0].mass = 3.0;  // the centre is at 1: (3 * 1 + 1 * 9) / 4 = 3
  EXPECT_DOUBLE_EQ(radius_of_gyration(points, atoms), std::sqrt(3.0));
  EXPECT_EQ(radius_of_gyration({}), 0.0);
}

TEST(FoldProtein, TurnsMovableTorsionsAndSideChains) {
  const Protein protein = make_helix_bundle(40, 1);
  const FoldModel model = fold_model(protein);
  EXPECT_TRUE(check(model).ok());
  EXPECT_EQ(model.atoms.size(), protein.atoms.size());
  EXPECT_EQ(model.markers.size(), 40U);
  const auto movable = [&](bool chi) {
    return std::count_if(protein.torsions.begin(), protein.torsions.end(),
                         [&](const Torsion& t) { return t.movable && t.is_chi() == chi; });
  };
  EXPECT_EQ(static_cast<std::ptrdiff_t>(model.torsions.size()), movable(false));
  EXPECT_EQ(static_cast<std::ptrdiff_t>(model.rotors.size()), movable(true));
  EXPECT_FALSE(model.rotors.empty());
  EXPECT_TRUE(find_clashes(model).empty());
}

TEST(FoldProtein, FindsTheAtomsOfANativeStateByName) {
  const Protein protein = make_helix_bundle(30, 1);
  Protein native = make_helix_bundle(30, 1);
  // The side chain of a residue in another order.
  std::uint32_t link = 1;
  while (native.atoms_of(link).size() < 3) link += 3;
  const std::uint32_t at = native.first_atom[link];
  std::swap(native.atoms[at + 1], native.atoms[at + 2]);
  auto& spheres = std::get<LinkSpheres>(native.chain.links[link]);
  std::swap(spheres[1], spheres[2]);
  const Result<std::vector<Vec3>> positions = native_positions(protein, native);
  ASSERT_TRUE(positions.ok()) << positions.error().message();
  EXPECT_EQ(*positions, atom_positions(protein));

  native.atoms[at + 1].name = "XX";
  EXPECT_THAT(native_positions(protein, native).error().message(), HasSubstr("has no atom"));
  native.residues[link / 3].name = "UNK";
  EXPECT_THAT(native_positions(protein, native).error().message(), HasSubstr("UNK"));
  EXPECT_THAT(native_positions(protein, make_helix_bundle(29, 1)).error().message(),
              HasSubstr("29 residues"));
}

/// Real proteins, side chains and all: after series of moves the tree's pairs, the audit and the
/// maintained energy are those of all pairs of atoms.
class FoldOfRealProtein : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Fold, FoldOfRealProtein,
                         testing::Values("1crn.cif", "1ubi.pdb", "1ckb.pdb", "1d3z_nmr10.pdb",
                                         "1cms.pdb"),
                         [](const auto& given) {
                           return std::filesystem::path(given.param).stem().string();
                         });

TEST_P(FoldOfRealProtein, HasThePairsOfBruteForceAfterMoves) {
  const std::filesystem::path path = test::data_path(std::string("proteins/") + GetParam());
  CLEARANCE_SKIP_WITHOUT_DATA();
  if (path.empty()) GTEST_SKIP() << "the data folder has no proteins/" << GetParam();
  const Result<Protein> protein = read_protein(path.string());
  ASSERT_TRUE(protein.ok()) << protein.error().message();
  FoldOptions options;
  options.energy = FoldEnergy::Go;
  options.moves = 3;
  options.largest_angle = 0.2;
  options.temperature = 3.0;
  Fold fold = started(fold_model(*protein), options);
  EXPECT_GT(fold.native_contacts(), 100);
  EXPECT_EQ(fold.formed_contacts(), fold.native_contacts());
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 250; ++i) fold.step();
    const std::vector<Vec3> points = atom_positions(*protein, fold.tree());
    for (const double cutoff : {3.0, 6.0}) {
      EXPECT_EQ(pairs_of(fold.tree(), cutoff),
                all_pairs_within(fold.model().chain, points, cutoff));
    }
    const FoldAudit audit = fold.audit();
    EXPECT_TRUE(audit.good()) << audit.energy_drift << " " << audit.pose_drift;
    EXPECT_EQ(audit.pairs, all_pairs_within(fold.model().chain, points, options.cutoff).size());
  }
  EXPECT_GT(fold.counts().accepted, 20U);
  EXPECT_LT(fold.formed_contacts(), fold.native_contacts());
}

}  // namespace
}  // namespace clearance
