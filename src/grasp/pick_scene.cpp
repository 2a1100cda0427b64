// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/pick_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/query/shapes.h>
#include <clearance/query/solid.h>
#include <clearance/query/sweep.h>

namespace clearance::detail {
namespace {

/// Balls and boxes are enlarged by this fraction of the coordinates they are made of: far more than
/// rounding takes, so that what they rule out is ruled out.
constexpr double kRounding = 1e-12;

/// Whether two boxes are apart, by the fifteen axes on which two boxes can be parted
/// (S. Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996). `a_from_b` has its rotation in `turn`.
bool are_apart(const Vec3& a, const Vec3& b, const Mat3& turn, const Vec3& offset, double limit) {
  std::array<std::array<double, 3>, 3> amount{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) amount[i][j] = std::abs(turn[i][j]) + kRounding;
  for (std::size_t i = 0; i < 3; ++i) {
    const double reach = a[i] + b.x * amount[i][0] + b.y * amount[i][1] + b.z * amount[i][2];
    if (std::abs(offset[i]) > reach + limit) return true;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double reach = b[j] + a.x * amount[0][j] + a.y * amount[1][j] + a.z * amount[2][j];
    if (std::abs(dot(offset, turn.column(j))) > reach + limit) return true;
  }
  // Axes across two edges are no longer than 1, so that the limit holds along them as well.
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t i1 = (i + 1) % 3;
    const std::size_t i2 = (i + 2) % 3;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = (j + 1) % 3;
      const std::size_t j2 = (j + 2) % 3;
      const double reach = a[i1] * amount[i2][j] + a[i2] * amount[i1][j] + b[j1] * amount[i][j2] +
                           b[j2] * amount[i][j1];
      const double along = offset[i2] * turn[i1][j] - offset[i1] * turn[i2][j];
      if (std::abs(along) > reach + limit) return true;
    }
  }
  return false;
}

bool are_apart(const Box& a, const Box& b, const Pose& a_from_b, double limit) {
  return are_apart(0.5 * a.size(), 0.5 * b.size(), a_from_b.rotation,
                   a_from_b * b.center() - a.center(), limit);
}

/// Points as triangles without area: the queries of models then know them. Nothing for no points.
std::optional<Model> model_of(std::span<const Vec3> cloud) {
  std::vector<Vec3> points(cloud.begin(), cloud.end());
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < points.size(); ++i) faces.push_back({i, i, i});
  const Result<Mesh> mesh = Mesh::make(std::move(points), std::move(faces));
  if (!mesh) return std::nullopt;
  Result<Model> model = Model::build(*mesh);
  if (!model) return std::nullopt;
  return *std::move(model);
}

/// The points of a cloud that are not those of a body itself: farther from it than `near`.
std::vector<Vec3> points_of_others(std::span<const Vec3> cloud, const PickBody& body,
                                   const Pose& world_from_body, double near) {
  const Pose body_from_world = inverse(world_from_body);
  const double reach = body.ball.radius + near;
  std::vector<Vec3> points;
  for (const Vec3& point : cloud) {
    const Vec3 p = body_from_world * point;
    if (squared_norm(p - body.ball.center) > reach * reach ||
        (body.model.side(p) != Side::Inside && distance(body.model.bvh(), p).distance >= near))
      points.push_back(point);
  }
  return points;
}

/// All ways to the corners, edges and faces of a cube, of length 1: sideways, then up, then down.
std::vector<Vec3> ways_apart() {
  std::vector<Vec3> ways;
  for (const double z : {0.0, 1.0, -1.0})
    for (const double x : {1.0, 0.0, -1.0})
      for (const double y : {1.0, 0.0, -1.0})
        if (x != 0.0 || y != 0.0 || z != 0.0) ways.push_back(normalized(Vec3{x, y, z}));
  return ways;
}

}  // namespace

PickScene::PickScene(const PickBody& part, const Pile& pile, const PickObstacles& obstacles,
                     const PickRegion& region)
    : part_(part),
      world_from_parts_(pile.parts),
      seen_margin_(obstacles.seen.empty() ? std::numeric_limits<double>::infinity()
                                          : region.margin) {
  // Each wall by itself: the box around all of them would rule nothing out.
  const std::vector<Box> walls = walls_of(pile.bin);
  const auto add = [&](const PickBody& body, const Pose& pose, GraspFate fate, std::size_t number) {
    obstacles_.push_back(placed(body, pose, fate, number));
  };
  for (const Box& wall : walls) {
    if (const Result<Model> model = Model::build(mesh_of({&wall, 1}))) {
      add(others_.emplace_back(*model, std::span(&*model, 1)), Pose::identity(), GraspFate::HitsBin,
          kNoPart);
    }
  }
  parts_begin_ = obstacles_.size();
  for (std::size_t i = 0; i < pile.parts.size(); ++i)
    add(part_, pile.parts[i], GraspFate::HitsPart, i);
  parts_end_ = obstacles_.size();
  for (const Model& model : obstacles.models) {
    add(others_.emplace_back(PickBody::standing(model)), Pose::identity(), GraspFate::HitsObstacle,
        kNoPart);
  }
  seen_.resize(pile.parts.size());
  seen_bodies_.resize(pile.parts.size());
  parallel_for(region.threads, region.candidates.size(), [&](std::size_t i) {
    const std::size_t candidate = region.candidates[i];
    seen_[candidate] = seen_around(candidate, obstacles, region, seen_bodies_[candidate]);
  });
}

PickScene::Obstacle PickScene::placed(const PickBody& body, const Pose& world_from_body,
                                      GraspFate fate, std::size_t part, double inflation) {
  Sphere ball{world_from_body * body.ball.center, body.ball.radius + inflation};
  ball.radius += kRounding * norm(ball.center);
  return {&body, world_from_body, inverse(world_from_body), inflation, fate, part, ball};
}

std::vector<PickScene::Obstacle> PickScene::seen_around(std::size_t part,
                                                        const PickObstacles& obstacles,
                                                        const PickRegion& region,
                                                        std::deque<PickBody>& bodies) const {
  const Pose& pose = world_from_parts_[part];
  std::vector<Obstacle> found;
  const auto add = [&](const Model& model, double inflation, double blur) {
    found.push_back(placed(bodies.emplace_back(PickBody::standing(model)), Pose::identity(),
                           GraspFate::HitsObstacle, kNoPart, inflation));
    found.back().blur = blur;
  };
  const Vec3 center = pose * part_.ball.center;
  for (const DepthMap& map : obstacles.seen) {
    const Result<std::optional<Model>> model = model_without(
        map, part_.model, pose, region.contact, {center, region.reach + region.margin}, {1});
    // What could be asked was asked when the map was read: see check_input().
    CLEARANCE_ASSERT(model.ok());
    if (!model || !*model) continue;
    const double away = distance(center, map.world_from_camera.translation) + part_.ball.radius;
    add(**model, 0.0, pixel_size(map.camera, away));
  }
  for (const PointCloud& cloud : obstacles.points) {
    const double near = region.contact + cloud.radius();
    const std::vector<Vec3> points = points_of_others(cloud.points(), part_, pose, near);
    if (const std::optional<Model> model = model_of(points)) add(*model, cloud.radius(), 0.0);
  }
  return found;
}

bool PickScene::is_hit(const Obstacle& obstacle, const Placed& placed_body, double limit,
                       PickScratch& scratch) const {
  const PickBody& body = placed_body.body;
  const double reach = obstacle.ball.radius + placed_body.ball.radius + limit;
  if (squared_norm(obstacle.ball.center - placed_body.ball.center) > reach * reach) return false;
  const double within_limit = limit + obstacle.inflation;
  const PickBody& other = *obstacle.body;
  // Balls around the pieces against the boxes around the other: most are done here.
  std::array<std::uint8_t, PickBody::kMostPieces> near{};
  std::size_t near_count = 0;
  for (std::size_t i = 0; i < body.around.size(); ++i) {
    const Vec3 center = obstacle.body_from_world * placed_body.centers[i];
    const double piece_reach = body.around_radius[i] + within_limit;
    for (const Box& box : other.around) {
      const Vec3 off = max(max(box.low - center, center - box.high), Vec3{});
      if (squared_norm(off) > piece_reach * piece_reach) continue;
      near[near_count++] = static_cast<std::uint8_t>(i);
      break;
    }
  }
  if (near_count == 0) return false;
  // Boxes against boxes.
  const Pose obstacle_from_body = obstacle.body_from_world * placed_body.world_from_body;
  std::size_t nearer_count = 0;
  for (std::size_t k = 0; k < near_count; ++k) {
    const std::size_t i = near[k];
    for (std::size_t j = 0; j < other.around.size(); ++j) {
      if (are_apart(other.around[j], body.around[i], obstacle_from_body, within_limit)) continue;
      if (!other.inside[j].empty() && !body.inside[i].empty() &&
          !are_apart(other.inside[j], body.inside[i], obstacle_from_body, 0.0))
        return true;
      near[nearer_count++] = static_cast<std::uint8_t>(i);
      break;
    }
  }
  near_count = nearer_count;
  if (near_count == 0) return false;
  if (!other.inner_balls.empty()) {
    std::array<Box, PickBody::kMostPieces> inside;
    for (std::size_t k = 0; k < near_count; ++k) inside[k] = body.inside[near[k]];
    if (other.inner_balls.reaches(std::span(inside).first(near_count), inverse(obstacle_from_body),
                                  limit, scratch.last_ball))
      return true;
  }
  const auto placed = [&](const Box& box) {
    return OrientedBox{{obstacle_from_body.rotation, obstacle_from_body * box.center()},
                       0.5 * box.size()};
  };
  // A box that no surface comes near is on one side as a whole: that of its middle.
  bool is_free = true;
  for (std::size_t k = 0; k < near_count; ++k) {
    const OrientedBox around = placed(body.around[near[k]]);
    const bool is_touched = within_limit > 0.0
                                ? within(other.model.bvh(), around, within_limit).within
                                : collide(other.model.bvh(), around).hit;
    if (!is_touched && other.model.side(around.world_from_box.translation) == Side::Outside)
      continue;
    is_free = false;
    const Box& inside = body.inside[near[k]];
    if (!inside.empty() && collide(other.model.bvh(), placed(inside)).hit) return true;
  }
  if (is_free) return false;
  if (within_limit > 0.0) {
    return within(obstacle.body->model, body.model, obstacle_from_body, within_limit,
                  &scratch.coherence)
        .within;
  }
  return collide(obstacle.body->model, body.model, obstacle_from_body, &scratch.coherence).hit;
}

GraspFate PickScene::hit(const PickBody& body, const Pose& world_from_body, std::size_t but,
                         double limit, PickScratch& scratch) const {
  Placed placed{body, world_from_body, {world_from_body * body.ball.center, body.ball.radius}, {}};
  const Sphere& ball = placed.ball;
  // The floor: the lowest corner.
  if (ball.center.z - ball.radius <= limit) {
    const Vec3& up = world_from_body.rotation[2];
    const double height = world_from_body.translation.z;
    const double rounding = kRelativeRounding * (norm(ball.center) + ball.radius);
    for (const Vec3& corner : body.corners)
      if (dot(up, corner) + height <= limit + rounding) return GraspFate::HitsBin;
  }
  for (std::size_t i = 0; i < body.around.size(); ++i)
    placed.centers[i] = world_from_body * body.around[i].center();
  for (std::size_t i = 0; i < parts_begin_; ++i)
    if (is_hit(obstacles_[i], placed, limit, scratch)) return GraspFate::HitsBin;
  const auto is_part_hit = [&](std::size_t i) {
    if (obstacles_[i].part == but || !is_hit(obstacles_[i], placed, limit, scratch)) return false;
    scratch.last_hit = i;
    return true;
  };
  const std::size_t last = scratch.last_hit;
  const bool has_last = last >= parts_begin_ && last < parts_end_;
  if (has_last && is_part_hit(last)) return GraspFate::HitsPart;
  for (std::size_t i = parts_begin_; i < parts_end_; ++i)
    if (i != last && is_part_hit(i)) return GraspFate::HitsPart;
  for (std::size_t i = parts_end_; i < obstacles_.size(); ++i)
    if (is_hit(obstacles_[i], placed, limit, scratch)) return GraspFate::HitsObstacle;
  for (const Obstacle& seen : seen_[but])
    if (is_hit(seen, placed, limit, scratch)) return GraspFate::HitsObstacle;
  return GraspFate::Free;
}

double PickScene::clearance(const PickBody& body, const Pose& world_from_body, std::size_t but,
                            PickScratch& scratch) const {
  double nearest = seen_margin_;
  for (const Vec3& corner : body.corners) nearest = std::min(nearest, (world_from_body * corner).z);
  nearest = std::max(nearest, 0.0);
  const Vec3 center = world_from_body * body.ball.center;
  any_around(but, [&](const Obstacle& obstacle) {
    const double gap =
        distance(obstacle.ball.center, center) - obstacle.ball.radius - body.ball.radius;
    if (gap >= nearest) return false;
    const SolidDistance found =
        distance(obstacle.body->model, body.model, obstacle.body_from_world * world_from_body,
                 {.upper_bound = nearest + obstacle.inflation}, &scratch.coherence);
    nearest = std::min(nearest, std::max(found.distance - obstacle.inflation, 0.0));
    return false;
  });
  return nearest;
}

bool PickScene::hit_on_the_way(const PickBody& body, const Pose& world_from_start,
                               const Vec3& way_world, std::size_t but, PickScratch& scratch) const {
  const Vec3 start = world_from_start * body.ball.center;
  const double length = norm(way_world);
  for (const Vec3& corner : body.corners) {
    const double z = (world_from_start * corner).z;
    if (std::min(z, z + way_world.z) <= 0.0) return true;
  }
  return any_around(but, [&](const Obstacle& obstacle) {
    // The ball of the body along its way against the ball of the obstacle.
    const Vec3 offset = obstacle.ball.center - start;
    const double t =
        length > 0.0 ? std::clamp(dot(offset, way_world) / (length * length), 0.0, 1.0) : 0.0;
    const double reach = obstacle.ball.radius + body.ball.radius;
    if (squared_norm(offset - t * way_world) > reach * reach) return false;
    const RigidMotion motion = RigidMotion::linear(obstacle.body_from_world * world_from_start,
                                                   obstacle.body_from_world.rotation * way_world);
    SweepOptions options;
    options.tolerance = std::max(options.tolerance, obstacle.inflation);
    const Sweep found =
        sweep(obstacle.body->model, body.model, motion, options, &scratch.coherence);
    return found.status != SweepStatus::Free;
  });
}

double PickScene::lift_past(const Obstacle& obstacle, const PickBody& body,
                            const Pose& world_from_body, double height, double contact) const {
  const Pose start = obstacle.body_from_world * world_from_body;
  const Model& other = obstacle.body->model;
  const auto moved_by = [&](const Vec3& by) {
    Pose moved = start;
    moved.translation += by;
    return moved;
  };
  const auto is_free_by = [&](const Vec3& by) {
    return !collide(other, body.model, moved_by(by)).hit;
  };
  const auto lift_from = [&](const Pose& from) {
    SweepOptions options;
    options.tolerance = std::max(options.tolerance, obstacle.inflation);
    const Vec3 up = obstacle.body_from_world.rotation * Vec3{0.0, 0.0, height};
    const Sweep found = sweep(other, body.model, RigidMotion::linear(from, up), options);
    return found.status == SweepStatus::Free ? height : found.time * height;
  };
  if (obstacle.blur >= 0.0) {
    // What a camera saw may be off sideways: the part comes out when it does from one place nearby.
    double most = is_free_by(Vec3{}) ? lift_from(start) : 0.0;
    for (const Vec3& way : ways_apart()) {
      if (most >= height) break;
      const Vec3 by = (contact + obstacle.blur) * way;
      if (is_free_by(by)) most = std::max(most, lift_from(moved_by(by)));
    }
    return most;
  }
  const SolidDistance gap = distance(other, body.model, start, {.upper_bound = contact});
  if (gap.distance >= contact) return lift_from(start);
  std::array<Vec3, 2> apart{(contact - gap.distance) * gap.surface.normal, Vec3{}};
  if (gap.distance == 0.0) {
    const Penetration depth = penetration(other, body.model, start);
    // Deeper than touching: nothing can be said about a way out.
    if (depth.upper > contact) return 0.0;
    apart = {contact * normalized(depth.separation), depth.separation};
  }
  const auto free_by = std::find_if(apart.begin(), apart.end(), is_free_by);
  return lift_from(free_by != apart.end() ? moved_by(*free_by) : start);
}

std::vector<PickScene::Stop> PickScene::stops(std::size_t part, double height,
                                              double contact) const {
  const Pose& pose = world_from_parts_[part];
  const Sphere ball{pose * part_.ball.center, part_.ball.radius};
  std::vector<Stop> found;
  any_around(part, [&](const Obstacle& obstacle) {
    const Vec3 offset = obstacle.ball.center - ball.center;
    const double reach =
        obstacle.ball.radius + ball.radius + contact + std::max(obstacle.blur, 0.0);
    const double up = std::clamp(offset.z, 0.0, height);
    if (squared_norm(offset - Vec3{0.0, 0.0, up}) > reach * reach) return false;
    const double lift = lift_past(obstacle, part_, pose, height, contact);
    if (lift < height) found.push_back({obstacle.part, lift});
    return false;
  });
  std::sort(found.begin(), found.end(), [](const Stop& a, const Stop& b) {
    return std::pair(a.lift, a.part) < std::pair(b.lift, b.part);
  });
  return found;
}

}  // namespace clearance::detail
