// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces worked on by several threads, whose results are put together in the order of the pieces.
#pragma once

#include <atomic>
#include <cstddef>

namespace clearance::detail {

/// Pieces are taken in order, 0, 1, 2, ...; whoever took one waits for its turn before it touches
/// what all share. The thread with the lowest piece never waits, so they cannot wait in a circle.
class PieceTurns {
 public:
  /// Returns when all lower pieces have ended their turns.
  void wait_for(std::size_t piece) const {
    for (std::size_t turn = turn_.load(std::memory_order_acquire); turn != piece;
         turn = turn_.load(std::memory_order_acquire)) {
      turn_.wait(turn, std::memory_order_acquire);
    }
  }
  /// Ends the turn of the piece whose turn it is.
  void end(std::size_t piece) {
    turn_.store(piece + 1, std::memory_order_release);
    turn_.notify_all();
  }

 private:
  std::atomic<std::size_t> turn_ = 0;
};

}  // namespace clearance::detail
