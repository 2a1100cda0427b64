// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mesh/readers.h"

namespace clearance::detail {

/// Whether a file of this size is exactly as long as the triangle count at its byte 80 says.
/// `beginning` holds at least the first 84 bytes, or the whole file when it is shorter.
bool is_exact_binary_stl(std::string_view beginning, std::uint64_t file_size);

/// Reads a file as binary STL, or says why it is neither that nor ASCII.
Result<LoadedMesh> read_stl_binary(std::string_view beginning, const ByteSource& source,
                                   const ReadOptions& options);

}  // namespace clearance::detail
