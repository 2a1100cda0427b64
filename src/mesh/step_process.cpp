// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/step_process.h"

#if defined(CLEARANCE_WITH_STEP)

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace clearance::detail {
namespace {

constexpr const char* kProgramName = "clearance-step";
/// Names the program's file, for libraries that are linked statically and live far from it.
constexpr const char* kProgramVariable = "CLEARANCE_STEP_PROGRAM";
/// How often the wish to cancel is looked at while the program works [ms].
constexpr int kPollMilliseconds = 50;

/// No answer is longer than this; what says so is not clearance-step.
constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 36;
constexpr const char* kOtherVersion = "clearance-step is of another version than the library";

/// Where the program is, or an empty path.
std::filesystem::path find_program() {
  if (const char* given = secure_getenv(kProgramVariable); given != nullptr && *given != '\0') {
    return given;
  }
  // Relative to this code (the library it is part of) and to the running program.
  std::vector<std::filesystem::path> folders;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&run_step_program), &self) != 0 &&
      std::strchr(self.dli_fname, '/') != nullptr) {
    folders.push_back(std::filesystem::path(self.dli_fname).parent_path());
  }
  std::error_code ignored;
  const auto running = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  if (!running.empty()) folders.push_back(running);
  std::vector<std::filesystem::path> candidates;
  for (const auto& folder : folders) {
    for (const char* relative : {".", "..", "../" CLEARANCE_LIBEXEC, "../../" CLEARANCE_LIBEXEC}) {
      candidates.push_back(folder / relative / kProgramName);
    }
  }
  candidates.push_back(std::filesystem::path(CLEARANCE_LIBEXEC_PATH) / kProgramName);
  for (const auto& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

/// The running program and our end of the socket; ends both when it goes.
class Child {
 public:
  ~Child() {
    if (socket_ >= 0) close(socket_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// 0, or the number of the system's error.
  int start(const std::filesystem::path& program) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno;
    socket_ = ends[0];
    // The program talks over its standard input; what OpenCASCADE prints goes nowhere, and files
    // that our caller has open stay ours.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    std::string name = kProgramName;
    std::array<char*, 2> arguments{name.data(), nullptr};
    const int failure =
        posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failure != 0) pid_ = -1;
    return failure;
  }

  /// False when the program does not listen any more. SIGPIPE is not raised.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void end_of_request() const { shutdown(socket_, SHUT_WR); }

  enum class Received { Yes, Ended, Cancelled };
  Received receive(char* to, std::size_t size, const Monitor* monitor) const {
    while (size > 0) {
      pollfd waiting{socket_, POLLIN, 0};
      const int ready = poll(&waiting, 1, kPollMilliseconds);
      if (is_cancelled(monitor)) return Received::Cancelled;
      if (ready <= 0) continue;
      const ssize_t count = recv(socket_, to, size, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Received::Ended;
      to += count;
      size -= static_cast<std::size_t>(count);
    }
    return Received::Yes;
  }

  /// The signal that ended the program, or 0.
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

std::string describe_end(int signal) {
  if (signal == SIGXCPU) return "OpenCASCADE does not come to an end with it";
  if (signal != 0) return "OpenCASCADE crashes on it (signal " + std::to_string(signal) + ")";
  return "clearance-step ended without an answer";
}

}  // namespace

Result<StepReply> run_step_program(std::string_view bytes, const std::string& name,
                                   const StepRequest& request, Monitor* monitor) {
  const auto unavailable = [&](std::string reason) {
    return Error{
        ErrorCode::Unsupported, name, "", "STEP cannot be read: " + std::move(reason),
        std::string("install clearance-step with the library, or name it in ") + kProgramVariable};
  };
  const std::filesystem::path program = find_program();
  if (program.empty()) return unavailable("the program clearance-step was not found");
  Child child;
  if (const int failure = child.start(program); failure != 0) {
    return unavailable("clearance-step does not start: " +
                       std::generic_category().message(failure));
  }
  // A failed send shows as an answer that does not come.
  if (child.send(encode(request))) child.send(bytes);
  child.end_of_request();

  using Received = Child::Received;
  const auto ended = [&](Received how) {
    if (how == Received::Cancelled) {
      return Error{ErrorCode::Cancelled, name, "", "reading was cancelled", ""};
    }
    return Error{ErrorCode::Malformed, name, "", describe_end(child.wait()),
                 "the file is damaged; export it anew"};
  };
  while (true) {
    std::array<char, kStepMessageHeader> header_bytes{};
    Received received = child.receive(header_bytes.data(), header_bytes.size(), monitor);
    if (received != Received::Yes) return ended(received);
    const StepHeader header = decode_header({header_bytes.data(), header_bytes.size()});
    const bool is_ours = header.kind == StepMessage::Progress || header.kind == StepMessage::Reply;
    if (!is_ours || header.size > kLongestMessage) return unavailable(kOtherVersion);
    std::string body(header.size, '\0');
    received = child.receive(body.data(), body.size(), monitor);
    if (received != Received::Yes) return ended(received);
    if (header.kind == StepMessage::Progress) {
      const std::optional<StepProgress> progress = decode_progress(body);
      if (progress) report_progress(monitor, progress->stage, progress->fraction);
      continue;
    }
    std::optional<StepReply> reply = decode_reply(body);
    if (!reply) return unavailable(kOtherVersion);
    return std::move(*reply);
  }
}

}  // namespace clearance::detail

#endif
