// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What queries of chains do with the pairs they find: remember those that touched, and keep the
// nearest.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace clearance::detail {

/// Puts a pair in front of those that touched last, of which `most` are kept.
template <class Pair>
void remember(std::vector<Pair>& recent, const Pair& pair, std::size_t most) {
  recent.reserve(most + 1);
  std::erase(recent, pair);
  recent.insert(recent.begin(), pair);
  recent.resize(std::min(recent.size(), most));
}

/// The nearest pair so far, of equally near ones the lowest, kept in an answer with the members
/// `distance` and `pair`. Pairs at `upper_bound` or beyond do not count.
template <class Answer>
class NearestPair {
 public:
  NearestPair(Answer& answer, double upper_bound) : answer_(answer), upper_bound_(upper_bound) {}

  /// Pairs farther apart than this need not be offered.
  [[nodiscard]] double threshold() const { return std::min(answer_.distance, upper_bound_); }
  /// A distance is needed only when it is below this: equal ones have to come back too, for the
  /// lowest pair, and what is within the slack of a pose is contact.
  [[nodiscard]] double needed_below(double slack) const {
    return std::nextafter(std::max(threshold(), slack), std::numeric_limits<double>::infinity());
  }
  template <class Pair>
  void offer(const Pair& pair, double distance) {
    const bool better =
        distance < answer_.distance || (distance == answer_.distance && pair < answer_.pair);
    if (!better || !(distance < upper_bound_)) return;
    answer_.distance = distance;
    answer_.pair = pair;
  }

 private:
  Answer& answer_;
  double upper_bound_;
};

}  // namespace clearance::detail
