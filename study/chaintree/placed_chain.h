// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A chain of spheres with explicit positions: what the grids and the trees built from scratch have
// in common. A change of joints cuts the chain into rigid pieces; each of them moves by one rigid
// motion, which is applied to its spheres.
//
// The frame of the positions ("world") is arbitrary: which piece stays where it is, is free.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/chain/chain.h>

namespace clearance::study {

/// A sphere in 32 bytes, one register.
struct alignas(32) Ball {
  double x = 0.0, y = 0.0, z = 0.0, radius = 0.0;
};

/// True when the balls touch: |a - b|² <= (ra + rb)².
[[nodiscard]] inline bool balls_touch(const Ball& a, const Ball& b) {
  const double dx = a.x - b.x;
  const double dy = a.y - b.y;
  const double dz = a.z - b.z;
  const double reach = a.radius + b.radius;
  return dx * dx + dy * dy + dz * dz <= reach * reach;
}

/// Four numbers in one register.
using Lanes = double __attribute__((vector_size(32)));

/// A rigid motion by columns: a ball is moved by three products of registers.
class BallMotion {
 public:
  explicit BallMotion(const Pose& pose)
      : x_(lanes(pose.rotation.column(0))),
        y_(lanes(pose.rotation.column(1))),
        z_(lanes(pose.rotation.column(2))),
        shift_(lanes(pose.translation)) {}

  [[nodiscard]] Ball operator*(const Ball& ball) const {
    const Lanes p = ball.x * x_ + ball.y * y_ + ball.z * z_ + shift_;
    return {p[0], p[1], p[2], ball.radius};
  }

 private:
  static Lanes lanes(const Vec3& v) { return Lanes{v.x, v.y, v.z, 0.0}; }
  Lanes x_, y_, z_, shift_;
};

/// Spheres [begin, end) that moved as one.
struct RigidPiece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t end_link = 0;  ///< one beyond the last link
  bool moved = false;
};

/// Which piece keeps its place.
enum class Fixed : std::uint8_t {
  First,    ///< the one with link 0: everything behind a changed joint moves
  Largest,  ///< the one with most spheres: the least is moved
};

class PlacedChain {
 public:
  PlacedChain(const Chain& chain, Fixed fixed);

  [[nodiscard]] std::span<const Ball> balls() const { return balls_; }
  [[nodiscard]] std::uint32_t ball_count() const {
    return static_cast<std::uint32_t>(balls_.size());
  }
  [[nodiscard]] double largest_radius() const { return largest_radius_; }
  [[nodiscard]] const Pose& joint(std::size_t i) const { return joints_[i]; }
  [[nodiscard]] std::vector<Vec3> centers() const;
  /// May the links of these balls touch each other without it being a collision? Asked only of
  /// balls that touch.
  [[nodiscard]] bool exempt(std::uint32_t ball_a, std::uint32_t ball_b) const;

  /// Works out the motions of the pieces between the changed joints, moves no ball yet.
  void propose(std::span<const JointChange> changes);
  /// Pieces of the proposal, along the chain; at least one.
  [[nodiscard]] std::span<const RigidPiece> pieces() const { return pieces_; }
  /// How the balls of a piece move; not at all when it is not marked as moved.
  [[nodiscard]] BallMotion motion(std::size_t piece) const { return BallMotion(motions_[piece]); }
  /// Moves the balls of all moved pieces; the old places are set aside.
  void move_balls();
  /// After move_balls(): where a ball was.
  [[nodiscard]] const Ball& old_ball(std::uint32_t ball) const { return old_balls_[ball]; }

  /// The proposal is kept; move_balls() was called. True when all balls were placed anew from the
  /// joints, which is done now and then so that rounding does not pile up.
  bool keep();
  /// The proposal is dropped. Balls that were moved go back.
  void undo();

 private:
  [[nodiscard]] Pose world_from_link(std::uint32_t link) const;
  void place_all(const Pose& world_from_first);

  /// Poses of the links divisible by this are kept; the others are a few products away. Poses of
  /// all links would cost three times as much to move as the balls.
  static constexpr std::uint32_t kAnchorSpacing = 32;
  /// Moves kept between two placements from the joints: rounding of a move is about 1e-16 of the
  /// chain's extent, so positions are good to about 1e-14 of it.
  static constexpr std::uint32_t kMovesBetweenPlacements = 256;

  Fixed fixed_;
  std::uint32_t neighbours_;
  double largest_radius_ = 0.0;
  std::vector<LinkPair> ignored_;  ///< sorted
  std::vector<Pose> joints_;
  std::vector<Pose> anchors_;              ///< world_from_link of every kAnchorSpacing-th
  std::vector<Ball> local_balls_;          ///< in the frames of their links
  std::vector<Ball> balls_;                ///< in the world
  std::vector<std::uint32_t> owners_;      ///< link of each ball
  std::vector<std::uint32_t> first_ball_;  ///< by link; one more at the end

  // The proposal.
  std::vector<JointChange> changes_;  ///< by joint, each once
  std::vector<RigidPiece> pieces_;
  std::vector<Pose> motions_;  ///< of the pieces, world to world
  std::vector<Ball> old_balls_;
  bool balls_moved_ = false;
  std::uint32_t moves_kept_ = 0;
};

}  // namespace clearance::study
