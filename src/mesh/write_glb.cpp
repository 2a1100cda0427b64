// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binary glTF 2.0, always in metres: one glTF mesh per distinct Mesh, one node per part. The same
// assembly gives the same bytes.
//
// glTF is Y-up and Clearance Z-up, so all parts hang below one node that turns Z up into Y up; the
// reader turns it back without rounding. Positions are single precision. A shape that lies far from
// the origin of its own frame is stored about the centre of its bounds, and the nodes that use it
// are moved by that centre in double precision: the error is then about 6e-8 of the shape's size
// and not of its distance from the origin.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>

#include "mesh/glb_file.h"
#include "mesh/writers.h"

namespace clearance::detail {
namespace {

// Keys in the order they are written here: easier on the eyes of whoever opens the file.
using Json = nlohmann::ordered_json;

/// A shape is stored about its centre when its farthest coordinate is beyond this many half sizes:
/// that gains two bits at least. Nearer ones keep the frame they were drawn in.
constexpr double kFarFromOrigin = 4.0;

/// Red, green, blue and opacity, 16 bits each.
constexpr std::size_t kColourBytes = 8;

/// One glTF mesh: a whole Mesh, or a named range of one.
struct Shape {
  std::string name;
  Mesh mesh;
  Vec3 center;                              ///< what is subtracted from the vertices; often zero
  std::span<const VertexColour> colours{};  ///< by vertex, or none
};

Vec3 center_to_store(const Mesh& mesh) {
  const Box box = mesh.bounds();
  const double half_size = 0.5 * largest_component(box.size());
  const double farthest = largest_component(max(abs(box.low), abs(box.high)));
  return farthest > kFarFromOrigin * half_size ? box.center() : Vec3{};
}

std::size_t index_size(const Mesh& mesh) {
  return mesh.vertex_count() <= kMostShortVertices ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
}

Json as_array(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

/// The vertices as they are written.
std::vector<float> single_precision(const Shape& shape) {
  std::vector<float> numbers;
  numbers.reserve(3 * shape.mesh.vertex_count());
  for (const Vec3& v : shape.mesh.vertices()) {
    const Vec3 local = v - shape.center;
    for (std::size_t c = 0; c < 3; ++c) numbers.push_back(static_cast<float>(local[c]));
  }
  return numbers;
}

/// What glTF wants: light, not what a screen is told (the sRGB curve taken back), 16 bits.
std::uint16_t linear_light(std::uint8_t value) {
  const double v = value / 255.0;
  const double light = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  return static_cast<std::uint16_t>(std::lround(65535.0 * light));
}

class GlbWriter {
 public:
  explicit GlbWriter(std::string path) : path_(std::move(path)) {}

  Status write(const Assembly& assembly) {
    add_root();
    for (const AssemblyPart& part : assembly.parts) {
      if (!part.mesh.empty()) nodes_[0]["children"].push_back(add_part(part));
    }
    return finish();
  }

  /// Each mesh as one shape, whatever ranges it has: its colours go with its vertices.
  Status write(std::span<const ColouredMesh> meshes) {
    add_root();
    for (const ColouredMesh& part : meshes) {
      if (part.mesh.empty()) continue;
      shapes_.push_back({part.name, part.mesh, center_to_store(part.mesh), part.colours});
      Json node = {{"name", part.name}};
      set_pose(node, Mat3::identity(), shapes_.back().center);
      node["mesh"] = shapes_.size() - 1;
      nodes_[0]["children"].push_back(nodes_.size());
      nodes_.push_back(std::move(node));
    }
    // Matt, and seen from both sides: the inside of a vessel is looked at as well.
    materials_.push_back(
        {{"name", "by_vertex"},
         {"pbrMetallicRoughness", {{"metallicFactor", 0.0}, {"roughnessFactor", 0.9}}},
         {"doubleSided", true}});
    return finish();
  }

 private:
  void add_root() {
    // Node 0 turns Z up into Y up: (x, y, z) -> (x, z, -y), column by column.
    nodes_.push_back({{"name", "z_up"},
                      {"matrix", {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}},
                      {"children", Json::array()}});
  }

  Status finish() {
    for (const Shape& shape : shapes_) {
      if (Status status = describe(shape); !status) return status;
    }
    return save();
  }

  /// The shapes of a mesh: itself, or its named ranges. Parts that share a mesh share these.
  const std::vector<std::size_t>& shapes_of(const AssemblyPart& part) {
    const auto key = std::pair(part.mesh.vertices().data(), part.mesh.faces().data());
    const auto [entry, is_new] = shapes_by_mesh_.try_emplace(key);
    std::vector<std::size_t>& indices = entry->second;
    if (!is_new) return indices;
    const auto add = [&](const std::string& name, Mesh mesh) {
      const Vec3 center = center_to_store(mesh);
      shapes_.push_back({name, std::move(mesh), center});
      indices.push_back(shapes_.size() - 1);
    };
    if (part.mesh.parts().empty()) add(part.name, part.mesh);
    for (const MeshPart& range : part.mesh.parts()) {
      Result<Mesh> own = submesh(part.mesh, range.first_triangle, range.triangle_count);
      if (own.ok()) add(range.name, std::move(own).value());
    }
    return indices;
  }

  static void set_pose(Json& node, const Mat3& rotation, const Vec3& translation) {
    if (translation != Vec3{}) node["translation"] = as_array(translation);
    if (rotation != Mat3::identity()) {
      const Quaternion q = quaternion_from(rotation);
      node["rotation"] = Json::array({q.x, q.y, q.z, q.w});
    }
  }

  /// The index of the node made for a part.
  std::size_t add_part(const AssemblyPart& part) {
    const std::vector<std::size_t>& shapes = shapes_of(part);
    const std::size_t index = nodes_.size();
    Json node = {{"name", part.name}};
    const Pose& pose = part.world_from_part;
    if (part.mesh.parts().empty()) {
      const std::size_t shape = shapes.front();
      set_pose(node, pose.rotation, pose * shapes_[shape].center);
      node["mesh"] = shape;
      nodes_.push_back(std::move(node));
      return index;
    }
    set_pose(node, pose.rotation, pose.translation);
    node["children"] = Json::array();
    nodes_.push_back(std::move(node));
    for (const std::size_t shape : shapes) {
      Json child = {{"name", shapes_[shape].name}};
      set_pose(child, Mat3::identity(), shapes_[shape].center);
      child["mesh"] = shape;
      nodes_[index]["children"].push_back(nodes_.size());
      nodes_.push_back(std::move(child));
    }
    return index;
  }

  std::size_t add_view(std::uint64_t size, int target) {
    views_.push_back(
        {{"buffer", 0}, {"byteOffset", binary_size_}, {"byteLength", size}, {"target", target}});
    binary_size_ += glb_padded(size);
    return views_.size() - 1;
  }

  Status describe(const Shape& shape) {
    const std::size_t vertex_count = shape.mesh.vertex_count();
    constexpr float kMost = std::numeric_limits<float>::max();
    std::vector<float> low(3, kMost);
    std::vector<float> high(3, -kMost);
    const std::vector<float> numbers = single_precision(shape);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isfinite(numbers[i])) {
        return Error{ErrorCode::Unsupported, path_,
                     "part '" + shape.name + "', vertex " + std::to_string(i / 3),
                     "coordinate is beyond the single precision of glTF", ""};
      }
      low[i % 3] = std::min(low[i % 3], numbers[i]);
      high[i % 3] = std::max(high[i % 3], numbers[i]);
    }
    const std::size_t indices = 3 * shape.mesh.triangle_count();
    const bool is_short = index_size(shape.mesh) == sizeof(std::uint16_t);
    const std::size_t first_accessor = accessors_.size();
    accessors_.push_back(
        {{"bufferView", add_view(sizeof(float) * numbers.size(), kGltfArrayBuffer)},
         {"componentType", kGltfFloat},
         {"count", vertex_count},
         {"type", "VEC3"},
         {"min", low},
         {"max", high}});
    Json primitive = {{"attributes", {{"POSITION", first_accessor}}}};
    if (!shape.colours.empty()) {
      primitive["attributes"]["COLOR_0"] = accessors_.size();
      primitive["material"] = 0;
      accessors_.push_back({{"bufferView", add_view(kColourBytes * vertex_count, kGltfArrayBuffer)},
                            {"componentType", kGltfUnsignedShort},
                            {"normalized", true},
                            {"count", vertex_count},
                            {"type", "VEC4"}});
    }
    primitive["indices"] = accessors_.size();
    accessors_.push_back(
        {{"bufferView", add_view(index_size(shape.mesh) * indices, kGltfElementArrayBuffer)},
         {"componentType", is_short ? kGltfUnsignedShort : kGltfUnsignedInt},
         {"count", indices},
         {"type", "SCALAR"}});
    meshes_.push_back({{"name", shape.name}, {"primitives", Json::array({std::move(primitive)})}});
    return {};
  }

  Status save() {
    Json root = {{"asset", {{"version", "2.0"}, {"generator", "Clearance"}}},
                 {"scene", 0},
                 {"scenes", {{{"nodes", {0}}}}},
                 {"nodes", std::move(nodes_)},
                 {"meshes", std::move(meshes_)},
                 {"accessors", std::move(accessors_)},
                 {"bufferViews", std::move(views_)},
                 {"buffers", {{{"byteLength", binary_size_}}}}};
    if (!materials_.empty()) root["materials"] = std::move(materials_);
    return write_glb_file(path_, root, binary_size_, [this](AtomicFile& file) {
      for (const Shape& shape : shapes_) write_binary(shape, file);
    });
  }

  static void write_binary(const Shape& shape, AtomicFile& file) {
    const std::vector<float> numbers = single_precision(shape);
    file.write(numbers.data(), sizeof(float) * numbers.size());
    for (const VertexColour& colour : shape.colours) {
      const std::array<std::uint16_t, 4> light{linear_light(colour[0]), linear_light(colour[1]),
                                               linear_light(colour[2]), 65535};
      static_assert(sizeof light == kColourBytes);
      file.write(light.data(), sizeof light);
    }
    const auto faces = shape.mesh.faces();
    if (index_size(shape.mesh) == sizeof(std::uint32_t)) {
      file.write(faces.data(), faces.size_bytes());
      return;
    }
    std::vector<std::uint16_t> indices;
    indices.reserve(3 * faces.size() + 1);
    for (const Face& face : faces) {
      for (const std::uint32_t v : face) indices.push_back(static_cast<std::uint16_t>(v));
    }
    if (indices.size() % 2 != 0) indices.push_back(0);
    file.write(indices.data(), sizeof(std::uint16_t) * indices.size());
  }

  std::string path_;
  std::vector<Shape> shapes_;
  std::map<std::pair<const Vec3*, const Face*>, std::vector<std::size_t>> shapes_by_mesh_;
  std::uint64_t binary_size_ = 0;
  Json nodes_ = Json::array();
  Json meshes_ = Json::array();
  Json accessors_ = Json::array();
  Json views_ = Json::array();
  Json materials_ = Json::array();
};

}  // namespace

Status write_glb(const std::string& path, const Assembly& assembly, const WriteOptions&) {
  return GlbWriter(path).write(assembly);
}

Status write_coloured_glb(const std::string& path, std::span<const ColouredMesh> meshes) {
  return GlbWriter(path).write(meshes);
}

}  // namespace clearance::detail
