// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file that grows over a long run: written under a second name, FILE.part, and renamed when it is
// whole. A checkpoint that knows how far it was can continue it, byte for byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <clearance/base/result.h>
#include <clearance/chain/fold.h>

namespace clearance::cli {

class GrowingFile {
 public:
  /// An empty one. What stands under `path` stays until finish(). Refused when `path` is not a
  /// regular file, or when another run is writing it.
  static Result<GrowingFile> create(const std::string& path);
  /// Goes on behind the first mark.bytes of FILE.part, or of `path` itself, whichever begins with
  /// what the mark stands for.
  static Result<GrowingFile> resume(const std::string& path, const FoldFileMark& mark);
  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&&) = delete;
  /// Without finish() FILE.part stays as it is, for a run that resumes.
  ~GrowingFile();

  /// Appends; buffered. A failure (disk full) is remembered for flush() and finish().
  void write(std::string_view text);
  /// How far it is, the buffer included.
  [[nodiscard]] FoldFileMark mark() const;
  /// Hands all bytes to the system: a checkpoint may now count on them.
  Status flush();
  /// Appends the last words, which are not part of mark(), and renames into place.
  Status finish(std::string_view ending = {});
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] Error system_error(const char* what) const;
  Status open_and_lock(int flags);

  std::string path_;
  int descriptor_ = -1;
  int failure_ = 0;  // errno of the first failed write
  std::string buffer_;
  std::uint64_t bytes_ = 0;
  Checksum checksum_;
};

}  // namespace clearance::cli
