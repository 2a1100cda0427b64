// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/proof_open.h"

#include <optional>

#include <gtest/gtest.h>

#include <clearance/base/random.h>

#include "planning.h"

namespace clearance::detail {
namespace {

// Motions beside the ring and through it: some free, some narrow, some that run into it.
class MotionsNearARing : public testing::Test {
 protected:
  MotionsNearARing() : problem_(scenes::stick_in_ring(0.02).problem), prover_(problem_) {
    const Vec3 pivot = pivot_of(problem_.body);
    const Vec3 size = problem_.obstacles.mesh().bounds().size();
    Random random(7);
    for (int i = 0; i < 150; ++i) {
      const auto pose = [&] {
        const auto somewhere = [&](double half) { return random.uniform(-half, half); };
        const Vec3 to{somewhere(size.x), somewhere(size.y), somewhere(3.0)};
        return Pose{
            rotation_about(normalized(Vec3{somewhere(1.0), somewhere(1.0), 1.0}), somewhere(0.4)) *
                problem_.goal->rotation,
            problem_.goal->translation + 0.4 * to};
      };
      motions_.push_back(RigidMotion::interpolated(pose(), pose(), pivot));
    }
  }
  [[nodiscard]] OpenProof proof() const {
    std::vector<MotionToProve> all;
    for (const RigidMotion& motion : motions_) {
      const double speed = prover_.longest_way(motion);
      all.push_back({problem_.obstacles, problem_.body, motion, speed, problem_.clearance,
                     motion_rounding(problem_.obstacles, problem_.body, motion, speed), 0.9});
    }
    return {all, 0.5};
  }

  PlanProblem problem_;
  MotionProver prover_;
  std::vector<RigidMotion> motions_;
};

TEST_F(MotionsNearARing, LooksAndTheirWorkDoNotDependOnThreadsOrOnBeingMadeAhead) {
  // Never asked to look: everything is looked at when it is asked for, one after the other.
  OpenProof alone = proof();
  std::vector<Looks> expected;
  for (std::size_t i = 0; i < motions_.size(); ++i) expected.push_back(alone.looks_at(i));
  for (const int threads : {1, 2, 4}) {
    OpenProof together = proof();
    together.look({threads}, nullptr);
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      const Looks looks = together.looks_at(i);
      EXPECT_EQ(looks.status, expected[i].status) << i << ' ' << threads;
      EXPECT_EQ(looks.count, expected[i].count) << i << ' ' << threads;
      EXPECT_EQ(looks.work, expected[i].work) << i << ' ' << threads;
      EXPECT_EQ(looks.lower, expected[i].lower) << i << ' ' << threads;
      EXPECT_EQ(looks.narrowest_time, expected[i].narrowest_time) << i << ' ' << threads;
      EXPECT_EQ(looks.narrowest.distance, expected[i].narrowest.distance) << i << ' ' << threads;
    }
  }
}

TEST_F(MotionsNearARing, AreLookedAtHoweverShortTheyAndTheirPartsAre) {
  // A body that does not move, and one of no size: neither says how many parts there are to be.
  const Pose inside = Pose::translate(problem_.obstacles.mesh().vertices()[0]) *
                      Pose::translate(-problem_.body.mesh().vertices()[0]);
  const RigidMotion rest = RigidMotion::interpolated(inside, inside, pivot_of(problem_.body));
  for (const double longest : {0.0, 0.5}) {
    OpenProof proof({{problem_.obstacles, problem_.body, rest, 0.0, problem_.clearance,
                      motion_rounding(problem_.obstacles, problem_.body, rest, 0.0), 0.9}},
                    longest);
    proof.look({1}, nullptr);
    const Looks looks = proof.looks_at(0);
    EXPECT_GT(looks.count, 0U) << longest;
    EXPECT_NE(looks.status, ProofStatus::Free) << longest;
  }
}

TEST_F(MotionsNearARing, SayWhatTheProofOfOneMotionSays) {
  OpenProof together = proof();
  together.look({2}, nullptr);
  int free = 0;
  int refused = 0;
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    Coherence coherence;
    Work work;
    const ProofStatus status = prover_.prove(motions_[i], 20'000, coherence, work);
    const Looks looks = together.looks_at(i);
    EXPECT_EQ(looks.status, status) << i;
    (status == ProofStatus::Free ? free : refused) += 1;
    if (status != ProofStatus::Free) continue;
    // What is proven to be kept, no sample comes closer than.
    for (int k = 0; k <= 100; ++k) {
      const Distance sample =
          distance(problem_.obstacles.bvh(), problem_.body.bvh(), motions_[i].at(0.01 * k));
      EXPECT_GE(sample.distance, looks.lower) << i << ' ' << k;
    }
  }
  EXPECT_GT(free, 10);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace clearance::detail
