// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/geometry/vector.h>

namespace clearance {

Vec3 any_perpendicular(const Vec3& a) {
  // Cross with the axis a leans on least, so that the product is never short.
  const Vec3 size = abs(a);
  const Vec3 axis = size.x <= size.y && size.x <= size.z ? Vec3{1, 0, 0}
                    : size.y <= size.z                   ? Vec3{0, 1, 0}
                                                         : Vec3{0, 0, 1};
  return normalized(cross(a, axis));
}

}  // namespace clearance
