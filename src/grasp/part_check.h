// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <clearance/base/result.h>
#include <clearance/query/model.h>

namespace clearance::detail {

/// Grasps are of solids.
inline Status check_solid(const Model& part) {
  if (part.is_solid()) return {};
  return Error{ErrorCode::Invalid,
               {},
               "part",
               "is no solid: its surface is open, or its triangles do not agree on which side is "
               "outside",
               "clearance inspect tells where"};
}

}  // namespace clearance::detail
