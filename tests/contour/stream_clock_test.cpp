// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/contour/stream_clock.h>

namespace clearance {
namespace {

TEST(LatencyHistogram, IsEmptyAtFirst) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.worst(), 0.0);
  EXPECT_EQ(histogram.quantile(0.5), 0.0);
  EXPECT_TRUE(histogram.rows().empty());
}

TEST(LatencyHistogram, IsExactBelowSixtyFourNanoseconds) {
  LatencyHistogram histogram;
  for (std::int64_t i = 1; i <= 60; ++i) histogram.add(i);
  EXPECT_NEAR(histogram.quantile(0.5), 30e-9, 1e-15);
  EXPECT_NEAR(histogram.quantile(0.0), 1e-9, 1e-15);
  EXPECT_NEAR(histogram.quantile(1.0), 60e-9, 1e-15);
  EXPECT_NEAR(histogram.worst(), 60e-9, 1e-15);
}

TEST(LatencyHistogram, QuantilesAreNeverTooShortAndAtMostAThirtysecondTooLong) {
  Random random(1);
  LatencyHistogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<std::int64_t>(std::pow(10.0, random.uniform(0.0, 11.0))));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
    const double exact = 1e-9 * static_cast<double>(values[rank - 1]);
    EXPECT_GE(histogram.quantile(q), exact * (1.0 - 1e-12)) << q;
    EXPECT_LE(histogram.quantile(q), exact * (1.0 + 1.0 / 32.0) + 1e-15) << q;
  }
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_NEAR(histogram.worst(), 1e-9 * static_cast<double>(values.back()), 1e-12);
}

TEST(LatencyHistogram, RowsHoldEveryEntryOnce) {
  LatencyHistogram histogram;
  const std::vector<std::int64_t> values{-5, 0,    1,    31,   32,        63,
                                         64, 1000, 1023, 1024, 1'000'000, std::int64_t{1} << 45};
  for (const std::int64_t value : values) histogram.add(value);
  std::uint64_t sum = 0;
  double end = -1.0;
  for (const LatencyHistogram::Row& row : histogram.rows()) {
    EXPECT_LE(row.low, row.high);
    EXPECT_GE(row.low, end);
    end = row.high;
    sum += row.count;
  }
  EXPECT_EQ(sum, values.size());
  const auto rows = histogram.rows();
  const auto row_1000 = std::find_if(rows.begin(), rows.end(), [](const auto& row) {
    return row.low < 1000e-9 && 1000e-9 <= row.high;
  });
  ASSERT_NE(row_1000, rows.end());
  EXPECT_EQ(row_1000->count, 2U);  // 1000 and 1023, not 1024
}

TEST(Ticker, NeverTicksEarlyAndNeverDrifts) {
  constexpr std::int64_t kPeriod = 1'000'000;
  for (const std::int64_t spin : {std::int64_t{0}, std::int64_t{100'000}}) {
    Ticker ticker(kPeriod, spin);
    const Ticker::Tick first = ticker.wait();
    for (int i = 0; i < 20; ++i) {
      const Ticker::Tick tick = ticker.wait();
      EXPECT_GE(monotonic_nanoseconds(), tick.time);
      EXPECT_EQ(tick.time - first.time,
                static_cast<std::int64_t>(tick.index - first.index) * kPeriod);
    }
  }
}

TEST(MissAccount, TellsComputingFromOutputAndFromTheMachine) {
  MissAccount account(1000);
  // Nothing used: the machine ran something else.
  account.idle(500);
  account.missed(2, 500 + 1000);
  EXPECT_EQ(account.by_machine(), 2U);
  // One nanosecond more than the deadline leaves.
  account.missed(1, 500 + 1001);
  EXPECT_EQ(account.by_computing(), 1U);
  // What was used before the loop had nothing to do is forgotten.
  account.idle(10'000);
  account.missed(1, 10'100);
  EXPECT_EQ(account.by_machine(), 3U);
  // Answers that nobody took, until the loop is idle again.
  account.output_blocked(600);
  account.missed(1, 10'100);
  account.output_blocked(600);
  account.missed(5, 10'100);
  account.idle(20'000);
  account.missed(1, 20'000);
  EXPECT_EQ(account.by_output(), 5U);
  EXPECT_EQ(account.by_machine(), 5U);
  EXPECT_EQ(account.by_computing(), 1U);
}

TEST(ThreadTime, StandsStillWhileTheThreadSleeps) {
  const std::int64_t used = thread_nanoseconds();
  const std::int64_t all = process_nanoseconds();
  const std::int64_t start = monotonic_nanoseconds();
  timespec pause{0, 50'000'000};
  while (::nanosleep(&pause, &pause) != 0) {
  }
  const std::int64_t asleep = thread_nanoseconds() - used;
  EXPECT_LT(asleep, (monotonic_nanoseconds() - start) / 2);
  // And goes on with work, in both clocks.
  volatile double sum = 0.0;
  while (thread_nanoseconds() - used < asleep + 1'000'000) sum = sum + 1.0;
  EXPECT_GE(process_nanoseconds() - all, 1'000'000);
}

TEST(Ticker, SaysWhetherItHadToWait) {
  constexpr std::int64_t kPeriod = 100'000'000;
  Ticker ticker(kPeriod);
  const Ticker::Tick first = ticker.wait();
  EXPECT_EQ(first.skipped, 0U);
  EXPECT_TRUE(first.waited);
  timespec pause{0, kPeriod + kPeriod / 2};
  while (::nanosleep(&pause, &pause) != 0) {
  }
  EXPECT_FALSE(ticker.wait().waited);
}

TEST(Ticker, PassesOverTicksThatAreLongGone) {
  constexpr std::int64_t kPeriod = 1'000'000;
  Ticker ticker(kPeriod);
  const Ticker::Tick first = ticker.wait();
  timespec pause{0, 5 * kPeriod + kPeriod / 2};
  while (::nanosleep(&pause, &pause) != 0) {
  }
  const Ticker::Tick late = ticker.wait();
  EXPECT_GE(late.skipped, 4U);
  EXPECT_EQ(late.index, first.index + 1 + late.skipped);
  // The latest that was due, not one that is yet to come.
  EXPECT_LE(late.time, monotonic_nanoseconds());
}

}  // namespace
}  // namespace clearance
