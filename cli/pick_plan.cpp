// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pick_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <clearance/plan/plan.h>
#include <clearance/plan/problem.h>
#include <clearance/query/shapes.h>
#include <clearance/query/solid.h>

namespace clearance::cli {
namespace {

/// Grasps that are tried along the way of the part alone: a proof each.
constexpr std::size_t kMostFollowed = 64;
/// Grasps that get a search of their own...
constexpr std::size_t kMostSearched = 3;
/// ...each turned by this much [rad] or moved by this part of the part's diagonal against those
/// before: neighbours on the part are stopped by the same things.
constexpr double kOtherTurn = 0.6;
constexpr double kOtherPlace = 0.15;
/// Distances at most for one proof; what takes more goes along a surface too closely to be used.
constexpr std::size_t kLooks = 200'000;
/// Of the room at the start, what a way must keep of it.
constexpr double kShareOfRoom = 0.5;
/// In the end there is this much room below, as a part of the part's diagonal.
constexpr double kRoomBelow = 0.02;

double lowest(const Mesh& mesh, const Pose& world_from_mesh) {
  return transformed(mesh, world_from_mesh).bounds().low.z;
}

/// A point as the octahedron around its ball: the least triangles that hold it.
void add_octahedron(const Vec3& p, double radius, std::vector<Vec3>& vertices,
                    std::vector<Face>& faces) {
  // Its faces are at the radius when its corners are at this.
  const double corner = std::sqrt(3.0) * radius * (1.0 + 1e-12);
  const auto first = static_cast<std::uint32_t>(vertices.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double side : {1.0, -1.0}) {
      Vec3 v = p;
      v[axis] += side * corner;
      vertices.push_back(v);
    }
  }
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t x = first + (i & 1U);
    const std::uint32_t y = first + 2 + (i >> 1U & 1U);
    const std::uint32_t z = first + 4 + (i >> 2U & 1U);
    // Every other octant is the mirror image of its neighbours.
    const bool is_even = ((i ^ i >> 1U ^ i >> 2U) & 1U) == 0;
    faces.push_back(is_even ? Face{x, y, z} : Face{x, z, y});
  }
}

/// What stands around one candidate.
struct Surroundings {
  std::optional<Model> all;
  Box region;  ///< of pile and bin, and the candidate
};

class Finder {
 public:
  Finder(const WayOutScene& scene, const Candidate& candidate)
      : scene_(scene),
        start_(scene.pile.parts[candidate.part]),
        number_(candidate.part),
        part_size_(scene.part.mesh().bounds().diagonal()) {
    for (const FreeGrasp& free : candidate.free) grasps_.push_back(free.grasp);
    grasps_.insert(grasps_.end(), candidate.retreat_blocked.begin(),
                   candidate.retreat_blocked.end());
    // Numbers are in the order of quality.
    std::sort(grasps_.begin(), grasps_.end());
  }

  Result<WayOut> run() {
    if (Status status = look_around(); !status) return status.error();
    const std::optional<Model> part = relieved_part();
    if (!part) return ended(WayOutStatus::TooDeep);
    PlanProblem problem{*part, *around_.all, start_, goal_, bounds_, 0.0, true};
    keep_away(problem);
    if (!check_problem(problem)) return ended(WayOutStatus::NoRoomAbove);
    const Plan alone = search(problem);
    way_.resolution = alone.resolution;
    switch (alone.status) {
      case PlanStatus::Found:
        break;
      case PlanStatus::Cancelled:
        return cancelled();
      case PlanStatus::NoPath:
        return ended(WayOutStatus::Locked);
      case PlanStatus::OutOfBudget:
      case PlanStatus::OutOfTime:
        return ended(WayOutStatus::NotFound);
    }
    for (std::size_t i = 0; i < std::min(grasps_.size(), kMostFollowed); ++i) {
      if (is_cancelled(scene_.asked.monitor)) return cancelled();
      ++way_.tried;
      if (Status status = hold(problem, part->mesh(), grasps_[i]); !status) return status.error();
      if (check_problem(problem) && is_free(problem, alone.path, grasps_[i])) return found();
    }
    for (const std::uint32_t grasp : different_grasps()) {
      if (Status status = hold(problem, part->mesh(), grasp); !status) return status.error();
      if (!check_problem(problem)) continue;
      const Plan plan = search(problem);
      if (plan.status == PlanStatus::Cancelled) return cancelled();
      if (plan.status == PlanStatus::Found && is_free(problem, plan.path, grasp)) return found();
    }
    return ended(WayOutStatus::GripperStuck);
  }

 private:
  [[nodiscard]] Error cancelled() const { return {ErrorCode::Cancelled, "", "", "cancelled", ""}; }
  WayOut ended(WayOutStatus status) {
    way_.status = status;
    return way_;
  }
  WayOut found() { return ended(WayOutStatus::Found); }

  Plan search(const PlanProblem& problem) {
    PlanOptions options;
    options.operations = scene_.operations;
    // Narrower than what counts as touching is no way.
    options.resolution = scene_.asked.contact;
    options.threads = scene_.asked.threads;
    options.monitor = scene_.asked.monitor;
    Plan plan = plan_path(problem, options);
    way_.operations += plan.operations;
    return plan;
  }

  /// The closed gripper, in the part's frame.
  [[nodiscard]] Mesh gripper_at(std::uint32_t grasp) const {
    const Grasp& g = scene_.grasps[grasp];
    const double width = std::clamp(g.width, 0.0, scene_.gripper.opening());
    return transformed(scene_.gripper.mesh_at(width), g.part_from_gripper);
  }

  /// Part and closed gripper as one body.
  Status hold(PlanProblem& problem, const Mesh& part, std::uint32_t grasp) const {
    const Mesh both[] = {part, gripper_at(grasp)};
    const std::string names[] = {"part", "gripper"};
    const Result<Mesh> mesh = merged(both, names);
    if (!mesh) return mesh.error();
    Result<Model> body = Model::build(*mesh, {.threads = scene_.asked.threads});
    if (!body) return body.error();
    problem.body = *std::move(body);
    keep_away(problem);
    return {};
  }

  /// A way that grazes is of no use: as much room as the contact is asked for, or half of what
  /// there is at the start.
  void keep_away(PlanProblem& problem) const {
    const double contact = scene_.asked.contact;
    const double room =
        distance(problem.obstacles, problem.body, start_, {.upper_bound = 2.0 * contact}).distance;
    problem.clearance = std::min(contact, kShareOfRoom * room);
  }

  /// Part and gripper along a way, and the robot.
  bool is_free(const PlanProblem& problem, const PlanPath& path, std::uint32_t grasp) {
    const ProofOptions options{
        .looks = kLooks, .threads = scene_.asked.threads, .monitor = scene_.asked.monitor};
    PathProof proof = prove_path(problem, path, options);
    if (proof.status != ProofStatus::Free) return false;
    if (scene_.asked.robot) {
      std::vector<Pose> world_from_gripper;
      for (const Pose& pose : path.poses)
        world_from_gripper.push_back(pose * scene_.grasps[grasp].part_from_gripper);
      if (!is_reached(*scene_.asked.robot, world_from_gripper)) return false;
    }
    way_.grasp = grasp;
    way_.path = path;
    way_.proof = std::move(proof);
    return true;
  }

  [[nodiscard]] std::vector<std::uint32_t> different_grasps() const {
    std::vector<std::uint32_t> taken;
    for (const std::uint32_t grasp : grasps_) {
      if (taken.size() == kMostSearched) break;
      const Pose& pose = scene_.grasps[grasp].part_from_gripper;
      const bool is_like_another = std::any_of(taken.begin(), taken.end(), [&](std::uint32_t t) {
        const Pose& other = scene_.grasps[t].part_from_gripper;
        return pose_distance(pose, other, Vec3{}, 0.0) < kOtherPlace * part_size_ &&
               turn_between(pose, other) < kOtherTurn;
      });
      if (!is_like_another) taken.push_back(grasp);
    }
    return taken;
  }
  static double turn_between(const Pose& a, const Pose& b) {
    return length_of({Vec3{}, {a, b}}).rotation;
  }

  /// Parts, bin, floor and obstacles as one mesh; goal and bounds of the search.
  Status look_around() {
    std::vector<Mesh> meshes;
    std::vector<std::string> names;
    Box& region = around_.region;
    const Mesh& part = scene_.part.mesh();
    for (std::size_t i = 0; i < scene_.pile.parts.size(); ++i) {
      Mesh placed = transformed(part, scene_.pile.parts[i]);
      region.include(placed.bounds());
      if (i == number_) continue;
      names.push_back("part " + std::to_string(i));
      meshes.push_back(std::move(placed));
    }
    if (Mesh walls = mesh_of(walls_of(scene_.pile.bin)); !walls.empty()) {
      region.include(walls.bounds());
      names.emplace_back("bin");
      meshes.push_back(std::move(walls));
    }
    find_goal();
    add_floor(meshes, names);
    for (const Model& model : scene_.obstacles.models) {
      names.emplace_back("obstacle");
      meshes.push_back(model.mesh());
    }
    // What a depth camera saw, as far as the search may reach, but the candidate itself.
    const Sphere reach{bounds_.center(), 0.5 * bounds_.diagonal() + part_size_ + gripper_size_};
    for (const DepthMap& map : scene_.obstacles.seen) {
      const Result<std::optional<Model>> seen = model_without(
          map, scene_.part, start_, scene_.asked.contact, reach, scene_.asked.threads);
      if (!seen) return seen.error();
      if (!*seen) continue;
      names.emplace_back("seen");
      meshes.push_back((*seen)->mesh());
    }
    if (Status status = add_points(meshes, names); !status) return status;
    const Result<Mesh> all = merged(meshes, names);
    if (!all) return all.error();
    Result<Model> model = Model::build(*all, {.threads = scene_.asked.threads});
    if (!model) return model.error();
    around_.all = *std::move(model);
    return {};
  }

  /// Straight above where the part lies, above everything in the bin.
  void find_goal() {
    double low = lowest(scene_.part.mesh(), start_);
    gripper_size_ = scene_.gripper.open().mesh().bounds().diagonal();
    for (std::size_t i = 0; i < std::min(grasps_.size(), kMostFollowed); ++i)
      low = std::min(low, lowest(gripper_at(grasps_[i]), start_));
    const double height =
        std::max(scene_.asked.retreat, around_.region.high.z - low + kRoomBelow * part_size_);
    goal_ = start_;
    goal_.translation.z += height;
    // Beside the pile there is room for part and gripper however they are turned.
    const double beside = part_size_ + gripper_size_;
    Box bounds = around_.region;
    bounds.include(bounds.high + Vec3{0.0, 0.0, height});
    bounds.low -= Vec3{beside, beside, 0.0};
    bounds.high += Vec3{beside, beside, beside};
    bounds.low.z = std::min(bounds.low.z, 0.0);
    bounds_ = bounds;
  }

  /// The floor goes on for ever: under all that the search may reach.
  void add_floor(std::vector<Mesh>& meshes, std::vector<std::string>& names) const {
    const double beyond = 2.0 * (part_size_ + gripper_size_);
    const Box floor{{bounds_.low.x - beyond, bounds_.low.y - beyond, -beyond},
                    {bounds_.high.x + beyond, bounds_.high.y + beyond, 0.0}};
    names.emplace_back("floor");
    meshes.push_back(mesh_of({&floor, 1}));
  }

  /// Points that a camera saw, but those of the candidate itself.
  Status add_points(std::vector<Mesh>& meshes, std::vector<std::string>& names) const {
    const Pose part_from_world = inverse(start_);
    for (const PointCloud& cloud : scene_.obstacles.points) {
      std::vector<Vec3> vertices;
      std::vector<Face> faces;
      const double own = cloud.radius() + scene_.asked.contact;
      const Vec3 middle = scene_.part.mesh().bounds().center();
      for (const Vec3& point : cloud.points()) {
        const Vec3 p = part_from_world * point;
        const bool is_near = distance(p, middle) < part_size_ + own;
        if (is_near &&
            (scene_.part.side(p) == Side::Inside || distance(scene_.part.bvh(), p).distance < own))
          continue;
        add_octahedron(point, cloud.radius(), vertices, faces);
      }
      if (faces.empty()) continue;
      Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces));
      if (!mesh) return mesh.error();
      names.emplace_back("points");
      meshes.push_back(*std::move(mesh));
    }
    return {};
  }

  /// The part, made smaller by at most the contact where it touches; nothing when that frees it
  /// not. By all of it, so that there is room to leave: the straight lift moves parts apart by as
  /// much.
  std::optional<Model> relieved_part() {
    PlanProblem problem{scene_.part, *around_.all, start_, std::nullopt, std::nullopt, 0.0, true};
    const double contact = scene_.asked.contact;
    if (distance(*around_.all, scene_.part, start_, {.upper_bound = contact}).distance >= contact)
      return scene_.part;
    const Result<Model> smaller = Model::build(relieved(scene_.part.mesh(), contact));
    if (!smaller) return std::nullopt;
    problem.body = *smaller;
    if (check_problem(problem)) {
      way_.relief = contact;
      return *smaller;
    }
    // Fine features turn over where the relief is deep.
    problem.body = scene_.part;
    const Result<Relief> least = relieve_start(problem, contact);
    if (!least) return std::nullopt;
    way_.relief = least->depth;
    return least->body;
  }

  const WayOutScene& scene_;
  Pose start_;
  std::size_t number_;
  double part_size_;
  double gripper_size_ = 0.0;
  std::vector<std::uint32_t> grasps_;
  Surroundings around_;
  Pose goal_;
  Box bounds_;
  WayOut way_;
};

}  // namespace

const char* name_of(WayOutStatus status) {
  switch (status) {
    case WayOutStatus::Found:
      return "found";
    case WayOutStatus::Locked:
      return "locked";
    case WayOutStatus::NotFound:
      return "not found";
    case WayOutStatus::GripperStuck:
      return "gripper stuck";
    case WayOutStatus::TooDeep:
      return "too deep";
    case WayOutStatus::NoRoomAbove:
      break;
  }
  return "no room above";
}

bool may_come_out(const Candidate& candidate) {
  return (candidate.is_buried && !candidate.free.empty()) || !candidate.retreat_blocked.empty();
}

Result<WayOut> find_way_out(const WayOutScene& scene, const Candidate& candidate) {
  return Finder(scene, candidate).run();
}

}  // namespace clearance::cli
