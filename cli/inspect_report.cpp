// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "inspect_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(UnitSource source) {
  switch (source) {
    case UnitSource::Declared:
      return "declared";
    case UnitSource::Option:
      return "option";
    case UnitSource::Assumed:
      break;
  }
  return "assumed";
}

const char* name_of(LikelyUnit unit) {
  switch (unit) {
    case LikelyUnit::AsRead:
      return "as_read";
    case LikelyUnit::Metres:
      return "metres";
    case LikelyUnit::Millimetres:
      return "millimetres";
    case LikelyUnit::Inches:
      return "inches";
    case LikelyUnit::Unclear:
      break;
  }
  return "unclear";
}

const char* name_of(Severity severity) {
  return severity == Severity::Warning ? "warning" : "note";
}

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

Json to_json(const Box& box) {
  return {{"low", to_json(box.low)}, {"high", to_json(box.high)}, {"size", to_json(box.size())}};
}

Json to_json(const Spread& spread) {
  return {{"min", spread.min},
          {"median", spread.median},
          {"percentile_99", spread.percentile_99},
          {"max", spread.max}};
}

Json to_json(const MeshHealth& health) {
  Json findings = Json::array();
  for (const Finding& finding : health.findings)
    findings.push_back({{"severity", name_of(finding.severity)}, {"sentence", finding.sentence}});
  return {
      {"vertices", health.vertices},
      {"triangles", health.triangles},
      {"distinct_positions", health.distinct_positions},
      {"unused_vertices", health.unused_vertices},
      {"bounds", to_json(health.bounds)},
      {"surface_area", health.surface_area},
      {"closed", health.closed},
      {"consistently_oriented", health.consistently_oriented},
      {"inside_out", health.inside_out},
      // Null rather than a number that means nothing.
      {"volume", health.volume_is_meaningful ? Json(health.volume) : Json()},
      {"center_of_mass", to_json(health.center_of_mass)},
      {"components", health.components},
      {"edges", health.edges},
      {"euler_characteristic", health.euler_characteristic},
      {"open_edges", health.open_edges},
      {"non_manifold_edges", health.non_manifold_edges},
      {"inconsistent_edges", health.inconsistent_edges},
      {"degenerate_triangles", health.degenerate_triangles},
      {"collapsed_triangles", health.collapsed_triangles},
      {"needles", health.needles},
      {"caps", health.caps},
      {"duplicate_triangles", health.duplicate_triangles},
      {"opposite_triangles", health.opposite_triangles},
      {"triangle_area", to_json(health.triangle_area)},
      {"area_max_over_median", health.area_max_over_median},
      {"aspect_ratio", to_json(health.aspect_ratio)},
      {"edge_length", to_json(health.edge_length)},
      {"findings", std::move(findings)},
  };
}

Json to_json(const FileReport& report) {
  if (report.error) return {{"path", report.path}, {"error", error_json(*report.error)}};
  Json result{
      {"path", report.path},
      {"format", report.info.format},
      {"bytes", report.info.bytes},
      {"unit",
       {{"metres_per_unit", report.info.metres_per_unit},
        {"source", name_of(report.info.unit_source)},
        {"likely", name_of(report.health.unit.unit)}}},
      {"warnings", report.info.warnings},
      {"part_count", report.part_count},
      {"health", to_json(report.health)},
  };
  if (!report.parts.empty()) {
    Json parts = Json::array();
    for (const PartReport& part : report.parts) {
      parts.push_back({{"name", part.name},
                       {"bounds", to_json(part.bounds)},
                       {"health", to_json(part.health)}});
    }
    result["parts"] = std::move(parts);
  }
  return result;
}

/// "closed, inside out" or "open"
std::string solid_words(const MeshHealth& health) {
  if (!health.closed) return "open";
  if (!health.consistently_oriented) return "closed, winding mixed";
  return health.inside_out ? "closed, inside out" : "closed";
}

/// What is wrong with triangles and edges, as a list of counts; "none" when nothing is.
std::string defect_words(const MeshHealth& health) {
  std::string words;
  const auto add = [&](std::size_t count, const char* singular, const char* plural) {
    if (count > 0) words += (words.empty() ? "" : ", ") + count_of(count, singular, plural);
  };
  add(health.open_edges, "open edge", "open edges");
  add(health.non_manifold_edges, "non-manifold edge", "non-manifold edges");
  add(health.inconsistent_edges, "edge of mixed winding", "edges of mixed winding");
  add(health.degenerate_triangles, "degenerate triangle", "degenerate triangles");
  add(health.duplicate_triangles, "duplicate triangle", "duplicate triangles");
  add(health.opposite_triangles, "pair back to back", "pairs back to back");
  add(health.needles + health.caps, "sliver", "slivers");
  return words.empty() ? "none" : words;
}

std::string unit_words(const FileInfo& info) {
  std::string name = format_number("%g m", info.metres_per_unit);
  for (const std::string& unit : unit_names()) {
    if (unit_from_name(unit) == info.metres_per_unit) name = unit;
  }
  switch (info.unit_source) {
    case UnitSource::Declared:
      return name + ", declared by the file";
    case UnitSource::Option:
      return name + ", as given";
    case UnitSource::Assumed:
      break;
  }
  return name + ", assumed: the format has no unit";
}

/// Warnings of the reader, then the findings; what both say (about the unit) is said once.
std::vector<std::string> remarks(const FileReport& report) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  };
  for (const std::string& warning : report.info.warnings) add("warning: " + warning);
  for (const Finding& finding : report.health.findings)
    add(std::string(name_of(finding.severity)) + ": " + finding.sentence);
  return lines;
}

std::string part_table(const FileReport& report) {
  std::vector<std::vector<std::string>> lines{{"part", "triangles", "size", "surface", "defects"}};
  for (const PartReport& part : report.parts) {
    lines.push_back({part.name, group_digits(part.health.triangles),
                     format_size(part.bounds.size()), solid_words(part.health),
                     defect_words(part.health)});
  }
  const std::size_t right[] = {1};
  return align_columns(lines, right);
}

std::string paragraph(const FileReport& report) {
  const MeshHealth& health = report.health;
  std::string surface = solid_words(health) + ", " +
                        count_of(health.components, "component", "components") + ", area " +
                        format_area(health.surface_area);
  if (health.volume_is_meaningful) surface += ", volume " + format_volume(health.volume);
  const std::string slivers = "median area " + format_area(health.triangle_area.median) +
                              ", largest " + format_number("%.3gx", health.area_max_over_median) +
                              " that; aspect ratio " +
                              format_number("%.3g", health.aspect_ratio.median) + ", at worst " +
                              format_number("%.3g", health.aspect_ratio.max);
  std::vector<std::vector<std::string>> lines{
      {"  format", report.info.format + ", " + format_bytes(report.info.bytes)},
      {"  holds", count_of(health.triangles, "triangle", "triangles") + ", " +
                      count_of(health.vertices, "vertex", "vertices") + ", " +
                      count_of(report.part_count, "part", "parts")},
      {"  size", format_size(health.bounds.size())},
      {"  unit", unit_words(report.info)},
      {"  surface", surface},
      {"  triangles", slivers},
      {"  defects", defect_words(health)},
  };
  std::string text = report.path + '\n' + align_columns(lines);
  for (const std::string& remark : remarks(report)) text += "  " + remark + '\n';
  if (!report.parts.empty()) text += '\n' + part_table(report);
  return text;
}

std::string file_table(const std::vector<const FileReport*>& reports) {
  std::vector<std::vector<std::string>> lines{
      {"file", "triangles", "parts", "size", "surface", "defects"}};
  for (const FileReport* report : reports) {
    lines.push_back({report->path, group_digits(report->health.triangles),
                     group_digits(report->part_count), format_size(report->health.bounds.size()),
                     solid_words(report->health), defect_words(report->health)});
  }
  const std::size_t right[] = {1, 2};
  std::string text = align_columns(lines, right);
  for (const FileReport* report : reports) {
    const std::vector<std::string> lines_below = remarks(*report);
    if (!lines_below.empty()) text += '\n' + report->path + '\n';
    for (const std::string& remark : lines_below) text += "  " + remark + '\n';
  }
  for (const FileReport* report : reports) {
    if (!report->parts.empty()) text += '\n' + report->path + '\n' + part_table(*report);
  }
  return text;
}

}  // namespace

bool FileReport::has_warnings() const {
  return !info.warnings.empty() ||
         std::any_of(health.findings.begin(), health.findings.end(),
                     [](const Finding& f) { return f.severity == Severity::Warning; });
}

nlohmann::ordered_json inspect_json(const std::vector<FileReport>& reports) {
  Json files = Json::array();
  for (const FileReport& report : reports) files.push_back(to_json(report));
  return {{"schema", "clearance.inspect"}, {"version", 1}, {"files", std::move(files)}};
}

std::string inspect_text(const std::vector<FileReport>& reports) {
  std::vector<const FileReport*> readable;
  for (const FileReport& report : reports) {
    if (!report.error) readable.push_back(&report);
  }
  if (readable.empty()) return "";
  return readable.size() == 1 ? paragraph(*readable.front()) : file_table(readable);
}

}  // namespace clearance::cli
