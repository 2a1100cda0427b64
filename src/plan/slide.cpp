// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/slide.h"

#include <algorithm>
#include <cmath>

namespace clearance::detail {
namespace {

// Contacts looked up for one step, at most: six degrees of freedom need six that hold, and some are
// found on the way to those.
constexpr int kTries = 6;
// After this many, a shorter step that is free and at least so long will do.
constexpr int kFewTries = 1;
constexpr double kLongEnough = 0.2;
// Contacts older than this many steps are found again if they still matter.
constexpr int kOldest = 6;
constexpr std::size_t kMostContacts = 14;
// Sweeps over the rows (Hildreth's method); each row is a division and two products. A strong pull
// has a long way back to what is possible.
constexpr int kSweeps = 60;
constexpr int kSweepsOfPull = 400;
constexpr double kStrongPull = 100.0;
// A step shorter than this part of the longest is none.
constexpr double kLeastStep = 0.02;
// A step may use up this part of the room that is left: the rest keeps the next steps possible.
constexpr double kUse = 0.7;
// A comfortable step that is longer than this part of the longest will do.
constexpr double kComfortableStep = 0.3;
// Places looked at when a step leads into contact: so much nearer each time.
constexpr int kNearer = 2;
constexpr double kShorter = 0.25;

}  // namespace

void Slider::add_contact(const Place& at, const Near& near) {
  if (contacts_.size() >= kMostContacts) {
    const auto oldest =
        std::max_element(contacts_.begin(), contacts_.end(),
                         [](const Contact6& a, const Contact6& b) { return a.age < b.age; });
    contacts_.erase(oldest);
  }
  const Mat3 world_from_body = rotation_from(at.turn);
  contacts_.push_back({transpose_times(world_from_body, near.on_body - at.position),
                       near.on_obstacle, near.normal, at.position, 0});
}

Slider::Row Slider::row_of(const Contact6& contact, const Place& from, bool comfortable) const {
  const Vec3 arm = rotation_from(from.turn) * contact.on_body;
  const double room =
      dot(contact.normal, from.position + arm - contact.on_obstacle) - space_.problem().clearance;
  Row row;
  row.g = {contact.normal, cross(arm, contact.normal) / space_.radius()};
  const double left = room - options_.margin;
  row.b = left > 0.0 ? -kUse * left : -left;
  if (comfortable) row.b = std::max(row.b, std::min(0.0, options_.comfort - room));
  return row;
}

Step6 Slider::nearest_step(const Step6& wanted) const {
  Step6 x = wanted;
  multipliers_.assign(rows_.size(), 0.0);
  const int sweeps = options_.pull > kStrongPull ? kSweepsOfPull : kSweeps;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double change = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      const double next =
          std::max(0.0, multipliers_[i] - (dot(row.g, x) - row.b) / dot(row.g, row.g));
      const double by = next - multipliers_[i];
      if (by == 0.0) continue;
      multipliers_[i] = next;
      x += by * row.g;
      change = std::max(change, std::abs(by));
    }
    if (change < 1e-6 * options_.step) break;
  }
  return x;
}

Slider::Outcome Slider::step(const Place& from, const Near& near, const Step6& wanted) {
  Outcome outcome;
  const double length = norm(wanted);
  if (length <= 0.0) return outcome;
  const double longest = std::min(options_.step, length);
  const double pulled = length <= options_.step ? length : options_.step * options_.pull;
  const Step6 want = (pulled / length) * wanted;

  for (Contact6& contact : contacts_) ++contact.age;
  std::erase_if(contacts_, [&](const Contact6& contact) {
    return contact.age > kOldest || distance(contact.position, from.position) > 3.0 * options_.step;
  });
  if (!near.beyond && near.room < 2.0 * options_.step && near.normal != Vec3{}) {
    add_contact(from, near);
  }

  Outcome shorter;  // the longest step with enough room seen on the way
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (attempt > kFewTries && shorter.moved && norm(shorter.step) > kLongEnough * longest) {
      return shorter;
    }
    Step6 x{};
    for (const bool comfortable : {true, false}) {
      rows_.clear();
      for (const Contact6& contact : contacts_) {
        rows_.push_back(row_of(contact, from, comfortable));
      }
      x = nearest_step(want);
      if (norm(x) > kComfortableStep * longest) break;
    }
    const double size = norm(x);
    if (size > longest) x = (longest / size) * x;
    if (std::min(size, longest) < kLeastStep * longest) break;
    if (dot(x, wanted) < options_.forward * norm(x) * length) break;

    // Where the step leads into contact, a shorter one shows what it runs into.
    double scale = 1.0;
    for (int nearer = 0; nearer <= kNearer; ++nearer, scale *= kShorter) {
      const Step6 tried = scale * x;
      const Place place = moved(from, tried, space_.radius());
      const Near there = space_.look(place, 2.0 * options_.step);
      const bool enough = there.room > options_.margin * 0.5 && there.room > 0.0;
      if (enough && scale == 1.0) return {true, place, there, tried, attempt};
      if (enough && (!shorter.moved || norm(tried) > norm(shorter.step))) {
        shorter = {true, place, there, tried, kTries};
      }
      if (there.normal != Vec3{}) {
        add_contact(place, there);
        break;
      }
      if (nearer == kNearer) attempt = kTries;
    }
  }
  if (shorter.moved && norm(shorter.step) >= kLeastStep * longest) return shorter;
  return outcome;
}

}  // namespace clearance::detail
