// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Closed bodies for tests of solid queries, and contact of bodies without a tree.
#pragma once

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/inside.h>
#include <clearance/query/solid.h>

#include "support/brute_force.h"
#include "support/query_scenes.h"
#include "support/simple_meshes.h"

namespace clearance::test {

inline Model model_of(const Mesh& mesh, const BvhOptions& options = {}) {
  Result<Model> model = Model::build(mesh, options);
  EXPECT_TRUE(model.ok());
  return std::move(*model);
}

/// A closed lump of radius 0.6 to 1 times `size`.
inline Mesh lump(Random& random, int rings, double size, const Vec3& center = {}) {
  const Mesh ball = uv_sphere(1.0, rings);
  std::vector<Vec3> vertices;
  for (const Vec3& v : ball.vertices())
    vertices.push_back(center + random.uniform(0.6, 1.0) * size * v);
  return *Mesh::make(std::move(vertices), {ball.faces().begin(), ball.faces().end()});
}

/// One to three lumps in one mesh, apart from each other or not.
inline Mesh lumps(Random& random, int rings, double size) {
  std::vector<Mesh> bodies;
  const std::size_t count = 1 + random.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 center = i == 0 ? Vec3{} : 2.0 * size * scenes::in_ball(random);
    bodies.push_back(lump(random, rings, size * random.uniform(0.3, 1.0), center));
  }
  return together(bodies);
}

/// Contact of closed bodies that face outward: touching triangles, or any vertex inside the other.
inline bool brute_solid_collide(const Mesh& a, const Mesh& b, const Pose& a_from_b) {
  if (brute_collide({a.vertices(), a.faces()}, {b.vertices(), b.faces()}, a_from_b)) return true;
  const InsideTest in_a(a, Threads{1});
  const InsideTest in_b(b, Threads{1});
  for (const Vec3& v : b.vertices())
    if (in_a.side(a_from_b * v) == Side::Inside) return true;
  const Pose b_from_a = inverse(a_from_b);
  for (const Vec3& v : a.vertices())
    if (in_b.side(b_from_a * v) == Side::Inside) return true;
  return false;
}

}  // namespace clearance::test
