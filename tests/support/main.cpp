// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The main() of every test program: GoogleTest's, with a fixed seed for rapidcheck, so that a run
// can be repeated. RC_PARAMS, when it is set, is obeyed instead; without a seed in it rapidcheck
// draws a new one each time.
#include <cstdlib>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  setenv("RC_PARAMS", "seed=1", /*overwrite=*/0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
