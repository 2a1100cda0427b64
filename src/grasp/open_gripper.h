// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Does the open gripper touch a part? The boxes around its pieces decide most poses at a tenth of
// the cost of its triangles, and all where the pieces are boxes.
#pragma once

#include <array>

#include <clearance/grasp/gripper.h>
#include <clearance/query/query.h>

namespace clearance::detail {

class OpenGripper {
 public:
  explicit OpenGripper(const Gripper& gripper);

  /// As collide(part, gripper.open(), part_from_gripper): never a false "free".
  [[nodiscard]] bool touches(const Model& part, const Pose& part_from_gripper,
                             Coherence& coherence) const;

 private:
  struct Piece {
    Vec3 center;  // of its box, in the gripper's frame
    Vec3 half_size;
  };
  const Gripper& gripper_;
  std::array<Piece, 3> pieces_;
  bool all_boxes_ = true;  // the pieces are their boxes
};

}  // namespace clearance::detail
