// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The container of binary glTF: a JSON document, then one binary buffer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <clearance/base/file.h>

namespace clearance::detail {

/// Chunks, and by our own rule the arrays in the buffer, begin at multiples of four.
constexpr std::uint64_t glb_padded(std::uint64_t size) { return (size + 3) / 4 * 4; }

/// Numbers of the glTF specification.
inline constexpr int kGltfUnsignedShort = 5123;
inline constexpr int kGltfUnsignedInt = 5125;
inline constexpr int kGltfFloat = 5126;
inline constexpr int kGltfArrayBuffer = 34962;
inline constexpr int kGltfElementArrayBuffer = 34963;
/// 16-bit indices end at 65534: the last one means "restart" in glTF.
inline constexpr std::size_t kMostShortVertices = 65535;

/// Writes the file, whole or not at all. `write_binary` appends exactly `binary_size` bytes, a
/// multiple of four.
Status write_glb_file(const std::string& path, const nlohmann::ordered_json& root,
                      std::uint64_t binary_size,
                      const std::function<void(AtomicFile&)>& write_binary);

}  // namespace clearance::detail
