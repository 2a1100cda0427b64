// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/query/solid.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/sphere_tree.h>

#include "simplify/body_probe.h"

namespace clearance {

const char* name_of(SphereVerdict verdict) {
  switch (verdict) {
    case SphereVerdict::Free:
      return "free";
    case SphereVerdict::Hit:
      return "hit";
    case SphereVerdict::Undecided:
      break;
  }
  return "undecided";
}

Result<LayeredModel> LayeredModel::make(const Model& body, std::span<const Sphere> outer,
                                        std::span<const Sphere> inner) {
  const auto invalid = [](const std::string& place, const std::string& reason) {
    return Error{ErrorCode::Invalid, {}, place, reason, {}};
  };
  Result<SphereTree> outer_tree = SphereTree::build(outer);
  if (!outer_tree) return outer_tree.error();
  const Cover cover = verify_cover(body, outer);
  if (cover.status != CoverStatus::Covered)
    return invalid({}, std::string("the body is not proven to be in its outer spheres: ") +
                           name_of(cover.status));
  const detail::BodyProbe probe(body);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const Vec3& c = inner[i].center;
    const double depth = probe.surface(c).distance - probe.slack(c);
    if (!body.is_solid() || !(inner[i].radius <= depth) || probe.side(c) != Side::Inside)
      return invalid("inner sphere " + std::to_string(i), "not proven to be inside the solid");
  }
  std::optional<SphereTree> inner_tree;
  if (!inner.empty()) {
    Result<SphereTree> built = SphereTree::build(inner);
    if (!built) return built.error();
    inner_tree = *built;
  }
  return LayeredModel(body, *outer_tree, inner_tree);
}

SphereVerdict verdict(const LayeredModel& a, const LayeredModel& b, const Pose& a_from_b) {
  if (!collide(a.outer(), b.outer(), a_from_b).hit) return SphereVerdict::Free;
  if (a.inner() && b.inner() && collide(*a.inner(), *b.inner(), a_from_b).hit)
    return SphereVerdict::Hit;
  return SphereVerdict::Undecided;
}

LayeredCollision collide(const LayeredModel& a, const LayeredModel& b, const Pose& a_from_b,
                         Coherence* coherence) {
  const SphereVerdict by_spheres = verdict(a, b, a_from_b);
  if (by_spheres != SphereVerdict::Undecided) return {by_spheres == SphereVerdict::Hit, by_spheres};
  return {collide(a.body(), b.body(), a_from_b, coherence).hit, by_spheres};
}

}  // namespace clearance
