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

/// The logarithm of x > 0 out of additions, products and quotients alone, which every machine
/// rounds alike: x = m 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 atanh((m - 1) / (m + 1)). The
/// series is cut where its terms, at most 0.172^(2k) / (2k + 1), fall below rounding.
double natural_logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.5 * std::numbers::sqrt2) {
    m *= 2.0;
    --exponent;
  }
  const double t = (m - 1.0) / (m + 1.0);
  const double tt = t * t;
  double sum = 0.0;
  for (int k = 10; k >= 0; --k) sum = sum * tt + 1.0 / (2 * k + 1);
  return exponent * std::numbers::ln2 + 2.0 * t * sum;
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

double Random::uniform(double low, double high) {
  // The sum may round up to the excluded end.
  const double x = low + (high - low) * uniform();
  return x < high ? x : std::nextafter(high, low);
}

std::uint64_t Random::below(std::uint64_t count) {
  CLEARANCE_ASSERT(count > 0);
  // Refuse the few values that would favour small results.
  const std::uint64_t refused = (0 - count) % count;
  std::uint64_t bits = next();
  while (bits < refused) bits = next();
  return bits % count;
}

double Random::normal() {
  // Marsaglia's polar method: only a logarithm and a square root, and no other function of libm,
  // whose last bits depend on the machine.
  for (;;) {
    const double u = 2.0 * uniform() - 1.0;
    const double v = 2.0 * uniform() - 1.0;
    const double s = u * u + v * v;
    if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * natural_logarithm(s) / s);
  }
}

Random Random::split(std::uint64_t index) const {
  std::uint64_t mix = state_[0] ^ std::rotl(state_[2], 29) ^ (index * 0xd1342543de82ef95u);
  return Random(split_mix(mix));
}

}  // namespace clearance
