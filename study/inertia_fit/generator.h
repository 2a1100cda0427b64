// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The generator of a stand-in, by its name.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <clearance/base/result.h>
#include <clearance/mesh/generate.h>

namespace clearance::study {

/// Error NotFound when there is none of that name.
inline Result<GeneratorInfo> generator_named(std::string_view name) {
  const auto known = generators();
  const auto info = std::find_if(known.begin(), known.end(),
                                 [&](const GeneratorInfo& entry) { return entry.name == name; });
  if (info == known.end())
    return Error{ErrorCode::NotFound, {}, std::string(name), "there is no such generator", {}};
  return *info;
}

}  // namespace clearance::study
