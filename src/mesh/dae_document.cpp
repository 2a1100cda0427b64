// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/dae_document.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace clearance::detail {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Calls store(word) for each word of a text until it returns false; false then.
template <class Store>
bool for_each_word(const char* text, Store&& store) {
  const char* end = text + std::strlen(text);
  while (true) {
    while (text != end && is_space(*text)) ++text;
    if (text == end) return true;
    const char* stop = text;
    while (stop != end && !is_space(*stop)) ++stop;
    if (!store(std::string_view(text, static_cast<std::size_t>(stop - text)))) return false;
    text = stop;
  }
}

template <class Number>
bool parse(std::string_view word, Number& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// A word as it is quoted in an error: not a page of it.
std::string quoted(std::string_view word) {
  constexpr std::size_t kMost = 40;
  return "'" + std::string(word.substr(0, kMost)) + (word.size() > kMost ? "...'" : "'");
}

/// Takes down the first element of every id, without recursion: XML may nest without limit.
struct IdCollector : pugi::xml_tree_walker {
  std::unordered_map<std::string_view, pugi::xml_node>* by_id = nullptr;
  bool for_each(pugi::xml_node& node) override {
    if (const char* id = node.attribute("id").value(); *id != '\0') by_id->emplace(id, node);
    return true;
  }
};

}  // namespace

Status DaeDocument::open(std::string_view bytes, const std::string& name) {
  name_ = name;
  bytes_ = bytes;
  // Entities of the file's own are not expanded by pugixml, so none can explode.
  const pugi::xml_parse_result result = xml_.load_buffer(bytes.data(), bytes.size());
  if (!result) {
    const auto offset = std::min(
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), bytes.size());
    const auto line = 1 + std::ranges::count(bytes.substr(0, offset), '\n');
    std::string reason = result.description();
    reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
    return Error{ErrorCode::Malformed, name_, "line " + std::to_string(line),
                 "the XML is broken: " + reason, ""};
  }
  if (std::string_view(root().name()) != "COLLADA") {
    return Error{ErrorCode::Malformed, name_, "",
                 "is no COLLADA file: its first element is " + quoted(root().name()), ""};
  }
  IdCollector collector;
  collector.by_id = &by_id_;
  xml_.traverse(collector);
  return {};
}

Result<pugi::xml_node> DaeDocument::referred(pugi::xml_node from, const char* attribute,
                                             std::string_view tag) const {
  const std::string_view url = from.attribute(attribute).value();
  if (url.empty()) return malformed(from, std::string("has no ") + attribute);
  if (!url.starts_with('#')) {
    return unsupported(from, "refers to another file, " + quoted(url),
                       "export everything into one file");
  }
  const auto found = by_id_.find(url.substr(1));
  if (found == by_id_.end())
    return malformed(from, "refers to " + quoted(url) + ", which is absent");
  if (found->second.name() != tag) {
    return malformed(from, "refers to " + quoted(url) + ", which is a <" + found->second.name() +
                               "> and not a <" + std::string(tag) + ">");
  }
  return found->second;
}

std::string DaeDocument::place_of(pugi::xml_node node) const {
  // Lines can be told only where the parser saw the same bytes (not for UTF-16).
  std::string place;
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset > 0 && static_cast<std::size_t>(offset) < bytes_.size()) {
    const auto line =
        1 + std::ranges::count(bytes_.substr(0, static_cast<std::size_t>(offset)), '\n');
    place = "line " + std::to_string(line) + ", ";
  }
  place += std::string("<") + node.name() + ">";
  std::string_view label = node.attribute("name").value();
  if (label.empty()) label = node.attribute("id").value();
  if (!label.empty()) place += " " + quoted(label);
  return place;
}

Error DaeDocument::malformed(pugi::xml_node where, std::string reason) const {
  return {ErrorCode::Malformed, name_, place_of(where), std::move(reason), ""};
}

Error DaeDocument::unsupported(pugi::xml_node where, std::string reason, std::string advice) const {
  return {ErrorCode::Unsupported, name_, place_of(where), std::move(reason), std::move(advice)};
}

Result<std::vector<double>> DaeDocument::numbers(pugi::xml_node element) const {
  std::vector<double> values;
  std::string reason;
  for_each_word(element.child_value(), [&](std::string_view word) {
    double value = 0.0;
    if (!parse(word, value)) {
      reason = quoted(word) + " is not a number";
    } else if (!std::isfinite(value)) {
      reason = "number " + std::to_string(values.size()) + " is not finite";
    }
    values.push_back(value);
    return reason.empty();
  });
  if (!reason.empty()) return malformed(element, std::move(reason));
  return values;
}

Result<std::vector<std::uint32_t>> DaeDocument::indices(pugi::xml_node element) const {
  std::vector<std::uint32_t> values;
  std::string reason;
  for_each_word(element.child_value(), [&](std::string_view word) {
    std::uint32_t value = 0;
    if (!parse(word, value)) reason = quoted(word) + " is not an index";
    values.push_back(value);
    return reason.empty();
  });
  if (!reason.empty()) return malformed(element, std::move(reason));
  return values;
}

}  // namespace clearance::detail
