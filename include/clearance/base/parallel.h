// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A parallel loop whose result cannot depend on the number of threads: the caller cuts the work
// into pieces that are independent of that number, and each piece writes only what is its own.
#pragma once

#include <cstddef>
#include <functional>

namespace clearance {

/// How many threads a call may use. A count, passed in by the caller; there is no global setting.
struct Threads {
  int count = 0;  ///< 0: one per core; 1: the calling thread alone
  /// The number meant: count, or the number of cores of this machine for 0.
  [[nodiscard]] int resolved() const;
};

/// Calls body(i) once for each i in [0, count), in any order, on up to `threads` threads.
/// body must not throw. Returns when all calls have returned.
void parallel_for(Threads threads, std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace clearance
