// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Seeded random scenes for queries: two small triangle sets and a pose, of kinds that look for
// trouble. Drawn so that over a few hundred seeds of any one kind 30 to 70 % of the scenes touch;
// HitCounter checks that in the test itself.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

#include "support/brute_force.h"

namespace clearance::test {

/// A triangle set that owns its arrays.
struct TriangleSet {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> faces;

  void add(const Triangle& t) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), {t.a, t.b, t.c});
    faces.push_back({first, first + 1, first + 2});
  }
  [[nodiscard]] Triangle triangle(std::size_t i) const {
    return {vertices[faces[i][0]], vertices[faces[i][1]], vertices[faces[i][2]]};
  }
  [[nodiscard]] TriangleSpan span() const { return {vertices, faces}; }
};

enum class SceneKind : std::uint8_t {
  Soup,        ///< triangles of one size anywhere
  Surface,     ///< a closed bumpy surface with shared vertices
  Mixed,       ///< huge thin triangles beside tiny ones, as in CAD
  Needles,     ///< triangles 1e-3 to 1e-12 as thin as they are long, some without area
  Points,      ///< triangles that are points or segments
  Lattice,     ///< corners on a coarse lattice, quarter turns: parallel, coplanar, touching, ties
  Duplicates,  ///< every triangle several times, in any order
  Identical,   ///< one triangle over and over
  Smooth,      ///< an open, gently curved surface on a grid: nodes have lids
};
inline constexpr std::array kSceneKinds{
    SceneKind::Soup,       SceneKind::Surface,   SceneKind::Mixed,
    SceneKind::Needles,    SceneKind::Points,    SceneKind::Lattice,
    SceneKind::Duplicates, SceneKind::Identical, SceneKind::Smooth};

inline const char* name_of(SceneKind kind) {
  constexpr std::array kNames{"Soup",    "Surface",    "Mixed",     "Needles", "Points",
                              "Lattice", "Duplicates", "Identical", "Smooth"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Where and how large a scene is.
struct ScenePlacement {
  /// Length unit of the scene [m], drawn as 10^u from here.
  double least_exponent = 0.0;
  double greatest_exponent = 0.0;
  /// Largest distance of each set from the origin of its frame, in units of its size.
  double far = 0.0;
};
inline constexpr ScenePlacement kHere{};
inline constexpr ScenePlacement kAnyScale{-9.0, 9.0, 0.0};
inline constexpr ScenePlacement kFarAway{-3.0, 3.0, 1e5};

struct QueryScene {
  TriangleSet a, b;
  Pose a_from_b;
};

namespace scenes {

inline Vec3 direction(Random& random) {
  Vec3 v;
  do {
    v = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
  } while (norm(v) < 0.1 || norm(v) > 1.0);
  return v / norm(v);
}
inline Vec3 in_ball(Random& random) {
  const Vec3 d = direction(random);
  return std::cbrt(random.uniform()) * d;
}
inline Mat3 rotation(Random& random) {
  const Vec3 axis = direction(random);
  return rotation_about(axis, random.uniform(-3.2, 3.2));
}
/// The corner of a lattice of spacing 1/2 in [-1, 1]³.
inline Vec3 lattice_point(Random& random) {
  const auto step = [&] { return 0.5 * (static_cast<double>(random.below(5)) - 2.0); };
  const double x = step();
  const double y = step();
  return {x, y, step()};
}

/// A sphere of latitude rings, each vertex pushed in or out; `count` is met roughly.
inline TriangleSet bumpy_surface(Random& random, std::size_t count) {
  constexpr double kPi = 3.14159265358979323846;
  const auto rings = static_cast<std::uint32_t>(
      std::max(2.0, std::round(std::sqrt(static_cast<double>(count) / 4.0))));
  const std::uint32_t around = 2 * rings;
  TriangleSet set;
  for (std::uint32_t i = 0; i <= rings; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      const double theta = kPi * i / rings;
      const double phi = 2.0 * kPi * j / around;
      const double radius = random.uniform(0.6, 1.0);
      set.vertices.push_back(radius * Vec3{std::sin(theta) * std::cos(phi),
                                           std::sin(theta) * std::sin(phi), std::cos(theta)});
    }
  }
  for (std::uint32_t i = 0; i < rings; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      const std::uint32_t next = (j + 1) % around;
      const std::uint32_t p = i * around + j;
      const std::uint32_t q = i * around + next;
      set.faces.push_back({p, p + around, q});
      set.faces.push_back({q, p + around, q + around});
    }
  }
  return set;
}

/// A polynomial of the third degree over a square, a little uneven in half of the cases.
inline TriangleSet smooth_surface(Random& random, std::size_t count) {
  const auto n = static_cast<std::uint32_t>(
      std::max(1.0, std::round(std::sqrt(static_cast<double>(count) / 2.0))));
  const auto factor = [&](double size) { return random.uniform(-size, size); };
  const Vec3 square{factor(1.5), factor(1.5), factor(1.5)};
  const Vec3 cube{factor(0.2), factor(0.2), factor(0.2)};
  const double uneven = random.below(2) == 0 ? 0.0 : std::pow(10.0, random.uniform(-7.0, -3.0));
  TriangleSet set;
  for (std::uint32_t i = 0; i <= n; ++i) {
    for (std::uint32_t j = 0; j <= n; ++j) {
      const double x = 1.4 * i / n - 0.7;
      const double y = 1.4 * j / n - 0.7;
      const double z = 0.5 * (square.x * x * x + square.y * y * y) + square.z * x * y +
                       cube.x * x * x * x + cube.y * y * y * y + cube.z * x * x * y;
      set.vertices.push_back({x, y, z + factor(uneven)});
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t p = i * (n + 1) + j;
      const std::uint32_t q = p + n + 1;
      set.faces.push_back({p, q, q + 1});
      set.faces.push_back({p, q + 1, p + 1});
    }
  }
  return set;
}

/// A set of about `count` triangles of size 1 about the origin.
inline TriangleSet triangle_set(Random& random, SceneKind kind, std::size_t count) {
  TriangleSet set;
  switch (kind) {
    case SceneKind::Soup:
      for (std::size_t i = 0; i < count; ++i) {
        const Vec3 center = in_ball(random);
        const Vec3 p = center + 0.3 * in_ball(random);
        const Vec3 q = center + 0.3 * in_ball(random);
        set.add({p, q, center + 0.3 * in_ball(random)});
      }
      break;
    case SceneKind::Surface:
      set = bumpy_surface(random, count);
      break;
    case SceneKind::Mixed:
      for (std::size_t i = 0; i < count; ++i) {
        const bool large = random.below(4) == 0;
        const double size = large ? 1.0 : std::pow(10.0, random.uniform(-4.0, -1.0));
        const Vec3 center = large ? Vec3{} : in_ball(random);
        const Vec3 p = center + size * in_ball(random);
        const Vec3 q = center + size * in_ball(random);
        // Large ones are thin, as the sides of a long plate are.
        const Vec3 r = large ? p + random.uniform(0.01, 0.1) * in_ball(random)
                             : center + size * in_ball(random);
        set.add({p, q, r});
      }
      break;
    case SceneKind::Needles:
      for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p = in_ball(random);
        const Vec3 q = in_ball(random);
        const double thickness =
            random.below(8) == 0 ? 0.0 : std::pow(10.0, random.uniform(-12.0, -3.0));
        const Vec3 r = p + random.uniform() * (q - p) + thickness * in_ball(random);
        set.add({p, q, r});
      }
      break;
    case SceneKind::Points:
      for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p = in_ball(random);
        const Vec3 q = random.below(2) == 0 ? p : in_ball(random);
        set.add({p, q, random.below(2) == 0 ? p : q});
      }
      break;
    case SceneKind::Lattice:
      for (std::size_t i = 0; i < count; ++i) {
        const Vec3 p = lattice_point(random);
        const Vec3 q = lattice_point(random);
        set.add({p, q, lattice_point(random)});
      }
      break;
    case SceneKind::Duplicates: {
      const TriangleSet once =
          triangle_set(random, SceneKind::Soup, std::max<std::size_t>(1, count / 4));
      for (std::size_t i = 0; i < count; ++i) {
        set.add(once.triangle(random.below(once.faces.size())));
      }
      break;
    }
    case SceneKind::Identical: {
      const Vec3 p = in_ball(random);
      const Vec3 q = in_ball(random);
      const Triangle t{p, q, in_ball(random)};
      for (std::size_t i = 0; i < count; ++i) set.add(t);
      break;
    }
    case SceneKind::Smooth:
      set = smooth_surface(random, count);
      break;
  }
  return set;
}

inline Vec3 point_on(Random& random, const TriangleSet& set) {
  const Triangle t = set.triangle(random.below(set.faces.size()));
  const double u = random.uniform();
  const double v = random.uniform() * (1.0 - u);
  return t.a + u * (t.b - t.a) + v * (t.c - t.a);
}

/// Scale and place of a set in its own frame.
inline void place(Random& random, TriangleSet& set, double scale, double far) {
  const Vec3 offset =
      far > 0.0 ? std::pow(10.0, random.uniform(0.0, std::log10(far))) * direction(random) : Vec3{};
  for (Vec3& p : set.vertices) p = scale * (p + offset);
}

/// How far B must go along a direction to leave a gap to A.
inline double parting(const QueryScene& scene, const Vec3& along, double gap) {
  double high_a = -std::numeric_limits<double>::infinity();
  double low_b = std::numeric_limits<double>::infinity();
  for (const Vec3& p : scene.a.vertices) high_a = std::max(high_a, dot(along, p));
  for (const Vec3& p : scene.b.vertices) low_b = std::min(low_b, dot(along, scene.a_from_b * p));
  return high_a - low_b + gap;
}

}  // namespace scenes

/// A scene of about `triangles` triangles on each side. One point of each set is brought together
/// (on a lattice, corners meet corners). In about half of the scenes B is then moved away until a
/// plane fits between, with a gap of 1e-6 to 3 sizes; in some it is moved by as much, and may touch
/// elsewhere.
inline QueryScene random_scene(Random& random, SceneKind kind, std::size_t triangles,
                               const ScenePlacement& placement = kHere) {
  QueryScene scene;
  scene.a = scenes::triangle_set(random, kind, triangles);
  // Against points and segments, which touch next to nothing, B is a surface.
  scene.b = scenes::triangle_set(
      random, kind == SceneKind::Points && random.below(2) == 0 ? SceneKind::Surface : kind,
      triangles);
  double scale =
      std::pow(10.0, random.uniform(placement.least_exponent, placement.greatest_exponent));
  // A power of two keeps a lattice exact, so that corners and faces meet to the last bit.
  if (kind == SceneKind::Lattice) scale = std::exp2(std::round(std::log2(scale)));
  scenes::place(random, scene.a, scale, placement.far);
  scenes::place(random, scene.b, scale, placement.far);

  Mat3 rotation = scenes::rotation(random);
  const bool exact = kind == SceneKind::Lattice && placement.far == 0.0;
  if (exact) {
    constexpr std::array<Vec3, 3> kAxes{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
    const std::size_t turn = random.below(3);
    rotation = Mat3::from_columns(kAxes[turn], kAxes[(turn + 1) % 3], kAxes[(turn + 2) % 3]);
  }
  const Vec3 on_a = scenes::point_on(random, scene.a);
  const Vec3 on_b = scenes::point_on(random, scene.b);
  const Vec3 away = scenes::direction(random);
  const double gap = scale * std::pow(10.0, random.uniform(-6.0, 0.5));
  scene.a_from_b = {rotation, on_a - rotation * on_b};
  if (exact) scene.a_from_b.translation = scale * scenes::lattice_point(random);
  switch (random.below(16)) {
    case 0:
    case 1:
      scene.a_from_b.translation += gap * away;
      break;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      scene.a_from_b.translation += scenes::parting(scene, away, gap) * away;
      break;
    default:
      break;
  }
  return scene;
}

/// Counts hits and misses, to show that a sample is not one-sided.
struct HitCounter {
  std::size_t hits = 0;
  std::size_t misses = 0;
  void count(bool hit) { ++(hit ? hits : misses); }
  [[nodiscard]] double fraction() const {
    return static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

}  // namespace clearance::test
