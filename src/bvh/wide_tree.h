// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The wide tree: every node has up to eight children whose boxes share the orientation of the node,
// so that one relative rotation serves all sixty-four pairs of children of two nodes, eight pairs
// an instruction. A leaf has up to eight triangles, kept in its own frame in single precision.
//
// Frames. `model` is the frame of the vertices less WideTree::center. A node's frame has its origin
// at `origin` and its axes as the rows of `axes`: u = axes * (p_model - origin). The axes are
// floats, hence a rotation only to about 1e-7; the frame is defined by exactly these floats, and
// what the query loses by treating it as a rotation is part of its error bound (kFloatError).
//
// Guarantee: for every triangle below a child, each corner's exact u satisfies
// |u[k] - center[k]| <= half[k]. The same for the node's own box |u[k]| <= half_size[k].
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <clearance/bvh/bvh.h>

#include "bvh/binary_tree.h"

namespace clearance::detail {

inline constexpr std::size_t kWidth = 8;
/// Marks a child as a leaf; the rest of the number is its index.
inline constexpr std::uint32_t kLeafBit = 0x80000000U;
inline constexpr std::uint32_t kNoChild = 0xffffffffU;
/// Half size of an empty slot: any distance to it is huge.
inline constexpr float kEmptyHalf = -1e18F;
/// Bound of all relative errors of bounds computed in single precision, as a fraction of the extent
/// of a pair of nodes (distance of their origins plus both radii). Rounding of the axes (2^-23 each
/// entry, hence 4e-7 in a matrix product and its inverse), of the relative pose (2^-23) and of the
/// dozen operations of a bound (12 * 2^-24) add up to 2e-6; the rest is reserve.
inline constexpr float kFloatError = 4e-6F;
/// Squares of lengths below this vanish in single precision [m]: what a bound adds to its margin
/// where that would make it too large.
inline constexpr float kVanishingLength = 1e-18F;

/// What nodes and leaves have in common: a frame and a box around everything below.
struct WideFrame {
  float axes[3][3];    // rows: the unit axes, in model coordinates
  float origin[3];     // model coordinates
  float half_size[3];  // own box, centred at the origin
  float radius;        // at least |u| of every point below
};

/// A lid without sheets.
inline constexpr std::uint32_t kNoLid = 3;

/// Two curved sheets around the corners of all triangles below a node, where these follow a smooth
/// surface. With w the coordinate along `axis` of the frame, u and v those along the next two,
/// turned by an angle of which `turn` is the tangent of one half:
///   low <= w - (slope[0] u + slope[1] v + (curve[0] u² + curve[1] v²) / 2) <= high
struct WideLid {
  float slope[2];
  float curve[2];
  float turn;
  float low;
  float high;
  std::uint32_t axis;  // kNoLid where there are no sheets; the rest is zero then
};

/// Cosine and sine of the angle of a lid.
struct LidTurn {
  float cosine, sine;
  explicit LidTurn(float turn) {
    const float scale = 1.0F / (1.0F + turn * turn);
    cosine = (1.0F - turn * turn) * scale;
    sine = 2.0F * turn * scale;
  }
};

struct alignas(32) WideNode {
  float center[3][kWidth];
  float half[3][kWidth];
  std::uint32_t child[kWidth];  // node index, leaf index | kLeafBit, or kNoChild
  WideFrame frame;
  WideLid lid;
};

struct alignas(32) WideLeaf {
  float corner[9][kWidth];         // ax ay az bx by bz cx cy cz, in the leaf's frame, rounded
  std::uint32_t triangle[kWidth];  // kNoChild in the unused slots (their corners repeat the first)
  WideFrame frame;
};

struct WideTree {
  Vec3 center;          // origin of the model frame, in vertex coordinates
  double radius = 0.0;  // largest distance of a vertex from the center, about
  std::uint32_t root = kNoChild;
  std::span<const WideNode> nodes;
  std::span<const WideLeaf> leaves;
  std::shared_ptr<const void> owner;  // of the memory behind the two spans

  [[nodiscard]] const WideFrame& frame(std::uint32_t ref) const {
    return (ref & kLeafBit) != 0 ? leaves[ref & ~kLeafBit].frame : nodes[ref].frame;
  }
};

/// `bounds` are those of the triangles.
std::shared_ptr<const WideTree> build_wide_tree(std::span<const Vec3> vertices, Faces faces,
                                                const Box& bounds, Threads threads);
/// The same tree over the same triangles in a quarter of the time, with larger boxes.
std::shared_ptr<const WideTree> build_wide_tree_quickly(std::span<const Vec3> vertices, Faces faces,
                                                        const Box& bounds, Threads threads);
BvhStatistics statistics_of(const WideTree& tree);

}  // namespace clearance::detail
