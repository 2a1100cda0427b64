// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/contour_scenes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include <clearance/contour/segment_distance.h>

#include "support/simple_meshes.h"

namespace clearance::test {
namespace {

Mesh made(std::vector<Vec3> vertices, std::vector<Face> faces) {
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Vec3 random_direction(Random& random) {
  return normalized(Vec3{random.normal(), random.normal(), random.normal()});
}

ContourSegment segment_between(const ContourNode& a, const ContourNode& b) {
  return make_segment(a, b).value();
}

// A plane of 2 n² triangles over [-1, 1]², all alike.
Mesh tiled_plane(int n) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) vertices.push_back({2.0 * i / n - 1.0, 2.0 * j / n - 1.0, 0.0});
  }
  const auto at = [n](int i, int j) { return static_cast<std::uint32_t>(j * (n + 1) + i); };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return made(std::move(vertices), std::move(faces));
}

// Triangles of all sizes, with every kind of degeneration, each some times over.
Mesh broken_soup(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::pow(10.0, random.uniform(-4.0, 0.3));
    const Vec3 at{random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0)};
    const Vec3 b = at + size * random_direction(random);
    Vec3 c = at + size * random_direction(random);
    switch (random.below(6)) {
      case 0:
        c = at + 0.3 * (b - at);  // a line
        break;
      case 1:
        c = b + 1e-9 * size * random_direction(random);  // a needle
        break;
      default:
        break;
    }
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), {at, b, c});
    faces.push_back({first, first + 1, first + 2});
    if (random.below(8) == 0) faces.push_back({first + 1, first + 2, first});
    if (random.below(16) == 0) faces.push_back({first, first, first});  // a point
  }
  return made(std::move(vertices), std::move(faces));
}

// A sphere with waves on it, open at the poles' needles as uv_sphere() makes them.
Mesh wavy_shell(int rings) {
  const Mesh sphere = uv_sphere(1.0, rings);
  std::vector<Vec3> vertices(sphere.vertices().begin(), sphere.vertices().end());
  for (Vec3& v : vertices)
    v *= 1.0 + 0.05 * std::sin(7.0 * v.x + 1.0) * std::cos(9.0 * v.y) + 0.02 * std::sin(23.0 * v.z);
  return made(std::move(vertices), {sphere.faces().begin(), sphere.faces().end()});
}

std::vector<ContourSegment> random_segments(std::uint64_t seed, std::size_t count, double spread) {
  Random random(seed);
  std::vector<ContourSegment> segments;
  for (std::size_t i = 0; i < count; ++i) {
    const Pose pose{rotation_about(random_direction(random), random.uniform(0.0, 3.0)),
                    spread * random_direction(random)};
    segments.push_back(pose * random_contour_segment(random));
  }
  return segments;
}

ProbeScene moved_scene(std::string name, const Pose& pose, const ProbeScene& scene) {
  return {std::move(name), transformed(scene.mesh, pose), moved(pose, scene.segments)};
}

ProbeScene scaled_scene(std::string name, double factor, const ProbeScene& scene) {
  ProbeScene result{std::move(name), scaled(scene.mesh, {factor, factor, factor}), scene.segments};
  for (ContourSegment& s : result.segments) {
    for (ContourCircle* c : {&s.start, &s.end})
      *c = {factor * c->center, factor * c->u, factor * c->v};
  }
  return result;
}

std::vector<ProbeScene> make_scenes() {
  std::vector<ProbeScene> scenes;
  const Mesh shell = wavy_shell(10);
  scenes.push_back({"Near", shell, wavy_tube({-0.6, 0.1, 0.1}, {1.2, 0.2, 0.0}, 0.08, 8)});
  scenes.push_back({"Piercing", shell, wavy_tube({-0.3, 0.1, 0.1}, {1.6, 0.4, 0.1}, 0.08, 8)});
  scenes.push_back({"Far", shell, wavy_tube({300.0, 40.0, 7.0}, {1.0, 0.3, 0.0}, 0.1, 5)});
  // Circles of radius 3 about a mesh of radius 1: every triangle is inside, all at distance 0.
  scenes.push_back({"AllInside",
                    shell,
                    {segment_between({{0, 0, 5}, {0, 0, 1}, 0.5}, {{0, 0, 8}, {0, 0, 1}, 1}),
                     segment_between({{0, 0, -2}, {0, 0, 1}, 3}, {{0, 0, 2}, {0, 0, 1}, 3}),
                     segment_between({{0, 0, -2}, {0, 0, 1}, 3}, {{0, 0, 2}, {0, 0, 1}, 3})}});

  // Many pairs at exactly the same distance: a plane and upright cylinders, some of them the same.
  std::vector<ContourSegment> posts;
  for (const double x : {0.5, -0.5, 0.5, 0.0})
    posts.push_back(
        segment_between({{x, 0.0, 0.25}, {0, 0, 1}, 0.25}, {{x, 0.0, 1.0}, {0, 0, 1}, 0.25}));
  scenes.push_back({"Ties", tiled_plane(12), posts});
  scenes.push_back(
      {"TouchingTies", tiled_plane(12), moved(Pose::translate({0.0, 0.0, -0.25}), posts)});

  scenes.push_back({"Tilted", shell, random_segments(11, 8, 0.6)});
  scenes.push_back({"Broken", broken_soup(5, 300), random_segments(12, 8, 2.0)});
  // Without radius, without length, without both; and flat discs.
  scenes.push_back({"NoExtent",
                    broken_soup(6, 200),
                    {segment_between({{0, 0, 0}, {0, 0, 1}, 0}, {{0.4, 0, 0}, {0, 0, 1}, 0}),
                     segment_between({{0, 1, 0}, {1, 0, 0}, 0}, {{0, 1, 0}, {1, 0, 0}, 0}),
                     segment_between({{1, 1, 1}, {1, 0, 0}, 0.2}, {{1, 1, 1}, {1, 0, 0}, 0.2}),
                     segment_between({{-1, 0, 0}, {1, 0, 0}, 0.2}, {{-1, 0, 1}, {0, 1, 0}, 0}),
                     segment_between({{0, -1, 0}, {0, 1, 0}, 0.1}, {{0, -1, 0}, {0, 0, 1}, 0.1})}});
  const ProbeScene tilted = scenes[6];
  scenes.push_back(moved_scene("FarFromOrigin",
                               {rotation_about({0.0, 0.6, 0.8}, 0.7), {3e6, -2e6, 1e6}}, tilted));
  scenes.push_back(scaled_scene("Tiny", 1e-9, tilted));
  scenes.push_back(scaled_scene("Huge", 1e9, tilted));
  scenes.push_back({"OneTriangle", made({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}),
                    random_segments(13, 5, 1.0)});
  return scenes;
}

bool is_better(const ProbeHit& a, const ProbeHit& b) {
  return std::tie(a.distance, a.segment, a.triangle) < std::tie(b.distance, b.segment, b.triangle);
}

}  // namespace

const std::vector<ProbeScene>& probe_scenes() {
  static const std::vector<ProbeScene> scenes = make_scenes();
  return scenes;
}

ProbeScene large_probe_scene(int triangles) {
  // uv_sphere() has about 4 rings² triangles.
  const int rings = static_cast<int>(std::sqrt(triangles / 4.0));
  return {"Large", wavy_shell(rings), wavy_tube({-0.8, 0.05, 0.3}, {1.5, 0.1, 0.1}, 0.06, 30)};
}

std::vector<ContourSegment> wavy_tube(const Vec3& from, const Vec3& along, double radius,
                                      std::size_t segments) {
  const Vec3 direction = normalized(along);
  const Vec3 side = any_perpendicular(direction);
  std::vector<Vec3> points;
  std::vector<double> radii;
  for (std::size_t i = 0; i <= segments; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(segments);
    points.push_back(from + t * along + 0.1 * norm(along) * std::sin(5.0 * t) * side);
    radii.push_back(radius * (1.0 + 0.3 * std::cos(8.0 * t)));
  }
  const Contour contour = Contour::along(points, radii).value();
  return {contour.segments().begin(), contour.segments().end()};
}

ContourSegment random_contour_segment(Random& random) {
  const auto length = [&] { return std::pow(10.0, random.uniform(-2.0, 0.0)); };
  ContourNode a{.position = 0.3 * random_direction(random),
                .tangent = random_direction(random),
                .radius = 0.3 * length()};
  ContourNode b = a;
  b.position += length() * random_direction(random);
  b.radius = 0.3 * length();
  switch (random.below(5)) {
    case 0:
      b.tangent = random_direction(random);  // any tilt, but for the rare opposite
      if (dot(a.tangent, b.tangent) < -0.9) b.tangent = a.tangent;
      break;
    case 1:
      b.tangent = normalized(a.tangent + 0.3 * random_direction(random));
      break;
    case 2:
      a.radius = 0.0;
      break;
    case 3:
      a.tangent = b.tangent = normalized(b.position - a.position);
      break;
    default:
      break;
  }
  return segment_between(a, b);
}

std::vector<ContourSegment> moved(const Pose& pose, const std::vector<ContourSegment>& segments) {
  std::vector<ContourSegment> result;
  result.reserve(segments.size());
  for (const ContourSegment& s : segments) result.push_back(pose * s);
  return result;
}

std::vector<Vec3> moved(const Pose& pose, std::span<const Vec3> points) {
  std::vector<Vec3> result;
  result.reserve(points.size());
  for (const Vec3& p : points) result.push_back(pose * p);
  return result;
}

std::vector<Vec3> disturbed(const Mesh& mesh, double amount, std::uint64_t seed) {
  Random random(seed);
  const double most = amount * mesh.bounds().diagonal();
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  for (Vec3& v : vertices) v += most * random.uniform() * random_direction(random);
  return vertices;
}

MeasuredPairs::MeasuredPairs(const ProbeScene& scene) {
  for (const ContourSegment& segment : scene.segments) {
    of.emplace_back();
    for (std::size_t t = 0; t < scene.mesh.triangle_count(); ++t)
      of.back().push_back(distance(segment, scene.mesh.triangle(t)));
  }
}

ProbeHit MeasuredPairs::closest_of(std::size_t segment, double range) const {
  ProbeHit best;
  for (std::size_t t = 0; t < of[segment].size(); ++t) {
    const SegmentDistance& d = of[segment][t];
    const ProbeHit hit{.distance = d.distance,
                       .on_mesh = d.on_shape,
                       .on_contour = d.on_segment,
                       .triangle = static_cast<std::uint32_t>(t),
                       .segment = static_cast<std::uint32_t>(segment),
                       .place = d.place};
    if (d.distance <= range && is_better(hit, best)) best = hit;
  }
  return best;
}

ProbeHit MeasuredPairs::closest(double range) const {
  ProbeHit best;
  for (std::size_t s = 0; s < of.size(); ++s) {
    const ProbeHit hit = closest_of(s, range);
    if (hit.found() && is_better(hit, best)) best = hit;
  }
  return best;
}

double MeasuredPairs::triangle_distance(std::size_t triangle, double range) const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& distances : of) {
    if (distances[triangle].distance <= range)
      least = std::min(least, distances[triangle].distance);
  }
  return least;
}

}  // namespace clearance::test
