// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How deep the parts of a pile overlap, on their meshes.
#include <algorithm>
#include <tuple>

#include <clearance/grasp/pile.h>
#include <clearance/query/scene.h>
#include <clearance/query/solid.h>

namespace clearance {

std::vector<PileOverlap> overlaps_of(const Model& part, const Pile& pile, Threads threads) {
  Scene scene;
  for (const Pose& world_from_part : pile.parts) scene.add(part, world_from_part);
  const ScenePairs touching = collisions(scene, {.threads = threads});
  std::vector<PileOverlap> found(touching.pairs.size());
  parallel_for(threads, found.size(), [&](std::size_t i) {
    const ScenePair& pair = touching.pairs[i];
    const Penetration depth =
        penetration(part, part, relative(pile.parts[pair.a], pile.parts[pair.b]));
    found[i] = {pair.a, pair.b, depth.lower, depth.upper};
  });
  std::sort(found.begin(), found.end(), [](const PileOverlap& a, const PileOverlap& b) {
    return std::tuple(-a.upper, a.a, a.b) < std::tuple(-b.upper, b.a, b.b);
  });
  return found;
}

}  // namespace clearance
