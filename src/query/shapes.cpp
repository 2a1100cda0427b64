// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The queries of shapes.h: which kernel and which leaf test belong to which shape.
#include <cmath>
#include <type_traits>

#include <clearance/base/assert.h>
#include <clearance/query/shapes.h>

#include "query/answerable.h"
#include "query/shapes_composite.h"
#include "query/shapes_leaf.h"
#include "query/wide_shape.h"

namespace clearance {
namespace {

using detail::float_above;

bool is_usable(const Vec3& p) { return norm(p) <= kLargestTranslation; }
bool is_usable(double length) { return length >= 0.0 && length <= kLargestTranslation; }
bool is_usable(const Segment& s) { return is_usable(s.a) && is_usable(s.b); }
bool is_usable(const Sphere& s) { return is_usable(s.center) && is_usable(s.radius); }
bool is_usable(const Capsule& s) { return is_usable(s.axis) && is_usable(s.radius); }
bool is_usable(const OrientedBox& s) {
  return detail::is_answerable(s.world_from_box) && is_usable(s.half_size.x) &&
         is_usable(s.half_size.y) && is_usable(s.half_size.z);
}
bool is_usable(const HalfSpace& s) {
  const double length = norm(s.normal);
  return length > 0.0 && std::isfinite(length) &&
         std::abs(s.offset) / length <= kLargestTranslation;
}
bool is_usable(const ConvexBody& /*checked when made*/) { return true; }
bool is_usable(const PointCloud& /*checked when made*/) { return true; }

/// Anything else is contact.
bool can_answer(const Bvh& mesh, const Shape& shape, const Pose& mesh_from_shape) {
  CLEARANCE_ASSERT(mesh.wide() != nullptr);
  return mesh.wide() != nullptr && detail::is_answerable(mesh_from_shape) &&
         std::visit([](const auto& s) { return is_usable(s); }, shape);
}

template <class Leaf>
class CollideVisitor {
 public:
  explicit CollideVisitor(const Leaf& leaf) : leaf_(leaf), threshold_(float_above(leaf.reach())) {}
  [[nodiscard]] float threshold() const { return threshold_; }
  bool triangle(std::uint32_t t) {
    if constexpr (std::is_same_v<Leaf, detail::BoxLeaf>) {
      if (leaf_.are_apart(t)) return false;
      if (leaf_.touch(t)) {
        found = t;
        return true;
      }
    }
    if (leaf_.closest(t).points.distance > 0.0) return false;
    found = t;
    return true;
  }
  std::uint32_t found = kNoTriangle;

 private:
  const Leaf& leaf_;
  float threshold_;
};

template <class Leaf>
class DistanceVisitor {
 public:
  DistanceVisitor(const Leaf& leaf, double upper_bound) : leaf_(leaf) {
    best.distance = upper_bound;
    tighten();
  }
  [[nodiscard]] float threshold() const { return threshold_; }
  bool triangle(std::uint32_t t) {
    const ClosestPoints points = leaf_.closest(t).points;
    const bool tie = points.distance == best.distance && found != kNoTriangle && t < found;
    if (!(points.distance < best.distance) && !tie) return false;
    best = points;
    found = t;
    tighten();
    return best.distance == 0.0;
  }
  ClosestPoints best;
  std::uint32_t found = kNoTriangle;

 private:
  void tighten() { threshold_ = float_above(best.distance + leaf_.reach()); }
  const Leaf& leaf_;
  float threshold_ = 0.0F;
};

template <class Leaf>
class WithinVisitor {
 public:
  WithinVisitor(const Leaf& leaf, double limit)
      : leaf_(leaf), limit_(limit), threshold_(float_above(limit + leaf.reach())) {}
  [[nodiscard]] float threshold() const { return threshold_; }
  bool triangle(std::uint32_t t) {
    const detail::LeafDistance found_here = leaf_.closest(t);
    if (found_here.points.distance - found_here.error > limit_) return false;
    found = t;
    distance = found_here.points.distance;
    return true;
  }
  std::uint32_t found = kNoTriangle;
  double distance = std::numeric_limits<double>::infinity();

 private:
  const Leaf& leaf_;
  double limit_;
  float threshold_;
};

/// Calls use(leaf, kernel) with what belongs to a simple shape.
template <class Use>
void with_leaf(const Bvh& mesh, const Capsule& shape, const Pose& pose, const Use& use) {
  const detail::SweptLeaf leaf(mesh, shape, pose);
  use(leaf, detail::BoxKernel(*mesh.wide(), leaf.core()));
}
template <class Use>
void with_leaf(const Bvh& mesh, const Vec3& shape, const Pose& pose, const Use& use) {
  with_leaf(mesh, Capsule{{shape, shape}, 0.0}, pose, use);
}
template <class Use>
void with_leaf(const Bvh& mesh, const Segment& shape, const Pose& pose, const Use& use) {
  with_leaf(mesh, Capsule{shape, 0.0}, pose, use);
}
template <class Use>
void with_leaf(const Bvh& mesh, const Sphere& shape, const Pose& pose, const Use& use) {
  with_leaf(mesh, Capsule{{shape.center, shape.center}, shape.radius}, pose, use);
}
template <class Use>
void with_leaf(const Bvh& mesh, const OrientedBox& shape, const Pose& pose, const Use& use) {
  const detail::BoxLeaf leaf(mesh, shape, pose);
  use(leaf, detail::BoxKernel(*mesh.wide(), leaf.core()));
}
template <class Use>
void with_leaf(const Bvh& mesh, const HalfSpace& shape, const Pose& pose, const Use& use) {
  const detail::HalfSpaceLeaf leaf(mesh, shape, pose);
  use(leaf, detail::PlanesKernel(*mesh.wide(), std::span(&leaf.plane(), 1)));
}

template <class S>
constexpr bool kIsComposite = std::is_same_v<S, ConvexBody> || std::is_same_v<S, PointCloud>;

template <class S>
ShapeCollision collide_with(const Bvh& mesh, const S& shape, const Pose& pose) {
  if constexpr (kIsComposite<S>) {
    return detail::collide_composite(mesh, shape, pose);
  } else {
    ShapeCollision result;
    with_leaf(mesh, shape, pose, [&](const auto& leaf, const auto& kernel) {
      CollideVisitor visitor(leaf);
      detail::descend_shape(*mesh.wide(), kernel, visitor, result.work);
      result.triangle = visitor.found;
    });
    result.hit = result.triangle != kNoTriangle;
    return result;
  }
}

template <class S>
ShapeDistance distance_from(const Bvh& mesh, const S& shape, const Pose& pose, double upper_bound) {
  if constexpr (kIsComposite<S>) {
    return detail::distance_composite(mesh, shape, pose, upper_bound);
  } else {
    ShapeDistance result;
    with_leaf(mesh, shape, pose, [&](const auto& leaf, const auto& kernel) {
      DistanceVisitor visitor(leaf, upper_bound);
      detail::descend_shape(*mesh.wide(), kernel, visitor, result.work);
      result.beyond = visitor.found == kNoTriangle;
      if (result.beyond) return;
      result.distance = visitor.best.distance;
      result.on_mesh = visitor.best.on_a;
      result.on_shape = visitor.best.on_b;
      result.triangle = visitor.found;
    });
    return result;
  }
}

template <class S>
ShapeWithin within_of(const Bvh& mesh, const S& shape, double limit, const Pose& pose) {
  if constexpr (kIsComposite<S>) {
    return detail::within_composite(mesh, shape, limit, pose);
  } else {
    ShapeWithin result;
    with_leaf(mesh, shape, pose, [&](const auto& leaf, const auto& kernel) {
      WithinVisitor visitor(leaf, limit);
      detail::descend_shape(*mesh.wide(), kernel, visitor, result.work);
      result.within = visitor.found != kNoTriangle;
      result.triangle = visitor.found;
      if (result.within) {
        result.upper = visitor.distance;
      } else {
        result.lower = limit;
      }
    });
    return result;
  }
}

}  // namespace

ShapeCollision collide(const Bvh& mesh, const Shape& shape, const Pose& mesh_from_shape) {
  if (!can_answer(mesh, shape, mesh_from_shape)) return {.hit = true};
  return std::visit([&](const auto& s) { return collide_with(mesh, s, mesh_from_shape); }, shape);
}

ShapeDistance distance(const Bvh& mesh, const Shape& shape, const Pose& mesh_from_shape,
                       double upper_bound) {
  if (!can_answer(mesh, shape, mesh_from_shape)) return {.distance = 0.0};
  // Nothing is below NaN, and all would come back as beyond.
  const double bound =
      std::isnan(upper_bound) ? std::numeric_limits<double>::infinity() : upper_bound;
  return std::visit([&](const auto& s) { return distance_from(mesh, s, mesh_from_shape, bound); },
                    shape);
}

ShapeWithin within(const Bvh& mesh, const Shape& shape, double limit, const Pose& mesh_from_shape) {
  if (!can_answer(mesh, shape, mesh_from_shape) || std::isnan(limit)) return {.within = true};
  return std::visit([&](const auto& s) { return within_of(mesh, s, limit, mesh_from_shape); },
                    shape);
}

}  // namespace clearance
