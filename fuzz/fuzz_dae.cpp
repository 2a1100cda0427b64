// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// COLLADA: whatever the bytes, an assembly that keeps its promises, or an error.
#include <cstddef>
#include <cstdint>

#include "fuzz_assembly.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clearance::fuzz::check_assembly({reinterpret_cast<const char*>(data), size}, "fuzz/input.dae");
  return 0;
}
