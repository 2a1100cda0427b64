// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What readers of spheres promise for any bytes.
#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/simplify/sphere_robot_file.h>

#include "check_reader.h"

namespace clearance::fuzz {

inline bool is_same(const Sphere& a, const Sphere& b) {
  return a.center == b.center && a.radius == b.radius;
}

/// Aborts on a broken promise: an error with file and reason, or finite spheres under names that
/// are there once, which are the same after writing and reading.
inline void check_spheres(std::string_view text,
                          Result<std::vector<NamedSpheres>> (*parse)(std::string_view,
                                                                     const std::string&),
                          std::string (*write)(std::span<const NamedSpheres>)) {
  const std::string path = "fuzz/input";
  const Result<std::vector<NamedSpheres>> read = parse(text, path);
  if (!read) {
    require(read.error().file == path && !read.error().reason.empty());
    return;
  }
  std::set<std::string> names;
  for (const NamedSpheres& named : *read) {
    require(names.insert(named.name).second);
    for (const Sphere& sphere : named.spheres)
      require(is_finite(sphere.center) && sphere.radius >= 0.0 && sphere.radius <= 1e15);
  }
  // A list of levels has no name, and a file by names cannot hold it.
  if (names.contains("")) return;
  const Result<std::vector<NamedSpheres>> again = parse(write(*read), path);
  require(again.ok() && again->size() == read->size());
  for (const NamedSpheres& named : *read) {
    const auto found = std::ranges::find(*again, named.name, &NamedSpheres::name);
    require(found != again->end() && std::ranges::equal(found->spheres, named.spheres, is_same));
  }
}

}  // namespace clearance::fuzz
