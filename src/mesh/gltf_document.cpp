// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/gltf_document.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "mesh/base64.h"

namespace clearance::detail {
namespace {

using Json = nlohmann::json;

// Numbers are copied out of the file as they lie there: little-endian.
static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kGlbMagic = 0x46546C67;  // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinaryChunk = 0x004E4942;
constexpr std::size_t kGlbHeaderSize = 12;
constexpr std::size_t kChunkHeaderSize = 8;

enum ComponentType : std::uint64_t {
  kByte = 5120,
  kUnsignedByte = 5121,
  kShort = 5122,
  kUnsignedShort = 5123,
  kUnsignedInt = 5125,
  kFloat = 5126,
};

std::size_t size_of_component(std::uint64_t type) {
  switch (type) {
    case kByte:
    case kUnsignedByte:
      return 1;
    case kShort:
    case kUnsignedShort:
      return 2;
    case kUnsignedInt:
    case kFloat:
      return 4;
    default:
      return 0;
  }
}

std::uint32_t read_u32(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

const Json& member(const Json& object, const char* key) {
  static const Json kAbsent;
  if (!object.is_object()) return kAbsent;
  const auto it = object.find(key);
  return it == object.end() ? kAbsent : *it;
}

/// %41 -> A. Nothing when an escape is cut off or is a NUL.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result.push_back(text[i]);
      continue;
    }
    const auto digit = [&](std::size_t at) -> int {
      if (at >= text.size() || std::isxdigit(static_cast<unsigned char>(text[at])) == 0) return -1;
      const char c = text[at];
      return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    };
    const int high = digit(i + 1);
    const int low = digit(i + 2);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    result.push_back(static_cast<char>(16 * high + low));
    i += 2;
  }
  return result;
}

/// Calls store(element, component, value) for every number, as the type T it has in the file.
template <class T, class Store>
void for_each_number(const std::byte* data, std::size_t stride, std::size_t count,
                     std::size_t components, Store&& store) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < components; ++c) {
      T value;
      std::memcpy(&value, data + i * stride + c * sizeof(T), sizeof(T));
      store(i, c, value);
    }
  }
}

}  // namespace

/// Where the numbers of an accessor lie. `data` is null for an accessor that starts as all zeros.
struct GltfDocument::Elements {
  const std::byte* data = nullptr;
  std::size_t stride = 0;
  std::size_t count = 0;
  std::size_t components = 1;
  std::uint64_t component_type = kFloat;
  bool normalized = false;
  // Replacements of single elements (a sparse accessor): element replaced[i] takes patch i.
  std::vector<std::uint32_t> replaced;
  const std::byte* patch = nullptr;
  std::size_t patch_stride = 0;

  template <class T, class Store>
  void visit(Store&& store) const {
    if (data != nullptr) for_each_number<T>(data, stride, count, components, store);
    for_each_number<T>(
        patch, patch_stride, replaced.size(), components,
        [&](std::size_t i, std::size_t c, T value) { store(replaced[i], c, value); });
  }
};

std::optional<std::uint64_t> whole_number(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  // 3.0 is a whole number as well; beyond 2^53 a double no longer tells.
  constexpr double kMost = 9007199254740992.0;
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number >= 0.0 && number <= kMost && number == std::floor(number)) {
      return static_cast<std::uint64_t>(number);
    }
  }
  return std::nullopt;
}

std::string text_of(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

Error GltfDocument::malformed(std::string place, std::string reason) const {
  return {ErrorCode::Malformed, name_, std::move(place), std::move(reason), ""};
}

Error GltfDocument::unsupported(std::string place, std::string reason, std::string advice) const {
  return {ErrorCode::Unsupported, name_, std::move(place), std::move(reason), std::move(advice)};
}

const Json& GltfDocument::array(const char* key) const {
  static const Json kEmpty = Json::array();
  const Json& value = member(root_, key);
  return value.is_array() ? value : kEmpty;
}

Result<GltfDocument> GltfDocument::open(std::string_view bytes, const std::string& name) {
  GltfDocument document;
  document.name_ = name;
  document.total_bytes_ = bytes.size();
  std::string_view json_text;
  if (Status status = document.split_container(bytes, json_text); !status) return status.error();
  try {
    document.root_ = Json::parse(json_text);
  } catch (const Json::parse_error& error) {
    const auto offset = static_cast<std::size_t>(json_text.data() - bytes.data());
    return document.malformed("byte " + std::to_string(offset + error.byte), "the JSON is broken");
  } catch (const Json::exception&) {
    return document.malformed("", "the JSON holds a number that is too large");
  }
  if (!document.root_.is_object()) return document.malformed("", "the JSON is not an object");
  if (Status status = document.check_asset(); !status) return status.error();
  if (Status status = document.load_buffers(); !status) return status.error();
  return document;
}

Status GltfDocument::split_container(std::string_view bytes, std::string_view& json_text) {
  if (bytes.size() < 4 || read_u32(bytes, 0) != kGlbMagic) {
    json_text = bytes;
    return {};
  }
  is_binary_ = true;
  if (bytes.size() < kGlbHeaderSize) {
    return malformed("byte " + std::to_string(bytes.size()), "ends inside the GLB header");
  }
  if (read_u32(bytes, 4) != 2) {
    return unsupported("byte 4", "GLB version " + std::to_string(read_u32(bytes, 4)),
                       "convert the file to glTF 2.0");
  }
  const std::uint32_t length = read_u32(bytes, 8);
  if (length > bytes.size()) {
    return malformed("byte 8", "promises " + std::to_string(length) + " bytes, but the file has " +
                                   std::to_string(bytes.size()));
  }
  bytes = bytes.substr(0, length);
  std::size_t chunk_index = 0;
  for (std::size_t at = kGlbHeaderSize; at < bytes.size(); ++chunk_index) {
    const std::string place = "byte " + std::to_string(at);
    if (bytes.size() - at < kChunkHeaderSize) return malformed(place, "ends inside a chunk header");
    const std::uint32_t size = read_u32(bytes, at);
    const std::uint32_t type = read_u32(bytes, at + 4);
    at += kChunkHeaderSize;
    if (size > bytes.size() - at) {
      return malformed(place, "a chunk promises " + std::to_string(size) + " bytes, but only " +
                                  std::to_string(bytes.size() - at) + " are left");
    }
    if (chunk_index == 0 && type != kJsonChunk) {
      return malformed(place, "the first chunk is not the JSON");
    }
    if (chunk_index == 0) json_text = bytes.substr(at, size);
    if (chunk_index == 1 && type == kBinaryChunk) {
      binary_chunk_ = std::as_bytes(std::span(bytes.data() + at, size));
      has_binary_chunk_ = true;
    }
    at += size;
  }
  if (chunk_index == 0) return malformed("byte 12", "holds no JSON chunk");
  return {};
}

Status GltfDocument::check_asset() const {
  const std::string version = text_of(member(root_, "asset"), "version");
  if (version.empty()) return malformed("asset", "no version: this is not glTF 2.0");
  if (!version.starts_with("2.")) {
    return unsupported("asset", "glTF version " + version, "convert the file to glTF 2.0");
  }
  // Extensions that change looks only; any other one that is required changes shapes.
  constexpr std::array<std::string_view, 8> kHarmless = {
      "KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "EXT_texture_",
      "KHR_lights_",           "EXT_lights_",    "KHR_xmp",      "KHR_animation_pointer"};
  for (const Json& required : array("extensionsRequired")) {
    const std::string extension = required.is_string() ? required.get<std::string>() : "?";
    if (std::ranges::none_of(kHarmless, [&](auto known) { return extension.starts_with(known); })) {
      return unsupported("extensionsRequired", "needs the extension " + extension,
                         "export without it (compression, instancing)");
    }
  }
  return {};
}

Status GltfDocument::load_buffers() {
  const Json& list = array("buffers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "buffer " + std::to_string(i);
    const std::optional<std::uint64_t> length = whole_number(list[i], "byteLength");
    if (!length) return malformed(place, "no byteLength");
    const Json& uri_value = member(list[i], "uri");
    if (uri_value.is_null()) {
      if (i != 0 || !has_binary_chunk_) return malformed(place, "has neither a uri nor a chunk");
      buffers_.push_back(binary_chunk_);
    } else if (!uri_value.is_string()) {
      return malformed(place, "its uri is not a text");
    } else if (const auto& uri = uri_value.get_ref<const std::string&>();
               uri.starts_with("data:")) {
      const std::size_t comma = uri.find(',');
      if (comma == std::string::npos || !uri.substr(0, comma).ends_with(";base64")) {
        return malformed(place, "its data URI is not base64");
      }
      auto bytes = decode_base64(std::string_view(uri).substr(comma + 1));
      if (!bytes) return malformed(place, "its base64 data is broken");
      decoded_.push_back(std::move(*bytes));
      buffers_.emplace_back(decoded_.back());
    } else if (Status status = load_external(place, uri); !status) {
      return status;
    }
    if (*length > buffers_.back().size()) {
      return malformed(place, "promises " + std::to_string(*length) + " bytes, but has only " +
                                  std::to_string(buffers_.back().size()));
    }
    buffers_.back() = buffers_.back().first(*length);
  }
  return {};
}

Status GltfDocument::load_external(const std::string& place, const std::string& uri) {
  const std::optional<std::string> decoded = percent_decoded(uri);
  if (!decoded || decoded->empty() || decoded->find('\0') != std::string::npos) {
    return malformed(place, "its uri is broken");
  }
  // A file from elsewhere must not make us open what is not its own.
  const std::filesystem::path relative(*decoded);
  const bool escapes = relative.is_absolute() || decoded->find('\\') != std::string::npos ||
                       std::ranges::find(relative, "..") != relative.end();
  if (escapes || uri.find(':') != std::string::npos) {
    return unsupported(place, "its uri '" + uri + "' leads out of the file's folder",
                       "put the buffer beside the file, or use a .glb");
  }
  const auto path = std::filesystem::path(name_).parent_path() / relative;
  Result<MappedFile> file = MappedFile::open(path.string());
  if (!file) {
    Error error = file.error();
    error.place = place + (error.place.empty() ? "" : ", " + error.place);
    error.reason += " (named by " + name_ + ")";
    return error;
  }
  buffers_.push_back(file->bytes());
  total_bytes_ += file->bytes().size();
  mapped_.push_back(std::move(file).value());
  return {};
}

Result<GltfDocument::Elements> GltfDocument::view(const std::string& place, const Json& source,
                                                  std::uint64_t count, std::uint64_t component_type,
                                                  std::size_t components,
                                                  bool may_have_stride) const {
  const std::size_t component_size = size_of_component(component_type);
  if (component_size == 0) return malformed(place, "its componentType is not legal");
  const Json& views = array("bufferViews");
  const std::optional<std::uint64_t> index = whole_number(source, "bufferView");
  if (!index || *index >= views.size()) return malformed(place, "its bufferView does not exist");
  const Json& buffer_view = views[*index];
  const std::string view_place = "bufferView " + std::to_string(*index);
  const std::optional<std::uint64_t> buffer = whole_number(buffer_view, "buffer");
  if (!buffer || *buffer >= buffers_.size()) {
    return malformed(view_place, "its buffer does not exist");
  }
  const std::span<const std::byte> bytes = buffers_[*buffer];
  const std::uint64_t start = whole_number(buffer_view, "byteOffset").value_or(0);
  const std::uint64_t length = whole_number(buffer_view, "byteLength").value_or(0);
  if (start > bytes.size() || length > bytes.size() - start) {
    return malformed(view_place,
                     "reaches beyond its buffer of " + std::to_string(bytes.size()) + " bytes");
  }

  Elements result;
  result.count = count;
  result.components = components;
  result.component_type = component_type;
  const std::size_t element_size = components * component_size;
  result.stride = element_size;
  if (may_have_stride) {
    const std::uint64_t stride = whole_number(buffer_view, "byteStride").value_or(0);
    // The specification says 4 to 252; a stride below the element's size would overlap.
    if (stride != 0 && (stride < element_size || stride > 252)) {
      return malformed(view_place, "its byteStride of " + std::to_string(stride) +
                                       " does not fit elements of " + std::to_string(element_size) +
                                       " bytes");
    }
    if (stride != 0) result.stride = stride;
  }
  // count is compared after dividing: the product may not fit into 64 bits.
  const std::uint64_t offset = whole_number(source, "byteOffset").value_or(0);
  const std::uint64_t room = offset <= length ? length - offset : 0;
  if (count > 0 && (room < element_size || (room - element_size) / result.stride < count - 1)) {
    return malformed(place, "needs " + std::to_string(count) + " elements, but its bufferView of " +
                                std::to_string(length) + " bytes is too short");
  }
  result.data = bytes.data() + start + offset;
  return result;
}

Result<GltfDocument::Elements> GltfDocument::elements(std::uint64_t accessor,
                                                      const char* type) const {
  const Json& accessors = array("accessors");
  const std::string place = "accessor " + std::to_string(accessor);
  if (accessor >= accessors.size()) return malformed(place, "does not exist");
  const Json& description = accessors[accessor];
  const std::uint64_t count = whole_number(description, "count").value_or(0);
  const std::uint64_t component_type = whole_number(description, "componentType").value_or(0);
  const std::size_t components = std::string_view(type) == "SCALAR" ? 1 : 3;
  if (text_of(description, "type") != type) {
    return malformed(place, "is not of type " + std::string(type));
  }
  if (count == 0) return malformed(place, "has no elements");
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    return malformed(place, "has more than 4294967295 elements");
  }

  const Json& sparse = member(description, "sparse");
  Elements result;
  if (!member(description, "bufferView").is_null()) {
    Result<Elements> base = view(place, description, count, component_type, components, true);
    if (!base) return base.error();
    result = std::move(base).value();
  } else {
    // All zeros but for the sparse part: memory for it is taken on the file's word alone, so a
    // count beyond the file's size is not believed.
    if (!sparse.is_object()) {
      return unsupported(place, "holds no data of its own",
                         "export without compression (Draco, meshopt)");
    }
    if (size_of_component(component_type) == 0) {
      return malformed(place, "its componentType is not legal");
    }
    if (count > total_bytes_) {
      return malformed(place, "promises " + std::to_string(count) + " elements in a file of " +
                                  std::to_string(total_bytes_) + " bytes");
    }
    result.count = count;
    result.components = components;
    result.component_type = component_type;
  }
  const Json& normalized = member(description, "normalized");
  result.normalized = normalized.is_boolean() && normalized.get<bool>();
  if (!sparse.is_object()) return result;

  const std::string sparse_place = place + ", sparse";
  const std::uint64_t patch_count = whole_number(sparse, "count").value_or(0);
  if (patch_count == 0 || patch_count > count) {
    return malformed(sparse_place, "its count is not in 1 to " + std::to_string(count));
  }
  const Json& where = member(sparse, "indices");
  Result<Elements> positions = view(sparse_place + " indices", where, patch_count,
                                    whole_number(where, "componentType").value_or(0), 1, false);
  if (!positions) return positions.error();
  Result<Elements> values = view(sparse_place + " values", member(sparse, "values"), patch_count,
                                 component_type, components, false);
  if (!values) return values.error();
  result.replaced.resize(patch_count);
  const auto store = [&](std::size_t i, std::size_t, auto value) {
    result.replaced[i] = static_cast<std::uint32_t>(value);
  };
  switch (positions->component_type) {
    case kUnsignedByte:
      positions->visit<std::uint8_t>(store);
      break;
    case kUnsignedShort:
      positions->visit<std::uint16_t>(store);
      break;
    case kUnsignedInt:
      positions->visit<std::uint32_t>(store);
      break;
    default:
      return malformed(sparse_place, "its indices are not unsigned integers");
  }
  for (const std::uint32_t element : result.replaced) {
    if (element >= count) {
      return malformed(sparse_place, "replaces element " + std::to_string(element) + " of " +
                                         std::to_string(count));
    }
  }
  result.patch = values->data;
  result.patch_stride = values->stride;
  return result;
}

Result<std::vector<Vec3>> GltfDocument::points(std::uint64_t accessor) const {
  Result<Elements> source = elements(accessor, "VEC3");
  if (!source) return source.error();
  std::vector<Vec3> result(source->count);
  // Normalised integers stand for [-1, 1] or [0, 1]; the lowest signed one is -1 as well.
  const auto visit_integers = [&]<class T>(T) {
    const double scale =
        source->normalized ? static_cast<double>(std::numeric_limits<T>::max()) : 1.0;
    source->visit<T>([&](std::size_t i, std::size_t c, T value) {
      const double number = static_cast<double>(value) / scale;
      result[i][c] = source->normalized ? std::max(number, -1.0) : number;
    });
  };
  switch (source->component_type) {
    case kFloat:
      source->visit<float>(
          [&](std::size_t i, std::size_t c, float value) { result[i][c] = value; });
      break;
    case kByte:
      visit_integers(std::int8_t{});
      break;
    case kUnsignedByte:
      visit_integers(std::uint8_t{});
      break;
    case kShort:
      visit_integers(std::int16_t{});
      break;
    case kUnsignedShort:
      visit_integers(std::uint16_t{});
      break;
    default:
      return malformed("accessor " + std::to_string(accessor),
                       "positions of 32-bit integers are not legal");
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!is_finite(result[i])) {
      return malformed("accessor " + std::to_string(accessor) + ", element " + std::to_string(i),
                       "coordinate is not finite");
    }
  }
  return result;
}

Result<std::vector<std::uint32_t>> GltfDocument::indices(std::uint64_t accessor) const {
  Result<Elements> source = elements(accessor, "SCALAR");
  if (!source) return source.error();
  std::vector<std::uint32_t> result(source->count);
  const auto store = [&](std::size_t i, std::size_t, auto value) {
    result[i] = static_cast<std::uint32_t>(value);
  };
  switch (source->component_type) {
    case kUnsignedByte:
      source->visit<std::uint8_t>(store);
      break;
    case kUnsignedShort:
      source->visit<std::uint16_t>(store);
      break;
    case kUnsignedInt:
      source->visit<std::uint32_t>(store);
      break;
    default:
      return malformed("accessor " + std::to_string(accessor),
                       "indices must be unsigned 8, 16 or 32-bit integers");
  }
  return result;
}

}  // namespace clearance::detail
