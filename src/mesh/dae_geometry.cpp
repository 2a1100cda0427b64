// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "mesh/dae_document.h"

namespace clearance::detail {
namespace {

/// Reads one <geometry>.
class GeometryReader {
 public:
  GeometryReader(const DaeDocument& document, ElementBudget& budget, Ignored& ignored)
      : document_(document), budget_(budget), ignored_(ignored) {}

  Status read(pugi::xml_node mesh) {
    for (const pugi::xml_node element : mesh.children()) {
      const std::string_view tag = element.name();
      if (tag == "lines" || tag == "linestrips") {
        ++ignored_["Lines are ignored"];
      } else if (tag == "triangles" || tag == "polylist" || tag == "polygons" || tag == "trifans" ||
                 tag == "tristrips") {
        if (Status status = append_primitives(element); !status) return status;
      }
    }
    return {};
  }

  std::vector<Vec3> vertices;
  std::vector<Face> faces;

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// How the indices in <p> are grouped: `stride` of them make one corner, and the one at `offset`
  /// is its vertex.
  struct Layout {
    std::size_t stride = 1;
    std::size_t offset = 0;
    Range vertices;
  };

  /// An attribute as a whole number; `absent` when it is not there, an error when it is no number.
  Result<std::uint64_t> whole(pugi::xml_node element, const char* attribute,
                              std::optional<std::uint64_t> absent) const {
    const std::string_view text = element.attribute(attribute).value();
    if (text.empty() && absent) return *absent;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return document_.malformed(element,
                                 std::string("its ") + attribute + " is not a whole number");
    }
    return value;
  }

  /// The positions of a <vertices>, appended once.
  Result<Range> vertices_of(pugi::xml_node element) {
    if (const auto known = ranges_.find(element.hash_value()); known != ranges_.end()) {
      return known->second;
    }
    const pugi::xml_node input = element.find_child_by_attribute("input", "semantic", "POSITION");
    if (!input) return document_.malformed(element, "has no POSITION");
    const Result<pugi::xml_node> source = document_.referred(input, "source", "source");
    if (!source) return source.error();
    const std::size_t first = vertices.size();
    if (Status status = append_positions(*source); !status) return status.error();
    if (vertices.size() > std::numeric_limits<std::uint32_t>::max()) {
      return document_.unsupported(element, "more than 4294967295 vertices", "");
    }
    const Range range{static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(vertices.size() - first)};
    ranges_.emplace(element.hash_value(), range);
    return range;
  }

  [[nodiscard]] Error unfolds(pugi::xml_node where) const {
    return document_.unsupported(where, ElementBudget::kReason, ElementBudget::kAdvice);
  }

  Status append_positions(pugi::xml_node source) {
    const pugi::xml_node accessor = source.child("technique_common").child("accessor");
    if (!accessor) return document_.malformed(source, "has no accessor");
    const Result<pugi::xml_node> array = document_.referred(accessor, "source", "float_array");
    if (!array) return array.error();
    const Result<std::vector<double>> parsed = document_.numbers(*array);
    if (!parsed) return parsed.error();
    const std::vector<double>& numbers = *parsed;
    const Result<std::uint64_t> promised = whole(*array, "count", numbers.size());
    if (!promised) return promised.error();
    if (*promised != numbers.size()) {
      return document_.malformed(*array, "promises " + std::to_string(*promised) +
                                             " numbers, but holds " +
                                             std::to_string(numbers.size()));
    }

    // Which three of the numbers of an element are its coordinates: those whose <param> has a name.
    std::array<std::size_t, 3> coordinate{0, 1, 2};
    std::size_t named = 0;
    std::size_t param_index = 0;
    for (const pugi::xml_node param : accessor.children("param")) {
      if (param.attribute("name").value()[0] != '\0' && named < 3)
        coordinate[named++] = param_index;
      ++param_index;
    }
    if (named == 0) coordinate = {0, 1, 2};  // exporters that name none mean the first three
    if (named == 1 || named == 2) {
      return document_.unsupported(accessor, "positions have fewer than 3 coordinates", "");
    }

    const Result<std::uint64_t> count = whole(accessor, "count", std::nullopt);
    const Result<std::uint64_t> stride = whole(accessor, "stride", 1);
    const Result<std::uint64_t> offset = whole(accessor, "offset", 0);
    for (const auto* number : {&count, &stride, &offset}) {
      if (!*number) return number->error();
    }
    if (*stride <= coordinate[2]) {
      return document_.malformed(accessor, "its stride is smaller than a position");
    }
    // Compared after dividing: the product may not fit into 64 bits.
    const std::uint64_t room = numbers.size() - std::min<std::uint64_t>(*offset, numbers.size());
    if (*count > 0 &&
        (room <= coordinate[2] || (room - coordinate[2] - 1) / *stride < *count - 1)) {
      return document_.malformed(
          accessor, "needs " + std::to_string(*count) + " elements, but its array of " +
                        std::to_string(numbers.size()) + " numbers is too short");
    }
    if (!budget_.spend(*count)) return unfolds(accessor);
    vertices.reserve(vertices.size() + *count);
    for (std::size_t i = 0; i < *count; ++i) {
      const double* p = numbers.data() + *offset + i * *stride;
      vertices.push_back({p[coordinate[0]], p[coordinate[1]], p[coordinate[2]]});
    }
    return {};
  }

  Result<Layout> layout_of(pugi::xml_node element) {
    Layout layout;
    bool has_vertices = false;
    for (const pugi::xml_node input : element.children("input")) {
      const Result<std::uint64_t> offset = whole(input, "offset", 0);
      if (!offset) return offset.error();
      constexpr std::uint64_t kMostInputs = 1000;  // a handful in practice
      if (*offset >= kMostInputs) return document_.malformed(input, "its offset is out of range");
      layout.stride = std::max<std::size_t>(layout.stride, *offset + 1);
      if (std::string_view(input.attribute("semantic").value()) != "VERTEX") continue;
      const Result<pugi::xml_node> target = document_.referred(input, "source", "vertices");
      if (!target) return target.error();
      const Result<Range> range = vertices_of(*target);
      if (!range) return range.error();
      layout.offset = *offset;
      layout.vertices = *range;
      has_vertices = true;
    }
    if (!has_vertices) return document_.malformed(element, "has no VERTEX input");
    return layout;
  }

  /// The vertices of all corners in a <p>, as indices into `vertices`.
  Result<std::vector<std::uint32_t>> corners_of(pugi::xml_node p, const Layout& layout) const {
    Result<std::vector<std::uint32_t>> indices = document_.indices(p);
    if (!indices) return indices.error();
    if (indices->size() % layout.stride != 0) {
      return document_.malformed(p, "holds " + std::to_string(indices->size()) +
                                        " indices, which is not a multiple of " +
                                        std::to_string(layout.stride));
    }
    std::vector<std::uint32_t> corners;
    corners.reserve(indices->size() / layout.stride);
    for (std::size_t i = layout.offset; i < indices->size(); i += layout.stride) {
      const std::uint32_t v = (*indices)[i];
      if (v >= layout.vertices.count) {
        return document_.malformed(p, "index " + std::to_string(i) + " uses vertex " +
                                          std::to_string(v) + ", but there are only " +
                                          std::to_string(layout.vertices.count));
      }
      corners.push_back(layout.vertices.first + v);
    }
    return corners;
  }

  void append_fan(std::span<const std::uint32_t> corners) {
    if (corners.size() < 3) {
      ++ignored_["Polygons with fewer than three corners are ignored"];
      return;
    }
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
      faces.push_back({corners[0], corners[i], corners[i + 1]});
    }
  }

  Status append_primitives(pugi::xml_node element) {
    const Result<std::uint64_t> count = whole(element, "count", 0);
    if (!count) return count.error();
    if (element.child("ph")) {
      return document_.unsupported(element.child("ph"), "polygons with holes are not read",
                                   "triangulate when exporting");
    }
    if (!element.child("p")) {
      if (*count == 0) return {};
      return document_.malformed(
          element, "promises " + std::to_string(*count) + " polygons, but has no <p>");
    }
    const Result<Layout> layout = layout_of(element);
    if (!layout) return layout.error();
    const std::string_view tag = element.name();
    std::uint64_t found = 0;
    for (const pugi::xml_node p : element.children("p")) {
      const Result<std::vector<std::uint32_t>> corners = corners_of(p, *layout);
      if (!corners) return corners.error();
      if (!budget_.spend(corners->size())) return unfolds(p);
      if (tag == "triangles") {
        if (corners->size() % 3 != 0) {
          return document_.malformed(p, "has " + std::to_string(corners->size()) +
                                            " corners, which is not a multiple of 3");
        }
        for (std::size_t i = 0; i < corners->size(); i += 3) {
          append_fan(std::span(*corners).subspan(i, 3));
        }
        found += corners->size() / 3;
      } else if (tag == "polylist") {
        if (Status status = append_polylist(element.child("vcount"), p, *corners, found); !status) {
          return status;
        }
      } else if (tag == "tristrips") {
        // Every second triangle of a strip runs the other way round.
        for (std::size_t i = 0; i + 2 < corners->size(); ++i) {
          faces.push_back({(*corners)[i], (*corners)[i + 1 + i % 2], (*corners)[i + 2 - i % 2]});
        }
        ++found;
      } else {  // polygons and trifans
        append_fan(*corners);
        ++found;
      }
    }
    if (element.attribute("count") && found != *count) {
      return document_.malformed(element, "promises " + std::to_string(*count) + " <" +
                                              std::string(tag) + ">, but holds " +
                                              std::to_string(found));
    }
    return {};
  }

  Status append_polylist(pugi::xml_node vcount, pugi::xml_node p,
                         std::span<const std::uint32_t> corners, std::uint64_t& found) {
    const Result<std::vector<std::uint32_t>> counts = document_.indices(vcount);
    if (!counts) return counts.error();
    std::size_t next = 0;
    for (const std::uint32_t n : *counts) {
      if (n > corners.size() - next) {
        return document_.malformed(p, "ends inside polygon " + std::to_string(found));
      }
      append_fan(corners.subspan(next, n));
      next += n;
      ++found;
    }
    if (next != corners.size()) {
      return document_.malformed(
          p, "holds " + std::to_string(corners.size() - next) + " corners more than <vcount> says");
    }
    return {};
  }

  const DaeDocument& document_;
  ElementBudget& budget_;
  Ignored& ignored_;
  std::unordered_map<std::size_t, Range> ranges_;  ///< by <vertices> element
};

}  // namespace

Result<std::optional<Mesh>> read_dae_geometry(const DaeDocument& document, pugi::xml_node geometry,
                                              double metres_per_unit, ElementBudget& budget,
                                              Ignored& ignored) {
  const pugi::xml_node mesh =
      geometry.child("mesh") ? geometry.child("mesh") : geometry.child("convex_mesh");
  if (!mesh) {
    ++ignored["Geometry other than meshes (splines, b-rep) is ignored"];
    return std::optional<Mesh>();
  }
  if (mesh.attribute("convex_hull_of")) {
    return document.unsupported(mesh, "a convex hull of another geometry is not read",
                                "export the hull as a mesh");
  }
  GeometryReader reader(document, budget, ignored);
  if (Status status = reader.read(mesh); !status) return status.error();
  if (reader.faces.empty()) return std::optional<Mesh>();
  if (metres_per_unit != 1.0) {
    for (Vec3& v : reader.vertices) v *= metres_per_unit;
  }
  Result<Mesh> made = Mesh::make(std::move(reader.vertices), std::move(reader.faces));
  if (!made) return document.malformed(geometry, made.error().reason);
  return std::optional(std::move(made).value());
}

}  // namespace clearance::detail
