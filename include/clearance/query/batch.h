// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One query at many poses, on all cores. The answers come in the order of the poses and are, bit
// for bit, work counters included, those of the same query asked pose by pose, whatever the number
// of threads: nothing is carried from one pose to the next but memory. Along a path, one Coherence
// handed from pose to pose is cheaper on one thread (query.h); here poses may be in any order.
//
// Every pose must be finite and rigid (checked_pose). Nothing is thrown; memory for the answers is
// the only thing allocated beside scratch for each thread.
#pragma once

#include <span>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/geometry/pose.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>
#include <clearance/query/solid.h>

namespace clearance {

// Surfaces (query.h).

[[nodiscard]] std::vector<Collision> collisions(const Bvh& a, const Bvh& b,
                                                std::span<const Pose> a_from_b,
                                                Threads threads = {});
[[nodiscard]] std::vector<Distance> distances(const Bvh& a, const Bvh& b,
                                              std::span<const Pose> a_from_b,
                                              const DistanceOptions& options = {},
                                              Threads threads = {});
[[nodiscard]] std::vector<Within> withins(const Bvh& a, const Bvh& b,
                                          std::span<const Pose> a_from_b, double limit,
                                          Threads threads = {});

// Solids (solid.h).

[[nodiscard]] std::vector<SolidCollision> collisions(const Model& a, const Model& b,
                                                     std::span<const Pose> a_from_b,
                                                     Threads threads = {});
[[nodiscard]] std::vector<SolidDistance> distances(const Model& a, const Model& b,
                                                   std::span<const Pose> a_from_b,
                                                   const DistanceOptions& options = {},
                                                   Threads threads = {});
[[nodiscard]] std::vector<SolidWithin> withins(const Model& a, const Model& b,
                                               std::span<const Pose> a_from_b, double limit,
                                               Threads threads = {});

}  // namespace clearance
