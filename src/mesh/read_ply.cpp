// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/readers.h"

namespace clearance::detail {

Result<LoadedMesh> read_ply(const ByteSource& source, const ReadOptions&) {
  return Error{ErrorCode::Unsupported, source.name(), "", "this format is not read yet", ""};
}

}  // namespace clearance::detail
