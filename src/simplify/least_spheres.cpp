// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs are apart is proven by cells of an octree of centres c. A ball about c that holds
// both points has a radius of at least the distance of the farther one; and each place x of D(s)
// says that it has |c - x| - max(r - e, 0) at most (KeptVolume::limit_near). A cell is done when
// the one is above the other in all of it. Places are kept for the cells that follow: a few dozen
// do.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <clearance/simplify/least_spheres.h>

#include "simplify/ball_field.h"
#include "simplify/ball_place.h"
#include "simplify/body_probe.h"
#include "simplify/cover_points.h"

namespace clearance {
namespace {

using detail::BallField;

constexpr double kSqrt3 = 1.7320508075688773;
/// Distances of points that are chosen from: fine along edges, where a few hundredths more between
/// two points are a few hundredths fewer of them.
constexpr detail::PointSpacing kSpacing{.face = 0.3, .edge = 0.06, .inside = 2.0};
/// Two points are taken to be apart when the best ball found lacks this part of the error. Less
/// would take long to prove, more costs points.
constexpr double kApart = 0.02;
/// Points that the smallest balls hold come first, in classes of this factor; in each, the nearest
/// to those taken already, so that they are packed.
constexpr double kClass = 1.3;
/// Cells looked at for one pair at most.
constexpr std::size_t kMostCells = 200'000;
/// A cell is undecided by at most this part of the error where it is given up.
constexpr double kLeastMargin = 1e-6;
/// Candidates in one piece of a parallel loop.
constexpr std::size_t kPiece = 16;

struct Candidate {
  Vec3 point;
  double reach = 0.0;
  std::vector<Vec3> centers;                                 // of the best balls that hold it
  double nearest = std::numeric_limits<double>::infinity();  // of the points taken
  bool blocked = false;
};

// An estimate: is there a ball that holds both points, or nearly?
bool may_be_in_one_ball(const BallField& field, const Candidate& a, const Candidate& b) {
  const std::array<Vec3, 2> both{a.point, b.point};
  const double lack = kApart * field.error();
  const auto fits = [&](const Vec3& start) {
    return detail::best_place(field, {start, field.radius(start)}, both, {}).spare >= -lack;
  };
  if (fits(0.5 * (a.point + b.point))) return true;
  if (std::any_of(a.centers.begin(), a.centers.end(), fits)) return true;
  if (std::any_of(b.centers.begin(), b.centers.end(), fits)) return true;
  if (a.centers.empty() || b.centers.empty()) return true;
  return fits(0.5 * (a.centers.front() + b.centers.front()));
}

class PairProof {
 public:
  PairProof(const KeptVolume& kept, double error, double largest_radius)
      : kept_(kept), error_(error), largest_radius_(largest_radius) {}

  // Proven that no ball within the error holds both?
  [[nodiscard]] bool are_apart(const Vec3& p, const Vec3& q) const {
    if (distance(p, q) > 2.0 * largest_radius_) return true;
    std::vector<KeptVolume::Limit> limits;
    struct Cell {
      Vec3 center;
      double half;
    };
    std::vector<Cell> open{{0.5 * (p + q), largest_radius_}};
    for (std::size_t looked = 0; !open.empty(); ++looked) {
      if (looked == kMostCells) return false;
      const Cell cell = open.back();
      open.pop_back();
      const double h = kSqrt3 * cell.half * (1.0 + 1e-12);
      const double needed = std::max(distance(cell.center, p), distance(cell.center, q)) - h;
      if (needed > largest_radius_) continue;
      const double margin = kLeastMargin * error_;
      const auto excludes = [&](const KeptVolume::Limit& limit) {
        return excess(cell.center, h, limit, p, q) < -margin;
      };
      if (std::any_of(limits.rbegin(), limits.rend(), excludes)) continue;
      const std::optional<KeptVolume::Limit> limit = kept_.limit_near(cell.center, error_);
      if (limit) {
        limits.push_back(*limit);
        if (excludes(*limit)) continue;
      }
      if (h < margin) return false;
      for (unsigned k = 0; k < 8; ++k) {
        const double half = 0.5 * cell.half;
        open.push_back(
            {cell.center + Vec3{(k & 1U) != 0 ? half : -half, (k & 2U) != 0 ? half : -half,
                                (k & 4U) != 0 ? half : -half},
             half});
      }
    }
    return true;
  }

 private:
  // By how much a ball about a point within h of y can be larger than it has to be to hold p and q,
  // at most. |c - x| - |c - p| changes with the way of c by the difference of the two directions,
  // which changes by the way over each distance.
  static double excess(const Vec3& y, double h, const KeptVolume::Limit& limit, const Vec3& p,
                       const Vec3& q) {
    const Vec3 from_x = y - limit.center;
    const double to_x = norm(from_x);
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3& point : {p, q}) {
      const Vec3 from_point = y - point;
      const double to_point = norm(from_point);
      double change = 2.0;
      if (to_x > h && to_point > h) {
        change = norm(from_x / to_x - from_point / to_point) + h / (to_x - h) + h / (to_point - h);
      }
      least = std::min(least, to_x - limit.less - to_point + h * std::min(change, 2.0));
    }
    return least;
  }

  const KeptVolume& kept_;
  double error_;
  double largest_radius_;
};

// Points of the mesh to choose from.
std::vector<Candidate> candidates_of(const BallField& field, const LeastSpheresOptions& options) {
  const KeptVolume& kept = field.kept();
  const detail::BodyProbe probe(kept.body());
  const std::vector<Vec3> points =
      detail::make_cover_points(field, detail::sharp_edges(kept.body().mesh()), kSpacing, {},
                                options.threads, options.monitor)
          .points;
  std::vector<Candidate> found(points.size());
  parallel_for(options.threads, (points.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    for (std::size_t i = piece * kPiece; i < std::min(points.size(), (piece + 1) * kPiece); ++i) {
      if (probe.surface(points[i]).distance > probe.slack(points[i])) continue;
      found[i].point = points[i];
      found[i].reach = detail::append_centers(field, points[i], found[i].centers);
    }
  });
  // Where balls reach nowhere sideways there is no estimate of what they hold.
  std::erase_if(found, [](const Candidate& one) { return !(one.reach > 0.0); });
  return found;
}

}  // namespace

Result<LeastSpheres> least_spheres(const KeptVolume& kept, double error,
                                   const LeastSpheresOptions& options) {
  if (!(error > 0.0) || !std::isfinite(error))
    return Error{ErrorCode::Invalid, {}, {}, "the error is not above 0, or not finite", {}};
  if (!kept.external_tool().empty()) {
    return Error{
        ErrorCode::Invalid, {}, {}, "what a tool leaves has no such bound", "take external balls"};
  }
  kept.prepare(error, options.threads, options.monitor);
  if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
  const BallField field(kept, error);
  std::vector<Candidate> candidates = candidates_of(field, options);
  // A ball within the error of the body's box has at most this radius.
  const Vec3 size = kept.bounds().size();
  const double largest_radius = (0.5 * std::min({size.x, size.y, size.z}) + error) * (1.0 + 1e-12);

  // Greedily, by estimates.
  std::vector<Vec3> taken;
  const auto rank = [&](const Candidate& one) {
    return std::pair(std::floor(std::log(one.reach / error) / std::log(kClass)), one.nearest);
  };
  while (!is_cancelled(options.monitor)) {
    const Candidate* best = nullptr;
    for (const Candidate& one : candidates)
      if (!one.blocked && (best == nullptr || rank(one) < rank(*best))) best = &one;
    if (best == nullptr) break;
    const Candidate now = *best;
    taken.push_back(now.point);
    parallel_for(options.threads, (candidates.size() + kPiece - 1) / kPiece,
                 [&](std::size_t piece) {
                   const std::size_t end = std::min(candidates.size(), (piece + 1) * kPiece);
                   for (std::size_t i = piece * kPiece; i < end; ++i) {
                     Candidate& one = candidates[i];
                     const double apart = distance(one.point, now.point);
                     one.nearest = std::min(one.nearest, apart);
                     if (one.blocked || apart > 2.0 * largest_radius) continue;
                     one.blocked = may_be_in_one_ball(field, now, one);
                   }
                 });
  }

  // And proven: those that are not apart from one before are left out.
  LeastSpheres result;
  const PairProof proof(kept, error, largest_radius);
  std::vector<std::vector<std::uint8_t>> apart(taken.size());
  parallel_for(options.threads, taken.size(), [&](std::size_t i) {
    apart[i].resize(i);
    for (std::size_t j = 0; j < i && !is_cancelled(options.monitor); ++j)
      apart[i][j] = proof.are_apart(taken[i], taken[j]) ? 1 : 0;
  });
  if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
  std::vector<std::size_t> kept_ones;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!std::all_of(kept_ones.begin(), kept_ones.end(),
                     [&](std::size_t j) { return apart[i][j] != 0; }))
      continue;
    for (const std::size_t j : kept_ones)
      if (distance(taken[i], taken[j]) <= 2.0 * largest_radius) ++result.pairs_proven;
    kept_ones.push_back(i);
    result.points.push_back(taken[i]);
  }
  return result;
}

}  // namespace clearance
