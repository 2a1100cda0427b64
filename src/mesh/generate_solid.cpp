// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/generate_solid.h"

#include <algorithm>
#include <cmath>

namespace clearance::parts {

int Detail::segments(int least, double weight) const {
  return std::max(least, static_cast<int>(std::floor(scale * weight)));
}

int Detail::segments_multiple(int least, double weight, int multiple) const {
  const int n = segments(least, weight);
  return (n + multiple - 1) / multiple * multiple;
}

Loop circle_loop(Vec2 center, double radius, int segments, double phase) {
  Loop loop(static_cast<std::size_t>(segments));
  for (int i = 0; i < segments; ++i) {
    const double angle = phase + 2.0 * kPi * i / segments;
    const Vec2 n{std::cos(angle), std::sin(angle)};
    loop[i] = {center + radius * n, n};
  }
  return loop;
}

Loop rounded_polygon(std::span<const Vec2> corners, std::span<const double> radii, int quarter) {
  Loop loop;
  const std::size_t count = corners.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Vec2 before = corners[i] - corners[(i + count - 1) % count];
    const Vec2 after = corners[(i + 1) % count] - corners[i];
    const Vec2 d0 = (1.0 / norm(before)) * before;
    const Vec2 d1 = (1.0 / norm(after)) * after;
    const Vec2 n0{d0.y, -d0.x};
    const Vec2 n1{d1.y, -d1.x};
    const double turned = std::atan2(cross(d0, d1), dot(d0, d1));
    if (radii[i] <= 0.0) {
      // The miter: moves both neighbouring lines by one unit.
      const Vec2 sum = n0 + n1;
      loop.push_back({corners[i], (2.0 / dot(sum, sum)) * sum});
      continue;
    }
    const double reach = radii[i] * std::abs(std::tan(0.5 * turned));
    const double side = turned > 0.0 ? 1.0 : -1.0;
    const Vec2 center = corners[i] - reach * d0 - side * radii[i] * n0;
    const int segments =
        std::max(1, static_cast<int>(std::lround(quarter * std::abs(turned) / (0.5 * kPi))));
    const double start = std::atan2(n0.y, n0.x);
    for (int k = 0; k <= segments; ++k) {
      const double angle = start + turned * k / segments;
      const Vec2 n{std::cos(angle), std::sin(angle)};
      loop.push_back({center + side * radii[i] * n, n});
    }
  }
  return loop;
}

Loop rounded_polygon(std::span<const Vec2> corners, double radius, int quarter) {
  const std::vector<double> radii(corners.size(), radius);
  return rounded_polygon(corners, radii, quarter);
}

Loop rounded_rectangle(Vec2 center, Vec2 size, double radius, int quarter) {
  const Vec2 h = 0.5 * size;
  const std::array<Vec2, 4> corners{center + Vec2{-h.x, -h.y}, center + Vec2{h.x, -h.y},
                                    center + Vec2{h.x, h.y}, center + Vec2{-h.x, h.y}};
  return rounded_polygon(corners, radius, quarter);
}

Loop slot_loop(Vec2 a, Vec2 b, double radius, int half) {
  const Vec2 along = b - a;
  const double heading = std::atan2(along.y, along.x);
  Loop loop;
  for (int k = 0; k <= half; ++k) {
    const double angle = heading - 0.5 * kPi + kPi * k / half;
    const Vec2 n{std::cos(angle), std::sin(angle)};
    loop.push_back({b + radius * n, n});
  }
  for (int k = 0; k <= half; ++k) {
    const double angle = heading + 0.5 * kPi + kPi * k / half;
    const Vec2 n{std::cos(angle), std::sin(angle)};
    loop.push_back({a + radius * n, n});
  }
  return loop;
}

Loop offset(const Loop& loop, double distance) {
  Loop moved = loop;
  for (LoopPoint& point : moved) point.p = point.p + distance * point.n;
  return moved;
}

void append_arc(Profile& profile, ProfileStep center, ProfileStep to, int segments) {
  const ProfileStep from = profile.back();
  const double radius = std::hypot(from.out - center.out, from.z - center.z);
  const double a0 = std::atan2(from.z - center.z, from.out - center.out);
  const double a1 = std::atan2(to.z - center.z, to.out - center.out);
  double sweep = a1 - a0;
  if (sweep > kPi) sweep -= 2.0 * kPi;
  if (sweep < -kPi) sweep += 2.0 * kPi;
  for (int k = 1; k < segments; ++k) {
    const double angle = a0 + sweep * k / segments;
    profile.push_back({center.out + radius * std::cos(angle), center.z + radius * std::sin(angle)});
  }
  profile.push_back(to);
}

std::uint32_t SolidBuilder::vertex(const Vec3& p) {
  if (!count_only_) vertices.push_back(frame_ * p);
  return vertex_count_++;
}

void SolidBuilder::triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (!count_only_) faces.push_back({a, b, c});
  ++triangle_count_;
}

Ring SolidBuilder::ring(const Loop& loop, double out, double z) {
  Ring ring;
  ring.points.reserve(loop.size());
  ring.vertices.reserve(loop.size());
  for (const LoopPoint& point : loop) {
    const Vec2 p = point.p + out * point.n;
    ring.points.push_back(p);
    ring.vertices.push_back(vertex({p.x, p.y, z}));
  }
  return ring;
}

Ring SolidBuilder::ring(const Loop& loop, const Vec3& origin, const Vec3& u, const Vec3& v) {
  Ring ring;
  ring.points.reserve(loop.size());
  ring.vertices.reserve(loop.size());
  for (const LoopPoint& point : loop) {
    ring.points.push_back(point.p);
    ring.vertices.push_back(vertex(origin + point.p.x * u + point.p.y * v));
  }
  return ring;
}

void SolidBuilder::wall(const Ring& from, const Ring& to) {
  const std::size_t count = from.vertices.size();
  CLEARANCE_ASSERT(to.vertices.size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + 1 == count ? 0 : i + 1;
    triangle(from.vertices[i], from.vertices[j], to.vertices[j]);
    triangle(from.vertices[i], to.vertices[j], to.vertices[i]);
  }
}

Ring SolidBuilder::walls(const Ring& from, const Loop& loop, std::span<const ProfileStep> profile) {
  Ring last = from;
  for (std::size_t i = 1; i < profile.size(); ++i) {
    Ring next = ring(loop, profile[i].out, profile[i].z);
    wall(last, next);
    last = std::move(next);
  }
  return last;
}

void SolidBuilder::cap(const Ring& outer, std::span<const Ring> holes, bool up) {
  if (count_only_) {
    std::size_t points = outer.points.size();
    for (const Ring& hole : holes) points += hole.points.size();
    triangle_count_ += points + 2 * holes.size() - 2;
    return;
  }
  std::vector<std::vector<Vec2>> loops{outer.points};
  std::vector<std::uint32_t> names = outer.vertices;
  for (const Ring& hole : holes) {
    loops.push_back(hole.points);
    names.insert(names.end(), hole.vertices.begin(), hole.vertices.end());
  }
  for (const auto& [a, b, c] : triangulate(loops)) {
    if (up) {
      triangle(names[a], names[b], names[c]);
    } else {
      triangle(names[a], names[c], names[b]);
    }
  }
}

void SolidBuilder::cap_up(const Ring& outer, std::span<const Ring> holes) {
  cap(outer, holes, true);
}
void SolidBuilder::cap_down(const Ring& outer, std::span<const Ring> holes) {
  cap(outer, holes, false);
}

void SolidBuilder::fan(const Ring& from, const Vec3& apex) {
  const std::uint32_t top = vertex(apex);
  const std::size_t count = from.vertices.size();
  for (std::size_t i = 0; i < count; ++i)
    triangle(from.vertices[i], from.vertices[i + 1 == count ? 0 : i + 1], top);
}

Mesh SolidBuilder::take() {
  CLEARANCE_ASSERT(!count_only_);
  Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces));
  CLEARANCE_ASSERT(mesh.ok());
  vertices.clear();
  faces.clear();
  vertex_count_ = 0;
  triangle_count_ = 0;
  return std::move(mesh).value();
}

void add_revolution(SolidBuilder& solid, std::span<const Vec2> profile, bool closed, int around) {
  const Loop unit = circle_loop({0, 0}, 0.0, around);
  const std::size_t count = profile.size();
  if (closed) {
    const Ring first = solid.ring(unit, profile[0].x, profile[0].y);
    Ring last = first;
    for (std::size_t i = 1; i < count; ++i) {
      Ring next = solid.ring(unit, profile[i].x, profile[i].y);
      solid.wall(last, next);
      last = std::move(next);
    }
    solid.wall(last, first);
    return;
  }
  const std::uint32_t bottom = solid.vertex({0, 0, profile[0].y});
  Ring last = solid.ring(unit, profile[1].x, profile[1].y);
  for (std::size_t i = 0; i < last.vertices.size(); ++i) {
    solid.triangle(last.vertices[i + 1 == last.vertices.size() ? 0 : i + 1], last.vertices[i],
                   bottom);
  }
  for (std::size_t i = 2; i + 1 < count; ++i) {
    Ring next = solid.ring(unit, profile[i].x, profile[i].y);
    solid.wall(last, next);
    last = std::move(next);
  }
  solid.fan(last, {0, 0, profile[count - 1].y});
}

void add_rounded_extrusion(SolidBuilder& solid, const Loop& loop, double low, double high,
                           double radius, int quarter) {
  Profile profile{{-radius, low}};
  append_arc(profile, {-radius, low + radius}, {0.0, low + radius}, quarter);
  profile.push_back({0.0, high - radius});
  append_arc(profile, {-radius, high - radius}, {-radius, high}, quarter);
  const Ring bottom = solid.ring(loop, -radius, low);
  const Ring top = solid.walls(bottom, loop, profile);
  solid.cap_down(bottom);
  solid.cap_up(top);
}

void add_rounded_box(SolidBuilder& solid, const Vec3& size, double radius, int quarter) {
  const Loop loop = rounded_rectangle({0, 0}, {size.x, size.y}, 1.5 * radius, quarter);
  add_rounded_extrusion(solid, loop, -0.5 * size.z, 0.5 * size.z, radius, quarter);
}

namespace {

// A cross-section of a tube: its middle and the two unit vectors spanning its plane.
struct Section {
  Vec3 origin, u, v;
};

// Straight runs and bends of a tube. The frame turns with each bend and is never twisted.
std::vector<Section> sections_along(std::span<const Vec3> corners, const TubeOptions& options) {
  std::vector<Section> sections;
  Vec3 direction = normalized(corners[1] - corners[0]);
  // u x v must point along the tube: a ring walked forward then has its outside facing out.
  Vec3 u = any_perpendicular(direction);
  Vec3 v = cross(direction, u);
  sections.push_back({corners[0], u, v});
  const auto run_to = [&](const Vec3& end) {
    const Vec3 start = sections.back().origin;
    const double length = distance(start, end);
    const int pieces = options.straight_step > 0.0
                           ? std::max(1, static_cast<int>(length / options.straight_step))
                           : 1;
    for (int k = 1; k <= pieces; ++k)
      sections.push_back({start + (double(k) / pieces) * (end - start), u, v});
  };
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const Vec3 next = normalized(corners[i + 1] - corners[i]);
    const double turned = std::atan2(norm(cross(direction, next)), dot(direction, next));
    const Vec3 axis = normalized(cross(direction, next));
    const double reach = options.bend_radius * std::tan(0.5 * turned);
    const Vec3 bend_start = corners[i] - reach * direction;
    run_to(bend_start);
    const Vec3 center = bend_start + options.bend_radius * cross(axis, direction);
    const int pieces =
        std::max(2, static_cast<int>(std::lround(options.per_quarter_bend * turned / (0.5 * kPi))));
    const Vec3 u0 = u;
    const Vec3 v0 = v;
    for (int k = 1; k <= pieces; ++k) {
      const Mat3 rotation = rotation_about(axis, turned * k / pieces);
      u = rotation * u0;
      v = rotation * v0;
      sections.push_back({center + rotation * (bend_start - center), u, v});
    }
    direction = next;
  }
  run_to(corners.back());
  return sections;
}

}  // namespace

void add_tube(SolidBuilder& solid, std::span<const Vec3> corners, const TubeOptions& options) {
  const std::vector<Section> sections = sections_along(corners, options);
  const Loop outer = circle_loop({0, 0}, options.radius, options.around);
  const auto ring_at = [&](const Loop& loop, const Section& s) {
    return solid.ring(loop, s.origin, s.u, s.v);
  };
  const Ring outer_first = ring_at(outer, sections.front());
  Ring last = outer_first;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    Ring next = ring_at(outer, sections[i]);
    solid.wall(last, next);
    last = std::move(next);
  }
  if (options.wall <= 0.0) {
    solid.cap_down(outer_first);
    solid.cap_up(last);
    return;
  }
  // Over the far rim, back along the bore, and over the near rim.
  const Loop inner = circle_loop({0, 0}, options.radius - options.wall, options.around);
  for (std::size_t i = sections.size(); i-- > 0;) {
    Ring next = ring_at(inner, sections[i]);
    solid.wall(last, next);
    last = std::move(next);
  }
  solid.wall(last, outer_first);
}

}  // namespace clearance::parts
