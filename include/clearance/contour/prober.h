// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How close is a robot, as contour segments, to a mesh? A Prober has the mesh and answers for any
// segments, a thousand times a second and more. There are several ways to compute it, and all give
// the same answer bit for bit: each drops what bounds prove to be farther, and measures what is
// left with segment_distance.h.
//
// The mesh is a surface and may change at any time: set_mesh() takes any other, move_vertices() the
// same triangles elsewhere. Nothing has to be prepared and no query needs the one before it; a
// Prober makes use of both where it can, without changing an answer.
//
// The segment may hold triangles wholly inside: that is contact, distance 0.
//
// A Prober is used by one thread at a time; it uses ProberOptions::threads itself. closest() and
// closest_of_each() do not allocate once the first of their size was answered, but for the list
// returned and for what starting threads takes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/contour/segment_distance.h>
#include <clearance/mesh/mesh.h>
#include <clearance/query/query.h>

namespace clearance {

/// How the answer is computed.
enum class ProbeMethod : std::uint8_t {
  Tree,          ///< a descent of the mesh's Bvh; the fastest (the default)
  Scalar,        ///< every pair looked at, one at a time: the reference
  Simd,          ///< every pair looked at, eight at a time
  Bisection,     ///< the paper's culling: sub-meshes with simplified stand-ins, bounded
  OpenCl,        ///< every pair looked at on an OpenCL device
  OpenClCulled,  ///< as OpenCl, boxes of triangles first
  KernelOnCpu,   ///< the OpenCL kernels compiled as C++: for tests and machines without OpenCL
};
/// "tree", "scalar", "simd", "bisection", "opencl", "opencl-culled", "kernel-on-cpu"
[[nodiscard]] const char* name_of(ProbeMethod method);

/// When ProbeMethod::Tree builds its tree, and which. Answers do not depend on it.
enum class ProbeTree : std::uint8_t {
  Full,   ///< set_mesh() builds the best one: all queries are fast, from the first on
  Quick,  ///< set_mesh() builds one in a quarter of that time, with larger boxes: queries take some
          ///< four times as long
  AsNeeded,  ///< set_mesh() builds none; queries go without, then build a quick one, then the best,
             ///< each when they have cost as much: the fastest for few queries, but some of many
             ///< take the time of a build
};

struct ProberOptions {
  ProbeMethod method = ProbeMethod::Tree;
  ProbeTree tree = ProbeTree::Full;
  Threads threads{1};    ///< answers do not depend on it
  int bisections = 3;    ///< Bisection: layers, 1 to 10: 2^layers sub-meshes
  std::string device{};  ///< OpenCL: part of the name of a device; empty: the first GPU, else any
};

/// The closest pair.
struct ProbeHit {
  /// [m]; infinity when nothing is within the range
  double distance = std::numeric_limits<double>::infinity();
  Vec3 on_mesh;     ///< [m]
  Vec3 on_contour;  ///< [m]
  std::uint32_t triangle = kNoTriangle;
  std::uint32_t segment = kNoTriangle;  ///< index into the segments asked about
  SegmentPlace place;                   ///< of on_contour
  [[nodiscard]] bool found() const { return triangle != kNoTriangle; }
};

/// What a query cost.
struct ProbeWork {
  std::uint64_t bounds = 0;  ///< pairs (of segments and boxes or triangles) bounded
  std::uint64_t exact = 0;   ///< pairs of segments and triangles measured
};

class Prober {
 public:
  virtual ~Prober() = default;
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  [[nodiscard]] virtual ProbeMethod method() const = 0;
  /// For people: "OpenCL on pthread-AMD EPYC", "tree, 2 threads".
  [[nodiscard]] virtual std::string description() const = 0;

  /// Takes another mesh. Errors: an empty mesh; a coordinate beyond kLargestTranslation (query.h);
  /// a device that failed.
  virtual Status set_mesh(const Mesh& mesh) = 0;
  /// The same triangles elsewhere: as many vertices as the mesh has. Errors: another number, a
  /// coordinate that is not finite or beyond kLargestTranslation; a device that failed. The last
  /// mesh stays after an error.
  virtual Status move_vertices(std::span<const Vec3> vertices) = 0;

  /// The closest pair within `range` [m]; not found() when there is none. Of pairs equally close
  /// the lowest segment's lowest triangle. Errors: a segment with a number that is not finite or
  /// beyond kLargestTranslation; a range that is NaN or negative; a device that failed.
  virtual Result<ProbeHit> closest(std::span<const ContourSegment> segments,
                                   double range = std::numeric_limits<double>::infinity()) = 0;
  /// The same for each segment by itself.
  virtual Result<std::vector<ProbeHit>> closest_of_each(
      std::span<const ContourSegment> segments,
      double range = std::numeric_limits<double>::infinity()) = 0;
  /// For each triangle its distance from the nearest segment [m]; infinity beyond the range. What
  /// the coloured maps show (the paper's Fig. 8 and 9).
  virtual Result<std::vector<double>> triangle_distances(
      std::span<const ContourSegment> segments,
      double range = std::numeric_limits<double>::infinity()) = 0;
  /// For each vertex of the mesh.
  virtual Result<std::vector<double>> vertex_distances(
      std::span<const ContourSegment> segments,
      double range = std::numeric_limits<double>::infinity()) = 0;

  /// Of the last query.
  [[nodiscard]] virtual ProbeWork work() const = 0;

 protected:
  Prober() = default;
};

/// A Prober with a mesh. Errors: an empty mesh; no such device, or OpenCL not installed or not
/// built in (the reason says which).
[[nodiscard]] Result<std::unique_ptr<Prober>> make_prober(const Mesh& mesh,
                                                          const ProberOptions& options = {});

/// An OpenCL device of this machine.
struct ProbeDevice {
  std::string name;
  std::string platform;
  bool gpu = false;
  bool double_precision = false;
  std::uint32_t compute_units = 0;
  std::uint64_t memory_bytes = 0;
};
/// Empty when there is none, or OpenCL is not installed: no error.
[[nodiscard]] std::vector<ProbeDevice> probe_devices();

}  // namespace clearance
