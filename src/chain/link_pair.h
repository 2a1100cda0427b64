// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two links of a chain, posed: how far apart, and do they touch?
#pragma once

#include <limits>

#include <clearance/chain/chain.h>

namespace clearance::detail {

/// Distance of the two, solid but for meshes; 0 when they touch or one solid holds (part of) the
/// other; infinity when one is empty. Right to kShapeContactError (shapes.h) of the extent: sizes,
/// gap and the coordinates of the pose. Distances at or above upper_bound come back as that or
/// more.
[[nodiscard]] double link_distance(const LinkShape& a, const LinkShape& b, const Pose& a_from_b,
                                   double upper_bound = std::numeric_limits<double>::infinity());
/// Are they at `limit` or closer? Never a false "no"; a gap larger by less than kShapeContactError
/// of the extent may be called "yes". Cheaper than the distance where trees are involved.
[[nodiscard]] bool links_within(const LinkShape& a, const LinkShape& b, const Pose& a_from_b,
                                double limit);
/// Do they touch, or come within `slack` (what the pose may be off)?
[[nodiscard]] bool links_touch(const LinkShape& a, const LinkShape& b, const Pose& a_from_b,
                               double slack = 0.0);
/// Is the point inside a solid convex body, or on it? False for flat ones.
[[nodiscard]] bool holds(const ConvexBody& body, const Vec3& p);
/// Axis-aligned bounds in the link's own frame; empty for a link without a body.
[[nodiscard]] Box bounds_of(const LinkShape& link);

}  // namespace clearance::detail
