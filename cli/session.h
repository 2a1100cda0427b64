// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every verb shares: exit statuses, messages, progress on a terminal, and Ctrl-C.
// Stdout is data, stderr is words.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>

namespace clearance::cli {

/// Exit statuses of the program.
enum Exit : int {
  kGood = 0,           ///< the answer is good
  kBad = 1,            ///< the answer is bad: what was asked for does not hold
  kWrongInput = 2,     ///< the input or the usage is wrong
  kInterrupted = 130,  ///< stopped by Ctrl-C, as shells expect
};

/// The progress bar and the way to stop. Draws on stderr, and only when that is a terminal; a job
/// that is done within a moment draws nothing. Cancelled once SIGINT or SIGTERM has come in; a
/// second signal ends the program at once.
class TerminalMonitor final : public Monitor {
 public:
  TerminalMonitor();
  ~TerminalMonitor() override;
  TerminalMonitor(const TerminalMonitor&) = delete;
  TerminalMonitor& operator=(const TerminalMonitor&) = delete;

  void progress(std::string_view stage, double fraction) override;
  [[nodiscard]] bool cancelled() const override;
  /// Names what is worked on, before the stage: "2/7 part.stl".
  void set_subject(std::string subject);
  /// Removes the bar, so that other words can be written.
  void clear();

 private:
  const bool is_terminal_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;  // guards all below: progress() comes from any thread
  std::chrono::steady_clock::time_point last_drawn_;
  std::string subject_;
  bool drawn_ = false;
};

/// Prints "clearance: " and the words on stderr.
void say(const std::string& words);
/// Prints an error and returns the exit status it stands for.
Exit fail(const Error& error);
/// A wrong option or argument: prints it with a pointer to the verb's help.
Exit fail_usage(const std::string& verb, const std::string& words);

}  // namespace clearance::cli
