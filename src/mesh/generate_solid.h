// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the generators build closed solids: rings of vertices joined by walls, and flat caps with
// holes. A surface is walked from the outer rim at the bottom, up, inward over the top and down
// into bores; as long as every wall() goes in that direction, all triangles face outward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include <clearance/geometry/pose.h>
#include <clearance/mesh/mesh.h>

#include "mesh/generate_polygon.h"

namespace clearance::parts {

inline constexpr double kPi = std::numbers::pi;

/// How fine to tessellate. `scale` grows with the requested triangle count; 0 gives the coarsest.
struct Detail {
  double scale = 0.0;
  /// Segments of a full circle or other feature: `least` at scale 0, about `weight` * scale beyond.
  [[nodiscard]] int segments(int least, double weight = 1.0) const;
  /// The same rounded up to a multiple.
  [[nodiscard]] int segments_multiple(int least, double weight, int multiple) const;
};

/// A point of a closed outline in the plane, with the vector it moves by when the outline is offset
/// outward by 1 (a unit normal; longer at sharp corners).
struct LoopPoint {
  Vec2 p;
  Vec2 n;
};
/// Counter-clockwise.
using Loop = std::vector<LoopPoint>;

Loop circle_loop(Vec2 center, double radius, int segments, double phase = 0.0);
/// Counter-clockwise polygon whose corners are rounded by arcs of the given radius each (0 keeps a
/// corner sharp); `quarter` segments for a quarter turn. The straight parts get no points.
Loop rounded_polygon(std::span<const Vec2> corners, std::span<const double> radii, int quarter);
Loop rounded_polygon(std::span<const Vec2> corners, double radius, int quarter);
/// Rectangle of the given size about a centre.
Loop rounded_rectangle(Vec2 center, Vec2 size, double radius, int quarter);
/// All points inside the convex or mildly concave outline of two circles joined by straight
/// tangents.
Loop slot_loop(Vec2 a, Vec2 b, double radius, int half);
/// The outline moved outward; the caller sees to it that no arc is turned inside out.
Loop offset(const Loop& loop, double distance);

/// A closed line of vertices of a solid, in the plane of the frame it was made in.
struct Ring {
  std::vector<Vec2> points;
  std::vector<std::uint32_t> vertices;
};

/// One step of a wall: how far outward from the outline, and how high.
struct ProfileStep {
  double out = 0.0;
  double z = 0.0;
};
using Profile = std::vector<ProfileStep>;

/// Appends a quarter-circle of a rounded edge to a profile: from the profile's last step to `to`,
/// bulging away from `center`, with `segments` steps.
void append_arc(Profile& profile, ProfileStep center, ProfileStep to, int segments);

class SolidBuilder {
 public:
  /// Only counts triangles, keeping no vertices: for finding the right Detail quickly.
  explicit SolidBuilder(bool count_only) : count_only_(count_only) {}

  /// All vertices made from here on are moved by this pose. Must be rigid.
  void set_frame(const Pose& frame) { frame_ = frame; }
  [[nodiscard]] const Pose& frame() const { return frame_; }

  std::uint32_t vertex(const Vec3& p);
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c);

  Ring ring(const Loop& loop, double out, double z);
  /// The ring of points in the given plane of the frame: world = origin + x * u + y * v.
  Ring ring(const Loop& loop, const Vec3& origin, const Vec3& u, const Vec3& v);
  /// Joins two rings of equally many points.
  void wall(const Ring& from, const Ring& to);
  /// Rings along a profile, joined; returns the last. `from` is the ring of the first step.
  Ring walls(const Ring& from, const Loop& loop, std::span<const ProfileStep> profile);
  /// A flat face inside `outer` and outside `holes`, seen from above (+z of the frame).
  void cap_up(const Ring& outer, std::span<const Ring> holes = {});
  /// The same seen from below.
  void cap_down(const Ring& outer, std::span<const Ring> holes = {});
  /// Closes a ring by a fan to one point. The walk goes on from the ring to the point.
  void fan(const Ring& from, const Vec3& apex);

  [[nodiscard]] bool count_only() const { return count_only_; }
  /// For shapes that know their count without building: only when count_only().
  void add_count(std::size_t triangles) { triangle_count_ += triangles; }
  [[nodiscard]] std::size_t triangle_count() const { return triangle_count_; }
  /// The mesh; the builder is empty afterwards.
  [[nodiscard]] Mesh take();

  std::vector<Vec3> vertices;
  std::vector<Face> faces;

 private:
  void cap(const Ring& outer, std::span<const Ring> holes, bool up);

  bool count_only_;
  Pose frame_;
  std::uint32_t vertex_count_ = 0;
  std::size_t triangle_count_ = 0;
};

/// A solid of revolution about the frame's z: the profile is (radius, z). A closed profile (a ring
/// like a tyre) runs counter-clockwise in the (radius, z) plane; an open one starts and ends on the
/// axis (radius 0), from the bottom up.
void add_revolution(SolidBuilder& solid, std::span<const Vec2> profile, bool closed, int around);

/// A box with all edges rounded (radius > 0) about the frame's origin.
void add_rounded_box(SolidBuilder& solid, const Vec3& size, double radius, int quarter);

/// A solid standing on z = low with the outline, its upper and lower rims rounded by `radius`.
void add_rounded_extrusion(SolidBuilder& solid, const Loop& loop, double low, double high,
                           double radius, int quarter);

/// A round tube along a polyline, its corners replaced by bends of the given radius.
struct TubeOptions {
  double radius = 0.02;
  double wall = 0.002;  ///< wall thickness; 0: solid bar with closed ends
  double bend_radius = 0.08;
  int around = 16;
  int per_quarter_bend = 6;    ///< segments in a bend of 90 degrees
  double straight_step = 0.0;  ///< longest piece of a straight run; 0: one piece
};
void add_tube(SolidBuilder& solid, std::span<const Vec3> corners, const TubeOptions& options);

}  // namespace clearance::parts
