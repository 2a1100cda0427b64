// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problems of OMPL.app: an .ini file with a section [problem]. What its keys mean is not written
// down anywhere; it was found out by reading how OMPL.app uses them (docs/formats.md).
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include <clearance/plan/scene_file.h>

#include "plan/assimp_mean.h"
#include "plan/scene_json.h"

namespace clearance {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

struct Value {
  std::string text;
  std::size_t line = 0;
};

class CfgReader {
 public:
  explicit CfgReader(const std::string& path) : path_(path) {}

  Result<SceneDescription> read(std::string_view text) {
    if (Status status = read_lines(text); !status) return status.error();
    if (Status status = check_kind(); !status) return status.error();
    SceneDescription scene;
    scene.name = path_;
    const Result<Pose> start = pose("start");
    if (!start) return start.error();
    const Result<Pose> goal = pose("goal");
    if (!goal) return goal.error();
    scene.start = *start;
    scene.goal = *goal;
    scene.solid = false;
    if (Status status = add_meshes(scene); !status) return status.error();
    return scene;
  }

 private:
  /// Keys of [problem]; other sections are about how OMPL is run.
  Status read_lines(std::string_view text) {
    std::string section;
    for (std::size_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view row = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      row = trimmed(row.substr(0, row.find('#')));
      if (row.empty()) continue;
      if (row.front() == '[') {
        if (row.back() != ']') return wrong(line, "a section ends with ']'");
        section = trimmed(row.substr(1, row.size() - 2));
        continue;
      }
      const std::size_t equals = row.find('=');
      if (equals == std::string_view::npos)
        return wrong(line, "is neither a [section] nor 'key = value'");
      if (section != "problem") continue;
      const std::string key(trimmed(row.substr(0, equals)));
      Value value{std::string(trimmed(row.substr(equals + 1))), line};
      if (!values_.emplace(key, std::move(value)).second)
        return wrong(line, "'" + key + "' is there twice");
    }
    if (values_.empty()) {
      return Error{ErrorCode::Malformed, path_, "", "has no section [problem]",
                   "is this a problem of OMPL.app?"};
    }
    return {};
  }

  [[nodiscard]] Error wrong(std::size_t line, std::string reason, std::string advice = "") const {
    return {ErrorCode::Malformed, path_, "line " + std::to_string(line), std::move(reason),
            std::move(advice)};
  }
  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }

  /// A rigid body in space, or a reason why not.
  [[nodiscard]] Status check_kind() const {
    if (has("control")) {
      const Value& control = values_.at("control");
      return Error{ErrorCode::Unsupported, path_, "line " + std::to_string(control.line),
                   "is about a system with controls ('" + control.text + "')",
                   "only rigid bodies that move freely in space are planned"};
    }
    if (has("start.x") && has("start.y") && !has("start.z") && !has("start.axis.x")) {
      return Error{ErrorCode::Unsupported, path_,
                   "line " + std::to_string(values_.at("start.x").line),
                   "is a problem in the plane (SE2): 'start.z' and 'start.axis' are not there",
                   "only rigid bodies in space (SE3) are planned"};
    }
    return {};
  }

  [[nodiscard]] Result<std::string> text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end() || found->second.text.empty())
      return Error{ErrorCode::Malformed, path_, "[problem]", "has no '" + key + "'", ""};
    return found->second.text;
  }

  [[nodiscard]] Result<double> number(const std::string& key) const {
    const Result<std::string> written = text(key);
    if (!written) return written.error();
    const char* first = written->data();
    const char* const last = first + written->size();
    if (*first == '+') ++first;
    double value = 0.0;
    const auto [end, failure] = std::from_chars(first, last, value);
    if (failure != std::errc{} || end != last || !std::isfinite(value))
      return wrong(values_.at(key).line, "'" + *written + "' is not a number");
    if (!(std::abs(value) <= detail::kLargestSceneLength))
      return wrong(values_.at(key).line, *written + " is too large");
    return value;
  }

  [[nodiscard]] Result<Vec3> vector(const std::string& key) const {
    Vec3 v;
    constexpr std::array<const char*, 3> kAxes{".x", ".y", ".z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const Result<double> value = number(key + kAxes[i]);
      if (!value) return value.error();
      v[i] = *value;
    }
    return v;
  }

  /// Place, axis and angle. As in OMPL, an axis without a length means no turn.
  [[nodiscard]] Result<Pose> pose(const std::string& key) const {
    const Result<Vec3> place = vector(key);
    if (!place) return place.error();
    const Result<Vec3> axis = vector(key + ".axis");
    if (!axis) return axis.error();
    const Result<double> angle = number(key + ".theta");
    if (!angle) return angle.error();
    Pose pose = Pose::translate(*place);
    if (norm(*axis) > 0.0) pose.rotation = rotation_about(normalized(*axis), *angle);
    return pose;
  }

  [[nodiscard]] Result<SceneFile> mesh(const std::string& key) const {
    const Result<std::string> name = text(key);
    if (!name) return name.error();
    SceneFile file;
    file.path = (std::filesystem::path(path_).parent_path() / *name).string();
    // Numbers in the .cfg are those of the mesh files, whatever unit these declare.
    file.metres_per_unit = 1.0;
    const Result<Mat3> turn = detail::assimp_turn(file.path);
    if (!turn) return turn.error();
    file.pose.rotation = *turn;
    return file;
  }

  Status add_meshes(SceneDescription& scene) const {
    Result<SceneFile> robot = mesh("robot");
    if (!robot) return robot.error();
    const Result<SceneFile> world = mesh("world");
    if (!world) return world.error();
    const Result<detail::AssimpMean> mean = detail::assimp_mean(robot->path);
    if (!mean) return mean.error();
    robot->pose.translation = -(robot->pose.rotation * mean->mean);
    scene.notes.emplace_back(
        "As in OMPL.app, lengths are the numbers of the mesh files, taken as metres, the frame of "
        "the robot is at the mean of its vertices, and meshes are surfaces without an inside.");
    if (mean->is_estimate) {
      scene.notes.push_back(robot->path +
                            ": the mean of the vertices is as OMPL.app has it where the file gives "
                            "each triangle one normal.");
    }
    if (has("volume.min.x") && has("volume.max.x")) {
      const Result<Vec3> low = vector("volume.min");
      if (!low) return low.error();
      const Result<Vec3> high = vector("volume.max");
      if (!high) return high.error();
      // There the volume bounds the frame of the robot, here the middle of its box.
      ReadOptions options;
      options.metres_per_unit = 1.0;
      const Result<LoadedAssembly> loaded = read_assembly(robot->path, options);
      if (!loaded) return loaded.error();
      const Vec3 middle = robot->pose * loaded->assembly.bounds().center();
      const double offset = norm(middle);
      const Vec3 all{offset, offset, offset};
      if (Box{*low, *high}.empty())
        return wrong(values_.at("volume.min.x").line, "'volume.min' is not below 'volume.max'");
      scene.bounds = Box{*low - all, *high + all};
      // A start or goal beyond the volume widens it: there it is no reason to refuse a problem.
      scene.bounds->include(scene.start * middle);
      scene.bounds->include(*scene.goal * middle);
    }
    scene.body = {std::move(*robot)};
    scene.obstacles = {*world};
    return {};
  }

  std::string path_;
  std::map<std::string, Value> values_;
};

}  // namespace

Result<SceneDescription> parse_ompl_cfg(std::string_view text, const std::string& path) {
  return CfgReader(path).read(text);
}

}  // namespace clearance
