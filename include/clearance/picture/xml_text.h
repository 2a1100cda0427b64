// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any text as XML can hold it, between tags and in quotes: for SVG.
#pragma once

#include <string>
#include <string_view>

namespace clearance {

/// What XML takes for its own is escaped, control characters become spaces, and bytes that are not
/// UTF-8 U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace clearance
