// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's culling (section IV A), for comparison, made exact. The mesh is bisected successively
// into sub-meshes, each simplified to a stand-in. A query measures the stand-ins first; then, the
// nearest first, the sub-meshes themselves that their stand-ins do not prove to be farther than
// what was found (probe_stand_in.h). The paper searches the nearest sub-mesh only, and so may miss
// the answer. Moved vertices are bisected and simplified anew.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "contour/probe_blocks.h"
#include "contour/probe_stand_in.h"
#include "contour/probe_ways.h"

namespace clearance::detail {
namespace {

// Triangles of a stand-in, as a fraction of those it stands for, and at least.
constexpr double kStandInShare = 0.05;
constexpr std::size_t kLeastStandIn = 16;

// A sub-mesh and its stand-in.
struct Part {
  std::span<const std::uint32_t> triangles;
  PackedSpheres spheres;
  SphereBlocks blocks;
  ProbeMesh stand_in;
  PackedSpheres stand_in_spheres;
  SphereBlocks stand_in_blocks;
  double error = 0.0;
  // Of the query: how near the part may be to each segment.
  Contest stand_in_contest;
  std::vector<double> lower;
  double least = 0.0;
};

class BisectionProber final : public ProberBase {
 public:
  explicit BisectionProber(const ProberOptions& options) : ProberBase(options) {}

 protected:
  Status prepare(const ProbeMesh& mesh, Change /*change*/) override {
    bisect(mesh);
    const auto prepare_part = [&](std::size_t i) { prepare_one(mesh, *parts_[i]); };
    parallel_for(threads(), parts_.size(), std::ref(prepare_part));
    return {};
  }

  Status find(Contest& contest) override {
    const std::size_t segments = contest.segment_count();
    if (segments == 0) return {};
    const auto bound_part = [&](std::size_t i) { bound(contest, *parts_[i]); };
    parallel_for(threads(), parts_.size(), std::ref(bound_part));
    order_of_parts_.clear();
    for (const std::unique_ptr<Part>& part : parts_) {
      contest.work.bounds += part->stand_in_contest.work.bounds;
      contest.work.exact += part->stand_in_contest.work.exact;
      order_of_parts_.push_back(part.get());
    }
    // The order changes nothing but the time: equals as they come.
    std::sort(order_of_parts_.begin(), order_of_parts_.end(),
              [](const Part* a, const Part* b) { return a->least < b->least; });
    wanted_.resize(segments);
    for (Part* part : order_of_parts_) {
      bool any = false;
      for (std::size_t s = 0; s < segments; ++s) {
        wanted_[s] = part->lower[s] > contest.limit(s) ? 0 : 1;
        any = any || wanted_[s] != 0;
      }
      if (!any) continue;
      part->blocks.start(contest.query());
      part->blocks.find(contest, threads(), wanted_);
    }
    return {};
  }

 private:
  // Halves the longest side of each part, at the median of the triangles, layer by layer.
  void bisect(const ProbeMesh& mesh) {
    order_.resize(mesh.faces.size());
    std::iota(order_.begin(), order_.end(), 0U);
    centers_.clear();
    for (std::size_t t = 0; t < mesh.faces.size(); ++t) {
      const Triangle corners = mesh.triangle(t);
      centers_.push_back((corners.a + corners.b + corners.c) / 3.0);
    }
    std::vector<std::span<std::uint32_t>> pieces{order_};
    for (int layer = 0; layer < options().bisections; ++layer) {
      std::vector<std::span<std::uint32_t>> halves;
      for (const std::span<std::uint32_t> piece : pieces) {
        if (piece.size() < 2) {
          halves.push_back(piece);
          continue;
        }
        Box box;
        for (const std::uint32_t t : piece) box.include(centers_[t]);
        const Vec3 size = box.size();
        const std::size_t k = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
        const auto half = static_cast<std::ptrdiff_t>(piece.size() / 2);
        std::nth_element(piece.begin(), piece.begin() + half, piece.end(),
                         [&](std::uint32_t a, std::uint32_t b) {
                           return centers_[a][k] != centers_[b][k] ? centers_[a][k] < centers_[b][k]
                                                                   : a < b;
                         });
        halves.push_back(piece.first(piece.size() / 2));
        halves.push_back(piece.subspan(piece.size() / 2));
      }
      pieces = std::move(halves);
    }
    parts_.clear();
    for (const std::span<std::uint32_t> piece : pieces) {
      // Where all wait at distance 0 the lowest number is looked at first.
      std::sort(piece.begin(), piece.end());
      parts_.push_back(std::make_unique<Part>());
      parts_.back()->triangles = piece;
    }
  }

  static void prepare_one(const ProbeMesh& mesh, Part& part) {
    const auto target = static_cast<std::size_t>(
        std::ceil(kStandInShare * static_cast<double>(part.triangles.size())));
    StandIn made = stand_in_for(mesh, part.triangles, std::max(target, kLeastStandIn));
    part.error = made.error;
    part.stand_in = {.mesh = made.mesh,
                     .vertices = made.mesh.vertices(),
                     .faces = made.mesh.faces(),
                     .center = mesh.center,
                     .radius = mesh.radius,
                     .reach = mesh.reach};
    part.stand_in_spheres.pack_triangles(part.stand_in, Threads{1});
    part.stand_in_blocks.set(part.stand_in_spheres);
    part.spheres.pack_triangles(mesh, Threads{1}, part.triangles);
    part.blocks.set(part.spheres, part.triangles);
  }

  // A part whose stand-in is beyond the range by more than its error is out.
  static void bound(const Contest& contest, Part& part) {
    const ProbeQuery& query = contest.query();
    const ProbeQuery stand_in_query(part.stand_in, query.segments, query.range + part.error);
    part.stand_in_contest.open(stand_in_query, contest.prize());
    part.stand_in_blocks.start(stand_in_query);
    part.stand_in_blocks.find(part.stand_in_contest, Threads{1});
    part.lower.clear();
    part.least = std::numeric_limits<double>::infinity();
    for (const ProbeHit& hit : part.stand_in_contest.hits()) {
      // The exact distance may be below the measured one, by less than the slack.
      part.lower.push_back(hit.distance - part.error - stand_in_query.slack);
      part.least = std::min(part.least, part.lower.back());
    }
    part.lower.resize(query.segments.size(), part.least);
  }

  std::vector<std::uint32_t> order_;  // the triangles, part by part
  std::vector<Vec3> centers_;
  std::vector<std::unique_ptr<Part>> parts_;
  // Of the query.
  std::vector<Part*> order_of_parts_;
  std::vector<std::uint8_t> wanted_;
};

}  // namespace

std::unique_ptr<Prober> make_bisection_prober(const ProberOptions& options) {
  return std::make_unique<BisectionProber>(options);
}

}  // namespace clearance::detail
