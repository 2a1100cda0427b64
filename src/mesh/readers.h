// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the readers of single formats share. read.cpp chooses among them by extension.
// Each parses a whole file in memory, checks everything, and converts to metres.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <clearance/mesh/read.h>

namespace clearance::detail {

Result<LoadedAssembly> read_stl(std::string_view bytes, const std::string& name,
                                const ReadOptions& options);
Result<LoadedAssembly> read_obj(std::string_view bytes, const std::string& name,
                                const ReadOptions& options);
Result<LoadedAssembly> read_ply(std::string_view bytes, const std::string& name,
                                const ReadOptions& options);
Result<LoadedAssembly> read_off(std::string_view bytes, const std::string& name,
                                const ReadOptions& options);
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

}  // namespace clearance::detail
