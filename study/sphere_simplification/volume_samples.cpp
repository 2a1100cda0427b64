// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/volume_samples.h"

#include <algorithm>

#include <clearance/base/assert.h>
#include <clearance/base/random.h>

namespace clearance::study {
namespace {

constexpr std::size_t kBlock = 1000;

/// Calls work(i) for all i below count, in blocks.
template <class Work>
void in_blocks(Threads threads, std::size_t count, const Work& work) {
  parallel_for(threads, (count + kBlock - 1) / kBlock, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) work(i);
  });
}

}  // namespace

VolumeSamples::VolumeSamples(const Model& body, double margin, std::size_t count,
                             std::uint64_t seed, Threads threads)
    : samples_(count), threads_(threads) {
  CLEARANCE_ASSERT(body.is_solid());
  const Vec3 more{margin, margin, margin};
  const Vec3 low = body.mesh().bounds().low - more;
  const Vec3 high = body.mesh().bounds().high + more;
  Random random(seed);
  for (Sample& sample : samples_) {
    for (std::size_t k = 0; k < 3; ++k) sample.point[k] = random.uniform(low[k], high[k]);
  }
  in_blocks(threads_, count, [&](std::size_t i) {
    samples_[i].inside = body.side(samples_[i].point) == Side::Inside;
  });
  inside_count_ = static_cast<std::size_t>(
      std::ranges::count_if(samples_, [](const Sample& sample) { return sample.inside; }));
}

std::vector<VolumeShares> VolumeSamples::shares(std::span<const Sphere> spheres) const {
  // Of each point the first sphere that holds it.
  std::vector<std::size_t> first(samples_.size(), spheres.size());
  in_blocks(threads_, samples_.size(), [&](std::size_t i) {
    const Vec3& p = samples_[i].point;
    const auto found = std::ranges::find_if(spheres, [&](const Sphere& sphere) {
      return squared_norm(p - sphere.center) <= sphere.radius * sphere.radius;
    });
    first[i] = static_cast<std::size_t>(found - spheres.begin());
  });
  const double one = 1.0 / static_cast<double>(std::max<std::size_t>(inside_count_, 1));
  std::vector<VolumeShares> shares(spheres.size() + 1);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (first[i] == spheres.size()) continue;
    VolumeShares& with = shares[first[i] + 1];
    (samples_[i].inside ? with.covered : with.outside) += one;
  }
  for (std::size_t n = 1; n < shares.size(); ++n) {
    shares[n].covered += shares[n - 1].covered;
    shares[n].outside += shares[n - 1].outside;
  }
  return shares;
}

}  // namespace clearance::study
