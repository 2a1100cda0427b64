// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include <pugixml.hpp>

#include <clearance/base/file.h>
#include <clearance/robot/srdf.h>

namespace clearance {

Result<Srdf> parse_srdf(std::string_view text, const std::string& path) {
  const auto malformed = [&](std::string place, std::string reason) {
    return Error{ErrorCode::Malformed, path, std::move(place), std::move(reason), ""};
  };
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) {
    return malformed("byte " + std::to_string(parsed.offset),
                     std::string("is not XML: ") + parsed.description());
  }
  const pugi::xml_node robot = document.child("robot");
  if (!robot) return malformed("", "is not an SRDF: it has no <robot>");
  Srdf out;
  out.robot = robot.attribute("name").value();
  for (const pugi::xml_node& node : robot.children("disable_collisions")) {
    DisabledPair pair{node.attribute("link1").value(), node.attribute("link2").value(),
                      node.attribute("reason").value()};
    const auto place = [&] { return "byte " + std::to_string(node.offset_debug()); };
    if (pair.link_a.empty() || pair.link_b.empty())
      return malformed(place(), "<disable_collisions> needs link1 and link2");
    if (pair.link_a == pair.link_b)
      return malformed(place(), "<disable_collisions> names link '" + pair.link_a + "' twice");
    out.disabled.push_back(std::move(pair));
  }
  for (const char* name : {"disable_default_collisions", "enable_collisions"}) {
    if (robot.child(name)) {
      out.notes.push_back(std::string("<") + name +
                          "> is not read: pairs are left out by <disable_collisions> only.");
    }
  }
  return out;
}

Result<Srdf> read_srdf(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_srdf(file->text(), path);
}

bool DisabledLinks::holds(std::uint32_t link_a, std::uint32_t link_b) const {
  return std::binary_search(pairs.begin(), pairs.end(), std::minmax({link_a, link_b}));
}

DisabledLinks disabled_links(const Robot& robot, const Srdf& srdf) {
  DisabledLinks out;
  std::set<std::string> unknown;
  for (const DisabledPair& pair : srdf.disabled) {
    const std::optional<std::uint32_t> a = robot.link(pair.link_a);
    const std::optional<std::uint32_t> b = robot.link(pair.link_b);
    if (!a) unknown.insert(pair.link_a);
    if (!b) unknown.insert(pair.link_b);
    if (a && b) out.pairs.push_back(std::minmax({*a, *b}));
  }
  std::sort(out.pairs.begin(), out.pairs.end());
  out.pairs.erase(std::unique(out.pairs.begin(), out.pairs.end()), out.pairs.end());
  for (const std::string& name : unknown) {
    out.notes.push_back("The SRDF names a link '" + name + "' that robot '" + robot.name() +
                        "' does not have.");
  }
  return out;
}

}  // namespace clearance
