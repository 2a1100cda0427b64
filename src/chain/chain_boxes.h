// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Eight boxes of a node of a wide chain, and what is done to all eight at once: seen in another
// frame, compared with another box, gathered in one.
#pragma once

#include <cstdint>

#include "chain/affine.h"

namespace clearance::detail {

inline constexpr std::uint32_t kChainWidth = 8;

/// Half size of an empty slot: any gap to it is huge, and the largest extent never its own.
inline constexpr float kEmptyChainHalf = -1e18F;

/// Bound of what single precision may be off in the bounds of a pair of nodes, as a fraction of
/// their extent (distance of the origins plus both radii): a rotation rounded to floats (2^-24 an
/// entry, three entries), the rounded translation, and the dozen operations of a bound add up to
/// less than 2e-6. The rest is reserve.
inline constexpr float kChainFloatError = 4e-6F;

/// What a box may lose on the way from the frame of a child to that of its parent, as a fraction of
/// the extent: the same reckoning with half the operations. Boxes grow by it at each level.
inline constexpr float kChainBoxError = 1e-6F;

/// What the points of a node (ChainPoints) may be off, as a fraction of its radius: a centre
/// rounded to floats in the frame of its group, then moved by a rounded pose; each of the about 25
/// roundings is one of 2^-24, of a number not above twice the radius.
inline constexpr float kChainPointError = 2e-6F;

/// A coordinate where no point is, for lanes without one: nothing is near it, and its square is
/// still a float.
inline constexpr float kFarChainPoint = 1e18F;

/// Eight points, one array a coordinate.
struct alignas(32) ChainGroup {
  float center[3][kChainWidth];
};

/// The points of eight groups, in the frame of the node that holds them.
struct alignas(64) ChainPoints {
  ChainGroup group[kChainWidth];
};

/// One set lane for each bit.
inline Int8 lanes_of(unsigned slots) {
  const Int8 lane{1, 2, 4, 8, 16, 32, 64, 128};
  const auto chosen = static_cast<std::int32_t>(slots);
  return (lane & Int8{chosen, chosen, chosen, chosen, chosen, chosen, chosen, chosen}) != 0;
}

/// Boxes by centre and half size, one array a coordinate.
struct alignas(32) ChainBoxes {
  float center[3][kChainWidth];
  float half[3][kChainWidth];

  [[nodiscard]] unsigned used() const { return bits(load8(half[0]) > broadcast8(kEmptyChainHalf)); }
  void clear(std::uint32_t slot) {
    for (int k = 0; k < 3; ++k) {
      center[k][slot] = 0.0F;
      half[k][slot] = kEmptyChainHalf;
    }
  }
};

/// The largest numbers of eight vectors of eight.
inline Float8 highest_of_each(const Float8 (&v)[8]) {
  Float8 half[4];
  for (int i = 0; i < 4; ++i) {
    half[i] = max(__builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 1, 2, 3, 8, 9, 10, 11),
                  __builtin_shufflevector(v[2 * i], v[2 * i + 1], 4, 5, 6, 7, 12, 13, 14, 15));
  }
  // Four candidates each: the lanes of vector 2 i in the lower half, of 2 i + 1 in the upper.
  Float8 quarter[2];
  for (int i = 0; i < 2; ++i) {
    quarter[i] =
        max(__builtin_shufflevector(half[2 * i], half[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(half[2 * i], half[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15));
  }
  const Float8 r = max(__builtin_shufflevector(quarter[0], quarter[1], 0, 2, 8, 10, 4, 6, 12, 14),
                       __builtin_shufflevector(quarter[0], quarter[1], 1, 3, 9, 11, 5, 7, 13, 15));
  // Now 0 2 4 6 1 3 5 7.
  return __builtin_shufflevector(r, r, 0, 4, 1, 5, 2, 6, 3, 7);
}

/// The box around all boxes of a node, in its frame.
struct alignas(16) ChainBox {
  float center[4];
  float half[3];  // below zero when there is none
  float radius;   // all of it is within this of the origin; see radius_of()
};

/// One box, in the first three lanes. Below zero half sizes: there is none.
struct FittedBox {
  Float4 center;
  Float4 half;
};

/// Eight boxes in registers. Boxes change slot by slot and are read eight at a time: of numbers
/// just written one by one, a load of eight waits until they have left the store buffer. The rows
/// are written out since GCC 12 keeps arrays in memory.
struct BoxRows {
  Float8 center_x, center_y, center_z;
  Float8 half_x, half_y, half_z;

  static BoxRows from(const ChainBoxes& b) {
    return {load8(b.center[0]), load8(b.center[1]), load8(b.center[2]),
            load8(b.half[0]),   load8(b.half[1]),   load8(b.half[2])};
  }
  /// Only these slots of others; the rest is empty.
  static BoxRows from(const ChainBoxes& b, unsigned slots) {
    const Int8 mask = lanes_of(slots);
    const Float8 zero = broadcast8(0.0F);
    const Float8 none = broadcast8(kEmptyChainHalf);
    return {mask ? load8(b.center[0]) : zero, mask ? load8(b.center[1]) : zero,
            mask ? load8(b.center[2]) : zero, mask ? load8(b.half[0]) : none,
            mask ? load8(b.half[1]) : none,   mask ? load8(b.half[2]) : none};
  }
  void put(std::uint32_t slot, const FittedBox& box) {
    const Int8 mask = lanes_of(1U << slot);
    center_x = mask ? broadcast8(box.center[0]) : center_x;
    center_y = mask ? broadcast8(box.center[1]) : center_y;
    center_z = mask ? broadcast8(box.center[2]) : center_z;
    half_x = mask ? broadcast8(box.half[0]) : half_x;
    half_y = mask ? broadcast8(box.half[1]) : half_y;
    half_z = mask ? broadcast8(box.half[2]) : half_z;
  }
  void store(ChainBoxes& b) const {
    store8(b.center[0], center_x);
    store8(b.center[1], center_y);
    store8(b.center[2], center_z);
    store8(b.half[0], half_x);
    store8(b.half[1], half_y);
    store8(b.half[2], half_z);
  }
};

inline FittedBox no_box() {
  constexpr float kNone = kEmptyChainHalf;
  return {Float4{}, Float4{kNone, kNone, kNone, kNone}};
}

/// From the highest ends of boxes along x, y, z (lanes 0 to 2) and along -x, -y, -z (4 to 6).
inline FittedBox box_between(Float8 end) {
  const Float4 high = __builtin_shufflevector(end, end, 0, 1, 2, 3);
  const Float4 low = __builtin_shufflevector(end, end, 4, 5, 6, 7);
  return {0.5F * (high - low), 0.5F * (high + low)};
}

/// Around all of them.
inline FittedBox box_around(const BoxRows& b) {
  const Float8 nothing = broadcast8(kEmptyChainHalf);
  const Float8 ends[8] = {
      b.half_x + b.center_x, b.half_y + b.center_y, b.half_z + b.center_z, nothing,
      b.half_x - b.center_x, b.half_y - b.center_y, b.half_z - b.center_z, nothing};
  FittedBox box = box_between(highest_of_each(ends));
  box.half = box.half * (1.0F + kChainBoxError);
  return box;
}

/// All of a box is within this of the origin.
inline float radius_of(const FittedBox& box) {
  float sum = 0.0F;
  for (int k = 0; k < 3; ++k) {
    const float end = __builtin_fabsf(box.center[k]) + box.half[k];
    const float reach = end > 0.0F ? end : 0.0F;
    sum += reach * reach;
  }
  return __builtin_sqrtf(sum) * (1.0F + kChainBoxError);
}

inline ChainBox chain_box(const FittedBox& fitted, float radius) {
  const Float4 half{fitted.half[0], fitted.half[1], fitted.half[2], radius};
  ChainBox box;
  static_assert(offsetof(ChainBox, radius) == offsetof(ChainBox, half) + 3 * sizeof(float));
  std::memcpy(&box, &fitted.center, sizeof fitted.center);
  std::memcpy(reinterpret_cast<std::byte*>(&box) + sizeof fitted.center, &half, sizeof half);
  return box;
}

/// The box around all boxes of a child, seen from its parent.
inline FittedBox fit_box(const ChainBoxes& child, float child_radius,
                         const ChainPose& parent_from_child) {
  const FloatAffine m(parent_from_child);
  const float loss = kChainBoxError * (m.shift() + child_radius);
  const Float8 nothing = broadcast8(kEmptyChainHalf);
  Float8 ends[8] = {nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing};
  for (int k = 0; k < 3; ++k) {
    const Float8 m0 = broadcast8(m.row[k][0]);
    const Float8 m1 = broadcast8(m.row[k][1]);
    const Float8 m2 = broadcast8(m.row[k][2]);
    const Float8 center = fused(m0, load8(child.center[0]),
                                fused(m1, load8(child.center[1]),
                                      fused(m2, load8(child.center[2]), broadcast8(m.row[k][3]))));
    const Float8 half = fused(abs(m0), load8(child.half[0]),
                              fused(abs(m1), load8(child.half[1]), abs(m2) * load8(child.half[2])));
    ends[k] = half + center;
    ends[4 + k] = half - center;
  }
  const FittedBox box = box_between(highest_of_each(ends));
  const FittedBox none = no_box();
  const auto empty = box.half < 0.0F;
  return {empty ? none.center : box.center, empty ? none.half : box.half + loss};
}

/// The box around the chosen points of a group; `loss` is what they may be off.
inline FittedBox fit_points(const ChainGroup& group, unsigned chosen, float loss) {
  if (chosen == 0) return no_box();
  const Float8 nothing = broadcast8(kEmptyChainHalf);
  const Int8 mask = lanes_of(chosen);
  Float8 ends[8] = {nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing};
  for (int k = 0; k < 3; ++k) {
    const Float8 center = load8(group.center[k]);
    ends[k] = mask ? center : nothing;
    ends[4 + k] = mask ? -center : nothing;
  }
  FittedBox box = box_between(highest_of_each(ends));
  box.half = box.half + loss;
  return box;
}

/// The points of a group in another frame. Lanes without a point stay far away.
inline void see_points(const float (&center)[3][kChainWidth], unsigned used,
                       const FloatAffine& other_from_group, ChainGroup& seen) {
  const Int8 mask = lanes_of(used);
  for (int k = 0; k < 3; ++k) {
    const Float8 moved = fused(broadcast8(other_from_group.row[k][0]), load8(center[0]),
                               fused(broadcast8(other_from_group.row[k][1]), load8(center[1]),
                                     fused(broadcast8(other_from_group.row[k][2]), load8(center[2]),
                                           broadcast8(other_from_group.row[k][3]))));
    store8(seen.center[k], mask ? moved : broadcast8(kFarChainPoint));
  }
}

/// The boxes of B in A's frame, or of A in B's.
inline void see_in_a(const ChainBoxes& b, const FloatAffine& a_from_b, ChainBoxes& seen) {
  for (int k = 0; k < 3; ++k) {
    const Float8 m0 = broadcast8(a_from_b.row[k][0]);
    const Float8 m1 = broadcast8(a_from_b.row[k][1]);
    const Float8 m2 = broadcast8(a_from_b.row[k][2]);
    store8(seen.center[k],
           fused(m0, load8(b.center[0]),
                 fused(m1, load8(b.center[1]),
                       fused(m2, load8(b.center[2]), broadcast8(a_from_b.row[k][3])))));
    store8(seen.half[k], fused(abs(m0), load8(b.half[0]),
                               fused(abs(m1), load8(b.half[1]), abs(m2) * load8(b.half[2]))));
  }
}
inline void see_in_b(const ChainBoxes& a, const FloatAffine& a_from_b, ChainBoxes& seen) {
  const Float8 c0 = load8(a.center[0]) - broadcast8(a_from_b.row[0][3]);
  const Float8 c1 = load8(a.center[1]) - broadcast8(a_from_b.row[1][3]);
  const Float8 c2 = load8(a.center[2]) - broadcast8(a_from_b.row[2][3]);
  for (int k = 0; k < 3; ++k) {
    const Float8 m0 = broadcast8(a_from_b.row[0][k]);
    const Float8 m1 = broadcast8(a_from_b.row[1][k]);
    const Float8 m2 = broadcast8(a_from_b.row[2][k]);
    store8(seen.center[k], fused(m0, c0, fused(m1, c1, m2 * c2)));
    store8(seen.half[k], fused(abs(m0), load8(a.half[0]),
                               fused(abs(m1), load8(a.half[1]), abs(m2) * load8(a.half[2]))));
  }
}

/// How eight boxes stand to one: the squared gaps, and where they overlap, by how much they do
/// along the direction where it is least (below zero).
struct BoxGaps {
  Float8 square;
  Float8 deepest;
};

/// In one frame.
inline BoxGaps gaps(const ChainBoxes& a, const ChainBoxes& b, std::uint32_t j) {
  BoxGaps g{broadcast8(0.0F), broadcast8(-1e30F)};
  for (int k = 0; k < 3; ++k) {
    const Float8 apart = abs(load8(a.center[k]) - broadcast8(b.center[k][j])) -
                         (load8(a.half[k]) + broadcast8(b.half[k][j]));
    const Float8 gap = max(apart, broadcast8(0.0F));
    g.square = fused(gap, gap, g.square);
    g.deepest = max(g.deepest, apart);
  }
  return g;
}

/// Squared gaps of eight boxes from box j of others, in the same frame.
inline Float8 square_gaps(const ChainBoxes& a, const ChainBoxes& b, std::uint32_t j) {
  Float8 square = broadcast8(0.0F);
  for (int k = 0; k < 3; ++k) {
    const Float8 apart = abs(load8(a.center[k]) - broadcast8(b.center[k][j])) -
                         (load8(a.half[k]) + broadcast8(b.half[k][j]));
    const Float8 gap = max(apart, broadcast8(0.0F));
    square = fused(gap, gap, square);
  }
  return square;
}

/// Squared gaps of eight points from box i of the same frame.
inline Float8 square_gaps(const ChainGroup& points, const ChainBoxes& boxes, std::uint32_t i) {
  Float8 square = broadcast8(0.0F);
  for (int k = 0; k < 3; ++k) {
    const Float8 apart = abs(load8(points.center[k]) - broadcast8(boxes.center[k][i])) -
                         broadcast8(boxes.half[k][i]);
    const Float8 gap = max(apart, broadcast8(0.0F));
    square = fused(gap, gap, square);
  }
  return square;
}

/// Squared distances of eight points from one.
inline Float8 square_distances(const ChainGroup& points, const ChainGroup& others,
                               std::uint32_t j) {
  Float8 square = broadcast8(0.0F);
  for (int k = 0; k < 3; ++k) {
    const Float8 apart = load8(points.center[k]) - broadcast8(others.center[k][j]);
    square = fused(apart, apart, square);
  }
  return square;
}

/// Squared gaps of eight boxes from one of the same frame.
inline Float8 square_gaps(const ChainBoxes& a, const ChainBox& b) {
  Float8 square = broadcast8(0.0F);
  for (int k = 0; k < 3; ++k) {
    const Float8 apart = abs(load8(a.center[k]) - broadcast8(b.center[k])) -
                         (load8(a.half[k]) + broadcast8(b.half[k]));
    const Float8 gap = max(apart, broadcast8(0.0F));
    square = fused(gap, gap, square);
  }
  return square;
}

/// In whichever of two frames the gap is larger.
inline BoxGaps gaps(const ChainBoxes& a, const ChainBoxes& b_in_a, const ChainBoxes& a_in_b,
                    const ChainBoxes& b, std::uint32_t j) {
  const BoxGaps in_a = gaps(a, b_in_a, j);
  const BoxGaps in_b = gaps(a_in_b, b, j);
  return {max(in_a.square, in_b.square), max(in_a.deepest, in_b.deepest)};
}

}  // namespace clearance::detail
