// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How large a disturbance a grasp withstands (C. Ferrari, J. Canny, "Planning optimal grasps",
// 1992): the radius of the largest ball about the origin in the convex hull of the wrenches that
// its contacts can exert.
//
// A contact presses with a unit force within its friction cone, which a pyramid of `cone_edges`
// edges stands for. The wrench of a force f at p is (f, (p - centre of mass) x f / largest radius
// of the part): six numbers of the same kind. Soft fingers also exert a torque about the normal.
#pragma once

#include <cstdint>
#include <span>

#include <clearance/geometry/vector.h>

namespace clearance {

struct GraspContact {
  Vec3 point;                ///< on the surface of the part [m]
  Vec3 inward;               ///< unit normal into the part: the way a finger pushes
  std::uint32_t finger = 0;  ///< 0 the one at -x, 1 at +x
};

enum class WrenchLimit : std::uint8_t {
  Sum,   ///< L1: all contact forces together sum to 1; the hull of the union of wrenches
  Each,  ///< L-infinity: each finger up to 1; the Minkowski sum of the hulls of the contacts
};

struct QualityOptions {
  double friction = 0.5;  ///< Coulomb's mu
  int cone_edges = 8;     ///< of the pyramid, at least 3
  WrenchLimit limit = WrenchLimit::Sum;
  /// Soft fingers: torque about the normal that a unit force withstands, as a length [m] (mu times
  /// the mean radius of the contact patch, about); 0: hard fingers.
  double torsion = 0.0;
};

struct PartFrame {
  Vec3 mass_center;             ///< [m]
  double largest_radius = 1.0;  ///< [m]: torques are divided by it
  /// The first edge of each pyramid lies in the plane of the normal and this direction: that of the
  /// approach, so that mirrored grasps are rated alike. Any length but zero.
  Vec3 first_edge{0.0, 0.0, 1.0};
};

/// The radius; 0 when the origin is not inside (the grasp is not force-closed), or by less than
/// 1e-10. Right to 1e-11. Cost: some tens of microseconds for eight contacts.
[[nodiscard]] double grasp_quality(std::span<const GraspContact> contacts, const PartFrame& part,
                                   const QualityOptions& options = {});

}  // namespace clearance
