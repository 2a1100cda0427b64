// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files: a read-only view of a whole file, and writing that never leaves half a file behind.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <clearance/base/result.h>

namespace clearance {

/// A regular file mapped into memory for reading. The bytes live as long as the object.
/// Directories, devices and pipes are refused. The file must not be truncated by others meanwhile.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) noexcept;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), size_};
  }

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes to a temporary name beside `path`; commit() renames it into place. Destroyed without a
/// commit (an error, a cancelled job), it removes the temporary file and leaves `path` as it was.
/// A file that is replaced keeps its permissions, a symbolic link its place. Devices and pipes
/// (/dev/stdout) cannot be renamed over and are written to directly.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  /// Appends bytes; buffered. A failure (disk full) is remembered and returned by commit().
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Flushes, closes and renames into place. Neither write() nor commit() may follow.
  Status commit();

 private:
  AtomicFile() = default;
  struct State;
  std::unique_ptr<State> state_;
};

/// AtomicFile in one call.
Status write_file(const std::string& path, std::string_view contents);

}  // namespace clearance
