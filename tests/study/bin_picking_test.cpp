// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bin_picking/bin_picking.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/query/solid.h>

#include "bin_picking/paired_test.h"

namespace clearance::study {
namespace {

TEST(PairedTest, TailsOfTheTDistributionAreRightHoweverSmall) {
  // scipy.stats.t.sf, twice.
  struct Known {
    double t, degrees, probability;
  };
  for (const Known& known :
       {Known{2.0, 10, 0.07338803477074039}, Known{0.5, 3, 0.651447964848151},
        Known{14.0, 99, 3.2916609659469464e-25}, Known{30.0, 99, 1.7008499117282035e-51}}) {
    EXPECT_NEAR(two_sided_t(known.t, known.degrees) / known.probability, 1.0, 1e-9)
        << known.t << " " << known.degrees;
  }
  EXPECT_DOUBLE_EQ(two_sided_t(0.0, 5.0), 1.0);
  EXPECT_EQ(two_sided_t(-2.0, 10.0), two_sided_t(2.0, 10.0));
}

TEST(PairedTest, ComparesPairs) {
  const std::vector<double> a{8, 9, 7, 8, 10};
  const std::vector<double> b{5, 6, 5, 4, 7};
  // scipy.stats.ttest_rel
  const PairedTest test = paired_test(a, b);
  EXPECT_DOUBLE_EQ(test.mean_difference, 3.0);
  EXPECT_NEAR(test.t, 9.486832980505138, 1e-12);
  EXPECT_NEAR(test.probability, 0.0006889093649396111, 1e-12);
  EXPECT_EQ(paired_test(a, a).probability, 1.0);
}

TEST(BinPickingStudy, NominalGraspsAreSixAndFreeOfThePart) {
  const Result<ConRod> rod = con_rod(3000);
  ASSERT_TRUE(rod.ok()) << rod.error().message();
  ASSERT_EQ(rod->nominal.size(), 6U);
  const Gripper gripper = Gripper::of_boxes({}).value();
  for (const Grasp& grasp : rod->nominal) {
    EXPECT_FALSE(collide(rod->model, gripper.open(), grasp.part_from_gripper).hit);
    // The middle between the fingers is in the shank.
    EXPECT_EQ(rod->model.side(grasp.part_from_gripper.translation), Side::Inside);
  }
}

}  // namespace
}  // namespace clearance::study
