// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <clearance/base/parallel.h>

namespace clearance {
namespace {

// More threads than this are never started.
constexpr int kMostThreads = 256;

// TBB starts no more threads than there are cores, and says so on stderr, unless it is allowed to.
// A caller who asks for more gets them, and no more than that: each call has an arena of its own,
// and a thread that has just done its part of one looks for more of it for a while. TBB starts
// another for the next call meanwhile if it may, so that many short calls one after the other would
// have as many threads as it may start, nearly all of them looking.
[[maybe_unused]] void allow(int threads) {
  static std::atomic<int> allowed{tbb::info::default_concurrency()};
  if (threads <= allowed.load()) return;
  static std::mutex changing;
  static std::unique_ptr<tbb::global_control> control;
  const std::lock_guard lock(changing);
  if (threads <= allowed.load()) return;
  // The least of all controls is what holds: the one before goes first.
  control.reset();
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(threads));
  allowed.store(threads);
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
  allow(available);
  tbb::task_arena arena(available);
  // The pieces are the caller's: one task each, no further splitting heuristics.
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body, tbb::simple_partitioner()); });
#endif
}

}  // namespace clearance
