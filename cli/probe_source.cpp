// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "probe_source.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <clearance/contour/stream.h>

#include "line_output.h"

namespace clearance::cli {
namespace {

/// Whether something can be read within the time. poll() is not taken up again after a signal,
/// unlike read(): Ctrl-C gets through.
bool readable(int file, int timeout_ms) {
  pollfd waiting{file, POLLIN, 0};
  return ::poll(&waiting, 1, timeout_ms) > 0;
}

class StandardInput final : public LineSource {
 public:
  explicit StandardInput(Writer writer) : output_(STDOUT_FILENO, writer == Writer::OwnThread) {}

  State next(std::string_view& line, int timeout_ms) override {
    for (;;) {
      if (take_line(line)) return State::Line;
      if (ended_) return State::End;
      if (!readable(STDIN_FILENO, timeout_ms)) return State::Nothing;
      fill();
    }
  }
  bool answer(std::string_view text) override { return output_.write(text); }
  [[nodiscard]] std::int64_t blocked() const override { return output_.blocked(); }

 private:
  /// A line of what was read; at the end also one without a line end, and one that is too long as
  /// soon as it is: parse_frame() refuses it, and its rest counts as further lines.
  bool take_line(std::string_view& line) {
    const std::string_view rest = std::string_view(buffer_).substr(first_, last_ - first_);
    const std::size_t end = rest.find('\n', searched_);
    if (end == std::string_view::npos) {
      searched_ = rest.size();
      if (rest.empty() || (!ended_ && rest.size() <= kLongestFrame)) return false;
    }
    line = rest.substr(0, end);
    first_ += end == std::string_view::npos ? rest.size() : end + 1;
    searched_ = 0;
    return true;
  }

  void fill() {
    if (first_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + first_, last_ - first_);
      last_ -= first_;
      first_ = 0;
    }
    const ssize_t count = ::read(STDIN_FILENO, buffer_.data() + last_, buffer_.size() - last_);
    if (count > 0) last_ += static_cast<std::size_t>(count);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) ended_ = true;
  }

  LineOutput output_;
  std::string buffer_ = std::string(2 * kLongestFrame, '\0');
  std::size_t first_ = 0;     // of what is not yet taken
  std::size_t last_ = 0;      // end of what was read
  std::size_t searched_ = 0;  // bytes behind first_ that hold no line end
  bool ended_ = false;
};

class UdpSource final : public LineSource {
 public:
  explicit UdpSource(int socket) : socket_(socket) {}
  ~UdpSource() override { ::close(socket_); }

  State next(std::string_view& line, int timeout_ms) override {
    if (!readable(socket_, timeout_ms)) return State::Nothing;
    sender_size_ = sizeof sender_;
    const ssize_t count = ::recvfrom(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT,
                                     reinterpret_cast<sockaddr*>(&sender_), &sender_size_);
    if (count < 0) return State::Nothing;  // somebody hung up: an answer could not be delivered
    line = std::string_view(buffer_).substr(0, static_cast<std::size_t>(count));
    return State::Line;
  }
  void accept() override {
    listener_ = sender_;
    listener_size_ = sender_size_;
  }
  bool answer(std::string_view text) override { return send(text, listener_, listener_size_); }
  bool reply(std::string_view text) override { return send(text, sender_, sender_size_); }

 private:
  /// Lost answers are the listener's business: that is UDP.
  bool send(std::string_view text, const sockaddr_storage& to, socklen_t size) const {
    (void)::sendto(socket_, text.data(), text.size(), MSG_DONTWAIT,
                   reinterpret_cast<const sockaddr*>(&to), size);
    return true;
  }

  // The largest datagram.
  std::string buffer_ = std::string(65536, '\0');
  sockaddr_storage sender_{};    // of the last line
  sockaddr_storage listener_{};  // of the last good one
  socklen_t sender_size_ = sizeof(sockaddr_storage);
  socklen_t listener_size_ = 0;
  int socket_;
};

class RepeatedLines final : public LineSource {
 public:
  RepeatedLines(std::vector<std::string> lines, Writer writer)
      : output_(STDOUT_FILENO, writer == Writer::OwnThread), lines_(std::move(lines)) {}

  void begin_round() override { given_ = false; }
  State next(std::string_view& line, int /*timeout_ms*/) override {
    if (std::exchange(given_, true)) return State::Nothing;
    line = lines_[next_];
    next_ = (next_ + 1) % lines_.size();
    return State::Line;
  }
  bool answer(std::string_view text) override { return output_.write(text); }
  [[nodiscard]] std::int64_t blocked() const override { return output_.blocked(); }

 private:
  LineOutput output_;
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  bool given_ = false;
};

Error socket_error(const std::string& place, const std::string& advice = {}) {
  return {ErrorCode::Unreadable, {}, place, std::strerror(errno), advice};
}

}  // namespace

std::unique_ptr<LineSource> standard_input(Writer writer) {
  return std::make_unique<StandardInput>(writer);
}

std::unique_ptr<LineSource> repeated_lines(std::vector<std::string> lines, Writer writer) {
  return std::make_unique<RepeatedLines>(std::move(lines), writer);
}

Result<std::unique_ptr<LineSource>> udp_source(const std::string& address, int port,
                                               std::string& address_text) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  auto* const four = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const six = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof *four;
  } else if (::inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof *six;
  } else {
    return Error{ErrorCode::Invalid,
                 {},
                 "--bind",
                 "'" + address + "' is not an IP address",
                 "such as 127.0.0.1, or 0.0.0.0 for all networks"};
  }
  const int handle = ::socket(storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0) return socket_error("--udp");
  auto source = std::make_unique<UdpSource>(handle);
  if (::bind(handle, reinterpret_cast<const sockaddr*>(&storage), size) != 0)
    return socket_error("--udp " + std::to_string(port), "is the port taken by another program?");
  if (::getsockname(handle, reinterpret_cast<sockaddr*>(&storage), &size) != 0)
    return socket_error("--udp");
  const int bound = ntohs(storage.ss_family == AF_INET ? four->sin_port : six->sin6_port);
  address_text =
      (storage.ss_family == AF_INET ? address : "[" + address + "]") + ":" + std::to_string(bound);
  return std::unique_ptr<LineSource>(std::move(source));
}

}  // namespace clearance::cli
