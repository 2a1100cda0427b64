// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every reader promises for any bytes: an error with a reason, or meshes that keep their
// rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <clearance/mesh/read.h>

namespace clearance::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Reads the bytes as a file of this name, welded and not, and aborts on a broken promise.
inline void check_reader(const std::string& name, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool weld : {true, false}) {
    ReadOptions options;
    options.weld = weld;
    const Result<LoadedAssembly> loaded = parse_assembly(bytes, name, options);
    if (!loaded) {
      require(loaded.error().file == name && !loaded.error().reason.empty());
      continue;
    }
    require(!loaded->assembly.parts.empty() && loaded->info.bytes == size);
    for (const AssemblyPart& part : loaded->assembly.parts) {
      require(!part.mesh.empty());
      for (const Vec3& v : part.mesh.vertices()) require(is_finite(v));
      for (const Face& face : part.mesh.faces()) {
        for (const std::uint32_t v : face) require(v < part.mesh.vertex_count());
      }
    }
  }
}

}  // namespace clearance::fuzz
