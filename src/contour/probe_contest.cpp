// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_contest.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <clearance/contour/segment_distance.h>

namespace clearance::detail {
namespace {

// No point of the circle is farther from the origin.
double reach_of(const ContourCircle& c) { return norm(c.center) + norm(c.u) + norm(c.v); }

}  // namespace

ProbeQuery::ProbeQuery(const ProbeMesh& probe_mesh, std::span<const ContourSegment> contour,
                       double range_)
    : mesh(probe_mesh), segments(contour), range(range_) {
  double reach = mesh.reach;
  for (const ContourSegment& s : segments)
    reach = std::max({reach, reach_of(s.start), reach_of(s.end)});
  // The extent of a pair is the sizes of both and their distance: within six times the reach.
  slack = 6.0 * kSegmentDistanceError * reach;
}

void Contest::open(const ProbeQuery& query, Prize prize) {
  query_ = &query;
  prize_ = prize;
  const std::size_t count = prize == Prize::ForAll ? 1 : query.segments.size();
  hits_.assign(count, ProbeHit{});
  limits_.assign(count, query.range + query.slack);
  work = {};
}

void Contest::fork(const Contest& other) {
  query_ = other.query_;
  prize_ = other.prize_;
  hits_ = other.hits_;
  limits_ = other.limits_;
  work = {};
}

void Contest::join(const Contest& fork) {
  for (std::size_t i = 0; i < hits_.size(); ++i) consider(i, fork.hits_[i]);
  work.bounds += fork.work.bounds;
  work.exact += fork.work.exact;
}

double Contest::largest_limit() const {
  double largest = 0.0;
  for (const double limit : limits_) largest = std::max(largest, limit);
  return largest;
}

void Contest::measure(std::size_t segment, std::uint32_t triangle) {
  if (!can_win(segment, triangle)) return;
  const std::size_t place = slot(segment);
  const Triangle corners = query_->mesh.triangle(triangle);
  const ContourSegment& solid = query_->segments[segment];
  ++work.bounds;
  if (lower_bound(solid, corners, limits_[place]) > limits_[place]) return;
  ++work.exact;
  const SegmentDistance measured = distance(solid, corners);
  if (!(measured.distance <= query_->range)) return;
  consider(place, {.distance = measured.distance,
                   .on_mesh = measured.on_shape,
                   .on_contour = measured.on_segment,
                   .triangle = triangle,
                   .segment = static_cast<std::uint32_t>(segment),
                   .place = measured.place});
}

void Contest::consider(std::size_t slot, const ProbeHit& hit) {
  ProbeHit& best = hits_[slot];
  const auto key = [](const ProbeHit& h) { return std::tie(h.distance, h.segment, h.triangle); };
  if (!(key(hit) < key(best))) return;
  best = hit;
  limits_[slot] = hit.distance + query_->slack;
}

}  // namespace clearance::detail
