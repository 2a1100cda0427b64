// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What CAD parts are full of: bored blocks, bosses, screws, springs, hoses, plates with holes.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "mesh/generate_exact.h"
#include "mesh/generate_solid.h"

namespace clearance::parts {

/// A pose by its place and the directions its x and z axes point to (made perpendicular to z).
Pose pose_at(const Vec3& origin, const Vec3& z_axis, const Vec3& x_axis);

/// A ring of the frame as it is seen in the frame turned by half a turn about x.
Ring flipped(const Ring& ring);

/// A round boss, pocket or blind hole on a flat face of the frame. Steps are (radius, z); the first
/// lies in the face, the last is closed by a flat disc. Returns the first ring, a hole of the face.
Ring add_round_feature(SolidBuilder& solid, Vec2 center, const Profile& profile, int around);
/// The same with any outline; steps are (outward, z).
Ring add_outline_feature(SolidBuilder& solid, const Loop& loop, const Profile& profile);

/// Steps of a blind hole of the given radius and depth from z = face downward: chamfer, `threads`
/// grooves (0: plain), bottom.
Profile blind_hole(double radius, double face, double depth, int threads);
/// Steps of a raised round boss with a blind hole in it: fillet at the foot, rounded rim, hole.
Profile boss_with_hole(double radius, double hole_radius, double face, double height, double depth,
                       int quarter);

/// A box whose six faces can carry features. Frames: z out of the face, origin at its middle.
/// Bores that go through belong to two faces: see add_through().
class Block {
 public:
  enum Side { Top, Bottom, Front, Back, Left, Right };  // +z, -z, -y, +y, -x, +x
  /// A box of the given size about the origin of the builder's frame.
  Block(SolidBuilder& solid, const Vec3& size);

  /// Switches the builder to the frame of a face, where z = 0 is the face.
  void enter(Side side);
  /// Adds a hole to a face: the rim of a feature made while in its frame.
  void hole(Side side, Ring rim) { holes_[side].push_back(std::move(rim)); }
  /// A round bore from top to bottom with chamfers.
  void add_through(Vec2 center, double radius, int around);
  /// Closes all faces and goes back to the frame the block was made in.
  void finish();

 private:
  [[nodiscard]] Pose frame_of(Side side) const;

  SolidBuilder& solid_;
  Pose base_;
  Vec3 size_;
  std::array<Ring, 6> outlines_;
  std::array<std::vector<Ring>, 6> holes_;
};

/// A flat plate with its outline in the frame's plane, from z = 0 to thickness, with round holes.
struct PlateHole {
  Vec2 center;
  double radius = 0.0;
};
void add_plate(SolidBuilder& solid, const Loop& outline, double thickness,
               std::span<const PlateHole> holes, int around);

/// A hexagon-head screw along -z, its head standing on z = 0; the thread is a stack of grooves.
struct ScrewOptions {
  double radius = 0.004;
  double length = 0.03;
  int threads = 10;
};
void add_screw(SolidBuilder& solid, const ScrewOptions& options, int around);

/// A coil spring about z from z = 0 upward.
struct SpringOptions {
  double radius = 0.012;  ///< of the coil's middle line
  double wire = 0.0015;   ///< radius
  double height = 0.04;
  int turns = 6;
};
void add_spring(SolidBuilder& solid, const SpringOptions& options, int around, int per_turn);

/// A hollow hose along a polyline with bends, its skin waved in and out.
struct HoseOptions {
  double radius = 0.035;
  double wall = 0.003;
  double wave = 0.003;  ///< height of the waves
  int waves = 20;
  double bend_radius = 0.08;
};
void add_hose(SolidBuilder& solid, std::span<const Vec3> corners, const HoseOptions& options,
              int around, int per_wave);

/// A ring of round section about z: a weld bead or a seal.
void add_torus(SolidBuilder& solid, double radius, double section, int around, int across);

/// A rectangular sheet in the frame's plane, facing +z: open, so that it can have an odd count.
Shape label_shape(std::string name, const Pose& pose, double width, double height);

}  // namespace clearance::parts
