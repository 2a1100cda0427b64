// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The writers of single formats. write.cpp chooses among them by extension, after it has checked
// the options and that there is something to write. Each writes through an AtomicFile.
#pragma once

#include <span>
#include <string>

#include <clearance/mesh/write.h>

namespace clearance::detail {

Status write_stl(const std::string& path, const Mesh& mesh, const WriteOptions& options);
Status write_obj(const std::string& path, const Mesh& mesh, const WriteOptions& options);
Status write_ply(const std::string& path, const Mesh& mesh, const WriteOptions& options);
/// Each part of the assembly is a node; a part whose mesh has parts() is a node with one child for
/// each of them.
Status write_glb(const std::string& path, const Assembly& assembly, const WriteOptions& options);

/// Checked already: as many colours and values as vertices, or no values.
Status write_coloured_ply(const std::string& path, std::span<const ColouredMesh> meshes,
                          const std::string& value_name, const std::string& comment);
Status write_coloured_glb(const std::string& path, std::span<const ColouredMesh> meshes);

}  // namespace clearance::detail
