// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "clash_allow.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <clearance/base/file.h>

#include "text.h"

namespace clearance::cli {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

/// A rule, and where it stands.
struct Rule {
  std::string text;
  std::string file;
  std::string place;
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Status read_rules(const std::string& path, std::vector<Rule>& rules) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const std::string text(file->text());
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::string rule = trimmed(line.substr(0, line.find('#')));
    begin = end + 1;
    ++line_number;
    if (!rule.empty()) rules.push_back({rule, path, "line " + std::to_string(line_number)});
  }
  return {};
}

std::vector<std::size_t> parts_like(const std::string& pattern,
                                    const std::vector<std::string>& parts) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (matches(parts[i], pattern)) found.push_back(i);
  }
  return found;
}

/// Adds the pairs of a rule; says whether there are any. A name may hold a colon itself, so each of
/// them may be the one between the names.
bool add_pairs(const std::string& rule, const std::vector<std::string>& parts, Pairs& pairs) {
  bool any = false;
  for (std::size_t colon = rule.find(':'); colon != std::string::npos;
       colon = rule.find(':', colon + 1)) {
    const std::vector<std::size_t> left = parts_like(trimmed(rule.substr(0, colon)), parts);
    const std::vector<std::size_t> right = parts_like(trimmed(rule.substr(colon + 1)), parts);
    for (const std::size_t i : left) {
      for (const std::size_t j : right) {
        if (i == j) continue;
        pairs.insert(std::minmax(i, j));
        any = true;
      }
    }
  }
  return any;
}

Error no_such_pair(const Rule& rule, const std::vector<std::string>& parts) {
  const std::size_t colon = rule.text.find(':');
  Error error{ErrorCode::NotFound, rule.file, rule.place, "", ""};
  if (colon == std::string::npos) {
    error.reason = "'" + rule.text + "' is neither a file nor a pair of parts A:B";
    return error;
  }
  for (const std::string& side :
       {trimmed(rule.text.substr(0, colon)), trimmed(rule.text.substr(colon + 1))}) {
    if (!parts_like(side, parts).empty()) continue;
    error.reason = "there is no part '" + side + "'";
    const std::string near = nearest(side, parts);
    error.advice =
        near.empty() ? "clearance inspect --parts lists them" : "did you mean '" + near + "'?";
    return error;
  }
  error.reason = "'" + rule.text + "' fits no two different parts";
  return error;
}

}  // namespace

bool matches(const std::string& name, const std::string& pattern) {
  // Greedy, with one place to come back to: the last star.
  std::size_t n = 0;
  std::size_t p = 0;
  std::size_t star = std::string::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<std::vector<std::pair<std::size_t, std::size_t>>> allowed_pairs(
    const std::vector<std::string>& rules, const std::vector<std::string>& parts) {
  std::vector<Rule> all;
  for (const std::string& rule : rules) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(rule, ignored)) {
      const Status read = read_rules(rule, all);
      if (!read) return read.error();
    } else {
      all.push_back({rule, "", "--allow"});
    }
  }
  Pairs pairs;
  for (const Rule& rule : all) {
    if (!add_pairs(rule.text, parts, pairs)) return no_such_pair(rule, parts);
  }
  return std::vector<std::pair<std::size_t, std::size_t>>(pairs.begin(), pairs.end());
}

}  // namespace clearance::cli
