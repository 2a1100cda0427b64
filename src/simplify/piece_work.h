// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Dividing a body into pieces until something is known about each of them, on many threads, with
// the same outcome for any number of them. Each piece carries the balls that may matter in it, so
// that its parts look at few.
//
// Work goes in rounds. In a round every piece is divided depth first up to kPiecesATime times; what
// is left of it waits for the next round. The first piece of the first round that decides is the
// one that counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/vector.h>

namespace clearance::detail {

/// What became of a piece.
enum class Looked : std::uint8_t {
  Done,       ///< nothing is amiss in it
  Divide,     ///< not known
  TooSmall,   ///< not known, and not worth dividing
  Uncovered,  ///< a point was found
};

using Candidates = std::vector<std::uint32_t>;

struct PieceLimits {
  std::size_t most_pieces = 0;
  std::size_t most_too_small = 0;
  /// 0: stop at the first uncovered point. Else go on, pieces that are too small count as well, and
  /// no further round begins when there are so many.
  std::size_t most_points = 0;
  Threads threads;
  Monitor* monitor = nullptr;
};

struct PieceOutcome {
  bool found = false;
  Vec3 point;
  bool complete = false;  // every piece was decided
  std::size_t pieces = 0;
  std::vector<Vec3> points;  // uncovered or not known, with limits.most_points
};

/// Pieces looked at of one root in one round.
inline constexpr std::size_t kPiecesATime = 4096;

/// A Proof says what pieces are:
///   using Piece = ...;
///   // Chooses of the balls `from` those that matter in the piece; may change the piece by what is
///   // learnt about it. `point` is set with Looked::Uncovered and Looked::TooSmall.
///   Looked look(Piece&, std::span<const std::uint32_t> from, Candidates& chosen, Vec3& point)
///   const;
///   // Parts of a piece.
///   void divide(const Piece&, std::vector<Piece>& parts) const;
template <class Proof>
class PieceWork {
 public:
  using Piece = typename Proof::Piece;
  struct Root {
    Piece piece;
    Candidates balls;
  };

  PieceWork(const Proof& proof, const PieceLimits& limits) : proof_(proof), limits_(limits) {}

  /// Looks at roots 0 to count - 1; make_root(i) gives each of them, on any thread.
  template <class MakeRoot>
  PieceOutcome run(std::size_t count, const MakeRoot& make_root) {
    PieceOutcome outcome;
    std::size_t too_small = 0;
    std::vector<Root> waiting;
    if (!round(count, make_root, outcome, waiting, too_small)) return outcome;
    while (!waiting.empty()) {
      const std::vector<Root> roots = std::move(waiting);
      waiting = {};
      const auto next = [&](std::size_t i) { return roots[i]; };
      if (!round(roots.size(), next, outcome, waiting, too_small)) return outcome;
    }
    outcome.complete = too_small == 0 && outcome.points.empty();
    return outcome;
  }

 private:
  struct Result {
    bool found = false;
    Vec3 point;
    std::size_t pieces = 0;
    std::size_t too_small = 0;
    std::vector<Vec3> points;
    std::vector<Root> rest;
  };

  // False: no further rounds.
  template <class MakeRoot>
  bool round(std::size_t count, const MakeRoot& make_root, PieceOutcome& outcome,
             std::vector<Root>& waiting, std::size_t& too_small) {
    // Roots after one that decided need not be looked at.
    constexpr std::size_t kBlock = 16;
    std::atomic<std::size_t> decided{count};
    const std::size_t blocks = (count + kBlock - 1) / kBlock;
    std::vector<Result> results(blocks);
    std::atomic<bool> cancelled{false};
    parallel_for(limits_.threads, blocks, [&](std::size_t block) {
      for (std::size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) {
        if (i > decided.load()) return;
        if (is_cancelled(limits_.monitor)) {
          cancelled = true;
          return;
        }
        work_off(make_root(i), results[block]);
        if (!results[block].found) continue;
        std::size_t least = decided.load();
        while (i < least && !decided.compare_exchange_weak(least, i)) {
        }
        return;
      }
    });
    for (Result& result : results) {
      outcome.pieces += result.pieces;
      too_small += result.too_small;
      outcome.points.insert(outcome.points.end(), result.points.begin(), result.points.end());
      if (result.found) {
        outcome.found = true;
        outcome.point = result.point;
        return false;
      }
      for (Root& root : result.rest) waiting.push_back(std::move(root));
      result.rest = {};
    }
    if (cancelled || outcome.pieces >= limits_.most_pieces) return false;
    if (limits_.most_points > 0) return outcome.points.size() < limits_.most_points;
    return too_small < limits_.most_too_small;
  }

  void work_off(Root root, Result& result) const {
    struct Entry {
      Piece piece;
      std::size_t begin;  // the balls of the piece it is a part of, in `lists`
      std::size_t end;
    };
    Candidates lists = std::move(root.balls);
    std::vector<Entry> stack{{root.piece, 0, lists.size()}};
    Candidates chosen;
    std::vector<Piece> parts;
    for (std::size_t looked = 0; !stack.empty(); ++looked) {
      if (looked == kPiecesATime) {
        // Depth first from the top: the order is kept.
        for (auto entry = stack.rbegin(); entry != stack.rend(); ++entry) {
          result.rest.push_back(
              {entry->piece, Candidates(lists.begin() + static_cast<std::ptrdiff_t>(entry->begin),
                                        lists.begin() + static_cast<std::ptrdiff_t>(entry->end))});
        }
        return;
      }
      Entry entry = std::move(stack.back());
      stack.pop_back();
      // Lists beyond belong to pieces that are done.
      lists.resize(entry.end);
      chosen.clear();
      ++result.pieces;
      const Looked looked_at =
          proof_.look(entry.piece, std::span(lists).subspan(entry.begin, entry.end - entry.begin),
                      chosen, result.point);
      const bool is_open = looked_at == Looked::Uncovered || looked_at == Looked::TooSmall;
      if (is_open && limits_.most_points > 0) {
        result.points.push_back(result.point);
        continue;
      }
      if (looked_at == Looked::Uncovered) {
        result.found = true;
        return;
      }
      if (looked_at == Looked::TooSmall) ++result.too_small;
      if (looked_at != Looked::Divide) continue;
      parts.clear();
      proof_.divide(entry.piece, parts);
      const std::size_t begin = lists.size();
      lists.insert(lists.end(), chosen.begin(), chosen.end());
      for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        stack.push_back({*part, begin, lists.size()});
    }
  }

  const Proof& proof_;
  PieceLimits limits_;
};

}  // namespace clearance::detail
