// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>
#include <numbers>

#include <clearance/base/assert.h>
#include <clearance/base/random.h>

namespace clearance {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) word = split_mix(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::uint64_t Random::below(std::uint64_t count) {
  CLEARANCE_ASSERT(count > 0);
  // Refuse the few values that would favour small results.
  const std::uint64_t refused = (0 - count) % count;
  std::uint64_t bits = next();
  while (bits < refused) bits = next();
  return bits % count;
}

double Random::normal() {
  // Box-Muller; 1 - uniform() lies in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

Random Random::split(std::uint64_t index) const {
  std::uint64_t mix = state_[0] ^ std::rotl(state_[2], 29) ^ (index * 0xd1342543de82ef95u);
  return Random(split_mix(mix));
}

}  // namespace clearance
