// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/parallel.h>

namespace clearance {
namespace {

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
