// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <ctime>

#include <clearance/base/assert.h>
#include <clearance/contour/stream_clock.h>

namespace clearance {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
/// Durations below this have a bucket for each nanosecond: the first octaves that 32 buckets would
/// cut finer than that.
constexpr std::int64_t kExact = 32;
constexpr int kExactBits = 5;

/// Bucket of a duration in [0, 2^40): the value itself below 32, then 32 for each power of two.
std::size_t bucket_of(std::int64_t nanoseconds) {
  const auto value = static_cast<std::uint64_t>(nanoseconds);
  if (nanoseconds < kExact) return static_cast<std::size_t>(value);
  const int shift = static_cast<int>(std::bit_width(value)) - 1 - kExactBits;
  return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) << kExactBits) +
                                  (value >> static_cast<unsigned>(shift)));
}

/// The largest duration of a bucket.
std::int64_t end_of(std::size_t bucket) {
  if (bucket < static_cast<std::size_t>(kExact)) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = (bucket >> kExactBits) - 1;
  const std::size_t mantissa = bucket - (shift << kExactBits);
  return static_cast<std::int64_t>(((mantissa + 1) << shift) - 1);
}

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * kNanosecondsPerSecond + now.tv_nsec;
}

}  // namespace

void LatencyHistogram::add(std::int64_t nanoseconds) {
  const std::int64_t value = std::max<std::int64_t>(nanoseconds, 0);
  constexpr std::int64_t kLast = (std::int64_t{1} << kOctaves) - 1;
  ++buckets_[bucket_of(std::min(value, kLast))];
  ++count_;
  worst_ = std::max(worst_, value);
}

double LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return 0.0;
  const double wanted = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) return 1e-9 * static_cast<double>(std::min(end_of(i), worst_));
  }
  return worst();
}

std::vector<LatencyHistogram::Row> LatencyHistogram::rows() const {
  std::vector<Row> rows;
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  for (int octave = 0; octave < kOctaves && seen < count_; ++octave) {
    // All buckets that end below the next power of two.
    const std::int64_t high = (std::int64_t{1} << octave) - 1;
    std::uint64_t here = 0;
    for (; bucket < buckets_.size() && end_of(bucket) <= high; ++bucket) here += buckets_[bucket];
    if (octave == kOctaves - 1)
      for (; bucket < buckets_.size(); ++bucket) here += buckets_[bucket];
    seen += here;
    if (here == 0 && rows.empty()) continue;
    const std::int64_t low = octave == 0 ? 0 : (std::int64_t{1} << (octave - 1)) - 1;
    rows.push_back({1e-9 * static_cast<double>(low), 1e-9 * static_cast<double>(high), here});
  }
  return rows;
}

std::int64_t monotonic_nanoseconds() { return nanoseconds_of(CLOCK_MONOTONIC); }
std::int64_t thread_nanoseconds() { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }
std::int64_t process_nanoseconds() { return nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID); }

MissAccount::MissAccount(std::int64_t deadline_ns) : deadline_(deadline_ns) {
  CLEARANCE_ASSERT(deadline_ns > 0);
}

void MissAccount::idle(std::int64_t used_ns) {
  idle_used_ = used_ns;
  blocked_ = 0;
}

void MissAccount::missed(std::uint64_t count, std::int64_t used_ns) {
  if (used_ns - idle_used_ > deadline_) {
    computing_ += count;
  } else if (blocked_ > deadline_) {
    output_ += count;
  } else {
    machine_ += count;
  }
}

Ticker::Ticker(std::int64_t period_ns, std::int64_t spin_ns)
    : start_(monotonic_nanoseconds()),
      period_(period_ns),
      spin_(std::max<std::int64_t>(spin_ns, 0)) {
  CLEARANCE_ASSERT(period_ns > 0);
}

Ticker::Tick Ticker::wait() {
  const std::uint64_t first = next_;
  const std::int64_t passed = (monotonic_nanoseconds() - start_) / period_ - 1;
  if (passed > static_cast<std::int64_t>(next_)) next_ = static_cast<std::uint64_t>(passed);
  const std::uint64_t index = next_++;
  const std::int64_t due = start_ + static_cast<std::int64_t>(index + 1) * period_;
  const std::int64_t now = monotonic_nanoseconds();
  const Tick tick{due, index, index - first, now < due};

  const std::int64_t sleep_until = due - spin_;
  if (now < sleep_until) {
    const timespec until{static_cast<time_t>(sleep_until / kNanosecondsPerSecond),
                         static_cast<long>(sleep_until % kNanosecondsPerSecond)};
    // A signal ends the sleep: the tick comes early then, so that a wish to stop is seen at once.
    if (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) return tick;
  }
  while (monotonic_nanoseconds() < due) {
  }
  return tick;
}

}  // namespace clearance
