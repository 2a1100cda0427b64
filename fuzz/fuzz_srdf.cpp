// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// SRDF: whatever the bytes, pairs of two different names, or an error.
#include <cstddef>
#include <cstdint>

#include <clearance/robot/srdf.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using clearance::fuzz::require;
  const std::string path = "fuzz/input.srdf";
  const clearance::Result<clearance::Srdf> srdf =
      clearance::parse_srdf({reinterpret_cast<const char*>(data), size}, path);
  if (!srdf) {
    require(srdf.error().file == path && !srdf.error().reason.empty());
    return 0;
  }
  for (const clearance::DisabledPair& pair : srdf->disabled)
    require(!pair.link_a.empty() && !pair.link_b.empty() && pair.link_a != pair.link_b);
  return 0;
}
