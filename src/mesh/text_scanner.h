// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A cursor over a text file for the readers of text formats: words, numbers, line ends. It keeps a
// window of the file, however long the file or a line is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/byte_source.h"

namespace clearance::detail {

/// Reads a decimal number that begins at `text` and ends before `end`. Returns where it ends, or
/// nullptr when there is none. The nearest double, always: a fast path for what fits exactly, else
/// std::from_chars. "nan" and "inf" are numbers here, "1e999" is infinite; callers check.
const char* parse_number(const char* text, const char* end, double& value);

class TextScanner {
 public:
  /// Starts at byte `begin`. Nothing is read before the first call.
  explicit TextScanner(const ByteSource& source, std::uint64_t begin = 0);

  /// The byte of the cursor in the file.
  [[nodiscard]] std::uint64_t offset() const {
    return window_offset_ + static_cast<std::uint64_t>(at_ - window_begin_);
  }
  /// The next character, or '\0' at the end of the file (ask at_end() to tell it from a zero byte).
  char peek() {
    fill();
    return at_ == end_ ? '\0' : *at_;
  }
  bool at_end() {
    fill();
    return at_ == end_;
  }
  /// At a line end or the end of the file.
  bool at_line_end() {
    const char c = peek();
    return c == '\n' || c == '\r' || (c == '\0' && at_ == end_);
  }
  void skip_character() {
    if (!at_end()) ++at_;
  }
  /// Skips spaces and tabs.
  void skip_blanks();
  /// Skips spaces, tabs and line ends.
  void skip_space();
  /// Skips the rest of the line and its end.
  void skip_line();
  /// The rest of the line without surrounding blanks; the cursor stands at its end. Longer than
  /// kLongestWord: cut there.
  std::string rest_of_line();
  /// The next characters up to white space, at most kLongestWord of them. Valid until the next
  /// call.
  std::string_view word();
  /// A number, followed by white space or the end; nothing (and the cursor unmoved) otherwise.
  std::optional<double> number();
  /// A whole number that fits 64 bits, with the same rule.
  std::optional<std::int64_t> integer();

  /// Set when the file could not be read; the scanner then stands at the end.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  static constexpr std::size_t kLongestWord = 1024;

 private:
  // Keeps kLongestWord characters in the window after the cursor, unless the file ends before.
  void fill() {
    if (end_ - at_ <= static_cast<std::ptrdiff_t>(kLongestWord) && !complete_) refill();
  }
  void refill();

  const ByteSource& source_;
  std::vector<char> buffer_;
  const char* window_begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t window_offset_ = 0;
  bool complete_ = false;  // the window reaches the end of the file
  std::optional<Error> failure_;
};

/// Compares ASCII letters without regard to case; `lower` is in lower case.
bool equals_ignoring_case(std::string_view text, std::string_view lower);

/// A word for an error message: in quotes, unprintable characters as '?', cut when long.
std::string quoted(std::string_view word);

}  // namespace clearance::detail
