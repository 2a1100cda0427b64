// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <clearance/base/assert.h>
#include <clearance/query/query.h>

#include "query/binary_query.h"
#include "query/coherence.h"
#include "query/wide_query.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Trees of one family; a pose that is finite, rigid, and within the range of the trees. Anything
/// else is answered as contact.
bool can_answer(const Bvh& a, const Bvh& b, const Pose& pose) {
  const bool one_family = (a.wide() == nullptr) == (b.wide() == nullptr);
  CLEARANCE_ASSERT(one_family);
  return one_family && norm(pose.translation) <= kLargestTranslation &&
         rigidity_error(pose.rotation) <= kRigidTolerance;
}

Distance contact_unknown() {
  Distance d;
  d.distance = 0.0;
  return d;
}

}  // namespace

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
