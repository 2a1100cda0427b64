// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Seeded random numbers that are the same on every machine and compiler (the distributions of
// <random> are not). xoshiro256++ by Blackman and Vigna, seeded through SplitMix64.
#pragma once

#include <array>
#include <cstdint>

namespace clearance {

class Random {
 public:
  explicit Random(std::uint64_t seed);

  /// The next 64 random bits.
  std::uint64_t next();
  /// Uniform in [0, 1), 53 random bits.
  double uniform();
  /// Uniform in [low, high).
  double uniform(double low, double high);
  /// Uniform in {0, ..., count-1}, without bias. count > 0.
  std::uint64_t below(std::uint64_t count);
  /// Standard normal deviate.
  double normal();
  /// An independent generator for piece `index` of a parallel loop.
  [[nodiscard]] Random split(std::uint64_t index) const;

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace clearance
