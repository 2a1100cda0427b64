// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance plan --disassemble`: the assembly coming apart step by step, the way and
// the clearance of each part, and what holds those that are stuck.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <clearance/plan/path.h>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

constexpr Colour kStays{0.70, 0.73, 0.77};
/// Moments of a way that turns; straight ones need two.
constexpr std::size_t kMoments = 60;

/// The meshes of the parts, each file read once.
class Parts {
 public:
  Parts(const ViewSource& source, ViewDocument& document) : source_(source), document_(document) {}

  /// Absent when its file is not there, or has no such part; the document says so.
  std::optional<Mesh> mesh(const Json& part) {
    const auto path = part.at("file").get<std::string>();
    const Json given = part.value("source", Json::object());
    const std::optional<Assembly>& file = read(path, given.value("metres_per_unit", 0.0));
    if (!file) return std::nullopt;
    const Json& names = given.value("parts", Json());
    const Json& without = given.value("without", Json());
    const double scale = given.value("scale", 1.0);
    const Pose pose = given.contains("pose") ? pose_of(given.at("pose")) : Pose{};
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    for (const AssemblyPart& one : file->parts) {
      if ((!names.is_null() && !named(names, one.name)) || named(without, one.name)) continue;
      const auto base = static_cast<std::uint32_t>(vertices.size());
      for (const Vec3& v : one.mesh.vertices())
        vertices.push_back(pose * (scale * (one.world_from_part * v)));
      for (const Face& f : one.mesh.faces())
        faces.push_back({f[0] + base, f[1] + base, f[2] + base});
    }
    Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces));
    if (mesh && !mesh->empty()) return std::move(*mesh);
    document_.warn(path + ": has no part '" + part.at("name").get<std::string>() +
                   "': it has changed since.");
    return std::nullopt;
  }

 private:
  static bool named(const Json& names, const std::string& name) {
    return std::ranges::any_of(names, [&](const Json& given) {
      const auto text = given.get<std::string>();
      return text.ends_with("/*") ? name.starts_with(text.substr(0, text.size() - 1))
                                  : name == text;
    });
  }

  const std::optional<Assembly>& read(const std::string& path, double metres_per_unit) {
    const auto [found, is_new] = files_.try_emplace({path, metres_per_unit});
    if (is_new) {
      ViewSource source = source_;
      source.set_unit(metres_per_unit);
      found->second = source.assembly(path, document_);
    }
    return found->second;
  }

  const ViewSource& source_;
  ViewDocument& document_;
  std::map<std::pair<std::string, double>, std::optional<Assembly>> files_;
};

/// Where the parts of a step go during it, from where they are.
void append_step(const Json& step, double begin, const Pose& from, double radius,
                 ViewMotion& motion) {
  PlanPath path;
  path.pivot = vector_of(step.at("pivot"));
  for (const Json& pose : step.at("poses")) path.poses.push_back(pose_of(pose));
  const std::size_t count = step.at("method").get<std::string>() == "straight" ? 1 : kMoments;
  for (std::size_t i = 0; i <= count; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(count);
    motion.times.push_back(begin + at);
    motion.poses.push_back(from * pose_at(path, at, radius));
  }
}

std::string joined(const Json& names) {
  std::string text;
  for (const Json& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
  return text;
}

}  // namespace

Result<ViewDocument> view_disassembly(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "disassembly";
  document.title = file_name(json.at("parts").at(0).at("file").get<std::string>());
  const Json& steps = json.at("steps");
  const Json& stuck = json.at("stuck");
  document.state = json.at("complete").get<bool>() ? ViewState::Good : ViewState::Bad;
  document.summary = json.at("complete").get<bool>()
                         ? "comes apart in " + count_of(steps.size(), "step", "steps")
                         : count_of(stuck.size(), "part cannot come out", "parts cannot come out");
  document.facts = {{"parts", std::to_string(json.at("parts").size())},
                    {"steps", std::to_string(steps.size())},
                    {"rounds", std::to_string(json.at("rounds").get<std::uint64_t>())},
                    {"stuck", std::to_string(stuck.size())},
                    {"clearance asked for", short_length(json.at("clearance").get<double>())}};
  for (const Json& warning : json.at("warnings")) document.warn(warning.get<std::string>());

  // The parts at rest.
  Parts parts(source, document);
  std::map<std::string, std::size_t> items;
  Box all;
  for (const Json& part : json.at("parts")) {
    std::optional<Mesh> mesh = parts.mesh(part);
    if (!mesh) continue;
    const auto fate = part.at("fate").get<std::string>();
    const auto name = part.at("name").get<std::string>();
    ViewItem item;
    item.name = name;
    item.group = fate == "removed" ? "Parts that come out"
                 : fate == "stays" ? "Part that stays"
                                   : "Parts that cannot come out";
    item.colour = fate == "removed" ? part_colour(items.size())
                  : fate == "stays" ? kStays
                                    : colour_of(ViewState::Bad);
    all.include(mesh->bounds().low);
    all.include(mesh->bounds().high);
    item.mesh = std::move(*mesh);
    items[name] = document.add(std::move(item));
  }

  // How they leave, one step after the other.
  std::map<std::string, Pose> reached;
  ViewSeries clearance{"", {}, false};
  ViewTable table{"Steps", {"", "part", "way", "clearance"}, {}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Json& step = steps[i];
    const auto begin = static_cast<double>(i);
    const double least = step.at("clearance").at("lower").get<double>();
    const std::string names = joined(step.at("parts"));
    ViewFocus focus;
    focus.label =
        "Step " + std::to_string(i + 1) + ": " + names + ", clearance " + short_length(least);
    focus.time = begin + 0.5;
    focus.point = all.empty() ? Vec3{} : all.center();
    focus.radius = all.empty() ? 1.0 : 0.75 * all.diagonal();
    for (const Json& name : step.at("parts")) {
      const auto found = items.find(name.get<std::string>());
      if (found == items.end()) continue;
      ViewItem& item = document.items[found->second];
      if (!item.motion) item.motion.emplace();
      item.motion->pivot = vector_of(step.at("pivot"));
      append_step(step, begin, reached[item.name], 0.5 * item.mesh.bounds().diagonal(),
                  *item.motion);
      reached[item.name] = item.motion->poses.back();
      // Out is gone: until its last step.
      item.shown = ViewSpan{0.0, begin + 1.0};
    }
    clearance.points.push_back({begin, 1e3 * least});
    clearance.points.push_back({begin + 1.0, 1e3 * least});
    document.focuses.push_back(std::move(focus));
    table.rows.push_back(
        {{std::to_string(i + 1), names, step.at("method").get<std::string>(), short_length(least)},
         ViewState::Good,
         document.focuses.size() - 1});
  }
  if (!steps.empty()) {
    const auto count = static_cast<double>(steps.size());
    document.timeline =
        ViewTimeline{"step", "", 0.0, count, 0.0, std::clamp(1.4 * count, 4.0, 40.0), {}};
    document.plots.push_back({"clearance of the step [mm]", {std::move(clearance)}, {}});
    document.tables.push_back(std::move(table));
  }
  if (!stuck.empty()) {
    ViewTable held{"Cannot come out", {"part", "held by"}, {}};
    for (const Json& part : stuck) {
      const auto name = part.at("part").get<std::string>();
      ViewTable::Row row{{name, joined(part.at("held_by"))}, ViewState::Bad, std::nullopt};
      if (const auto found = items.find(name); found != items.end()) {
        const Box box = document.items[found->second].mesh.bounds();
        ViewFocus focus;
        focus.label =
            name + (part.at("overlaps").get<bool>() ? " overlaps " : " is held by ") + row.cells[1];
        focus.point = box.center();
        focus.radius = 0.7 * box.diagonal();
        focus.items.push_back(found->second);
        for (const Json& other : part.at("held_by")) {
          if (const auto at = items.find(other.get<std::string>()); at != items.end())
            focus.items.push_back(at->second);
        }
        document.focuses.push_back(std::move(focus));
        row.focus = document.focuses.size() - 1;
      }
      held.rows.push_back(std::move(row));
    }
    document.tables.push_back(std::move(held));
  }
  // Room for what comes out.
  if (!all.empty() && !steps.empty()) {
    const Vec3 room = 0.35 * all.size() + 0.1 * Vec3{1, 1, 1} * all.diagonal();
    document.region = Box{all.low - room, all.high + room};
  }
  return document;
}

}  // namespace clearance::cli
