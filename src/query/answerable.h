// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which poses queries answer. All others are contact: never a false "free".
#pragma once

#include <clearance/query/query.h>

namespace clearance::detail {

/// Finite, rigid, and within the range of the trees.
inline bool is_answerable(const Pose& pose) {
  return norm(pose.translation) <= kLargestTranslation &&
         rigidity_error(pose.rotation) <= kRigidTolerance;
}

}  // namespace clearance::detail
