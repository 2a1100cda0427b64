// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/geometry/pose.h>
#include <clearance/grasp/grasp_quality.h>

#include "grasp/contact_wrenches.h"
#include "grasp/wrench_hull.h"

namespace clearance {
namespace {

using detail::Wrench;
using detail::WrenchHull;
using Vector6 = Eigen::Matrix<double, 6, 1>;

/// The largest ball about the origin by trying the plane through every six points: those with all
/// points on one side bound the hull.
double brute_force_radius(const std::vector<Wrench>& points) {
  double radius = std::numeric_limits<double>::infinity();
  bool found = false;
  std::vector<bool> chosen(points.size(), false);
  std::fill(chosen.begin(), chosen.begin() + 6, true);
  do {
    Eigen::Matrix<double, 6, 7> rows;
    int row = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!chosen[i]) continue;
      for (int k = 0; k < 6; ++k) rows(row, k) = points[i][static_cast<std::size_t>(k)];
      rows(row++, 6) = 1.0;
    }
    const Eigen::FullPivLU<Eigen::Matrix<double, 6, 7>> lu(rows);
    if (lu.rank() < 6) continue;
    const Eigen::Matrix<double, 7, 1> plane = lu.kernel().col(0);
    const double length = plane.head<6>().norm();
    if (length < 1e-9) continue;
    double low = 0.0;
    double high = 0.0;
    for (const Wrench& p : points) {
      double height = plane(6);
      for (int k = 0; k < 6; ++k) height += plane(k) * p[static_cast<std::size_t>(k)];
      low = std::min(low, height / length);
      high = std::max(high, height / length);
    }
    if (low < -1e-9 && high > 1e-9) continue;
    found = true;
    // All points are at or below the plane when high is 0; the origin is at plane(6).
    const double origin = plane(6) / length;
    radius = std::min(radius, high <= 1e-9 ? -origin : origin);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return found ? std::max(radius, 0.0) : 0.0;
}

TEST(WrenchHull, BallInCrossPolytope) {
  // The plane through one corner on each axis, at a_k: distance 1 / sqrt(sum of 1 / a_k^2).
  const std::array<double, 6> sizes{1.0, 0.5, 2.0, 0.3, 1.5, 0.7};
  std::vector<Wrench> points;
  double sum = 0.0;
  for (std::size_t k = 0; k < 6; ++k) {
    for (const double sign : {-1.0, 1.0}) {
      Wrench p{};
      p[k] = sign * sizes[k];
      points.push_back(p);
    }
    sum += 1.0 / (sizes[k] * sizes[k]);
  }
  EXPECT_NEAR(WrenchHull().radius_in_hull(points), 1.0 / std::sqrt(sum), 1e-11);
}

TEST(WrenchHull, BallInCubeWhoseFacesHaveManyCorners) {
  std::vector<Wrench> points;
  for (int i = 0; i < 64; ++i) {
    Wrench p{};
    for (int k = 0; k < 6; ++k) p[static_cast<std::size_t>(k)] = (i >> k & 1) != 0 ? 0.8 : -0.6;
    points.push_back(p);
  }
  EXPECT_NEAR(WrenchHull().radius_in_hull(points), 0.6, 1e-11);
}

TEST(WrenchHull, SumOfSegmentsIsABox) {
  // Each group is one point: its hull with the origin is a segment. The sum of twelve segments
  // along the axes is the box [-0.5, 0.9]^6.
  std::vector<Wrench> points;
  std::vector<std::size_t> ends;
  for (std::size_t k = 0; k < 6; ++k) {
    for (const double end : {-0.5, 0.9}) {
      Wrench p{};
      p[k] = end;
      points.push_back(p);
      ends.push_back(points.size());
    }
  }
  EXPECT_NEAR(WrenchHull().radius_in_sum(points, ends), 0.5, 1e-11);
}

TEST(WrenchHull, FlatAndOneSidedSetsHoldNoBall) {
  std::vector<Wrench> flat;
  std::vector<Wrench> beside;
  Random random(3);
  for (int i = 0; i < 30; ++i) {
    Wrench p{};
    for (double& v : p) v = random.uniform(-1.0, 1.0);
    beside.push_back(p);
    beside.back()[2] += 1.001;
    p[4] = 0.5 * p[0] - p[1];
    flat.push_back(p);
  }
  WrenchHull hull;
  EXPECT_EQ(hull.radius_in_hull(flat), 0.0);
  EXPECT_EQ(hull.radius_in_hull(beside), 0.0);
  EXPECT_EQ(hull.radius_in_hull({}), 0.0);
  EXPECT_EQ(hull.radius_in_hull(std::vector<Wrench>(20, Wrench{1, 2, 3, 4, 5, 6})), 0.0);
}

TEST(WrenchHull, EqualsBruteForceOverAllPlanes) {
  Random random(11);
  WrenchHull hull;
  int held = 0;
  for (int scene = 0; scene < 40; ++scene) {
    std::vector<Wrench> points(13);
    for (Wrench& p : points)
      for (double& v : p) v = random.uniform(-1.0, 1.0) + (scene % 4 == 0 ? 0.15 : 0.0);
    // Sharper in one direction, as torques about the pinching direction are.
    if (scene % 2 == 0)
      for (Wrench& p : points) p[3] *= 0.02;
    const double expected = brute_force_radius(points);
    EXPECT_NEAR(hull.radius_in_hull(points), expected, 1e-11) << "scene " << scene;
    held += expected > 0.0 ? 1 : 0;
  }
  EXPECT_GT(held, 8);
  EXPECT_LT(held, 36);
}

/// Two flat fingers on a plate of a thickness, contacts at y = -reach and reach.
std::vector<GraspContact> plate_grasp(double thickness, double reach) {
  std::vector<GraspContact> contacts;
  for (const std::uint32_t finger : {0U, 1U}) {
    const double side = finger == 0 ? -1.0 : 1.0;
    for (const double y : {-reach, reach})
      contacts.push_back({{0.5 * side * thickness, y, 0.0}, {-side, 0.0, 0.0}, finger});
  }
  return contacts;
}

TEST(GraspQuality, TwoPointContactsDoNotHoldAgainstTurningAboutTheirLine) {
  const std::vector<GraspContact> contacts{{{-0.01, 0, 0}, {1, 0, 0}, 0},
                                           {{0.01, 0, 0}, {-1, 0, 0}, 1}};
  const PartFrame part{.largest_radius = 0.02};
  EXPECT_EQ(grasp_quality(contacts, part), 0.0);
  // Soft fingers do.
  EXPECT_GT(grasp_quality(contacts, part, {.torsion = 0.002}), 1e-3);
}

TEST(GraspQuality, OneFingerHoldsNothing) {
  std::vector<GraspContact> contacts = plate_grasp(0.02, 0.005);
  contacts.resize(2);
  EXPECT_EQ(grasp_quality(contacts, {.largest_radius = 0.05}), 0.0);
  EXPECT_EQ(grasp_quality({}, {.largest_radius = 0.05}), 0.0);
}

TEST(GraspQuality, SpreadContactsResistTurningAboutThePinchingDirection) {
  // Torque about x comes from friction along z at y = +-reach alone: the wrench of an edge (1,
  // mu c, mu s) / sqrt(1 + mu^2) turns with reach / radius * mu s / sqrt(1 + mu^2). In the
  // direction of that torque the hull reaches this far; q cannot be more.
  const double mu = 0.5;
  const double reach = 0.006;
  const double radius = 0.1;
  const double most = reach / radius * mu / std::sqrt(1.0 + mu * mu);
  const double q = grasp_quality(plate_grasp(0.02, reach), {.largest_radius = radius},
                                 {.friction = mu, .cone_edges = 8});
  EXPECT_GT(q, 0.2 * most);
  EXPECT_LE(q, most + 1e-11);
}

TEST(GraspQuality, ContactsBetweenOthersOfTheSameNormalDoNotMatter) {
  std::vector<GraspContact> contacts = plate_grasp(0.02, 0.006);
  const PartFrame part{.mass_center = {0.001, 0.02, -0.01}, .largest_radius = 0.06};
  const double expected = grasp_quality(contacts, part);
  ASSERT_GT(expected, 0.0);
  for (int i = 1; i < 20; ++i) {
    GraspContact between = contacts[i % 2 == 0 ? 0 : 2];
    between.point.y = -0.006 + 0.012 * i / 20.0;
    contacts.insert(contacts.begin() + i % 3, between);
  }
  std::vector<GraspContact> kept;
  detail::leave_out_between(contacts, kept);
  EXPECT_EQ(kept.size(), 4U);
  EXPECT_NEAR(grasp_quality(contacts, part), expected, 1e-11);
  // Nor do they without leaving them out: the hull is the same.
  std::vector<Wrench> wrenches;
  for (const GraspContact& c : contacts) detail::append_wrenches(c, part, {}, wrenches);
  EXPECT_NEAR(WrenchHull().radius_in_hull(wrenches), expected, 1e-11);
}

/// Contacts of two fingers on a slightly uneven part.
std::vector<GraspContact> random_grasp(Random& random) {
  std::vector<GraspContact> contacts = plate_grasp(random.uniform(0.01, 0.04), 0.006);
  for (GraspContact& c : contacts) {
    c.point = c.point + Vec3{0.001 * random.uniform(-1, 1), 0.0, 0.0};
    c.inward = normalized(c.inward + 0.3 * Vec3{0.0, random.uniform(-1, 1), random.uniform(-1, 1)});
  }
  return contacts;
}

TEST(GraspQuality, RigidMotionsChangeNothing) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const std::vector<GraspContact> contacts = random_grasp(random);
    PartFrame part{.mass_center = {0.01, -0.02, 0.015}, .largest_radius = 0.07};
    const QualityOptions options{.limit = i % 2 == 0 ? WrenchLimit::Sum : WrenchLimit::Each,
                                 .torsion = i % 3 == 0 ? 0.001 : 0.0};
    const double expected = grasp_quality(contacts, part, options);
    const Pose pose{rotation_from_rpy(random.uniform(-3, 3), random.uniform(-3, 3), 1.0),
                    {0.3, -0.2, 0.1}};
    std::vector<GraspContact> moved = contacts;
    for (GraspContact& c : moved) {
      c.point = pose * c.point;
      c.inward = pose.rotation * c.inward;
    }
    part.mass_center = pose * part.mass_center;
    part.first_edge = pose.rotation * part.first_edge;
    EXPECT_NEAR(grasp_quality(moved, part, options), expected, 2e-11);
  }
}

TEST(GraspQuality, MirroredGraspsAreRatedAlike) {
  Random random(6);
  for (int i = 0; i < 20; ++i) {
    const std::vector<GraspContact> contacts = random_grasp(random);
    PartFrame part{.mass_center = {0.01, -0.02, 0.015}, .largest_radius = 0.07};
    const QualityOptions options{.cone_edges = 3 + i % 6};
    const double expected = grasp_quality(contacts, part, options);
    const auto mirrored = [](const Vec3& v) { return Vec3{v.x, -v.y, v.z}; };
    std::vector<GraspContact> other = contacts;
    for (GraspContact& c : other) {
      c.point = mirrored(c.point);
      c.inward = mirrored(c.inward);
    }
    part.mass_center = mirrored(part.mass_center);
    part.first_edge = mirrored(part.first_edge);
    EXPECT_NEAR(grasp_quality(other, part, options), expected, 2e-11);
  }
}

TEST(GraspQuality, MoreFrictionAndMoreContactsHoldMore) {
  Random random(8);
  for (int i = 0; i < 10; ++i) {
    std::vector<GraspContact> contacts = random_grasp(random);
    const PartFrame part{.mass_center = {0.0, 0.01, 0.0}, .largest_radius = 0.05};
    const double q = grasp_quality(contacts, part);
    contacts.push_back({{0.012, 0.0, 0.0}, {-1, 0, 0}, 1});
    EXPECT_GE(grasp_quality(contacts, part), q - 1e-11);
  }
  const std::vector<GraspContact> plate = plate_grasp(0.02, 0.006);
  double last = 0.0;
  for (const double mu : {0.05, 0.1, 0.2, 0.4, 0.8}) {
    const double q = grasp_quality(plate, {.largest_radius = 0.05}, {.friction = mu});
    EXPECT_GT(q, last);
    last = q;
  }
}

TEST(GraspQuality, EachFingerAtFullForceIsAtLeastTheSharedForce) {
  Random random(9);
  for (int i = 0; i < 10; ++i) {
    const std::vector<GraspContact> contacts = random_grasp(random);
    const PartFrame part{.mass_center = {0.0, 0.01, 0.0}, .largest_radius = 0.05};
    EXPECT_GE(grasp_quality(contacts, part, {.limit = WrenchLimit::Each}),
              grasp_quality(contacts, part, {.limit = WrenchLimit::Sum}) - 1e-11);
  }
}

}  // namespace
}  // namespace clearance
