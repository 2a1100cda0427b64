// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <clearance/base/assert.h>
#include <clearance/mesh/ball_mesh.h>

namespace clearance {
namespace {

struct UnitBall {
  std::vector<Vec3> directions;
  std::vector<Face> faces;
};

UnitBall unit_ball(int times) {
  UnitBall ball{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
      {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int i = 0; i < times; ++i) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, is_new] = middles.try_emplace(
          std::minmax(a, b), static_cast<std::uint32_t>(ball.directions.size()));
      if (is_new) ball.directions.push_back(normalized(ball.directions[a] + ball.directions[b]));
      return at->second;
    };
    std::vector<Face> finer;
    for (const Face& f : ball.faces) {
      const std::uint32_t ab = middle(f[0], f[1]);
      const std::uint32_t bc = middle(f[1], f[2]);
      const std::uint32_t ca = middle(f[2], f[0]);
      for (const Face& face :
           {Face{f[0], ab, ca}, Face{ab, f[1], bc}, Face{ca, bc, f[2]}, Face{ab, bc, ca}})
        finer.push_back(face);
    }
    ball.faces = std::move(finer);
  }
  return ball;
}

}  // namespace

std::size_t ball_vertex_count(int times) {
  // By Euler: V = 2 + F / 2 for a closed surface of triangles.
  return 2 + (std::size_t{4} << (2 * std::clamp(times, 0, kFinestBall)));
}

Mesh ball_mesh(std::span<const Sphere> balls, int times) {
  const UnitBall unit = unit_ball(std::clamp(times, 0, kFinestBall));
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (const Sphere& ball : balls) {
    if (!(ball.radius > 0.0)) continue;
    const auto base = static_cast<std::uint32_t>(vertices.size());
    for (const Vec3& d : unit.directions) vertices.push_back(ball.center + ball.radius * d);
    for (const Face& f : unit.faces) faces.push_back({base + f[0], base + f[1], base + f[2]});
  }
  if (faces.empty()) return {};
  Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces));
  CLEARANCE_ASSERT(mesh.ok());
  return std::move(*mesh);
}

}  // namespace clearance
