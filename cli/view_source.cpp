// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <clearance/base/file.h>

#include "text.h"
#include "view_limit.h"

namespace clearance::cli {
namespace {

using Maker = Result<ViewDocument> (*)(const ViewSource&);

struct Kind {
  const char* schema;
  int version;
  Maker make;
};
constexpr std::array kKinds{
    Kind{"clearance.check", 1, view_check},
    Kind{"clearance.check-angles", 1, view_check_angles},
    Kind{"clearance.clash", 1, view_clash},
    Kind{"clearance.disassembly", 1, view_disassembly},
    Kind{"clearance.distance", 1, view_distance},
    Kind{"clearance.fold", 1, view_fold},
    Kind{"clearance.fold-robot", 1, view_fold_robot},
    Kind{"clearance.grasp", 1, view_grasp},
    Kind{"clearance.inspect", 1, view_inspect},
    Kind{"clearance.pick", 1, view_pick},
    Kind{"clearance.plan", 1, view_plan},
    Kind{"clearance.probe", 1, view_probe},
    Kind{"clearance.probe-stream", 1, view_probe_stream},
    Kind{"clearance.simplify", 1, view_simplify},
    Kind{"clearance.verify", 1, view_verify},
};

/// The largest result that is read: parsing takes some ten times the memory.
constexpr std::uintmax_t kLargestResult = 1'000'000'000;

bool is_mesh(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::count(readable_extensions(), extension) > 0;
}

Error wrong(const std::string& path, std::string reason, std::string advice = "") {
  return {ErrorCode::Malformed, path, "", std::move(reason), std::move(advice)};
}

std::string known_kinds() {
  std::string words;
  for (const Kind& kind : kKinds)
    words += (words.empty() ? "" : ", ") + std::string(kind.schema).substr(10);
  return words;
}

/// The answers of a stream stand on lines of their own before its summary, which is the result.
nlohmann::json last_line_of(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const std::size_t before = text.rfind('\n');
  return nlohmann::json::parse(before == std::string_view::npos ? text : text.substr(before + 1),
                               nullptr, false);
}

Result<nlohmann::json> read_result(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (!failed && size > kLargestResult) {
    return Error{ErrorCode::Unsupported, path, "", "is larger than a gigabyte: too large to show",
                 ""};
  }
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  nlohmann::json json = nlohmann::json::parse(file->text(), nullptr, false);
  if (json.is_discarded()) json = last_line_of(file->text());
  if (json.is_discarded())
    return wrong(path, "is not JSON", "view takes the --json result of a verb, or a mesh file");
  return json;
}

/// Without the trees.
Result<ViewDocument> bare_view_of(const std::string& path, const ViewOptions& options) {
  if (is_mesh(path)) return view_mesh(path, options);
  Result<nlohmann::json> json = read_result(path);
  if (!json) return json.error();
  if (!json->is_object() || !json->contains("schema") || !(*json)["schema"].is_string())
    return wrong(path, "is not a result of clearance: it has no \"schema\"",
                 "view takes the --json result of a verb, or a mesh file");
  const std::string schema = (*json)["schema"].get<std::string>();
  const auto kind = std::ranges::find_if(kKinds, [&](const Kind& k) { return schema == k.schema; });
  if (kind == kKinds.end())
    return wrong(path, "is of the kind '" + schema + "', which has no view",
                 "there are views of " + known_kinds() + " and of meshes");
  const nlohmann::json version = json->value("version", nlohmann::json());
  if (!version.is_number_integer() || version.get<std::int64_t>() != kind->version) {
    const bool newer = version.is_number_integer() && version.get<std::int64_t>() > kind->version;
    return wrong(path,
                 "is version " + version.dump() + " of '" + schema + "', and this program shows " +
                     std::to_string(kind->version),
                 newer ? "it was written by a newer clearance" : "run the verb again");
  }
  try {
    ViewSource source(path, std::move(*json), options);
    // The files of the result are in the unit that the verb was told.
    if (const auto unit = source.json().find("metres_per_unit");
        unit != source.json().end() && unit->is_number())
      source.set_unit(unit->get<double>());
    return kind->make(source);
  } catch (const nlohmann::json::exception& error) {
    return wrong(path, std::string("does not hold what '") + schema + "' has to: " + error.what(),
                 "run the verb again");
  }
}

}  // namespace

std::string ViewSource::find(const std::string& name) const {
  namespace fs = std::filesystem;
  const fs::path beside = fs::path(path_).parent_path();
  for (const fs::path& candidate :
       {fs::path(name), beside / name, beside / fs::path(name).filename()}) {
    std::error_code ignored;
    if (fs::exists(candidate, ignored)) return candidate.string();
  }
  return name;
}

std::optional<Assembly> ViewSource::assembly(const std::string& name,
                                             ViewDocument& document) const {
  ReadOptions read_options;
  if (options_.metres_per_unit > 0.0) read_options.metres_per_unit = options_.metres_per_unit;
  read_options.threads = options_.threads;
  read_options.monitor = options_.monitor;
  Result<LoadedAssembly> loaded = read_assembly(find(name), read_options);
  if (!loaded) {
    document.warn(loaded.error().message() +
                  ". It is looked for in the working folder and beside " + path_ + ".");
    return std::nullopt;
  }
  return std::move(loaded->assembly);
}

std::optional<Mesh> ViewSource::mesh(const std::string& name, ViewDocument& document) const {
  const std::optional<Assembly> found = assembly(name, document);
  if (!found) return std::nullopt;
  return found->flattened();
}

void ViewSource::set_unit(double metres_per_unit) {
  if (options_.metres_per_unit == 0.0) options_.metres_per_unit = metres_per_unit;
}

Result<ViewDocument> view_of(const std::string& path, const ViewOptions& options) {
  Result<ViewDocument> document = bare_view_of(path, options);
  if (!document) return document;
  ViewTreeOptions tree = options.tree;
  tree.bvh.threads = options.threads;
  if (Status added = append_trees(tree, *document); !added) return added.error();
  // The trees are those of the whole meshes.
  if (options.most_triangles > 0)
    limit_triangles(options.most_triangles, *options.monitor, *document);
  return document;
}

std::vector<std::string> viewable_extensions() { return {"json", "jsonl"}; }

Vec3 vector_of(const nlohmann::json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

Pose pose_of(const nlohmann::json& json) {
  Pose pose;
  pose.translation = vector_of(json.contains("xyz") ? json.at("xyz") : json.at("translation"));
  if (json.contains("rotation")) {
    const nlohmann::json& rows = json.at("rotation");
    for (std::size_t i = 0; i < 3; ++i) pose.rotation[i] = vector_of(rows.at(i));
  } else {
    const nlohmann::json& q = json.at("quaternion");
    pose.rotation = rotation_from({q.at(0).get<double>(), q.at(1).get<double>(),
                                   q.at(2).get<double>(), q.at(3).get<double>()});
  }
  return pose;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

ViewItem mesh_around(const std::string& path, const Mesh& mesh, double opacity) {
  ViewItem item;
  item.name = file_name(path);
  item.group = "Mesh";
  item.mesh = mesh;
  item.explodes = false;
  item.outlined = false;
  item.opacity = opacity;
  return item;
}

std::string short_length(double metres) {
  if (!(metres > 0.0)) return "0 mm";
  const double unit = std::pow(10.0, std::floor(std::log10(metres)) - 3.0);
  return format_length(std::round(metres / unit) * unit);
}

Colour part_colour(std::size_t i) {
  constexpr std::array<Colour, 8> kColours{{{0.56, 0.66, 0.78},
                                            {0.84, 0.70, 0.48},
                                            {0.60, 0.74, 0.60},
                                            {0.76, 0.60, 0.70},
                                            {0.52, 0.72, 0.74},
                                            {0.80, 0.60, 0.52},
                                            {0.70, 0.70, 0.56},
                                            {0.64, 0.62, 0.80}}};
  return kColours[i % kColours.size()];
}

}  // namespace clearance::cli
