// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading mesh files. Formats, by the extension (upper or lower case): .stl (ASCII and binary, told
// apart by content), .obj, .ply (ASCII, binary of both byte orders), .off, .dae (COLLADA), .gltf,
// .glb, .step and .stp (where built with OpenCASCADE).
//
// Every reader checks what it reads before it believes it: sizes against the file's size, indices
// against the counts, numbers for being finite. A file that breaks its format is refused with the
// byte or line and the reason; no file makes a reader crash, hang, or take memory out of proportion
// to the file. Polygons are cut into fans.
//
// Units: everything becomes metres. glTF is metres by definition; COLLADA and STEP declare their
// unit; STL, OBJ, PLY and OFF do not, and are taken as metres unless ReadOptions says otherwise.
// Nothing is guessed: a size that is unlikely for metres is reported as a warning instead.
//
// Axes: coordinates are taken as they stand, except that glTF is Y-up by definition and is turned
// to Z-up: (x, y, z) becomes (x, -z, y). A COLLADA file that declares another up axis than Z gets a
// warning (docs/decisions/0003-own-readers.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/mesh/assembly.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

struct ReadOptions {
  /// Length of the file's unit [m]; overrides what the file declares. See unit_from_name().
  std::optional<double> metres_per_unit;
  /// Join vertices at exactly the same position (STL repeats each vertex about six times). Off: the
  /// vertices as they stand in the file.
  bool weld = true;
  /// STEP only: largest distance between a face and its triangles [m].
  double step_deflection = 1e-4;
  /// STEP only: largest angle between neighbouring facets [rad].
  double step_angle = 0.35;
  Threads threads;             ///< the result does not depend on it
  Monitor* monitor = nullptr;  ///< progress and cancellation; may be null
};

enum class UnitSource {
  Declared,  ///< the file says so (COLLADA, STEP), or the format does (glTF)
  Option,    ///< ReadOptions::metres_per_unit
  Assumed,   ///< the format has no unit: metres
};

/// What was read and how it was understood.
struct FileInfo {
  std::string path;
  std::string format;  ///< "binary STL", "OBJ", "binary little-endian PLY", "COLLADA", ...
  std::uint64_t bytes = 0;
  double metres_per_unit = 1.0;
  UnitSource unit_source = UnitSource::Assumed;
  /// Whole sentences, each about something a careful user wants to know: unit doubts, ignored
  /// elements, normals that point the other way.
  std::vector<std::string> warnings;
};

struct LoadedAssembly {
  Assembly assembly;
  FileInfo info;
};

struct LoadedMesh {
  Mesh mesh;  ///< all parts in place
  FileInfo info;
};

/// Reads a file as an assembly: its named parts with their placement. Formats without parts give
/// one part named after the file.
Result<LoadedAssembly> read_assembly(const std::string& path, const ReadOptions& options = {});

/// Reads a file as one mesh; the parts of an assembly become named ranges of triangles.
Result<LoadedMesh> read_mesh(const std::string& path, const ReadOptions& options = {});

/// The same from memory; `name` chooses the format by its extension and stands in errors. Formats
/// that refer to other files (.gltf with external buffers) look for them beside `name`.
Result<LoadedAssembly> parse_assembly(std::string_view bytes, const std::string& name,
                                      const ReadOptions& options = {});

/// Length in metres of "m", "mm", "cm", "um", "in", "ft" and their long names; nothing for others.
std::optional<double> unit_from_name(std::string_view name);

/// The extensions read_assembly() knows in this build, with the dot, lower case.
std::vector<std::string> readable_extensions();

}  // namespace clearance
