// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies made ready for picks: beside the model, simple shapes around and inside it that answer
// most questions before the triangles are asked.
//
// Boxes around them prove that two bodies are apart; balls inside one that reach boxes inside the
// other prove that they touch. Only what neither decides is asked in full, so that the answers are
// those of the triangles.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>
#include <clearance/query/model.h>

namespace clearance::detail {

/// Balls as arrays, padded with copies of the last to a multiple of kLanes.
class PickBalls {
 public:
  static constexpr std::size_t kLanes = 4;

  PickBalls() = default;
  explicit PickBalls(std::span<const Sphere> balls);

  [[nodiscard]] bool empty() const { return x_.empty(); }
  [[nodiscard]] std::size_t size() const { return x_.size(); }
  /// Whether a ball, enlarged by `limit` [m], reaches a box. The boxes stand along the axes of the
  /// frame that frame_from_balls leads to. `first` is the ball to begin with and becomes the one
  /// that reached: where poses change little, it likely does again. Changes the cost alone.
  [[nodiscard]] bool reaches(std::span<const Box> boxes, const Pose& frame_from_balls, double limit,
                             std::size_t& first) const;

 private:
  std::vector<double> x_, y_, z_, radius_;
};

/// A body that is asked about: the gripper, a piece of it, its way in, a part, or an obstacle.
struct PickBody {
  static constexpr std::size_t kMostPieces = 4;

  /// One box around all; no balls.
  explicit PickBody(const Model& body);
  /// The same for something that stands still: without corners, whose hull takes long for the
  /// hundred thousands of points that a camera sees.
  [[nodiscard]] static PickBody standing(const Model& body);
  /// A box around each of some pieces of the body, and one inside where there is one.
  PickBody(const Model& body, std::span<const Model> pieces);

  /// For bodies that are asked about often: balls inside.
  void add_balls();
  /// All that the body goes through on a straight way, from where it is; exact.
  [[nodiscard]] Result<PickBody> swept(const Vec3& way) const;

  /// A box around a piece and one inside it.
  void add_piece(const Box& around_piece, const Box& inside_piece);
  void forget_pieces();

  struct Standing {};
  PickBody(const Model& body, Standing);

  Model model;
  Sphere ball;              ///< around all of it
  std::vector<Box> around;  ///< together they hold the body
  std::vector<Box>
      inside;  ///< of the same pieces, each within the solid; empty where none was found
  std::vector<double> around_radius;  ///< of the balls around the boxes in `around` [m]
  std::vector<Vec3> corners;          ///< of the convex hull: what can touch the floor
  PickBalls inner_balls;              ///< each within the solid
};

/// The prisms of the triangles of a mesh along a way, as one closed mesh.
[[nodiscard]] Result<Mesh> swept_along(const Mesh& mesh, const Vec3& way);

}  // namespace clearance::detail
