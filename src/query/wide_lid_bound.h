// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far out along a direction the children of a node reach at most, by the lid of the node: the
// height of a quadratic surface over eight rectangles. What follows a smooth surface sticks out of
// it by the cube of its size, out of a box by the square. What the operations here round away is
// part of the lid (bvh/wide_lid.cpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "query/wide_pair.h"

namespace clearance::detail {

/// The most that slope * x + curve * x² / 2 can be for x from 0 to half, slope not being negative.
inline Float8 highest_rise(Float8 slope, float curve, Float8 half) {
  // In this order a NaN is the end of the range.
  const Float8 x = curve < 0.0F ? min(slope * broadcast8(-1.0F / curve), half) : half;
  return x * fused(broadcast8(0.5F * curve), x, slope);
}

/// The same for x from center - half to center + half, and a slope of any sign.
inline Float8 highest_on(float slope, float curve, Float8 center, Float8 half) {
  const Float8 bend = broadcast8(0.5F * curve) * center;
  const Float8 at = broadcast8(slope) + bend;
  return fused(at, center, highest_rise(abs(at + bend), curve, half));
}

/// How far along `n`, a direction in the frame of the node, the corners below each of its children
/// reach at most, from the node's origin. `boxes` are those of the children; `by_boxes` is how far
/// these reach, and stands where there is no lid.
inline Float8 reach_under_lid(const WideLid& lid, const Boxes8& boxes, const float (&n)[4],
                              Float8 by_boxes) {
  if (lid.axis == kNoLid) return by_boxes;
  const std::uint32_t u = lid.axis == 2 ? 0 : lid.axis + 1;
  const std::uint32_t v = u == 2 ? 0 : u + 1;
  const LidTurn turn(lid.turn);
  const float up = n[lid.axis];
  const float slope_u = turn.cosine * n[u] + turn.sine * n[v] + up * lid.slope[0];
  const float slope_v = turn.cosine * n[v] - turn.sine * n[u] + up * lid.slope[1];
  // The boxes, turned, in boxes.
  const Float8 cosine = broadcast8(turn.cosine);
  const Float8 sine = broadcast8(turn.sine);
  const Float8 center_u = fused(cosine, boxes.center[u], sine * boxes.center[v]);
  const Float8 center_v = fused(cosine, boxes.center[v], -(sine * boxes.center[u]));
  const Float8 half_u = fused(abs(cosine), boxes.half[u], abs(sine) * boxes.half[v]);
  const Float8 half_v = fused(abs(cosine), boxes.half[v], abs(sine) * boxes.half[u]);
  const Float8 reach = broadcast8(std::max(up * lid.low, up * lid.high)) +
                       highest_on(slope_u, up * lid.curve[0], center_u, half_u) +
                       highest_on(slope_v, up * lid.curve[1], center_v, half_v);
  // In this order a NaN says nothing.
  return min(reach, by_boxes);
}

}  // namespace clearance::detail
