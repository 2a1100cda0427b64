// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance inspect`: the files, each looked at alone, and what was found in them.
#include <nlohmann/json.hpp>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// "closed, 12 needles": what the health of a mesh says in a few words.
std::string words_on(const Json& health) {
  std::string words = health.at("closed").get<bool>() ? "closed" : "open";
  if (health.at("inside_out").get<bool>()) words += ", inside out";
  if (!health.at("consistently_oriented").get<bool>()) words += ", mixed winding";
  return words;
}

std::size_t warnings_of(const Json& health) {
  std::size_t count = 0;
  for (const Json& finding : health.at("findings"))
    count += finding.at("severity").get<std::string>() == "warning" ? 1 : 0;
  return count;
}

}  // namespace

Result<ViewDocument> view_inspect(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "inspect";
  const Json& files = json.at("files");
  document.title = file_name(source.path());
  ViewTable table{"Files", {"file", "triangles", "surface", "warnings"}, {}};
  ViewTable findings{"Findings", {"file", "finding"}, {}};
  std::size_t number = 0;
  std::size_t warnings = 0;
  std::size_t unreadable = 0;
  std::uint64_t all_triangles = 0;
  for (const Json& file : files) {
    const std::string path = file.at("path").get<std::string>();
    if (file.contains("error") && !file.at("error").is_null()) {
      table.rows.push_back(
          {{file_name(path), "", "cannot be read", ""}, ViewState::Bad, std::nullopt});
      ++unreadable;
      continue;
    }
    const Json& health = file.at("health");
    const std::size_t here = warnings_of(health);
    warnings += here;
    const auto triangles = health.at("triangles").get<std::uint64_t>();
    all_triangles += triangles;
    ViewSource own = source;
    own.set_unit(file.at("unit").at("metres_per_unit").get<double>());
    std::optional<std::size_t> row_focus;
    if (std::optional<Assembly> parts = own.assembly(path, document)) {
      ViewFocus focus;
      focus.label =
          file_name(path) + ": " + words_on(health) + ", " + format_size(parts->bounds().size());
      focus.point = parts->bounds().center();
      focus.radius = 0.5 * parts->bounds().diagonal();
      for (AssemblyPart& part : parts->parts) {
        ViewItem item;
        item.name = part.name;
        item.group = file_name(path);
        item.mesh = part.mesh;
        item.world_from_item = part.world_from_part;
        item.colour = part_colour(number);
        focus.items.push_back(document.add(std::move(item)));
      }
      ++number;
      document.focuses.push_back(std::move(focus));
      row_focus = document.focuses.size() - 1;
    }
    table.rows.push_back({{file_name(path), group_digits(triangles), words_on(health),
                           here == 0 ? "none" : std::to_string(here)},
                          here == 0 ? ViewState::Good : ViewState::Warning,
                          row_focus});
    for (const Json& finding : health.at("findings")) {
      const bool warns = finding.at("severity").get<std::string>() == "warning";
      findings.rows.push_back({{file_name(path), finding.at("sentence").get<std::string>()},
                               warns ? ViewState::Warning : ViewState::Neutral,
                               std::nullopt});
    }
  }
  document.summary = count_of(files.size(), "file", "files") + ", " +
                     (warnings == 0 ? "no warnings" : count_of(warnings, "warning", "warnings"));
  document.state = unreadable > 0 ? ViewState::Bad
                   : warnings > 0 ? ViewState::Warning
                                  : ViewState::Good;
  document.facts = {{"files", group_digits(files.size())},
                    {"triangles", group_digits(all_triangles)},
                    {"warnings", group_digits(warnings)}};
  if (unreadable > 0) document.facts.push_back({"cannot be read", group_digits(unreadable)});
  document.tables.push_back(std::move(table));
  if (!findings.rows.empty()) document.tables.push_back(std::move(findings));
  return document;
}

}  // namespace clearance::cli
