// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <clearance/simplify/cover.h>
#include <clearance/simplify/sphere_tree.h>

#include "simplify/body_probe.h"

namespace clearance {
namespace {

constexpr std::size_t kWidth = 8;
/// Marks a child that is a sphere; the rest is its number.
constexpr std::uint32_t kSphereBit = 0x80000000U;
/// What single precision loses of a gap, as a fraction of the coordinates: conversion of two
/// centres (2^-24 of three coordinates each), and a dozen operations; doubled.
constexpr float kFloatError = 4e-6F;
/// A rotation that is off by less is one but for rounding.
constexpr double kRotationRounding = 1e-12;
/// A matrix that is off from a rotation by e, in its largest entry, stretches and squeezes by no
/// more than 1.5 e; with a reserve.
constexpr double kStretch = 2.0;

float float_above(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// Eight balls, in coordinates from the middle of the tree.
struct alignas(32) Node {
  float x[kWidth];
  float y[kWidth];
  float z[kWidth];
  float radius[kWidth];
  std::uint32_t child[kWidth];
  std::uint32_t count = 0;
};

}  // namespace

struct SphereTree::Data {
  std::vector<Sphere> spheres;
  std::vector<Node> nodes;  // the root first
  Sphere bounds;
  double reach = 0.0;     // largest |center| + radius, from the origin
  double thickest = 0.0;  // radius of a sphere

  std::uint32_t build(std::span<std::uint32_t> order);
  [[nodiscard]] Sphere ball_around(std::span<const std::uint32_t> order) const;
};

// Around the middle of the box of centres.
Sphere SphereTree::Data::ball_around(std::span<const std::uint32_t> order) const {
  Box box;
  for (const std::uint32_t i : order) box.include(spheres[i].center);
  Sphere ball{box.center(), 0.0};
  for (const std::uint32_t i : order)
    ball.radius =
        std::max(ball.radius, distance(ball.center, spheres[i].center) + spheres[i].radius);
  ball.radius *= 1.0 + 1e-14;
  return ball;
}

std::uint32_t SphereTree::Data::build(std::span<std::uint32_t> order) {
  // Halved along the longest side until there are eight groups, the largest first.
  std::array<std::span<std::uint32_t>, kWidth> groups;
  groups[0] = order;
  std::size_t count = 1;
  while (count < kWidth) {
    const auto largest =
        std::max_element(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(count),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (largest->size() < 2) break;
    Box box;
    for (const std::uint32_t i : *largest) box.include(spheres[i].center);
    const Vec3 size = box.size();
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    const std::size_t middle = largest->size() / 2;
    std::nth_element(largest->begin(), largest->begin() + static_cast<std::ptrdiff_t>(middle),
                     largest->end(), [&](std::uint32_t i, std::uint32_t j) {
                       const double a = spheres[i].center[axis];
                       const double b = spheres[j].center[axis];
                       return a != b ? a < b : i < j;
                     });
    groups[count++] = largest->subspan(middle);
    *largest = largest->first(middle);
  }
  const auto at = static_cast<std::uint32_t>(nodes.size());
  nodes.emplace_back();
  for (std::size_t k = 0; k < kWidth; ++k) {
    const bool used = k < count;
    const Sphere ball = used ? ball_around(groups[k]) : Sphere{};
    const Vec3 local = ball.center - bounds.center;
    const std::uint32_t child = !used                   ? kNoSphere
                                : groups[k].size() == 1 ? (groups[k][0] | kSphereBit)
                                                        : build(groups[k]);
    Node& node = nodes[at];
    node.x[k] = static_cast<float>(local.x);
    node.y[k] = static_cast<float>(local.y);
    node.z[k] = static_cast<float>(local.z);
    node.radius[k] = float_above(ball.radius);
    node.child[k] = child;
  }
  nodes[at].count = static_cast<std::uint32_t>(count);
  return at;
}

Result<SphereTree> SphereTree::build(std::span<const Sphere> spheres) {
  const auto invalid = [](const std::string& place, const std::string& reason) {
    return Error{ErrorCode::Invalid, {}, place, reason, {}};
  };
  if (spheres.empty()) return invalid({}, "no sphere to build a tree of");
  if (spheres.size() >= kSphereBit) return invalid({}, "more than 2^31 spheres");
  const auto data = std::make_shared<Data>();
  data->spheres.assign(spheres.begin(), spheres.end());
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    const Sphere& s = spheres[i];
    const std::string place = "sphere " + std::to_string(i);
    if (!(norm(s.center) <= kLargestTranslation))
      return invalid(place, "its centre is not finite or too far away");
    if (!(s.radius >= 0.0 && s.radius <= kLargestTranslation))
      return invalid(place, "its radius is negative, not finite or too large");
    data->reach = std::max(data->reach, norm(s.center) + s.radius);
    data->thickest = std::max(data->thickest, s.radius);
  }
  std::vector<std::uint32_t> order(spheres.size());
  std::iota(order.begin(), order.end(), 0U);
  data->bounds = data->ball_around(order);
  data->build(order);
  return SphereTree(data);
}

std::span<const Sphere> SphereTree::spheres() const { return data_->spheres; }
Sphere SphereTree::bounds() const { return data_->bounds; }

namespace {

bool is_answered(const Pose& pose) {
  return norm(pose.translation) <= kLargestTranslation && checked_pose(pose).ok();
}

/// By how much, as a fraction, lengths change at a pose that is not quite rigid, at most.
double stretch_of(const Pose& pose) {
  const double askew = rigidity_error(pose.rotation);
  return askew > kRotationRounding ? kStretch * askew : 0.0;
}

/// Gaps of a ball from the eight of a node, as floats know them.
void gaps(const Node& node, const Vec3& local, float radius, float (&out)[kWidth]) {
  const auto px = static_cast<float>(local.x);
  const auto py = static_cast<float>(local.y);
  const auto pz = static_cast<float>(local.z);
  for (std::size_t i = 0; i < kWidth; ++i) {
    const float dx = node.x[i] - px;
    const float dy = node.y[i] - py;
    const float dz = node.z[i] - pz;
    out[i] = std::sqrt(dx * dx + dy * dy + dz * dz) - (node.radius[i] + radius);
  }
}

/// The descent over pairs of nodes of two trees. Looks for pairs of spheres closer than `limit`,
/// which falls to what is found; ends at contact.
class PairDescent {
 public:
  PairDescent(const SphereTree::Data& a, const SphereTree::Data& b, const Pose& a_from_b)
      : a_(a), b_(b), pose_(a_from_b) {
    slack_ = kSphereRounding * (a.reach + b.reach + norm(a_from_b.translation)) +
             stretch_of(a_from_b) * b.thickest;
    const double extent =
        distance(a.bounds.center, a_from_b * b.bounds.center) + a.bounds.radius + b.bounds.radius;
    margin_ = kFloatError * extent + slack_;
  }

  /// `any`: the first pair at the limit or closer will do.
  SphereDistance run(double limit, bool any) {
    SphereDistance best;
    best.distance = limit;
    bool found = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{0U, 0U}};
    while (!stack.empty()) {
      const auto [node_a, node_b] = stack.back();
      stack.pop_back();
      if (!(is_sphere(node_a) && is_sphere(node_b))) {
        open(node_a, node_b, best, stack);
        continue;
      }
      const std::uint32_t i = node_a & ~kSphereBit;
      const std::uint32_t j = node_b & ~kSphereBit;
      double gap = distance(a_.spheres[i].center, pose_ * b_.spheres[j].center) -
                   (a_.spheres[i].radius + b_.spheres[j].radius);
      if (gap <= slack_) gap = 0.0;
      if (gap > best.distance || (found && gap == best.distance)) continue;
      if (gap == best.distance && !any && gap > 0.0) continue;
      best.distance = gap;
      best.sphere_a = i;
      best.sphere_b = j;
      found = true;
      if (any || gap == 0.0) break;
    }
    if (!found) best.distance = std::numeric_limits<double>::infinity();
    return best;
  }

 private:
  static bool is_sphere(std::uint32_t child) { return (child & kSphereBit) != 0; }

  // Children of one node, or of both, that may be close enough; the nearest on top of the stack.
  void open(std::uint32_t node_a, std::uint32_t node_b, SphereDistance& best,
            std::vector<std::pair<std::uint32_t, std::uint32_t>>& stack) const {
    struct Near {
      float gap;
      std::uint32_t a, b;
    };
    std::array<Near, kWidth * kWidth> near;
    std::size_t count = 0;
    const float limit = float_above(best.distance + margin_);
    const auto against = [&](const Vec3& in_a, float radius, std::uint32_t b) {
      const Vec3 local = in_a - a_.bounds.center;
      float out[kWidth];
      if (is_sphere(node_a)) {
        const Sphere& s = a_.spheres[node_a & ~kSphereBit];
        out[0] = static_cast<float>(distance(s.center, in_a) - s.radius) - radius;
        best.volume_tests += 1;
        if (out[0] <= limit) near[count++] = {out[0], node_a, b};
        return;
      }
      const Node& node = a_.nodes[node_a];
      gaps(node, local, radius, out);
      best.volume_tests += node.count;
      for (std::size_t k = 0; k < node.count; ++k) {
        if (out[k] <= limit) near[count++] = {out[k], node.child[k], b};
      }
    };
    if (is_sphere(node_b)) {
      const Sphere& s = b_.spheres[node_b & ~kSphereBit];
      against(pose_ * s.center, float_above(s.radius), node_b);
    } else {
      const Node& node = b_.nodes[node_b];
      for (std::size_t k = 0; k < node.count; ++k) {
        const Vec3 center = b_.bounds.center + Vec3{node.x[k], node.y[k], node.z[k]};
        against(pose_ * center, node.radius[k], node.child[k]);
      }
    }
    std::sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Near& p, const Near& q) {
                if (p.gap != q.gap) return p.gap > q.gap;
                return p.a != q.a ? p.a > q.a : p.b > q.b;
              });
    for (std::size_t k = 0; k < count; ++k) stack.emplace_back(near[k].a, near[k].b);
  }

  const SphereTree::Data& a_;
  const SphereTree::Data& b_;
  Pose pose_;
  double slack_ = 0.0;
  double margin_ = 0.0;
};

/// The descent of one tree against something that measures points.
SphereDistance descend(const SphereTree::Data& tree, const PointDistance& thing, double limit,
                       bool any, double slack) {
  SphereDistance best;
  best.distance = limit;
  bool found = false;
  struct Pending {
    double bound;
    std::uint32_t child;
  };
  std::vector<Pending> stack{{0.0, 0}};
  while (!stack.empty()) {
    const Pending next = stack.back();
    stack.pop_back();
    if (next.bound > best.distance + slack) continue;
    if ((next.child & kSphereBit) != 0) {
      // Measured when it was put there.
      const double gap = next.bound <= slack ? 0.0 : next.bound;
      if (gap > best.distance || (found && gap == best.distance)) continue;
      if (gap == best.distance && !any && gap > 0.0) continue;
      best.distance = gap;
      best.sphere_a = next.child & ~kSphereBit;
      found = true;
      if (any || gap == 0.0) break;
      continue;
    }
    const Node& node = tree.nodes[next.child];
    const std::size_t base = stack.size();
    for (std::size_t k = 0; k < node.count; ++k) {
      const bool is_sphere = (node.child[k] & kSphereBit) != 0;
      // Spheres as they are; balls around others where their rounded centres are, with that much
      // more radius.
      const Sphere& given = tree.spheres[is_sphere ? node.child[k] & ~kSphereBit : 0];
      const Vec3 center =
          is_sphere ? given.center : tree.bounds.center + Vec3{node.x[k], node.y[k], node.z[k]};
      const double radius = is_sphere ? given.radius
                                      : static_cast<double>(node.radius[k]) +
                                            static_cast<double>(kFloatError) * (tree.bounds.radius);
      const double bound = std::max(0.0, thing(center) - radius);
      ++best.volume_tests;
      if (bound <= best.distance + slack) stack.push_back({bound, node.child[k]});
    }
    std::sort(stack.begin() + static_cast<std::ptrdiff_t>(base), stack.end(),
              [](const Pending& p, const Pending& q) {
                return p.bound != q.bound ? p.bound > q.bound : p.child > q.child;
              });
  }
  if (!found) best.distance = std::numeric_limits<double>::infinity();
  return best;
}

/// The distance of points of the spheres' frame from a mesh, at least. The points are seen in the
/// mesh's frame by the inverse of the matrix as it stands, rotation or nearly one.
PointDistance from_mesh(const Bvh& mesh, const Pose& spheres_from_mesh) {
  return [&mesh, mesh_from_spheres = relative(spheres_from_mesh, Pose::identity()),
          least = 1.0 - stretch_of(spheres_from_mesh)](const Vec3& p) {
    return least * distance(mesh, mesh_from_spheres * p).distance;
  };
}

double mesh_slack(const SphereTree& spheres, const Bvh& mesh, const Pose& pose) {
  const Box& box = mesh.bounds();
  return 10.0 * kSphereRounding *
         (spheres.data().reach + norm(max(abs(box.low), abs(box.high))) + norm(pose.translation));
}

}  // namespace

SphereCollision collide(const SphereTree& a, const SphereTree& b, const Pose& a_from_b) {
  if (!is_answered(a_from_b)) return {true};
  const SphereDistance found = PairDescent(a.data(), b.data(), a_from_b).run(0.0, true);
  return {found.sphere_a != kNoSphere, found.sphere_a, found.sphere_b, found.volume_tests};
}

SphereCollision collide(const SphereTree& spheres, const Bvh& mesh, const Pose& spheres_from_mesh) {
  if (!is_answered(spheres_from_mesh)) return {true};
  const SphereDistance found = descend(spheres.data(), from_mesh(mesh, spheres_from_mesh), 0.0,
                                       true, mesh_slack(spheres, mesh, spheres_from_mesh));
  return {found.sphere_a != kNoSphere, found.sphere_a, kNoSphere, found.volume_tests};
}

SphereDistance distance(const SphereTree& a, const SphereTree& b, const Pose& a_from_b,
                        double upper_bound) {
  if (!is_answered(a_from_b)) return {0.0};
  return PairDescent(a.data(), b.data(), a_from_b).run(upper_bound, false);
}

SphereDistance distance(const SphereTree& spheres, const Bvh& mesh, const Pose& spheres_from_mesh,
                        double upper_bound) {
  if (!is_answered(spheres_from_mesh)) return {0.0};
  return descend(spheres.data(), from_mesh(mesh, spheres_from_mesh), upper_bound, false,
                 mesh_slack(spheres, mesh, spheres_from_mesh));
}

SphereDistance distance(const SphereTree& spheres, const PointDistance& thing, double upper_bound) {
  return descend(spheres.data(), thing, upper_bound, false, kSphereRounding * spheres.data().reach);
}

bool within(const SphereTree& a, const SphereTree& b, const Pose& a_from_b, double limit) {
  if (!is_answered(a_from_b) || std::isnan(limit)) return true;
  if (limit < 0.0) return false;
  return PairDescent(a.data(), b.data(), a_from_b)
             .run(limit * (1.0 + kSphereRounding), true)
             .sphere_a != kNoSphere;
}

bool within(const SphereTree& spheres, const Bvh& mesh, const Pose& spheres_from_mesh,
            double limit) {
  if (!is_answered(spheres_from_mesh) || std::isnan(limit)) return true;
  if (limit < 0.0) return false;
  const double slack = mesh_slack(spheres, mesh, spheres_from_mesh);
  return descend(spheres.data(), from_mesh(mesh, spheres_from_mesh), limit + slack, true, slack)
             .sphere_a != kNoSphere;
}

bool within(const SphereTree& spheres, const PointDistance& thing, double limit) {
  if (std::isnan(limit)) return true;
  if (limit < 0.0) return false;
  const double slack = kSphereRounding * spheres.data().reach;
  return descend(spheres.data(), thing, limit + slack, true, slack).sphere_a != kNoSphere;
}

}  // namespace clearance
