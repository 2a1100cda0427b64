// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of a wide chain as parts in the world.
#include "chain/wide_chain.h"

namespace clearance::detail {

ChainPart WideChain::whole(const Pose& world_from_link0) const {
  settle();
  const double reach = (1.0 + kChainFloatError) * static_cast<double>(levels_.back()[0].radius) +
                       skin_ + kPlacedPoseError * norm(world_from_link0.translation);
  ChainPart part;
  part.last = link_count() - 1;
  part.level = level_count() - 1;
  // The frame of a node is turned against that of its first link.
  part.world_from_part = world_from_link0 * inverse(levels_[0][0].child[0]).pose();
  set_box(part, part.world_from_part, {}, {reach, reach, reach});
  return part;
}

void WideChain::open(const ChainPart& part, std::vector<ChainPart>& out) const {
  const ChainNode& node = levels_[part.level][part.index];
  const unsigned used = node.boxes.used();
  // Boxes are those of cores, in single precision.
  const double outward = skin_ + static_cast<double>(kChainFloatError * node.radius) +
                         kPlacedPoseError * norm(part.world_from_part.translation);
  const std::uint32_t shift = kChainShift * part.level;
  const Pose world_from_node = part.world_from_part;
  for (std::uint32_t slot = 0; slot < child_count(part.level, part.index); ++slot) {
    if ((used >> slot & 1U) == 0) continue;
    ChainPart child;
    child.index = part.index * kChainWidth + slot;
    child.is_link = part.level == 0;
    child.level = child.is_link ? 0 : part.level - 1;
    child.first = child.index << shift;
    child.last = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((std::uint64_t{child.index} + 1) << shift, link_count()) - 1);
    child.world_from_part = world_from_node * node.child[slot].pose();
    Vec3 center;
    Vec3 half;
    for (std::size_t k = 0; k < 3; ++k) {
      center[k] = static_cast<double>(node.boxes.center[k][slot]);
      half[k] = static_cast<double>(node.boxes.half[k][slot]) + outward;
    }
    set_box(child, world_from_node, center, half);
    out.push_back(child);
  }
}

}  // namespace clearance::detail
