// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small parts that fit together, made by formula, for the tests of whole assemblies. Metres; all
// closed and facing outward.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <clearance/mesh/mesh.h>
#include <clearance/mesh/read.h>
#include <clearance/query/model.h>

#include "support/data.h"
#include "support/simple_meshes.h"

namespace clearance::test {

inline Model model_of(const Mesh& mesh) { return Model::build(mesh).value(); }

/// The box from `low` to `high`.
inline Mesh box(const Vec3& low, const Vec3& high) {
  return transformed(scaled(cube(1.0), high - low), Pose::translate(low));
}

/// A ring about z from z = low to z = high; a full cylinder when `inner` is 0.
inline Mesh ring(double inner, double outer, double low, double high, int segments) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  const auto n = static_cast<std::uint32_t>(segments);
  const auto add_circle = [&](double radius, double z) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const double angle = 2.0 * 3.14159265358979323846 * i / n;
      vertices.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  };
  const auto add_band = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t j = (i + 1) % n;
      faces.push_back({from + i, from + j, to + j});
      faces.push_back({from + i, to + j, to + i});
    }
  };
  add_circle(outer, low);
  add_circle(outer, high);
  add_band(0, n);
  if (inner > 0.0) {
    add_circle(inner, high);
    add_circle(inner, low);
    add_band(n, 2 * n);
    add_band(2 * n, 3 * n);
    add_band(3 * n, 0);
  } else {
    vertices.push_back({0.0, 0.0, low});
    vertices.push_back({0.0, 0.0, high});
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t j = (i + 1) % n;
      faces.push_back({j, i, 2 * n});
      faces.push_back({n + i, n + j, 2 * n + 1});
    }
  }
  return Mesh::make(vertices, faces).value();
}

/// A right-handed thread about z: radius `mean` with a wave of +-`height` that climbs by `pitch` a
/// turn; z from low to high. The bolt itself, or with `outer` above 0 a nut around that thread.
inline Mesh thread(double mean, double height, double pitch, double low, double high,
                   double outer = 0.0) {
  constexpr std::uint32_t kAround = 24;
  const auto rows = static_cast<std::uint32_t>(std::lround(8.0 * (high - low) / pitch));
  constexpr double kTurn = 2.0 * 3.14159265358979323846;
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  const auto at = [](std::uint32_t row, std::uint32_t i) { return row * kAround + i % kAround; };
  const auto add_row = [&](double z, double fixed) {
    for (std::uint32_t i = 0; i < kAround; ++i) {
      const double angle = kTurn * i / kAround;
      const double r = fixed > 0.0 ? fixed : mean + height * std::cos(kTurn * z / pitch - angle);
      vertices.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
  };
  const bool nut = outer > 0.0;
  const auto add_band = [&](std::uint32_t a, std::uint32_t b, bool flip) {
    for (std::uint32_t i = 0; i < kAround; ++i) {
      Face f{at(a, i), at(a, i + 1), at(b, i + 1)};
      Face g{at(a, i), at(b, i + 1), at(b, i)};
      if (flip) {
        std::swap(f[1], f[2]);
        std::swap(g[1], g[2]);
      }
      faces.push_back(f);
      faces.push_back(g);
    }
  };
  for (std::uint32_t row = 0; row <= rows; ++row) add_row(low + (high - low) * row / rows, 0.0);
  for (std::uint32_t row = 0; row < rows; ++row) add_band(row, row + 1, nut);
  if (nut) {
    add_row(low, outer);
    add_row(high, outer);
    add_band(rows + 1, rows + 2, false);
    add_band(rows + 1, 0, true);
    add_band(rows, rows + 2, true);
  } else {
    for (const std::uint32_t row : {0U, rows}) {
      const auto middle = static_cast<std::uint32_t>(vertices.size());
      vertices.push_back({0.0, 0.0, row == 0 ? low : high});
      for (std::uint32_t i = 0; i < kAround; ++i) {
        faces.push_back(row == 0 ? Face{at(row, i + 1), at(row, i), middle}
                                 : Face{at(row, i), at(row, i + 1), middle});
      }
    }
  }
  return Mesh::make(vertices, faces).value();
}

/// A box with a cubic cavity: outside [-1, 1]³, inside [-half, half]³, walls all round.
inline Mesh hollow_box(double half) {
  return together(
      {box({-1, -1, -1}, {1, 1, 1}), turned(box({-half, -half, -half}, {half, half, half}))});
}

/// A block [-1, 1]² x [-1, 0] with a blind hole of half width `half` and depth 0.8, open to +z:
/// four walls and a floor that overlap inside the material.
inline Mesh blind_hole(double half) {
  return together({box({-1, -1, -1}, {1, 1, -0.8}), box({-1, -1, -0.9}, {-half, 1, 0}),
                   box({half, -1, -0.9}, {1, 1, 0}), box({-1.0, -1, -0.9}, {1.0, -half, 0}),
                   box({-1.0, half, -0.9}, {1.0, 1, 0})});
}

/// A part of the data folder, or nothing: read_part("asap_beam/0.obj").
inline Mesh read_part(const std::string& name) {
  return read_mesh(data_path("assemblies/" + name).string()).value().mesh;
}

}  // namespace clearance::test
