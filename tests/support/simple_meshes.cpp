// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/simple_meshes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace clearance::test {
namespace {

std::vector<Vec3> vertices_of(const Mesh& mesh) {
  return {mesh.vertices().begin(), mesh.vertices().end()};
}
std::vector<Face> faces_of(const Mesh& mesh) { return {mesh.faces().begin(), mesh.faces().end()}; }

}  // namespace

Mesh cube(double side, const Vec3& offset) {
  std::vector<Vec3> vertices;
  for (const double z : {0.0, side}) {
    for (const double y : {0.0, side}) {
      for (const double x : {0.0, side}) vertices.push_back(Vec3{x, y, z} + offset);
    }
  }
  const std::vector<Face> faces{{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return Mesh::make(std::move(vertices), faces).value();
}

Mesh corner_tetrahedron() {
  return Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})
      .value();
}

Mesh uv_sphere(double radius, int rings, const Vec3& center) {
  const auto sectors = static_cast<std::uint32_t>(2 * rings);
  std::vector<Vec3> vertices;
  vertices.push_back(center + Vec3{0, 0, radius});
  for (int i = 1; i < rings; ++i) {
    const double polar = std::numbers::pi * i / rings;
    for (std::uint32_t j = 0; j < sectors; ++j) {
      const double azimuth = 2.0 * std::numbers::pi * j / sectors;
      vertices.push_back(center + radius * Vec3{std::sin(polar) * std::cos(azimuth),
                                                std::sin(polar) * std::sin(azimuth),
                                                std::cos(polar)});
    }
  }
  vertices.push_back(center - Vec3{0, 0, radius});
  const auto last = static_cast<std::uint32_t>(vertices.size() - 1);
  const auto at = [&](std::uint32_t ring, std::uint32_t j) {
    return 1 + (ring - 1) * sectors + j % sectors;
  };
  std::vector<Face> faces;
  const auto ring_count = static_cast<std::uint32_t>(rings);
  for (std::uint32_t j = 0; j < sectors; ++j) {
    faces.push_back({0, at(1, j), at(1, j + 1)});
    for (std::uint32_t i = 1; i + 1 < ring_count; ++i) {
      faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
    faces.push_back({at(ring_count - 1, j), last, at(ring_count - 1, j + 1)});
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Mesh torus(double radius, double tube_radius, std::uint32_t around, std::uint32_t across) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < around; ++i) {
    const double a = 2.0 * std::numbers::pi * i / around;
    for (std::uint32_t j = 0; j < across; ++j) {
      const double b = 2.0 * std::numbers::pi * j / across;
      const double r = radius + tube_radius * std::cos(b);
      vertices.push_back({r * std::cos(a), r * std::sin(a), tube_radius * std::sin(b)});
      const std::uint32_t next = (i + 1) % around * across;
      const std::uint32_t beside = (j + 1) % across;
      faces.push_back({i * across + j, next + j, next + beside});
      faces.push_back({i * across + j, next + beside, i * across + beside});
    }
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Mesh moebius_strip(int segments) {
  const auto count = static_cast<std::uint32_t>(segments);
  std::vector<Vec3> vertices;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    for (const double side : {-0.2, 0.2}) {
      const double r = 1.0 + side * std::cos(angle / 2);
      vertices.push_back({r * std::cos(angle), r * std::sin(angle), side * std::sin(angle / 2)});
    }
  }
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < count; ++i) {
    // After the last segment the two borders change places.
    const bool seam = i + 1 == count;
    const std::uint32_t a = 2 * i;
    const std::uint32_t b = 2 * i + 1;
    const std::uint32_t c = seam ? 1 : a + 2;
    const std::uint32_t d = seam ? 0 : b + 2;
    faces.push_back({a, c, d});
    faces.push_back({a, d, b});
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Mesh together(const std::vector<Mesh>& meshes) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (const Mesh& mesh : meshes) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), mesh.vertices().begin(), mesh.vertices().end());
    for (const Face& face : mesh.faces()) {
      faces.push_back({face[0] + first, face[1] + first, face[2] + first});
    }
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Mesh soup(const Mesh& mesh) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    const Triangle t = mesh.triangle(i);
    vertices.insert(vertices.end(), {t.a, t.b, t.c});
    faces.push_back({first, first + 1, first + 2});
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

Mesh turned(const Mesh& mesh) {
  std::vector<Face> faces = faces_of(mesh);
  for (Face& face : faces) std::swap(face[1], face[2]);
  return Mesh::make(vertices_of(mesh), std::move(faces)).value();
}

Mesh without(const Mesh& mesh, const std::vector<std::size_t>& triangles) {
  std::vector<Face> faces;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    if (!std::binary_search(triangles.begin(), triangles.end(), i)) {
      faces.push_back(mesh.faces()[i]);
    }
  }
  return Mesh::make(vertices_of(mesh), std::move(faces)).value();
}

Mesh with(const Mesh& mesh, const std::vector<Face>& triangles) {
  std::vector<Face> faces = faces_of(mesh);
  faces.insert(faces.end(), triangles.begin(), triangles.end());
  return Mesh::make(vertices_of(mesh), std::move(faces)).value();
}

double signed_volume(const Mesh& mesh) {
  double six = 0.0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    six += dot(t.a, cross(t.b, t.c));
  }
  return six / 6.0;
}

}  // namespace clearance::test
