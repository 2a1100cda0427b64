// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A way through a hollow body: where a catheter can go. Works on any closed surface that is roomy
// enough, scanned or generated.
#pragma once

#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>
#include <clearance/mesh/mesh.h>

namespace clearance::study {

/// A smooth line inside the body: kPassagePoints points, evenly spaced.
struct Passage {
  std::vector<Vec3> points;
  std::vector<double> room;  ///< distance of each point from the surface [m]
  double length = 0.0;       ///< [m]
  /// The place at an arc length from the start, in [0, length]; beyond, the ends.
  [[nodiscard]] Vec3 at(double arc) const;
  [[nodiscard]] double room_at(double arc) const;
};
inline constexpr int kPassagePoints = 257;

/// The longest way inside, from the end of one branch to the end of another, that keeps
/// `least_room` [m] from the surface and the middle where it can. Found on a grid: the same for the
/// same mesh. Errors: a mesh that is not closed, or nowhere so roomy.
[[nodiscard]] Result<Passage> find_passage(const Mesh& mesh, double least_room);

}  // namespace clearance::study
