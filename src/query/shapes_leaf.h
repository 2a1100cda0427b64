// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One triangle against one simple shape, in double precision: the leaf tests of shapes.h. Each
// takes the shape where it stands in the mesh's frame and says for a triangle how near it is: 0
// when they may touch, given everything rounding may have done.
#pragma once

#include <cstdint>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/shapes.h>

namespace clearance::detail {

/// How near a triangle is.
struct LeafDistance {
  ClosestPoints points;  // on_a on the triangle, on_b on the shape; 0 within the error of contact
  double error = 0.0;    // the exact distance is not smaller by more [m]
};

/// Points, segments, balls and capsules: all points within a radius of a segment.
class SweptLeaf {
 public:
  SweptLeaf(const Bvh& mesh, const Capsule& shape, const Pose& mesh_from_shape);
  [[nodiscard]] LeafDistance closest(std::uint32_t triangle) const;
  /// What a bound of the distance from the core exceeds that from the shape by, at most [m].
  [[nodiscard]] double reach() const { return radius_ + slack_; }
  /// The segment as a box without width.
  [[nodiscard]] OrientedBox core() const;

 private:
  const Bvh& mesh_;
  Segment axis_;
  double radius_;
  double length_;
  double slack_;  // what the pose may have lost [m]
};

class BoxLeaf {
 public:
  BoxLeaf(const Bvh& mesh, const OrientedBox& shape, const Pose& mesh_from_shape);
  [[nodiscard]] LeafDistance closest(std::uint32_t triangle) const;
  /// Whether a plane parts them: closest() would then find a distance above 0. False where it is
  /// not plain. Far cheaper.
  [[nodiscard]] bool are_apart(std::uint32_t triangle) const;
  /// Whether they plainly touch: closest() would then find a distance of 0. False where only
  /// closest() can tell. Far cheaper, as no nearest points are looked for.
  [[nodiscard]] bool touch(std::uint32_t triangle) const;
  [[nodiscard]] double reach() const { return slack_; }
  [[nodiscard]] OrientedBox core() const { return box_; }

 private:
  [[nodiscard]] Triangle in_box(const Triangle& t) const;
  [[nodiscard]] double error_of(const Triangle& in_box) const;
  /// The box, larger by what counts as contact.
  [[nodiscard]] Box grown(double error) const;

  const Bvh& mesh_;
  OrientedBox box_;  // with a rotation that is one
  double size_;
  double slack_;
};

class HalfSpaceLeaf {
 public:
  HalfSpaceLeaf(const Bvh& mesh, const HalfSpace& shape, const Pose& mesh_from_shape);
  [[nodiscard]] LeafDistance closest(std::uint32_t triangle) const;
  [[nodiscard]] double reach() const { return slack_; }
  /// In the mesh's frame, with a normal of unit length.
  [[nodiscard]] const HalfSpace& plane() const { return plane_; }

 private:
  const Bvh& mesh_;
  HalfSpace plane_;
  double slack_;
};

/// What applying a pose to coordinates of this size may be off [m].
[[nodiscard]] double pose_slack(const Pose& pose, double coordinates);
/// How far a matrix moves points at this distance from where the rotation nearest to it does, at
/// most [m].
[[nodiscard]] double shear(const Mat3& rotation, double distance);

}  // namespace clearance::detail
