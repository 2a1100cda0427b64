// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the COLLADA reader: the XML with its references by id, lists of numbers, the node
// tree, and the triangles of a <geometry>. read_dae.cpp puts them together.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <pugixml.hpp>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>
#include <clearance/mesh/mesh.h>

#include "mesh/assembly_builder.h"

namespace clearance::detail {

class DaeDocument {
 public:
  /// Parses the XML. `bytes` must outlive the document.
  Status open(std::string_view bytes, const std::string& name);

  [[nodiscard]] pugi::xml_node root() const { return xml_.document_element(); }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The element that "#id" in this attribute of `from` stands for. Refuses references into other
  /// files, to nothing, and to an element that is not a `tag`.
  [[nodiscard]] Result<pugi::xml_node> referred(pugi::xml_node from, const char* attribute,
                                                std::string_view tag) const;

  [[nodiscard]] Error malformed(pugi::xml_node where, std::string reason) const;
  [[nodiscard]] Error unsupported(pugi::xml_node where, std::string reason,
                                  std::string advice) const;
  /// "line 12, <node> 'arm'"
  [[nodiscard]] std::string place_of(pugi::xml_node node) const;

  /// The numbers of an element's text; refuses anything else, and what is not finite.
  [[nodiscard]] Result<std::vector<double>> numbers(pugi::xml_node element) const;
  /// The whole numbers from 0 to 2³² - 1 of an element's text.
  [[nodiscard]] Result<std::vector<std::uint32_t>> indices(pugi::xml_node element) const;

 private:
  std::string name_;
  std::string_view bytes_;
  pugi::xml_document xml_;
  std::unordered_map<std::string_view, pugi::xml_node> by_id_;
};

/// What was left out of a file, and how often; becomes warnings.
using Ignored = std::map<std::string, std::size_t>;

/// What is done with a <geometry> that an element of the node tree places.
using DaePlace = std::function<Status(pugi::xml_node node, pugi::xml_node geometry,
                                      const Affine& world_from_shape)>;

struct DaeWalkOptions {
  double metres_per_unit = 1.0;
  Monitor* monitor = nullptr;
};

/// Calls `place` for every instance of a geometry in the scene of the document, in its order: nodes
/// unfolded, skins and morphs in the shape they were bound in. Where no scene is chosen: all there
/// are, or else the bare geometries.
Status walk_dae(const DaeDocument& document, const DaeWalkOptions& options, const DaePlace& place,
                std::vector<std::string>& warnings, Ignored& ignored);

/// All triangles of a <geometry> in metres, or nothing when it has none (lines, splines).
Result<std::optional<Mesh>> read_dae_geometry(const DaeDocument& document, pugi::xml_node geometry,
                                              double metres_per_unit, ElementBudget& budget,
                                              Ignored& ignored);

}  // namespace clearance::detail
