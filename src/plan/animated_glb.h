// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binary glTF with parts that move: what write_plan_glb() and write_disassembly_glb() share. Z is
// up below the first node, as in all our GLB files (mesh/write.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/result.h>
#include <clearance/mesh/mesh.h>
#include <clearance/plan/path.h>

namespace clearance::detail {

/// Where a node is at a moment.
struct GlbKey {
  double time = 0.0;  ///< [s], ascending
  Vec3 place;         ///< of the node's origin
  Quaternion turn;
};

class AnimatedGlb {
 public:
  enum class Material { Moving, Standing };

  explicit AnimatedGlb(std::string path);

  /// A node whose origin is the point `origin` of the mesh; its parts become nodes below it. It
  /// stands where the mesh has it.
  Result<std::size_t> add(const std::string& name, const Mesh& mesh, const Vec3& origin,
                          Material material);
  /// Moves a node by keyframes, linearly and by the shorter turn between them.
  void animate(std::size_t node, const std::vector<GlbKey>& keys);
  /// Writes the file, whole or not at all. All that moves is one animation.
  Status save(const std::string& animation);

 private:
  using Json = nlohmann::ordered_json;
  std::size_t add_node(const std::string& name, std::size_t parent);
  std::size_t add_accessor(std::string_view bytes, int component, std::size_t count,
                           const char* type, std::optional<int> target);
  Status add_mesh(const std::string& name, const Mesh& mesh, const Vec3& origin, int material);

  std::string path_;
  std::string binary_;
  Json nodes_ = Json::array();
  Json meshes_ = Json::array();
  Json accessors_ = Json::array();
  Json views_ = Json::array();
  Json samplers_ = Json::array();
  Json channels_ = Json::array();
};

}  // namespace clearance::detail
