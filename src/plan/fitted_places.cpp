// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fitted_places.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/query/shapes.h>

namespace clearance::detail {
namespace {

// The part of all work that these places are worth (decision 0009).
constexpr double kPartOfWork = 0.3;
// Attempts at one place, and at one passage; limbs that are tried in one passage.
constexpr int kAttempts = 40;
constexpr int kPassageAttempts = 200;
constexpr int kTries = 16;
// After so many vain searches for a passage of one surface only the other's are looked for.
constexpr int kMostFailures = 2;
// Limbs that are known of a surface, and how many tell how thin they are.
constexpr std::size_t kLimbs = 256;
constexpr std::size_t kFewLimbs = 32;
// Points sampled on a surface in one go: so many, and one for so many triangles, since each go is a
// pass over all of them.
constexpr std::size_t kSamples = 2048;
constexpr std::size_t kTrianglesOfSample = 16;
// Rays through a point that tell what is round about, as far as so many widths.
constexpr int kRays = 16;
constexpr double kRoundAbout = 1.5;
// Walls face each other when the cosine between their normals is at most this.
constexpr double kFacing = -0.5;
// How aslant a ray from a wall may be: this part of a unit vector is added to the normal.
constexpr double kAslant = 0.7;
// Eigenvalues of the normals round about, as parts of their sum: below this there are no walls that
// way, and where the least is above that there are walls all round.
constexpr double kNoWalls = 0.06;
constexpr double kWallsAllRound = 0.25;
// Rays begin so far off their wall, as a part of the size of the body.
constexpr double kAside = 1e-6;
// What a ray takes beside its tests.
constexpr std::uint64_t kOperationsOfRay = 100;

RayHit shoot(const Model& model, const Vec3& from, const Vec3& direction, double farthest,
             FreeSpace& space) {
  const RayHit hit = first_hit(model.bvh(), from, direction, farthest);
  space.count(hit.work);
  space.count(kOperationsOfRay);
  return hit;
}

}  // namespace

FittedPlaces::FittedPlaces(const PlanProblem& problem, const BodyMeasures& measures,
                           const Box& bounds, std::uint64_t seed)
    : problem_(problem),
      measures_(measures),
      random_(seed),
      sides_{{{&problem.obstacles, bounds, seed},
              {&problem.body, problem.body.bvh().bounds(), seed}}} {}

Vec3 FittedPlaces::random_direction() {
  const double z = random_.uniform(-1.0, 1.0);
  const double angle = random_.uniform(0.0, 2.0 * std::numbers::pi);
  const double r = std::sqrt(std::max(0.0, 1.0 - z * z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

std::optional<SurfaceSample> FittedPlaces::sample(Side& side, FreeSpace& space) {
  if (side.samples.empty()) {
    const Mesh& mesh = side.model->mesh();
    const std::size_t count = kSamples + mesh.triangle_count() / kTrianglesOfSample;
    side.samples = sample_surface(mesh, count, side.seed++, Threads{1});
    space.count(mesh.triangle_count());
    if (side.samples.empty()) return std::nullopt;
  }
  const SurfaceSample last = side.samples.back();
  side.samples.pop_back();
  return last;
}

std::optional<FittedPlaces::Chord> FittedPlaces::chord(const Model& model, const Vec3& point,
                                                       const Vec3& across, FreeSpace& space) const {
  // What is wider than the body is long holds it nowhere.
  const double widest = 2.0 * measures_.reach;
  const RayHit one = shoot(model, point, across, widest, space);
  // From within a solid there is no passage to be seen.
  if (!one.hit || (problem_.solid && dot(one.normal, across) >= 0.0)) return std::nullopt;
  const RayHit other = shoot(model, point, -across, widest - one.distance, space);
  if (!other.hit || (problem_.solid && dot(other.normal, across) <= 0.0)) return std::nullopt;
  const Vec3 towards = dot(one.normal, across) > 0.0 ? -one.normal : one.normal;
  const Vec3 back = dot(other.normal, across) < 0.0 ? -other.normal : other.normal;
  if (dot(towards, back) > kFacing) return std::nullopt;
  return Chord{point + 0.5 * (one.distance - other.distance) * across,
               one.distance + other.distance, normalized(back - towards)};
}

FittedPlaces::Feature FittedPlaces::feature_at(const Model& model, const Vec3& middle,
                                               const Vec3& across, double width, FreeSpace& space) {
  Mat3 normals = outer(across, across);
  double count = 1.0;
  for (int i = 0; i < kRays; ++i) {
    const RayHit hit = shoot(model, middle, random_direction(), kRoundAbout * width, space);
    if (!hit.hit) continue;
    normals = normals + outer(hit.normal, hit.normal);
    count += 1.0;
  }
  const SymmetricEigen eigen = eigen_of_symmetric((1.0 / count) * normals);
  Feature feature{middle, eigen.vectors.column(2), eigen.vectors.column(0), width};
  if (eigen.values.z > kWallsAllRound) {
    feature.along = random_direction();
    feature.across = any_perpendicular(feature.along);
  } else if (eigen.values.y < kNoWalls) {
    // Between two planes every way along them is as good.
    const double angle = random_.uniform(0.0, 2.0 * std::numbers::pi);
    feature.along =
        std::cos(angle) * eigen.vectors.column(1) + std::sin(angle) * eigen.vectors.column(2);
  }
  return feature;
}

std::optional<FittedPlaces::Feature> FittedPlaces::find_passage(Side& side, double least,
                                                                FreeSpace& space) {
  const Model& model = *side.model;
  for (int i = 0; i < kPassageAttempts; ++i) {
    const std::optional<SurfaceSample> wall = sample(side, space);
    if (!wall) break;
    Vec3 off = normalized(wall->normal + kAslant * random_.uniform() * random_direction());
    if (!problem_.solid && random_.below(2) == 0) off = -off;
    const Vec3 point = wall->point + 2.0 * kAside * measures_.reach * off;
    if (!inside(side.bounds, point)) continue;
    // To the middle of a chord from the wall, of one along the normals, and of one across both.
    auto found = chord(model, point, off, space);
    if (!found || found->width <= least) continue;
    found = chord(model, found->middle, found->normal, space);
    if (!found || found->width <= least) continue;
    const Feature feature = feature_at(model, found->middle, found->normal, found->width, space);
    const Vec3 third = cross(feature.along, feature.across);
    const auto across = chord(model, found->middle, third, space);
    if (across && across->width > least)
      return feature_at(model, across->middle, third, across->width, space);
  }
  return std::nullopt;
}

void FittedPlaces::find_limb(Side& side, FreeSpace& space) {
  if (side.limbs.size() >= kLimbs) return;
  const std::optional<SurfaceSample> from = sample(side, space);
  if (!from) return;
  const Vec3& normal = from->normal;
  const double aside = 2.0 * kAside * measures_.reach;
  const RayHit through =
      shoot(*side.model, from->point - aside * normal, -normal, 2.0 * measures_.reach, space);
  const bool is_thick = through.hit && dot(through.normal, normal) < 0.0;
  const double width = is_thick ? through.distance : 0.0;
  side.thinnest = std::min(side.thinnest, width);
  if (is_thick) {
    side.limbs.push_back(
        feature_at(*side.model, from->point - 0.5 * width * normal, normal, width, space));
    return;
  }
  // A sheet: any way along it is as good.
  const Vec3 aslant = any_perpendicular(normal);
  const double angle = random_.uniform(0.0, 2.0 * std::numbers::pi);
  const Vec3 along = std::cos(angle) * aslant + std::sin(angle) * cross(normal, aslant);
  side.limbs.push_back({from->point, along, normal, 0.0});
}

bool FittedPlaces::choose_passage(FreeSpace& space) {
  side_ = 1 - side_;
  if (sides_[side_].failures >= kMostFailures) side_ = 1 - side_;
  const Side& other = sides_[1 - side_];
  const double least =
      other.limbs.size() < kFewLimbs ? 0.0 : other.thinnest + 2.0 * problem_.clearance;
  const std::optional<Feature> found = find_passage(sides_[side_], least, space);
  if (!found) {
    ++sides_[side_].failures;
    return false;
  }
  sides_[side_].failures = 0;
  passage_ = *found;
  tries_ = kTries;
  return true;
}

Place FittedPlaces::place_of_fit(const Feature& limb) {
  // Either way round, and turned about the axis: by quarters, as most limbs and passages are alike,
  // or anyhow.
  const double sign = random_.below(2) == 0 ? 1.0 : -1.0;
  const double angle = random_.below(2) == 0
                           ? 0.5 * std::numbers::pi * static_cast<double>(random_.below(4))
                           : random_.uniform(0.0, 2.0 * std::numbers::pi);
  const Vec3 along = sign * passage_.along;
  const Vec3 across =
      std::cos(angle) * passage_.across + std::sin(angle) * cross(passage_.along, passage_.across);
  const Mat3 of_passage = Mat3::from_columns(along, across, cross(along, across));
  const Mat3 of_limb = Mat3::from_columns(limb.along, limb.across, cross(limb.along, limb.across));
  const bool is_body = side_ == 1;
  const Mat3 rotation =
      (is_body ? of_limb : of_passage) * transpose(is_body ? of_passage : of_limb);
  const Vec3& in_world = is_body ? limb.middle : passage_.middle;
  const Vec3& in_body = is_body ? passage_.middle : limb.middle;
  return {in_world + rotation * (measures_.pivot - in_body), unit(quaternion_from(rotation))};
}

bool FittedPlaces::is_due(const FreeSpace& space) const {
  return static_cast<double>(operations_) < kPartOfWork * static_cast<double>(space.operations());
}

std::optional<Place> FittedPlaces::next(FreeSpace& space) {
  const std::uint64_t before = space.operations();
  const std::optional<Place> place = find(space);
  operations_ += space.operations() - before;
  return place;
}

std::optional<Place> FittedPlaces::find(FreeSpace& space) {
  for (int i = 0; i < kAttempts; ++i) {
    for (Side& side : sides_) find_limb(side, space);
    if (tries_ == 0 && !choose_passage(space)) continue;
    --tries_;
    const std::vector<Feature>& limbs = sides_[1 - side_].limbs;
    if (limbs.empty()) continue;
    const Place place = place_of_fit(limbs[random_.below(limbs.size())]);
    if (space.is_clear(place)) return place;
  }
  return std::nullopt;
}

}  // namespace clearance::detail
