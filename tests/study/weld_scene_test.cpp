// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/weld_scene.h"

#include <gtest/gtest.h>

#include <clearance/check/cell_checker.h>
#include <clearance/mesh/generate.h>
#include <clearance/simplify/representations.h>

#include "sphere_simplification/weld_checks.h"

namespace clearance::study {
namespace {

/// The arm of ours: no files needed.
WeldScene quick_scene() {
  WeldProgramOptions options;
  options.quick = true;
  return weld_scene(options).value();
}

TEST(WeldScene, FollowsThePipesWithoutLeaps) {
  const WeldScene scene = quick_scene();
  EXPECT_EQ(scene.configurations.size(), kPaperChecks / 20);
  const Pose* last = nullptr;
  Pose tip;
  for (const std::vector<double>& values : scene.configurations) {
    ASSERT_TRUE(scene.robot.check(values).ok());
    const Pose now = scene.robot.link_poses(values)[scene.torch_link] * torch_tip();
    // The end of the wire stays near the section; from check to check it goes some millimetres, but
    // for the two times that it goes to the next pipe.
    EXPECT_LT(distance(now.translation, scene.section.bounds().center()), 0.3);
    if (last != nullptr) {
      EXPECT_LT(distance(now.translation, last->translation), 0.3);
    }
    tip = now;
    last = &tip;
  }
}

TEST(WeldScene, TouchesTheSectionInSomeOfItsConfigurations) {
  const WeldScene scene = quick_scene();
  const ReadyCell cell = weld_cell(scene, scene.section).value();
  for (const auto& [a, b] : cell.matrix.tested) EXPECT_EQ(b, cell.bodies.size() - 1) << a;
  CellChecker checker(cell);
  std::size_t hits = 0;
  for (const std::vector<double>& values : scene.configurations)
    hits += checker.collides(values) ? 1 : 0;
  EXPECT_GT(hits, scene.configurations.size() / 20);
  EXPECT_LT(hits, scene.configurations.size() / 2);
}

TEST(SphereCheck, MissesNoCollisionWithSpheresThatCover) {
  const WeldScene scene = quick_scene();
  const ReadyCell cell = weld_cell(scene, scene.section).value();
  const Model section = Model::build(scene.section).value();
  const std::vector<Sphere> spheres = octree_spheres(section, 0.01).value();
  CellChecker exact(cell);
  SphereCheck on_spheres(cell, SphereTree::build(spheres).value());
  std::size_t invented = 0;
  for (const std::vector<double>& values : scene.configurations) {
    const bool hit = exact.collides(values);
    const bool by_spheres = on_spheres.collides(values);
    ASSERT_TRUE(by_spheres || !hit);
    invented += by_spheres && !hit ? 1 : 0;
  }
  EXPECT_GT(invented, 0U);
}

}  // namespace
}  // namespace clearance::study
