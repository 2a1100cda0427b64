// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/parallel.h>

namespace clearance {
namespace {

/// The threads of this process, by Linux.
std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// First of all: another test asks for more threads, and those stay.
TEST(ParallelFor, ManyShortCallsLeaveNoMoreThreadsThanWereAskedFor) {
  const int threads = std::max(2, Threads{}.resolved());
  const std::ptrdiff_t before = threads_of_this_process();
  std::atomic<int> calls = 0;
  for (int call = 0; call < 5000; ++call) {
    parallel_for({threads}, 16, [&](std::size_t) { ++calls; });
  }
  EXPECT_EQ(calls, 5000 * 16);
  // There were 255 when TBB was allowed 256 from the first call on, all of them yielding in turn.
  EXPECT_LE(threads_of_this_process(), before + threads - 1);
}

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const int threads : {0, 1, 2, 3, 8}) {
    for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<int> calls(count, 0);
      parallel_for({threads}, count, [&](std::size_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << threads << " threads, " << count;
    }
  }
}

TEST(ParallelFor, OneThreadIsTheCallersAndInOrder) {
  std::vector<std::size_t> order;
  bool same_thread = true;
  const auto caller = std::this_thread::get_id();
  parallel_for({1}, 100, [&](std::size_t i) {
    order.push_back(i);
    same_thread = same_thread && std::this_thread::get_id() == caller;
  });
  EXPECT_TRUE(same_thread);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

TEST(ParallelFor, UsesNoMoreThreadsThanAllowed) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  parallel_for({3}, 64, [&](std::size_t) {
    const int now = ++running;
    int known = most;
    while (now > known && !most.compare_exchange_weak(known, now)) {
    }
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    std::this_thread::yield();
    --running;
  });
  EXPECT_LE(most, 3);
  EXPECT_FALSE(seen.empty());
}

TEST(ParallelFor, NestedLoopsFinish) {
  std::atomic<int> calls = 0;
  parallel_for({4}, 8, [&](std::size_t) { parallel_for({4}, 8, [&](std::size_t) { ++calls; }); });
  EXPECT_EQ(calls, 64);
}

TEST(ParallelFor, PrintsNothingWhenAskedForMoreThreadsThanCores) {
  testing::internal::CaptureStderr();
  const int many = 4 * Threads{}.resolved() + 1;
  std::atomic<int> calls = 0;
  parallel_for({many}, 100, [&](std::size_t) { ++calls; });
  parallel_for({100000}, 100, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 200);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Threads, ZeroMeansOnePerCore) {
  EXPECT_GE(Threads{}.resolved(), 1);
  EXPECT_EQ(Threads{5}.resolved(), 5);
}

}  // namespace
}  // namespace clearance
