// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres as foam's JSON: whatever the bytes, spheres that read the same after writing, or an
// error.
#include <cstddef>
#include <cstdint>

#include <clearance/simplify/sphere_robot_file.h>

#include "check_spheres.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clearance::fuzz::check_spheres({reinterpret_cast<const char*>(data), size}, clearance::parse_foam,
                                 clearance::foam_text);
  return 0;
}
