// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <clearance/base/result.h>

namespace clearance::detail {

/// Deepest nesting of parentheses in an entity; real files stay below 10.
inline constexpr int kDeepestStepList = 100;

/// Whether a text is a whole STEP physical file (ISO 10303-21): its frame of sections, closed
/// texts, comments and parentheses, one definition per entity, and no reference to an entity that
/// is not there. OpenCASCADE leaves out what it cannot make sense of, mostly in silence, and a face
/// that is left out is a collision that is not found; so a damaged file is refused here, with its
/// line. Linear in the size of the text.
Status check_step_syntax(std::string_view text, const std::string& name);

}  // namespace clearance::detail
