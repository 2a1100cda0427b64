// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ways to probe on the CPU. None has a mesh yet: set_mesh() comes next.
#pragma once

#include <memory>

#include "contour/prober_base.h"

namespace clearance::detail {

[[nodiscard]] std::unique_ptr<Prober> make_scalar_prober(const ProberOptions& options);
[[nodiscard]] std::unique_ptr<Prober> make_simd_prober(const ProberOptions& options);
[[nodiscard]] std::unique_ptr<Prober> make_tree_prober(const ProberOptions& options);
/// options.bisections: 1 to 10.
[[nodiscard]] std::unique_ptr<Prober> make_bisection_prober(const ProberOptions& options);

}  // namespace clearance::detail
