// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Places along a Hilbert curve through a cube of 1024³ cells: points that follow each other along
// it are near to each other. By J. Skilling, "Programming the Hilbert curve" (AIP Conf. Proc. 707,
// 2004), for eight points at a time and without branches.
#pragma once

#include <cstdint>

#include "bvh/float8.h"

namespace clearance::detail {

/// Bits of a coordinate; a place has three times as many.
inline constexpr int kCurveBits = 10;
inline constexpr std::int32_t kLastCell = (1 << kCurveBits) - 1;

/// Every third bit of the result, from the lowest on, is a bit of v.
inline Int8 every_third_bit(Int8 v) {
  v = (v | v << 16) & 0x030000ff;
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  return (v | v << 2) & 0x09249249;
}

/// Of cells with coordinates from 0 to kLastCell.
inline Int8 places_on_curve(Int8 x, Int8 y, Int8 z) {
  Int8* const axes[3] = {&x, &y, &z};
  // From the largest cubes down: turn and mirror what is below as the curve does in this octant.
  for (int bit = kCurveBits - 1; bit > 0; --bit) {
    const std::int32_t below = (1 << bit) - 1;
    for (Int8* const axis : axes) {
      const Int8 is_set = -(*axis >> bit & 1);
      const Int8 swapped = (x ^ *axis) & below & ~is_set;
      x ^= (is_set & below) | swapped;
      if (axis != &x) *axis ^= swapped;
    }
  }
  // The Gray code of the octants.
  y ^= x;
  z ^= y;
  Int8 parity = z >> 1;
  parity ^= parity >> 1;
  parity ^= parity >> 2;
  parity ^= parity >> 4;
  parity ^= parity >> 8;
  return every_third_bit(x ^ parity) << 2 | every_third_bit(y ^ parity) << 1 |
         every_third_bit(z ^ parity);
}

}  // namespace clearance::detail
