// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two links of a chain, posed: how far apart, and do they touch?
#pragma once

#include <clearance/chain/chain.h>

namespace clearance::detail {

/// Distance of the surfaces; 0 when they touch or one solid holds (part of) the other; infinity
/// when one is empty.
[[nodiscard]] double link_distance(const LinkShape& a, const LinkShape& b, const Pose& a_from_b);
/// Do they touch, or come within `slack` (what the pose may be off)?
[[nodiscard]] bool links_touch(const LinkShape& a, const LinkShape& b, const Pose& a_from_b,
                               double slack = 0.0);
/// Axis-aligned bounds in the link's own frame; empty for a link without a body.
[[nodiscard]] Box bounds_of(const LinkShape& link);

}  // namespace clearance::detail
