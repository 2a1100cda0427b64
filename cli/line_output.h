// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines to a file or pipe, written by the caller or by a thread of its own, to which they are
// handed through a ring without locks: one thread puts in, the other takes out.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

namespace clearance::cli {

class LineOutput {
 public:
  /// `file` is not closed at the end.
  LineOutput(int file, bool own_thread);
  /// What was put in is written first.
  ~LineOutput();
  LineOutput(const LineOutput&) = delete;
  LineOutput& operator=(const LineOutput&) = delete;

  /// False when nobody can read it any more; a thread of its own may find out some lines later.
  /// Does not allocate. With a thread it waits only where kRoom bytes have not been taken.
  bool write(std::string_view text);

  /// How long write() has waited for a reader so far [ns]. A pipe that had room did not wait for
  /// one, however long the write took.
  [[nodiscard]] std::int64_t blocked() const { return blocked_; }

  static constexpr std::size_t kRoom = std::size_t{1} << 20U;

 private:
  void put(std::string_view text);
  void write_waiting();

  int file_;
  std::int64_t blocked_ = 0;
  std::string ring_;
  // Bytes put in and taken out since the beginning; the place in the ring is the rest by kRoom.
  std::atomic<std::uint64_t> put_{0};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint32_t> news_{0};  // changes when there is something to do for the thread
  std::atomic<bool> closing_{false};
  std::atomic<bool> gone_{false};  // nobody reads
  std::thread thread_;
};

}  // namespace clearance::cli
