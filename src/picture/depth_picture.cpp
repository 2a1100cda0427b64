// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/base/file.h>
#include <clearance/picture/depth_picture.h>

#include "picture/depth_formats.h"

namespace clearance {

Result<DepthPicture> parse_depth_picture(std::string_view bytes, const std::string& path) {
  if (bytes.starts_with("\x89PNG")) return detail::parse_depth_png(bytes, path);
  if (bytes.starts_with("P5")) return detail::parse_depth_pgm(bytes, path);
  if (bytes.starts_with("\x93NUMPY")) return detail::parse_depth_npy(bytes, path);
  return Error{ErrorCode::Malformed, path, "", "is no depth image that is known",
               "a grey PNG or PGM (P5) file of 16 bits, or a NumPy array (.npy)"};
}

Result<DepthPicture> read_depth_picture(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_depth_picture(file->text(), path);
}

}  // namespace clearance
