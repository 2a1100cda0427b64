// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/readers.h"

namespace clearance::detail {

Result<LoadedAssembly> read_stl(std::string_view, const std::string& name, const ReadOptions&) {
  return Error{ErrorCode::Unsupported, name, "", "this format is not read yet", ""};
}

}  // namespace clearance::detail
