// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fitted_places.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/query/shapes.h>

namespace clearance::detail {
namespace {

// The part of all work that these places are worth (decision 0009).
constexpr double kPartOfWork = 0.3;
// Attempts at one place, and at one passage; limbs that are tried in one passage.
constexpr int kAttempts = 40;
constexpr int kPassageAttempts = 500;
constexpr int kTries = 16;
// A passage or a place that so many operations did not find is given up: the next call goes on.
constexpr std::uint64_t kMostOperations = 1'000'000;
// A surface without passages leaves twice as many turns to the other each time, at most two to this
// power.
constexpr unsigned kLongestWait = 6;
// Limbs that are known of a surface, and how many tell how thin they are.
constexpr std::size_t kLimbs = 256;
constexpr std::size_t kFewLimbs = 32;
// Points sampled on a surface in one go: so many, and one for so many triangles, since each go is a
// pass over all of them.
constexpr std::size_t kSamples = 2048;
constexpr std::size_t kTrianglesOfSample = 16;
constexpr std::size_t kMostSamples = 65'536;
// How many of them tell how the surface is wound.
constexpr std::size_t kProbes = 32;
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
constexpr std::uint64_t kOperationsOfSample = 20;

/// Where a ray first meets the surface, with the normal as wound.
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
      bounds_(bounds),
      has_rays_(problem.obstacles.bvh().volume() == Volume::Wide &&
                problem.body.bvh().volume() == Volume::Wide),
      random_(seed),
      surfaces_{{surface_of(problem.obstacles, bounds, problem.solid),
                 surface_of(problem.body, problem.body.bvh().bounds(), problem.solid)}} {
  // The body reaches that far beyond the bounds of its pivot.
  surfaces_[0].bounds.low -= Vec3{measures.reach, measures.reach, measures.reach};
  surfaces_[0].bounds.high += Vec3{measures.reach, measures.reach, measures.reach};
}

FittedPlaces::Surface FittedPlaces::surface_of(const Model& model, const Box& bounds, bool solid) {
  const bool has_inside = solid && model.is_solid();
  return {&model, bounds, has_inside, solid ? 1.0 : 0.0};
}

Vec3 FittedPlaces::random_direction() {
  const double z = random_.uniform(-1.0, 1.0);
  const double angle = random_.uniform(0.0, 2.0 * std::numbers::pi);
  const double r = std::sqrt(std::max(0.0, 1.0 - z * z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

std::optional<SurfaceSample> FittedPlaces::sample(Surface& surface, FreeSpace& space) {
  if (surface.samples.empty()) {
    const Mesh& mesh = surface.model->mesh();
    const std::size_t count =
        std::min(kMostSamples, kSamples + mesh.triangle_count() / kTrianglesOfSample);
    surface.samples = sample_surface(mesh, count, random_.next(), Threads{1});
    space.count(mesh.triangle_count());
    // Wound outward, inward, or now so and now so.
    if (surface.has_inside) {
      std::size_t inward = 0;
      const std::size_t probes = std::min(kProbes, surface.samples.size());
      for (std::size_t i = 0; i < probes; ++i) {
        const SurfaceSample& probe = surface.samples[i];
        if (is_inside(surface, probe.point + aside() * probe.normal, space)) ++inward;
      }
      // A few may be where solids overlap.
      surface.outward = 8 * inward <= probes ? 1.0 : (8 * inward >= 7 * probes ? -1.0 : 0.0);
    }
  }
  space.count(kOperationsOfSample);
  if (surface.samples.empty()) return std::nullopt;
  SurfaceSample last = surface.samples.back();
  surface.samples.pop_back();
  if (surface.outward < 0.0 ||
      (surface.outward == 0.0 && is_inside(surface, last.point + aside() * last.normal, space)))
    last.normal = -last.normal;
  return last;
}

double FittedPlaces::aside() const { return 2.0 * kAside * measures_.reach; }

bool FittedPlaces::is_inside(const Surface& surface, const Vec3& point, FreeSpace& space) {
  if (!surface.has_inside) return false;
  space.count(2 * kOperationsOfRay);
  return surface.model->side(point) == Side::Inside;
}

std::optional<FittedPlaces::Chord> FittedPlaces::chord(const Surface& surface, const Vec3& point,
                                                       const Vec3& across, FreeSpace& space) const {
  // What is wider than the body is long holds it nowhere.
  const double widest = 2.0 * measures_.reach;
  const RayHit one = shoot(*surface.model, point, across, widest, space);
  // From within a solid there is no passage to be seen.
  if (!one.hit || surface.outward * dot(one.normal, across) > 0.0) return std::nullopt;
  const RayHit other = shoot(*surface.model, point, -across, widest - one.distance, space);
  if (!other.hit || surface.outward * dot(other.normal, across) < 0.0) return std::nullopt;
  const Vec3 towards = dot(one.normal, across) > 0.0 ? -one.normal : one.normal;
  const Vec3 back = dot(other.normal, across) < 0.0 ? -other.normal : other.normal;
  if (dot(towards, back) > kFacing) return std::nullopt;
  const Vec3 middle = point + 0.5 * (one.distance - other.distance) * across;
  if (surface.outward == 0.0 && is_inside(surface, middle, space)) return std::nullopt;
  return Chord{middle, one.distance + other.distance, normalized(back - towards)};
}

FittedPlaces::Feature FittedPlaces::feature_at(const Surface& surface, const Vec3& middle,
                                               const Vec3& across, double width, FreeSpace& space) {
  Mat3 normals = outer(across, across);
  double count = 1.0;
  for (int i = 0; i < kRays; ++i) {
    const RayHit hit =
        shoot(*surface.model, middle, random_direction(), kRoundAbout * width, space);
    if (!hit.hit) continue;
    normals = normals + outer(hit.normal, hit.normal);
    count += 1.0;
  }
  const SymmetricEigen eigen = eigen_of_symmetric((1.0 / count) * normals);
  Feature feature{middle, eigen.vectors.column(2), eigen.vectors.column(0)};
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

std::optional<FittedPlaces::Feature> FittedPlaces::find_passage(Surface& surface, double least,
                                                                FreeSpace& space) {
  const std::uint64_t begin = space.operations();
  for (int i = 0; i < kPassageAttempts && space.operations() - begin < kMostOperations; ++i) {
    const std::optional<SurfaceSample> wall = sample(surface, space);
    if (!wall) break;
    const Vec3 aslant = random_direction();
    Vec3 off = normalized(wall->normal + kAslant * random_.uniform() * aslant);
    if (!problem_.solid && random_.below(2) == 0) off = -off;
    const Vec3 point = wall->point + aside() * off;
    if (!inside(surface.bounds, point)) continue;
    // To the middle of a chord from the wall, of one along the normals, and of one across both:
    // with walls to all four sides.
    auto found = chord(surface, point, off, space);
    if (!found || found->width <= least) continue;
    found = chord(surface, found->middle, found->normal, space);
    if (!found || found->width <= least) continue;
    const Feature feature = feature_at(surface, found->middle, found->normal, found->width, space);
    const Vec3 third = cross(feature.along, feature.across);
    const auto across = chord(surface, found->middle, third, space);
    if (across && across->width > least)
      return feature_at(surface, across->middle, third, across->width, space);
  }
  return std::nullopt;
}

void FittedPlaces::find_limb(Surface& surface, FreeSpace& space) {
  const std::optional<SurfaceSample> from = sample(surface, space);
  if (!from) return;
  const Vec3& normal = from->normal;
  const RayHit through =
      shoot(*surface.model, from->point - aside() * normal, -normal, 2.0 * measures_.reach, space);
  const Vec3 half_way = from->point - 0.5 * through.distance * normal;
  const bool is_thick = through.hit && (surface.has_inside ? is_inside(surface, half_way, space)
                                                           : dot(through.normal, normal) < 0.0);
  // Of a solid that is no limb: it is thicker than the body could go round.
  if (surface.has_inside && !is_thick) return;
  const double width = is_thick ? through.distance : 0.0;
  surface.thinnest = std::min(surface.thinnest, width);
  Feature limb;
  if (is_thick) {
    limb = feature_at(surface, half_way, normal, width, space);
  } else {
    // A sheet: any way along it is as good.
    const Vec3 sideways = any_perpendicular(normal);
    const double angle = random_.uniform(0.0, 2.0 * std::numbers::pi);
    limb = {from->point, std::cos(angle) * sideways + std::sin(angle) * cross(normal, sideways),
            normal};
  }
  if (surface.limbs.size() < kLimbs)
    surface.limbs.push_back(limb);
  else
    surface.limbs[surface.limb_count % kLimbs] = limb;
  ++surface.limb_count;
}

bool FittedPlaces::choose_passage(FreeSpace& space) {
  side_ = 1 - side_;
  if (surfaces_[side_].waits > 0) {
    --surfaces_[side_].waits;
    if (surfaces_[1 - side_].waits <= surfaces_[side_].waits) side_ = 1 - side_;
  }
  Surface& surface = surfaces_[side_];
  const Surface& other = surfaces_[1 - side_];
  const double least =
      other.limbs.size() < kFewLimbs ? 0.0 : other.thinnest + 2.0 * problem_.clearance;
  const std::optional<Feature> found = find_passage(surface, least, space);
  if (!found) {
    surface.failures = std::min(surface.failures + 1, kLongestWait);
    surface.waits = (1U << surface.failures) - 1;
    return false;
  }
  surface.failures = 0;
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
  return has_rays_ &&
         static_cast<double>(operations_) < kPartOfWork * static_cast<double>(space.operations());
}

std::optional<Place> FittedPlaces::next(FreeSpace& space) {
  const std::uint64_t before = space.operations();
  const std::optional<Place> place = find(space);
  operations_ += space.operations() - before;
  return place;
}

std::optional<Place> FittedPlaces::find(FreeSpace& space) {
  if (!has_rays_) return std::nullopt;
  const std::uint64_t begin = space.operations();
  for (int i = 0; i < kAttempts && space.operations() - begin < kMostOperations; ++i) {
    for (Surface& surface : surfaces_) {
      // Once there are many, one is replaced for each passage.
      if (surface.limbs.size() < kLimbs || tries_ == 0) find_limb(surface, space);
    }
    if (tries_ == 0 && !choose_passage(space)) return std::nullopt;
    --tries_;
    const std::vector<Feature>& limbs = surfaces_[1 - side_].limbs;
    if (limbs.empty()) continue;
    const Place place = place_of_fit(limbs[random_.below(limbs.size())]);
    if (inside(bounds_, place.position) && space.is_clear(place)) return place;
  }
  return std::nullopt;
}

}  // namespace clearance::detail
