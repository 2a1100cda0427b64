// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/mass.h>
#include <clearance/grasp/grasp.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/shapes.h>
#include <clearance/query/solid.h>

#include "grasp/open_gripper.h"
#include "support/brute_force.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::brute_collide;
using test::triangles_of;

Model model_of(const Mesh& mesh) { return Model::build(mesh).value(); }

/// A con-rod of few triangles.
Mesh conrod(std::size_t triangles = 3000) {
  return generate("conrod", {.triangles = triangles})->flattened();
}
const std::vector<Segment> kConrodFrame{{{0.033, 0.0, 0.0}, {0.132, 0.0, 0.0}},
                                        {{-0.022, 0.034, 0.0}, {0.022, 0.034, 0.0}},
                                        {{-0.0315, -0.022, 0.0}, {-0.0315, 0.022, 0.0}}};

/// A bar of 20 x 20 x 100 mm along z.
Mesh bar() { return scaled(test::cube(1.0, {-0.5, -0.5, -0.5}), {0.02, 0.02, 0.1}); }
const std::vector<Segment> kBarFrame{{{0.0, 0.0, -0.03}, {0.0, 0.0, 0.03}}};

Gripper gripper_of(const GripperSizes& sizes = {}) { return Gripper::of_boxes(sizes).value(); }

bool same_bits(const Grasp& a, const Grasp& b) {
  return a.part_from_gripper == b.part_from_gripper && a.width == b.width &&
         a.stability == b.stability && a.robustness == b.robustness && a.quality == b.quality &&
         std::tie(a.segment, a.along, a.theta, a.phi, a.first_contact, a.contact_count) ==
             std::tie(b.segment, b.along, b.theta, b.phi, b.first_contact, b.contact_count);
}

TEST(GenerateGrasps, BarIsHeldAtItsFlatSides) {
  const Model part = model_of(bar());
  const Result<GraspSet> set =
      generate_grasps(part, gripper_of(), kBarFrame, {.step = 0.005, .softness = 0.001});
  ASSERT_TRUE(set.ok()) << set.error().message();
  EXPECT_GT(set->counts.robust, 0U);
  EXPECT_NEAR(set->mass_center.z, 0.0, 1e-15);
  EXPECT_NEAR(set->largest_radius, std::sqrt(0.01 * 0.01 * 2 + 0.05 * 0.05), 1e-12);
  // Thetas are in whole numbers of steps of about 5 mm at the mean distance of the surface.
  EXPECT_NEAR(set->theta_step * 0.013, 0.005, 0.001);
  bool found = false;
  for (const Grasp& g : set->grasps) {
    // Square across the bar, pinching along x or y: the width is that of the bar, contacts are at
    // the edges of the fingers.
    const Vec3 pinch = g.part_from_gripper.rotation.column(0);
    const Vec3 approach = g.part_from_gripper.rotation.column(2);
    if (std::max(std::abs(pinch.x), std::abs(pinch.y)) < 1.0 - 1e-12 ||
        std::abs(approach.z) > 1e-12)
      continue;
    found = true;
    EXPECT_NEAR(g.width, 0.02, 1e-12);
    // Two contacts a finger count; the one between them has the same normal.
    for (const GraspContact& c : set->contacts_of(g)) {
      const Vec3 local = inverse(g.part_from_gripper) * c.point;
      EXPECT_NEAR(std::abs(local.x), 0.01, 1e-12);
    }
  }
  EXPECT_TRUE(found);
}

TEST(GenerateGrasps, ContactsLieOnTheMeshAndBetweenTheFingers) {
  const Model part = model_of(conrod());
  const Gripper gripper = gripper_of();
  const double softness = 0.003;
  const Result<GraspSet> set =
      generate_grasps(part, gripper, kConrodFrame, {.step = 0.005, .softness = softness});
  ASSERT_TRUE(set.ok()) << set.error().message();
  ASSERT_GT(set->grasps.size(), 200U);
  std::size_t last = 0;
  for (const Grasp& g : set->grasps) {
    EXPECT_EQ(g.first_contact, last);
    last += g.contact_count;
    const Pose gripper_from_part = inverse(g.part_from_gripper);
    double left = 1.0;
    double right = -1.0;
    for (const GraspContact& c : set->contacts_of(g)) {
      const Vec3 local = gripper_from_part * c.point;
      EXPECT_LE(std::abs(local.x), 0.5 * gripper.opening());
      EXPECT_LE(std::abs(local.y), 0.5 * gripper.finger_width() + 1e-12);
      EXPECT_NEAR(local.z, 0.0, 1e-12);
      EXPECT_LT(distance(part.bvh(), c.point).distance, 1e-12);
      EXPECT_NEAR(norm(c.inward), 1.0, 1e-12);
      // The finger at -x pushes along +x.
      const double push = dot(c.inward, g.part_from_gripper.rotation.column(0));
      EXPECT_GT(c.finger == 0 ? push : -push, 0.0);
      (c.finger == 0 ? left : right) =
          c.finger == 0 ? std::min(left, local.x) : std::max(right, local.x);
    }
    // The extremes are among the contacts; all are within the softness of them.
    EXPECT_NEAR(right - left, g.width, 1e-9);
    for (const GraspContact& c : set->contacts_of(g)) {
      const Vec3 local = gripper_from_part * c.point;
      EXPECT_LE(c.finger == 0 ? local.x - left : right - local.x, softness + 1e-12);
    }
  }
  EXPECT_EQ(last, set->contacts.size());
}

TEST(GenerateGrasps, FreeGraspsAreFreeByBruteForce) {
  const Model part = model_of(conrod(2420));
  const Gripper gripper = gripper_of({.opening = 0.05});
  const Result<GraspSet> set =
      generate_grasps(part, gripper, kConrodFrame, {.step = 0.008, .softness = 0.003});
  ASSERT_TRUE(set.ok());
  ASSERT_GT(set->grasps.size(), 50U);
  for (std::size_t i = 0; i < set->grasps.size(); i += 7) {
    const Pose& pose = set->grasps[i].part_from_gripper;
    EXPECT_FALSE(brute_collide(triangles_of(part.bvh()), triangles_of(gripper.open().bvh()), pose));
    // Nor is a finger within the part: a point of it is outside.
    EXPECT_EQ(part.side(pose * gripper.pieces()[1].mesh().vertices()[0]), Side::Outside);
  }
  // And there are samples that are not.
  EXPECT_LT(set->counts.free, set->counts.sampled);
}

TEST(OpenGripper, TouchesWhereItsTrianglesDo) {
  const Model part = model_of(conrod(2420));
  // One of boxes, and one whose palm is round.
  const Gripper boxes = gripper_of({.opening = 0.05});
  const Mesh palm = transformed(test::uv_sphere(0.03, 10), Pose::translate({0.0, 0.0, -0.07}));
  const Gripper round = Gripper::of_meshes(palm, boxes.pieces()[1].mesh(), boxes.pieces()[2].mesh(),
                                           0.05, 0.012, 0.006)
                            .value();
  Random random(4);
  for (const Gripper* gripper : {&boxes, &round}) {
    const detail::OpenGripper open(*gripper);
    Coherence coherence;
    int hits = 0;
    for (int i = 0; i < 1000; ++i) {
      const Pose pose{
          rotation_from_rpy(random.uniform(-3.1, 3.1), random.uniform(-1.5, 1.5),
                            random.uniform(-3.1, 3.1)),
          {random.uniform(-0.08, 0.22), random.uniform(-0.08, 0.08), random.uniform(-0.05, 0.05)}};
      const bool expected = collide(part, gripper->open(), pose).hit;
      EXPECT_EQ(open.touches(part, pose, coherence), expected) << i;
      hits += expected ? 1 : 0;
    }
    EXPECT_GT(hits, 200);
    EXPECT_LT(hits, 800);
  }
  // Wholly inside a large part: no surfaces touch.
  const Model block = model_of(test::cube(2.0, {-1.0, -1.0, -1.0}));
  Coherence coherence;
  EXPECT_TRUE(detail::OpenGripper(boxes).touches(block, Pose::identity(), coherence));
}

TEST(GenerateGrasps, QualityIsThatOfTheContacts) {
  const Model part = model_of(conrod());
  const GraspOptions options{.step = 0.008, .quality = {.friction = 0.7, .cone_edges = 6}};
  const Result<GraspSet> set = generate_grasps(part, gripper_of(), kConrodFrame, options);
  ASSERT_TRUE(set.ok());
  const SolidProperties solid = solid_properties(part.mesh().vertices(), part.mesh().faces());
  EXPECT_EQ(set->mass_center, solid.center_of_mass);
  for (std::size_t i = 0; i < set->grasps.size(); i += 11) {
    const Grasp& g = set->grasps[i];
    const PartFrame frame{set->mass_center, set->largest_radius,
                          g.part_from_gripper.rotation.column(2)};
    EXPECT_EQ(grasp_quality(set->contacts_of(g), frame, options.quality), g.stability);
  }
}

TEST(GenerateGrasps, RobustnessIsOverAllTwentySevenNeighbours) {
  const Model part = model_of(bar());
  const GraspOptions options{.step = 0.006, .softness = 0.002, .alpha = 1.5};
  const Result<GraspSet> set = generate_grasps(part, gripper_of(), kBarFrame, options);
  ASSERT_TRUE(set.ok());
  std::map<std::array<std::uint32_t, 3>, double> stability;
  for (const Grasp& g : set->grasps) stability[{g.along, g.theta, g.phi}] = g.stability;
  const auto thetas =
      static_cast<std::uint32_t>(std::lround(2.0 * std::numbers::pi / set->theta_step));
  std::size_t robust = 0;
  double most_stable = 0.0;
  double most_robust = 0.0;
  for (const Grasp& g : set->robust()) {
    most_stable = std::max(most_stable, g.stability);
    most_robust = std::max(most_robust, g.robustness);
  }
  for (const Grasp& g : set->grasps) {
    std::vector<double> around;
    for (const int d : {-1, 0, 1})
      for (const std::uint32_t turn : {thetas - 1, 0U, 1U})
        for (const int p : {-1, 0, 1}) {
          const auto found = stability.find({g.along + d, (g.theta + turn) % thetas, g.phi + p});
          if (found != stability.end()) around.push_back(found->second);
        }
    if (around.size() < 27) {
      EXPECT_EQ(g.robustness, 0.0);
      EXPECT_EQ(g.quality, 0.0);
      continue;
    }
    ++robust;
    double mean = 0.0;
    for (const double q : around) mean += q / 27.0;
    double variance = 0.0;
    for (const double q : around) variance += (q - mean) * (q - mean) / 26.0;
    EXPECT_NEAR(g.robustness * std::max(std::sqrt(variance), 1e-6), 1.0, 1e-6);
    EXPECT_NEAR(g.quality, std::pow(g.stability / most_stable, 1.5) * g.robustness / most_robust,
                1e-12);
  }
  EXPECT_EQ(robust, set->counts.robust);
  EXPECT_GT(robust, 0U);
  EXPECT_LT(robust, set->grasps.size());
  EXPECT_TRUE(std::is_sorted(set->grasps.begin(), set->grasps.end(),
                             [](const Grasp& a, const Grasp& b) { return a.quality > b.quality; }));
}

TEST(GenerateGrasps, WireFrameInPiecesGivesTheGraspsOfTheWhole) {
  const Model part = model_of(bar());
  // Pieces that are no whole numbers of steps, one drawn the other way round.
  const std::vector<Segment> pieces{{{0.0, 0.0, -0.03}, {0.0, 0.0, -0.017}},
                                    {{0.0, 0.0, 0.011}, {0.0, 0.0, -0.017}},
                                    {{0.0, 0.0, 0.011}, {0.0, 0.0, 0.03}}};
  const GraspOptions options{.step = 0.004, .softness = 0.002};
  const Result<GraspSet> whole = generate_grasps(part, gripper_of(), kBarFrame, options);
  const Result<GraspSet> drawn = generate_grasps(part, gripper_of(), pieces, options);
  ASSERT_TRUE(whole.ok() && drawn.ok());
  EXPECT_EQ(drawn->counts.sampled, whole->counts.sampled);
  EXPECT_EQ(drawn->counts.robust, whole->counts.robust);
  EXPECT_GT(whole->counts.robust, 0U);
  const auto places = [](const GraspSet& set) {
    std::map<std::array<std::uint32_t, 3>, Vec3> all;
    for (const Grasp& g : set.robust())
      all[{g.along, g.theta, g.phi}] = g.part_from_gripper.translation;
    return all;
  };
  const auto of_whole = places(*whole);
  const auto of_drawn = places(*drawn);
  ASSERT_EQ(of_whole.size(), of_drawn.size());
  for (const auto& [sample, point] : of_whole) {
    ASSERT_TRUE(of_drawn.contains(sample));
    EXPECT_NEAR(norm(of_drawn.at(sample) - point), 0.0, 1e-15);
  }
  for (const Grasp& g : drawn->grasps) {
    // Each is on the segment that it names.
    const Segment& s = pieces[g.segment];
    EXPECT_GE(g.part_from_gripper.translation.z, std::min(s.a.z, s.b.z) - 1e-12);
    EXPECT_LE(g.part_from_gripper.translation.z, std::max(s.a.z, s.b.z) + 1e-12);
  }
}

TEST(GenerateGrasps, RingHasRobustGraspsAllAround) {
  // A torus of 40 mm radius, its tube of 8 mm, and a wire-frame of nine pieces.
  const Model part = model_of(test::torus(0.04, 0.008, 72, 16));
  std::vector<Segment> frame;
  for (int i = 0; i < 9; ++i) {
    const auto corner = [](int k) {
      const double a = 2.0 * std::numbers::pi * (k % 9) / 9.0;
      return Vec3{0.04 * std::cos(a), 0.04 * std::sin(a), 0.0};
    };
    frame.push_back({corner(i), corner(i + 1)});
  }
  const GraspOptions options{.step = 0.005, .quality = {.friction = 1.0}};
  const Result<GraspSet> set = generate_grasps(part, gripper_of({.opening = 0.04}), frame, options);
  ASSERT_TRUE(set.ok()) << set.error().message();
  std::map<std::uint32_t, std::size_t> by_place;
  for (const Grasp& g : set->robust()) ++by_place[g.along];
  const auto places = static_cast<std::size_t>(
      std::lround(9.0 * 2.0 * 0.04 * std::sin(std::numbers::pi / 9.0) / 0.005));
  EXPECT_EQ(by_place.size(), places);
}

TEST(GenerateGrasps, SameBitsForAnyNumberOfThreads) {
  const Model part = model_of(conrod());
  const Result<GraspSet> one =
      generate_grasps(part, gripper_of(), kConrodFrame, {.step = 0.008, .threads = Threads{1}});
  ASSERT_TRUE(one.ok());
  for (const int threads : {2, 4}) {
    const Result<GraspSet> other = generate_grasps(part, gripper_of(), kConrodFrame,
                                                   {.step = 0.008, .threads = Threads{threads}});
    ASSERT_TRUE(other.ok());
    ASSERT_EQ(one->grasps.size(), other->grasps.size());
    EXPECT_TRUE(
        std::equal(one->grasps.begin(), one->grasps.end(), other->grasps.begin(), same_bits));
    EXPECT_TRUE(std::equal(one->contacts.begin(), one->contacts.end(), other->contacts.begin(),
                           [](const GraspContact& a, const GraspContact& b) {
                             return a.point == b.point && a.inward == b.inward &&
                                    a.finger == b.finger;
                           }));
  }
}

TEST(GenerateGrasps, MirroredPartsGiveMirroredGrasps) {
  // Not symmetric: a con-rod cut in half lengthwise would do, but a skewed one has no symmetry.
  const Mesh skewed = transformed(conrod(2420), {rotation_from_rpy(0.3, 0.5, 0.2), {0.01, 0, 0}});
  const Vec3 factors{1.0, -1.0, 1.0};
  const auto mirrored = [&](const Vec3& v) { return Vec3{v.x, -v.y, v.z}; };
  const Mat3 turn = rotation_from_rpy(0.3, 0.5, 0.2);
  std::vector<Segment> frame;
  std::vector<Segment> mirrored_frame;
  for (const Segment& s : kConrodFrame) {
    frame.push_back({turn * s.a + Vec3{0.01, 0, 0}, turn * s.b + Vec3{0.01, 0, 0}});
    mirrored_frame.push_back({mirrored(frame.back().a), mirrored(frame.back().b)});
  }
  const GraspOptions options{.step = 0.008};
  const Result<GraspSet> a = generate_grasps(model_of(skewed), gripper_of(), frame, options);
  const Result<GraspSet> b =
      generate_grasps(model_of(scaled(skewed, factors)), gripper_of(), mirrored_frame, options);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->counts.sampled, b->counts.sampled);
  // The mirror image of a gripper is the gripper with its fingers exchanged: x turns round.
  const auto key = [](const Vec3& p, const Vec3& approach, const Vec3& pinch) {
    std::array<long, 9> k{};
    for (std::size_t i = 0; i < 3; ++i) {
      k[i] = std::lround(1e6 * p[i]);
      k[3 + i] = std::lround(1e5 * approach[i]);
      k[6 + i] = std::lround(1e5 * pinch[i]);
    }
    return k;
  };
  std::map<std::array<long, 9>, const Grasp*> of_b;
  for (const Grasp& g : b->grasps)
    of_b[key(g.part_from_gripper.translation, g.part_from_gripper.rotation.column(2),
             g.part_from_gripper.rotation.column(0))] = &g;
  std::size_t matched = 0;
  std::size_t alike = 0;
  for (const Grasp& g : a->grasps) {
    const auto found = of_b.find(key(mirrored(g.part_from_gripper.translation),
                                     mirrored(g.part_from_gripper.rotation.column(2)),
                                     -mirrored(g.part_from_gripper.rotation.column(0))));
    if (found == of_b.end()) continue;
    ++matched;
    EXPECT_NEAR(found->second->width, g.width, 1e-9);
    alike += std::abs(found->second->stability - g.stability) < 1e-9 ? 1 : 0;
  }
  // Rounding may decide otherwise where a finger only just touches, or an edge is just in reach.
  ASSERT_GT(a->grasps.size(), 100U);
  EXPECT_GE(matched, a->grasps.size() * 99 / 100);
  EXPECT_GE(alike, matched * 99 / 100);
}

TEST(GenerateGrasps, MeshThatFacesInwardGivesTheSameGrasps) {
  const Result<GraspSet> a =
      generate_grasps(model_of(bar()), gripper_of(), kBarFrame, {.step = 0.006});
  const Result<GraspSet> b =
      generate_grasps(model_of(test::turned(bar())), gripper_of(), kBarFrame, {.step = 0.006});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->counts.stable, b->counts.stable);
  EXPECT_GT(a->counts.stable, 0U);
}

TEST(GenerateGrasps, OpeningSmallerThanThePartGivesNone) {
  const Result<GraspSet> set =
      generate_grasps(model_of(bar()), gripper_of({.opening = 0.015}), kBarFrame, {.step = 0.006});
  ASSERT_TRUE(set.ok());
  EXPECT_GT(set->counts.sampled, 0U);
  EXPECT_EQ(set->counts.free, 0U);
  EXPECT_EQ(set->counts.feasible, 0U);
  EXPECT_TRUE(set->grasps.empty());
}

TEST(GenerateGrasps, RefusesWhatMakesNoSense) {
  const Model part = model_of(bar());
  const Gripper gripper = gripper_of();
  const auto error_of = [&](const std::vector<Segment>& frame, const GraspOptions& options) {
    const Result<GraspSet> set = generate_grasps(part, gripper, frame, options);
    return set.ok() ? std::string("none") : set.error().place + ": " + set.error().reason;
  };
  EXPECT_EQ(error_of({}, {}), "wire-frame: has no segments");
  EXPECT_EQ(error_of({{{1.0, 1.0, 1.0}, {1.0, 1.0, 2.0}}}, {}),
            "wire-frame: is wholly outside the part");
  EXPECT_EQ(error_of({{{std::nan(""), 1.0, 1.0}, {1.0, 1.0, 2.0}}}, {}),
            "segment 0: is not finite");
  EXPECT_EQ(error_of(kBarFrame, {.step = 0.0}).substr(0, 5), "step:");
  EXPECT_EQ(error_of(kBarFrame, {.step = 0.2}),
            "step: 0.200000 m is larger than the part, which has 0.100000 m");
  EXPECT_EQ(error_of(kBarFrame, {.step = 1e-9}).substr(0, 5), "step:");
  EXPECT_EQ(error_of(kBarFrame, {.softness = -1.0}).substr(0, 9), "softness:");
  EXPECT_EQ(error_of(kBarFrame, {.quality = {.friction = 0.0}}),
            "friction: 0.000000 is not above 0");
  EXPECT_EQ(error_of(kBarFrame, {.quality = {.cone_edges = 2}}).substr(0, 11), "cone edges:");
  EXPECT_EQ(error_of(kBarFrame, {.quality = {.torsion = -1.0}}).substr(0, 8), "torsion:");
  EXPECT_EQ(error_of(kBarFrame, {.alpha = std::nan("")}).substr(0, 6), "alpha:");
  const Result<GraspSet> open =
      generate_grasps(model_of(test::without(bar(), {0})), gripper, kBarFrame, {});
  ASSERT_FALSE(open.ok());
  EXPECT_EQ(open.error().place, "part");
}

/// Cancels after some reports.
class Stopper final : public Monitor {
 public:
  void progress(std::string_view /*stage*/, double fraction) override {
    if (fraction > 0.2) stop_ = true;
  }
  [[nodiscard]] bool cancelled() const override { return stop_; }

 private:
  std::atomic<bool> stop_ = false;
};

TEST(GenerateGrasps, CanBeCancelled) {
  Stopper stopper;
  const Result<GraspSet> set = generate_grasps(model_of(bar()), gripper_of(), kBarFrame,
                                               {.step = 0.004, .monitor = &stopper});
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code, ErrorCode::Cancelled);
}

TEST(Fingerprint, TellsMeshesApart) {
  EXPECT_EQ(fingerprint(bar()), fingerprint(bar()));
  EXPECT_NE(fingerprint(bar()), fingerprint(scaled(bar(), {1.0, 1.0, 1.0000001})));
  EXPECT_NE(fingerprint(bar()), fingerprint(test::turned(bar())));
}

}  // namespace
}  // namespace clearance
