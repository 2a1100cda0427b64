// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/prober_base.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "contour/probe_map.h"

namespace clearance::detail {
namespace {

Error invalid(std::string place, std::string reason) {
  return {.code = ErrorCode::Invalid, .place = std::move(place), .reason = std::move(reason)};
}

bool is_usable(const Vec3& p) { return norm(p) <= kLargestTranslation; }  // false for NaN
bool is_usable(const ContourCircle& c) {
  return is_usable(c.center) && is_usable(c.u) && is_usable(c.v);
}

// Middle and size of where the vertices are; an error where one cannot be used.
Status measure(ProbeMesh& mesh) {
  Box box;
  double reach_sq = 0.0;
  for (const Vec3& v : mesh.vertices) {
    box.include(v);
    reach_sq = std::max(reach_sq, squared_norm(v));
  }
  // A NaN is in no comparison above: looked for only here, once.
  mesh.reach = std::sqrt(reach_sq);
  mesh.bounds = box;
  mesh.center = box.center();
  double radius_sq = 0.0;
  bool usable = mesh.reach <= kLargestTranslation;
  for (const Vec3& v : mesh.vertices) {
    usable = usable && is_finite(v);
    radius_sq = std::max(radius_sq, squared_norm(v - mesh.center));
  }
  mesh.radius = std::sqrt(radius_sq) * (1.0 + 1e-15);
  if (usable) return {};
  const auto bad = std::find_if_not(mesh.vertices.begin(), mesh.vertices.end(),
                                    [](const Vec3& v) { return is_usable(v); });
  return invalid("vertex " + std::to_string(bad - mesh.vertices.begin()),
                 "has a coordinate that is not finite or beyond 1e15 m");
}

}  // namespace

std::string ProberBase::description() const {
  const int count = threads().resolved();
  return std::string(name_of(method())) + ", " + std::to_string(count) +
         (count == 1 ? " thread" : " threads");
}

Status ProberBase::set_mesh(const Mesh& mesh) {
  if (mesh.empty())
    return Error{.code = ErrorCode::Invalid, .reason = "the mesh to probe is empty"};
  next_.mesh = mesh;
  next_.faces = mesh.faces();
  next_.vertices = mesh.vertices();
  return take(next_, Change::Everything);
}

Status ProberBase::move_vertices(std::span<const Vec3> vertices) {
  if (vertices.size() != mesh_.vertices.size())
    return Error{.code = ErrorCode::Invalid,
                 .reason = std::to_string(vertices.size()) + " vertices for a mesh that has " +
                           std::to_string(mesh_.vertices.size())};
  next_.mesh = mesh_.mesh;
  next_.faces = mesh_.faces;
  next_.moved.assign(vertices.begin(), vertices.end());
  next_.vertices = next_.moved;
  return take(next_, Change::Vertices);
}

Status ProberBase::take(ProbeMesh& next, Change change) {
  if (Status status = measure(next); !status) return status;
  if (Status status = prepare(next, change); !status) return status;
  std::swap(mesh_, next);
  spheres_are_current_ = false;
  return {};
}

const PackedSpheres& ProberBase::triangle_spheres() {
  if (!spheres_are_current_) spheres_.pack_triangles(mesh_, threads());
  spheres_are_current_ = true;
  return spheres_;
}

Status ProberBase::check(std::span<const ContourSegment> segments, double range) const {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!is_usable(segments[i].start) || !is_usable(segments[i].end))
      return invalid("segment " + std::to_string(i),
                     "has a number that is not finite or beyond 1e15 m");
  }
  if (!(range >= 0.0)) return invalid("range", "is " + std::to_string(range) + ", not a distance");
  return {};
}

Result<ProbeHit> ProberBase::closest(std::span<const ContourSegment> segments, double range) {
  if (Status status = check(segments, range); !status) return status.error();
  const ProbeQuery query(mesh_, segments, range);
  contest_.open(query, Contest::Prize::ForAll);
  if (Status status = find(contest_); !status) return status.error();
  work_ = contest_.work;
  return contest_.hits()[0];
}

Result<std::vector<ProbeHit>> ProberBase::closest_of_each(std::span<const ContourSegment> segments,
                                                          double range) {
  if (Status status = check(segments, range); !status) return status.error();
  const ProbeQuery query(mesh_, segments, range);
  contest_.open(query, Contest::Prize::ForEach);
  if (Status status = find(contest_); !status) return status.error();
  work_ = contest_.work;
  return std::vector<ProbeHit>(contest_.hits().begin(), contest_.hits().end());
}

Result<std::vector<double>> ProberBase::triangle_distances(std::span<const ContourSegment> segments,
                                                           double range) {
  if (Status status = check(segments, range); !status) return status.error();
  work_ = {};
  std::vector<double> distances(mesh_.faces.size(), std::numeric_limits<double>::infinity());
  const ProbeQuery query(mesh_, segments, range);
  if (Status status = map_triangles(query, distances, work_); !status) return status.error();
  return distances;
}

Result<std::vector<double>> ProberBase::vertex_distances(std::span<const ContourSegment> segments,
                                                         double range) {
  if (Status status = check(segments, range); !status) return status.error();
  work_ = {};
  std::vector<double> distances(mesh_.vertices.size(), std::numeric_limits<double>::infinity());
  const ProbeQuery query(mesh_, segments, range);
  if (Status status = map_vertices(query, distances, work_); !status) return status.error();
  return distances;
}

Status ProberBase::map_triangles(const ProbeQuery& query, std::span<double> distances,
                                 ProbeWork& work) {
  detail::map_triangles(query, triangle_spheres(), threads(), distances, work);
  return {};
}

Status ProberBase::map_vertices(const ProbeQuery& query, std::span<double> distances,
                                ProbeWork& work) {
  PackedSpheres points;
  points.pack_vertices(query.mesh, threads());
  detail::map_vertices(query, points, threads(), distances, work);
  return {};
}

}  // namespace clearance::detail
