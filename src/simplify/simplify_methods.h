// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The methods behind simplify(). Options are checked already.
#pragma once

#include <clearance/simplify/simplify.h>

namespace clearance::detail {

[[nodiscard]] Result<Simplification> simplify_by_cover(const Model& body,
                                                       const SimplifyOptions& options);
/// Paper and Packing.
[[nodiscard]] Result<Simplification> simplify_by_paper(const Model& body,
                                                       const SimplifyOptions& options);

[[nodiscard]] inline Error cancelled() {
  return {ErrorCode::Cancelled, {}, {}, "simplifying was cancelled", {}};
}

}  // namespace clearance::detail
