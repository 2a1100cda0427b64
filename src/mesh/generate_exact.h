// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Meeting a triangle count exactly: the finest Detail whose count does not exceed the request, then
// splits of edges (each adds two triangles to a closed solid) for the rest.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>
#include <clearance/mesh/assembly.h>

#include "mesh/generate_solid.h"

namespace clearance::parts {

/// A shape of a scene and where it stands. Several places share one mesh.
struct Shape {
  struct Place {
    std::string name;
    Pose world_from_part;
  };
  std::vector<Place> places;
  /// Adds the shape's triangles. The number of triangles grows with the detail and depends on
  /// nothing but it.
  std::function<void(SolidBuilder&, Detail)> build;
  /// An open sheet, which can take a single triangle more: at most one in a group.
  bool sheet = false;
};

/// A shape at one place.
Shape shape(std::string name, std::function<void(SolidBuilder&, Detail)> build);
Shape shape(std::string name, const Pose& pose, std::function<void(SolidBuilder&, Detail)> build);
/// A shape at several places: "name", "name#2", ...
Shape repeated(const std::string& name, const std::vector<Pose>& poses,
               std::function<void(SolidBuilder&, Detail)> build);

/// Triangles of a group of shapes.
std::size_t count_triangles(const std::vector<Shape>& shapes, Detail detail);
/// The smallest number of triangles a group can have.
std::size_t minimum_triangles(const std::vector<Shape>& shapes);

/// Builds a group of shapes with exactly `triangles` triangles. `what` names it in errors. Asks the
/// monitor before each shape and each pass over all of them: Cancelled when it says so.
Result<std::vector<AssemblyPart>> build_exactly(const std::vector<Shape>& shapes,
                                                std::size_t triangles, const std::string& what,
                                                const Monitor* monitor = nullptr);

/// Adds `splits` vertices, each in the middle of an edge between two triangles, preferring edges in
/// the finely tessellated, curved areas. Adds 2 * splits triangles.
void split_edges(std::vector<Vec3>& vertices, std::vector<Face>& faces, std::size_t splits);

}  // namespace clearance::parts
