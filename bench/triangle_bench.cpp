// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pairs of triangles against FCL: distance with closest points, and intersection. Three settings:
// both in one cube (a fifth of the pairs intersect), cubes side by side, and cubes far apart.
#include <cmath>
#include <memory>
#include <vector>

#include <fcl/narrowphase/detail/primitive_shape_algorithm/triangle_distance.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include <clearance/base/random.h>
#include <clearance/geometry/triangle_triangle.h>

#include "harness.h"

namespace clearance::bench {
namespace {

constexpr std::size_t kPairs = 20000;

struct Pairs {
  std::vector<Triangle> a, b;
  // The same numbers in the rival's types, so that no conversion is timed.
  std::vector<std::array<fcl::Vector3d, 3>> fcl_a, fcl_b;
};

std::shared_ptr<const Pairs> make_pairs(double offset) {
  auto pairs = std::make_shared<Pairs>();
  Random random(seed());
  const auto triangle = [&](double x) {
    const auto corner = [&] {
      return Vec3{x + random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    };
    const Vec3 a = corner();
    const Vec3 b = corner();
    return Triangle{a, b, corner()};
  };
  const auto convert = [](const Triangle& t) {
    return std::array<fcl::Vector3d, 3>{fcl::Vector3d{t.a.x, t.a.y, t.a.z},
                                        fcl::Vector3d{t.b.x, t.b.y, t.b.z},
                                        fcl::Vector3d{t.c.x, t.c.y, t.c.z}};
  };
  for (std::size_t i = 0; i < kPairs; ++i) {
    pairs->a.push_back(triangle(0.0));
    pairs->b.push_back(triangle(offset));
    pairs->fcl_a.push_back(convert(pairs->a.back()));
    pairs->fcl_b.push_back(convert(pairs->b.back()));
  }
  return pairs;
}

double fcl_distance(const Pairs& pairs, std::size_t i) {
  fcl::Vector3d p;
  fcl::Vector3d q;
  return fcl::detail::TriangleDistanced::triDistance(pairs.fcl_a[i].data(), pairs.fcl_b[i].data(),
                                                     p, q);
}

bool fcl_intersects(const Pairs& pairs, std::size_t i) {
  const auto& a = pairs.fcl_a[i];
  const auto& b = pairs.fcl_b[i];
  return fcl::detail::Intersectd::intersect_Triangle(a[0], a[1], a[2], b[0], b[1], b[2]);
}

Row distance_row(double offset) {
  const std::shared_ptr<const Pairs> pairs = make_pairs(offset);
  return {.rival = "fcl TriangleDistance",
          .ours =
              [=] {
                double sum = 0.0;
                for (std::size_t i = 0; i < kPairs; ++i)
                  sum += closest_points(pairs->a[i], pairs->b[i]).distance;
                keep(sum);
              },
          .theirs =
              [=] {
                double sum = 0.0;
                for (std::size_t i = 0; i < kPairs; ++i) sum += fcl_distance(*pairs, i);
                keep(sum);
              },
          .equal =
              [=] {
                for (std::size_t i = 0; i < kPairs; ++i) {
                  const double ours = closest_points(pairs->a[i], pairs->b[i]).distance;
                  if (!(std::abs(ours - fcl_distance(*pairs, i)) <= 1e-9 * (1.0 + ours)))
                    return false;
                }
                return true;
              },
          .bar = 1.0,
          .items = kPairs};
}

Row intersects_row(double offset) {
  const std::shared_ptr<const Pairs> pairs = make_pairs(offset);
  return {.rival = "fcl intersect_Triangle",
          .ours =
              [=] {
                int hits = 0;
                for (std::size_t i = 0; i < kPairs; ++i)
                  hits += intersects(pairs->a[i], pairs->b[i]) ? 1 : 0;
                keep(hits);
              },
          .theirs =
              [=] {
                int hits = 0;
                for (std::size_t i = 0; i < kPairs; ++i) hits += fcl_intersects(*pairs, i) ? 1 : 0;
                keep(hits);
              },
          .equal =
              [=] {
                for (std::size_t i = 0; i < kPairs; ++i) {
                  if (intersects(pairs->a[i], pairs->b[i]) != fcl_intersects(*pairs, i))
                    return false;
                }
                return true;
              },
          .bar = std::nullopt,
          .items = kPairs};
}

const RowEntry kDistanceRandom{"triangle/distance_random", [] { return distance_row(0.0); }};
const RowEntry kDistanceNear{"triangle/distance_near", [] { return distance_row(2.0); }};
const RowEntry kDistanceFar{"triangle/distance_far", [] { return distance_row(20.0); }};
const RowEntry kIntersectsRandom{"triangle/intersects_random", [] { return intersects_row(0.0); }};
const RowEntry kIntersectsNear{"triangle/intersects_near", [] { return intersects_row(1.0); }};

}  // namespace
}  // namespace clearance::bench
