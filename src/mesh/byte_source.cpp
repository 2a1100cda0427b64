// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace clearance::detail {
namespace {

Error system_error(const std::string& path, const char* what) {
  const int number = errno;
  return {number == ENOENT ? ErrorCode::NotFound : ErrorCode::Unreadable, path, "",
          std::string(what) + ": " + std::strerror(number), ""};
}

}  // namespace

Result<ByteSource> ByteSource::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  ByteSource source;
  source.name_ = path;
  source.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (source.descriptor_ < 0) return system_error(path, "cannot open");
  struct stat status {};
  if (::fstat(source.descriptor_, &status) != 0) return system_error(path, "cannot examine");
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::Unreadable, path, "",
                 S_ISDIR(status.st_mode) ? "is a directory, not a file" : "is not a regular file",
                 ""};
  }
  source.size_ = static_cast<std::uint64_t>(status.st_size);
  return source;
}

ByteSource::ByteSource(std::string_view bytes, std::string name)
    : name_(std::move(name)), size_(bytes.size()), memory_(bytes.data()) {}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : name_(std::move(other.name_)),
      size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      memory_(other.memory_) {}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::string_view> ByteSource::read(std::uint64_t offset, std::span<char> buffer) const {
  if (offset >= size_) return std::string_view();
  const std::size_t wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset));
  if (descriptor_ < 0) return std::string_view(memory_ + offset, wanted);
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t count = ::pread(descriptor_, buffer.data() + done, wanted - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(name_, "cannot read");
    if (count == 0) {
      return Error{ErrorCode::Unreadable, name_, "byte " + std::to_string(offset + done),
                   "the file became shorter while it was read", ""};
    }
    done += static_cast<std::size_t>(count);
  }
  return std::string_view(buffer.data(), wanted);
}

std::uint64_t ByteSource::line_at(std::uint64_t offset) const {
  std::vector<char> buffer(std::size_t{1} << 16);
  std::uint64_t line = 1;
  char previous = '\0';
  for (std::uint64_t at = 0; at < offset;) {
    const Result<std::string_view> bytes = read(at, buffer);
    if (!bytes || bytes->empty()) break;
    const std::string_view before = bytes->substr(0, static_cast<std::size_t>(offset - at));
    for (const char c : before) {
      // CR LF is one line end: it counts at its CR.
      if (c == '\r' || (c == '\n' && previous != '\r')) ++line;
      previous = c;
    }
    at += bytes->size();
  }
  return line;
}

Error malformed_line(const ByteSource& source, std::uint64_t offset, std::string reason,
                     std::string advice) {
  return {ErrorCode::Malformed, source.name(), "line " + std::to_string(source.line_at(offset)),
          std::move(reason), std::move(advice)};
}

Error malformed_byte(const ByteSource& source, std::uint64_t offset, std::string reason,
                     std::string advice) {
  return {ErrorCode::Malformed, source.name(), "byte " + std::to_string(offset), std::move(reason),
          std::move(advice)};
}

}  // namespace clearance::detail
