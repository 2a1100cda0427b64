// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The generators themselves, one function each, and the table that generate() looks them up in.
#pragma once

#include <cstdint>
#include <vector>

#include <clearance/mesh/generate.h>

#include "mesh/generate_exact.h"

namespace clearance::parts {

/// What a generator gives: the shapes of one part, or those of a body and of its obstacles.
struct Plan {
  std::vector<Shape> shapes;
  std::vector<Shape> obstacles;  ///< empty for generators without a movable body
};

/// An error about an option outside its range.
Error invalid(std::string reason, std::string advice = "");

/// Builds a plan of one shape as a mesh.
Result<Mesh> single_mesh(const Plan& plan, std::size_t triangles, const std::string& what);

Plan pipe_plan(const PipeOptions& options);
Plan pipe_joint_plan(const PipeJointOptions& options);
Plan wall_plan(const WallOptions& options);
Plan bin_plan(const BinOptions& options);
Plan gripper_plan(const GripperOptions& options);
Plan torch_plan(const TorchOptions& options);
Plan conrod_plan();
Plan tubular_frame_plan();
Plan tunnel_console_plan();
Plan cylinder_head_plan();
Plan air_cleaner_plan();
Plan atrium_plan(std::uint64_t seed);

}  // namespace clearance::parts
