// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PoCL, the OpenCL of CPUs, keeps what it compiles in a folder below the user's home, and has no
// device at all where it cannot write there (a service, a container, a read-only home).
#pragma once

#include <string>

namespace clearance::detail {

/// Where PoCL could keep its files when it cannot write where it wants to: a folder of this user
/// alone below the system's folder for temporary files, made if need be. Empty when PoCL needs no
/// other place (POCL_CACHE_DIR is set, or the home can be written to), or when there is none.
[[nodiscard]] std::string other_pocl_cache();

/// Sets POCL_CACHE_DIR to that place. Once, before the first call of OpenCL; changes nothing in the
/// environment of a process that has a home to write to.
void give_pocl_a_cache();

}  // namespace clearance::detail
