// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "query/wide_query.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <clearance/geometry/triangle_triangle.h>

#include "query/coherence.h"
#include "query/triangle_pair.h"
#include "query/wide_descent.h"
#include "query/wide_front.h"
#include "query/wide_probe.h"

namespace clearance::detail {
namespace {

float rounded_up(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// A pair found that is this much closer than the last guess belongs to another place, from which
/// guessing starts anew.
constexpr double kNewPlace = 0.999;

/// The stack of the caller's Coherence, or one of our own.
class Scratch {
 public:
  explicit Scratch(Coherence* coherence)
      : stack_(coherence != nullptr ? coherence->state().stack : own_) {
    stack_.reserve(1024);
  }
  [[nodiscard]] std::vector<NodePair>& stack() { return stack_; }

 private:
  std::vector<NodePair> own_;
  std::vector<NodePair>& stack_;
};

bool in_range(const Contact& pair, const Bvh& a, const Bvh& b) {
  return pair.triangle_a < a.triangle_count() && pair.triangle_b < b.triangle_count();
}

/// A pair as it is.
WideGuess guess_as_is(const TrianglePairs& pairs, const Contact& pair, Work& work) {
  ++work.triangle_tests;
  return {pair, pairs.closest(pair.triangle_a, pair.triangle_b)};
}

class CollideVisitor {
 public:
  explicit CollideVisitor(const TrianglePairs& pairs) : pairs_(pairs) {}
  [[nodiscard]] float threshold() const { return 0.0F; }
  bool triangles(std::uint32_t a, std::uint32_t b) {
    if (!pairs_.touch(a, b)) return false;
    contact = {a, b};
    return true;
  }
  Contact contact;

 private:
  const TrianglePairs& pairs_;
  Vec3 direction_;
};

class ContactsVisitor {
 public:
  ContactsVisitor(const TrianglePairs& pairs, std::size_t limit) : pairs_(pairs), limit_(limit) {}
  [[nodiscard]] float threshold() const { return 0.0F; }
  bool triangles(std::uint32_t a, std::uint32_t b) {
    if (!pairs_.touch(a, b)) return false;
    if (found.size() == limit_) {
      complete = false;
      return true;
    }
    found.push_back({a, b});
    return false;
  }
  std::vector<Contact> found;
  bool complete = true;

 private:
  const TrianglePairs& pairs_;
  std::size_t limit_;
};

class DistanceVisitor {
 public:
  using Polish = std::function<WideGuess(const Contact&)>;
  DistanceVisitor(const TrianglePairs& pairs, const DistanceOptions& options, Polish polish)
      : pairs_(pairs), options_(options), polish_(std::move(polish)), best_(options.upper_bound) {
    tighten();
  }
  [[nodiscard]] float threshold() const { return threshold_; }
  [[nodiscard]] const Vec3& direction() const { return direction_; }
  bool triangles(std::uint32_t a, std::uint32_t b) {
    const ClosestPoints points =
        guess_.pair == Contact{a, b} ? guess_.points : pairs_.closest(a, b);
    if (points.distance < best_ || (points.distance == best_ && found_ && before(a, b))) {
      best_ = points.distance;
      points_ = points;
      pair_ = {a, b};
      found_ = true;
      if (best_ > 0.0) direction_ = normalized(points.on_b - points.on_a);
      tighten();
      // A new place: what is closest near it is found at once, and drops the rest of the place.
      if (best_ > 0.0 && best_ < kNewPlace * guessed_ && polish_) {
        const WideGuess near = polish_(pair_);
        guessed_ = near.points.distance;
        at_most(near);
      }
    }
    return best_ == 0.0;
  }
  /// A pair that is known to be this close: nothing farther matters. It is not the answer yet.
  void at_most(const WideGuess& guess) {
    guess_ = guess;
    const ClosestPoints& points = guess.points;
    guessed_ = std::min(guessed_, points.distance);
    // Beyond the bound it is as good a direction to look along.
    if (points.distance > 0.0) direction_ = normalized(points.on_b - points.on_a);
    if (points.distance >= best_) return;
    threshold_ = std::min(threshold_, rounded_up(points.distance));
  }
  [[nodiscard]] bool found() const { return found_; }
  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] const ClosestPoints& points() const { return points_; }
  [[nodiscard]] const Contact& pair() const { return pair_; }
  /// Nothing closer than this was dropped.
  [[nodiscard]] double proven() const { return allowed(best_); }

 private:
  [[nodiscard]] double allowed(double best) const {
    return std::max(0.0, std::min(best, std::min(best / (1.0 + options_.relative_error),
                                                 best - options_.absolute_error)));
  }
  /// The error is allowed against a pair that was found, not against the upper bound: what lies
  /// just below that must not be called beyond it.
  void tighten() { threshold_ = std::min(threshold_, rounded_up(found_ ? allowed(best_) : best_)); }
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return a < pair_.triangle_a || (a == pair_.triangle_a && b < pair_.triangle_b);
  }

  const TrianglePairs& pairs_;
  Vec3 direction_;
  const DistanceOptions& options_;
  Polish polish_;
  double best_;
  double guessed_ = std::numeric_limits<double>::infinity();
  WideGuess guess_;  // the last; its pair comes up again in the walk
  float threshold_ = std::numeric_limits<float>::infinity();
  bool found_ = false;
  ClosestPoints points_;
  Contact pair_;
};

class WithinVisitor {
 public:
  WithinVisitor(const TrianglePairs& pairs, double limit) : pairs_(pairs), limit_(limit) {}
  [[nodiscard]] float threshold() const { return rounded_up(limit_); }
  bool triangles(std::uint32_t a, std::uint32_t b) {
    const double d = pairs_.closest(a, b).distance;
    if (pairs_.proven_beyond(a, b, d, limit_)) return false;
    distance = d;
    pair = {a, b};
    return true;
  }
  double distance = std::numeric_limits<double>::infinity();
  Contact pair;

 private:
  const TrianglePairs& pairs_;
  double limit_;
};

}  // namespace

Collision wide_collide(const Bvh& a, const Bvh& b, const Pose& a_from_b, Coherence* coherence) {
  Collision result;
  Scratch scratch(coherence);
  const TrianglePairs pairs(a, b, a_from_b);
  CollideVisitor visitor(pairs);
  WideDescent<CollideVisitor>(a, b, a_from_b, scratch.stack(), visitor, result.work).run();
  result.hit = visitor.contact.triangle_a != kNoTriangle;
  result.contact = visitor.contact;
  return result;
}

Contacts wide_contacts(const Bvh& a, const Bvh& b, const Pose& a_from_b, std::size_t limit,
                       Coherence* coherence) {
  Contacts result;
  Scratch scratch(coherence);
  const TrianglePairs pairs(a, b, a_from_b);
  ContactsVisitor visitor(pairs, limit);
  WideDescent<ContactsVisitor>(a, b, a_from_b, scratch.stack(), visitor, result.work).run();
  result.pairs = std::move(visitor.found);
  result.complete = visitor.complete;
  std::sort(result.pairs.begin(), result.pairs.end(), [](const Contact& p, const Contact& q) {
    return p.triangle_a != q.triangle_a ? p.triangle_a < q.triangle_a : p.triangle_b < q.triangle_b;
  });
  return result;
}

Distance wide_distance(const Bvh& a, const Bvh& b, const Pose& a_from_b,
                       const DistanceOptions& options, Coherence* coherence) {
  Distance result;
  Scratch scratch(coherence);
  const TrianglePairs pairs(a, b, a_from_b);
  const DistanceVisitor::Polish polish = [&](const Contact& pair) {
    return improve_guess(a, b, a_from_b, pairs, pair, result.work);
  };
  // With an error allowed, what is dropped on account of a guess may be what would come back
  // without it: the last pair must not decide then.
  const bool exact = !(options.relative_error > 0.0) && !(options.absolute_error > 0.0);
  const bool warm = coherence != nullptr && exact && in_range(coherence->state().last, a, b);
  // Where a bound is given, it drops most of what a better guess would.
  const bool bounded = options.upper_bound < std::numeric_limits<double>::infinity();
  const WideGuess guess =
      !warm     ? guess_closest(a, b, a_from_b, pairs, result.work)
      : bounded ? guess_as_is(pairs, coherence->state().last, result.work)
                : improve_guess(a, b, a_from_b, pairs, coherence->state().last, result.work);
  std::optional<DistanceVisitor> visited;
  const bool known = coherence != nullptr && coherence->state().front.begin(a, b, a_from_b);
  if (known && warm && guess.points.distance > 0.0) {
    visited.emplace(pairs, options, polish);
    visited->at_most(guess);
    WideFrontDescent<DistanceVisitor>(a, b, a_from_b, scratch.stack(), *visited, result.work,
                                      coherence->state().front)
        .run();
  }
  if (!visited) {
    visited.emplace(pairs, options, polish);
    visited->at_most(guess);
    WideDescent<DistanceVisitor>(a, b, a_from_b, scratch.stack(), *visited, result.work).run();
  }
  const DistanceVisitor& visitor = *visited;
  if (!visitor.found()) {
    result.beyond = true;
    result.lower = options.upper_bound;
    return result;
  }
  result.distance = visitor.best();
  result.upper = visitor.best();
  result.lower = visitor.proven();
  ClosestPoints points = visitor.points();
  Contact pair = visitor.pair();
  if (visitor.best() == 0.0) {
    // Which of the pairs that touch was found first depends on the guess: collide() names one that
    // does not.
    CollideVisitor first(pairs);
    WideDescent<CollideVisitor>(a, b, a_from_b, scratch.stack(), first, result.work).run();
    if (first.contact.triangle_a != kNoTriangle) {
      pair = first.contact;
      points = pairs.closest(pair.triangle_a, pair.triangle_b);
    }
  }
  result.on_a = points.on_a;
  result.on_b = points.on_b;
  result.triangle_a = pair.triangle_a;
  result.triangle_b = pair.triangle_b;
  result.normal = pairs.normal(pair.triangle_a, points);
  if (coherence != nullptr) coherence->state().last = pair;
  return result;
}

Within wide_within(const Bvh& a, const Bvh& b, const Pose& a_from_b, double limit,
                   Coherence* coherence) {
  Within result;
  Scratch scratch(coherence);
  const TrianglePairs pairs(a, b, a_from_b);
  if (coherence != nullptr && coherence->state().front.begin(a, b, a_from_b)) {
    WithinVisitor known(pairs, limit);
    WideFrontDescent<WithinVisitor>(a, b, a_from_b, scratch.stack(), known, result.work,
                                    coherence->state().front)
        .run();
    if (known.pair.triangle_a == kNoTriangle) {
      result.lower = limit;
      return result;
    }
  }
  // Which of several pairs is named, the order of the plain descent decides.
  WithinVisitor visitor(pairs, limit);
  WideDescent<WithinVisitor>(a, b, a_from_b, scratch.stack(), visitor, result.work).run();
  result.within = visitor.pair.triangle_a != kNoTriangle;
  result.pair = visitor.pair;
  if (result.within) {
    result.upper = visitor.distance;
  } else {
    result.lower = limit;
  }
  return result;
}

}  // namespace clearance::detail
