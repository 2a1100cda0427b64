// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/open_gripper.h"

#include <cmath>

#include <clearance/geometry/mass.h>
#include <clearance/query/shapes.h>
#include <clearance/query/solid.h>

namespace clearance::detail {
namespace {

/// A solid that fills its bounding box to this fraction of the volume is that box.
constexpr double kFilled = 1e-12;

bool is_its_box(const Model& piece) {
  if (!piece.is_solid()) return false;
  const Mesh& mesh = piece.mesh();
  const Vec3 size = mesh.bounds().size();
  const double box = size.x * size.y * size.z;
  return std::abs(std::abs(solid_properties(mesh.vertices(), mesh.faces()).volume) - box) <=
         kFilled * box;
}

}  // namespace

OpenGripper::OpenGripper(const Gripper& gripper) : gripper_(gripper) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Model& piece = gripper.pieces()[i];
    const Box bounds = piece.mesh().bounds();
    pieces_[i] = {bounds.center(), 0.5 * bounds.size()};
    all_boxes_ = all_boxes_ && is_its_box(piece);
  }
}

bool OpenGripper::touches(const Model& part, const Pose& part_from_gripper,
                          Coherence& coherence) const {
  bool near = false;
  for (const Piece& piece : pieces_) {
    const OrientedBox box{part_from_gripper * Pose::translate(piece.center), piece.half_size};
    near = collide(part.bvh(), box).hit;
    if (near) break;
  }
  if (near) return all_boxes_ || collide(part, gripper_.open(), part_from_gripper, &coherence).hit;
  // Clear of the surface, and the part is in none of the boxes: a piece may still be in the part.
  for (const Model& piece : gripper_.pieces()) {
    for (const Vec3& p : piece.component_points())
      if (part.side(part_from_gripper * p) != Side::Outside) return true;
  }
  return false;
}

}  // namespace clearance::detail
