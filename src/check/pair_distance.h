// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far apart two bodies of a cell are: by their models, by their spheres, by boxes around them.
#pragma once

#include <limits>
#include <vector>

#include <clearance/check/body.h>
#include <clearance/query/solid.h>

#include "check/joint_chain.h"
#include "check/sphere_clusters.h"

namespace clearance::detail {

struct PairDistance {
  double distance = std::numeric_limits<double>::infinity();  ///< infinity: beyond the bound
  double lower = 0.0;                                         ///< proven [m]
  Vec3 point;  ///< about where they are closest, in the frame of A; when not beyond
};

/// What makes the next question about one pair of bodies cheaper: one for each pair of models.
using PairMemory = std::vector<Coherence>;

/// The distance of two bodies [m], 0 when they touch or one is inside the other. At or above
/// `upper` it may come back as infinity, with `lower` at least `upper`.
PairDistance model_distance(const CheckBody& a, const CheckBody& b, const Pose& a_from_b,
                            double upper, PairMemory& memory, Work& work);

/// The same of their spheres, negative by how far the two that overlap most do. Rounded down by
/// 1e-12 of the coordinates.
PairDistance sphere_distance(const SphereGroups& a, const SphereGroups& b, const Pose& a_from_b,
                             double upper);

/// No more than the distance of anything inside the two sets of corners: by boxes along the axes.
double box_distance(const Box& a, const Box& b);
Box box_of(const Corners& corners);

}  // namespace clearance::detail
