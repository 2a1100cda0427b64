// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/mesh_builder.h"

#include <algorithm>

namespace clearance::detail {

void PartList::begin(std::string name, std::size_t triangle_count) {
  const auto first = static_cast<std::uint32_t>(triangle_count);
  if (!parts_.empty() && parts_.back().first_triangle == first) parts_.pop_back();
  if (!parts_.empty() && parts_.back().name == name) return;
  // Triangles before the first name belong to no named part.
  if (parts_.empty() && first > 0 && !name.empty()) parts_.push_back({"", 0, 0});
  parts_.push_back({std::move(name), first, 0});
}

std::vector<MeshPart> PartList::finish(std::size_t triangle_count, const std::string& other) && {
  if (!parts_.empty() && parts_.back().first_triangle == triangle_count) parts_.pop_back();
  const bool named = std::any_of(parts_.begin(), parts_.end(),
                                 [](const MeshPart& part) { return !part.name.empty(); });
  if (!named) return {};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t end = i + 1 < parts_.size() ? parts_[i + 1].first_triangle : triangle_count;
    parts_[i].triangle_count = static_cast<std::uint32_t>(end) - parts_[i].first_triangle;
    if (parts_[i].name.empty()) parts_[i].name = other;
  }
  return std::move(parts_);
}

void SoupBuilder::flush() {
  for (Vec3& corner : waiting_) corner *= metres_per_unit_;
  numbers_.resize(waiting_.size());
  if (weld_) {
    table_.add(waiting_, numbers_, vertices_);
  } else {
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      numbers_[i] = static_cast<std::uint32_t>(vertices_.size() + i);
    vertices_.insert(vertices_.end(), waiting_.begin(), waiting_.end());
  }
  for (std::size_t i = 0; i < numbers_.size(); i += 3)
    faces_.push_back({numbers_[i], numbers_[i + 1], numbers_[i + 2]});
  waiting_.clear();
}

Result<LoadedMesh> SoupBuilder::finish(FileInfo info, std::vector<MeshPart> parts) && {
  flush();
  return finish_mesh(std::move(info), std::move(vertices_), std::move(faces_), std::move(parts));
}

Result<LoadedMesh> finish_indexed(FileInfo info, bool weld_vertices, std::vector<Vec3> vertices,
                                  std::vector<Face> faces, std::vector<MeshPart> parts) {
  if (info.metres_per_unit != 1.0) {
    for (Vec3& v : vertices) v *= info.metres_per_unit;
  }
  if (weld_vertices) weld(vertices, faces);
  return finish_mesh(std::move(info), std::move(vertices), std::move(faces), std::move(parts));
}

Result<LoadedMesh> finish_mesh(FileInfo info, std::vector<Vec3> vertices, std::vector<Face> faces,
                               std::vector<MeshPart> parts) {
  Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces), std::move(parts));
  if (!mesh) {
    Error error = mesh.error();
    error.file = info.path;
    error.code = ErrorCode::Malformed;
    return error;
  }
  return finish_checked(std::move(info), std::move(mesh).value(), Threads{1});
}

LoadedMesh finish_checked(FileInfo info, Mesh mesh, Threads threads) {
  if (info.unit_source == UnitSource::Assumed) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    const std::span<const Vec3> vertices = mesh.vertices();
    std::vector<Box> boxes((vertices.size() + kPiece - 1) / kPiece);
    parallel_for(threads, boxes.size(), [&](std::size_t i) {
      Box box;
      for (const Vec3& v :
           vertices.subspan(i * kPiece, std::min(kPiece, vertices.size() - i * kPiece)))
        box.include(v);
      boxes[i] = box;
    });
    Box bounds;
    for (const Box& box : boxes) bounds.include(box);
    warn_about_size(info, bounds);
  }
  return LoadedMesh{std::move(mesh), std::move(info)};
}

}  // namespace clearance::detail
