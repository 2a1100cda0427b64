// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/readers.h"

namespace clearance::detail {

Result<LoadedAssembly> read_step(std::string_view, const std::string& name, const ReadOptions&) {
  return Error{ErrorCode::Unsupported, name, "", "this format is not read yet", ""};
}
bool can_read_step() { return false; }

}  // namespace clearance::detail
