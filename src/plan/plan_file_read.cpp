// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plan files out of JSON, as schema/plan.schema.json has it.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <clearance/base/file.h>
#include <clearance/plan/plan_file.h>

#include "plan/scene_json.h"

namespace clearance {
namespace {

using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostTriangles = std::numeric_limits<std::uint32_t>::max() - 1;

class PlanReader {
 public:
  explicit PlanReader(const std::string& path) : in_(path, detail::kLargestSceneLength) {}

  Result<PlanFile> read(const JsonNode& top) {
    if (is_plan(top)) read_top(top);
    if (in_.failed()) return in_.error();
    return std::move(file_);
  }

 private:
  bool is_plan(const JsonNode& top) {
    if (!top.is_object() || !top.has("schema") || !top["schema"].is_text() ||
        in_.text(top["schema"]) != "clearance.plan") {
      in_.fail(top, R"(does not say "schema": "clearance.plan")", "is this another kind of file?");
      return false;
    }
    if (!in_.needs(top, "version")) return false;
    in_.whole(top["version"], 1, 1);
    return !in_.failed() &&
           in_.is_object(top, {"schema", "version", "status", "planner", "method", "scene", "pivot",
                               "radius", "poses", "length", "length_before", "proof", "closest",
                               "samples", "search", "notes"}) &&
           needs(top, {"status", "planner", "method", "scene", "pivot", "radius", "poses", "length",
                       "length_before", "samples", "search", "notes"});
  }

  bool needs(const JsonNode& at, std::initializer_list<const char*> keys) {
    return std::ranges::all_of(keys, [&](const char* key) { return in_.needs(at, key); });
  }

  void read_top(const JsonNode& top) {
    Plan& plan = file_.plan;
    constexpr std::array kStatuses{PlanStatus::Found, PlanStatus::NoPath, PlanStatus::OutOfBudget,
                                   PlanStatus::OutOfTime, PlanStatus::Cancelled};
    plan.status = kStatuses.at(in_.choice(
        top["status"], {name_of(kStatuses[0]), name_of(kStatuses[1]), name_of(kStatuses[2]),
                        name_of(kStatuses[3]), name_of(kStatuses[4])}));
    file_.planner = in_.text(top["planner"]);
    plan.method = in_.text(top["method"]);
    read_scene_part(top["scene"]);
    plan.path.pivot = in_.point(top["pivot"]);
    file_.radius = in_.radius(top["radius"]);
    in_.each(top["poses"], [&](const JsonNode& at) { plan.path.poses.push_back(pose(at)); });
    if (!in_.failed() && plan.status == PlanStatus::Found && plan.path.poses.empty())
      in_.fail(top["poses"], "is empty", "a path has one pose at least");
    // The length of the path follows from the poses; it is in the file for readers of it.
    static_cast<void>(length(top["length"]));
    plan.raw_length = length(top["length_before"]);
    const char* evidence = plan.status == PlanStatus::Found ? "proof" : "closest";
    if (in_.failed() || !in_.needs(top, evidence)) return;
    if (plan.status == PlanStatus::Found)
      read_proof(top["proof"]);
    else
      read_closest(top["closest"]);
    in_.each(top["samples"], [&](const JsonNode& at) { read_sample(at); });
    if (!in_.failed()) read_search(top["search"]);
    in_.each(top["notes"], [&](const JsonNode& at) { file_.notes.push_back(in_.text(at)); });
  }

  /// Place and rotation, both there: nothing is assumed about a path that is to be proven.
  Pose pose(const JsonNode& at) {
    if (!in_.is_object(at, {"xyz", "rotation"}) || !needs(at, {"xyz", "rotation"})) return {};
    return in_.any_pose(at);
  }

  PathLength length(const JsonNode& at) {
    if (in_.failed() || !in_.is_object(at, {"translation", "rotation"}) ||
        !needs(at, {"translation", "rotation"}))
      return {};
    return {in_.not_negative(at["translation"]), in_.not_negative(at["rotation"])};
  }

  void read_scene_part(const JsonNode& at) {
    if (in_.failed() ||
        !in_.is_object(at, {"name", "body", "obstacles", "start", "goal", "bounds", "clearance",
                            "touching", "solid", "relief"}) ||
        !needs(at, {"name", "body", "obstacles", "start", "goal", "clearance", "relief"}))
      return;
    SceneDescription& scene = file_.scene;
    scene.name = in_.text(at["name"]).empty() ? "" : in_.file(at["name"]);
    read_side(at["body"], scene.body, file_.body);
    read_side(at["obstacles"], scene.obstacles, file_.obstacles);
    if (in_.failed()) return;
    scene.start = pose(at["start"]);
    scene.goal = detail::read_goal(in_, at["goal"]);
    if (at.has("bounds")) scene.bounds = detail::read_bounds(in_, at["bounds"]);
    scene.clearance = in_.radius(at["clearance"]);
    if (at.has("touching")) {
      const JsonNode touching = at["touching"];
      if (touching.is_text()) {
        in_.choice(touching, {"auto"});
        scene.touching = {Touching::Kind::Auto, 0.0};
      } else {
        scene.touching = {Touching::Kind::Depth, in_.size(touching)};
      }
    }
    if (at.has("solid")) scene.solid = in_.yes(at["solid"]);
    file_.relief = in_.radius(at["relief"]);
  }

  void read_side(const JsonNode& at, std::vector<SceneFile>& files, SceneSide& side) {
    if (in_.failed() || !in_.is_object(at, {"files", "parts", "checksum"}) ||
        !needs(at, {"files", "parts", "checksum"}))
      return;
    in_.each(at["files"], [&](const JsonNode& one) { read_file(one, files, side); });
    std::uint64_t first = 0;
    in_.each(at["parts"], [&](const JsonNode& one) {
      if (!in_.is_object(one, {"file", "name", "triangles"}) ||
          !needs(one, {"file", "name", "triangles"}))
        return;
      if (files.empty()) return in_.fail(one, "there are no files");
      const std::uint64_t file = in_.whole(one["file"], 0, files.size() - 1);
      const std::uint64_t count = in_.whole(one["triangles"], 1, kMostTriangles);
      if (first + count > kMostTriangles) return in_.fail(one, "makes too many triangles");
      side.ranges.push_back({static_cast<std::size_t>(file), in_.text(one["name"]),
                             static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)});
      first += count;
    });
    side.checksum = checksum(at["checksum"]);
    if (side.ranges.empty()) in_.fail(at, "has no parts");
  }

  void read_file(const JsonNode& at, std::vector<SceneFile>& files, SceneSide& side) {
    if (!in_.is_object(at, {"file", "bytes", "checksum", "parts", "without", "metres_per_unit",
                            "scale", "pose"}) ||
        !needs(at, {"file", "bytes", "checksum", "scale", "pose"}))
      return;
    SceneFile file;
    file.path = in_.file(at["file"]);
    file.parts = names(at, "parts");
    file.without = names(at, "without");
    if (at.has("metres_per_unit")) file.metres_per_unit = in_.positive(at["metres_per_unit"]);
    file.scale = in_.number(at["scale"], detail::kLeastSceneScale, 1.0 / detail::kLeastSceneScale);
    file.pose = pose(at["pose"]);
    side.files.push_back({file.path, in_.whole(at["bytes"], 0, kMost), checksum(at["checksum"])});
    files.push_back(std::move(file));
  }

  std::vector<std::string> names(const JsonNode& at, const char* key) {
    std::vector<std::string> all;
    if (at.has(key))
      in_.each(at[key], [&](const JsonNode& name) { all.push_back(in_.text(name)); });
    return all;
  }

  std::uint64_t checksum(const JsonNode& at) {
    const std::string text = in_.text(at);
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value, 16);
    if (!in_.failed() && (text.size() != 16 || failure != std::errc{} || stop != end))
      in_.fail(at, "is not 16 hexadecimal digits");
    return value;
  }

  /// The number of a triangle that is written with its file and part.
  std::uint32_t triangle(const JsonNode& at, const SceneSide& side) {
    if (in_.failed() || !in_.is_object(at, {"file", "part", "triangle"}) ||
        !needs(at, {"file", "part", "triangle"}))
      return kNoTriangle;
    const SceneRange* range = range_of(at, side);
    if (range == nullptr) return kNoTriangle;
    return range->first_triangle +
           static_cast<std::uint32_t>(in_.whole(at["triangle"], 0, range->triangle_count - 1));
  }

  const SceneRange* range_of(const JsonNode& at, const SceneSide& side) {
    const std::uint64_t file = in_.whole(at["file"], 0, kMostTriangles);
    const std::string part = in_.text(at["part"]);
    const auto found = std::ranges::find_if(side.ranges, [&](const SceneRange& range) {
      return range.file == file && range.part == part;
    });
    if (found != side.ranges.end()) return &*found;
    in_.fail(at, "the scene has no such part");
    return nullptr;
  }

  void read_proof(const JsonNode& at) {
    if (!in_.is_object(at,
                       {"status", "looks", "clearance_lower", "clearance_upper", "narrowest"}) ||
        !needs(at, {"status", "looks", "clearance_lower", "clearance_upper", "narrowest"}))
      return;
    PathProof& proof = file_.plan.proof;
    constexpr std::array kStatuses{ProofStatus::Free, ProofStatus::Refused, ProofStatus::Undecided,
                                   ProofStatus::Cancelled};
    proof.status =
        kStatuses.at(in_.choice(at["status"], {name_of(kStatuses[0]), name_of(kStatuses[1]),
                                               name_of(kStatuses[2]), name_of(kStatuses[3])}));
    proof.looks = in_.whole(at["looks"], 0, kMost);
    proof.clearance_lower = in_.radius(at["clearance_lower"]);
    proof.clearance_upper = in_.radius(at["clearance_upper"]);
    const JsonNode narrowest = at["narrowest"];
    if (in_.failed() ||
        !in_.is_object(narrowest, {"piece", "time", "distance", "on_obstacle", "on_body",
                                   "obstacle", "body"}) ||
        !needs(narrowest, {"piece", "time", "distance", "on_obstacle", "on_body"}))
      return;
    proof.narrowest = moment(narrowest);
    proof.on_obstacle = in_.point(narrowest["on_obstacle"]);
    proof.on_body = in_.point(narrowest["on_body"]);
    if (narrowest.has("obstacle"))
      proof.obstacle_triangle = triangle(narrowest["obstacle"], file_.obstacles);
    if (narrowest.has("body")) proof.body_triangle = triangle(narrowest["body"], file_.body);
  }

  /// A piece of the path, a time in it and the distance there.
  ProofSample moment(const JsonNode& at) {
    const std::size_t pieces = file_.plan.path.size();
    return {in_.whole(at["piece"], 0, pieces == 0 ? 0 : pieces - 1),
            in_.number(at["time"], 0.0, 1.0), in_.radius(at["distance"])};
  }

  void read_closest(const JsonNode& at) {
    if (!in_.is_object(at, {"pose", "left", "blocking"}) || !needs(at, {"pose", "blocking"}))
      return;
    Plan& plan = file_.plan;
    plan.closest_pose = pose(at["pose"]);
    plan.closest_distance =
        at.has("left") ? in_.radius(at["left"]) : std::numeric_limits<double>::infinity();
    in_.each(at["blocking"], [&](const JsonNode& one) {
      if (!in_.is_object(one, {"file", "part", "triangles"}) ||
          !needs(one, {"file", "part", "triangles"}))
        return;
      const SceneRange* range = range_of(one, file_.obstacles);
      if (range == nullptr) return;
      in_.each(one["triangles"], [&](const JsonNode& number) {
        plan.blocking_triangles.push_back(
            range->first_triangle +
            static_cast<std::uint32_t>(in_.whole(number, 0, range->triangle_count - 1)));
      });
    });
  }

  void read_sample(const JsonNode& at) {
    if (!in_.is_object(at, {"at", "piece", "time", "distance", "on_obstacle", "on_body"}) ||
        !needs(at, {"at", "piece", "time", "distance", "on_obstacle", "on_body"}))
      return;
    const ProofSample where = moment(at);
    file_.samples.push_back({in_.number(at["at"], 0.0, 1.0), where.piece, where.time,
                             where.distance, in_.point(at["on_obstacle"]),
                             in_.point(at["on_body"])});
  }

  void read_search(const JsonNode& at) {
    if (!in_.is_object(at,
                       {"resolution", "operations", "nodes", "volume_tests", "triangle_tests"}) ||
        !needs(at, {"resolution", "operations", "nodes", "volume_tests", "triangle_tests"}))
      return;
    Plan& plan = file_.plan;
    plan.resolution = in_.radius(at["resolution"]);
    plan.operations = in_.whole(at["operations"], 0, kMost);
    plan.nodes = in_.whole(at["nodes"], 0, kMost);
    plan.work.volume_tests = in_.whole(at["volume_tests"], 0, kMost);
    plan.work.triangle_tests = in_.whole(at["triangle_tests"], 0, kMost);
  }

  JsonReader in_;
  PlanFile file_;
};

}  // namespace

Result<PlanFile> parse_plan(std::string_view text, const std::string& path) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  return PlanReader(path).read(document->top());
}

Result<PlanFile> read_plan(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_plan(file->text(), path);
}

}  // namespace clearance
