// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/bvh/bvh_volumes.h>
#include <clearance/mesh/generate.h>

namespace clearance {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

Mesh gripper() {
  GenerateOptions options;
  options.triangles = 4000;
  return generate("gripper", options)->flattened();
}

/// How far a point is outside of a volume.
double outside(const BvhVolume& volume, const Vec3& p) {
  const Vec3 u = inverse(volume.tree_from_box) * p;
  Vec3 beyond;
  for (std::size_t k = 0; k < 3; ++k)
    beyond[k] = std::max(0.0, std::abs(u[k]) - volume.half_size[k]);
  return norm(beyond) - volume.radius;
}

TEST(BvhVolumes, EveryLevelHoldsAllTrianglesAndTheDeepestIsTheLeaves) {
  const Mesh mesh = gripper();
  const double slack = 1e-6 * mesh.bounds().diagonal();
  for (const Volume kind : {Volume::Wide, Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere}) {
    BvhOptions options;
    options.volume = kind;
    const Bvh tree = Bvh::build(mesh.vertices(), mesh.faces(), options).value();
    const BvhStatistics statistics = tree.statistics();
    std::size_t last = 0;
    for (std::size_t depth = 0; depth < statistics.depth; ++depth) {
      const std::vector<BvhVolume> volumes = volumes_at(tree, depth, kAny);
      EXPECT_TRUE(depth == 0 ? volumes.size() == 1 : volumes.size() > last) << name_of(kind);
      last = volumes.size();
      for (const Face& face : mesh.faces()) {
        const bool held = std::ranges::any_of(volumes, [&](const BvhVolume& volume) {
          return std::ranges::all_of(
              face, [&](std::uint32_t v) { return outside(volume, mesh.vertices()[v]) <= slack; });
        });
        ASSERT_TRUE(held) << name_of(kind) << " at depth " << depth;
        // The deep levels have as many volumes as triangles: a few of these will do.
        if (depth > 4) break;
      }
    }
    EXPECT_EQ(last, statistics.leaf_count) << name_of(kind);
    EXPECT_TRUE(std::ranges::all_of(volumes_at(tree, statistics.depth, kAny),
                                    [](const BvhVolume& volume) { return volume.is_leaf; }));
  }
}

TEST(BvhVolumes, MoreThanAskedForAreNone) {
  const Mesh mesh = gripper();
  const Bvh tree = Bvh::build(mesh.vertices(), mesh.faces()).value();
  const std::size_t count = volumes_at(tree, 1, kAny).size();
  EXPECT_EQ(volumes_at(tree, 1, count).size(), count);
  EXPECT_TRUE(volumes_at(tree, 1, count - 1).empty());
}

}  // namespace
}  // namespace clearance
