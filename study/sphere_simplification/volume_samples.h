// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a body the first n of some spheres cover, and how much they add to it, for every n at
// once: by random points, each of which remembers the first sphere that holds it. Figures 7 and 8
// of the paper are two such curves; two digits of them are right (kVolumeSamples). Proven volumes
// of one model are sphere_volumes' (cover.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>

namespace clearance::study {

/// About one in six is inside the pipe: shares of its volume are off by 0.002 (standard deviation).
inline constexpr std::size_t kVolumeSamples = 400'000;

struct VolumeShares {
  double covered = 0.0;  ///< of the volume of the body
  double outside = 0.0;  ///< volume of the spheres outside of the body, of that of the body
};

class VolumeSamples {
 public:
  /// Points in the box of a closed body, made larger by `margin` [m].
  VolumeSamples(const Model& body, double margin, std::size_t count, std::uint64_t seed,
                Threads threads);

  /// Entry n is that of the first n spheres; spheres.size() + 1 entries.
  [[nodiscard]] std::vector<VolumeShares> shares(std::span<const Sphere> spheres) const;

 private:
  struct Sample {
    Vec3 point;
    bool inside = false;
  };
  std::vector<Sample> samples_;
  std::size_t inside_count_ = 0;
  Threads threads_;
};

}  // namespace clearance::study
