// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time for loops at a fixed rate: ticks that do not drift, and a histogram of latencies that costs
// nothing to keep.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace clearance {

/// Counts durations in buckets whose width is 1/32 of their value or 1 ns: fixed memory, a few
/// nanoseconds an entry, no allocation.
class LatencyHistogram {
 public:
  /// Negative ones count as 0, those beyond 2^40 ns (18 minutes) in the last bucket.
  void add(std::int64_t nanoseconds);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The largest, exactly [s]; 0 when empty.
  [[nodiscard]] double worst() const { return 1e-9 * static_cast<double>(worst_); }
  /// The smallest duration [s] that at least the fraction q in [0, 1] of all entries do not exceed;
  /// rounded up to the end of its bucket, at most 1/32 too long and never too short. 0 when empty.
  [[nodiscard]] double quantile(double q) const;

  /// Entries of (low, high] [s].
  struct Row {
    double low = 0.0;
    double high = 0.0;
    std::uint64_t count = 0;
  };
  /// By powers of two of a nanosecond, from the first that is not empty to the last.
  [[nodiscard]] std::vector<Row> rows() const;

 private:
  static constexpr int kOctaves = 40;
  static constexpr std::size_t kPerOctave = 32;
  std::array<std::uint64_t, kOctaves * kPerOctave> buckets_{};
  std::uint64_t count_ = 0;
  std::int64_t worst_ = 0;
};

/// Now, on the clock of the ticks (CLOCK_MONOTONIC) [ns].
[[nodiscard]] std::int64_t monotonic_nanoseconds();

/// Ticks at start + k * period. Nothing accumulates: a late tick does not move the later ones.
class Ticker {
 public:
  /// `period_ns` > 0: asserted. The last `spin_ns` before a tick are waited for with the processor
  /// busy: that takes out what waking up costs, some tens of microseconds, at the price of a core
  /// that is never quite idle. 0: never.
  explicit Ticker(std::int64_t period_ns, std::int64_t spin_ns = 0);

  struct Tick {
    std::int64_t time = 0;      ///< when it was due [ns]
    std::uint64_t index = 0;    ///< from 0; those passed over are counted
    std::uint64_t skipped = 0;  ///< ticks passed over since the last: the work took too long
  };
  /// Waits for the next tick: the first is a period after construction. When the next is over by
  /// a whole period already, all but the latest are passed over.
  Tick wait();

 private:
  std::int64_t start_;
  std::int64_t period_;
  std::int64_t spin_;
  std::uint64_t next_ = 0;
};

}  // namespace clearance
