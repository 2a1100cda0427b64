// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What triangle_distance.cpp falls back on where doubles do not hold enough digits: the same
// questions with numbers of 32 digits. Coordinates are taken relative to a corner of `a`, so that
// the differences of the given doubles are exact.
#pragma once

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// The closest pair among edges and corner-face pairs. The distance of the triangles, unless one
/// pierces the other: then it is not zero here.
ClosestPoints closest_features(const Triangle& a, const Triangle& b);

/// A point of both triangles, which are known to intersect.
Vec3 common_point_precise(const Triangle& a, const Triangle& b);

/// proven_farther() by the direction between the closest features.
bool proven_farther_precise(const Triangle& a, const Triangle& b, double gap);

}  // namespace clearance::detail
