// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the readers of single formats share. read.cpp chooses among them by extension. Each checks
// everything and converts to metres.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <clearance/mesh/read.h>

#include "mesh/byte_source.h"

namespace clearance::detail {

// Formats that are one mesh, perhaps with named ranges of triangles. Read in pieces.
Result<LoadedMesh> read_stl(const ByteSource& source, const ReadOptions& options);
Result<LoadedMesh> read_obj(const ByteSource& source, const ReadOptions& options);
Result<LoadedMesh> read_ply(const ByteSource& source, const ReadOptions& options);
Result<LoadedMesh> read_off(const ByteSource& source, const ReadOptions& options);

// Formats with placed parts. They parse a whole file in memory.
Result<LoadedAssembly> read_dae(std::string_view bytes, const std::string& name,
                                const ReadOptions& options);
Result<LoadedAssembly> read_gltf(std::string_view bytes, const std::string& name,
                                 const ReadOptions& options);
Result<LoadedAssembly> read_step(std::string_view bytes, const std::string& name,
                                 const ReadOptions& options);
/// Whether this build has OpenCASCADE.
bool can_read_step();

/// Fills info.metres_per_unit and info.unit_source from the option or what the file declares.
void settle_unit(FileInfo& info, const ReadOptions& options,
                 std::optional<double> declared_metres_per_unit);

/// Warns when the unit was assumed and the size is unlikely for a thing measured in metres.
void warn_about_size(FileInfo& info, const Box& bounds);

/// The file's name without folder and extension: the name of a part the file does not name.
std::string stem_of(const std::string& path);

/// The info of a format that declares no unit.
FileInfo plain_info(const ByteSource& source, std::string format, const ReadOptions& options);

}  // namespace clearance::detail
