// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/query/solid.h>

#include "query/model_side.h"
#include "query/solid_bounds.h"
#include "query/solid_side.h"

namespace clearance {
namespace detail {

PosedPair::PosedPair(const Model& a, const Model& b, const Pose& a_from_b)
    : a_(a),
      b_(b),
      a_from_b_(a_from_b),
      b_from_a_(relative(a_from_b, Pose::identity())),
      rounding_(kBoundaryTolerance *
                (reach(a.bvh().bounds()) + reach(b.bvh().bounds()) + norm(a_from_b.translation))) {}

Side PosedPair::side_of_a(const Vec3& p_a, Work& work) const {
  if (!a_.is_solid()) return Side::Outside;
  return side_of_surface(a_.bvh(), p_a, rounding_, work);
}

Side PosedPair::side_of_b(const Vec3& p_a, Work& work) const {
  if (!b_.is_solid()) return Side::Outside;
  return side_of_surface(b_.bvh(), b_from_a_ * p_a, rounding_, work);
}

PosedPair::Inclusion PosedPair::inclusion(Work& work) const {
  for (const Vec3& p : a_.component_points()) {
    if (side_of_b(p, work) != Side::Outside) return {Touch::AInsideB, p};
  }
  for (const Vec3& p_b : b_.component_points()) {
    const Vec3 p = a_from_b_ * p_b;
    if (side_of_a(p, work) != Side::Outside) return {Touch::BInsideA, p};
  }
  return {};
}

}  // namespace detail

const char* name_of(Touch touch) {
  switch (touch) {
    case Touch::None:
      return "none";
    case Touch::Surfaces:
      return "surfaces";
    case Touch::AInsideB:
      return "a_inside_b";
    case Touch::BInsideA:
      break;
  }
  return "b_inside_a";
}

SolidCollision collide(const Model& a, const Model& b, const Pose& a_from_b, Coherence* coherence) {
  SolidCollision result;
  result.a_is_solid = a.is_solid();
  result.b_is_solid = b.is_solid();
  const Collision surface = collide(a.bvh(), b.bvh(), a_from_b, coherence);
  result.work = surface.work;
  result.contact = surface.contact;
  if (surface.hit) {
    result.touch = Touch::Surfaces;
  } else {
    const auto [touch, point] = detail::PosedPair(a, b, a_from_b).inclusion(result.work);
    result.touch = touch;
    result.inside_point = point;
  }
  result.hit = result.touch != Touch::None;
  return result;
}

SolidDistance distance(const Model& a, const Model& b, const Pose& a_from_b,
                       const DistanceOptions& options, Coherence* coherence) {
  SolidDistance result;
  result.a_is_solid = a.is_solid();
  result.b_is_solid = b.is_solid();
  result.surface = distance(a.bvh(), b.bvh(), a_from_b, options, coherence);
  result.work = result.surface.work;
  result.distance = result.surface.distance;
  result.lower = result.surface.lower;
  result.upper = result.surface.upper;
  if (result.surface.distance == 0.0) {
    result.touch = Touch::Surfaces;
    return result;
  }
  // An approximate distance above 0 does not say that the surfaces are free; one point would then
  // not stand for its piece.
  bool surfaces_free = result.lower > 0.0;
  if (!surfaces_free) {
    const Collision surface = collide(a.bvh(), b.bvh(), a_from_b, coherence);
    result.work += surface.work;
    surfaces_free = !surface.hit;
  }
  if (!surfaces_free) {
    result.touch = Touch::Surfaces;
  } else {
    const auto [touch, point] = detail::PosedPair(a, b, a_from_b).inclusion(result.work);
    result.touch = touch;
    result.inside_point = point;
  }
  if (result.touch != Touch::None) result.distance = result.lower = result.upper = 0.0;
  return result;
}

SolidWithin within(const Model& a, const Model& b, const Pose& a_from_b, double limit,
                   Coherence* coherence) {
  SolidWithin result;
  result.a_is_solid = a.is_solid();
  result.b_is_solid = b.is_solid();
  const Within surface = within(a.bvh(), b.bvh(), a_from_b, limit, coherence);
  result.work = surface.work;
  result.within = surface.within;
  result.lower = surface.lower;
  result.upper = surface.upper;
  result.pair = surface.pair;
  if (surface.within) return result;
  result.touch = detail::PosedPair(a, b, a_from_b).inclusion(result.work).touch;
  if (result.touch != Touch::None) {
    result.within = true;
    result.lower = result.upper = 0.0;
  }
  return result;
}

}  // namespace clearance
