// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Time for loops at a fixed rate: ticks that do not drift, a histogram of latencies that costs
// nothing to keep, and an account of why answers came late.
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

/// Processor time the calling thread has used [ns]: it stands still while the machine runs
/// something else, or nothing.
[[nodiscard]] std::int64_t thread_nanoseconds();
/// The same for all threads of the program together.
[[nodiscard]] std::int64_t process_nanoseconds();

/// Why deadlines are missed. On a system that is not real-time most are missed because the machine
/// did something else for a while; faster code would not help, and slower code could hide behind
/// it. What counts is the work since the loop last had nothing to do: a tick may be late for what
/// was done before it.
class MissAccount {
 public:
  /// `deadline_ns` > 0: asserted.
  explicit MissAccount(std::int64_t deadline_ns);

  /// The loop waited for its next tick, which has come. used_ns: processor time, of whatever began.
  void idle(std::int64_t used_ns);
  /// So long nobody took an answer [ns].
  void output_blocked(std::int64_t nanoseconds) { blocked_ += nanoseconds; }
  /// `count` deadlines have been missed, as is known now.
  void missed(std::uint64_t count, std::int64_t used_ns);

  /// Missed with more processor time used than the deadline leaves: the work itself took too long.
  [[nodiscard]] std::uint64_t by_computing() const { return computing_; }
  /// Missed since answers were not taken for longer than the deadline.
  [[nodiscard]] std::uint64_t by_output() const { return output_; }
  /// All others: the work would have been done in time, had the machine let us run.
  [[nodiscard]] std::uint64_t by_machine() const { return machine_; }

 private:
  std::int64_t deadline_;
  std::int64_t idle_used_ = 0;
  std::int64_t blocked_ = 0;  // since then
  std::uint64_t computing_ = 0;
  std::uint64_t output_ = 0;
  std::uint64_t machine_ = 0;
};

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
    bool waited = false;        ///< it was still to come: there was nothing to do until then
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
