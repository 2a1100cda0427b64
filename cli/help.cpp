// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "help.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace clearance::cli {
namespace {

constexpr std::size_t kLineWidth = 88;
/// Widest left column; a longer entry gets a line of its own.
constexpr std::size_t kLargestColumn = 28;

/// Cuts text into lines at spaces; line breaks in the text are kept.
std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream paragraphs(text);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::istringstream words(paragraph);
    std::string line;
    for (std::string word; words >> word;) {
      if (!line.empty() && line.size() + 1 + word.size() > width)
        lines.push_back(std::exchange(line, ""));
      line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(line);
  }
  return lines;
}

using Entry = std::pair<std::string, std::string>;  // what to type, and what it means

std::string format_entries(const std::vector<Entry>& entries) {
  std::size_t column = 0;
  for (const auto& [left, right] : entries) {
    if (left.size() <= kLargestColumn) column = std::max(column, left.size());
  }
  std::string text;
  for (const auto& [left, right] : entries) {
    text += "  " + left;
    std::size_t position = left.size();
    for (const std::string& line : wrap(right, kLineWidth - column - 4)) {
      if (position > column) {
        text += '\n';
        position = 0;
        text += "  ";
      }
      text += std::string(column - position + 2, ' ') + line;
      position = column + 1;  // the next line starts afresh
    }
    text += '\n';
  }
  return text;
}

std::string option_left(const CLI::Option* option) {
  std::string names;
  for (const std::string& name : option->get_snames())
    names += (names.empty() ? "-" : ", -") + name;
  if (names.empty() && !option->get_lnames().empty()) names = "    ";
  bool after_short = !option->get_snames().empty();
  for (const std::string& name : option->get_lnames()) {
    names += (after_short ? ", --" : "--") + name;
    after_short = true;
  }
  const std::string& value = option->get_option_text();
  return value.empty() ? names : names + " " + value;
}

std::string positional_left(const CLI::Option* option) {
  const bool many = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
  const std::string name = option->get_name(true, false) + (many ? "..." : "");
  return option->get_required() ? name : "[" + name + "]";
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode) const {
  const auto positionals =
      app->get_options([](const CLI::Option* option) { return option->get_positional(); });
  const auto options =
      app->get_options([](const CLI::Option* option) { return option->nonpositional(); });
  const auto verbs = app->get_subcommands([](const CLI::App*) { return true; });

  std::string text;
  for (const std::string& line : wrap(app->get_description(), kLineWidth)) text += line + '\n';
  text += "\nUsage: " + name;
  for (const CLI::Option* option : positionals) text += " " + positional_left(option);
  text += verbs.empty() ? " [options]\n" : " VERB ...\n";

  if (!positionals.empty()) {
    std::vector<Entry> entries;
    entries.reserve(positionals.size());
    for (const CLI::Option* option : positionals)
      entries.emplace_back(positional_left(option), option->get_description());
    text += '\n' + format_entries(entries);
  }
  if (!verbs.empty()) {
    std::vector<Entry> entries;
    for (const CLI::App* verb : verbs) {
      // The first sentence is enough here; the verb's own help has the rest.
      const std::string description = verb->get_description();
      entries.emplace_back(verb->get_name(), description.substr(0, description.find('\n')));
    }
    text += "\nVerbs:\n" + format_entries(entries);
  }
  if (!options.empty()) {
    std::vector<Entry> entries;
    entries.reserve(options.size());
    for (const CLI::Option* option : options)
      entries.emplace_back(option_left(option), option->get_description());
    text += "\nOptions:\n" + format_entries(entries);
  }
  if (!app->get_footer().empty()) text += '\n' + app->get_footer() + '\n';
  return text;
}

}  // namespace clearance::cli
