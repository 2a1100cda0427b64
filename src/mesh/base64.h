// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace clearance::detail {

/// The bytes a base64 text stands for (RFC 4648, standard or URL-safe alphabet, padding optional),
/// or nothing when a character or the length is not legal.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace clearance::detail
