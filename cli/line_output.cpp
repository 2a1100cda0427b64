// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "line_output.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include <clearance/contour/stream_clock.h>

namespace clearance::cli {
namespace {

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool has_room(int file) {
  pollfd waiting{file, POLLOUT, 0};
  return ::poll(&waiting, 1, 0) != 0;
}

}  // namespace

LineOutput::LineOutput(int file, bool own_thread) : file_(file) {
  if (!own_thread) return;
  ring_.assign(kRoom, '\0');
  thread_ = std::thread([this] { write_waiting(); });
}

LineOutput::~LineOutput() {
  if (!thread_.joinable()) return;
  closing_ = true;
  ++news_;
  news_.notify_one();
  thread_.join();
}

bool LineOutput::write(std::string_view text) {
  if (!thread_.joinable()) {
    if (has_room(file_)) return write_all(file_, text);
    const std::int64_t start = monotonic_nanoseconds();
    const bool written = write_all(file_, text);
    blocked_ += monotonic_nanoseconds() - start;
    return written;
  }
  while (!text.empty()) {
    const std::uint64_t taken = taken_.load(std::memory_order_acquire);
    const std::size_t room = kRoom - static_cast<std::size_t>(put_ - taken);
    if (room == 0) {
      const std::int64_t start = monotonic_nanoseconds();
      taken_.wait(taken);
      blocked_ += monotonic_nanoseconds() - start;
      continue;
    }
    const std::size_t count = std::min(room, text.size());
    put(text.substr(0, count));
    text.remove_prefix(count);
  }
  return !gone_;
}

void LineOutput::put(std::string_view text) {
  const std::uint64_t begin = put_.load(std::memory_order_relaxed);
  const auto at = static_cast<std::size_t>(begin % kRoom);
  const std::size_t first = std::min(text.size(), kRoom - at);
  std::copy_n(text.data(), first, ring_.data() + at);
  std::copy_n(text.data() + first, text.size() - first, ring_.data());
  put_.store(begin + text.size(), std::memory_order_release);
  ++news_;
  news_.notify_one();
}

void LineOutput::write_waiting() {
  for (;;) {
    const std::uint32_t news = news_;
    // Asked before looking: what was put in before closing is seen below.
    const bool closing = closing_;
    const std::uint64_t begin = taken_.load(std::memory_order_relaxed);
    const std::uint64_t end = put_.load(std::memory_order_acquire);
    if (begin == end) {
      if (closing) return;
      news_.wait(news);
      continue;
    }
    const auto at = static_cast<std::size_t>(begin % kRoom);
    const std::size_t count = std::min(static_cast<std::size_t>(end - begin), kRoom - at);
    // Without a reader the rest is thrown away, so that nobody waits for room.
    if (!gone_ && !write_all(file_, std::string_view(ring_).substr(at, count))) gone_ = true;
    taken_.store(begin + count, std::memory_order_release);
    taken_.notify_one();
  }
}

}  // namespace clearance::cli
