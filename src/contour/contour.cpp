// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Making segments out of circles, and series out of segments.
#include <cmath>
#include <string>
#include <utility>

#include <clearance/contour/contour.h>

namespace clearance {
namespace {

/// What is wrong with a circle; empty when nothing is.
std::string fault_of(const ContourNode& node) {
  if (!is_finite(node.position)) return "the position is not finite";
  if (!is_finite(node.tangent)) return "the tangent is not finite";
  if (!std::isfinite(node.radius)) return "the radius is not finite";
  if (node.radius < 0.0) return "the radius " + std::to_string(node.radius) + " is negative";
  const double length = norm(node.tangent);
  if (std::abs(length - 1.0) > kTangentTolerance)
    return "the tangent has the length " + std::to_string(length) + " instead of 1";
  return {};
}

/// v turned by the smallest rotation that takes the unit vector a to the unit vector b (Rodrigues,
/// with the sine and cosine of the angle as products of a and b).
Vec3 transported(const Vec3& v, const Vec3& a, const Vec3& b) {
  const double cosine = dot(a, b);
  const Vec3 axis = cross(a, b);
  return cosine * v + cross(axis, v) + (dot(axis, v) / (1.0 + cosine)) * axis;
}

ContourCircle circle_of(const Vec3& center, double radius, const Vec3& u, const Vec3& v) {
  return {center, radius * u, radius * v};
}

/// Bounds of the points center + q.x u + q.y v.
void include(Box& box, const ContourCircle& circle) {
  Vec3 reach;
  for (std::size_t k = 0; k < 3; ++k) reach[k] = std::hypot(circle.u[k], circle.v[k]);
  box.include(circle.center - reach);
  box.include(circle.center + reach);
}

Error bad_node(std::size_t node, const std::string& reason) {
  return {.code = ErrorCode::Invalid, .place = "node " + std::to_string(node), .reason = reason};
}

}  // namespace

Result<ContourSegment> make_segment(const ContourNode& start, const ContourNode& end) {
  if (const std::string fault = fault_of(start); !fault.empty()) return bad_node(0, fault);
  if (const std::string fault = fault_of(end); !fault.empty()) return bad_node(1, fault);
  const Vec3 from = normalized(start.tangent);
  const Vec3 to = normalized(end.tangent);
  if (dot(from, to) < kOppositeTangents)
    return bad_node(1, "the tangent is opposite to that of the node before");
  const Vec3 u = any_perpendicular(from);
  const Vec3 v = cross(from, u);
  // Between nearly opposite tangents digits are lost; the circle stays in its plane and round.
  const Vec3 turned = transported(u, from, to);
  const Vec3 u_end = normalized(turned - dot(turned, to) * to);
  return ContourSegment{circle_of(start.position, start.radius, u, v),
                        circle_of(end.position, end.radius, u_end, cross(to, u_end))};
}

ContourSegment operator*(const Pose& pose, const ContourSegment& segment) {
  const auto moved = [&](const ContourCircle& c) {
    return ContourCircle{pose * c.center, pose.rotation * c.u, pose.rotation * c.v};
  };
  return {moved(segment.start), moved(segment.end)};
}

bool is_convex(const ContourSegment& segment) {
  // A circle without a radius has any plane: its normal comes out as zero.
  const Vec3 a = normalized(cross(segment.start.u, segment.start.v));
  const Vec3 b = normalized(cross(segment.end.u, segment.end.v));
  // Rounding of a moved segment tilts circles by about this [rad].
  constexpr double kParallel = 1e-15;
  return squared_norm(cross(a, b)) <= kParallel * kParallel;
}

Box bounds_of(const ContourSegment& segment) {
  // A line from circle to circle stays within the bounds of both.
  Box box;
  include(box, segment.start);
  include(box, segment.end);
  return box;
}

Result<Contour> Contour::make(std::vector<ContourNode> nodes, std::string name) {
  if (nodes.size() < 2)
    return Error{
        .code = ErrorCode::Invalid,
        .reason = "a contour needs two nodes at least; this has " + std::to_string(nodes.size())};
  std::vector<ContourSegment> segments;
  segments.reserve(nodes.size() - 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (const std::string fault = fault_of(nodes[i]); !fault.empty()) return bad_node(i, fault);
    if (i == 0) continue;
    if (nodes[i] == nodes[i - 1]) return bad_node(i, "it is the same as the node before");
    auto segment = make_segment(nodes[i - 1], nodes[i]);
    if (!segment) return bad_node(i, segment.error().reason);
    segments.push_back(*segment);
  }
  return Contour(std::move(nodes), std::move(segments), std::move(name));
}

Result<Contour> Contour::along(std::span<const Vec3> points, std::span<const double> radii,
                               std::string name) {
  if (points.size() != radii.size())
    return Error{.code = ErrorCode::Invalid,
                 .reason = std::to_string(points.size()) + " points of the centre line, but " +
                           std::to_string(radii.size()) + " radii"};
  if (points.size() < 2)
    return Error{.code = ErrorCode::Invalid, .reason = "a centre line needs two points at least"};
  std::vector<Vec3> directions;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Vec3 direction = normalized(points[i + 1] - points[i]);
    if (direction == Vec3{}) return bad_node(i + 1, "it is at the same place as the node before");
    directions.push_back(direction);
  }
  std::vector<ContourNode> nodes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& before = directions[i == 0 ? 0 : i - 1];
    const Vec3& behind = directions[i < directions.size() ? i : i - 1];
    if (dot(before, behind) < kOppositeTangents)
      return bad_node(i, "the centre line turns back on itself");
    nodes.push_back({points[i], normalized(before + behind), radii[i]});
  }
  return make(std::move(nodes), std::move(name));
}

}  // namespace clearance
