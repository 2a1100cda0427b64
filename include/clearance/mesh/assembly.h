// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An assembly: named parts, each a mesh at a pose. What a STEP, glTF or COLLADA file holds, or
// several files together. Parts that use the same shape share one Mesh.
//
// Poses are rigid. Where a file places a shape with a scale, a shear or a mirror, that is applied
// to the vertices, and the rotation and translation that are left become the pose.
#pragma once

#include <cstddef>
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

  /// Sum over the parts; a shape used twice counts twice.
  [[nodiscard]] std::size_t triangle_count() const;
  /// The bounding box of all parts in place.
  [[nodiscard]] Box bounds() const;
  /// The part of this name, or null.
  [[nodiscard]] const AssemblyPart* find(const std::string& name) const;
  /// All parts in place, as one mesh whose parts() are those of the assembly, in the same order.
  /// Named ranges inside a part are dropped. Costs a copy of every instance: a file that uses one
  /// shape 1,000 times becomes 1,000 times as large. The empty mesh when there is no triangle; at
  /// most 2³² - 1 vertices and triangles (what readers return stays below).
  [[nodiscard]] Mesh flattened() const;
};

}  // namespace clearance
