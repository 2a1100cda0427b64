// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of a mesh file: its parts.
#include <clearance/mesh/read.h>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

void append_parts(Assembly& assembly, ViewDocument& document) {
  const bool many = assembly.parts.size() > 1;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    AssemblyPart& part = assembly.parts[i];
    ViewItem item;
    item.name = part.name;
    item.group = "Parts";
    item.mesh = part.mesh;
    item.world_from_item = part.world_from_part;
    if (many) item.colour = part_colour(i);
    document.add(std::move(item));
  }
}

}  // namespace

Result<ViewDocument> view_mesh(const std::string& path, const ViewOptions& options) {
  ReadOptions read_options;
  if (options.metres_per_unit > 0.0) read_options.metres_per_unit = options.metres_per_unit;
  read_options.threads = options.threads;
  read_options.monitor = options.monitor;
  Result<LoadedAssembly> loaded = read_assembly(path, read_options);
  if (!loaded) return loaded.error();
  Assembly& assembly = loaded->assembly;
  ViewDocument document;
  document.kind = "mesh";
  document.title = file_name(path);
  document.summary = count_of(assembly.triangle_count(), "triangle", "triangles");
  document.facts = {{"triangles", group_digits(assembly.triangle_count())},
                    {"parts", group_digits(assembly.parts.size())},
                    {"size", format_size(assembly.bounds().size())},
                    {"format", loaded->info.format},
                    {"file", format_bytes(loaded->info.bytes)}};
  for (const std::string& warning : loaded->info.warnings) document.warn(warning);
  append_parts(assembly, document);
  return document;
}

}  // namespace clearance::cli
