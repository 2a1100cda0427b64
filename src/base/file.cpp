// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clearance/base/file.h>

namespace clearance {
namespace {

Error system_error(const std::string& path, const char* what) {
  const int number = errno;
  return {number == ENOENT ? ErrorCode::NotFound : ErrorCode::Unreadable, path, "",
          std::string(what) + ": " + std::strerror(number), ""};
}

constexpr std::size_t kWriteBuffer = std::size_t{1} << 20;

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return system_error(path, "cannot open");
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    Error error = system_error(path, "cannot examine");
    ::close(descriptor);
    return error;
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return Error{ErrorCode::Unreadable, path, "",
                 S_ISDIR(status.st_mode) ? "is a directory, not a file" : "is not a regular file",
                 ""};
  }
  MappedFile file;
  file.size_ = static_cast<std::size_t>(status.st_size);
  if (file.size_ > 0) {
    void* address = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) {
      Error error = system_error(path, "cannot map");
      ::close(descriptor);
      return error;
    }
    file.data_ = static_cast<const std::byte*>(address);
  }
  ::close(descriptor);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

struct AtomicFile::State {
  std::string path;
  std::string temporary;  // empty: written straight to path, which is a device or a pipe
  int descriptor = -1;
  int failure = 0;  // errno of the first failed write
  std::vector<char> buffer;

  void put(const char* data, std::size_t size) {
    while (size > 0 && failure == 0) {
      const ssize_t written = ::write(descriptor, data, size);
      if (written < 0) {
        if (errno != EINTR) failure = errno;
        continue;
      }
      data += written;
      size -= static_cast<std::size_t>(written);
    }
  }
  void remove_temporary() const {
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }
};

namespace {

/// Opens a new file beside `path`, with the mode the process gives to new files. Empty name and -1
/// with errno set when that fails.
std::pair<std::string, int> open_beside(const std::string& path) {
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    std::string name = path + "." + std::to_string(::getpid()) + "-" +
                       std::to_string(counter.fetch_add(1)) + ".tmp";
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {std::move(name), descriptor};
    // Left behind by a process of the same number that was killed: take the next name.
    if (errno != EEXIST) return {std::string(), -1};
  }
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  AtomicFile file;
  auto owned = std::make_unique<State>();
  State& state = *owned;
  state.path = path;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::Unreadable, path, "", "is a directory, not a file", ""};
  }
  if (exists && !S_ISREG(status.st_mode)) {
    // /dev/null or a pipe: renaming over it would replace it for everyone.
    state.descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // A link stays a link: the file it leads to is replaced.
    if (exists) {
      if (char* resolved = ::realpath(path.c_str(), nullptr)) {
        state.path = resolved;
        std::free(resolved);
      }
    }
    std::tie(state.temporary, state.descriptor) = open_beside(state.path);
    // A file that is replaced keeps its permissions.
    if (exists && state.descriptor >= 0) ::fchmod(state.descriptor, status.st_mode & 07777);
  }
  if (state.descriptor < 0) return system_error(path, "cannot write here");
  state.buffer.reserve(kWriteBuffer);
  file.state_ = std::move(owned);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;

AtomicFile::~AtomicFile() {
  if (state_ == nullptr) return;
  if (state_->descriptor >= 0) ::close(state_->descriptor);
  state_->remove_temporary();
}

void AtomicFile::write(const void* data, std::size_t size) {
  CLEARANCE_ASSERT(state_ != nullptr);
  State& state = *state_;
  const char* bytes = static_cast<const char*>(data);
  if (state.buffer.size() + size > kWriteBuffer) {
    state.put(state.buffer.data(), state.buffer.size());
    state.buffer.clear();
  }
  if (size >= kWriteBuffer) {
    state.put(bytes, size);
  } else {
    state.buffer.insert(state.buffer.end(), bytes, bytes + size);
  }
}

Status AtomicFile::commit() {
  CLEARANCE_ASSERT(state_ != nullptr);
  State& state = *state_;
  state.put(state.buffer.data(), state.buffer.size());
  if (::close(std::exchange(state.descriptor, -1)) != 0 && state.failure == 0)
    state.failure = errno;
  if (state.failure == 0 && !state.temporary.empty() &&
      ::rename(state.temporary.c_str(), state.path.c_str()) != 0) {
    state.failure = errno;
  }
  if (state.failure != 0) {
    errno = state.failure;
    Error error = system_error(state.path, "cannot write");
    state.remove_temporary();
    state_.reset();
    return error;
  }
  state_.reset();
  return {};
}

Status write_file(const std::string& path, std::string_view contents) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(contents);
  return file->commit();
}

}  // namespace clearance
