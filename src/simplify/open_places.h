// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All places where a proof of cover does not succeed, at once: for searches, which mend them
// together and try again. verify_cover() stops at the first and makes sure of it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/simplify/kept_volume.h>

namespace clearance::detail {

struct OpenPlacesOptions {
  double smallest = 0.0;          ///< pieces are not divided below this [m]
  std::size_t most_points = 512;  ///< about so many at most
  Threads threads;
  Monitor* monitor = nullptr;
};
struct OpenPlaces {
  /// In no ball, or so near to leaving all of them that pieces of the smallest size do not decide;
  /// of the kept volume, or near its boundary [m].
  std::vector<Vec3> points;
  /// Proven: the balls hold the kept volume. No points then.
  bool covered = false;
};
/// The same for any number of threads.
[[nodiscard]] OpenPlaces open_places(const KeptVolume& kept, std::span<const Sphere> balls,
                                     const OpenPlacesOptions& options);

}  // namespace clearance::detail
