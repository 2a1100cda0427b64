// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contours: tubes around robots, after "GPU-based Proximity Query Processing on Unstructured
// Triangular Mesh Model" (Lee, Guo, Chow, Chen, Luk, Kwok, ICRA 2015).
//
// A contour is a series of circles along a centre line. Two neighbouring circles C_0 and C_1 span a
// segment, the union of the discs
//
//   S(eta, q) = (1 - eta) C_0(q) + eta C_1(q),   eta in [0, 1], q in the unit disc,
//   C_j(q)    = position_j + radius_j (q.x u_j + q.y v_j),
//
// where u_j and v_j span the plane of circle j, and (u_1, v_1) is (u_0, v_0) turned by the smallest
// rotation that takes tangent 0 to tangent 1. With q = (cos theta, sin theta) this is the ruled
// surface of the paper's eq. (1); eta = 0 and 1 are the flat discs at the ends. Which u_0 is taken
// changes nothing but the number theta.
//
// The circles need not be parallel, nor perpendicular to the centre line; radii and lengths may be
// zero (a cone, a needle, a disc). With parallel circles a segment is convex, in general it is not.
// What is in no disc is outside, also where the discs of a sharp bend cut through each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

/// A circle of a contour: a node of the centre line.
struct ContourNode {
  Vec3 position;                ///< centre of the circle [m]
  Vec3 tangent{0.0, 0.0, 1.0};  ///< normal of its plane, of unit length
  double radius = 0.0;          ///< [m], may be 0
  bool operator==(const ContourNode&) const = default;
};

/// What is further from unit length than this is refused as a tangent, not repaired.
inline constexpr double kTangentTolerance = 1e-6;
/// Tangents whose cosine is below this are taken for opposite: the smallest rotation from one to
/// the other is not one, or depends on rounding.
inline constexpr double kOppositeTangents = -1.0 + 1e-9;

/// A circle as the image of the unit disc: center + q.x u + q.y v. u and v are perpendicular and
/// as long as the radius. Moving one is moving its three vectors.
struct ContourCircle {
  Vec3 center;
  Vec3 u;
  Vec3 v;
};

/// The solid between two circles, as defined above. A plain value; make_segment() checks.
struct ContourSegment {
  ContourCircle start;  ///< eta = 0
  ContourCircle end;    ///< eta = 1

  /// S(eta, (x, y)).
  [[nodiscard]] Vec3 at(double eta, double x, double y) const {
    const Vec3 p = start.center + x * start.u + y * start.v;
    const Vec3 q = end.center + x * end.u + y * end.v;
    return p + eta * (q - p);
  }
};

/// Errors: a number that is not finite, a negative radius, a tangent that is not of unit length
/// (kTangentTolerance), opposite tangents (kOppositeTangents).
[[nodiscard]] Result<ContourSegment> make_segment(const ContourNode& start, const ContourNode& end);

/// The segment moved.
[[nodiscard]] ContourSegment operator*(const Pose& pose, const ContourSegment& segment);

/// The circles are parallel (exactly, as far as doubles tell): the segment is convex.
[[nodiscard]] bool is_convex(const ContourSegment& segment);
/// Bounds of all of it, to rounding; grow by 1e-15 of the coordinates where that matters.
[[nodiscard]] Box bounds_of(const ContourSegment& segment);

/// One series of segments. Immutable.
class Contour {
 public:
  /// Errors name the node: fewer than two nodes; two that follow each other and are equal in
  /// position, tangent and radius; and those of make_segment().
  static Result<Contour> make(std::vector<ContourNode> nodes, std::string name = {});
  /// Circles about the points of a centre line, each perpendicular to the mean direction of the
  /// line before and behind it. Errors also: sizes that differ, points that follow each other and
  /// are equal, a line that turns back on itself.
  static Result<Contour> along(std::span<const Vec3> points, std::span<const double> radii,
                               std::string name = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::span<const ContourNode> nodes() const { return nodes_; }
  /// One less than nodes.
  [[nodiscard]] std::span<const ContourSegment> segments() const { return segments_; }

 private:
  Contour(std::vector<ContourNode> nodes, std::vector<ContourSegment> segments, std::string name)
      : name_(std::move(name)), nodes_(std::move(nodes)), segments_(std::move(segments)) {}
  std::string name_;
  std::vector<ContourNode> nodes_;
  std::vector<ContourSegment> segments_;
};

}  // namespace clearance
