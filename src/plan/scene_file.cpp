// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>
#include <clearance/plan/scene_file.h>

#include "base/sealed_file.h"
#include "plan/scene_load.h"

namespace clearance {

const SceneRange& SceneSide::range_of(std::uint32_t triangle) const {
  const auto after = std::ranges::upper_bound(ranges, triangle, {}, &SceneRange::first_triangle);
  CLEARANCE_ASSERT(after != ranges.begin());
  return *(after - 1);
}

std::string SceneSide::name_of(std::uint32_t triangle) const {
  const SceneRange& range = range_of(triangle);
  return "part '" + range.part + "' of " + files[range.file].path + ", triangle " +
         std::to_string(triangle - range.first_triangle);
}

namespace {

/// Part names that an error lists.
constexpr std::size_t kNamesListed = 12;

std::string listed(const Assembly& assembly) {
  std::string names;
  for (std::size_t i = 0; i < assembly.parts.size() && i < kNamesListed; ++i)
    names += (i == 0 ? "'" : ", '") + assembly.parts[i].name + "'";
  if (assembly.parts.size() > kNamesListed)
    names += " and " + std::to_string(assembly.parts.size() - kNamesListed) + " more";
  return names;
}

/// "bolt" means the part of that name, "body/*" all whose names begin like that.
bool is_meant(const std::string& part, const std::string& name) {
  return part == name || (name.ends_with('*') &&
                          part.starts_with(std::string_view(name).substr(0, name.size() - 1)));
}

class SceneLoader {
 public:
  SceneLoader(const SceneDescription& description, const SceneLoadOptions& options)
      : description_(description), options_(options), notes_(description.notes) {}

  Result<PlanScene> load(std::optional<double> relief) {
    SceneSide body_side;
    SceneSide obstacle_side;
    const Result<Mesh> body = read_side(description_.body, body_side);
    if (!body) return body.error();
    const Result<Mesh> obstacles = read_side(description_.obstacles, obstacle_side);
    if (!obstacles) return obstacles.error();
    if (Status apart = check_apart(body_side, obstacle_side); !apart) return apart.error();

    report_progress(options_.monitor, "building trees", -1.0);
    Result<Model> body_model = build(*body);
    if (!body_model) return body_model.error();
    Result<Model> obstacle_model = build(*obstacles);
    if (!obstacle_model) return obstacle_model.error();
    PlanScene scene{
        description_,
        {std::move(*body_model), std::move(*obstacle_model), description_.start, description_.goal,
         description_.bounds, description_.clearance, description_.solid},
        std::move(body_side),
        std::move(obstacle_side),
        *body,
        0.0,
        std::nullopt,
        {}};
    if (Status relieved = relieve(scene, relief); !relieved) return relieved.error();
    scene.notes = std::move(notes_);
    return scene;
  }

 private:
  struct FileRead {
    LoadedAssembly loaded;
    FileSeen seen;
  };

  Result<const FileRead*> read(const SceneFile& file) {
    const auto key = std::pair(file.path, file.metres_per_unit.value_or(0.0));
    if (const auto known = files_.find(key); known != files_.end()) return &known->second;
    report_progress(options_.monitor, "reading " + file.path, -1.0);
    ReadOptions read_options;
    read_options.metres_per_unit = file.metres_per_unit;
    read_options.threads = options_.threads;
    read_options.monitor = options_.monitor;
    Result<LoadedAssembly> loaded = read_assembly(file.path, read_options);
    if (!loaded) return loaded.error();
    const Result<MappedFile> bytes = MappedFile::open(file.path);
    if (!bytes) return bytes.error();
    detail::Checksum checksum;
    checksum.add(bytes->bytes());
    for (const std::string& warning : loaded->info.warnings)
      notes_.push_back(file.path + ": " + warning);
    FileRead read{std::move(*loaded), {file.path, bytes->bytes().size(), checksum.value()}};
    return &files_.emplace(key, std::move(read)).first->second;
  }

  /// The parts of a file that are meant.
  static Result<std::vector<const AssemblyPart*>> chosen(const SceneFile& file,
                                                         const Assembly& assembly) {
    for (const auto* names : {&file.parts, &file.without}) {
      for (const std::string& name : *names) {
        if (std::ranges::any_of(assembly.parts, [&](const AssemblyPart& part) {
              return is_meant(part.name, name);
            }))
          continue;
        return Error{ErrorCode::NotFound, file.path, "part '" + name + "'", "is not in the file",
                     "it has " + listed(assembly)};
      }
    }
    const auto any = [](const std::vector<std::string>& names, const AssemblyPart& part) {
      return std::ranges::any_of(
          names, [&](const std::string& name) { return is_meant(part.name, name); });
    };
    std::vector<const AssemblyPart*> parts;
    for (const AssemblyPart& part : assembly.parts) {
      if ((file.parts.empty() || any(file.parts, part)) && !any(file.without, part))
        parts.push_back(&part);
    }
    if (parts.empty()) {
      return Error{ErrorCode::Invalid, file.path, "", "'without' leaves no part of the file", ""};
    }
    return parts;
  }

  /// All files of one side in one mesh.
  Result<Mesh> read_side(const std::vector<SceneFile>& files, SceneSide& side) {
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    std::vector<MeshPart> mesh_parts;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const SceneFile& file = files[i];
      const Result<const FileRead*> read_file = read(file);
      if (!read_file) return read_file.error();
      side.files.push_back((*read_file)->seen);
      const Result<std::vector<const AssemblyPart*>> parts =
          chosen(file, (*read_file)->loaded.assembly);
      if (!parts) return parts.error();
      for (const AssemblyPart* part : *parts) {
        const auto first_vertex = static_cast<std::uint64_t>(vertices.size());
        const auto first_face = static_cast<std::uint64_t>(faces.size());
        if (first_vertex + part->mesh.vertex_count() > kMost ||
            first_face + part->mesh.triangle_count() > kMost) {
          return Error{ErrorCode::Unsupported, file.path, "", "makes the scene too large", ""};
        }
        for (const Vec3& vertex : part->mesh.vertices())
          vertices.push_back(file.pose * (file.scale * (part->world_from_part * vertex)));
        for (const Face& face : part->mesh.faces()) {
          const auto base = static_cast<std::uint32_t>(first_vertex);
          faces.push_back({base + face[0], base + face[1], base + face[2]});
        }
        const auto first = static_cast<std::uint32_t>(first_face);
        const auto count = static_cast<std::uint32_t>(part->mesh.triangle_count());
        side.ranges.push_back({i, part->name, first, count});
        mesh_parts.push_back({part->name, first, count});
      }
    }
    Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces), std::move(mesh_parts));
    if (!mesh) {
      Error error = mesh.error();
      if (!files.empty()) error.file = files.front().path;
      return error;
    }
    // Parts of one closed surface share vertices again, so that it is known to be closed.
    if (side.ranges.size() > 1) mesh = welded(*mesh);
    detail::Checksum checksum;
    checksum.add(std::as_bytes(mesh->vertices()));
    checksum.add(std::as_bytes(mesh->faces()));
    side.checksum = checksum.value();
    return mesh;
  }

  /// A part that is body and obstacle at the same place cannot move.
  [[nodiscard]] Status check_apart(const SceneSide& body, const SceneSide& obstacles) const {
    struct Placed {
      std::string path;
      std::string part;
      Pose pose;
      double scale;
      bool operator==(const Placed&) const = default;
    };
    const auto placed = [](const SceneRange& range, const std::vector<SceneFile>& files,
                           const Pose& world) {
      const SceneFile& file = files[range.file];
      std::error_code failed;
      const std::filesystem::path path = std::filesystem::weakly_canonical(file.path, failed);
      return Placed{failed ? file.path : path.string(), range.part, world * file.pose, file.scale};
    };
    std::multimap<std::pair<std::string, std::string>, Placed> fixed;
    for (const SceneRange& range : obstacles.ranges) {
      Placed one = placed(range, description_.obstacles, Pose::identity());
      fixed.emplace(std::pair(one.path, one.part), std::move(one));
    }
    for (const SceneRange& range : body.ranges) {
      const Placed one = placed(range, description_.body, description_.start);
      const auto [first, last] = fixed.equal_range({one.path, one.part});
      if (!std::any_of(first, last, [&](const auto& other) { return other.second == one; }))
        continue;
      return Error{ErrorCode::Invalid, body.files[range.file].path, "part '" + range.part + "'",
                   "is body and obstacle at the same place",
                   "leave it out of the obstacles ('without', or 'parts' on both sides)"};
    }
    return {};
  }

  [[nodiscard]] Result<Model> build(const Mesh& mesh) const {
    BvhOptions tree = options_.tree;
    tree.threads = options_.threads;
    return Model::build(mesh, tree);
  }

  /// Relieves the body: by `given`, or as the description allows.
  Status relieve(PlanScene& scene, std::optional<double> given) {
    double depth = given.value_or(0.0);
    const Touching& touching = description_.touching;
    if (!given && touching.kind != Touching::Kind::Refused) {
      report_progress(options_.monitor, "relieving the start", -1.0);
      scene.start_as_given = look_at_pose(scene.problem, scene.problem.start);
      if (scene.start_as_given->free) return {};
      if (touching.kind == Touching::Kind::Depth) {
        depth = touching.depth;
      } else {
        const double limit = kMostAutomaticRelief * scene.body_mesh.bounds().diagonal();
        const Result<Relief> least = relieve_start(scene.problem, limit);
        if (!least) {
          Error error = least.error();
          if (error.file.empty()) error.file = description_.name;
          return error;
        }
        depth = least->depth;
      }
    }
    if (!(depth > 0.0)) return {};
    Result<Model> model = build(relieved(scene.body_mesh, depth));
    if (!model) return model.error();
    scene.problem.body = std::move(*model);
    scene.relief = depth;
    return {};
  }

  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1ULL;

  const SceneDescription& description_;
  const SceneLoadOptions& options_;
  std::map<std::pair<std::string, double>, FileRead> files_;
  std::vector<std::string> notes_;
};

}  // namespace

namespace detail {

Result<PlanScene> load_scene_relieved(const SceneDescription& description, double relief,
                                      const SceneLoadOptions& options) {
  return SceneLoader(description, options).load(relief);
}

}  // namespace detail

Result<PlanScene> load_scene(const SceneDescription& description, const SceneLoadOptions& options) {
  return SceneLoader(description, options).load(std::nullopt);
}

}  // namespace clearance
