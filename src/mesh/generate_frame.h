// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Frames of welded round tubes: the tubular-frame part, and what surrounds the bodies of two
// scenes.
#pragma once

#include <string>
#include <vector>

#include "mesh/generate_features.h"

namespace clearance::parts {

/// A tube of a frame. Ends that butt against another tube are trimmed back from the given corner
/// to just inside that tube's skin and get a weld bead.
struct FrameTube {
  std::string name;
  std::vector<Vec3> corners;
  double radius = 0.02;
  double bend_radius = 0.08;
  double trim_start = 0.0;  ///< radius of the tube met at the first corner; 0: a free end
  double trim_end = 0.0;
};

/// A foot or bracket: a square plate with four holes and screws, lying in the frame of its pose.
struct FramePlate {
  std::string name;
  Pose pose;
  double size = 0.1;
  double thickness = 0.008;
};

/// An arch upright across x, from one foot plate up, over and down to the other.
struct FrameHoop {
  std::string place;  ///< the end of the names of its tube and plates
  double x = 0.0;
  double half_width = 0.3;
  double ground = 0.0;  ///< z of the underside of the plates
  double roof = 0.5;    ///< z of the top tube
  double radius = 0.02;
  double bend_radius = 0.09;
  double foot_size = 0.1;
};

/// Adds the tube hoop-PLACE and the plates foot-PLACE-right (at -y) and foot-PLACE-left.
void add_hoop(std::vector<FrameTube>& tubes, std::vector<FramePlate>& plates,
              const FrameHoop& hoop);

/// The shapes of a frame, their names beginning with the prefix; all screws share a mesh. The
/// tubes overlap where they are welded, nothing else does.
std::vector<Shape> frame_shapes(const std::string& prefix, const std::vector<FrameTube>& tubes,
                                const std::vector<FramePlate>& plates);

}  // namespace clearance::parts
