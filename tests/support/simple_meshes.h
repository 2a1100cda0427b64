// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small meshes whose properties are known by heart. All face outward unless said. And the volume
// of a mesh by the shortest way, to see that the triangles of one that was read or placed face
// outward.
#pragma once

#include <cstdint>

#include <clearance/mesh/mesh.h>

namespace clearance::test {

/// The cube [0, side]³ moved by `offset`: 8 vertices, 12 triangles.
Mesh cube(double side = 1.0, const Vec3& offset = {});
/// Corners 0, x, y, z: volume 1/6.
Mesh corner_tetrahedron();
/// A sphere about `center` with `rings` rings of 2 * rings faces; its vertices lie on the sphere.
Mesh uv_sphere(double radius, int rings, const Vec3& center = {});
/// A torus about z of `around` times `across` quadrilaterals (two triangles each); its vertices lie
/// on the tube.
Mesh torus(double radius, double tube_radius, std::uint32_t around, std::uint32_t across);
/// A band of `segments` quadrilaterals (two triangles each) joined with half a twist.
Mesh moebius_strip(int segments);

/// All triangles of all meshes, nothing shared between the meshes.
Mesh together(const std::vector<Mesh>& meshes);
/// The mesh as a soup: three vertices of its own for each triangle.
Mesh soup(const Mesh& mesh);
/// Every triangle turned round.
Mesh turned(const Mesh& mesh);
/// The mesh without the triangles listed (ascending).
Mesh without(const Mesh& mesh, const std::vector<std::size_t>& triangles);
/// The mesh with these triangles added.
Mesh with(const Mesh& mesh, const std::vector<Face>& triangles);

/// Plain sum over tetrahedra from the origin; positive when the triangles face outward.
double signed_volume(const Mesh& mesh);

}  // namespace clearance::test
