// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A wide tree around moved vertices: the same nodes over the same triangles, with new frames and
// boxes.
#pragma once

#include <memory>
#include <span>

#include "bvh/wide_tree.h"

namespace clearance::detail {

/// Frames and boxes anew, nodes and leaves in their old places. Leaves get the axes a build would
/// give them; a node keeps its old axes or takes the principal axes of the moved triangles,
/// whichever gives its children less surface. The guarantee of
/// wide_tree.h holds as after a build, since all corners below a node are projected into its frame.
/// `bounds` are those of the moved triangles. The result does not depend on the number of threads.
std::shared_ptr<const WideTree> refit_wide_tree(const WideTree& tree,
                                                std::span<const Vec3> vertices, Faces faces,
                                                const Box& bounds, Threads threads);

}  // namespace clearance::detail
