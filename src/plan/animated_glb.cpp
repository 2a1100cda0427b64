// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/animated_glb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mesh/glb_file.h"

namespace clearance::detail {
namespace {

using Json = nlohmann::ordered_json;

/// Red, green, blue and opacity, as light. What stands is half transparent, so that any viewer
/// shows what moves among it.
constexpr std::array<double, 4> kMovingColour{0.85, 0.35, 0.06, 1.0};
constexpr std::array<double, 4> kStandingColour{0.35, 0.42, 0.50, 0.45};

Json as_array(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

template <class Number>
std::string_view bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), sizeof(Number) * numbers.size()};
}

}  // namespace

AnimatedGlb::AnimatedGlb(std::string path) : path_(std::move(path)) {
  // Node 0 turns Z up into Y up: (x, y, z) -> (x, z, -y), column by column.
  nodes_.push_back({{"name", "z_up"},
                    {"matrix", {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}},
                    {"children", Json::array()}});
}

Result<std::size_t> AnimatedGlb::add(const std::string& name, const Mesh& mesh, const Vec3& origin,
                                     Material material) {
  const std::size_t node = add_node(name, 0);
  nodes_[node]["translation"] = as_array(origin);
  const int number = material == Material::Moving ? 0 : 1;
  if (mesh.parts().empty()) {
    nodes_[node]["mesh"] = meshes_.size();
    if (Status status = add_mesh(name, mesh, origin, number); !status) return status.error();
  }
  for (const MeshPart& part : mesh.parts()) {
    const Result<Mesh> own = submesh(mesh, part.first_triangle, part.triangle_count);
    if (!own) return own.error();
    nodes_[add_node(part.name, node)]["mesh"] = meshes_.size();
    if (Status status = add_mesh(part.name, *own, origin, number); !status) return status.error();
  }
  return node;
}

void AnimatedGlb::animate(std::size_t node, const std::vector<GlbKey>& keys) {
  std::vector<float> times;
  std::vector<float> places;
  std::vector<float> turns;
  for (const GlbKey& key : keys) {
    auto time = static_cast<float>(key.time);
    // Times must ascend: pieces too short for single precision get the next number there is.
    if (!times.empty() && !(time > times.back()))
      time = std::nextafter(times.back(), std::numeric_limits<float>::infinity());
    times.push_back(time);
    for (std::size_t i = 0; i < 3; ++i) places.push_back(static_cast<float>(key.place[i]));
    for (const double q : {key.turn.x, key.turn.y, key.turn.z, key.turn.w})
      turns.push_back(static_cast<float>(q));
  }
  // Where a viewer starts, and one that plays nothing stays.
  nodes_[node]["translation"] = std::vector<float>(places.begin(), places.begin() + 3);
  nodes_[node]["rotation"] = std::vector<float>(turns.begin(), turns.begin() + 4);
  const std::size_t count = times.size();
  const std::size_t input =
      add_accessor(bytes_of(times), kGltfFloat, count, "SCALAR", std::nullopt);
  accessors_[input]["min"] = {times.front()};
  accessors_[input]["max"] = {times.back()};
  const auto channel = [&](std::size_t output, const char* what) {
    channels_.push_back(
        {{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", what}}}});
    samplers_.push_back({{"input", input}, {"output", output}, {"interpolation", "LINEAR"}});
  };
  channel(add_accessor(bytes_of(places), kGltfFloat, count, "VEC3", std::nullopt), "translation");
  channel(add_accessor(bytes_of(turns), kGltfFloat, count, "VEC4", std::nullopt), "rotation");
}

Status AnimatedGlb::save(const std::string& animation) {
  const auto material = [](const char* name, const std::array<double, 4>& colour) {
    Json json{{"name", name},
              {"pbrMetallicRoughness",
               {{"baseColorFactor", colour}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.8}}},
              {"doubleSided", true}};
    if (colour[3] < 1.0) json["alphaMode"] = "BLEND";
    return json;
  };
  Json root{
      {"asset", {{"version", "2.0"}, {"generator", "Clearance"}}},
      {"scene", 0},
      {"scenes", {{{"nodes", {0}}}}},
      {"nodes", std::move(nodes_)},
      {"meshes", std::move(meshes_)},
      {"materials", {material("body", kMovingColour), material("obstacles", kStandingColour)}},
      {"accessors", std::move(accessors_)},
      {"bufferViews", std::move(views_)}};
  if (!channels_.empty()) {
    root["animations"] = Json::array({{{"name", animation},
                                       {"samplers", std::move(samplers_)},
                                       {"channels", std::move(channels_)}}});
  }
  root["buffers"] = Json::array({{{"byteLength", binary_.size()}}});
  return write_glb_file(path_, root, binary_.size(),
                        [this](AtomicFile& file) { file.write(binary_); });
}

std::size_t AnimatedGlb::add_node(const std::string& name, std::size_t parent) {
  const std::size_t node = nodes_.size();
  nodes_.push_back({{"name", name}});
  nodes_[parent]["children"].push_back(node);
  return node;
}

std::size_t AnimatedGlb::add_accessor(std::string_view bytes, int component, std::size_t count,
                                      const char* type, std::optional<int> target) {
  Json view{{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes.size()}};
  if (target) view["target"] = *target;
  binary_.append(bytes);
  binary_.resize(glb_padded(binary_.size()), '\0');
  views_.push_back(std::move(view));
  accessors_.push_back({{"bufferView", views_.size() - 1},
                        {"componentType", component},
                        {"count", count},
                        {"type", type}});
  return accessors_.size() - 1;
}

Status AnimatedGlb::add_mesh(const std::string& name, const Mesh& mesh, const Vec3& origin,
                             int material) {
  constexpr float kMost = std::numeric_limits<float>::max();
  std::array<float, 3> low{kMost, kMost, kMost};
  std::array<float, 3> high{-kMost, -kMost, -kMost};
  std::vector<float> positions;
  positions.reserve(3 * mesh.vertex_count());
  for (const Vec3& vertex : mesh.vertices()) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto number = static_cast<float>(vertex[i] - origin[i]);
      if (!std::isfinite(number)) {
        return Error{ErrorCode::Unsupported, path_, "part '" + name + "'",
                     "a coordinate is beyond the single precision of glTF", ""};
      }
      low[i] = std::min(low[i], number);
      high[i] = std::max(high[i], number);
      positions.push_back(number);
    }
  }
  const std::size_t position =
      add_accessor(bytes_of(positions), kGltfFloat, mesh.vertex_count(), "VEC3", kGltfArrayBuffer);
  accessors_[position]["min"] = low;
  accessors_[position]["max"] = high;
  std::vector<std::uint32_t> indices;
  indices.reserve(3 * mesh.triangle_count());
  for (const Face& face : mesh.faces()) indices.insert(indices.end(), face.begin(), face.end());
  const std::size_t index = add_accessor(bytes_of(indices), kGltfUnsignedInt, indices.size(),
                                         "SCALAR", kGltfElementArrayBuffer);
  meshes_.push_back(
      {{"name", name},
       {"primitives",
        {{{"attributes", {{"POSITION", position}}}, {"indices", index}, {"material", material}}}}});
  return {};
}

}  // namespace clearance::detail
