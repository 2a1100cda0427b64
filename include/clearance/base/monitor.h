// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How long work tells its caller how far it is, and how the caller stops it.
#pragma once

#include <string_view>

namespace clearance {

/// Passed (as a pointer, may be null) to anything that can take long. Both functions may be called
/// from any thread, and cancelled() often: keep them cheap.
class Monitor {
 public:
  virtual ~Monitor() = default;
  /// `fraction` in [0, 1] of `stage` is done; a negative fraction means the total is not known.
  virtual void progress(std::string_view stage, double fraction) = 0;
  /// True when the work should stop soon; it then returns ErrorCode::Cancelled or what it has,
  /// as its documentation says.
  [[nodiscard]] virtual bool cancelled() const = 0;
};

inline void report_progress(Monitor* monitor, std::string_view stage, double fraction) {
  if (monitor != nullptr) monitor->progress(stage, fraction);
}
[[nodiscard]] inline bool is_cancelled(const Monitor* monitor) {
  return monitor != nullptr && monitor->cancelled();
}

}  // namespace clearance
