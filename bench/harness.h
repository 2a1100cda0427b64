// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark harness. A row times our code and a rival's on the same input in one process; a
// figure is a number that is not a time, such as memory. Files bench/*_bench.cpp register both:
//
//   const bench::RowEntry kSum{"sum/1000", [] {
//     auto numbers = std::make_shared<std::vector<double>>(1000, 1.0);
//     return bench::Row{.rival = "std::reduce",
//                       .ours = [=] { bench::keep(our_sum(*numbers)); },
//                       .theirs = [=] { bench::keep(std::reduce(...)); },
//                       .equal = [=] { return our_sum(*numbers) == std::reduce(...); },
//                       .bar = 1.0};
//   }};
//
// The function that makes a row runs only when the row is chosen, so costly input belongs there.
// Names are stable: results are compared over time by name. How times are taken: docs/bench.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace clearance::bench {

/// The seed of all random input, unless --seed names another.
inline constexpr std::uint64_t kDefaultSeed = 20250101;
/// The seed of this run.
[[nodiscard]] std::uint64_t seed();
void set_seed(std::uint64_t value);

/// Makes the compiler believe that the value is used, so that the work behind it stays.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Ours and a rival's way to the same answer.
struct Row {
  std::string rival;             ///< who it is: "assimp", "fcl", "read()"
  std::function<void()> ours;    ///< one run
  std::function<void()> theirs;  ///< one run of the rival
  /// Runs both once and compares the answers. Called before anything is timed; a row that differs
  /// is reported as such. Empty: the answers cannot be compared, and the row never says "equal".
  std::function<bool()> equal;
  /// The least ratio promised (rival's time over ours); absent: no promise.
  std::optional<double> bar;
  /// Work items in one run (pairs, queries). Times are reported per item.
  std::uint64_t items = 1;
};

/// A measured number that is not a time.
struct Figure {
  double value = 0.0;
  std::string unit;                ///< "bytes", "x mesh", ...
  std::optional<double> at_most;   ///< the bar, where less is better
  std::optional<double> at_least;  ///< the bar, where more is better
};

/// Registers a row or a figure while static objects are made.
struct RowEntry {
  RowEntry(std::string name, std::function<Row()> make);
};
struct FigureEntry {
  FigureEntry(std::string name, std::function<Figure()> make);
};

struct Effort;
struct Measurement;
/// A row that times itself: searches that take seconds to minutes and differ from seed to seed.
struct TimedEntry {
  TimedEntry(std::string name, std::function<std::optional<Measurement>(const Effort&)> measure);
};

/// A bar on the geometric mean of the ratios of all rows whose name begins with `prefix`, as far as
/// they were measured.
struct MeanEntry {
  MeanEntry(std::string name, std::string prefix, double at_least);
};

/// One run of both sides within a block: nanoseconds per run.
struct BlockTimes {
  double ours_ns = 0.0;
  double rival_ns = 0.0;
};

/// The outcome of a row.
struct Measurement {
  std::string name;
  std::string rival;
  double ours_ns = 0.0;    ///< per item
  double rival_ns = 0.0;   ///< per item
  double ratio = 0.0;      ///< rival_ns / ours_ns: above 1, ours is faster
  double ratio_low = 0.0;  ///< first and third quartile of the ratios of the blocks
  double ratio_high = 0.0;
  std::size_t block_count = 0;
  bool compared = false;  ///< the row has a comparison
  bool equal = false;     ///< compared, and the answers agree
  std::optional<double> bar;

  [[nodiscard]] bool holds() const { return !bar || ratio >= *bar; }
};

struct FigureResult {
  std::string name;
  Figure figure;
  [[nodiscard]] bool holds() const;
};

/// How long to measure.
struct Effort {
  double warm_up_s = 0.2;     ///< at least one run of each side
  double sample_s = 0.004;    ///< short runs are repeated until a sample lasts this long
  int samples_per_block = 5;  ///< a block's time is the median of its samples
  int blocks = 15;            ///< blocks alternate between the two sides; made odd
  int fewest_blocks = 3;      ///< for rows slower than the budget
  double budget_s = 10.0;     ///< no new block after this time
  double once_s = 3.0;        ///< a rival whose run takes longer than this is timed once
  int seeds = 10;             ///< of rivals that are random, in rows that time themselves
  double limit_s = 300.0;     ///< ...and when one of their runs is given up
  double enough = 0.0;        ///< ...also once they took this many times as long as ours; 0: not
};

/// The median; the mean of the middle two for an even number. At least one value.
[[nodiscard]] double median(std::vector<double> values);
/// Linear interpolation between the sorted values; fraction in [0, 1].
[[nodiscard]] double quantile(std::vector<double> values, double fraction);
/// Fills times and ratios from an odd number of blocks. The reported times are those of the block
/// whose ratio is the median, so that ratio = rival_ns / ours_ns holds exactly.
void summarize(const std::vector<BlockTimes>& blocks, std::uint64_t items, Measurement& result);

/// Compares the answers, then times both sides.
[[nodiscard]] Measurement measure(const std::string& name, const Row& row, const Effort& effort);

/// Growth of the resident memory at its peak while `work` runs, in bytes. Mapped files count as far
/// as they are read. Nothing else may run at the same time.
[[nodiscard]] std::uint64_t peak_memory_growth(const std::function<void()>& work);

/// "12.3 ms", with a unit that fits.
[[nodiscard]] std::string format_duration(double nanoseconds);
/// The text of ratios.csv: name,ours_ns,rival,rival_ns,ratio,equal
[[nodiscard]] std::string ratios_csv(const std::vector<Measurement>& rows);
/// The text of figures.csv: name,value,unit,bar,holds
[[nodiscard]] std::string figures_csv(const std::vector<FigureResult>& figures);
/// The table for people.
[[nodiscard]] std::string table(const std::vector<Measurement>& rows,
                                const std::vector<FigureResult>& figures);

/// The means that were registered, over these rows; those without a row are left out.
[[nodiscard]] std::vector<FigureResult> means(const std::vector<Measurement>& rows);

/// What is registered, sorted by name.
struct Registered {
  std::string name;
  std::function<Row()> row;        ///< either this
  std::function<Figure()> figure;  ///< or this
  /// or this: no measurement where the input is not there.
  std::function<std::optional<Measurement>(const Effort&)> timed;
};
[[nodiscard]] std::vector<Registered> registered();

}  // namespace clearance::bench
