// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An assembly: named parts, each a mesh at a pose. What a STEP, glTF or COLLADA file holds, or
// several files together. Parts that use the same shape share one Mesh.
#pragma once

#include <string>
#include <vector>

#include <clearance/mesh/mesh.h>

namespace clearance {

struct AssemblyPart {
  std::string name;  ///< unique within the assembly ("bolt", "bolt#2", ...)
  Mesh mesh;         ///< in the part's own frame, metres
  Pose world_from_part;
};

struct Assembly {
  std::vector<AssemblyPart> parts;

  [[nodiscard]] std::size_t triangle_count() const;
  /// All parts in place, as one mesh whose parts() are those of the assembly.
  [[nodiscard]] Mesh flattened() const;
};

}  // namespace clearance
