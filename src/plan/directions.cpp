// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include <clearance/plan/directions.h>
#include <clearance/query/shapes.h>

#include "plan/scene_size.h"
#include "plan/swept_surface.h"
#include "plan/way_out.h"

namespace clearance {
namespace {

// Poses looked at for a certificate, as parts of the way until out: dense near the start, where
// tight parts are blocked, and even over the rest.
constexpr std::array<double, 20> kLooks{0.25,  0.125, 0.0625, 0.5,    0.03125,   0.75,   0.015625,
                                        0.375, 0.625, 0.875,  0.1875, 0.0078125, 0.3125, 0.4375,
                                        0.004, 0.002, 0.001,  0.0005, 0.5625,    0.6875};
// Poses at which the room along a way is measured, to try the widest ways first.
constexpr int kRoomLooks = 8;
// Ways proven at a time. A constant, so that the ways looked at do not depend on the threads.
constexpr std::size_t kBatch = 4;
// Of several free ways the likeliest is taken that has this part of the widest one's clearance.
constexpr double kWideEnough = 0.9;
// A sweep that tells how far a blocked way goes stops this close, as a part of the body's size.
constexpr double kSweepTolerance = 1e-7;
// Rounding of the swept surface and of poses along the way, as a part of the scene.
constexpr double kSweepRounding = 1e-13;
// The first step away from a pose that is known to touch but for rounding, as a part of the way.
constexpr double kFinestOff = 1e-12;

/// Looks for a pose on the way that is not free; notes it as the certificate.
bool find_certificate(const PlanProblem& problem, Way& way, Coherence& coherence) {
  for (const double part : kLooks) {
    const double at = part * way.length;
    const Pose pose = detail::moved(problem.start, at * way.direction);
    const SolidWithin look =
        within(problem.obstacles, problem.body, pose, problem.clearance, &coherence);
    way.work += look.work;
    ++way.looks;
    if (!look.within) continue;
    way.status = WayStatus::Blocked;
    way.blocked_at = at;
    way.obstacle_triangle = look.pair.triangle_a;
    way.body_triangle = look.pair.triangle_b;
    return true;
  }
  return false;
}

/// Least distance at some poses of the way [m].
double room_along(const PlanProblem& problem, Way& way, Coherence& coherence) {
  double room = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= kRoomLooks; ++i) {
    const double at = way.length * i / kRoomLooks;
    const Distance d =
        distance(problem.obstacles.bvh(), problem.body.bvh(),
                 detail::moved(problem.start, at * way.direction), {room, 0.1, 0.0}, &coherence);
    way.work += d.work;
    ++way.looks;
    room = std::min(room, d.distance);
  }
  return room;
}

/// The certificate of a way that is known to be blocked at about `at`: the pose itself may miss the
/// contact by rounding, so around it ever farther.
void pin_down(const PlanProblem& problem, double at, Way& way, Coherence& coherence) {
  const auto blocks = [&](double s) {
    if (!(s >= 0.0) || s > way.length) return false;
    const SolidWithin look =
        within(problem.obstacles, problem.body, detail::moved(problem.start, s * way.direction),
               problem.clearance, &coherence);
    way.work += look.work;
    ++way.looks;
    if (!look.within) return false;
    way.status = WayStatus::Blocked;
    way.blocked_at = s;
    way.obstacle_triangle = look.pair.triangle_a;
    way.body_triangle = look.pair.triangle_b;
    return true;
  };
  if (blocks(at)) return;
  for (double off = kFinestOff * way.length; off < way.length; off *= 4.0) {
    if (blocks(at + off) || blocks(at - off)) return;
  }
}

/// A matrix that is off from a rotation by more, as of seven digits, has an inverse that is not its
/// transpose.
constexpr double kRotationRounding = 1e-12;

Pose body_from_world_of(const PlanProblem& problem) {
  return rigidity_error(problem.start.rotation) > kRotationRounding
             ? relative(problem.start, Pose::identity())
             : inverse(problem.start);
}

/// Decides a way by the surface that the body sweeps along it.
void prove_way(const PlanProblem& problem, Way& way) {
  const Pose body_from_world = body_from_world_of(problem);
  const Vec3 by = body_from_world.rotation * (way.length * way.direction);
  const Mesh swept = detail::swept_surface(problem.body.mesh(), by);
  BvhOptions tree;
  tree.volume = problem.body.bvh().volume();
  tree.fitter = problem.body.bvh().fitter();
  tree.threads = {1};
  const Result<Bvh> surface = Bvh::build(swept.vertices(), swept.faces(), tree);
  if (!surface.ok()) return;
  const Distance least = distance(problem.obstacles.bvh(), *surface, problem.start);
  way.work += least.work;
  ++way.looks;
  Coherence coherence;
  const double margin = kSweepRounding * (detail::scene_size(problem, problem.start) + way.length);
  // How far along the body is when it passes the point that is closest.
  const Vec3 point = body_from_world * (least.distance > 0.0 ? least.on_b : least.on_a);
  const ShapeDistance passed = distance(problem.body.bvh(), Shape(Segment{point, point - by}));
  const double at = std::min(norm(passed.on_shape - point), way.length);
  if (least.lower - margin <= problem.clearance) {
    pin_down(problem, at, way, coherence);
    return;
  }
  // Small pieces of the obstacles may be wholly in the swept space.
  for (const Vec3& piece : problem.obstacles.component_points()) {
    const RayHit hit = first_hit(problem.body.bvh(), body_from_world * piece, -by, norm(by));
    way.work += hit.work;
    if (hit.hit) {
      pin_down(problem, hit.distance, way, coherence);
      return;
    }
  }
  way.status = WayStatus::Free;
  way.reached = way.length;
  way.narrowest_at = at;
  way.clearance_lower = least.lower - margin;
  way.clearance_upper = least.upper + margin;
}

void measure_blocked(const PlanProblem& problem, const DirectionOptions& options, Way& way,
                     Coherence& coherence) {
  SweepOptions sweep_options;
  sweep_options.tolerance =
      std::max(problem.clearance, kSweepTolerance * problem.body.bvh().bounds().diagonal());
  sweep_options.steps = options.looks;
  const Sweep found = sweep(problem.obstacles, problem.body,
                            RigidMotion::linear(problem.start, way.blocked_at * way.direction),
                            sweep_options, &coherence);
  way.work += found.work;
  way.looks += found.steps;
  way.reached = found.time * way.blocked_at;
  way.clearance_lower = found.clearance_lower;
  way.clearance_upper = found.clearance_upper;
}

Way new_way(const PlanProblem& problem, const Box& body, const Vec3& direction) {
  Way way;
  way.direction = direction;
  way.length = detail::way_out(problem, body, direction);
  return way;
}

}  // namespace

const char* name_of(WayStatus status) {
  switch (status) {
    case WayStatus::Free:
      return "free";
    case WayStatus::Blocked:
      return "blocked";
    case WayStatus::Undecided:
      break;
  }
  return "undecided";
}

PlanPath Way::path(const PlanProblem& problem) const {
  return {pivot_of(problem.body),
          {problem.start, detail::moved(problem.start, length * direction)}};
}

PathProof proof_of(const PlanProblem& problem, const Way& way) {
  PathProof proof;
  if (way.status != WayStatus::Free) return proof;
  const double length = way.length;
  for (const double at : {0.0, way.narrowest_at, length}) {
    const Distance d = distance(problem.obstacles.bvh(), problem.body.bvh(),
                                detail::moved(problem.start, at * way.direction));
    proof.work += d.work;
    ++proof.looks;
    const ProofSample sample{0, at / length, d.distance};
    proof.samples.push_back(sample);
    if (proof.looks > 1 && d.distance >= proof.clearance_upper) continue;
    proof.clearance_upper = d.distance;
    proof.narrowest = sample;
    proof.on_obstacle = d.on_a;
    proof.on_body = d.on_b;
    proof.obstacle_triangle = d.triangle_a;
    proof.body_triangle = d.triangle_b;
  }
  proof.status = ProofStatus::Free;
  proof.clearance_lower = std::min(way.clearance_lower, proof.clearance_upper);
  return proof;
}

Way try_direction(const PlanProblem& problem, const Vec3& direction,
                  const DirectionOptions& options) {
  Way way = new_way(problem, detail::body_box(problem), normalized(direction));
  if (!(norm(way.direction) > 0.5)) return way;
  Coherence coherence;
  if (!find_certificate(problem, way, coherence)) prove_way(problem, way);
  if (way.status == WayStatus::Blocked && options.how_far) {
    measure_blocked(problem, options, way, coherence);
  }
  return way;
}

Removal remove_straight(const PlanProblem& problem, const DirectionOptions& options) {
  Removal result;
  const std::vector<Vec3> directions = removal_directions(problem, options);
  const std::size_t suggested = directions.size() - std::min(options.spread, directions.size());
  const Box body = detail::body_box(problem);
  result.ways.resize(directions.size());
  std::vector<double> rooms(directions.size(), 0.0);
  report_progress(options.monitor, "directions", 0.0);
  parallel_for(options.threads, directions.size(), [&](std::size_t i) {
    Way& way = result.ways[i];
    way = new_way(problem, body, directions[i]);
    if (is_cancelled(options.monitor)) return;
    Coherence coherence;
    if (find_certificate(problem, way, coherence)) {
      if (options.how_far) measure_blocked(problem, options, way, coherence);
    } else {
      rooms[i] = room_along(problem, way, coherence);
    }
  });

  // Those the shapes suggest first: people take parts out along axes. Of these the widest first.
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    if (result.ways[i].status == WayStatus::Undecided) left.push_back(i);
  }
  std::stable_sort(left.begin(), left.end(), [&](std::size_t i, std::size_t j) {
    if ((i < suggested) != (j < suggested)) return i < suggested;
    return rooms[i] > rooms[j];
  });
  std::size_t free = 0;
  for (std::size_t begin = 0; begin < left.size(); begin += kBatch) {
    if (free >= options.free_ways || is_cancelled(options.monitor)) break;
    const std::size_t count = std::min(kBatch, left.size() - begin);
    parallel_for(options.threads, count, [&](std::size_t k) {
      Way& way = result.ways[left[begin + k]];
      prove_way(problem, way);
      if (way.status == WayStatus::Blocked && options.how_far) {
        Coherence coherence;
        measure_blocked(problem, options, way, coherence);
      }
    });
    for (std::size_t k = 0; k < count; ++k) {
      if (result.ways[left[begin + k]].status == WayStatus::Free) ++free;
    }
    report_progress(options.monitor, "directions",
                    static_cast<double>(begin + count) / static_cast<double>(left.size()));
  }
  double widest = 0.0;
  for (const Way& way : result.ways) {
    result.work += way.work;
    if (way.status == WayStatus::Blocked) ++result.blocked;
    if (way.status == WayStatus::Free) widest = std::max(widest, way.clearance_lower);
  }
  const auto best = std::find_if(result.ways.begin(), result.ways.end(), [&](const Way& way) {
    return way.status == WayStatus::Free && way.clearance_lower >= kWideEnough * widest;
  });
  result.found = best != result.ways.end();
  if (result.found) result.best = static_cast<std::size_t>(best - result.ways.begin());
  return result;
}

std::optional<std::size_t> part_of_triangle(const Mesh& mesh, std::uint32_t triangle) {
  for (std::size_t i = 0; i < mesh.parts().size(); ++i) {
    const MeshPart& part = mesh.parts()[i];
    if (triangle >= part.first_triangle && triangle - part.first_triangle < part.triangle_count) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace clearance
