// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs of parts may touch: rules "A:B" with names of parts, given one by one or in a file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <clearance/base/result.h>

namespace clearance::cli {

/// True when a name is what the pattern says: `*` stands for any characters, `?` for one.
[[nodiscard]] bool matches(const std::string& name, const std::string& pattern);

/// The pairs of parts (the lower index first, sorted) that the rules allow. A rule is "A:B", or the
/// path of a file with one rule a line, where # begins a comment. Both sides are patterns; order
/// does not matter. A rule that no pair of parts fits is an error: it is a slip of the pen.
[[nodiscard]] Result<std::vector<std::pair<std::size_t, std::size_t>>> allowed_pairs(
    const std::vector<std::string>& rules, const std::vector<std::string>& parts);

}  // namespace clearance::cli
