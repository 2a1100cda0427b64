// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include <clearance/base/assert.h>
#include <clearance/mesh/ball_mesh.h>

#include "text.h"

namespace clearance::cli {
namespace {

/// Squares along each side of a box, and rings along a capsule at most: colours change within them.
constexpr int kSquares = 8;
constexpr int kMostRings = 32;

struct Triangles {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<double> sizes;

  std::uint32_t add(const Vec3& p, double size) {
    vertices.push_back(p);
    sizes.push_back(size);
    return static_cast<std::uint32_t>(vertices.size() - 1);
  }
};

/// Two halves of a ball, and rings of squares between their rims.
void add_capsule(const Capsule& capsule, const Mesh& unit_ball, Triangles& out) {
  const Vec3 way = capsule.axis.b - capsule.axis.a;
  const double length = norm(way);
  const Mat3 turn = length > 0.0 ? upright(way) : Mat3::identity();
  const double r = capsule.radius;
  const std::span<const Vec3> directions = unit_ball.vertices();
  // Level 0 is at a, the last at b; corners of the rim are on all levels.
  const int rings =
      std::clamp(static_cast<int>(length / std::max(r, length / kMostRings)), 1, kMostRings);
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> known;
  const auto corner = [&](std::uint32_t i, int level) {
    const auto [at, is_new] = known.try_emplace({i, level}, 0);
    if (is_new) {
      const Vec3 middle = capsule.axis.a + (double(level) / rings) * way;
      at->second = out.add(middle + r * (turn * directions[i]), r);
    }
    return at->second;
  };
  for (const Face& face : unit_ball.faces()) {
    const bool upper = std::ranges::all_of(face, [&](auto i) { return directions[i].z >= 0.0; });
    const int level = upper ? rings : 0;
    out.faces.push_back({corner(face[0], level), corner(face[1], level), corner(face[2], level)});
    if (!upper) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = face[k];
      const std::uint32_t b = face[(k + 1) % 3];
      if (directions[a].z != 0.0 || directions[b].z != 0.0) continue;
      for (int ring = 0; ring < rings; ++ring) {
        out.faces.push_back({corner(a, ring), corner(b, ring), corner(b, ring + 1)});
        out.faces.push_back({corner(a, ring), corner(b, ring + 1), corner(a, ring + 1)});
      }
    }
  }
}

void add_box(const OrientedBox& box, Triangles& out) {
  const Vec3& half = box.half_size;
  const double size = std::min({half.x, half.y, half.z});
  std::map<std::array<int, 3>, std::uint32_t> known;
  const auto corner = [&](const std::array<int, 3>& at) {
    const auto [found, is_new] = known.try_emplace(at, 0);
    if (is_new) {
      Vec3 p;
      for (std::size_t k = 0; k < 3; ++k) p[k] = half[k] * (2.0 * at[k] / kSquares - 1.0);
      found->second = out.add(box.world_from_box * p, size);
    }
    return found->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const bool high : {false, true}) {
      for (int i = 0; i < kSquares; ++i) {
        for (int j = 0; j < kSquares; ++j) {
          const auto at = [&](int u, int v) {
            std::array<int, 3> place{};
            place[axis] = high ? kSquares : 0;
            place[(axis + 1) % 3] = i + u;
            place[(axis + 2) % 3] = j + v;
            return corner(place);
          };
          const std::array square{at(0, 0), at(1, 0), at(1, 1), at(0, 1)};
          const std::size_t b = high ? 1 : 3;
          const std::size_t d = high ? 3 : 1;
          out.faces.push_back({square[0], square[b], square[2]});
          out.faces.push_back({square[0], square[2], square[d]});
        }
      }
    }
  }
}

double size_of(const OrientedBox& box) {
  return std::min({box.half_size.x, box.half_size.y, box.half_size.z});
}

}  // namespace

Result<Mesh> link_mesh(const RobotLink& link, bool visual) {
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  for (const RobotShape& shape : visual ? link.visual : link.collision) {
    meshes.push_back(surface_of(shape));
    names.push_back("shape " + std::to_string(names.size()));
  }
  return merged(meshes, names);
}

Mat3 upright(const Vec3& direction) {
  const Vec3 z = normalized(direction);
  const Vec3 x = normalized(any_perpendicular(z));
  return Mat3::from_columns(x, cross(z, x), z);
}

PrimitiveSet placed(const PrimitiveSet& set, const Pose& pose) {
  PrimitiveSet out = set;
  for (Sphere& sphere : out.spheres) sphere.center = pose * sphere.center;
  for (Capsule& capsule : out.capsules)
    capsule.axis = {pose * capsule.axis.a, pose * capsule.axis.b};
  for (OrientedBox& box : out.boxes) box.world_from_box = pose * box.world_from_box;
  return out;
}

void append(const PrimitiveSet& more, PrimitiveSet& out) {
  out.spheres.insert(out.spheres.end(), more.spheres.begin(), more.spheres.end());
  out.capsules.insert(out.capsules.end(), more.capsules.begin(), more.capsules.end());
  out.boxes.insert(out.boxes.end(), more.boxes.begin(), more.boxes.end());
}

ShapeMesh shape_mesh(const PrimitiveSet& set, int times) {
  Triangles out;
  const Mesh balls = ball_mesh(set.spheres, times);
  out.vertices.assign(balls.vertices().begin(), balls.vertices().end());
  out.faces.assign(balls.faces().begin(), balls.faces().end());
  for (const Sphere& sphere : set.spheres)
    if (sphere.radius > 0.0)
      out.sizes.insert(out.sizes.end(), ball_vertex_count(times), sphere.radius);
  const Sphere unit{{}, 1.0};
  const Mesh unit_ball = ball_mesh(std::span(&unit, 1), std::max(times, 1));
  for (const Capsule& capsule : set.capsules) add_capsule(capsule, unit_ball, out);
  for (const OrientedBox& box : set.boxes) add_box(box, out);
  if (out.faces.empty()) return {};
  Result<Mesh> mesh = Mesh::make(std::move(out.vertices), std::move(out.faces));
  CLEARANCE_ASSERT(mesh.ok());
  return {std::move(*mesh), std::move(out.sizes)};
}

SizeRange sizes_of(const PrimitiveSet& set) {
  SizeRange range{std::numeric_limits<double>::infinity(), 0.0};
  const auto include = [&](double size) {
    range.least = std::min(range.least, size);
    range.most = std::max(range.most, size);
  };
  for (const Sphere& sphere : set.spheres) include(sphere.radius);
  for (const Capsule& capsule : set.capsules) include(capsule.radius);
  for (const OrientedBox& box : set.boxes) include(size_of(box));
  return range;
}

std::string words_of(std::size_t spheres, std::size_t capsules, std::size_t boxes) {
  std::string words;
  const auto say = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) words += (words.empty() ? "" : ", ") + count_of(count, one, many);
  };
  say(boxes, "box", "boxes");
  say(capsules, "capsule", "capsules");
  say(spheres, "sphere", "spheres");
  return words.empty() ? "nothing" : words;
}

}  // namespace clearance::cli
