// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_limit.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include <clearance/mesh/level_of_detail.h>

#include "text.h"

namespace clearance::cli {
namespace {

/// Meshes this small stay as they are.
constexpr std::size_t kSmall = 64;

/// Every n-th triangle: for what edge collapses cannot make coarser, a soup of single triangles.
Mesh thinned(const Mesh& mesh, std::size_t target) {
  const std::size_t step = (mesh.triangle_count() + target - 1) / target;
  std::vector<Face> faces;
  for (std::size_t t = 0; t < mesh.triangle_count(); t += step) faces.push_back(mesh.faces()[t]);
  // Only the vertices that are still used.
  std::vector<std::uint32_t> number(mesh.vertex_count(), 0);
  std::vector<Vec3> vertices;
  for (Face& face : faces) {
    for (std::uint32_t& v : face) {
      if (number[v] == 0) {
        vertices.push_back(mesh.vertices()[v]);
        number[v] = static_cast<std::uint32_t>(vertices.size());
      }
      v = number[v] - 1;
    }
  }
  Result<Mesh> thin = Mesh::make(std::move(vertices), std::move(faces));
  if (!thin) return mesh;
  return std::move(*thin);
}

Mesh coarser(const Mesh& mesh, std::size_t target) {
  const Result<LevelOfDetail> level = simplified(mesh, {.target_triangles = target});
  constexpr double kNear = 1.1;  // of the target is as good
  if (level &&
      static_cast<double>(level->mesh.triangle_count()) <= kNear * static_cast<double>(target))
    return level->mesh;
  return thinned(level ? level->mesh : mesh, target);
}

/// For each vertex of the coarse mesh the one of the whole mesh that is at the same place.
std::vector<std::size_t> origins(const Mesh& whole, const Mesh& coarse) {
  const auto before = [](const Vec3& a, const Vec3& b) {
    return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z};
  };
  std::vector<std::size_t> sorted(whole.vertex_count());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::sort(sorted, before, [&](std::size_t i) { return whole.vertices()[i]; });
  std::vector<std::size_t> origin;
  origin.reserve(coarse.vertex_count());
  for (const Vec3& p : coarse.vertices()) {
    const auto found = std::ranges::lower_bound(sorted, p, before,
                                                [&](std::size_t i) { return whole.vertices()[i]; });
    origin.push_back(found == sorted.end() ? sorted.back() : *found);
  }
  return origin;
}

template <class T>
void pick(std::vector<T>& values, const std::vector<std::size_t>& origin, std::size_t count) {
  if (values.size() != count) return;
  std::vector<T> kept;
  kept.reserve(origin.size());
  for (const std::size_t i : origin) kept.push_back(values[i]);
  values = std::move(kept);
}

}  // namespace

void limit_triangles(std::size_t most, Monitor& monitor, ViewDocument& document) {
  std::map<const Face*, std::size_t> known;
  std::size_t all = 0;
  for (const ViewItem& item : document.items) {
    if (item.shape == ViewShape::Mesh && known.try_emplace(item.mesh.faces().data(), 0).second)
      all += item.mesh.triangle_count();
  }
  if (all <= most) return;
  monitor.progress("making " + group_digits(all) + " triangles fewer", -1.0);
  std::map<const Face*, Mesh> made;
  std::size_t kept = 0;
  for (ViewItem& item : document.items) {
    if (item.shape != ViewShape::Mesh) continue;
    const Mesh whole = item.mesh;
    const std::size_t count = whole.triangle_count();
    const auto [entry, is_new] = made.try_emplace(whole.faces().data(), whole);
    if (is_new && count > kSmall) {
      const double share = static_cast<double>(most) / static_cast<double>(all);
      entry->second = coarser(
          whole, std::max(kSmall, static_cast<std::size_t>(share * static_cast<double>(count))));
    }
    if (is_new) kept += entry->second.triangle_count();
    item.mesh = entry->second;
    if (item.values.empty() && item.colours.empty()) continue;
    const std::vector<std::size_t> origin = origins(whole, item.mesh);
    pick(item.values, origin, whole.vertex_count());
    pick(item.colours, origin, whole.vertex_count());
  }
  document.warn(
      group_digits(all) + " triangles are more than a page takes: they are drawn coarser, as " +
      group_digits(kept) + ". All numbers are those of the whole. --triangles draws more.");
}

}  // namespace clearance::cli
