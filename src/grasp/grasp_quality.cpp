// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>

#include <clearance/grasp/grasp_quality.h>

#include "grasp/contact_wrenches.h"

namespace clearance {
namespace detail {
namespace {

/// Normals and directions that differ by less are the same. A contact that is left out wrongly by
/// this changes the quality by as much at most.
constexpr double kSameDirection = 1e-12;

bool is_between(const GraspContact& middle, const GraspContact& a, const GraspContact& b) {
  const Vec3 along = b.point - a.point;
  const Vec3 from_a = middle.point - a.point;
  const double length_sq = dot(along, along);
  const double t = dot(from_a, along);
  return t > 0.0 && t < length_sq && norm(cross(from_a, along)) <= kSameDirection * length_sq;
}

bool is_alike(const GraspContact& a, const GraspContact& b) {
  return a.finger == b.finger && norm(a.inward - b.inward) <= kSameDirection;
}

/// A unit vector at right angles to the normal, towards the given direction where there is one.
Vec3 first_tangent(const Vec3& normal, const Vec3& towards) {
  const Vec3 tangent = towards - dot(towards, normal) * normal;
  const double length = norm(tangent);
  // A direction along the normal names no edge.
  constexpr double kAlong = 1e-6;
  return length > kAlong * norm(towards) ? tangent / length : any_perpendicular(normal);
}

}  // namespace

void leave_out_between(std::span<const GraspContact> contacts, std::vector<GraspContact>& kept) {
  kept.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const GraspContact& middle = contacts[i];
    bool drop = false;
    for (std::size_t a = 0; a < contacts.size() && !drop; ++a) {
      if (a == i || !is_alike(middle, contacts[a])) continue;
      // Of contacts at the same place the first stays.
      drop = a < i && contacts[a].point == middle.point;
      for (std::size_t b = a + 1; b < contacts.size() && !drop; ++b)
        drop =
            b != i && is_alike(middle, contacts[b]) && is_between(middle, contacts[a], contacts[b]);
    }
    if (!drop) kept.push_back(middle);
  }
}

void append_wrenches(const GraspContact& contact, const PartFrame& part,
                     const QualityOptions& options, std::vector<Wrench>& wrenches) {
  const Vec3 arm = (contact.point - part.mass_center) / part.largest_radius;
  const auto append = [&](const Vec3& force, const Vec3& torque) {
    wrenches.push_back({force.x, force.y, force.z, torque.x, torque.y, torque.z});
  };
  const Vec3& normal = contact.inward;
  const Vec3 u = first_tangent(normal, part.first_edge);
  const Vec3 v = cross(normal, u);
  const double shorten = 1.0 / std::sqrt(1.0 + options.friction * options.friction);
  for (int i = 0; i < options.cone_edges; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / options.cone_edges;
    const Vec3 edge = normal + options.friction * (std::cos(angle) * u + std::sin(angle) * v);
    const Vec3 force = shorten * edge;
    append(force, cross(arm, force));
  }
  if (options.torsion <= 0.0) return;
  const Vec3 twist = options.torsion / part.largest_radius * normal;
  append(normal, cross(arm, normal) + twist);
  append(normal, cross(arm, normal) - twist);
}

double GraspRater::rate(std::span<const GraspContact> contacts, const PartFrame& part,
                        const QualityOptions& options) {
  leave_out_between(contacts, contacts_);
  wrenches_.clear();
  ends_.clear();
  if (options.limit == WrenchLimit::Sum) {
    for (const GraspContact& c : contacts_) append_wrenches(c, part, options, wrenches_);
    return hull_.radius_in_hull(wrenches_);
  }
  std::stable_sort(
      contacts_.begin(), contacts_.end(),
      [](const GraspContact& a, const GraspContact& b) { return a.finger < b.finger; });
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    append_wrenches(contacts_[i], part, options, wrenches_);
    if (i + 1 == contacts_.size() || contacts_[i + 1].finger != contacts_[i].finger)
      ends_.push_back(wrenches_.size());
  }
  return hull_.radius_in_sum(wrenches_, ends_);
}

}  // namespace detail

double grasp_quality(std::span<const GraspContact> contacts, const PartFrame& part,
                     const QualityOptions& options) {
  return detail::GraspRater().rate(contacts, part, options);
}

}  // namespace clearance
