// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of a health report as sentences for people.
#pragma once

#include <vector>

#include <clearance/mesh/health.h>

namespace clearance::detail {

/// The findings of a report whose other members are filled in, warnings first.
std::vector<Finding> findings_of(const MeshHealth& health, const HealthOptions& options);

}  // namespace clearance::detail
