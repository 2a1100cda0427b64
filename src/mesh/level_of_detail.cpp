// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <meshoptimizer.h>

#include <clearance/mesh/level_of_detail.h>

namespace clearance {
namespace {

// Relative error that means "no limit": ten times the mesh itself.
constexpr double kNoErrorLimit = 10.0;

Error refuse(std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", "", std::move(reason), std::move(advice)};
}

/// The mesh as meshoptimizer takes it: indices by position, coordinates in [-1/2, 1/2].
class Simplifier {
 public:
  explicit Simplifier(const Mesh& mesh) : original_(mesh), welded_(welded(mesh)) {
    indices_.reserve(3 * mesh.triangle_count());
    for (const Face& f : welded_.faces()) {
      if (f[0] == f[1] || f[1] == f[2] || f[2] == f[0]) continue;
      indices_.insert(indices_.end(), f.begin(), f.end());
    }
    const Box box = welded_.bounds();
    const Vec3 center = box.center();
    size_ = largest_component(box.size());
    if (!(size_ > 0.0)) return;
    positions_.reserve(3 * welded_.vertex_count());
    for (const Vec3& vertex : welded_.vertices()) {
      const Vec3 p = (vertex - center) / size_;
      for (std::size_t k = 0; k < 3; ++k) positions_.push_back(static_cast<float>(p[k]));
    }
  }

  [[nodiscard]] LevelOfDetail run(const LevelOfDetailOptions& options) const {
    if (indices_.empty() || !(size_ > 0.0)) return {original_, 0.0};
    const double scale =
        meshopt_simplifyScale(positions_.data(), welded_.vertex_count(), 3 * sizeof(float));
    const double relative_error = std::min(options.max_error / (scale * size_), kNoErrorLimit);
    std::vector<unsigned int> indices(indices_.size());
    float error = 0.0f;
    const std::size_t count = meshopt_simplify(
        indices.data(), indices_.data(), indices_.size(), positions_.data(), welded_.vertex_count(),
        3 * sizeof(float), std::min(indices_.size(), 3 * options.target_triangles),
        static_cast<float>(relative_error),
        options.keep_border ? static_cast<unsigned int>(meshopt_SimplifyLockBorder) : 0u, &error);
    // Everything collapsed (a speck, or a patch smaller than the error): then better the original.
    if (count == 0 || count == indices_.size()) return {original_, 0.0};
    indices.resize(count);
    return {compact(indices), static_cast<double>(error) * scale * size_};
  }

 private:
  /// The triangles as a mesh of its own, vertices numbered by first use, coordinates untouched.
  [[nodiscard]] Mesh compact(const std::vector<unsigned int>& indices) const {
    constexpr std::uint32_t kNew = 0xffffffffu;
    std::vector<std::uint32_t> number(welded_.vertex_count(), kNew);
    std::vector<Vec3> vertices;
    std::vector<Face> faces(indices.size() / 3);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      std::uint32_t& v = number[indices[i]];
      if (v == kNew) {
        v = static_cast<std::uint32_t>(vertices.size());
        vertices.push_back(welded_.vertices()[indices[i]]);
      }
      faces[i / 3][i % 3] = v;
    }
    return Mesh::make(std::move(vertices), std::move(faces)).value();
  }

  Mesh original_;
  Mesh welded_;
  std::vector<unsigned int> indices_;
  std::vector<float> positions_;
  double size_ = 0.0;
};

}  // namespace

Result<LevelOfDetail> simplified(const Mesh& mesh, const LevelOfDetailOptions& options) {
  if (mesh.empty()) return refuse("cannot simplify a mesh without triangles");
  if (!(options.max_error >= 0.0)) return refuse("max_error must be 0 or more");
  if (options.target_triangles == 0 && std::isinf(options.max_error)) {
    return refuse("nothing says when to stop simplifying", "set target_triangles or max_error");
  }
  return Simplifier(mesh).run(options);
}

Result<std::vector<LevelOfDetail>> levels_of_detail(const Mesh& mesh, std::size_t count,
                                                    double ratio) {
  if (mesh.empty()) return refuse("cannot simplify a mesh without triangles");
  if (count == 0) return refuse("the number of levels must be 1 or more");
  if (!(ratio > 0.0 && ratio < 1.0)) return refuse("ratio must be above 0 and below 1");
  std::vector<LevelOfDetail> levels{{mesh, 0.0}};
  const Simplifier simplifier(mesh);
  double target = static_cast<double>(mesh.triangle_count());
  while (levels.size() < count) {
    target *= ratio;
    if (target < 1.0) break;
    LevelOfDetail level = simplifier.run({.target_triangles = static_cast<std::size_t>(target)});
    if (level.mesh.triangle_count() >= levels.back().mesh.triangle_count()) break;
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace clearance
