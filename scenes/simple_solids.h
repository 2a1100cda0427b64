// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes, rods and rings, put together into one closed mesh: what planning scenes are made of.
#pragma once

#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>

namespace clearance::scenes {

/// Collects solids. They may overlap and touch: each is closed and faces outward, so the whole is
/// solid as well (query/model.h).
class SolidBuilder {
 public:
  /// An axis-aligned box: 12 triangles.
  SolidBuilder& box(const Vec3& low, const Vec3& high);
  /// A plate between x = low and high with a rectangular window in the plane of y and z: four
  /// boxes. The window must be inside the plate.
  SolidBuilder& plate_with_window(const Box& plate, double window_low_y, double window_high_y,
                                  double window_low_z, double window_high_z);
  /// A round rod along a line of points, with flat ends; each corner is mitred in its middle plane.
  /// The sides touch the circle from inside. At least two points; no sharp turns.
  SolidBuilder& rod(std::span<const Vec3> line, double radius, int sides);
  /// A ring about the z axis through `center`: `radius` to the middle of its section.
  SolidBuilder& ring(const Vec3& center, double radius, double section, int around, int sides);

  [[nodiscard]] Mesh mesh() const;

 private:
  std::vector<Vec3> vertices_;
  std::vector<Face> faces_;
};

}  // namespace clearance::scenes
