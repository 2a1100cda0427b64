// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes from JSON, as schema/scene.schema.json has it.
#include <filesystem>

#include <clearance/base/file.h>
#include <clearance/plan/scene_file.h>

#include "plan/scene_json.h"

namespace clearance {
namespace {

using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

class SceneReader {
 public:
  explicit SceneReader(const std::string& path) : in_(path, detail::kLargestSceneLength) {
    scene_.name = path;
  }

  Result<SceneDescription> read(const JsonNode& top) {
    if (in_.is_document(top, "scene",
                        {"units", "body", "obstacles", "start", "goal", "bounds",
                         "required_clearance", "touching", "solid"}))
      read_top(top);
    if (in_.failed()) return in_.error();
    return std::move(scene_);
  }

 private:
  void read_top(const JsonNode& top) {
    if (top.has("units")) in_.read_units(top["units"]);
    for (const char* key : {"body", "obstacles"})
      if (!in_.needs(top, key)) return;
    scene_.body = files(top["body"]);
    scene_.obstacles = files(top["obstacles"]);
    if (top.has("start")) scene_.start = in_.any_pose(top["start"]);
    if (!in_.needs(top, "goal")) return;
    scene_.goal = detail::read_goal(in_, top["goal"]);
    if (top.has("bounds")) scene_.bounds = detail::read_bounds(in_, top["bounds"]);
    if (top.has("required_clearance")) scene_.clearance = in_.radius(top["required_clearance"]);
    if (top.has("touching")) read_touching(top["touching"]);
    if (top.has("solid")) scene_.solid = in_.yes(top["solid"]);
  }

  /// A file, or a list of them; a file is its name, or an object with more to say.
  std::vector<SceneFile> files(const JsonNode& at) {
    std::vector<SceneFile> all;
    if (!at.is_array()) {
      all.push_back(file(at));
    } else {
      if (at.size() == 0) in_.fail(at, "is empty", "name at least one file");
      in_.each(at, [&](const JsonNode& one) { all.push_back(file(one)); });
    }
    return all;
  }

  SceneFile file(const JsonNode& at) {
    SceneFile result;
    if (at.is_text()) {
      result.path = in_.file(at);
      return result;
    }
    if (!in_.is_object(at, {"file", "parts", "without", "unit", "scale", "pose"}) ||
        !in_.needs(at, "file"))
      return result;
    result.path = in_.file(at["file"]);
    result.parts = names(at, "parts");
    result.without = names(at, "without");
    if (at.has("parts") && at.has("without"))
      in_.fail(at, "has both 'parts' and 'without'", "either says it all");
    if (at.has("unit")) result.metres_per_unit = in_.unit(at["unit"]);
    if (at.has("scale"))
      result.scale =
          in_.number(at["scale"], detail::kLeastSceneScale, 1.0 / detail::kLeastSceneScale);
    if (at.has("pose")) result.pose = in_.any_pose(at["pose"]);
    return result;
  }

  std::vector<std::string> names(const JsonNode& at, const char* key) {
    std::vector<std::string> all;
    if (!at.has(key)) return all;
    if (at[key].size() == 0) in_.fail(at[key], "is empty", "leave it out to mean all parts");
    in_.each(at[key], [&](const JsonNode& name) { all.push_back(in_.text(name)); });
    return all;
  }

  void read_touching(const JsonNode& at) {
    if (at.is_text()) {
      in_.choice(at, {"auto"});
      scene_.touching = {Touching::Kind::Auto, 0.0};
    } else {
      scene_.touching = {Touching::Kind::Depth, in_.size(at)};
    }
  }

  JsonReader in_;
  SceneDescription scene_;
};

}  // namespace

Result<SceneDescription> parse_scene(std::string_view text, const std::string& path) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  return SceneReader(path).read(document->top());
}

Result<SceneDescription> read_scene(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".cfg") return parse_ompl_cfg(file->text(), path);
  if (extension == ".json") return parse_scene(file->text(), path);
  return Error{ErrorCode::Unsupported, path, "", "is neither a .json scene nor an OMPL.app .cfg",
               "meshes are named with --body and --obstacles"};
}

}  // namespace clearance
