// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of a wide chain as parts in the world.
#include "chain/wide_chain.h"

namespace clearance::detail {

ChainPart WideChain::whole(const Pose& world_from_link0) const {
  settle();
  const Tops all = tops();
  const double reach = (1.0 + kChainFloatError) * all.reach + skin_ +
                       kPlacedPoseError * norm(world_from_link0.translation);
  // Several highest nodes open as if there were a root above them, in the frame of the first.
  ChainPart part;
  part.last = link_count() - 1;
  part.level = all.count == 1 ? level_count() - 1 : level_count();
  part.world_from_part = world_from_link0 * inverse(levels_.back()[0].enter).pose();
  set_box(part, part.world_from_part, {}, {reach, reach, reach});
  return part;
}

ChainPart WideChain::child_part(const ChainPart& part, std::uint32_t slot,
                                const ChainPose& part_from_child) const {
  const std::uint32_t shift = kChainShift * part.level;
  ChainPart child;
  child.index = part.index * kChainWidth + slot;
  child.is_link = part.level == 0;
  child.level = child.is_link ? 0 : part.level - 1;
  child.first = child.index << shift;
  child.last = static_cast<std::uint32_t>(
      std::min<std::uint64_t>((std::uint64_t{child.index} + 1) << shift, link_count()) - 1);
  child.world_from_part = part.world_from_part * part_from_child.pose();
  return child;
}

void WideChain::open_tops(const ChainPart& part, std::vector<ChainPart>& out) const {
  const Tops all = tops();
  const double outward = skin_ + static_cast<double>(kChainFloatError) * all.reach +
                         kPlacedPoseError * norm(part.world_from_part.translation);
  for (std::uint32_t i = 0; i < all.count; ++i) {
    const ChainBox& box = levels_.back()[i].box;
    if (box.half[0] < 0.0F) continue;
    ChainPart child = child_part(part, i, all.pose[i]);
    Vec3 center;
    Vec3 half;
    for (std::size_t k = 0; k < 3; ++k) {
      center[k] = static_cast<double>(box.center[k]);
      half[k] = static_cast<double>(box.half[k]) + outward;
    }
    set_box(child, child.world_from_part, center, half);
    out.push_back(child);
  }
}

void WideChain::open(const ChainPart& part, std::vector<ChainPart>& out) const {
  if (part.level == level_count()) return open_tops(part, out);
  const ChainNode& node = levels_[part.level][part.index];
  const unsigned used = node.boxes.used();
  // Boxes are those of cores, in single precision.
  const double outward = skin_ + static_cast<double>(kChainFloatError * node.radius()) +
                         kPlacedPoseError * norm(part.world_from_part.translation);
  const Pose world_from_node = part.world_from_part;
  for (std::uint32_t slot = 0; slot < child_count(part.level, part.index); ++slot) {
    if ((used >> slot & 1U) == 0) continue;
    ChainPart child = child_part(part, slot, node.child[slot]);
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
