// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lower half of the glTF 2.0 reader: the container (.gltf or .glb), the JSON in it, the buffers
// it names, and accessors as arrays of numbers. Everything is checked against the bytes that are
// there before memory is taken for it. The upper half, read_gltf.cpp, makes meshes and nodes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>

namespace clearance::detail {

class GltfDocument {
 public:
  using Json = nlohmann::json;

  /// `bytes` must outlive the document. External buffers are looked for beside `name`, never
  /// outside its folder.
  static Result<GltfDocument> open(std::string_view bytes, const std::string& name);

  [[nodiscard]] const Json& root() const { return root_; }
  [[nodiscard]] bool is_binary() const { return is_binary_; }
  /// Bytes of the file and of every buffer it names.
  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }
  /// The array of this name at the top level; empty when absent or not an array.
  [[nodiscard]] const Json& array(const char* key) const;

  /// An accessor as points: VEC3 of float, or of (normalised) integers as KHR_mesh_quantization
  /// allows. Refuses numbers that are not finite.
  [[nodiscard]] Result<std::vector<Vec3>> points(std::uint64_t accessor) const;
  /// An accessor as vertex indices: SCALAR of unsigned 8, 16 or 32 bits.
  [[nodiscard]] Result<std::vector<std::uint32_t>> indices(std::uint64_t accessor) const;

  [[nodiscard]] Error malformed(std::string place, std::string reason) const;
  [[nodiscard]] Error unsupported(std::string place, std::string reason, std::string advice) const;

 private:
  struct Elements;
  GltfDocument() = default;
  Status split_container(std::string_view bytes, std::string_view& json_text);
  Status check_asset() const;
  Status load_buffers();
  Status load_external(const std::string& place, const std::string& uri);
  Result<Elements> view(const std::string& place, const Json& source, std::uint64_t count,
                        std::uint64_t component_type, std::size_t components,
                        bool may_have_stride) const;
  Result<Elements> elements(std::uint64_t accessor, const char* type) const;

  std::string name_;
  Json root_ = Json::object();
  bool is_binary_ = false;
  std::uint64_t total_bytes_ = 0;
  std::span<const std::byte> binary_chunk_;
  bool has_binary_chunk_ = false;
  std::vector<std::span<const std::byte>> buffers_;
  std::vector<std::vector<std::byte>> decoded_;  ///< owns the buffers given as data URIs
  std::vector<MappedFile> mapped_;               ///< owns the external buffers
};

/// object[key] as a whole number, or nothing when it is absent or something else.
std::optional<std::uint64_t> whole_number(const nlohmann::json& object, const char* key);
/// object[key] as text; empty when it is absent or something else.
std::string text_of(const nlohmann::json& object, const char* key);

}  // namespace clearance::detail
