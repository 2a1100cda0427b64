// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "disassemble_report.h"

#include <algorithm>
#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json as_json(const Pose& pose) {
  return {{"xyz", as_json(pose.translation)},
          {"rotation", Json::array({as_json(pose.rotation[0]), as_json(pose.rotation[1]),
                                    as_json(pose.rotation[2])})}};
}

Json names_of(const DisassemblyReport& report, const std::vector<std::size_t>& parts) {
  Json names = Json::array();
  for (const std::size_t part : parts) names.push_back(report.parts[part].name);
  return names;
}

std::string joined(const DisassemblyReport& report, const std::vector<std::size_t>& parts,
                   const char* between) {
  std::string text;
  for (const std::size_t part : parts) {
    if (!text.empty()) text += between;
    text += report.parts[part].name;
  }
  return text;
}

/// What of the file a part is, and where; empty when it is all of it, as it stands.
Json source_json(const SceneFile& file) {
  Json json = Json::object();
  if (!file.parts.empty()) json["parts"] = file.parts;
  if (!file.without.empty()) json["without"] = file.without;
  if (file.metres_per_unit) json["metres_per_unit"] = *file.metres_per_unit;
  if (file.scale != 1.0) json["scale"] = file.scale;
  if (file.pose != Pose{}) json["pose"] = as_json(file.pose);
  return json;
}

/// What became of each part.
enum class Fate : std::uint8_t { Removed, Stays, Stuck, Overlaps };
constexpr std::array<const char*, 4> kFates{"removed", "stays", "stuck", "overlaps"};

struct PartFate {
  Fate fate = Fate::Stays;
  std::size_t step = 0;
};

std::vector<PartFate> fates_of(const DisassemblyReport& report) {
  std::vector<PartFate> fates(report.parts.size());
  const Disassembly& result = report.disassembly;
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    for (const std::size_t part : result.steps[i].parts) fates[part] = {Fate::Removed, i};
  }
  for (const StuckPart& part : result.stuck) {
    fates[part.part].fate = part.overlaps ? Fate::Overlaps : Fate::Stuck;
  }
  return fates;
}

Json step_json(const DisassemblyReport& report, std::size_t number) {
  const RemovalStep& step = report.disassembly.steps[number];
  const PathLength length = length_of(step.path);
  Json json{{"parts", names_of(report, step.parts)},
            {"round", step.round + 1},
            {"method", name_of(step.method)}};
  if (step.of_group) json["of_group"] = *step.of_group;
  if (step.method == RemovalMethod::Straight) json["direction"] = as_json(step.direction);
  json["relief"] = step.relief;
  json["length"] = {{"translation", length.translation}, {"rotation", length.rotation}};
  json["clearance"] = {{"lower", step.proof.clearance_lower},
                       {"upper", step.proof.clearance_upper}};
  json["after"] = names_of(report, step.after);
  json["present"] = names_of(report, step.present);
  json["pivot"] = as_json(step.path.pivot);
  json["poses"] = Json::array();
  for (const Pose& pose : step.path.poses) json["poses"].push_back(as_json(pose));
  if (number < report.plans.size()) json["plan"] = report.plans[number];
  return json;
}

Json stuck_json(const DisassemblyReport& report, const StuckPart& part) {
  Json json{{"part", report.parts[part.part].name},
            {"overlaps", part.overlaps},
            {"held_by", names_of(report, part.held_by)}};
  if (part.overlaps) {
    json["depth"] = {{"lower", part.start.depth_lower}, {"upper", part.start.depth_upper}};
    return json;
  }
  json["directions"] = {{"tried", part.directions}, {"blocked", part.blocked}};
  json["all_translations"] = {{"proven", part.proof.all},
                              {"fraction", part.proof.fraction},
                              {"balls", part.proof.balls.size()},
                              {"cells", part.proof.blocked_cells.size()}};
  if (part.proof.open_direction) {
    json["all_translations"]["open_direction"] = as_json(*part.proof.open_direction);
  }
  if (part.planner) json["planner"] = name_of(*part.planner);
  return json;
}

std::string direction_text(const Vec3& direction) {
  constexpr std::array<const char*, 6> kAxes{"+x", "-x", "+y", "-y", "+z", "-z"};
  for (std::size_t k = 0; k < 3; ++k) {
    if (direction[k] > 1.0 - 1e-9) return kAxes[2 * k];
    if (direction[k] < -1.0 + 1e-9) return kAxes[2 * k + 1];
  }
  const auto number = [](double value) { return format_number("%.3f", value); };
  return number(direction.x) + " " + number(direction.y) + " " + number(direction.z);
}

std::string stuck_text(const DisassemblyReport& report, const StuckPart& part) {
  const std::string& name = report.parts[part.part].name;
  if (part.overlaps) {
    return name + ": not tried, overlaps " + joined(report, part.held_by, ", ") + " by " +
           format_length(part.start.depth_lower) + " to " + format_length(part.start.depth_upper);
  }
  std::string text = name + ": held by " + joined(report, part.held_by, ", ") + "; ";
  if (part.proof.all) {
    text += "proven: no straight way in any direction";
  } else {
    text += "no straight way among " + count_of(part.directions, "direction", "directions") + " (" +
            std::to_string(part.blocked) + " with proof; " +
            format_number("%.3f %%", 100.0 * part.proof.fraction) + " of all directions proven)";
  }
  if (part.planner) text += "; planner: " + std::string(name_of(*part.planner));
  return text;
}

}  // namespace

nlohmann::ordered_json disassembly_json(const DisassemblyReport& report) {
  const Disassembly& result = report.disassembly;
  Json json{{"schema", "clearance.disassembly"},
            {"version", 1},
            {"complete", result.complete()},
            {"clearance", report.clearance},
            {"rounds", result.rounds}};
  const std::vector<PartFate> fates = fates_of(report);
  json["parts"] = Json::array();
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    Json part{{"name", report.parts[i].name},
              {"file", report.sources[i].path},
              {"triangles", report.parts[i].mesh.triangle_count()},
              {"fate", kFates[static_cast<std::size_t>(fates[i].fate)]}};
    if (fates[i].fate == Fate::Removed) part["step"] = fates[i].step;
    if (Json source = source_json(report.sources[i]); !source.empty())
      part["source"] = std::move(source);
    json["parts"].push_back(std::move(part));
  }
  json["steps"] = Json::array();
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    json["steps"].push_back(step_json(report, i));
  }
  json["stuck"] = Json::array();
  for (const StuckPart& part : result.stuck) json["stuck"].push_back(stuck_json(report, part));
  json["work"] = {{"volume_tests", result.work.volume_tests},
                  {"triangle_tests", result.work.triangle_tests}};
  json["warnings"] = report.warnings;
  return json;
}

std::string disassembly_text(const DisassemblyReport& report) {
  const Disassembly& result = report.disassembly;
  std::string text = count_of(report.parts.size(), "part", "parts") + ": ";
  if (result.complete()) {
    text += "comes apart in " + count_of(result.steps.size(), "step", "steps") + ", " +
            count_of(result.rounds, "round", "rounds") +
            "; stays: " + joined(report, result.stays, ", ") + "\n";
  } else {
    text += std::to_string(result.stuck.size()) + " cannot come out\n";
  }
  if (!result.steps.empty()) {
    std::vector<std::vector<std::string>> lines{
        {"", "part", "way", "length", "clearance", "relief", "after"}};
    for (std::size_t i = 0; i < result.steps.size(); ++i) {
      const RemovalStep& step = result.steps[i];
      const PathLength length = length_of(step.path);
      std::string way = direction_text(step.direction);
      if (step.method == RemovalMethod::Planned) {
        way = count_of(step.path.size(), "piece", "pieces") + ", turns " +
              format_number("%.0f deg", length.rotation * 180.0 / 3.14159265358979323846);
      }
      lines.push_back({std::to_string(i + 1), joined(report, step.parts, " + "), way,
                       format_length(length.translation), format_length(step.proof.clearance_lower),
                       step.relief > 0.0 ? format_length(step.relief) : "-",
                       joined(report, step.after, ", ")});
    }
    constexpr std::array<std::size_t, 1> kRight{0};
    text += "\n" + align_columns(lines, kRight);
  }
  if (!result.stuck.empty()) {
    text += "\nStuck:\n";
    for (const StuckPart& part : result.stuck) text += "  " + stuck_text(report, part) + "\n";
  }
  const bool relieved = std::any_of(result.steps.begin(), result.steps.end(),
                                    [](const RemovalStep& step) { return step.relief > 0.0; });
  if (relieved) {
    text +=
        "\nRelief: parts touch where they are assembled. A path is proven for the moving part "
        "with\n"
        "its surface moved inward by at most this depth.\n";
  }
  if (!report.written.empty()) text += "\n";
  for (const std::string& line : report.written) text += "Wrote " + line + "\n";
  return text;
}

std::string disassembly_csv(const DisassemblyReport& report) {
  std::string text =
      "step,part,fate,method,round,direction_x,direction_y,direction_z,length,rotation,clearance,"
      "relief,after,held_by\n";
  const auto number = [](double value) { return format_number("%.17g", value); };
  for (std::size_t i = 0; i < report.disassembly.steps.size(); ++i) {
    const RemovalStep& step = report.disassembly.steps[i];
    const PathLength length = length_of(step.path);
    const bool straight = step.method == RemovalMethod::Straight;
    for (const std::size_t part : step.parts) {
      text += std::to_string(i + 1) + "," + csv_field(report.parts[part].name) + ",removed," +
              name_of(step.method) + "," + std::to_string(step.round + 1);
      for (std::size_t k = 0; k < 3; ++k) {
        text += ",";
        if (straight) text += number(step.direction[k]);
      }
      text += "," + number(length.translation) + "," + number(length.rotation) + "," +
              number(step.proof.clearance_lower) + "," + number(step.relief) + "," +
              csv_field(joined(report, step.after, ";")) + ",\n";
    }
  }
  const std::vector<PartFate> fates = fates_of(report);
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    if (fates[i].fate == Fate::Removed) continue;
    std::string held;
    for (const StuckPart& part : report.disassembly.stuck) {
      if (part.part == i) held = joined(report, part.held_by, ";");
    }
    text += "," + csv_field(report.parts[i].name) + "," +
            kFates[static_cast<std::size_t>(fates[i].fate)] + ",,,,,,,,,,," + csv_field(held) +
            "\n";
  }
  return text;
}

}  // namespace clearance::cli
