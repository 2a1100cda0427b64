// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Assertions for broken preconditions inside the program. On in every build type but Release.
// They report file, line and expression on stderr and abort: going on would mean a wrong answer.
#pragma once

namespace clearance::detail {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace clearance::detail

#if defined(CLEARANCE_CHECKED)
#define CLEARANCE_ASSERT(expression) \
  ((expression) ? void(0) : ::clearance::detail::assertion_failed(#expression, __FILE__, __LINE__))
#else
#define CLEARANCE_ASSERT(expression) ((void)sizeof(!(expression)))
#endif
