// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The paired t-test: are two ways, tried on the same cases, the same?
#pragma once

#include <span>

namespace clearance::study {

/// The chance that a variable of Student's t distribution is at least as far from 0 as `t`, on
/// either side. Right to ten digits, however small: it is a regularized incomplete beta function,
/// summed as a continued fraction, and not 1 minus something.
[[nodiscard]] double two_sided_t(double t, double degrees_of_freedom);

struct PairedTest {
  double mean_difference = 0.0;  ///< a - b
  double deviation = 0.0;        ///< standard deviation of the differences
  double t = 0.0;
  double probability = 1.0;  ///< of such a difference or a larger one, if they were the same
};
/// At least two pairs. Differences that are all the same and not 0 have probability 0.
[[nodiscard]] PairedTest paired_test(std::span<const double> a, std::span<const double> b);

}  // namespace clearance::study
