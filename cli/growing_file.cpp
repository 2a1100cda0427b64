// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "growing_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clearance/base/file.h>

namespace clearance::cli {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

std::string part_of(const std::string& path) { return path + ".part"; }

/// The checksum of the first bytes of a file; none when it is shorter or cannot be read.
std::optional<Checksum> checksum_of_start(const std::string& path, std::uint64_t bytes) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file || file->bytes().size() < bytes) return std::nullopt;
  Checksum checksum;
  checksum.add(file->text().substr(0, bytes));
  return checksum;
}

}  // namespace

Error GrowingFile::system_error(const char* what) const {
  return {errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Unreadable, path_, "",
          std::string(what) + ": " + std::strerror(errno), ""};
}

Status GrowingFile::open_and_lock(int flags) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return Error{ErrorCode::Unreadable, path_, "",
                 S_ISDIR(status.st_mode) ? "is a directory, not a file" : "is not a regular file",
                 ""};
  }
  descriptor_ = ::open(part_of(path_).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (descriptor_ < 0) return system_error("cannot write here");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
    return Error{ErrorCode::Unreadable, path_, "", "another run is writing it", ""};
  return {};
}

Result<GrowingFile> GrowingFile::create(const std::string& path) {
  GrowingFile file(path);
  if (Status status = file.open_and_lock(0); !status) return status.error();
  // Only now: the lock says that nobody else needs what is in there.
  if (::ftruncate(file.descriptor_, 0) != 0) return file.system_error("cannot write");
  return file;
}

Result<GrowingFile> GrowingFile::resume(const std::string& path, const FoldFileMark& mark) {
  GrowingFile file(path);
  bool found = false;
  for (const bool from_part : {true, false}) {
    const std::optional<Checksum> checksum =
        checksum_of_start(from_part ? part_of(path) : path, mark.bytes);
    if (!checksum || checksum->value() != mark.checksum) continue;
    // A file that was finished (by Ctrl-C, or at fewer steps) goes back under its other name.
    if (!from_part && std::rename(path.c_str(), part_of(path).c_str()) != 0)
      return file.system_error("cannot rename");
    file.checksum_ = *checksum;
    file.bytes_ = mark.bytes;
    found = true;
    break;
  }
  if (!found) {
    return Error{ErrorCode::Invalid, path, "",
                 "is not the file that the checkpoint continues: its first " +
                     std::to_string(mark.bytes) + " bytes are others",
                 "start again without --resume"};
  }
  if (Status status = file.open_and_lock(0); !status) return status.error();
  if (::ftruncate(file.descriptor_, static_cast<off_t>(mark.bytes)) != 0 ||
      ::lseek(file.descriptor_, 0, SEEK_END) < 0)
    return file.system_error("cannot write");
  return file;
}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failure_(other.failure_),
      buffer_(std::move(other.buffer_)),
      bytes_(other.bytes_),
      checksum_(other.checksum_) {}

GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void GrowingFile::write(std::string_view text) {
  checksum_.add(text);
  bytes_ += text.size();
  buffer_ += text;
  if (buffer_.size() >= kBuffer) {
    // What went wrong is kept in failure_ and comes out where the caller can act on it.
    static_cast<void>(flush());
  }
}

FoldFileMark GrowingFile::mark() const { return {bytes_, checksum_.value()}; }

Status GrowingFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && failure_ == 0) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0) {
      if (errno != EINTR) failure_ = errno;
      continue;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  if (failure_ == 0) return {};
  errno = failure_;
  return system_error("cannot write");
}

Status GrowingFile::finish(std::string_view ending) {
  buffer_ += ending;
  if (Status status = flush(); !status) return status;
  if (std::rename(part_of(path_).c_str(), path_.c_str()) != 0) return system_error("cannot rename");
  if (::close(std::exchange(descriptor_, -1)) != 0) return system_error("cannot write");
  return {};
}

}  // namespace clearance::cli
