// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The queries of query.h on two binary trees, of any kinds of volumes. A Coherence helps
// distance(); which contact the yes-or-no questions come back with would depend on it, so they
// leave it alone.
#pragma once

#include <clearance/query/query.h>

namespace clearance::detail {

[[nodiscard]] Collision binary_collide(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                       Coherence* coherence);
[[nodiscard]] Contacts binary_contacts(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                       std::size_t limit, Coherence* coherence);
[[nodiscard]] Distance binary_distance(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                                       const DistanceOptions& options, Coherence* coherence);
[[nodiscard]] Within binary_within(const Bvh& a, const Bvh& b, const Pose& a_from_b, double limit,
                                   Coherence* coherence);

}  // namespace clearance::detail
