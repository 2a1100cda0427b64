// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finding the files a verb works on.
#pragma once

#include <string>
#include <vector>

#include <clearance/base/result.h>

namespace clearance::cli {

/// The readable mesh files below a folder, sorted by name. Links to folders are not followed.
[[nodiscard]] Result<std::vector<std::string>> files_below(const std::string& folder);

}  // namespace clearance::cli
