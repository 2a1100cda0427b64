// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include <clearance/base/file.h>
#include <clearance/mesh/health.h>
#include <clearance/mesh/read.h>

#include "mesh/readers.h"

namespace clearance {
namespace {

using detail::ByteSource;

struct Format {
  std::string_view extension;
  Result<LoadedMesh> (*read_mesh)(const ByteSource&, const ReadOptions&) = nullptr;
  Result<LoadedAssembly> (*read_assembly)(std::string_view, const std::string&,
                                          const ReadOptions&) = nullptr;
};

constexpr std::array<Format, 9> kFormats{{
    {".stl", detail::read_stl, nullptr},
    {".obj", detail::read_obj, nullptr},
    {".ply", detail::read_ply, nullptr},
    {".off", detail::read_off, nullptr},
    {".dae", nullptr, detail::read_dae},
    {".gltf", nullptr, detail::read_gltf},
    {".glb", nullptr, detail::read_gltf},
    {".step", nullptr, detail::read_step},
    {".stp", nullptr, detail::read_step},
}};

// The last component of a path, and what follows its last dot, in lower case with the dot.
std::string_view file_name_of(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string extension_of(std::string_view path) {
  const std::string_view name = file_name_of(path);
  const std::size_t dot = name.find_last_of('.');
  std::string extension(dot == std::string_view::npos ? std::string_view() : name.substr(dot));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Result<Format> format_of(const std::string& path) {
  const std::string extension = extension_of(path);
  for (const Format& format : kFormats) {
    if (format.extension == extension) return format;
  }
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem))
    return Error{ErrorCode::Unreadable, path, "", "is a directory, not a file", ""};
  std::string known;
  for (const std::string& readable : readable_extensions()) known += " " + readable;
  return Error{ErrorCode::Unsupported, path, "",
               extension.empty() ? "has no extension that tells its format"
                                 : "the format '" + extension + "' is not known",
               "readable are" + known};
}

Status check_options(const ReadOptions& options) {
  const std::optional<double>& unit = options.metres_per_unit;
  if (unit.has_value() && !(*unit > 0.0 && std::isfinite(*unit)))
    return Error{ErrorCode::Invalid, "", "", "the length of a unit must be a positive number", ""};
  return {};
}

Error empty_file(const std::string& name) {
  return {ErrorCode::Malformed, name, "", "the file is empty", ""};
}

// One assembly part per named range of triangles, or one named after the file.
LoadedAssembly split_into_parts(LoadedMesh loaded) {
  LoadedAssembly result;
  const Mesh& mesh = loaded.mesh;
  std::vector<AssemblyPart>& parts = result.assembly.parts;
  if (mesh.parts().empty()) {
    parts.push_back({detail::stem_of(loaded.info.path), mesh, Pose{}});
  }
  // A name of its own for each: "bolt", "bolt#2", ... The counters keep this linear when a hostile
  // file repeats one name a million times.
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, std::size_t> uses;
  for (const MeshPart& part : mesh.parts()) {
    if (part.triangle_count == 0) continue;
    std::string name;
    do {
      const std::size_t use = ++uses[part.name];
      name = use == 1 ? part.name : part.name + "#" + std::to_string(use);
    } while (!taken.insert(name).second);
    Result<Mesh> own = submesh(mesh, part.first_triangle, part.triangle_count);
    parts.push_back({std::move(name), std::move(own).value(), Pose{}});
  }
  result.info = std::move(loaded.info);
  return result;
}

Result<LoadedMesh> run(const Format& format, const ByteSource& source, const ReadOptions& options) {
  if (source.size() == 0) return empty_file(source.name());
  return format.read_mesh(source, options);
}

Result<LoadedAssembly> run(const Format& format, std::string_view bytes, const std::string& name,
                           const ReadOptions& options) {
  if (bytes.empty()) return empty_file(name);
  return format.read_assembly(bytes, name, options);
}

}  // namespace

Result<LoadedAssembly> parse_assembly(std::string_view bytes, const std::string& name,
                                      const ReadOptions& options) {
  const Result<Format> format = format_of(name);
  if (!format) return format.error();
  if (const Status status = check_options(options); !status) return status.error();
  if (format->read_assembly != nullptr) return run(*format, bytes, name, options);
  Result<LoadedMesh> loaded = run(*format, ByteSource(bytes, name), options);
  if (!loaded) return loaded.error();
  return split_into_parts(std::move(loaded).value());
}

Result<LoadedAssembly> read_assembly(const std::string& path, const ReadOptions& options) {
  const Result<Format> format = format_of(path);
  if (!format) return format.error();
  if (const Status status = check_options(options); !status) return status.error();
  if (format->read_assembly != nullptr) {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    return run(*format, file->text(), path, options);
  }
  Result<LoadedMesh> loaded = read_mesh(path, options);
  if (!loaded) return loaded.error();
  return split_into_parts(std::move(loaded).value());
}

Result<LoadedMesh> read_mesh(const std::string& path, const ReadOptions& options) {
  const Result<Format> format = format_of(path);
  if (!format) return format.error();
  if (const Status status = check_options(options); !status) return status.error();
  if (format->read_mesh != nullptr) {
    const Result<ByteSource> source = ByteSource::open(path);
    if (!source) return source.error();
    return run(*format, *source, options);
  }
  Result<LoadedAssembly> loaded = read_assembly(path, options);
  if (!loaded) return loaded.error();
  return LoadedMesh{loaded->assembly.flattened(), std::move(loaded->info)};
}

std::optional<double> unit_from_name(std::string_view name) {
  struct Unit {
    std::string_view name;
    double metres;
  };
  static constexpr std::array kUnits{
      Unit{"m", 1.0},
      Unit{"metre", 1.0},
      Unit{"metres", 1.0},
      Unit{"meter", 1.0},
      Unit{"meters", 1.0},
      Unit{"mm", 1e-3},
      Unit{"millimetre", 1e-3},
      Unit{"millimetres", 1e-3},
      Unit{"millimeter", 1e-3},
      Unit{"millimeters", 1e-3},
      Unit{"cm", 1e-2},
      Unit{"centimetre", 1e-2},
      Unit{"centimetres", 1e-2},
      Unit{"centimeter", 1e-2},
      Unit{"centimeters", 1e-2},
      Unit{"um", 1e-6},
      Unit{"micrometre", 1e-6},
      Unit{"micrometres", 1e-6},
      Unit{"micrometer", 1e-6},
      Unit{"micrometers", 1e-6},
      Unit{"micron", 1e-6},
      Unit{"microns", 1e-6},
      Unit{"in", 0.0254},
      Unit{"inch", 0.0254},
      Unit{"inches", 0.0254},
      Unit{"ft", 0.3048},
      Unit{"foot", 0.3048},
      Unit{"feet", 0.3048},
  };
  for (const Unit& unit : kUnits) {
    const bool same = std::equal(name.begin(), name.end(), unit.name.begin(), unit.name.end(),
                                 [](unsigned char a, char b) { return std::tolower(a) == b; });
    if (same) return unit.metres;
  }
  return std::nullopt;
}

std::vector<std::string> readable_extensions() {
  std::vector<std::string> extensions;
  for (const Format& format : kFormats) {
    if (format.read_assembly == detail::read_step && !detail::can_read_step()) continue;
    extensions.emplace_back(format.extension);
  }
  return extensions;
}

namespace detail {

void settle_unit(FileInfo& info, const ReadOptions& options,
                 std::optional<double> declared_metres_per_unit) {
  if (options.metres_per_unit.has_value()) {
    info.metres_per_unit = *options.metres_per_unit;
    info.unit_source = UnitSource::Option;
  } else if (declared_metres_per_unit.has_value()) {
    info.metres_per_unit = *declared_metres_per_unit;
    info.unit_source = UnitSource::Declared;
  } else {
    info.metres_per_unit = 1.0;
    info.unit_source = UnitSource::Assumed;
  }
}

void warn_about_size(FileInfo& info, const Box& bounds) {
  if (info.unit_source != UnitSource::Assumed || bounds.empty()) return;
  const UnitAssessment assessment =
      assess_unit(largest_component(bounds.size()), info.metres_per_unit);
  if (assessment.unit != LikelyUnit::AsRead) info.warnings.push_back(assessment.sentence + ".");
}

std::string stem_of(const std::string& path) {
  const std::string_view name = file_name_of(path);
  const std::size_t dot = name.find_last_of('.');
  return std::string(dot == 0 || dot == std::string_view::npos ? name : name.substr(0, dot));
}

FileInfo plain_info(const ByteSource& source, std::string format, const ReadOptions& options) {
  FileInfo info;
  info.path = source.name();
  info.format = std::move(format);
  info.bytes = source.size();
  settle_unit(info, options, std::nullopt);
  return info;
}

}  // namespace detail
}  // namespace clearance
