// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Robots as contour segments, and meshes, that look for trouble: touching, inside, near, far, ties,
// without extent, far from the origin, tiny and huge. The same for the same seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/contour/contour.h>
#include <clearance/contour/prober.h>
#include <clearance/mesh/mesh.h>

namespace clearance::test {

struct ProbeScene {
  std::string name;  ///< letters only: names of tests are made of it
  Mesh mesh;
  std::vector<ContourSegment> segments;
};

/// All scenes small enough to measure every pair.
const std::vector<ProbeScene>& probe_scenes();
/// A tube of 30 segments in a wavy shell of about this many triangles, near its wall.
ProbeScene large_probe_scene(int triangles);

/// A tube along a wavy line from `from` in direction `along`.
std::vector<ContourSegment> wavy_tube(const Vec3& from, const Vec3& along, double radius,
                                      std::size_t segments);
/// Any segment about the unit ball: tilted circles, cones, discs, needles, points.
ContourSegment random_contour_segment(Random& random);
std::vector<ContourSegment> moved(const Pose& pose, const std::vector<ContourSegment>& segments);
std::vector<Vec3> moved(const Pose& pose, std::span<const Vec3> points);
/// The vertices a little elsewhere: `amount` of the size of the mesh at most.
std::vector<Vec3> disturbed(const Mesh& mesh, double amount, std::uint64_t seed);

/// Every pair measured: distance() of segment_distance.h, and nothing else.
struct MeasuredPairs {
  std::vector<std::vector<SegmentDistance>> of;  ///< [segment][triangle]
  explicit MeasuredPairs(const ProbeScene& scene);
  /// What a Prober must answer, by its definition.
  [[nodiscard]] ProbeHit closest(double range) const;
  [[nodiscard]] ProbeHit closest_of(std::size_t segment, double range) const;
  [[nodiscard]] double triangle_distance(std::size_t triangle, double range) const;
};

}  // namespace clearance::test
