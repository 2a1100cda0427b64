// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold of every assembly a reader returns.
#pragma once

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include <clearance/mesh/read.h>

namespace clearance::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void check_assembly(std::string_view bytes, const std::string& name) {
  const Result<LoadedAssembly> loaded = parse_assembly(bytes, name);
  if (!loaded.ok()) {
    require(!loaded.error().reason.empty() && !loaded.error().file.empty());
    return;
  }
  require(!loaded->assembly.parts.empty());
  std::set<std::string> names;
  for (const AssemblyPart& part : loaded->assembly.parts) {
    require(names.insert(part.name).second);
    require(checked_pose(part.world_from_part).ok());
    require(!part.mesh.empty());
    for (const Vec3& v : part.mesh.vertices()) require(is_finite(v));
    for (const Face& face : part.mesh.faces()) {
      for (const std::uint32_t v : face) require(v < part.mesh.vertex_count());
    }
  }
}

}  // namespace clearance::fuzz
