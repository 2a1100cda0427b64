// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance inspect` found out, and the two ways of telling it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/mesh/health.h>
#include <clearance/mesh/read.h>

namespace clearance::cli {

/// A part of an assembly, examined on its own.
struct PartReport {
  std::string name;
  Box bounds;  ///< in place, in the frame of the file [m]
  MeshHealth health;
};

/// One file: either an error or the rest.
struct FileReport {
  std::string path;
  std::optional<Error> error;
  FileInfo info;
  std::size_t part_count = 0;
  std::vector<PartReport> parts;  ///< filled on request
  MeshHealth health;              ///< of all parts in place, as one mesh

  /// A warning of the reader or of the examination.
  [[nodiscard]] bool has_warnings() const;
};

/// The result that follows schema/inspect.schema.json.
[[nodiscard]] nlohmann::ordered_json inspect_json(const std::vector<FileReport>& reports);

/// For people: a paragraph for a single file, a table for several. Files with errors are left out;
/// their error goes to stderr.
[[nodiscard]] std::string inspect_text(const std::vector<FileReport>& reports);

}  // namespace clearance::cli
