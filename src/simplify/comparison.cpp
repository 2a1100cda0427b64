// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cmath>

#include <clearance/mesh/level_of_detail.h>
#include <clearance/simplify/comparison.h>
#include <clearance/simplify/representations.h>
#include <clearance/simplify/simplify.h>

namespace clearance {
namespace {

/// How closely the deviations of a comparison are enclosed, as a fraction of its error, and with
/// how many cells at most.
constexpr double kTolerance = 0.25;
constexpr std::size_t kMostCells = 100'000;
/// Voxels are so many times the error: the paper has 5 mm beside 1 mm.
constexpr double kVoxelsPerError = 5.0;

class Comparer {
 public:
  Comparer(const Model& body, const CompareOptions& options) : body_(body), options_(options) {
    cover_.threads = options.threads;
    cover_.monitor = options.monitor;
    cover_.most_pieces = kMostCells;
    cover_.deepest = true;
  }

  Result<Comparison> run() {
    const double voxel =
        options_.voxel_size > 0.0 ? options_.voxel_size : kVoxelsPerError * options_.error;
    make(RepresentationKind::Original, [&](Representation& out) -> Status {
      out.mesh = body_.mesh();
      out.covers = true;
      return {};
    });
    make(RepresentationKind::Decimated, [&](Representation& out) -> Status {
      LevelOfDetailOptions detail;
      detail.target_triangles = body_.mesh().triangle_count() / 2;
      return take(simplified(body_.mesh(), detail), [&](LevelOfDetail& v) { out.mesh = v.mesh; });
    });
    make(RepresentationKind::ConvexHull, [&](Representation& out) -> Status {
      out.covers = true;
      return take(hull_of(body_.mesh()), [&](Mesh& v) { out.mesh = v; });
    });
    make(RepresentationKind::ConvexPieces, [&](Representation& out) -> Status {
      ConvexPiecesOptions pieces;
      pieces.error = options_.error;
      pieces.most_pieces = options_.most_pieces;
      pieces.threads = options_.threads;
      pieces.monitor = options_.monitor;
      out.covers = true;
      return take(convex_pieces(body_, pieces), [&](ConvexPieces& v) {
        out.mesh = v.mesh;
        out.outward = v.outward;
      });
    });
    make(RepresentationKind::Voxels, [&](Representation& out) -> Status {
      return take(voxel_spheres(body_, voxel, VoxelSpheres::Inscribed, false),
                  [&](std::vector<Sphere>& v) { out.spheres = v; });
    });
    make(RepresentationKind::VoxelCover, [&](Representation& out) -> Status {
      out.covers = true;
      return take(voxel_spheres(body_, voxel, VoxelSpheres::Around, true),
                  [&](std::vector<Sphere>& v) { out.spheres = v; });
    });
    make(RepresentationKind::SphereTree, [&](Representation& out) -> Status {
      out.covers = true;
      return take(octree_spheres(body_, options_.error),
                  [&](std::vector<Sphere>& v) { out.spheres = v; });
    });
    make_simplified(RepresentationKind::Packing, SimplifyMethod::Packing);
    make_simplified(RepresentationKind::Paper, SimplifyMethod::Paper);
    make_simplified(RepresentationKind::Cover, SimplifyMethod::Cover);
    if (is_cancelled(options_.monitor)) return Error{ErrorCode::Cancelled, "", "", "", ""};
    return std::move(out_);
  }

 private:
  template <class T, class Use>
  static Status take(Result<T> made, const Use& use) {
    if (!made) return made.error();
    use(*made);
    return {};
  }

  void make_simplified(RepresentationKind kind, SimplifyMethod method) {
    make(kind, [&](Representation& out) -> Status {
      SimplifyOptions simple;
      simple.method = method;
      simple.error = options_.error;
      // A packing as the paper has it lies inside the part.
      simple.grow = method != SimplifyMethod::Packing;
      simple.external_diameter = options_.external_diameter;
      simple.fill_cavities = options_.fill_cavities;
      simple.seed = options_.seed;
      simple.threads = options_.threads;
      simple.monitor = options_.monitor;
      return take(simplify(body_, simple), [&](Simplification& v) {
        out.spheres = v.spheres;
        out.covers = v.covered;
      });
    });
  }

  template <class How>
  void make(RepresentationKind kind, const How& how) {
    if (is_cancelled(options_.monitor)) return;
    report_progress(options_.monitor, name_of(kind), -1.0);
    Representation out;
    out.kind = kind;
    const auto start = std::chrono::steady_clock::now();
    const Status made = how(out);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (is_cancelled(options_.monitor)) return;
    if (!made) {
      out_.notes.push_back("No " + std::string(name_of(kind)) + ": " + made.error().reason + ".");
      return;
    }
    measure(out);
    out_.list.push_back(std::move(out));
  }

  /// How far it is off. What covers by the way it is made is not off inward.
  void measure(Representation& out) const {
    if (out.kind == RepresentationKind::Original) {
      out.complexity = out.mesh.triangle_count();
      return;
    }
    const double tolerance = kTolerance * options_.error;
    if (out.mesh.empty()) {
      out.complexity = out.spheres.size();
      out.outward = outward_excess(body_, out.spheres, tolerance, cover_);
      if (out.covers) return;
      const Cover cover = verify_cover(body_, out.spheres, cover_);
      out.covers = cover.status == CoverStatus::Covered;
      if (!out.covers) out.inward = {cover.depth, std::max(cover.depth, cover.depth_upper)};
      return;
    }
    out.complexity = out.mesh.triangle_count();
    const Result<Model> model = Model::build(out.mesh, {.threads = options_.threads});
    if (!model) return;
    FarthestOptions farthest;
    farthest.tolerance = tolerance;
    farthest.most_cells = kMostCells;
    if (out.outward.upper == 0.0) out.outward = farthest_from(*model, body_, farthest);
    if (!out.covers) out.inward = farthest_from(body_, *model, farthest);
  }

  const Model& body_;
  const CompareOptions& options_;
  CoverOptions cover_;
  Comparison out_;
};

}  // namespace

const char* name_of(RepresentationKind kind) {
  switch (kind) {
    case RepresentationKind::Original:
      return "original";
    case RepresentationKind::Decimated:
      return "decimated";
    case RepresentationKind::ConvexHull:
      return "convex hull";
    case RepresentationKind::ConvexPieces:
      return "convex pieces";
    case RepresentationKind::Voxels:
      return "voxels";
    case RepresentationKind::VoxelCover:
      return "voxel cover";
    case RepresentationKind::SphereTree:
      return "sphere tree";
    case RepresentationKind::Packing:
      return "sphere packing";
    case RepresentationKind::Paper:
      return "paper's spheres";
    case RepresentationKind::Cover:
      break;
  }
  return "covering spheres";
}

Result<Comparison> compare(const Model& body, const CompareOptions& options) {
  if (!(options.error > 0.0) || !std::isfinite(options.error))
    return Error{ErrorCode::Invalid, "", "", "the error is not a length above 0", ""};
  if (!(options.voxel_size >= 0.0) || !std::isfinite(options.voxel_size))
    return Error{ErrorCode::Invalid, "", "", "the size of voxels is not a length", ""};
  return Comparer(body, options).run();
}

}  // namespace clearance
