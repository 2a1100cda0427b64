// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/walk.h"

#include <algorithm>
#include <cmath>

namespace clearance::detail {
namespace {

// A step along obstacles must bring the target nearer by this part of its length.
constexpr double kLeastProgress = 0.05;
// In the open, a step uses this part of the distance that proves it.
constexpr double kBall = 0.95;
// Steps that the distances at their ends do not prove are looked at in between, at places no
// farther apart than this part of the size of the body: few walls are thinner.
constexpr double kLookEvery = 0.02;
// Steps along obstacles begin at so many times the shortest, get longer where nothing bends them
// and shorter where much does.
constexpr double kFirstStride = 4.0;
constexpr double kLongestStride = 16.0;
constexpr double kLonger = 1.5;
constexpr double kShorter = 0.35;
constexpr int kManyTries = 4;
// Without giving way, steps are so many times the shortest.
constexpr double kStraight = 4.0;
// How much farther than its step a body is pulled towards a target.
constexpr double kGiveWay = 4.0;
// Nearer to the target than this part of the size of the body is there.
constexpr double kArrived = 1e-9;

}  // namespace

Walker::Walker(FreeSpace& space, const Box& bounds, const WalkOptions& options)
    : space_(space),
      bounds_(bounds),
      options_(options),
      slider_(space, {.step = options.step,
                      .margin = options.margin,
                      .comfort = options.comfort,
                      .pull = kGiveWay,
                      .forward = kLeastProgress}) {}

bool Walker::free_between(const Place& from, const Near& near, const Place& to, const Near& there) {
  const Step6 step = between(from, to, space_.radius());
  const double longest = space_.longest_way(step);
  if (longest <= near.room + there.room) return true;
  const int count = static_cast<int>(longest / (kLookEvery * space_.size()));
  for (int i = 1; i <= count; ++i) {
    const double part = static_cast<double>(i) / (count + 1);
    if (!(space_.look(moved(from, part * step, space_.radius()), kLookEvery * space_.size()).room >
          0.0)) {
      return false;
    }
  }
  return true;
}

bool Walker::walk(const Place& from, const Near& near_from, const Place& target, double range,
                  int slides, const Monitor* monitor, const Visitor& visit) {
  Place place = from;
  Near near = near_from;
  double way = 0.0;
  slider_.restart();
  double stride = options_.step * kFirstStride;
  const double farthest = kFarthestLook * space_.size();
  while (way < range && !is_cancelled(monitor)) {
    const Step6 wanted = between(place, target, space_.radius());
    const double left = norm(wanted);
    const double longest = space_.longest_way(wanted);
    Place next;
    Near there;
    double length = 0.0;
    if (near.room > options_.margin && longest <= kBall * (near.room - options_.margin)) {
      // The ball of poses around this place holds the target.
      next = target;
      there = space_.look(target, farthest);
      length = left;
    } else if (near.room > 2.0 * options_.step && near.room > stride) {
      const double part = std::min(1.0, kBall * (near.room - options_.margin) / longest);
      next = moved(place, part * wanted, space_.radius());
      there = space_.look(next, std::min(farthest, std::max(2.0 * options_.step, longest)));
      length = part * left;
    } else if (slides > 0) {
      slider_.set_step(stride);
      const Slider::Outcome step = slider_.step(place, near, wanted);
      if (!step.moved || !free_between(place, near, step.place, step.near)) {
        // Once more with a shorter one, unless this was the shortest.
        if (stride <= options_.step) return false;
        stride = std::max(options_.step, kShorter * stride);
        continue;
      }
      if (step.tries > kManyTries) {
        stride = std::max(options_.step, kShorter * stride);
      } else if (step.tries == 0) {
        stride = std::min(kLonger * stride, kLongestStride * options_.step);
      }
      --slides;
      next = step.place;
      there = step.near;
      length = norm(step.step);
      const double after = norm(between(next, target, space_.radius()));
      if (left - after < kLeastProgress * length && after > kArrived * space_.size()) return false;
      if (after <= kArrived * space_.size()) next = target;
    } else {
      const double part = std::min(1.0, kStraight * options_.step / left);
      next = part == 1.0 ? target : moved(place, part * wanted, space_.radius());
      there = space_.look(next, std::min(farthest, std::max(2.0 * options_.step, longest)));
      if (there.room <= options_.margin || !free_between(place, near, next, there)) return false;
      length = part * left;
    }
    if (!inside(bounds_, next.position)) return false;
    way += length;
    visit(next, there, length);
    if (norm(between(next, target, space_.radius())) < kArrived * space_.size()) return true;
    place = next;
    near = there;
  }
  return false;
}

}  // namespace clearance::detail
