// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>

#include <malloc.h>

#include "text.h"

namespace clearance::bench {
namespace {

using cli::align_columns;
using cli::format_number;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<Registered>& registry() {
  static std::vector<Registered> entries;
  return entries;
}

struct Mean {
  std::string name;
  std::string prefix;
  double at_least;
};
std::vector<Mean>& mean_registry() {
  static std::vector<Mean> entries;
  return entries;
}

std::uint64_t current_seed = kDefaultSeed;

/// Nanoseconds of one run, from `runs` of them in a row.
double time_runs(const std::function<void()>& work, std::uint64_t runs) {
  const Clock::time_point start = Clock::now();
  for (std::uint64_t i = 0; i < runs; ++i) work();
  return 1e9 * seconds_since(start) / static_cast<double>(runs);
}

/// Runs one side until caches and clocks have settled; returns how many runs make a sample.
std::uint64_t warm_up(const std::function<void()>& work, const Effort& effort) {
  const Clock::time_point start = Clock::now();
  std::uint64_t runs = 0;
  do {
    work();
    ++runs;
  } while (seconds_since(start) < effort.warm_up_s);
  const double run_s = seconds_since(start) / static_cast<double>(runs);
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil(effort.sample_s / run_s)));
}

double time_block(const std::function<void()>& work, std::uint64_t runs, int samples) {
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) times.push_back(time_runs(work, runs));
  return median(std::move(times));
}

/// A field of a CSV line; quoted when it has to be.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::uint64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, key.size(), key) == 0)
      return 1024 * std::stoull(line.substr(line.find_first_of("0123456789")));
  }
  return 0;
}

std::string bar_text(const Figure& figure) {
  if (figure.at_most) return "<= " + format_number("%g", *figure.at_most);
  if (figure.at_least) return ">= " + format_number("%g", *figure.at_least);
  return "";
}

}  // namespace

std::uint64_t seed() { return current_seed; }
void set_seed(std::uint64_t value) { current_seed = value; }

RowEntry::RowEntry(std::string name, std::function<Row()> make) {
  registry().push_back({std::move(name), std::move(make), {}, {}});
}

FigureEntry::FigureEntry(std::string name, std::function<Figure()> make) {
  registry().push_back({std::move(name), {}, std::move(make), {}});
}

TimedEntry::TimedEntry(std::string name,
                       std::function<std::optional<Measurement>(const Effort&)> measure) {
  registry().push_back({std::move(name), {}, {}, std::move(measure)});
}

MeanEntry::MeanEntry(std::string name, std::string prefix, double at_least) {
  mean_registry().push_back({std::move(name), std::move(prefix), at_least});
}

std::vector<FigureResult> means(const std::vector<Measurement>& rows) {
  std::vector<FigureResult> results;
  for (const Mean& mean : mean_registry()) {
    double sum = 0.0;
    int count = 0;
    for (const Measurement& row : rows) {
      if (row.name.compare(0, mean.prefix.size(), mean.prefix) != 0) continue;
      sum += std::log(row.ratio);
      ++count;
    }
    if (count == 0) continue;
    Figure figure;
    figure.value = std::exp(sum / count);
    figure.unit = "x, geometric mean of " + std::to_string(count) + (count == 1 ? " row" : " rows");
    figure.at_least = mean.at_least;
    results.push_back({mean.name, figure});
  }
  return results;
}

std::vector<Registered> registered() {
  std::vector<Registered> entries = registry();
  std::sort(entries.begin(), entries.end(),
            [](const Registered& a, const Registered& b) { return a.name < b.name; });
  return entries;
}

bool FigureResult::holds() const {
  return (!figure.at_most || figure.value <= *figure.at_most) &&
         (!figure.at_least || figure.value >= *figure.at_least);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

void summarize(const std::vector<BlockTimes>& blocks, std::uint64_t items, Measurement& result) {
  const auto ratio = [&](std::size_t i) { return blocks[i].rival_ns / blocks[i].ours_ns; };
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ratio(a) < ratio(b); });
  std::vector<double> ratios;
  for (const std::size_t i : order) ratios.push_back(ratio(i));

  const BlockTimes& middle = blocks[order[order.size() / 2]];
  result.ours_ns = middle.ours_ns / static_cast<double>(items);
  result.rival_ns = middle.rival_ns / static_cast<double>(items);
  result.ratio = result.rival_ns / result.ours_ns;
  result.ratio_low = quantile(ratios, 0.25);
  result.ratio_high = quantile(ratios, 0.75);
  result.block_count = blocks.size();
}

Measurement measure(const std::string& name, const Row& row, const Effort& effort) {
  Measurement result{.name = name, .rival = row.rival, .bar = row.bar};
  result.compared = static_cast<bool>(row.equal);
  result.equal = result.compared && row.equal();

  const std::uint64_t our_runs = warm_up(row.ours, effort);
  std::vector<BlockTimes> blocks;
  // A rival of many seconds a run is timed once: what it needs to settle is nothing beside that.
  const double first_ns = time_runs(row.theirs, 1);
  if (first_ns > 1e9 * effort.once_s) {
    blocks.push_back({time_block(row.ours, our_runs, effort.samples_per_block), first_ns});
    summarize(blocks, row.items, result);
    return result;
  }
  const std::uint64_t their_runs = warm_up(row.theirs, effort);

  const Clock::time_point start = Clock::now();
  const auto done = [&] {
    const int count = static_cast<int>(blocks.size());
    if (count % 2 == 0) return false;
    return count >= effort.blocks ||
           (count >= effort.fewest_blocks && seconds_since(start) > effort.budget_s);
  };
  // One sample a block where even the fewest blocks of several would break the budget.
  const double sample_s = (time_runs(row.ours, our_runs) * static_cast<double>(our_runs) +
                           time_runs(row.theirs, their_runs) * static_cast<double>(their_runs)) *
                          1e-9;
  const bool slow = sample_s * effort.samples_per_block * effort.fewest_blocks > effort.budget_s;
  const int samples = slow ? 1 : effort.samples_per_block;
  while (!done()) {
    // The order changes from block to block: whatever drifts, drifts against both.
    BlockTimes block;
    const bool ours_first = blocks.size() % 2 == 0;
    if (ours_first) block.ours_ns = time_block(row.ours, our_runs, samples);
    block.rival_ns = time_block(row.theirs, their_runs, samples);
    if (!ours_first) block.ours_ns = time_block(row.ours, our_runs, samples);
    blocks.push_back(block);
  }
  summarize(blocks, row.items, result);
  return result;
}

std::uint64_t peak_memory_growth(const std::function<void()>& work) {
  // Memory freed earlier but kept by malloc would hide growth: give it back first. Writing 5 to
  // clear_refs sets the kernel's high-water mark to what is resident now.
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
  const std::uint64_t before = status_bytes("VmRSS");
  work();
  const std::uint64_t peak = status_bytes("VmHWM");
  return peak > before ? peak - before : 0;
}

std::string format_duration(double nanoseconds) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (nanoseconds >= 999.5 && unit + 1 < std::size(kUnits)) {
    nanoseconds *= 1e-3;
    ++unit;
  }
  return format_number("%.3g ", nanoseconds) + kUnits[unit];
}

std::string ratios_csv(const std::vector<Measurement>& rows) {
  std::ostringstream text;
  text << "name,ours_ns,rival,rival_ns,ratio,equal\n";
  for (const Measurement& row : rows) {
    text << csv_field(row.name) << ',' << format_number("%.6g", row.ours_ns) << ','
         << csv_field(row.rival) << ',' << format_number("%.6g", row.rival_ns) << ','
         << format_number("%.6g", row.ratio) << ',' << (row.equal ? "true" : "false") << '\n';
  }
  return text.str();
}

std::string figures_csv(const std::vector<FigureResult>& figures) {
  std::ostringstream text;
  text << "name,value,unit,bar,holds\n";
  for (const FigureResult& result : figures) {
    text << csv_field(result.name) << ',' << format_number("%.6g", result.figure.value) << ','
         << csv_field(result.figure.unit) << ',' << bar_text(result.figure) << ','
         << (result.holds() ? "true" : "false") << '\n';
  }
  return text.str();
}

std::string table(const std::vector<Measurement>& rows, const std::vector<FigureResult>& figures) {
  std::string text;
  if (!rows.empty()) {
    std::vector<std::vector<std::string>> lines{
        {"name", "ours", "rival", "", "ratio", "(quartiles)", "answers", "bar", ""}};
    for (const Measurement& row : rows) {
      lines.push_back({row.name, format_duration(row.ours_ns), row.rival,
                       format_duration(row.rival_ns), format_number("%.3gx", row.ratio),
                       "(" + format_number("%.3g", row.ratio_low) + " - " +
                           format_number("%.3g", row.ratio_high) + ")",
                       !row.compared ? "not compared" : (row.equal ? "equal" : "DIFFER"),
                       row.bar ? ">= " + format_number("%g", *row.bar) : "",
                       !row.bar ? "" : (row.holds() ? "holds" : "MISSED")});
    }
    text += align_columns(lines);
  }
  if (!figures.empty()) {
    std::vector<std::vector<std::string>> lines{{"figure", "value", "", "bar", ""}};
    for (const FigureResult& result : figures) {
      const bool has_bar = result.figure.at_most || result.figure.at_least;
      lines.push_back({result.name, format_number("%.4g", result.figure.value), result.figure.unit,
                       bar_text(result.figure),
                       !has_bar ? "" : (result.holds() ? "holds" : "MISSED")});
    }
    if (!text.empty()) text += '\n';
    text += align_columns(lines);
  }
  return text;
}

}  // namespace clearance::bench
