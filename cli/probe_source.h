// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the lines of a stream come from and where the answers go: standard input and output, UDP,
// or lines made up for measuring. None allocates once it has seen its longest line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>

namespace clearance::cli {

class LineSource {
 public:
  enum class State : std::uint8_t { Line, Nothing, End };

  virtual ~LineSource() = default;
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  /// A new round of the loop begins.
  virtual void begin_round() {}
  /// The next line, which is valid until the next call; waits for it at most `timeout_ms`. A signal
  /// ends the waiting. Nothing: not yet; End: there will be no more.
  virtual State next(std::string_view& line, int timeout_ms) = 0;
  /// The last line is good: answers go to where it came from.
  virtual void accept() {}
  /// Sends an answer. False when nobody can hear it any more.
  virtual bool answer(std::string_view text) = 0;
  /// Sends to where the last line came from, good or not.
  virtual bool reply(std::string_view text) { return answer(text); }
  /// How long answers have waited for somebody to take them, so far [ns].
  [[nodiscard]] virtual std::int64_t blocked() const { return 0; }

 protected:
  LineSource() = default;
};

/// Who writes answers to standard output. A thread of its own: the loop goes on while a reader or a
/// disk is slow, until a megabyte waits; the answer leaves some microseconds later. Started at
/// once, so that it has the priority the caller has now.
enum class Writer : std::uint8_t { Loop, OwnThread };

/// Lines of standard input; answers on standard output.
[[nodiscard]] std::unique_ptr<LineSource> standard_input(Writer writer = Writer::Loop);

/// Datagrams, each a line; answers go to their senders. `port` 0: any that is free. What it listens
/// on is told by `address_text`.
[[nodiscard]] Result<std::unique_ptr<LineSource>> udp_source(const std::string& address, int port,
                                                             std::string& address_text);

/// The given lines over and over, one a round; answers on standard output.
[[nodiscard]] std::unique_ptr<LineSource> repeated_lines(std::vector<std::string> lines,
                                                         Writer writer = Writer::Loop);

}  // namespace clearance::cli
