// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a mesh file, read piece by piece into a small buffer, or lent where they already lie
// in memory. Reading in pieces beats mapping the file: no page faults, no file-sized memory, and a
// file that is cut short meanwhile is an error instead of a SIGBUS.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <clearance/base/result.h>

namespace clearance::detail {

class ByteSource {
 public:
  /// Opens a regular file. Directories, devices and pipes are refused.
  static Result<ByteSource> open(const std::string& path);
  /// Bytes in memory that outlive the source; `name` stands in errors.
  ByteSource(std::string_view bytes, std::string name);
  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&&) = delete;
  ~ByteSource();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The bytes [offset, offset + buffer.size()), fewer at the end of the file. They lie in the
  /// buffer or in the memory the source was made of. Safe to call from several threads.
  Result<std::string_view> read(std::uint64_t offset, std::span<char> buffer) const;

  /// The 1-based number of the line that holds the byte at `offset`. Lines end with LF, CR LF or a
  /// CR alone. Reads the file up to there: for error messages only.
  [[nodiscard]] std::uint64_t line_at(std::uint64_t offset) const;

 private:
  ByteSource() = default;
  std::string name_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;  // -1: in memory
  const char* memory_ = nullptr;
};

/// The error for a place in a text file: "name: line n: reason".
Error malformed_line(const ByteSource& source, std::uint64_t offset, std::string reason,
                     std::string advice = {});
/// The error for a place in a binary file: "name: byte n: reason".
Error malformed_byte(const ByteSource& source, std::uint64_t offset, std::string reason,
                     std::string advice = {});

}  // namespace clearance::detail
