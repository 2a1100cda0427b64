// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <clearance/base/assert.h>
#include <clearance/query/query.h>

#include "query/answerable.h"
#include "query/binary_query.h"
#include "query/coherence.h"
#include "query/wide_query.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Trees of one family at a pose that is answered. Anything else is contact.
bool can_answer(const Bvh& a, const Bvh& b, const Pose& pose) {
  const bool one_family = (a.wide() == nullptr) == (b.wide() == nullptr);
  CLEARANCE_ASSERT(one_family);
  return one_family && detail::is_answerable(pose);
}

/// The inverse of a matrix as it stands, which need not quite be a rotation.
Mat3 exact_inverse(const Mat3& m) {
  const Vec3 c0 = cross(m[1], m[2]);
  const Vec3 c1 = cross(m[2], m[0]);
  const Vec3 c2 = cross(m[0], m[1]);
  return (1.0 / dot(m[0], c0)) * Mat3::from_columns(c0, c1, c2);
}

Distance contact_unknown() {
  Distance d;
  d.distance = 0.0;
  return d;
}

}  // namespace

Pose relative(const Pose& world_from_a, const Pose& world_from_b) {
  // The difference of the translations first: far from the origin it is exact, or nearly so.
  const Mat3 a_from_world = exact_inverse(world_from_a.rotation);
  return {a_from_world * world_from_b.rotation,
          a_from_world * (world_from_b.translation - world_from_a.translation)};
}

Coherence::Coherence() : state_(std::make_unique<State>()) {}
Coherence::~Coherence() = default;
Coherence::Coherence(Coherence&&) noexcept = default;
Coherence& Coherence::operator=(Coherence&&) noexcept = default;
void Coherence::forget() {
  state_->last = {};
  state_->front.forget();
}

Collision collide(const Bvh& a, const Bvh& b, const Pose& a_from_b, Coherence* coherence) {
  if (!can_answer(a, b, a_from_b)) return {.hit = true, .contact = {}, .work = {}};
  if (a.wide() == nullptr) return detail::binary_collide(a, b, a_from_b, coherence);
  return detail::wide_collide(a, b, a_from_b, coherence);
}

Contacts contacts(const Bvh& a, const Bvh& b, const Pose& a_from_b, std::size_t limit,
                  Coherence* coherence) {
  if (!can_answer(a, b, a_from_b)) return {.pairs = {}, .complete = false, .work = {}};
  if (a.wide() == nullptr) return detail::binary_contacts(a, b, a_from_b, limit, coherence);
  return detail::wide_contacts(a, b, a_from_b, limit, coherence);
}

Distance distance(const Bvh& a, const Bvh& b, const Pose& a_from_b, const DistanceOptions& options,
                  Coherence* coherence) {
  if (!can_answer(a, b, a_from_b)) return contact_unknown();
  if (std::isnan(options.upper_bound)) {
    // Nothing is below it, and all would come back as beyond.
    DistanceOptions unbounded = options;
    unbounded.upper_bound = kInfinity;
    return distance(a, b, a_from_b, unbounded, coherence);
  }
  if (a.wide() == nullptr) return detail::binary_distance(a, b, a_from_b, options, coherence);
  return detail::wide_distance(a, b, a_from_b, options, coherence);
}

Within within(const Bvh& a, const Bvh& b, const Pose& a_from_b, double limit,
              Coherence* coherence) {
  if (!can_answer(a, b, a_from_b))
    return {.within = true, .lower = 0.0, .upper = kInfinity, .pair = {}, .work = {}};
  if (a.wide() == nullptr) return detail::binary_within(a, b, a_from_b, limit, coherence);
  return detail::wide_within(a, b, a_from_b, limit, coherence);
}

}  // namespace clearance
