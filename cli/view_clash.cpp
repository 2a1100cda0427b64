// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance clash`: the parts by the worst they are in, and the matrix of clearances.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// A pair is looked at from a distance at which this much of the smaller part is seen.
constexpr double kShareSeen = 0.6;
/// More parts than this make a matrix nobody reads: the table of the worst pairs has to do.
constexpr std::size_t kMostPartsInMatrix = 60;
constexpr std::size_t kMostRows = 300;

ViewState state_of(const std::string& verdict) {
  if (verdict == "clash") return ViewState::Bad;
  if (verdict == "near") return ViewState::Warning;
  return verdict == "allowed" ? ViewState::Allowed : ViewState::Good;
}

/// The parts in the order of the result, as the verb loaded them.
std::vector<AssemblyPart> parts_of(const ViewSource& source, ViewDocument& document) {
  const Json& json = source.json();
  const Json& names = json.at("parts");
  std::vector<Assembly> files;
  std::size_t total = 0;
  for (const Json& file : json.at("files")) {
    std::optional<Assembly> assembly = source.assembly(file.get<std::string>(), document);
    if (!assembly) return {};
    total += assembly->parts.size();
    files.push_back(std::move(*assembly));
  }
  std::vector<AssemblyPart> parts;
  const bool one_each = total != names.size() && files.size() == names.size();
  for (Assembly& file : files) {
    if (one_each && file.parts.size() > 1) {
      parts.push_back({"", file.flattened(), Pose::identity()});
    } else {
      for (AssemblyPart& part : file.parts) parts.push_back(std::move(part));
    }
  }
  if (parts.size() != names.size()) {
    document.warn("The files hold " + count_of(parts.size(), "part", "parts") + " and the result " +
                  std::to_string(names.size()) +
                  ": they changed since. Only the numbers are shown.");
    return {};
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].name = names[i].at("name").get<std::string>();
  return parts;
}

std::string short_words(const Json& pair) {
  const Json& depth = pair.at("penetration");
  if (pair.at("distance").get<double>() > 0.0)
    return format_number("%.3g", 1e3 * pair.at("distance").get<double>());
  if (!depth.is_null() && depth.at("lower").get<double>() > 0.0)
    return format_number("-%.2g", 1e3 * depth.at("lower").get<double>());
  return "0";
}

std::string long_words(const Json& pair) {
  const double distance = pair.at("distance").get<double>();
  std::string words = pair.at("verdict").get<std::string>() + ": ";
  if (distance > 0.0) return words + format_number("%.4g mm apart", 1e3 * distance);
  const Json& depth = pair.at("penetration");
  if (depth.is_null()) return words + "touching";
  words += "touching, overlap at least " +
           format_number("%.3g mm", 1e3 * depth.at("lower").get<double>());
  if (depth.at("upper").is_number())
    words += ", at most " + format_number("%.3g mm", 1e3 * depth.at("upper").get<double>());
  return words;
}

}  // namespace

Result<ViewDocument> view_clash(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "clash";
  document.title = file_name(json.at("files").at(0).get<std::string>());
  if (json.at("files").size() > 1)
    document.title += " and " + std::to_string(json.at("files").size() - 1) + " more";
  const Json& summary = json.at("summary");
  const auto count = [&](const char* name) { return summary.at(name).get<std::uint64_t>(); };
  document.state = json.at("good").get<bool>() ? ViewState::Good : ViewState::Bad;
  document.summary = "no clash";
  if (count("clash") > 0) document.summary = count_of(count("clash"), "clash", "clashes");
  if (count("near") > 0) {
    document.summary = (count("clash") > 0 ? document.summary + ", " : "") +
                       count_of(count("near"), "pair", "pairs") + " too near";
  }
  document.facts = {{"parts", group_digits(count("parts"))},
                    {"pairs", group_digits(count("pairs"))},
                    {"clashes", group_digits(count("clash"))},
                    {"below the clearance", group_digits(count("near"))},
                    {"allowed", group_digits(count("allowed"))},
                    {"clear", group_digits(count("clear"))}};
  if (const double asked = json.at("clearance").get<double>(); asked > 0.0)
    document.facts.insert(document.facts.begin(), {"clearance asked for", short_length(asked)});
  for (const Json& warning : json.at("warnings")) document.warn(warning.get<std::string>());

  std::map<std::string, std::size_t> index;
  ViewMatrix matrix;
  matrix.title = "Clearance [mm]";
  for (const Json& part : json.at("parts")) {
    const std::string name = part.at("name").get<std::string>();
    index.emplace(name, matrix.labels.size());
    matrix.labels.push_back(name);
  }
  std::vector<ViewState> worst(matrix.labels.size(), ViewState::Good);
  const auto number_of = [&](const Json& name) { return index.at(name.get<std::string>()); };
  for (const Json& pair : json.at("pairs")) {
    if (!index.contains(pair.at("a").get<std::string>()) ||
        !index.contains(pair.at("b").get<std::string>())) {
      return Error{ErrorCode::Malformed, source.path(), "",
                   "names a part in a pair that is not among its parts", "run clash again"};
    }
    for (const char* side : {"a", "b"}) {
      ViewState& state = worst[number_of(pair.at(side))];
      state = std::min(state, state_of(pair.at("verdict").get<std::string>()));
    }
  }
  const std::vector<AssemblyPart> parts = parts_of(source, document);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ViewItem item;
    item.name = parts[i].name;
    item.group = "Parts";
    item.mesh = parts[i].mesh;
    item.world_from_item = parts[i].world_from_part;
    // Red for clashes alone: gaps that are too small have their lines, and are often everywhere.
    item.colour = worst[i] == ViewState::Bad ? colour_of(worst[i]) : part_colour(i);
    matrix.items.push_back(document.add(std::move(item)));
  }

  ViewTable table{"Pairs, worst first", {"part A", "part B", "mm", ""}, {}};
  ViewItem gaps;
  gaps.name = "gaps that are too small";
  gaps.group = "Findings";
  gaps.shape = ViewShape::Lines;
  gaps.colour = colour_of(ViewState::Bad);
  gaps.width = 3.0;
  for (const Json& pair : json.at("pairs")) {
    const std::size_t a = number_of(pair.at("a"));
    const std::size_t b = number_of(pair.at("b"));
    ViewFocus focus;
    focus.label = matrix.labels[a] + " and " + matrix.labels[b] + ": " + long_words(pair);
    focus.line = Segment{vector_of(pair.at("on_a")), vector_of(pair.at("on_b"))};
    focus.point = 0.5 * (focus.line->a + focus.line->b);
    focus.radius = norm(focus.line->b - focus.line->a);
    if (!parts.empty()) {
      focus.items = {a, b};
      focus.radius =
          std::max(focus.radius, kShareSeen * std::min(parts[a].mesh.bounds().diagonal(),
                                                       parts[b].mesh.bounds().diagonal()));
    }
    const ViewState state = state_of(pair.at("verdict").get<std::string>());
    if (state == ViewState::Warning) gaps.lines.push_back(*focus.line);
    document.focuses.push_back(std::move(focus));
    matrix.cells.push_back({a, b, state, short_words(pair), document.focuses.back().label,
                            document.focuses.size() - 1});
    if (table.rows.size() < kMostRows) {
      table.rows.push_back({{matrix.labels[a], matrix.labels[b], short_words(pair),
                             pair.at("verdict").get<std::string>()},
                            state,
                            document.focuses.size() - 1});
    }
  }
  if (!gaps.lines.empty()) document.add(std::move(gaps));
  if (matrix.labels.size() > 1 && matrix.labels.size() <= kMostPartsInMatrix)
    document.matrix = std::move(matrix);
  if (!table.rows.empty()) document.tables.push_back(std::move(table));
  return document;
}

}  // namespace clearance::cli
