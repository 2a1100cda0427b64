// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/fingerprint.h"

#include <array>

#include <clearance/grasp/grasp.h>

namespace clearance {
namespace detail {

void add(Checksum& checksum, const Mesh& mesh) {
  const std::array<std::uint64_t, 2> counts{mesh.vertex_count(), mesh.triangle_count()};
  add(checksum, std::span<const std::uint64_t>(counts));
  add(checksum, mesh.vertices());
  add(checksum, mesh.faces());
}

}  // namespace detail

std::uint64_t fingerprint(const Mesh& mesh) {
  detail::Checksum checksum;
  detail::add(checksum, mesh);
  return checksum.value();
}

}  // namespace clearance
