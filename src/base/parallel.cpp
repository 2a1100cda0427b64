// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <thread>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <clearance/base/parallel.h>

namespace clearance {
namespace {

// More threads than this are never started.
constexpr int kMostThreads = 256;

// TBB starts no more threads than there are cores, and says so on stderr, unless it is allowed to.
// A caller who asks for more gets them.
[[maybe_unused]] void allow_more_threads_than_cores() {
  static const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                           kMostThreads);
}

}  // namespace

int Threads::resolved() const {
  if (count > 0) return count;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores == 0 ? 1 : static_cast<int>(cores);
}

void parallel_for(Threads threads, std::size_t count,
                  const std::function<void(std::size_t)>& body) {
  const int available = std::min(threads.resolved(), kMostThreads);
  if (available == 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
#if defined(__SANITIZE_THREAD__)
  // ThreadSanitizer does not see the synchronisation inside the TBB library, which is not built for
  // it, and would report every use of what a piece wrote. Plain threads it understands. The pieces
  // are dealt out in turn: a shared counter would order each piece after those taken before it, or
  // leave all to one thread, and races between pieces would go unseen.
  const std::size_t used = std::min(static_cast<std::size_t>(available), count);
  const auto work = [&](std::size_t first) {
    for (std::size_t i = first; i < count; i += used) body(i);
  };
  std::vector<std::thread> others;
  for (std::size_t first = 1; first < used; ++first) others.emplace_back(work, first);
  work(0);
  for (std::thread& other : others) other.join();
#else
  allow_more_threads_than_cores();
  tbb::task_arena arena(available);
  // The pieces are the caller's: one task each, no further splitting heuristics.
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body, tbb::simple_partitioner()); });
#endif
}

}  // namespace clearance
