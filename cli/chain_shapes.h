// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How chains look, in the pictures of clearance fold and in the viewer: colours along them, and
// their links as triangles.
#pragma once

#include <array>
#include <map>
#include <span>

#include <clearance/chain/chain.h>
#include <clearance/mesh/mesh.h>
#include <clearance/picture/picture.h>

namespace clearance::cli {

/// Blue at the beginning of the chain (0), through green and yellow to red at its end (1).
[[nodiscard]] Colour along_chain(double t);

/// The principal axes of points, the longest first, as the columns of a rotation.
[[nodiscard]] Mat3 principal_axes(std::span<const Vec3> points);

/// Links as triangles, to look at: balls and capsules have their corners on the surface and their
/// faces inside. Links of one shape share one mesh.
class LinkMeshes {
 public:
  /// In the frame of the link. The empty mesh for a link without a body.
  [[nodiscard]] const Mesh& of(const LinkShape& shape);

 private:
  std::map<std::array<double, 7>, Mesh> capsules_;  // by their numbers
  std::map<const void*, Mesh> bodies_;              // by where their corners are
  Mesh spheres_;                                    // the last one asked for
};

}  // namespace clearance::cli
