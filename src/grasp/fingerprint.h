// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 64 bits that tell things apart: what a grasp file is for.
#pragma once

#include <span>
#include <string_view>

#include <clearance/mesh/mesh.h>

#include "base/sealed_file.h"

namespace clearance::detail {

/// Adds the bytes of a range, and zeros up to a whole block.
template <class T>
void add(Checksum& checksum, std::span<const T> items) {
  checksum.add(std::as_bytes(items));
}
/// Counts, corners and faces.
void add(Checksum& checksum, const Mesh& mesh);

}  // namespace clearance::detail
