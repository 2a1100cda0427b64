// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bins as boxes, and boxes as meshes.
#include <string>
#include <utility>

#include <clearance/grasp/pile.h>
#include <clearance/robot/robot.h>

namespace clearance {

std::vector<Box> walls_of(const Bin& bin) {
  if (!(bin.height > 0.0)) return {};
  const double x = 0.5 * bin.length;
  const double y = 0.5 * bin.width;
  const double t = bin.wall_thickness;
  // The two across x go past the corners, the two across y stand between them: faces meet, and
  // nothing is covered twice.
  return {{{-x - t, -y - t, 0.0}, {-x, y + t, bin.height}},
          {{x, -y - t, 0.0}, {x + t, y + t, bin.height}},
          {{-x, -y - t, 0.0}, {x, -y, bin.height}},
          {{-x, y, 0.0}, {x, y + t, bin.height}}};
}

Mesh mesh_of(std::span<const Box> boxes) {
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  for (const Box& box : boxes) {
    names.push_back("box " + std::to_string(meshes.size()));
    meshes.push_back(surface_of({"", Pose::translate(box.center()), BoxShape{0.5 * box.size()}}));
  }
  if (meshes.empty()) return {};
  Result<Mesh> mesh = merged(meshes, names);
  return mesh ? *std::move(mesh) : Mesh{};
}

}  // namespace clearance
