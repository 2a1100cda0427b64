// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What all ways to probe have in common: the mesh, checks of arguments, exact measuring. A way
// itself says how it prepares a mesh and which pairs it cannot drop:
//
//   Status prepare(const ProbeMesh& mesh, Change change)  // before it becomes mesh(); may fail
//   Status find(Contest& contest)                         // measure() all that could win
//
// and inherits the maps (probe_map.h), which bound eight triangles at a time on the CPU, or
// overrides them:
//
//   Status map_triangles(const ProbeQuery& query, std::span<double> distances, ProbeWork& work)
//   Status map_vertices(...)
//
// find() must call contest.measure(s, t) for every pair (s, t) whose distance is not proven to be
// above contest.limit(s) at that time; it may for any other. Bounds in double precision may be
// taken as they are (ProbeQuery::slack), bounds in single precision must be lowered by what they
// may be off. It may not allocate once it has answered as large a query. Work that a way does
// besides measure() it adds to contest.work.bounds.
//
// A new way: derive, add a line to make_prober() (prober.cpp), and it is in the test-suite
// (tests/contour/prober_test.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clearance/contour/prober.h>

#include "contour/probe_contest.h"
#include "contour/probe_spheres.h"

namespace clearance::detail {

class ProberBase : public Prober {
 public:
  [[nodiscard]] ProbeMethod method() const final { return options_.method; }
  [[nodiscard]] std::string description() const override;

  Status set_mesh(const Mesh& mesh) final;
  Status move_vertices(std::span<const Vec3> vertices) final;
  Result<ProbeHit> closest(std::span<const ContourSegment> segments, double range) final;
  Result<std::vector<ProbeHit>> closest_of_each(std::span<const ContourSegment> segments,
                                                double range) final;
  Result<std::vector<double>> triangle_distances(std::span<const ContourSegment> segments,
                                                 double range) final;
  Result<std::vector<double>> vertex_distances(std::span<const ContourSegment> segments,
                                               double range) final;
  [[nodiscard]] ProbeWork work() const final { return work_; }

 protected:
  explicit ProberBase(ProberOptions options) : options_(std::move(options)) {}

  enum class Change : std::uint8_t { Everything, Vertices };
  /// Called with the mesh that becomes mesh() on success. Everything: another mesh; Vertices: the
  /// faces of mesh() at other places. After an error mesh() stays, and queries are about it or
  /// fail.
  virtual Status prepare(const ProbeMesh& mesh, Change change) = 0;
  virtual Status find(Contest& contest) = 0;
  /// Distances from the nearest segment; `distances` is filled with infinity before.
  virtual Status map_triangles(const ProbeQuery& query, std::span<double> distances,
                               ProbeWork& work);
  virtual Status map_vertices(const ProbeQuery& query, std::span<double> distances,
                              ProbeWork& work);

  [[nodiscard]] const ProberOptions& options() const { return options_; }
  [[nodiscard]] Threads threads() const { return options_.threads; }
  [[nodiscard]] const ProbeMesh& mesh() const { return mesh_; }
  /// Spheres around the triangles of mesh(), packed when first asked for after a change.
  [[nodiscard]] const PackedSpheres& triangle_spheres();

 private:
  Status take(ProbeMesh& next, Change change);
  [[nodiscard]] Status check(std::span<const ContourSegment> segments, double range) const;

  ProberOptions options_;
  ProbeMesh mesh_;
  ProbeMesh next_;  // memory for the next one
  PackedSpheres spheres_;
  bool spheres_are_current_ = false;
  Contest contest_;
  ProbeWork work_;
};

}  // namespace clearance::detail
