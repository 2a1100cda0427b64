// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One query of a Prober, and who is nearest so far. Every way to compute is a filter in front of a
// Contest: it asks limit() what need not be looked at, and hands measure() the pairs it could not
// drop. Since the winner is the smallest (distance, segment, triangle) of all pairs, and a filter
// drops only what is proven to lose, the order of measuring and the quality of the filter change
// nothing but the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/contour/contour.h>
#include <clearance/contour/prober.h>
#include <clearance/mesh/mesh.h>

namespace clearance::detail {

/// The mesh of a Prober: triangles that stay, vertices that may have moved.
struct ProbeMesh {
  Mesh mesh;                // owns the faces, and the vertices it came with
  std::vector<Vec3> moved;  // the vertices after move_vertices(), else empty
  std::span<const Vec3> vertices;
  std::span<const Face> faces;
  Box bounds;           // of the vertices [m]
  Vec3 center;          // middle of the bounds [m]
  double radius = 0.0;  // no vertex is farther from the center [m]
  double reach = 0.0;   // no vertex is farther from the origin [m]

  [[nodiscard]] Triangle triangle(std::size_t i) const {
    const Face& f = faces[i];
    return {vertices[f[0]], vertices[f[1]], vertices[f[2]]};
  }
};

/// What is asked. Checked: finite segments, a range that is not negative.
struct ProbeQuery {
  const ProbeMesh& mesh;
  std::span<const ContourSegment> segments;
  double range;
  /// What a measured distance may be below a proven lower bound [m]: distance() calls contact what
  /// rounding cannot tell from it (kSegmentDistanceError of the extent), and bounds in double
  /// precision have errors of their own, smaller by three orders. Added to limits, so that bounds
  /// computed in double need no care.
  double slack;

  ProbeQuery(const ProbeMesh& probe_mesh, std::span<const ContourSegment> contour, double range_);
};

/// The nearest pair of all segments together, or of each.
class Contest {
 public:
  enum class Prize : std::uint8_t { ForAll, ForEach };

  /// Starts anew: nobody is nearest. Does not allocate when it has held as many segments before.
  void open(const ProbeQuery& query, Prize prize);
  /// The same query and the same hits so far, no work: for another thread to go on with.
  void fork(const Contest& other);
  /// Takes the better hits of a fork, and its work.
  void join(const Contest& fork);

  [[nodiscard]] const ProbeQuery& query() const { return *query_; }
  [[nodiscard]] Prize prize() const { return prize_; }
  [[nodiscard]] std::size_t segment_count() const { return query_->segments.size(); }

  /// A pair with this segment that is proven to be farther than this [m] cannot win. Shrinks as
  /// pairs are measured; the slack of the query is in it.
  [[nodiscard]] double limit(std::size_t segment) const { return limits_[slot(segment)]; }
  /// The largest limit of all segments.
  [[nodiscard]] double largest_limit() const;
  /// Whether the pair could win if it touched: false once an earlier pair does. What cannot is not
  /// measured; a filter may ask earlier.
  [[nodiscard]] bool can_win(std::size_t segment, std::uint32_t triangle) const {
    const ProbeHit& hit = hits_[slot(segment)];
    return hit.distance > 0.0 || segment < hit.segment ||
           (segment == hit.segment && triangle < hit.triangle);
  }
  /// Bounds the pair once more (lower_bound() of segment_distance.h), and measures it exactly if
  /// that does not settle it.
  void measure(std::size_t segment, std::uint32_t triangle);

  /// The nearest of what competes with a segment, so far.
  [[nodiscard]] const ProbeHit& hit(std::size_t segment) const { return hits_[slot(segment)]; }
  /// One hit, or one for each segment.
  [[nodiscard]] std::span<const ProbeHit> hits() const { return hits_; }
  ProbeWork work;

 private:
  [[nodiscard]] std::size_t slot(std::size_t segment) const {
    return prize_ == Prize::ForAll ? 0 : segment;
  }
  void consider(std::size_t slot, const ProbeHit& hit);

  const ProbeQuery* query_ = nullptr;
  Prize prize_ = Prize::ForAll;
  std::vector<ProbeHit> hits_;
  std::vector<double> limits_;
};

}  // namespace clearance::detail
