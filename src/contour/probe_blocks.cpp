// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>

namespace clearance::detail {
namespace {

// Blocks bounded by one task, and pairs opened by one: some ten microseconds of work at least.
constexpr std::size_t kBlocksPerTask = 16;
constexpr std::size_t kWaitingPerTask = 16;

constexpr float kNotWanted = std::numeric_limits<float>::infinity();

// The smallest float not below v.
float rounded_up(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

// A function of many captures by reference is a std::function without memory of its own.
template <class Body>
void in_parallel(Threads threads, std::size_t count, const Body& body) {
  parallel_for(threads, count, std::ref(body));
}

}  // namespace

void BlockSearch::find(Contest& contest, Threads threads, std::span<const std::uint8_t> wanted) {
  const std::size_t segments = contest.segment_count();
  const std::size_t blocks = block_count();
  lower_.resize(blocks * segments);
  const auto is_wanted = [&](std::size_t s) { return wanted.empty() || wanted[s] != 0; };
  const std::size_t tasks = (blocks + kBlocksPerTask - 1) / kBlocksPerTask;
  in_parallel(threads, tasks, [&](std::size_t task) {
    const std::size_t end = std::min(blocks, (task + 1) * kBlocksPerTask);
    for (std::size_t b = task * kBlocksPerTask; b < end; ++b) {
      for (std::size_t s = 0; s < segments; ++s)
        lower_[b * segments + s] = is_wanted(s) ? bound(b, s) : kNotWanted;
    }
  });
  for (std::size_t s = 0; s < segments; ++s) {
    if (is_wanted(s)) contest.work.bounds += triangle_count();
  }
  settle(contest, lower_, threads);
}

void BlockSearch::settle(Contest& contest, std::span<const float> lower, Threads threads) {
  const std::size_t segments = contest.segment_count();
  const std::size_t blocks = block_count();
  if (segments == 0) return;

  // The block nearest to each segment first, the nearest of all before the others.
  waiting_.clear();
  for (std::size_t s = 0; s < segments; ++s) {
    std::size_t nearest = 0;
    for (std::size_t b = 1; b < blocks; ++b) {
      if (lower[b * segments + s] < lower[nearest * segments + s]) nearest = b;
    }
    waiting_.push_back({lower[nearest * segments + s], static_cast<std::uint32_t>(s),
                        static_cast<std::uint32_t>(nearest)});
  }
  // Where all touch, the lowest numbers first: after a contact only lower numbers can win.
  const auto before = [](const Waiting& x, const Waiting& y) {
    const float a = std::max(x.bound, 0.0F);
    const float b = std::max(y.bound, 0.0F);
    if (a != b) return a < b;
    return x.segment != y.segment ? x.segment < y.segment : x.block < y.block;
  };
  std::sort(waiting_.begin(), waiting_.end(), before);
  open_waiting(0, waiting_.size(), contest);

  // Then all that are not proven to lose against what was found.
  waiting_.clear();
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t s = 0; s < segments; ++s) {
      const float bound = lower[b * segments + s];
      if (bound != kNotWanted && !(static_cast<double>(bound) > contest.limit(s)))
        waiting_.push_back({bound, static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(b)});
    }
  }
  std::sort(waiting_.begin(), waiting_.end(), before);
  const std::size_t tasks = (waiting_.size() + kWaitingPerTask - 1) / kWaitingPerTask;
  if (threads.resolved() == 1 || tasks <= 1) {
    open_waiting(0, waiting_.size(), contest);
    return;
  }
  forks_.resize(std::max(forks_.size(), tasks));
  in_parallel(threads, tasks, [&](std::size_t task) {
    forks_[task].fork(contest);
    open_waiting(task * kWaitingPerTask, std::min(waiting_.size(), (task + 1) * kWaitingPerTask),
                 forks_[task]);
  });
  for (std::size_t task = 0; task < tasks; ++task) contest.join(forks_[task]);
}

void BlockSearch::open_waiting(std::size_t begin, std::size_t end, Contest& contest) const {
  for (std::size_t i = begin; i < end; ++i) {
    const Waiting& next = waiting_[i];
    if (next.bound != kNotWanted &&
        !(static_cast<double>(next.bound) > contest.limit(next.segment)))
      open(next.block, next.segment, contest);
  }
}

void SphereBlocks::start(const ProbeQuery& query) {
  shells_.clear();
  hulls_.clear();
  for (const ContourSegment& segment : query.segments) {
    shells_.emplace_back(SegmentShell(segment), *spheres_);
    hulls_.emplace_back(segment);
  }
}

std::span<const Sphere8> SphereBlocks::groups(std::size_t block) const {
  constexpr std::size_t kGroups = kBlockTriangles / 8;
  const std::span<const Sphere8> all(spheres_->groups);
  return all.subspan(block * kGroups, std::min(kGroups, all.size() - block * kGroups));
}

float SphereBlocks::bound(std::size_t block, std::size_t segment) const {
  const Shell8& shell = shells_[segment];
  Float8 least = broadcast8(std::numeric_limits<float>::infinity());
  for (const Sphere8& group : groups(block)) least = min(shell.lower(group), least);
  return lowest(least) - shell.margin;
}

void SphereBlocks::open(std::size_t block, std::size_t segment, Contest& contest) const {
  const Shell8& shell = shells_[segment];
  const std::span<const Sphere8> members = groups(block);
  const std::size_t first = block * kBlockTriangles;
  const std::size_t count = std::min(kBlockTriangles, spheres_->count - first);
  contest.work.bounds += count;

  // The nearest first, for a small limit.
  std::array<float, kBlockTriangles> lower;
  for (std::size_t g = 0; g < members.size(); ++g) store8(&lower[8 * g], shell.lower(members[g]));
  const auto triangle_at = [&](std::size_t i) {
    return order_.empty() ? static_cast<std::uint32_t>(first + i) : order_[first + i];
  };
  const auto nearest = static_cast<std::size_t>(
      std::min_element(lower.begin(), lower.begin() + static_cast<std::ptrdiff_t>(count)) -
      lower.begin());
  contest.measure(segment, triangle_at(nearest));

  // Then those the limit leaves, by a better bound of eight of them at a time.
  std::array<std::uint32_t, 8> waiting;
  std::size_t waiting_count = 0;
  const auto measure_waiting = [&] {
    contest.work.bounds += waiting_count;
    const std::span<const std::uint32_t> some(waiting.data(), waiting_count);
    const double least = contest.limit(segment);
    std::array<float, 8> bound;
    store8(bound.data(), hulls_[segment].lower(contest.query().mesh, some, least));
    while (waiting_count > 0) {
      const auto next = static_cast<std::size_t>(
          std::min_element(bound.begin(),
                           bound.begin() + static_cast<std::ptrdiff_t>(waiting_count)) -
          bound.begin());
      if (!(static_cast<double>(bound[next]) > contest.limit(segment)))
        contest.measure(segment, waiting[next]);
      --waiting_count;
      bound[next] = bound[waiting_count];
      waiting[next] = waiting[waiting_count];
    }
  };
  float limit = rounded_up(contest.limit(segment) + static_cast<double>(shell.margin));
  for (std::size_t i = 0; i < count; ++i) {
    if (lower[i] > limit || i == nearest || !contest.can_win(segment, triangle_at(i))) continue;
    waiting[waiting_count++] = triangle_at(i);
    if (waiting_count < waiting.size()) continue;
    measure_waiting();
    limit = rounded_up(contest.limit(segment) + static_cast<double>(shell.margin));
  }
  if (waiting_count > 0) measure_waiting();
}

}  // namespace clearance::detail
