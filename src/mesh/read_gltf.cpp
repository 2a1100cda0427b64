// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// glTF 2.0: every node with a mesh becomes a part. glTF is Y-up and in metres by definition;
// Clearance is Z-up (REP-103), so (x, y, z) becomes (x, -z, y), as other tools convert on import.
// The scheme of the file (JSON, buffers, accessors) is read by gltf_document.cpp.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mesh/assembly_builder.h"
#include "mesh/gltf_document.h"
#include "mesh/readers.h"

namespace clearance::detail {
namespace {

using Json = nlohmann::json;

constexpr Mat3 kZUpFromYUp{{Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0, 1, 0}}};

enum Mode : std::uint64_t { kTriangles = 4, kTriangleStrip = 5, kTriangleFan = 6 };

/// The numbers of an array of exactly `Count` numbers; nothing when it is something else.
template <std::size_t Count>
std::optional<std::array<double, Count>> numbers(const Json& value) {
  std::array<double, Count> result{};
  if (!value.is_array() || value.size() != Count) return std::nullopt;
  for (std::size_t i = 0; i < Count; ++i) {
    if (!value[i].is_number()) return std::nullopt;
    result[i] = value[i].get<double>();
  }
  return result;
}

class GltfReader {
 public:
  GltfReader(const GltfDocument& document, std::string name, const ReadOptions& options)
      : document_(document), options_(options), builder_(name), budget_(document.total_bytes()) {
    loaded_.info.path = std::move(name);
    loaded_.info.format = document.is_binary() ? "binary glTF" : "glTF";
    loaded_.info.bytes = document.total_bytes();
    settle_unit(loaded_.info, options, 1.0);
  }

  Result<LoadedAssembly> read() {
    std::vector<std::uint64_t> roots;
    if (Status status = find_roots(roots); !status) return status.error();
    if (Status status = walk(roots); !status) return status.error();
    for (const auto& [warning, count] : ignored_) {
      loaded_.info.warnings.push_back(warning + " (" + std::to_string(count) + " times).");
    }
    const auto& more = builder_.warnings();
    loaded_.info.warnings.insert(loaded_.info.warnings.end(), more.begin(), more.end());
    Result<Assembly> assembly = std::move(builder_).finish();
    if (!assembly) return assembly.error();
    loaded_.assembly = std::move(assembly).value();
    return std::move(loaded_);
  }

 private:
  struct Pending {
    std::uint64_t node;
    Affine world_from_parent;
  };

  [[nodiscard]] std::string node_place(std::uint64_t node) const {
    const std::string name = text_of(document_.array("nodes")[node], "name");
    return "node " + std::to_string(node) + (name.empty() ? "" : " '" + name + "'");
  }

  Status append_nodes(const Json& list, const std::string& place,
                      std::vector<std::uint64_t>& nodes) const {
    if (!list.is_array()) return document_.malformed(place, "its list of nodes is not an array");
    for (const Json& entry : list) {
      if (!entry.is_number_unsigned() ||
          entry.get<std::uint64_t>() >= document_.array("nodes").size()) {
        return document_.malformed(place, "names a node that does not exist");
      }
      nodes.push_back(entry.get<std::uint64_t>());
    }
    return {};
  }

  /// The nodes of the default scene, or else all nodes that are nobody's child.
  Status find_roots(std::vector<std::uint64_t>& roots) const {
    const Json& nodes = document_.array("nodes");
    if (const auto scene = whole_number(document_.root(), "scene")) {
      const Json& scenes = document_.array("scenes");
      const std::string place = "scene " + std::to_string(*scene);
      if (*scene >= scenes.size() || !scenes[*scene].is_object()) {
        return document_.malformed(place, "does not exist");
      }
      if (!scenes[*scene].contains("nodes")) return {};
      return append_nodes(scenes[*scene]["nodes"], place, roots);
    }
    std::vector<char> is_child(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].is_object() || !nodes[i].contains("children")) continue;
      std::vector<std::uint64_t> children;
      if (Status status = append_nodes(nodes[i]["children"], node_place(i), children); !status) {
        return status;
      }
      for (const std::uint64_t child : children) is_child[child] = 1;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_child[i] == 0) roots.push_back(i);
    }
    if (roots.empty() && !nodes.empty()) {
      return document_.malformed("nodes", "every node is the child of another: the tree is a loop");
    }
    return {};
  }

  /// Depth first, parents before children, with a stack of our own: no depth is too deep, and since
  /// each node may be reached once only, a loop ends at its first repetition.
  Status walk(const std::vector<std::uint64_t>& roots) {
    const Json& nodes = document_.array("nodes");
    const Affine world_from_file{kZUpFromYUp, {}};
    std::vector<char> reached(nodes.size(), 0);
    std::vector<Pending> stack;
    // The last one first, so that the first one is on top.
    for (std::size_t i = roots.size(); i-- > 0;) stack.push_back({roots[i], world_from_file});
    std::size_t done = 0;
    while (!stack.empty()) {
      const Pending pending = stack.back();
      stack.pop_back();
      if (is_cancelled(options_.monitor)) {
        return Error{ErrorCode::Cancelled, loaded_.info.path, "", "reading was cancelled", ""};
      }
      report_progress(options_.monitor, "reading", double(done++) / double(nodes.size()));
      if (reached[pending.node] != 0) {
        return document_.malformed(node_place(pending.node),
                                   "is reached twice: the nodes are not a tree");
      }
      reached[pending.node] = 1;
      const Json& node = nodes[pending.node];
      if (!node.is_object()) return document_.malformed(node_place(pending.node), "is no object");
      Affine parent_from_node;
      if (Status status = local_transform(pending.node, parent_from_node); !status) return status;
      const Affine world_from_node = pending.world_from_parent * parent_from_node;
      if (Status status = place_mesh(pending.node, world_from_node); !status) return status;
      if (!node.contains("children")) continue;
      std::vector<std::uint64_t> children;
      if (Status status = append_nodes(node["children"], node_place(pending.node), children);
          !status) {
        return status;
      }
      for (std::size_t i = children.size(); i-- > 0;) {
        stack.push_back({children[i], world_from_node});
      }
    }
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (reached[i] == 0 && nodes[i].is_object() && nodes[i].contains("mesh")) ++left_out;
    }
    if (left_out > 0) {
      loaded_.info.warnings.push_back(std::to_string(left_out) +
                                      " nodes with a mesh are not in the default scene and were "
                                      "left out.");
    }
    return {};
  }

  Status local_transform(std::uint64_t index, Affine& parent_from_node) const {
    const Json& node = document_.array("nodes")[index];
    const double unit = loaded_.info.metres_per_unit;
    if (node.contains("matrix")) {
      const auto m = numbers<16>(node["matrix"]);  // column by column
      if (!m) return document_.malformed(node_place(index), "its matrix is not 16 numbers");
      const auto& a = *m;
      if (a[3] != 0.0 || a[7] != 0.0 || a[11] != 0.0 || a[15] != 1.0) {
        return document_.malformed(node_place(index), "the last row of its matrix is not 0 0 0 1");
      }
      parent_from_node.linear =
          Mat3::from_columns({a[0], a[1], a[2]}, {a[4], a[5], a[6]}, {a[8], a[9], a[10]});
      parent_from_node.translation = unit * Vec3{a[12], a[13], a[14]};
      return {};
    }
    const auto read = [&]<std::size_t Count>(const char* key, std::array<double, Count>& value) {
      if (!node.contains(key)) return true;
      const auto given = numbers<Count>(node[key]);
      if (given) value = *given;
      return given.has_value();
    };
    std::array<double, 3> t{};
    std::array<double, 4> q{0, 0, 0, 1};
    std::array<double, 3> s{1, 1, 1};
    if (!read("translation", t) || !read("rotation", q) || !read("scale", s)) {
      return document_.malformed(node_place(index),
                                 "its translation, rotation or scale is not 3, 4 or 3 numbers");
    }
    parent_from_node.linear =
        rotation_from({q[0], q[1], q[2], q[3]}) * Mat3::diagonal({s[0], s[1], s[2]});
    parent_from_node.translation = unit * Vec3{t[0], t[1], t[2]};
    return {};
  }

  Status place_mesh(std::uint64_t index, const Affine& world_from_node) {
    const Json& node = document_.array("nodes")[index];
    if (node.contains("extensions") && node["extensions"].contains("EXT_mesh_gpu_instancing")) {
      return document_.unsupported(node_place(index), "uses the extension EXT_mesh_gpu_instancing",
                                   "export the instances as nodes");
    }
    if (!node.contains("mesh")) return {};
    const auto mesh = whole_number(node, "mesh");
    if (!mesh || *mesh >= document_.array("meshes").size()) {
      return document_.malformed(node_place(index), "its mesh does not exist");
    }
    if (node.contains("skin")) ++ignored_["Skins are ignored: a mesh is taken as it is stored"];
    auto known = shapes_.find(*mesh);
    if (known == shapes_.end()) {
      Result<std::optional<std::size_t>> shape = read_shape(*mesh);
      if (!shape) return shape.error();
      known = shapes_.emplace(*mesh, *shape).first;
    }
    if (!known->second) return {};
    std::string name = text_of(node, "name");
    if (name.empty()) name = text_of(document_.array("meshes")[*mesh], "name");
    if (name.empty()) name = "node" + std::to_string(index);
    return builder_.place(name, *known->second, world_from_node);
  }

  /// All triangles of a mesh as one shape; nothing when it has none (points and lines).
  Result<std::optional<std::size_t>> read_shape(std::uint64_t index) {
    const Json& mesh = document_.array("meshes")[index];
    const std::string mesh_place = "mesh " + std::to_string(index);
    if (!mesh.is_object() || !mesh.contains("primitives") || !mesh["primitives"].is_array()) {
      return document_.malformed(mesh_place, "has no primitives");
    }
    Shape shape;
    const Json& primitives = mesh["primitives"];
    for (std::size_t i = 0; i < primitives.size(); ++i) {
      const std::string place = mesh_place + ", primitive " + std::to_string(i);
      if (Status status = append_primitive(place, primitives[i], shape); !status) {
        return status.error();
      }
    }
    if (shape.faces.empty()) return std::optional<std::size_t>();
    const double unit = loaded_.info.metres_per_unit;
    if (unit != 1.0) {
      for (Vec3& v : shape.vertices) v *= unit;
    }
    Result<Mesh> made = Mesh::make(std::move(shape.vertices), std::move(shape.faces));
    if (!made) return document_.malformed(mesh_place, made.error().reason);
    return std::optional(builder_.add_shape(options_.weld ? welded(*made) : std::move(*made)));
  }

  struct Shape {
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    std::map<std::uint64_t, std::uint32_t> first_vertex_of_accessor;
  };

  [[nodiscard]] Error unfolds(const std::string& place) const {
    return document_.unsupported(place, ElementBudget::kReason, ElementBudget::kAdvice);
  }

  Status append_primitive(const std::string& place, const Json& primitive, Shape& shape) {
    if (!primitive.is_object()) return document_.malformed(place, "is no object");
    const std::uint64_t mode = whole_number(primitive, "mode").value_or(kTriangles);
    if (mode < kTriangles || mode > kTriangleFan) {
      ++ignored_["Points and lines are ignored"];
      return {};
    }
    if (primitive.contains("targets")) {
      ++ignored_["Morph targets are ignored: a mesh is taken as it is stored"];
    }
    const auto position = primitive.contains("attributes")
                              ? whole_number(primitive["attributes"], "POSITION")
                              : std::nullopt;
    if (!position) {
      ++ignored_["Primitives without positions are ignored"];
      return {};
    }

    // Primitives of one mesh often differ by their material only and share their vertices.
    auto known = shape.first_vertex_of_accessor.find(*position);
    if (known == shape.first_vertex_of_accessor.end()) {
      Result<std::vector<Vec3>> points = document_.points(*position);
      if (!points) return points.error();
      if (!budget_.spend(points->size())) return unfolds(place);
      const auto first = static_cast<std::uint32_t>(shape.vertices.size());
      if (shape.vertices.empty()) {
        shape.vertices = std::move(*points);
      } else {
        shape.vertices.insert(shape.vertices.end(), points->begin(), points->end());
      }
      known = shape.first_vertex_of_accessor.emplace(*position, first).first;
      counts_[*position] = shape.vertices.size() - first;
    }
    const std::uint32_t first = known->second;
    const std::size_t vertex_count = counts_[*position];

    std::vector<std::uint32_t> corners;
    if (primitive.contains("indices")) {
      const auto accessor = whole_number(primitive, "indices");
      if (!accessor) return document_.malformed(place, "its indices are no accessor");
      Result<std::vector<std::uint32_t>> indices = document_.indices(*accessor);
      if (!indices) return indices.error();
      corners = std::move(*indices);
      for (std::size_t i = 0; i < corners.size(); ++i) {
        if (corners[i] >= vertex_count) {
          return document_.malformed(
              "accessor " + std::to_string(*accessor) + ", element " + std::to_string(i),
              "uses vertex " + std::to_string(corners[i]) + ", but there are only " +
                  std::to_string(vertex_count));
        }
      }
    } else {
      corners.resize(vertex_count);
      for (std::size_t i = 0; i < vertex_count; ++i) corners[i] = static_cast<std::uint32_t>(i);
    }
    if (mode == kTriangles && corners.size() % 3 != 0) {
      return document_.malformed(place, "has " + std::to_string(corners.size()) +
                                            " corners, which is not a multiple of 3");
    }
    if (!budget_.spend(corners.size())) return unfolds(place);
    append_faces(mode, corners, first, shape.faces);
    return {};
  }

  static void append_faces(std::uint64_t mode, const std::vector<std::uint32_t>& corners,
                           std::uint32_t first, std::vector<Face>& faces) {
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      faces.push_back({first + corners[a], first + corners[b], first + corners[c]});
    };
    if (mode == kTriangles) {
      faces.reserve(faces.size() + corners.size() / 3);
      for (std::size_t i = 0; i + 2 < corners.size(); i += 3) add(i, i + 1, i + 2);
    } else if (mode == kTriangleStrip) {
      // Every second triangle of a strip runs the other way round.
      for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
        add(i, i + 1 + i % 2, i + 2 - i % 2);
      }
    } else {
      for (std::size_t i = 1; i + 1 < corners.size(); ++i) add(i, i + 1, 0);
    }
  }

  const GltfDocument& document_;
  const ReadOptions& options_;
  AssemblyBuilder builder_;
  ElementBudget budget_;
  LoadedAssembly loaded_;
  std::map<std::uint64_t, std::optional<std::size_t>> shapes_;  ///< by mesh
  std::map<std::uint64_t, std::size_t> counts_;                 ///< vertices, by accessor
  std::map<std::string, std::size_t> ignored_;                  ///< what was left out, how often
};

}  // namespace

Result<LoadedAssembly> read_gltf(std::string_view bytes, const std::string& name,
                                 const ReadOptions& options) {
  // The JSON library throws where a value has another type than asked for; every such place is
  // checked before, and this is the net below.
  try {
    Result<GltfDocument> document = GltfDocument::open(bytes, name);
    if (!document) return document.error();
    return GltfReader(*document, name, options).read();
  } catch (const Json::exception&) {
    return Error{ErrorCode::Malformed, name, "", "the JSON does not follow the scheme of glTF", ""};
  }
}

}  // namespace clearance::detail
