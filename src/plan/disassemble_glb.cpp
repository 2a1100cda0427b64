// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A disassembly as an animated binary glTF: a node for each part, one step after the other.
#include <clearance/plan/disassemble.h>

#include "plan/animated_glb.h"
#include "plan/path_keys.h"

namespace clearance {

Status write_disassembly_glb(const std::string& path, std::span<const DisassemblyPart> parts,
                             const Disassembly& disassembly, double seconds_per_step) {
  using Material = detail::AnimatedGlb::Material;
  // The steps each part takes: a group's first, then its own out of the group.
  std::vector<std::vector<std::size_t>> steps(parts.size());
  for (std::size_t i = 0; i < disassembly.steps.size(); ++i) {
    for (const std::size_t part : disassembly.steps[i].parts) steps[part].push_back(i);
  }
  detail::AnimatedGlb glb(path);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    // The pivot of the last step: where it turns, keyframes about it are the path itself.
    const Vec3 origin = steps[i].empty() ? parts[i].mesh.bounds().center()
                                         : disassembly.steps[steps[i].back()].path.pivot;
    const Result<std::size_t> node =
        glb.add(parts[i].name, parts[i].mesh, origin,
                steps[i].empty() ? Material::Standing : Material::Moving);
    if (!node) return node.error();
    std::vector<detail::GlbKey> keys;
    Pose moved;  // by the steps before
    for (const std::size_t number : steps[i]) {
      const PlanPath& way = disassembly.steps[number].path;
      const double radius = gyration_radius(parts[i].mesh, way.pivot);
      for (const detail::PathKey& key : detail::path_keys(way, radius, detail::kWidestTurn)) {
        const Pose pose = moved * key.world_from_body;
        const Quaternion turn = quaternion_from(pose.rotation);
        const bool same = steps[i].size() == 1;  // keys of one path keep their signs
        keys.push_back({seconds_per_step * (static_cast<double>(number) + key.at), pose * origin,
                        same ? key.turn : turn});
      }
      moved = moved * way.poses.back();
    }
    if (!keys.empty()) glb.animate(*node, keys);
  }
  return glb.save("disassembly");
}

}  // namespace clearance
