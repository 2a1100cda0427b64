// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tree over spheres: sphere models against each other, against meshes, and against anything that
// can say how far a point is from it. And sphere models in front of meshes: answers from the
// spheres where they decide, from the meshes where they do not, and the same answers in the end.
//
// Nodes have up to eight children, each a ball around everything below it, in single precision
// rounded outward; eight balls are compared at a time. Spheres are solid.
//
// Answers are those of brute force over all pairs of spheres at the exact pose: collide() is true
// whenever two touch, and a gap below kSphereRounding of the coordinates may be called contact,
// never the other way. Poses that are not answered (query.h) are contact. A SphereTree is an
// immutable value: copies share their data, and any number of threads may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <clearance/base/result.h>
#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>
#include <clearance/query/shapes.h>

namespace clearance {

/// Gaps that may be called contact, as a fraction of the coordinates in either frame: what a pose
/// and a root round away.
inline constexpr double kSphereRounding = 1e-14;

inline constexpr std::uint32_t kNoSphere = 0xffffffffU;

class SphereTree {
 public:
  /// Errors: no sphere; a centre or radius that is not finite or beyond kLargestTranslation; a
  /// negative radius. Cost: n log n; a thousand spheres take well under a millisecond.
  static Result<SphereTree> build(std::span<const Sphere> spheres);

  /// As given, in their order.
  [[nodiscard]] std::span<const Sphere> spheres() const;
  /// A ball around all of them [m].
  [[nodiscard]] Sphere bounds() const;

  struct Data;
  [[nodiscard]] const Data& data() const { return *data_; }

 private:
  explicit SphereTree(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

struct SphereCollision {
  bool hit = false;
  std::uint32_t sphere_a = kNoSphere;  ///< a pair that touches, when hit
  std::uint32_t sphere_b = kNoSphere;  ///< kNoSphere for what is not made of spheres
  std::uint64_t volume_tests = 0;      ///< pairs of bounding balls
};
/// Do two sphere models have a point in common? Points of B are placed by a_from_b.
[[nodiscard]] SphereCollision collide(const SphereTree& a, const SphereTree& b,
                                      const Pose& a_from_b);
/// Does a sphere touch the surface of the mesh?
[[nodiscard]] SphereCollision collide(const SphereTree& spheres, const Bvh& mesh,
                                      const Pose& spheres_from_mesh);

struct SphereDistance {
  /// [m]; 0 when they touch; infinity when nothing is closer than the upper bound.
  double distance = std::numeric_limits<double>::infinity();
  std::uint32_t sphere_a = kNoSphere;  ///< the closest pair; of equally close ones any, but always
  std::uint32_t sphere_b = kNoSphere;  ///< the same
  std::uint64_t volume_tests = 0;
};
/// How far apart are two sphere models? Distances at or above upper_bound do not matter.
[[nodiscard]] SphereDistance distance(const SphereTree& a, const SphereTree& b,
                                      const Pose& a_from_b,
                                      double upper_bound = std::numeric_limits<double>::infinity());
[[nodiscard]] SphereDistance distance(const SphereTree& spheres, const Bvh& mesh,
                                      const Pose& spheres_from_mesh,
                                      double upper_bound = std::numeric_limits<double>::infinity());

/// How far a point, in the frame of the spheres, is from something [m]: 0 inside, never too large.
/// Contours and the links of chains are reached this way (docs/cover.md has the lines).
using PointDistance = std::function<double(const Vec3&)>;
[[nodiscard]] SphereDistance distance(const SphereTree& spheres, const PointDistance& thing,
                                      double upper_bound = std::numeric_limits<double>::infinity());

/// Are they at `limit` [m] or closer? Never a false "no".
[[nodiscard]] bool within(const SphereTree& a, const SphereTree& b, const Pose& a_from_b,
                          double limit);
[[nodiscard]] bool within(const SphereTree& spheres, const Bvh& mesh, const Pose& spheres_from_mesh,
                          double limit);
[[nodiscard]] bool within(const SphereTree& spheres, const PointDistance& thing, double limit);

/// What spheres alone can say about two bodies.
enum class SphereVerdict : std::uint8_t {
  Free,       ///< no outer sphere of one touches one of the other
  Hit,        ///< an inner sphere of one touches one of the other
  Undecided,  ///< the meshes have to be asked
};
[[nodiscard]] const char* name_of(SphereVerdict verdict);  ///< "free", "hit", "undecided"

/// A body with spheres that hold all of it and, where it is solid, spheres that lie inside it: both
/// proven when made, so that what they say is what the mesh would. An immutable value.
class LayeredModel {
 public:
  /// `inner` may be empty. Errors: outer spheres that are not proven to cover the body
  /// (verify_cover); an inner sphere that is not proven to lie inside the solid, or any for a body
  /// that is not solid; and those of SphereTree::build.
  static Result<LayeredModel> make(const Model& body, std::span<const Sphere> outer,
                                   std::span<const Sphere> inner);

  [[nodiscard]] const Model& body() const { return body_; }
  [[nodiscard]] const SphereTree& outer() const { return outer_; }
  [[nodiscard]] const std::optional<SphereTree>& inner() const { return inner_; }

 private:
  LayeredModel(Model body, SphereTree outer, std::optional<SphereTree> inner)
      : body_(std::move(body)), outer_(std::move(outer)), inner_(std::move(inner)) {}
  Model body_;
  SphereTree outer_;
  std::optional<SphereTree> inner_;
};

/// The spheres' answer alone.
[[nodiscard]] SphereVerdict verdict(const LayeredModel& a, const LayeredModel& b,
                                    const Pose& a_from_b);

struct LayeredCollision {
  bool hit = false;
  SphereVerdict by_spheres = SphereVerdict::Undecided;  ///< Undecided: the meshes decided
};
/// Do the bodies have a point in common? `hit` is that of collide(Model, Model) of solid.h, but for
/// gaps within rounding.
[[nodiscard]] LayeredCollision collide(const LayeredModel& a, const LayeredModel& b,
                                       const Pose& a_from_b, Coherence* coherence = nullptr);

}  // namespace clearance
