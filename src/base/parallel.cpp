// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <thread>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <clearance/base/parallel.h>

namespace clearance {

int Threads::resolved() const {
  if (count > 0) return count;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

void parallel_for(Threads threads, std::size_t count,
                  const std::function<void(std::size_t)>& body) {
  const int available = threads.resolved();
  if (available == 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  tbb::task_arena arena(available);
  // The pieces are the caller's: one task each, no further splitting heuristics.
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body, tbb::simple_partitioner()); });
}

}  // namespace clearance
