// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/generate_features.h"

#include <algorithm>
#include <cmath>

namespace clearance::parts {

Pose pose_at(const Vec3& origin, const Vec3& z_axis, const Vec3& x_axis) {
  const Vec3 z = normalized(z_axis);
  const Vec3 y = normalized(cross(z, x_axis));
  return {Mat3::from_columns(cross(y, z), y, z), origin};
}

Ring flipped(const Ring& ring) {
  Ring result = ring;
  std::reverse(result.points.begin(), result.points.end());
  std::reverse(result.vertices.begin(), result.vertices.end());
  for (Vec2& p : result.points) p.y = -p.y;
  return result;
}

Ring add_outline_feature(SolidBuilder& solid, const Loop& loop, const Profile& profile) {
  Ring rim = solid.ring(loop, profile.front().out, profile.front().z);
  const Ring last = solid.walls(rim, loop, profile);
  solid.cap_up(last);
  return rim;
}

Ring add_round_feature(SolidBuilder& solid, Vec2 center, const Profile& profile, int around) {
  return add_outline_feature(solid, circle_loop(center, 0.0, around), profile);
}

Profile blind_hole(double radius, double face, double depth, int threads) {
  const double chamfer = 0.12 * radius;
  Profile profile{{radius + chamfer, face}, {radius, face - chamfer}};
  if (threads > 0) {
    const double pitch = 0.8 * (depth - chamfer) / threads;
    for (int k = 0; k < threads; ++k) {
      const double z = face - chamfer - pitch * k;
      profile.push_back({0.88 * radius, z - 0.45 * pitch});
      profile.push_back({radius, z - pitch});
    }
  }
  profile.push_back({radius, face - depth + 0.3 * radius});
  profile.push_back({0.3 * radius, face - depth});
  return profile;
}

Profile boss_with_hole(double radius, double hole_radius, double face, double height, double depth,
                       int quarter) {
  const double fillet = 0.35 * height;
  Profile profile{{radius + fillet, face}};
  append_arc(profile, {radius + fillet, face + fillet}, {radius, face + fillet}, quarter);
  profile.push_back({radius, face + height - fillet});
  append_arc(profile, {radius - fillet, face + height - fillet}, {radius - fillet, face + height},
             quarter);
  for (const ProfileStep& step : blind_hole(hole_radius, face + height, depth, 0))
    profile.push_back(step);
  return profile;
}

Block::Block(SolidBuilder& solid, const Vec3& size)
    : solid_(solid), base_(solid.frame()), size_(size) {
  const Vec3 h = 0.5 * size;
  std::array<std::uint32_t, 8> corners{};
  for (std::uint32_t i = 0; i < 8; ++i) {
    corners[i] = solid.vertex(
        {(i & 1U) != 0 ? h.x : -h.x, (i & 2U) != 0 ? h.y : -h.y, (i & 4U) != 0 ? h.z : -h.z});
  }
  // Corners of each face counter-clockwise seen from outside, beginning at (-, -) of its frame.
  constexpr std::array<std::array<int, 4>, 6> kCorners{
      {{4, 5, 7, 6}, {2, 3, 1, 0}, {0, 1, 5, 4}, {3, 2, 6, 7}, {2, 0, 4, 6}, {1, 3, 7, 5}}};
  for (int side = 0; side < 6; ++side) {
    const double u = side < 4 ? h.x : h.y;
    const double v = side < 2 ? h.y : h.z;
    outlines_[side].points = {{-u, -v}, {u, -v}, {u, v}, {-u, v}};
    for (const int corner : kCorners[side]) outlines_[side].vertices.push_back(corners[corner]);
  }
}

Pose Block::frame_of(Side side) const {
  const Vec3 x{1, 0, 0};
  const Vec3 y{0, 1, 0};
  const Vec3 z{0, 0, 1};
  const Vec3 h = 0.5 * size_;
  switch (side) {
    case Top:
      return {Mat3::from_columns(x, y, z), {0, 0, h.z}};
    case Bottom:
      return {Mat3::from_columns(x, -y, -z), {0, 0, -h.z}};
    case Front:
      return {Mat3::from_columns(x, z, -y), {0, -h.y, 0}};
    case Back:
      return {Mat3::from_columns(-x, z, y), {0, h.y, 0}};
    case Left:
      return {Mat3::from_columns(-y, z, -x), {-h.x, 0, 0}};
    case Right:
      return {Mat3::from_columns(y, z, x), {h.x, 0, 0}};
  }
  return {};
}

void Block::enter(Side side) { solid_.set_frame(base_ * frame_of(side)); }

void Block::add_through(Vec2 center, double radius, int around) {
  enter(Top);
  const double chamfer = 0.1 * radius;
  const Loop axis = circle_loop(center, 0.0, around);
  const Profile profile{{radius + chamfer, 0.0},
                        {radius, -chamfer},
                        {radius, -size_.z + chamfer},
                        {radius + chamfer, -size_.z}};
  const Ring rim = solid_.ring(axis, profile.front().out, 0.0);
  hole(Bottom, flipped(solid_.walls(rim, axis, profile)));
  hole(Top, rim);
}

void Block::finish() {
  for (int side = 0; side < 6; ++side) solid_.cap_up(outlines_[side], holes_[side]);
  solid_.set_frame(base_);
}

void add_plate(SolidBuilder& solid, const Loop& outline, double thickness,
               std::span<const PlateHole> holes, int around) {
  const Ring low = solid.ring(outline, 0.0, 0.0);
  const Ring high = solid.ring(outline, 0.0, thickness);
  solid.wall(low, high);
  std::vector<Ring> rims_high;
  std::vector<Ring> rims_low;
  for (const PlateHole& hole : holes) {
    const double chamfer = std::min(0.1 * hole.radius, 0.25 * thickness);
    // Each circle begins elsewhere: rows of holes would put many corners in one line.
    const double phase = 0.37 * static_cast<double>(rims_high.size());
    const Loop axis = circle_loop(hole.center, 0.0, around, phase);
    const Profile profile{{hole.radius + chamfer, thickness},
                          {hole.radius, thickness - chamfer},
                          {hole.radius, chamfer},
                          {hole.radius + chamfer, 0.0}};
    rims_high.push_back(solid.ring(axis, profile.front().out, thickness));
    rims_low.push_back(solid.walls(rims_high.back(), axis, profile));
  }
  solid.cap_up(high, rims_high);
  solid.cap_down(low, rims_low);
}

void add_screw(SolidBuilder& solid, const ScrewOptions& options, int around) {
  const double r = options.radius;
  const double head = 1.3 * r;
  // The head: a hexagon whose corners are turned off by a cone, on the shank's ring.
  std::array<Vec2, 6> corners{};
  for (int k = 0; k < 6; ++k)
    corners[k] = {1.75 * r * std::cos(kPi * k / 3.0), 1.75 * r * std::sin(kPi * k / 3.0)};
  const Loop hexagon = rounded_polygon(corners, 0.1 * r, 2);
  const Loop axis = circle_loop({0, 0}, 0.0, around);
  // Thread from the tip upward, then the plain shank.
  const double thread_length = 0.7 * options.length;
  const double pitch = thread_length / options.threads;
  Profile profile{{0.7 * r, -options.length}};
  for (int k = 0; k < options.threads; ++k) {
    const double z = -options.length + pitch * k;
    profile.push_back({r, z + 0.4 * pitch});
    profile.push_back({0.86 * r, z + 0.95 * pitch});
  }
  profile.push_back({r, -options.length + thread_length + 0.3 * pitch});
  profile.push_back({r, 0.0});
  const Ring tip = solid.ring(axis, profile.front().out, profile.front().z);
  const Ring neck = solid.walls(tip, axis, profile);
  solid.cap_down(tip);
  const Ring seat = solid.ring(hexagon, 0.0, 0.0);
  solid.cap_down(seat, {&neck, 1});
  const Ring top = solid.walls(seat, hexagon, Profile{{0, 0}, {0, 0.9 * head}, {-0.2 * r, head}});
  solid.cap_up(top);
}

namespace {

struct Section {
  Vec3 origin, u, v;
};

void add_sections(SolidBuilder& solid, std::span<const Section> sections, const Loop& loop) {
  const Ring first = solid.ring(loop, sections[0].origin, sections[0].u, sections[0].v);
  Ring last = first;
  for (const Section& s : sections.subspan(1)) {
    Ring next = solid.ring(loop, s.origin, s.u, s.v);
    solid.wall(last, next);
    last = std::move(next);
  }
  solid.cap_down(first);
  solid.cap_up(last);
}

}  // namespace

void add_spring(SolidBuilder& solid, const SpringOptions& options, int around, int per_turn) {
  std::vector<Section> sections;
  const int steps = options.turns * per_turn;
  const double low = options.wire;
  const double rise = options.height - 2.0 * options.wire;
  for (int k = 0; k <= steps; ++k) {
    const double t = double(k) / steps;
    const double angle = 2.0 * kPi * options.turns * t;
    const Vec3 radial{std::cos(angle), std::sin(angle), 0.0};
    const Vec3 along = normalized(2.0 * kPi * options.turns * options.radius *
                                      Vec3{-std::sin(angle), std::cos(angle), 0.0} +
                                  Vec3{0.0, 0.0, rise});
    const Vec3 v = cross(along, radial);
    sections.push_back({options.radius * radial + Vec3{0, 0, low + rise * t}, radial, v});
  }
  add_sections(solid, sections, circle_loop({0, 0}, options.wire, around));
}

void add_hose(SolidBuilder& solid, std::span<const Vec3> corners, const HoseOptions& options,
              int around, int per_wave) {
  // The middle line at equal steps of arc length: first the exact length, then the points.
  struct Piece {
    Vec3 start, direction, center, axis;
    double length, turned;  // turned: 0 for straight pieces
  };
  std::vector<Piece> pieces;
  Vec3 at = corners[0];
  Vec3 direction = normalized(corners[1] - corners[0]);
  double total = 0.0;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    Vec3 next = direction;
    double turned = 0.0;
    if (i + 1 < corners.size()) {
      next = normalized(corners[i + 1] - corners[i]);
      turned = std::atan2(norm(cross(direction, next)), dot(direction, next));
    }
    const double reach = options.bend_radius * std::tan(0.5 * turned);
    const Vec3 end = corners[i] - reach * direction;
    pieces.push_back({at, direction, {}, {}, distance(at, end), 0.0});
    if (turned > 0.0) {
      const Vec3 axis = normalized(cross(direction, next));
      const Vec3 center = end + options.bend_radius * cross(axis, direction);
      pieces.push_back({end, direction, center, axis, options.bend_radius * turned, turned});
      at = corners[i] + reach * next;
    }
    direction = next;
  }
  for (const Piece& piece : pieces) total += piece.length;

  const int steps = options.waves * per_wave;
  Vec3 u0 = any_perpendicular(pieces[0].direction);
  std::size_t index = 0;
  double before = 0.0;
  const Loop unit = circle_loop({0, 0}, 1.0, around);
  const auto scaled = [&](double radius) {
    Loop loop = unit;
    for (LoopPoint& point : loop) point.p = radius * point.p;
    return loop;
  };
  std::vector<Section> sections;
  std::vector<double> radii;
  for (int k = 0; k <= steps; ++k) {
    const double s = total * k / steps;
    while (index + 1 < pieces.size() && s > before + pieces[index].length) {
      const Piece& piece = pieces[index];
      if (piece.turned > 0.0) u0 = rotation_about(piece.axis, piece.turned) * u0;
      before += piece.length;
      ++index;
    }
    const Piece& piece = pieces[index];
    Vec3 origin = piece.start + (s - before) * piece.direction;
    Vec3 u = u0;
    Vec3 along = piece.direction;
    if (piece.turned > 0.0) {
      const Mat3 rotation = rotation_about(piece.axis, (s - before) / options.bend_radius);
      origin = piece.center + rotation * (piece.start - piece.center);
      u = rotation * u0;
      along = rotation * along;
    }
    sections.push_back({origin, u, cross(along, u)});
    // The ends are plain, where clamps sit.
    const double t = double(k) / steps;
    const double fade = std::clamp(12.0 * std::min(t, 1.0 - t) - 0.5, 0.0, 1.0);
    radii.push_back(options.radius -
                    0.5 * options.wave * fade * (1.0 - std::cos(2.0 * kPi * options.waves * t)));
  }
  const auto ring_at = [&](std::size_t i, double inward) {
    return solid.ring(scaled(radii[i] - inward), sections[i].origin, sections[i].u, sections[i].v);
  };
  const Ring first = ring_at(0, 0.0);
  Ring last = first;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    Ring next = ring_at(i, 0.0);
    solid.wall(last, next);
    last = std::move(next);
  }
  for (std::size_t i = sections.size(); i-- > 0;) {
    Ring next = ring_at(i, options.wall);
    solid.wall(last, next);
    last = std::move(next);
  }
  solid.wall(last, first);
}

void add_torus(SolidBuilder& solid, double radius, double section, int around, int across) {
  std::vector<Vec2> profile;
  for (int k = 0; k < across; ++k) {
    const double angle = 2.0 * kPi * k / across;
    profile.push_back({radius + section * std::cos(angle), section * std::sin(angle)});
  }
  add_revolution(solid, profile, true, around);
}

Shape label_shape(std::string name, const Pose& pose, double width, double height) {
  Shape result;
  result.places.push_back({std::move(name), pose});
  result.sheet = true;
  result.build = [=](SolidBuilder& solid, Detail) {
    solid.cap_up(solid.ring(rounded_rectangle({0, 0}, {width, height}, 0.0, 1), 0.0, 0.0));
  };
  return result;
}

}  // namespace clearance::parts
