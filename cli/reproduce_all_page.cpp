// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce_all_page.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Longer tables are cut: the --json result has all rows.
constexpr std::size_t kMostRows = 60;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --paper: #fff; --panel: #f6f8fa; --ink: #1c232b; --soft: #5d6875; --line: #dfe3e8;
  --accent: #1f6fd6; --good: #2f8f56; --bad: #c8372c; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --panel: #1c2128; --ink: #e7ebf0; --soft: #98a3b1;
  --line: #2e353f; --accent: #5aa2ff; --good: #5dc487; --bad: #f06a5d; } }
body { margin: 0 auto; max-width: 1160px; padding: 36px 28px 60px; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, 'DejaVu Sans', sans-serif; }
h1 { margin: 0 0 4px; font-size: 30px; } h2 { margin: 46px 0 4px; font-size: 22px; border-top: 1px solid var(--line); padding-top: 26px; }
h3 { margin: 26px 0 6px; font-size: 15px; color: var(--soft); text-transform: capitalize; }
p { margin: 4px 0; } .soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; background: var(--panel); white-space: nowrap; }
th, td { padding: 4px 12px 4px 8px; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { text-align: right; white-space: nowrap; }
.claims td:first-child { white-space: nowrap; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); }
figure { margin: 14px 0; background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 8px; width: fit-content; max-width: 100%; box-sizing: border-box; }
figure svg { display: block; max-width: 100%; height: auto; }
nav a { margin-right: 16px; color: var(--accent); }
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string words_of(const std::string& key) {
  std::string text = key;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string cell(const Json& value) {
  if (value.is_null()) return "<td></td>";
  if (value.is_boolean()) return value.get<bool>() ? "<td>yes</td>" : "<td>no</td>";
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
    return "<td class=\"number\">" + group_digits(value.get<std::uint64_t>()) + "</td>";
  if (value.is_number())
    return "<td class=\"number\">" + format_number("%.4g", value.get<double>()) + "</td>";
  return "<td>" + escaped(value.is_string() ? value.get<std::string>() : value.dump()) + "</td>";
}

/// Scalars of an object by name, those of objects inside as "outer inner". Arrays are left out.
void flatten(const Json& object, const std::string& prefix, Json& row) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + words_of(key);
    if (value.is_object()) flatten(value, name + " ", row);
    if (value.is_primitive()) row[name] = value;
  }
}

/// Are these figures of several things by name, such as {"pqp": {...}, "inertia": {...}}?
bool is_by_name(const Json& value) {
  if (!value.is_object() || value.size() < 2) return false;
  return std::all_of(value.begin(), value.end(),
                     [](const Json& member) { return member.is_object(); });
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

/// What a value of a result becomes: tables in the order they come up, and sentences.
struct Section {
  std::vector<std::pair<std::string, std::vector<Json>>> tables;
  std::vector<std::pair<std::string, std::string>> sentences;  ///< about what, and the words

  std::vector<Json>& rows(const std::string& title) {
    for (auto& [name, rows] : tables)
      if (name == title) return rows;
    return tables.emplace_back(title, std::vector<Json>{}).second;
  }
};

/// Longer strings are sentences, and do not go into a column.
constexpr std::size_t kLongestWord = 70;

/// An object becomes a row; what it holds in lists or by name becomes tables of their own, whose
/// rows begin with what they are of.
void collect(const Json& object, const std::string& title, const Json& label, Section& section) {
  Json inner_label = label;
  if (object.contains("name")) inner_label["of"] = object["name"];
  Json own = label;
  for (const auto& [key, value] : object.items()) {
    const std::string inner_title = title + ", " + words_of(key);
    if (is_list_of_objects(value)) {
      for (const Json& element : value) collect(element, inner_title, inner_label, section);
    } else if (is_by_name(value)) {
      for (const auto& [name, member] : value.items()) {
        Json row = inner_label;
        row[words_of(key)] = name;
        collect(member, inner_title, row, section);
      }
    } else if (value.is_string() && value.get_ref<const std::string&>().size() > kLongestWord) {
      section.sentences.emplace_back(object.value("name", words_of(key)), value.get<std::string>());
    } else if (value.is_object()) {
      flatten(value, words_of(key) + " ", own);
    } else if (value.is_primitive()) {
      own[words_of(key)] = value;
    }
  }
  // A row that says no more than its name is left out.
  if (own.size() > label.size() + (object.contains("name") ? 1 : 0))
    section.rows(title).push_back(std::move(own));
}

std::string table_of(const std::vector<Json>& rows) {
  // Columns in the order they first come up.
  std::vector<std::string> columns;
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items())
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
  }
  std::string text = "<div class=\"scroll\"><table><tr>";
  for (const std::string& column : columns) text += "<th>" + escaped(column) + "</th>";
  text += "</tr>\n";
  const std::size_t shown = std::min(rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    text += "<tr>";
    for (const std::string& column : columns)
      text += rows[i].contains(column) ? cell(rows[i][column]) : "<td></td>";
    text += "</tr>\n";
  }
  text += "</table></div>\n";
  if (shown < rows.size()) {
    text += "<p class=\"soft\">" + group_digits(rows.size() - shown) +
            " more rows in the --json result.</p>\n";
  }
  return text;
}

std::string claims_table(const Json& claims) {
  std::string text = "<table class=\"claims\">\n";
  for (const Json& claim : claims) {
    const bool holds = claim.value("holds", Json()).is_boolean() && claim["holds"].get<bool>();
    const bool open = claim.value("holds", Json()).is_null();
    text += std::string("<tr><td class=\"") + (holds ? "good" : (open ? "soft" : "bad")) + "\">" +
            (holds ? "holds" : (open ? "not measured" : "does not hold")) + "</td><td>" +
            escaped(claim.value("claim", "")) + "<br><span class=\"soft\">" +
            escaped(claim.value("words", "")) + "</span></td></tr>\n";
  }
  return text + "</table>\n";
}

std::string study_section(const StudyResult& study) {
  std::string text = "<h2 id=\"" + study.name + "\">" + study.name + "</h2>\n<p class=\"soft\">" +
                     escaped(study.description) + "</p>\n<p class=\"soft\">" +
                     format_number("%.1f s", study.seconds) + "</p>\n";
  if (study.status != 0) {
    text += "<p class=\"bad\">The study ended with status " + std::to_string(study.status) +
            (study.status == 1 ? ": methods disagree" : ": it could not be done") + ".</p>\n";
  }
  const Json json = Json::parse(study.json, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return text;
  if (json.contains("claims")) text += claims_table(json["claims"]);
  if (json.contains("conclusion") && json["conclusion"].is_string())
    text += "<p>" + escaped(json["conclusion"].get<std::string>()) + "</p>\n";
  for (const auto& [name, svg] : study.charts) {
    const std::size_t start = svg.find("<svg");
    if (start != std::string::npos) text += "<figure>" + svg.substr(start) + "</figure>\n";
  }
  const std::set<std::string> known{"schema", "version", "claims", "conclusion"};
  std::vector<Json> settings(1, Json::object());
  for (const auto& [key, value] : json.items()) {
    if (known.contains(key)) continue;
    Section section;
    if (value.is_array()) {
      for (const Json& element : value)
        if (element.is_object()) collect(element, words_of(key), Json::object(), section);
    } else if (value.is_object()) {
      collect(value, words_of(key), Json::object(), section);
    } else {
      settings[0][words_of(key)] = value;
    }
    for (const auto& [title, rows] : section.tables)
      text += "<h3>" + escaped(title) + "</h3>\n" + table_of(rows);
    for (const auto& [subject, words] : section.sentences)
      text += "<p><b>" + escaped(subject) + "</b>: " + escaped(words) + "</p>\n";
  }
  if (!settings[0].empty()) text += "<h3>settings</h3>\n" + table_of(settings);
  return text;
}

}  // namespace

std::pair<std::size_t, std::size_t> count_claims(const std::vector<StudyResult>& studies) {
  std::size_t holding = 0;
  std::size_t all = 0;
  for (const StudyResult& study : studies) {
    const Json json = Json::parse(study.json, nullptr, false);
    if (json.is_discarded() || !json.contains("claims")) continue;
    for (const Json& claim : json["claims"]) {
      const Json holds = claim.value("holds", Json());
      if (!holds.is_boolean()) continue;
      ++all;
      holding += holds.get<bool>() ? 1 : 0;
    }
  }
  return {holding, all};
}

std::string report_page(const ReportHead& head, const std::vector<StudyResult>& studies) {
  const auto [holding, all] = count_claims(studies);
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>Clearance: the studies</title>"
      "<link rel=\"icon\" href=\"data:,\"><style>";
  page += kStyle;
  page += "</style></head><body>\n<h1>The five papers, measured again</h1>\n<p class=\"soft\">" +
          escaped(head.program) + " on " + escaped(head.machine) + "<br><code>" +
          escaped(head.command) + "</code></p>\n<p><b>" + std::to_string(holding) + " of " +
          count_of(all, "claim holds", "claims hold") +
          "</b>; the others are named with what was "
          "seen instead.</p>\n<nav>";
  for (const StudyResult& study : studies)
    page += "<a href=\"#" + study.name + "\">" + study.name + "</a>";
  page += "</nav>\n";
  for (const StudyResult& study : studies) page += study_section(study);
  return page + "</body></html>\n";
}

}  // namespace clearance::cli
