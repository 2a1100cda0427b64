// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A coil of 2,000 beads is twisted at random, bead by bead, and never goes through itself.
#include <cmath>
#include <cstdio>

#include <clearance/base/random.h>
#include <clearance/chain/chain_tree.h>

using namespace clearance;

int main() {
  // Each bead is 2.2 ahead of the one before and turned a little: a coil.
  constexpr std::uint32_t kBeads = 2000;
  const Vec3 forward{1, 0, 0};
  const Pose step{rotation_about(normalized({0.1, 0, 1}), 0.25), 2.2 * forward};
  Chain chain;
  chain.links.assign(kBeads, LinkSpheres{{{0, 0, 0}, 1.0}});
  chain.joints.assign(kBeads - 1, step);

  Result<ChainTree> tree = ChainTree::build(chain);
  if (!tree) {
    std::puts(tree.error().message().c_str());
    return 1;
  }
  const ChainDistance start = tree->distance_self();
  std::printf("coil of %u beads: beads %u and %u are closest, %.3f apart\n", kBeads, start.pair.a,
              start.pair.b, start.distance);

  // Twist one joint after the other about its bond; take back what would touch.
  Random random(1);
  ChainMemory memory;
  std::vector<double> angles(chain.joints.size(), 0.0);
  int kept = 0;
  constexpr int kTwists = 10000;
  for (int i = 0; i < kTwists; ++i) {
    const auto joint = static_cast<std::uint32_t>(random.below(angles.size()));
    const double angle = angles[joint] + random.uniform(-0.3, 0.3);
    tree->change({{joint, turned(step, {}, forward, angle)}});
    if (tree->collide_changed(&memory).hit) {
      tree->reject();
    } else {
      tree->accept();
      angles[joint] = angle;
      ++kept;
    }
  }
  std::printf("%d of %d twists kept\n", kept, kTwists);

  // What came of it.
  const ChainDistance end = tree->distance_self();
  std::printf("beads %u and %u are closest, %.3f apart\n", end.pair.a, end.pair.b, end.distance);
  int near = 0;
  tree->pairs_within(0.5, [&](std::uint32_t, std::uint32_t, double) { ++near; });
  std::printf("%d pairs are closer than 0.5\n", near);
  const Pose last = tree->relative(0, kBeads - 1);
  std::printf("from end to end: %.1f\n", norm(last.translation));

  const bool free = start.distance > 0.0 && end.distance > 0.0 && !tree->collide_self().hit;
  return free && kept > 0 && kept < kTwists ? 0 : 1;
}
