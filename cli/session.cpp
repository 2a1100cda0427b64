// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "session.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>

#include <unistd.h>

namespace clearance::cli {
namespace {

using namespace std::chrono_literals;

/// Jobs shorter than this draw no bar, so that quick commands do not flicker.
constexpr auto kQuiet = 300ms;
/// Time between two drawings.
constexpr auto kInterval = 100ms;
constexpr int kBarWidth = 30;

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set by a signal handler");

extern "C" void on_signal(int signal) {
  interrupted = true;
  // The next one is not ours: whoever presses Ctrl-C twice wants out.
  std::signal(signal, SIG_DFL);
}

}  // namespace

TerminalMonitor::TerminalMonitor()
    : is_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_drawn_(start_) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

TerminalMonitor::~TerminalMonitor() {
  clear();
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void TerminalMonitor::progress(std::string_view stage, double fraction) {
  if (!is_terminal_) return;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < kQuiet || now - last_drawn_ < kInterval) return;
  last_drawn_ = now;

  std::string line = subject_.empty() ? "" : subject_ + ": ";
  line += stage;
  if (fraction >= 0.0) {
    const double done = std::min(fraction, 1.0);
    const int filled = static_cast<int>(done * kBarWidth);
    line += " [" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] " +
            std::to_string(static_cast<int>(done * 100)) + "%";
  } else {
    line += " ...";
  }
  // Back to the first column, the line, and nothing behind it.
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

bool TerminalMonitor::cancelled() const { return interrupted; }

void TerminalMonitor::set_subject(std::string subject) {
  const std::lock_guard lock(mutex_);
  subject_ = std::move(subject);
}

void TerminalMonitor::clear() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void say(const std::string& words) { std::fprintf(stderr, "clearance: %s\n", words.c_str()); }

Exit fail(const Error& error) {
  if (error.code == ErrorCode::Cancelled) {
    say("stopped");
    return kInterrupted;
  }
  say(error.message());
  return kWrongInput;
}

Exit fail_usage(const std::string& verb, const std::string& words) {
  say((verb.empty() ? "" : verb + ": ") + words);
  std::fprintf(stderr, "See clearance %s--help\n", (verb.empty() ? "" : verb + " ").c_str());
  return kWrongInput;
}

}  // namespace clearance::cli
