// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Does a surface run through itself? Where it does, a closed mesh still has an inside by how often
// the surface wraps around a point (model.h), but which side of a triangle is outside is not
// defined there: worth a word before a part is trusted.
#pragma once

#include <cstddef>
#include <vector>

#include <clearance/query/query.h>

namespace clearance {

struct SelfContacts {
  std::vector<Contact> pairs;  ///< triangle_a < triangle_b; sorted by the first, then the second
  Work work;
};

/// All pairs of triangles of one tree that touch where they are no neighbours: beside the corner or
/// the edge they have in common. Corners are the same when they are at the same place. Triangles
/// with all three corners in common are duplicates (health.h) and not counted; degenerate ones
/// count where they touch others. Exact: no tolerance. A sweep over boxes around the triangles: for
/// a surface of n even triangles about n^(5/3) comparisons of boxes, and n of triangles.
[[nodiscard]] SelfContacts self_contacts(const Bvh& tree);

}  // namespace clearance
