// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Depth images in the world, and without a part that is known to be in them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include <clearance/grasp/depth_view.h>

namespace clearance {
namespace {

/// Walls that a ray goes through in one part at most: more is no part to be picked.
constexpr int kMostCrossings = 64;
/// A ray goes on behind a surface this far [m]: above the error of first_hit().
constexpr double kBehind = 1e-7;
/// Replaced depths stay within the range by this fraction: beyond it they would count as none.
constexpr double kWithinRange = 1.0 - 1e-6;

/// Columns and rows from `first` on, `last` excluded.
struct Window {
  int first_u = 0, first_v = 0, last_u = 0, last_v = 0;
  [[nodiscard]] int width() const { return last_u - first_u; }
  [[nodiscard]] int height() const { return last_v - first_v; }
};

/// The range of x / z over a ball before the camera, rounded outward.
std::pair<double, double> slopes(double x, double z, double radius) {
  const double low = x - radius;
  const double high = x + radius;
  return {low / (low < 0.0 ? z - radius : z + radius),
          high / (high > 0.0 ? z - radius : z + radius)};
}

/// All pixels whose squares may show something of a ball.
Window window_of(const PinholeCamera& camera, const Sphere& ball) {
  const Window all{0, 0, camera.width, camera.height};
  constexpr double kTooClose = 1e-3;  // of the radius: the slopes would be useless
  if (ball.center.z - ball.radius <= kTooClose * ball.radius) return all;
  const auto side = [&](double x, double focal, double center, int size) {
    const auto [low, high] = slopes(x, ball.center.z, ball.radius);
    constexpr double kBeside = 2.0;  // squares reach to the neighbouring pixels
    const double first = std::floor(center + focal * low - kBeside);
    const double last = std::ceil(center + focal * high + kBeside) + 1.0;
    const auto limit = static_cast<double>(size);
    return std::pair(static_cast<int>(std::clamp(first, 0.0, limit)),
                     static_cast<int>(std::clamp(last, 0.0, limit)));
  };
  const auto [first_u, last_u] = side(ball.center.x, camera.focal_u, camera.center_u, camera.width);
  const auto [first_v, last_v] =
      side(ball.center.y, camera.focal_v, camera.center_v, camera.height);
  return {first_u, first_v, last_u, last_v};
}

DepthMap cut_out(const DepthMap& map, const Window& window) {
  DepthMap out{map.camera, map.world_from_camera, {}, map.options};
  out.camera.width = window.width();
  out.camera.height = window.height();
  out.camera.center_u -= window.first_u;
  out.camera.center_v -= window.first_v;
  for (int v = window.first_v; v < window.last_v; ++v) {
    const auto row = map.depth.begin() + static_cast<std::ptrdiff_t>(v) * map.camera.width;
    out.depth.insert(out.depth.end(), row + window.first_u, row + window.last_u);
  }
  return out;
}

/// From the camera through a pixel; z is 1.
Vec3 ray_of(const PinholeCamera& camera, int u, int v) {
  return {(u - camera.center_u) / camera.focal_u, (v - camera.center_v) / camera.focal_v, 1.0};
}

/// One part in a depth map: which pixels show it, and where their rays leave it.
class PartInMap {
 public:
  PartInMap(const DepthMap& map, const Model& part, const Pose& world_from_part, double contact)
      : map_(map),
        part_(part),
        part_from_camera_(inverse(world_from_part) * map.world_from_camera),
        contact_(contact),
        bounds_(part.mesh().bounds()) {}

  /// The depth where unseen space begins, or a value below 0 where the pixel shows something else.
  [[nodiscard]] double depth_behind(int u, int v, double depth) const {
    const Vec3 ray = ray_of(map_.camera, u, v);
    const double length = norm(ray);
    const double near = contact_ + pixel_size(map_.camera, depth * length);
    const Vec3 p = part_from_camera_ * (depth * ray);
    if (!is_near(p, near)) return -1.0;
    const Vec3& eye = part_from_camera_.translation;
    const Vec3 along = part_from_camera_.rotation * (ray / length);
    // Where the ray is in the part or close to it, from what was seen on.
    double at = depth * length;
    for (int i = 0; i < kMostCrossings; ++i) {
      const RayHit hit = first_hit(part_.bvh(), eye + (at + kBehind) * along, along);
      if (!hit.hit) break;
      const double next = at + kBehind + hit.distance;
      const Vec3 middle = eye + 0.5 * (at + next) * along;
      if (next - at > 2.0 * near && part_.side(middle) != Side::Inside) break;
      at = next;
    }
    return at / length;
  }

 private:
  [[nodiscard]] bool is_near(const Vec3& p, double near) const {
    const Vec3 off = max(max(bounds_.low - p, p - bounds_.high), Vec3{});
    if (squared_norm(off) > near * near) return false;
    return part_.side(p) == Side::Inside || within(part_.bvh(), p, near).within;
  }

  const DepthMap& map_;
  const Model& part_;
  Pose part_from_camera_;
  double contact_;
  Box bounds_;
};

}  // namespace

Result<DepthMap> map_of(const DepthView& view, int width, int height, std::span<const float> values,
                        bool is_whole, UnseenSpace unseen) {
  const auto size_words = [](int w, int h) {
    return std::to_string(w) + " x " + std::to_string(h);
  };
  const bool has_size = view.camera.width > 0 && view.camera.height > 0;
  if (has_size && (view.camera.width != width || view.camera.height != height)) {
    return Error{ErrorCode::Invalid, view.image, "size",
                 "the image has " + size_words(width, height) + " pixels, the view is of " +
                     size_words(view.camera.width, view.camera.height),
                 "focal lengths and centre must be those of this image"};
  }
  DepthMap map{view.camera, view.world_from_camera, {}, {}};
  map.camera.width = width;
  map.camera.height = height;
  map.options.unseen = unseen;
  map.options.nearest = view.nearest;
  map.options.range = view.range;
  const double step = view.depth_step > 0.0 ? view.depth_step : (is_whole ? 1e-3 : 1.0);
  map.depth.reserve(values.size());
  for (const float value : values)
    map.depth.push_back(static_cast<float>(step * static_cast<double>(value)));
  return map;
}

Result<Model> model_of(const DepthMap& map, Threads threads) {
  const Result<Mesh> seen = mesh_of(map.camera, map.depth, map.options);
  if (!seen) return seen.error();
  return Model::build(transformed(*seen, map.world_from_camera), {.threads = threads});
}

double pixel_size(const PinholeCamera& camera, double distance) {
  return distance * std::hypot(1.0 / camera.focal_u, 1.0 / camera.focal_v);
}

Result<std::optional<Model>> model_without(const DepthMap& map, const Model& part,
                                           const Pose& world_from_part, double contact,
                                           const Sphere& region_world, Threads threads) {
  const Sphere region{inverse(map.world_from_camera) * region_world.center, region_world.radius};
  const Window window = window_of(map.camera, region);
  if (window.width() < 2 || window.height() < 2) return std::optional<Model>();
  DepthMap seen = cut_out(map, window);
  const PartInMap in_map(seen, part, world_from_part, contact);
  const auto width = static_cast<std::size_t>(seen.camera.width);
  const auto height = static_cast<std::size_t>(seen.camera.height);
  std::vector<float> behind(seen.depth.size(), -1.0F);
  parallel_for(threads, height, [&](std::size_t v) {
    for (std::size_t u = 0; u < width; ++u) {
      const auto depth = static_cast<double>(seen.depth[v * width + u]);
      if (!(depth >= seen.options.nearest && depth <= seen.options.range)) continue;
      behind[v * width + u] =
          static_cast<float>(in_map.depth_behind(static_cast<int>(u), static_cast<int>(v), depth));
    }
  });
  const bool is_solid = seen.options.unseen == UnseenSpace::Solid;
  const auto farthest = static_cast<float>(kWithinRange * seen.options.range);
  bool has_any = is_solid;
  for (std::size_t v = 0; v < height; ++v) {
    for (std::size_t u = 0; u < width; ++u) {
      float& depth = seen.depth[v * width + u];
      if (behind[v * width + u] < 0.0F) {
        has_any = has_any || depth > 0.0F;
        continue;
      }
      depth = 0.0F;
      if (!is_solid) continue;
      // The farthest of the neighbours, so that no wall between two pixels cuts the part.
      for (std::size_t y = v - std::min<std::size_t>(v, 1); y < std::min(v + 2, height); ++y)
        for (std::size_t x = u - std::min<std::size_t>(u, 1); x < std::min(u + 2, width); ++x)
          depth = std::max(depth, std::min(behind[y * width + x], farthest));
    }
  }
  if (!has_any) return std::optional<Model>();
  Result<Model> model = model_of(seen, threads);
  if (model) return std::optional<Model>(*std::move(model));
  // Nothing but single pixels is left of a surface.
  if (!is_solid) return std::optional<Model>();
  return model.error();
}

std::vector<float> depths_of(const PinholeCamera& camera, const Pose& world_from_camera,
                             const Bvh& scene_in_world, const DepthOptions& options,
                             Threads threads) {
  const auto width = static_cast<std::size_t>(std::max(camera.width, 0));
  const auto height = static_cast<std::size_t>(std::max(camera.height, 0));
  std::vector<float> depths(width * height, 0.0F);
  const Vec3& eye = world_from_camera.translation;
  parallel_for(threads, height, [&](std::size_t v) {
    for (std::size_t u = 0; u < width; ++u) {
      const Vec3 ray = ray_of(camera, static_cast<int>(u), static_cast<int>(v));
      const Vec3 along = world_from_camera.rotation * ray;
      // A factor of the ray is a depth.
      double depth = std::numeric_limits<double>::infinity();
      if (along.z < 0.0 && eye.z > 0.0) depth = -eye.z / along.z;
      if (const RayHit hit = first_hit(scene_in_world, eye, along); hit.hit)
        depth = std::min(depth, hit.distance / norm(ray));
      if (depth >= options.nearest && depth <= options.range)
        depths[v * width + u] = static_cast<float>(depth);
    }
  });
  return depths;
}

}  // namespace clearance
