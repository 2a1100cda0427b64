// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/glb_file.h"

#include <limits>
#include <string_view>

#include <nlohmann/json.hpp>

namespace clearance::detail {

Status write_glb_file(const std::string& path, const nlohmann::ordered_json& root,
                      std::uint64_t binary_size,
                      const std::function<void(AtomicFile&)>& write_binary) {
  // A name with broken UTF-8 must not cost the whole file: such bytes are replaced.
  std::string text = root.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize(glb_padded(text.size()), ' ');
  constexpr std::uint64_t kHeaders = 12 + 8 + 8;
  const std::uint64_t total = kHeaders + text.size() + binary_size;
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorCode::Unsupported, path, "", "a GLB file ends at 4 GiB",
                 "write several files, or a .ply"};
  }
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  const auto write_u32 = [&](std::uint64_t value) {
    const auto narrow = static_cast<std::uint32_t>(value);
    file->write(&narrow, sizeof narrow);
  };
  file->write("glTF");
  write_u32(2);
  write_u32(total);
  write_u32(text.size());
  file->write("JSON");
  file->write(text);
  write_u32(binary_size);
  file->write(std::string_view("BIN\0", 4));
  write_binary(*file);
  return file->commit();
}

}  // namespace clearance::detail
