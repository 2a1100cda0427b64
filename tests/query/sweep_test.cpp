// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/mesh/read.h>
#include <clearance/query/sweep.h>

#include "query/solid_scenes.h"
#include "support/data.h"

namespace clearance {
namespace {

using test::cube;
using test::model_of;

double difference(const Pose& a, const Pose& b) {
  double worst = norm(a.translation - b.translation);
  for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, norm(a.rotation[i] - b.rotation[i]));
  return worst;
}

Pose random_pose(Random& random, double spread) {
  const Mat3 rotation = test::scenes::rotation(random);
  return {rotation, spread * test::scenes::in_ball(random)};
}

TEST(RigidMotion, ReachesBothEnds) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Pose start = random_pose(random, 3.0);
    // Some by a hair, some by half a turn.
    const double angle =
        i % 3 == 0 ? std::pow(10.0, random.uniform(-12.0, -1.0)) : random.uniform(0.0, 3.1415);
    const Pose end{rotation_about(test::scenes::direction(random), angle) * start.rotation,
                   3.0 * test::scenes::in_ball(random)};
    for (const RigidMotion& motion :
         {RigidMotion::screw(start, end), RigidMotion::interpolated(start, end),
          RigidMotion::interpolated(start, end, {1, 2, 3})}) {
      EXPECT_LT(difference(motion.at(0.0), start), 1e-13);
      EXPECT_LT(difference(motion.at(1.0), end), 1e-12);
    }
  }
}

TEST(RigidMotion, ScrewsMoveByTheSameAmountAtAnyTime) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const RigidMotion motion =
        RigidMotion::screw(random_pose(random, 1.0), random_pose(random, 1.0));
    const double h = 0.125;
    const Pose step = motion.at(h) * inverse(motion.at(0.0));
    for (double t = h; t < 0.9; t += h)
      EXPECT_LT(difference(motion.at(t + h) * inverse(motion.at(t)), step), 1e-12);
  }
}

TEST(RigidMotion, ATurnAboutAnAxisLeavesTheAxisInPlace) {
  const RigidMotion motion =
      RigidMotion::about_axis({}, {1, 2, 0}, {0, 0, 1}, 4.0 * std::numbers::pi, 0.5);
  EXPECT_LT(norm(motion.at(0.3) * Vec3{1, 2, 7} - Vec3{1, 2, 7.15}), 1e-14);
  EXPECT_LT(norm(motion.at(0.25) * Vec3{3, 2, 0} - Vec3{-1, 2, 0.125}), 1e-14);
  EXPECT_LT(difference(motion.at(1.0), Pose::translate({0, 0, 0.5})), 1e-14);
}

TEST(RigidMotion, InterpolationMovesThePivotStraight) {
  Random random(4);
  const Pose start = random_pose(random, 1.0);
  const Pose end = random_pose(random, 1.0);
  const Vec3 pivot{0.5, -1.0, 2.0};
  const RigidMotion motion = RigidMotion::interpolated(start, end, pivot);
  EXPECT_LT(norm(motion.at(0.25) * pivot - (0.75 * (start * pivot) + 0.25 * (end * pivot))), 1e-14);
}

TEST(RigidMotion, NoPointGoesFartherThanTheLongestWay) {
  Random random(3);
  const Model body = model_of(test::lump(random, 5, 1.0, {0.3, 0.2, 0.1}));
  double tightest = 10.0;
  for (int i = 0; i < 100; ++i) {
    const Pose start = random_pose(random, 2.0);
    const Pose end = random_pose(random, 2.0);
    for (const RigidMotion& motion :
         {RigidMotion::screw(start, end), RigidMotion::interpolated(start, end),
          RigidMotion::linear(start, end.translation),
          RigidMotion::about_axis(start, {1, 0, 0}, {0, 1, 0}, 9.0, 0.3)}) {
      const double longest = motion.longest_way(body.bvh());
      double most = 0.0;
      for (const Vec3& v : body.bvh().vertices()) {
        double way = 0.0;
        for (int k = 0; k < 64; ++k)
          way += distance(motion.at(k / 64.0) * v, motion.at((k + 1) / 64.0) * v);
        EXPECT_LE(way, longest);
        most = std::max(most, way);
      }
      tightest = std::min(tightest, longest / most);
    }
  }
  EXPECT_LT(tightest, 1.01);
}

TEST(Sweep, HeadOnContactComesWhenTheGapIsUsedUp) {
  const Model a = model_of(cube(1.0));
  // A gap of 1 and a way of 4: contact at a quarter.
  const RigidMotion motion =
      RigidMotion::linear(Pose::translate({2.0, 0.1, 0.2}), {-4.0, 0.0, 0.0});
  const Sweep s = sweep(a, a, motion);
  EXPECT_EQ(s.status, SweepStatus::Contact);
  EXPECT_LE(s.time, 0.25);
  EXPECT_GE(s.time, 0.25 - 1e-6);
  EXPECT_EQ(s.closest_time, s.time);
  EXPECT_GT(s.closest.distance, 0.0);
  EXPECT_LE(s.closest.distance, 1e-6);
  EXPECT_LE(s.steps, 8U);
}

TEST(Sweep, AFreeMotionHasAProvenClearance) {
  const Model a = model_of(cube(1.0));
  // Over the top with 0.05 to spare.
  const RigidMotion motion =
      RigidMotion::linear(Pose::translate({2.0, 0.1, 1.05}), {-4.0, 0.0, 0.0});
  const Sweep s = sweep(a, a, motion);
  EXPECT_EQ(s.status, SweepStatus::Free);
  EXPECT_EQ(s.time, 1.0);
  EXPECT_LE(s.clearance_lower, 0.05);
  EXPECT_GE(s.clearance_lower, 0.005);
  EXPECT_GE(s.clearance_upper, 0.05 - 1e-9);
  EXPECT_LE(s.clearance_upper, 0.06);
  EXPECT_EQ(s.closest.distance, s.clearance_upper);
}

TEST(Sweep, ATurningRodMeetsTheBlockAtTheRightAngle) {
  // A rod along x from the origin, 0.02 thick, turns about z towards a block that fills y < 0 from
  // x = -1.9 to -0.9.
  const Model rod = model_of(scaled(cube(2.0, {0, -1, -1}), {1.0, 0.01, 0.01}));
  const Model block = model_of(cube(1.0, {-1.9, -1.0, -0.5}));
  const RigidMotion motion =
      RigidMotion::about_axis({}, {}, {0, 0, 1}, 2.0 * std::numbers::pi, 0.0);
  const Sweep s = sweep(block, rod, motion);
  ASSERT_EQ(s.status, SweepStatus::Contact);
  // The point (r, 0.01) of the rod turned by phi is at y = r sin(phi) + 0.01 cos(phi); it reaches
  // 0 at tan(phi) = -0.01 / r, phi = pi - atan(0.01 / r), first for the least r: where x = -0.9.
  const double expected = (std::numbers::pi - std::atan(0.01 / 0.9)) / (2.0 * std::numbers::pi);
  EXPECT_LE(s.time, expected);
  EXPECT_NEAR(s.time, expected, 1e-5);
}

TEST(Sweep, StartingInContactIsSaid) {
  const Model a = model_of(cube(1.0));
  const Model small = model_of(cube(0.2));
  const Sweep touching = sweep(a, a, RigidMotion::linear(Pose::translate({1, 0, 0}), {1, 0, 0}));
  EXPECT_EQ(touching.status, SweepStatus::StartsInContact);
  EXPECT_EQ(touching.touch, Touch::Surfaces);
  EXPECT_EQ(touching.time, 0.0);
  const Sweep inside =
      sweep(a, small, RigidMotion::linear(Pose::translate({0.4, 0.4, 0.4}), {0.1, 0, 0}));
  EXPECT_EQ(inside.status, SweepStatus::StartsInContact);
  EXPECT_EQ(inside.touch, Touch::BInsideA);
}

TEST(Sweep, OutOfStepsIsUndecidedAndNeverFree) {
  const Model a = model_of(cube(1.0));
  SweepOptions options;
  options.steps = 3;
  const Sweep s =
      sweep(a, a, RigidMotion::linear(Pose::translate({0.1, 0, 1.0001}), {0.5, 0, 0}), options);
  EXPECT_EQ(s.status, SweepStatus::Undecided);
  EXPECT_LT(s.time, 1.0);
}

TEST(Sweep, WithoutMotionIsADistance) {
  const Model a = model_of(cube(1.0));
  const Sweep s = sweep(a, a, RigidMotion::linear(Pose::translate({1.5, 0, 0}), {}));
  EXPECT_EQ(s.status, SweepStatus::Free);
  EXPECT_NEAR(s.clearance_lower, 0.5, 1e-8);
  EXPECT_EQ(s.clearance_upper, 0.5);
}

TEST(Sweep, IsRightAtAnyScaleAndFarFromTheOrigin) {
  for (const double scale : {1e-9, 1e-3, 1e9}) {
    const Model a = model_of(cube(scale));
    SweepOptions options;
    options.tolerance = 1e-6 * scale;
    const Sweep s = sweep(
        a, a, RigidMotion::linear(Pose::translate({2 * scale, 0, 0}), {-4 * scale, 0, 0}), options);
    EXPECT_EQ(s.status, SweepStatus::Contact);
    EXPECT_LE(s.time, 0.25);
    EXPECT_GE(s.time, 0.25 - 1e-6);
  }
  const Vec3 far{1e6, -2e6, 3e6};
  const Model a = model_of(cube(1.0, far));
  const Model b = model_of(cube(1.0));
  const Sweep s =
      sweep(a, b, RigidMotion::linear(Pose::translate(far + Vec3{2, 0, 0}), {-4, 0, 0}));
  EXPECT_EQ(s.status, SweepStatus::Contact);
  EXPECT_LE(s.time, 0.25 + 1e-9);
  EXPECT_GE(s.time, 0.25 - 1e-6);
}

/// A cube that turns about a line 1e9 away runs into another by 1e-8 just before the end, which
/// poses computed in double can miss by ten times as much.
TEST(Sweep, ATurnAboutALineFarAwayIsNeverFreeByRounding) {
  Random random(11);
  const Model b = model_of(cube(1.0));
  for (int i = 0; i < 50; ++i) {
    const Vec3 point{random.uniform(-0.5e9, 0.5e9), random.uniform(0.5e9, 1e9), 0.0};
    const double angle = random.uniform(3.0, 4.0) / point.y;
    const Pose start = Pose::translate({5.0, 0.0, 0.0});
    long double least = 10.0L;
    for (const Vec3& vertex : b.mesh().vertices()) {
      const long double x = static_cast<long double>(vertex.x) + 5.0L - point.x;
      const long double y = static_cast<long double>(vertex.y) - point.y;
      least = std::min(least, point.x + std::cos(static_cast<long double>(-angle)) * x -
                                  std::sin(static_cast<long double>(-angle)) * y);
    }
    const Mesh far_left = cube(20.0, {0.0, -10.0, -10.0});
    const double high = far_left.bounds().high.x;
    const Model a = model_of(transformed(
        far_left, Pose::translate({static_cast<double>(least) + 1e-8 - high, 0.0, 0.0})));
    const RigidMotion motion = RigidMotion::about_axis(start, point, {0.0, 0.0, 1.0}, -angle, 0.0);
    SweepOptions options;
    options.tolerance = 0.0;
    EXPECT_NE(sweep(a, b, motion, options).status, SweepStatus::Free) << i;
  }
}

TEST(Sweep, IsNeverLate) {
  Random random(17);
  test::HitCounter contacts;
  SweepOptions options;
  options.tolerance = 1e-5;
  for (int i = 0; i < 600; ++i) {
    const Model a = model_of(test::lumps(random, 5, 1.0));
    const Model b = model_of(test::lumps(random, 4, 0.6));
    const Pose start{test::scenes::rotation(random), 3.2 * test::scenes::direction(random)};
    const Pose end{test::scenes::rotation(random), 1.6 * test::scenes::in_ball(random)};
    const RigidMotion motion =
        i % 4 == 0   ? RigidMotion::linear(start, end.translation - start.translation)
        : i % 4 == 1 ? RigidMotion::screw(start, end)
        : i % 4 == 2 ? RigidMotion::interpolated(start, end, test::scenes::in_ball(random))
                     : RigidMotion::about_axis(
                           start, test::scenes::in_ball(random), test::scenes::direction(random),
                           random.uniform(-9.0, 9.0), random.uniform(-4.0, 4.0));
    const Sweep s = sweep(a, b, motion, options);
    ASSERT_NE(s.status, SweepStatus::Undecided);
    if (s.status == SweepStatus::StartsInContact) {
      EXPECT_TRUE(collide(a, b, start).hit);
      continue;
    }
    contacts.count(s.status == SweepStatus::Contact);
    // Sampling before the returned time, denser towards it.
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 60; ++k) {
      const double u = random.uniform();
      const double t = s.time * (k % 2 == 0 ? u : 1.0 - std::pow(10.0, -6.0 * u));
      const SolidDistance d = distance(a, b, motion.at(t));
      EXPECT_EQ(d.touch, Touch::None) << i << " at " << t << " of " << s.time;
      least = std::min(least, d.distance);
    }
    EXPECT_LE(s.clearance_lower, least * (1.0 + 1e-9));
    EXPECT_LE(s.clearance_lower, s.clearance_upper);
    if (s.status == SweepStatus::Contact) {
      EXPECT_LE(distance(a, b, motion.at(s.time)).distance, s.tolerance);
    }
    // The answer is that of a look at the motion from a fresh start, whatever came before.
    Coherence used;
    (void)distance(a.bvh(), b.bvh(), end, {}, &used);
    EXPECT_EQ(sweep(a, b, motion, options, &used).time, s.time);
  }
  EXPECT_GT(contacts.fraction(), 0.3);
  EXPECT_LT(contacts.fraction(), 0.7);
}

TEST(Sweep, TheNutComesOffTheBoltByTurningAndNotByPulling) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto part = [](const char* name) {
    const auto loaded =
        read_mesh(test::data_path(std::string("assemblies/factory_nut_bolt_m16/") + name).string());
    EXPECT_TRUE(loaded.ok());
    return model_of(loaded->mesh);
  };
  if (test::data_path("assemblies/factory_nut_bolt_m16").empty())
    GTEST_SKIP() << "the data folder has no assemblies/factory_nut_bolt_m16";
  const Model bolt = part("factory_bolt_m16_loose.obj");
  const Model nut = part("factory_nut_m16_loose_subdiv_3x.obj");
  const Pose start = Pose::translate({0, 0, 0.002});
  const Vec3 up{0, 0, 1};
  // Half a turn up the thread at its pitch of 2 mm.
  const Sweep turned =
      sweep(bolt, nut, RigidMotion::about_axis(start, {}, up, std::numbers::pi, 0.001));
  EXPECT_EQ(turned.status, SweepStatus::Free);
  EXPECT_GT(turned.clearance_lower, 1e-5);
  EXPECT_LT(turned.clearance_upper, 1.1e-4);
  const Sweep pulled = sweep(bolt, nut, RigidMotion::linear(start, {0, 0, 0.0005}));
  EXPECT_EQ(pulled.status, SweepStatus::Contact);
  EXPECT_GT(pulled.time, 0.1);
  EXPECT_LT(pulled.time, 0.4);
}

}  // namespace
}  // namespace clearance
