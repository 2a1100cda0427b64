// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a chain is: rigid links, one after the other, joined by rigid motions that may change. A
// snake robot, a cable, the backbone of a protein. ChainTree (chain_tree.h) keeps one up to date
// and answers questions about it.
//
// Link i has its own frame. Joint i sits between link i and link i + 1 and is the pose of link
// i + 1 in the frame of link i: p_i = joints[i] * p_next. There is no base: a chain floats, and
// only relative poses matter; link 0 is the frame in which whole chains come in and go out.
//
// Lengths are in one unit throughout, the caller's: metres for robots; proteins use ångström, the
// unit of their files (1e-10 m), so that no number is near the end of its range.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/query.h>
#include <clearance/query/shapes.h>

namespace clearance {

/// A group of spheres that moves as one: an atom, an atom with its side chain, a link of a cable.
using LinkSpheres = std::vector<Sphere>;

/// What a link is made of, in its own frame. An empty group of spheres is a link without a body.
/// A Bvh (a wide one) is the surface of a mesh; the others are solid.
using LinkShape = std::variant<LinkSpheres, Capsule, ConvexBody, Bvh>;

struct LinkPair {
  std::uint32_t a = kNoTriangle;  ///< a < b, except between two chains
  std::uint32_t b = kNoTriangle;
  // The check takes the zero that comparisons are rewritten with for a pointer.
  auto operator<=>(const LinkPair&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Chain {
  std::vector<LinkShape> links;
  std::vector<Pose> joints;  ///< links.size() - 1 of them
  /// Links i and j are never tested against each other when |i - j| <= neighbours: next to each
  /// other they touch by construction.
  std::uint32_t neighbours = 1;
  /// Further pairs that are never tested: a disulfide bridge, parts that are bolted together.
  std::vector<LinkPair> ignored;
};

/// An error that names the link or joint: no link; a number of joints that is not one less; a shape
/// or a pose with numbers that are not finite; a negative radius; a pose that is not rigid
/// (pose.h); a tree that is not wide; a coordinate beyond kLargestTranslation (query.h); an ignored
/// pair out of range.
[[nodiscard]] Status check(const Chain& chain);

/// Poses of all links in the frame of link 0, one after the other. Cost: N products.
[[nodiscard]] std::vector<Pose> link_poses(std::span<const Pose> joints);

/// A joint after a change.
struct JointChange {
  std::uint32_t joint = 0;
  Pose pose;  ///< the new joints[joint]
};

/// The joint turned by `angle` [rad], right-handed, about an axis given in the frame of link i (the
/// one before the joint): rotates everything behind the joint.
[[nodiscard]] Pose turned(const Pose& joint, const Vec3& point, const Vec3& unit_axis,
                          double angle);

}  // namespace clearance
