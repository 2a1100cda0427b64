// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The queries of query.h on two wide trees.
#pragma once

#include <clearance/query/query.h>

namespace clearance::detail {

Collision wide_collide(const Bvh& a, const Bvh& b, const Pose& a_from_b, Coherence* coherence);
Contacts wide_contacts(const Bvh& a, const Bvh& b, const Pose& a_from_b, std::size_t limit,
                       Coherence* coherence);
Distance wide_distance(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                       const DistanceOptions& options, Coherence* coherence);
Within wide_within(const Bvh& a, const Bvh& b, const Pose& a_from_b, double limit,
                   Coherence* coherence);

}  // namespace clearance::detail
