// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// On a processor too old for the instructions the program was built with (x86-64-v3, the default of
// CLEARANCE_ARCH) it says so and ends with status 2, rather than die of an illegal instruction.
#if defined(__AVX2__)

#include <string_view>

#include <unistd.h>

#include "session.h"

namespace {

// Nothing of the program or its libraries is initialised yet, nor may it be used: plain system
// calls only, and none of the instructions in question.
__attribute__((target("arch=x86-64"), no_sanitize("address", "thread", "undefined"))) void
check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return;
  constexpr std::string_view kWords =
      "clearance: this program was built for a processor with AVX2, which this one has not;\n"
      "build it with cmake --preset release -DCLEARANCE_ARCH=\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
  ::_exit(clearance::cli::kWrongInput);
}

// main() would be too late: initialisers, of the libraries first, hold such instructions. What is
// listed here runs before all of them.
__attribute__((section(".preinit_array"), used)) void (*const kCheckFirst)() = check_processor;

}  // namespace

#endif
