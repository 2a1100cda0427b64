// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/writers.h"

namespace clearance::detail {

Status write_glb(const std::string& path, const Assembly&, const WriteOptions&) {
  return Error{ErrorCode::Unsupported, path, "", "this format is not written yet", ""};
}

}  // namespace clearance::detail
