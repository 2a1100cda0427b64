// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a depth camera saw, for clearance pick --depth.
#pragma once

#include <cstddef>
#include <string>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>

namespace clearance::cli {

struct SeenDepth {
  Model model;             ///< in the world
  std::size_t pixels = 0;  ///< of the image
  std::size_t seen = 0;    ///< of these with a depth within the range
};
/// The view and the image it names. Errors name the one or the other.
[[nodiscard]] Result<SeenDepth> read_seen_depth(const std::string& view_path, UnseenSpace unseen,
                                                Threads threads);

}  // namespace clearance::cli
