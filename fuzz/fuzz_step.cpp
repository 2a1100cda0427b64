// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// STEP: our own scan of the syntax, which stands before OpenCASCADE. OpenCASCADE itself is not
// fuzzed here; its bugs are not ours to fix.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "mesh/step_syntax.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const clearance::Status status = clearance::detail::check_step_syntax(
      {reinterpret_cast<const char*>(data), size}, "input.step");
  if (!status.ok() && (status.error().place.empty() || status.error().reason.empty())) std::abort();
  return 0;
}
