// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grasps of a part by a gripper with two fingers, sampled densely along a wire-frame and rated
// (D. Dupuis, S. Léonard, M. Baumann, E. Croft, J. Little, "Two-fingered grasp planning for
// randomized bin-picking", 2008).
//
// Sampling. The origin of the gripper goes along each line of the wire-frame in steps of `step`; at
// each place the gripper turns about the line (theta, all around) and about its own pinching
// direction (phi, from 0 to half a turn), in steps whose arc at the mean radius of the part (the
// mean distance of its surface from the wire-frame) is `step`, as nearly as whole numbers of steps
// allow. The pinching direction stays at right angles to the line; at phi = 0 the approach is along
// it. A line is a segment, or several that go on: each shares an end with the next, to the bit, no
// other ends there, and they bend by less than 74 degrees. Its direction then is that of the chord
// from one mean radius before to one after the place, and its steps and neighbours go on
// past the joints; one that comes back to where it begins has no ends. A sample is feasible when
// the open gripper does not touch the part and the region between its fingertips cuts it; contacts
// are the points of the cut that are farthest along the pinching direction, within `softness`: for
// each finger the extreme and both ends of that stretch.
//
// Rating. Stable: q > 0, the radius of the largest ball about the origin in the convex hull of the
// contact wrenches (grasp_quality.h). Robust: all neighbours one step away in d, theta and phi are
// there, feasible and stable; r is 1 over the standard deviation of q among the 27. Quality is
// Q = q^alpha r, with q and r divided by their largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/grasp/grasp_quality.h>
#include <clearance/grasp/gripper.h>
#include <clearance/query/model.h>

namespace clearance {

struct Grasp {
  Pose part_from_gripper;
  double width = 0.0;       ///< between the fingers when closed on the part [m]
  double stability = 0.0;   ///< q, as it is
  double robustness = 0.0;  ///< r, as it is; 0 when not robust
  double quality = 0.0;     ///< Q in [0, 1]; 0 when not robust
  // Where it is among the samples.
  std::uint32_t segment = 0;
  std::uint32_t along = 0;  ///< number of the step along the line that the segment is of
  std::uint32_t theta = 0;
  std::uint32_t phi = 0;
  // Its contacts: [first_contact, first_contact + contact_count) of GraspSet::contacts.
  std::uint32_t first_contact = 0;
  std::uint32_t contact_count = 0;
};

struct GraspOptions {
  double step = 0.003;      ///< along the segments, and as an arc [m]
  double softness = 0.003;  ///< how far a soft fingertip gives way [m]
  QualityOptions quality;
  double alpha = 2.0;  ///< weight of q over r: q^alpha
  /// Standard deviations of q below this count as this: a floor, or r would be infinite.
  double least_deviation = 1e-6;
  Threads threads;
  Monitor* monitor = nullptr;
};

struct GraspCounts {
  std::size_t sampled = 0;
  std::size_t free = 0;      ///< the open gripper does not touch the part
  std::size_t feasible = 0;  ///< free, and both fingers meet the part when they close
  std::size_t stable = 0;
  std::size_t robust = 0;
};

/// All stable grasps of a part, the best first; those that are not robust have quality 0 and come
/// last. Equal ones are in the order of sampling.
struct GraspSet {
  std::vector<Grasp> grasps;
  std::vector<GraspContact> contacts;  ///< in the frame of the part
  std::vector<Segment> wire_frame;     ///< as sampled
  GraspCounts counts;
  double step = 0.0;                      ///< [m]
  double theta_step = 0.0;                ///< [rad]
  double phi_step = 0.0;                  ///< [rad]
  Vec3 mass_center;                       ///< of the part [m]
  double largest_radius = 0.0;            ///< of the part about it [m]
  std::uint64_t part_fingerprint = 0;     ///< of the mesh
  std::uint64_t gripper_fingerprint = 0;  ///< Gripper::fingerprint()
  /// Gripper::sizes(): a gripper of boxes can be made again from them.
  std::optional<GripperSizes> gripper_sizes;

  [[nodiscard]] std::span<const GraspContact> contacts_of(const Grasp& grasp) const {
    return std::span(contacts).subspan(grasp.first_contact, grasp.contact_count);
  }
  /// The robust ones: the first counts.robust.
  [[nodiscard]] std::span<const Grasp> robust() const {
    return std::span(grasps).first(counts.robust);
  }
};

/// The same bits for any number of threads. Errors: a part that is no solid; steps, softness or
/// friction that make no sense (each named); a wire-frame that is empty, not finite or wholly
/// outside the part; a step larger than the part; cancelled. No grasp at all is no error: counts
/// say how far it got.
[[nodiscard]] Result<GraspSet> generate_grasps(const Model& part, const Gripper& gripper,
                                               std::span<const Segment> wire_frame,
                                               const GraspOptions& options = {});

/// 64 bits over the corners and faces of a mesh.
[[nodiscard]] std::uint64_t fingerprint(const Mesh& mesh);

}  // namespace clearance
