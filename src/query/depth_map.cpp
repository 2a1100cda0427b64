// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Depth images as points, as a surface, or as the solid of everything that may be behind it.
#include <cmath>
#include <string>
#include <vector>

#include <clearance/query/shapes.h>

namespace clearance {
namespace {

Error refuse(std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", "depth image", std::move(reason), std::move(advice)};
}

Status check(const PinholeCamera& camera, std::span<const float> depth,
             const DepthOptions& options) {
  if (camera.width < 2 || camera.height < 2) return refuse("is smaller than 2 x 2 pixels");
  const std::size_t pixels =
      static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  if (depth.size() != pixels) {
    return refuse("has " + std::to_string(depth.size()) + " values for " +
                  std::to_string(camera.width) + " x " + std::to_string(camera.height) + " pixels");
  }
  if (!(camera.focal_u > 0.0) || !(camera.focal_v > 0.0) || !std::isfinite(camera.focal_u) ||
      !std::isfinite(camera.focal_v) || !std::isfinite(camera.center_u) ||
      !std::isfinite(camera.center_v))
    return refuse("the camera's focal lengths and centre are not usable numbers");
  if (!(options.nearest > 0.0) || !(options.range > options.nearest) ||
      !std::isfinite(options.range))
    return refuse("needs 0 < nearest < range");
  return {};
}

bool has_depth(float depth, const DepthOptions& options) {
  const auto z = static_cast<double>(depth);
  return z >= options.nearest && z <= options.range;  // false for NaN
}

Vec3 point_at(const PinholeCamera& camera, std::size_t pixel, double z) {
  const auto width = static_cast<std::size_t>(camera.width);
  const std::size_t row = pixel / width;
  const auto u = static_cast<double>(pixel - row * width);
  const auto v = static_cast<double>(row);
  return {(u - camera.center_u) * z / camera.focal_u, (v - camera.center_v) * z / camera.focal_v,
          z};
}

/// Calls use(p, q, r) for the two triangles of every square of four pixels, facing the camera.
template <class Use>
void for_each_triangle(const PinholeCamera& camera, const Use& use) {
  const auto width = static_cast<std::uint32_t>(camera.width);
  const auto height = static_cast<std::uint32_t>(camera.height);
  for (std::uint32_t v = 0; v + 1 < height; ++v) {
    for (std::uint32_t u = 0; u + 1 < width; ++u) {
      const std::uint32_t p = v * width + u;
      use(p, p + width, p + 1);
      use(p + 1, p + width, p + width + 1);
    }
  }
}

/// Only what was seen, cut where the depth jumps.
Result<Mesh> seen_surface(const PinholeCamera& camera, std::span<const float> depth,
                          const DepthOptions& options) {
  const auto joined = [&](std::uint32_t p, std::uint32_t q) {
    const auto a = static_cast<double>(depth[p]);
    const auto b = static_cast<double>(depth[q]);
    return std::abs(a - b) <= options.largest_step * std::min(a, b);
  };
  std::vector<Vec3> vertices;
  std::vector<std::uint32_t> number(depth.size());
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (!has_depth(depth[i], options)) continue;
    number[i] = static_cast<std::uint32_t>(vertices.size());
    vertices.push_back(point_at(camera, i, static_cast<double>(depth[i])));
  }
  std::vector<Face> faces;
  for_each_triangle(camera, [&](std::uint32_t p, std::uint32_t q, std::uint32_t r) {
    if (has_depth(depth[p], options) && has_depth(depth[q], options) &&
        has_depth(depth[r], options) && joined(p, q) && joined(q, r) && joined(r, p))
      faces.push_back({number[p], number[q], number[r]});
  });
  if (faces.empty())
    return refuse("has no three neighbouring pixels that can be joined",
                  "use point_cloud_of(), or allow a larger step");
  return Mesh::make(std::move(vertices), std::move(faces));
}

/// Everything behind what was seen, as a closed solid: the seen sheet in front, the sheet at the
/// range behind, and walls around the picture.
Result<Mesh> unseen_solid(const PinholeCamera& camera, std::span<const float> depth,
                          const DepthOptions& options) {
  const auto pixels = static_cast<std::uint32_t>(depth.size());
  std::vector<Vec3> vertices(2 * static_cast<std::size_t>(pixels));
  // The sheet behind lies a little beyond the range, so that the solid has a thickness everywhere.
  const double back = 1.001 * options.range;
  for (std::uint32_t i = 0; i < pixels; ++i) {
    const double z = has_depth(depth[i], options) ? static_cast<double>(depth[i]) : options.nearest;
    vertices[i] = point_at(camera, i, z);
    vertices[pixels + i] = point_at(camera, i, back);
  }
  std::vector<Face> faces;
  for_each_triangle(camera, [&](std::uint32_t p, std::uint32_t q, std::uint32_t r) {
    faces.push_back({p, q, r});
    faces.push_back({pixels + p, pixels + r, pixels + q});
  });
  // Once around the border, with the picture to the left: down, right, up, left.
  const auto width = static_cast<std::uint32_t>(camera.width);
  const auto height = static_cast<std::uint32_t>(camera.height);
  std::vector<std::uint32_t> border;
  for (std::uint32_t v = 0; v + 1 < height; ++v) border.push_back(v * width);
  for (std::uint32_t u = 0; u + 1 < width; ++u) border.push_back((height - 1) * width + u);
  for (std::uint32_t v = height - 1; v > 0; --v) border.push_back(v * width + width - 1);
  for (std::uint32_t u = width - 1; u > 0; --u) border.push_back(u);
  for (std::size_t i = 0; i < border.size(); ++i) {
    const std::uint32_t p = border[i];
    const std::uint32_t q = border[(i + 1) % border.size()];
    faces.push_back({q, p, pixels + p});
    faces.push_back({q, pixels + p, pixels + q});
  }
  return Mesh::make(std::move(vertices), std::move(faces));
}

}  // namespace

Result<PointCloud> point_cloud_of(const PinholeCamera& camera, std::span<const float> depth,
                                  double radius, const DepthOptions& options) {
  const Status status = check(camera, depth, options);
  if (!status) return status.error();
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (has_depth(depth[i], options))
      points.push_back(point_at(camera, i, static_cast<double>(depth[i])));
  }
  if (points.empty()) return refuse("has no pixel with a depth within the range");
  return PointCloud::make(std::move(points), radius);
}

Result<Mesh> mesh_of(const PinholeCamera& camera, std::span<const float> depth,
                     const DepthOptions& options) {
  const Status status = check(camera, depth, options);
  if (!status) return status.error();
  return options.unseen == UnseenSpace::Free ? seen_surface(camera, depth, options)
                                             : unseen_solid(camera, depth, options);
}

}  // namespace clearance
