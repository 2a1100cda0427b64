// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of any chain tree, without a look at its nodes: the whole, which opens into the links.
// Right for every tree, and as slow as brute force over the links.
#include "chain/chain_part.h"

#include "chain/chain_state.h"
#include "chain/link_pair.h"

namespace clearance {

detail::ChainPart ChainTree::State::whole(const Pose& world_from_link0) const {
  std::vector<detail::ChainPart> links;
  detail::ChainPart part;
  part.last = static_cast<std::uint32_t>(chain.links.size() - 1);
  part.world_from_part = world_from_link0;
  open(part, links);
  Box all;
  for (const detail::ChainPart& link : links) all.include(link.bounds);
  if (all.empty()) all.include(world_from_link0.translation);
  detail::set_box(part, Pose::identity(), all.center(), 0.5 * all.size());
  return part;
}

void ChainTree::State::open(const detail::ChainPart& part,
                            std::vector<detail::ChainPart>& out) const {
  const std::vector<Pose> all = poses();
  for (std::uint32_t i = part.first; i <= part.last; ++i) {
    const Box own = detail::bounds_of(chain.links[i]);
    if (own.empty()) continue;
    detail::ChainPart link;
    link.first = link.last = link.index = i;
    link.is_link = true;
    link.world_from_part = part.world_from_part * all[i];
    const Vec3 shift = abs(link.world_from_part.translation);
    const double off =
        detail::kPlacedPoseError * (largest_component(shift) + detail::reach_of(own));
    detail::set_box(link, link.world_from_part, own.center(),
                    0.5 * own.size() + Vec3{off, off, off});
    out.push_back(link);
  }
}

}  // namespace clearance
