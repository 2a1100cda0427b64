// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two chains: do they touch, which links, how far apart? Two snakes in one pipe, two strands of a
// cable, two chains of a protein. Both trees are descended together.
//
// a_from_b is the pose of B's link 0 in the frame of A's link 0. Answers are those of brute force
// over all pairs of one link of each, held to what chain_tree.h promises: never a false "free"; a
// gap below kChainContactError of the extent of the scene, for each link of both chains, may be
// called contact. Neighbours and ignored pairs are matters within one chain and mean nothing here.
// A pose that is not finite, not rigid or too far away is answered as contact of no links.
#pragma once

#include <limits>
#include <vector>

#include <clearance/chain/chain_tree.h>
#include <clearance/geometry/pose.h>

namespace clearance {

/// Does a link of A touch one of B? pair.a is a link of A, pair.b one of B.
[[nodiscard]] ChainCollision collide(const ChainTree& a, const ChainTree& b, const Pose& a_from_b);

/// All pairs that touch, sorted.
[[nodiscard]] std::vector<LinkPair> contacts(const ChainTree& a, const ChainTree& b,
                                             const Pose& a_from_b);

/// The closest pair, the lowest of equally close ones. Infinity when there is none, or none below
/// upper_bound.
[[nodiscard]] ChainDistance distance(const ChainTree& a, const ChainTree& b, const Pose& a_from_b,
                                     double upper_bound = std::numeric_limits<double>::infinity());

}  // namespace clearance
