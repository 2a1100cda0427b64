// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one descent over pairs of nodes of two hierarchies. A kind of shape joins by saying what its
// pairs of nodes are, how far apart everything below such a pair is at least, and what to do with a
// pair of leaves; it does not write a traversal. Depth first, the nearer pair first; what lies
// beyond the problem's limit is dropped. No recursion: the stack is the caller's and grows as it
// must.
#pragma once

#include <concepts>
#include <utility>
#include <vector>

namespace clearance::detail {

/// What a descent needs to know.
template <class T>
concept PairProblem = requires(T& problem, const typename T::Pair& pair, double bound) {
  /// At most the distance of anything below the pair, >= 0. Where only yes or no is asked: 0 or
  /// infinity.
  { problem.bound(pair) } -> std::convertible_to<double>;
  /// Pairs with a bound above this cannot matter any more. Falls as better answers are found;
  /// below 0 ends the descent.
  { problem.limit() } -> std::convertible_to<double>;
  /// Called once for each pair that is dropped, unless the descent has ended.
  problem.dropped(bound);
  { problem.is_leaf(pair) } -> std::same_as<bool>;
  /// Looks at the primitives of a pair of leaves.
  problem.test(pair);
  /// The two pairs that a pair of which one at least is no leaf is made of.
  { problem.open(pair) } -> std::same_as<std::pair<typename T::Pair, typename T::Pair>>;
};

template <class Pair>
struct PendingPair {
  Pair pair;
  double bound = 0.0;
};

/// Runs a problem from its root pair. The stack is emptied first; its memory is kept.
template <PairProblem Problem>
void descend(Problem& problem, const typename Problem::Pair& root,
             std::vector<PendingPair<typename Problem::Pair>>& stack) {
  stack.clear();
  stack.push_back({root, problem.bound(root)});
  while (!stack.empty()) {
    const PendingPair<typename Problem::Pair> next = stack.back();
    stack.pop_back();
    if (next.bound > problem.limit()) {
      if (problem.limit() < 0.0) return;
      problem.dropped(next.bound);
      continue;
    }
    if (problem.is_leaf(next.pair)) {
      problem.test(next.pair);
      continue;
    }
    const auto [first, second] = problem.open(next.pair);
    PendingPair<typename Problem::Pair> near{first, problem.bound(first)};
    PendingPair<typename Problem::Pair> far{second, problem.bound(second)};
    if (far.bound < near.bound) std::swap(near, far);
    for (const auto* pending : {&far, &near}) {
      if (pending->bound > problem.limit()) {
        problem.dropped(pending->bound);
      } else {
        stack.push_back(*pending);
      }
    }
  }
}

}  // namespace clearance::detail
