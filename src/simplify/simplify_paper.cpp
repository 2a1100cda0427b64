// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The methods Paper and Packing: Algorithm 1 with and without its first stage.
#include <algorithm>
#include <span>
#include <utility>

#include "simplify/cover_gaps.h"
#include "simplify/paper_spheres.h"
#include "simplify/simplify_methods.h"

namespace clearance::detail {
namespace {

// Resolution of the kept volume, as a part of the error.
constexpr double kResolution = 0.3;
// The points that errors are measured at: the error between them is larger by a few hundredths of
// the limit, which the loop stops below.
constexpr PointSpacing kSpacing{.face = 0.4, .edge = 0.15, .inside = 0.6};
constexpr double kReserve = 0.01;
// An internal sphere starts as wide as this many errors, where no other diameter is asked for. In a
// square edge a sphere as wide as two holds the most of it once it has grown by the error, and a
// little wider ones hold more of the faces.
constexpr double kStartDiameter = 2.5;
// Rounds of looking for gaps between the points, and single gaps found by the proof, at most.
constexpr int kMostRounds = 12;
constexpr int kMostMendings = 200;

std::vector<Sphere> grown(const std::vector<Sphere>& spheres, double by) {
  std::vector<Sphere> result = spheres;
  for (Sphere& s : result) s.radius = std::max(0.0, s.radius + by);
  return result;
}

}  // namespace

Result<Simplification> simplify_by_paper(const Model& body, const SimplifyOptions& options) {
  const bool packing = options.method == SimplifyMethod::Packing;
  if (packing && !body.is_solid()) {
    return Error{ErrorCode::Invalid,
                 {},
                 {},
                 "spheres can be packed into a closed body only, and the mesh is open",
                 "close it, or take another method"};
  }
  KeptVolumeOptions kept_options;
  kept_options.external_diameter = packing ? 0.0 : options.external_diameter;
  kept_options.fill_cavities = options.fill_cavities;
  kept_options.resolution = kResolution * options.error;
  kept_options.threads = options.threads;
  kept_options.monitor = options.monitor;
  Result<KeptVolume> kept = KeptVolume::make(body, kept_options);
  if (!kept) return kept.error();

  InternalOptions internal;
  internal.error = (1.0 - kReserve) * options.error;
  internal.least_radius =
      0.5 * (options.least_internal_diameter > 0.0 ? options.least_internal_diameter
                                                   : kStartDiameter * options.error);
  internal.most_spheres = options.most_spheres;
  internal.seed = options.seed;
  internal.threads = options.threads;
  internal.monitor = options.monitor;
  std::vector<Sphere> external;
  if (kept_options.external_diameter > 0.0) {
    external = random_external_spheres(body, options.external_diameter, options.external_trials,
                                       options.seed, options.threads);
    std::erase_if(external, [&](const Sphere& s) { return !kept->is_reached(s.center); });
  }
  InternalSpheres spheres(*kept, std::move(external), internal);
  kept->prepare(options.error, options.threads, options.monitor);
  if (is_cancelled(options.monitor)) return cancelled();
  const BallField field(*kept, options.error);
  const CoverPoints points = make_cover_points(field, sharp_edges(body.mesh()), kSpacing, {},
                                               options.threads, options.monitor);
  if (is_cancelled(options.monitor)) return cancelled();
  spheres.add_points(points.points);

  Simplification result{.kept = *kept};
  const auto limited = [&] {
    return options.most_spheres > 0 && spheres.spheres().size() >= options.most_spheres;
  };
  // Points between those looked at may be farther from the spheres: they are added as well.
  for (int round = 0; round < kMostRounds; ++round) {
    report_progress(options.monitor, "adding spheres", -1.0);
    if (!spheres.run()) return cancelled();
    if (limited()) break;
    const std::vector<Vec3> gaps =
        find_gaps(field, grown(spheres.spheres(), options.error),
                  {.threads = options.threads, .monitor = options.monitor});
    if (gaps.empty()) break;
    spheres.add_points(gaps);
  }
  CoverOptions proof;
  proof.threads = options.threads;
  proof.monitor = options.monitor;
  result.grown_by = options.grow ? options.error : 0.0;
  result.error = result.grown_by;
  if (limited() && options.grow) {
    // The error there is, from above.
    proof.deepest = true;
    const Cover cover = verify_cover(*kept, spheres.spheres(), proof);
    result.grown_by = std::max(options.error, cover.depth_upper);
    result.error = result.grown_by;
    proof.deepest = false;
  }
  for (int mending = 0; options.grow && mending <= kMostMendings; ++mending) {
    const Cover cover = verify_cover(*kept, grown(spheres.spheres(), result.grown_by), proof);
    if (is_cancelled(options.monitor)) return cancelled();
    result.covered = cover.status == CoverStatus::Covered;
    if (cover.status != CoverStatus::Uncovered || limited()) break;
    spheres.add_points(std::span(&cover.point, 1));
    if (!spheres.run()) return cancelled();
  }
  result.history = spheres.history();
  result.spheres = grown(spheres.spheres(), result.grown_by);
  return result;
}

}  // namespace clearance::detail
