// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent of the mesh's tree, and when to do without: after the vertices have moved, brute
// force answers until it has cost as much as fitting the tree would have. A mesh that moves every
// frame thus never pays for a tree, and one that comes to rest gets it back after a few queries.
// ProbeTree::AsNeeded begins like that with every mesh, goes on with a quick tree, and pays for the
// full one once queries have cost as much as it saves.
#include <functional>
#include <optional>

#include <clearance/bvh/bvh.h>

#include "contour/probe_blocks.h"
#include "contour/probe_descent.h"
#include "contour/probe_ways.h"

namespace clearance::detail {
namespace {

// Fitting a tree to moved vertices costs about as much as bounding its triangles against this many
// segments, eight at a time (measured: 0.35 us against 1 ns a triangle).
constexpr std::size_t kRefitWorth = 300;
// The same for building a tree quickly.
constexpr std::size_t kQuickWorth = 60;
// A quick tree is worth a full one after this many bounds for each triangle: building costs as much
// as seven (measured: 0.3 us against 40 ns), and two thirds of them are spared.
constexpr std::uint64_t kFullWorth = 10;
// A tree whose boxes have this many times the area they had for the same surface when it was built
// is built anew: building costs two refits.
constexpr double kLoose = 1.5;
// A list of segments is shared among threads when there are so many.
constexpr std::size_t kSegmentsPerTask = 4;

/// The area of all boxes of a tree, as a multiple of that of its surface.
double looseness_of(const Bvh& tree) {
  double twice = 0.0;
  for (std::size_t t = 0; t < tree.triangle_count(); ++t) {
    const Triangle corners = tree.triangle(t);
    twice += norm(cross(corners.b - corners.a, corners.c - corners.a));
  }
  return twice > 0.0 ? tree.statistics().total_area / (0.5 * twice) : 0.0;
}

class TreeProber final : public ProberBase {
 public:
  explicit TreeProber(const ProberOptions& options) : ProberBase(options) {}

 protected:
  Status prepare(const ProbeMesh& mesh, Change change) override {
    if (change == Change::Everything) {
      if (mesh.faces.size() >= kLeafBit)
        return Error{.code = ErrorCode::Invalid, .reason = "more than 2147483647 triangles"};
      if (options().tree == ProbeTree::Full) {
        if (Status status = build(mesh); !status) return status;
      } else if (options().tree == ProbeTree::Quick) {
        build_quickly(mesh);
      }
      forget();
    }
    tree_is_current_ = change == Change::Everything && options().tree != ProbeTree::AsNeeded;
    segments_since_change_ = 0;
    return {};
  }

  Status find(Contest& contest) override {
    const std::size_t segments = contest.segment_count();
    if (segments == 0) return {};
    guess(contest);
    if (!tree_is_current_) {
      segments_since_change_ += segments;
      if (segments_since_change_ <= (is_refitted() ? kRefitWorth : kQuickWorth)) {
        blocks_.set(triangle_spheres());
        blocks_.start(contest.query());
        blocks_.find(contest, threads());
        remember(contest);
        return {};
      }
      if (!is_refitted()) {
        build_quickly(mesh());
      } else if (Status status = refit(); !status) {
        return status;
      }
    } else if (options().tree == ProbeTree::AsNeeded && !full_ &&
               bounds_since_build_ > kFullWorth * mesh().faces.size()) {
      if (Status status = build(mesh()); !status) return status;
    }
    const std::uint64_t before = contest.work.bounds;
    descend(contest);
    bounds_since_build_ += contest.work.bounds - before;
    remember(contest);
    return {};
  }

 private:
  /// Moved vertices get the old tree, fitted to them. A new quick one costs less than that, and is
  /// preferred where any tree will do.
  [[nodiscard]] bool is_refitted() const { return options().tree == ProbeTree::Full; }

  Status build(const ProbeMesh& mesh) {
    Result<Bvh> tree = Bvh::build(mesh.vertices, mesh.faces, {.threads = threads()},
                                  std::make_shared<Mesh>(mesh.mesh));
    if (!tree) return tree.error();
    full_ = *tree;
    quick_.reset();
    built_looseness_.reset();
    has_tree();
    return {};
  }
  void build_quickly(const ProbeMesh& mesh) {
    quick_ = build_wide_tree_quickly(mesh.vertices, mesh.faces, mesh.bounds, threads());
    full_.reset();
    has_tree();
  }
  void has_tree() {
    lowest_.compute(tree());
    tree_is_current_ = true;
    bounds_since_build_ = 0;
  }
  [[nodiscard]] const WideTree& tree() const { return full_ ? *full_->wide() : *quick_; }

  Status refit() {
    // Asked of the tree of set_mesh() at its first refit: a mesh at rest need not wait for it.
    if (!built_looseness_) built_looseness_ = looseness_of(*full_);
    Result<Bvh> fitted =
        full_->refit(mesh().vertices, std::make_shared<Mesh>(mesh().mesh), threads());
    if (!fitted) return fitted.error();
    full_ = *fitted;
    if (looseness_of(*full_) > kLoose * *built_looseness_) {
      if (Status status = build(mesh()); !status) return status;
      // Now: the moved vertices it is over do not stay where they are.
      built_looseness_ = looseness_of(*full_);
    }
    tree_is_current_ = true;
    return {};
  }

  void descend(Contest& contest) {
    const WideTree& tree = this->tree();
    const ProbeQuery& query = contest.query();
    kernels_.clear();
    for (const ContourSegment& segment : query.segments) kernels_.emplace_back(tree, segment);
    const std::size_t segments = query.segments.size();
    const bool each = contest.prize() == Contest::Prize::ForEach;
    const std::size_t tasks = (segments + kSegmentsPerTask - 1) / kSegmentsPerTask;
    const ProbeDescent::Scene scene{tree, lowest_, kernels_};
    // One descent for all finds the nearest of all soonest; for each by itself there is nothing to
    // share but the work.
    if (!each || threads().resolved() == 1 || tasks == 1) {
      descents_.resize(std::max<std::size_t>(1, descents_.size()));
      descents_[0].run(scene, 0, segments, contest);
      return;
    }
    descents_.resize(std::max(tasks, descents_.size()));
    forks_.resize(std::max(tasks, forks_.size()));
    const auto run_task = [&](std::size_t task) {
      const std::size_t first = task * kSegmentsPerTask;
      forks_[task].fork(contest);
      descents_[task].run(scene, first, std::min(kSegmentsPerTask, segments - first), forks_[task]);
    };
    parallel_for(threads(), tasks, std::ref(run_task));
    for (std::size_t task = 0; task < tasks; ++task) contest.join(forks_[task]);
  }

  // The triangles that were nearest last time are measured first: mostly they still are, and what
  // is farther is never looked at.
  void guess(Contest& contest) {
    const std::size_t segments = contest.segment_count();
    if (contest.prize() == Contest::Prize::ForAll) {
      if (last_.found() && last_.segment < segments) contest.measure(last_.segment, last_.triangle);
      return;
    }
    for (std::size_t s = 0; s < std::min(segments, last_of_each_.size()); ++s) {
      if (last_of_each_[s] != kNoTriangle) contest.measure(s, last_of_each_[s]);
    }
  }
  void remember(const Contest& contest) {
    if (contest.prize() == Contest::Prize::ForAll) {
      last_ = contest.hits()[0];
      return;
    }
    last_of_each_.clear();
    for (const ProbeHit& hit : contest.hits()) last_of_each_.push_back(hit.triangle);
  }
  void forget() {
    last_ = {};
    last_of_each_.clear();
  }

  std::optional<Bvh> full_;
  std::shared_ptr<const WideTree> quick_;  // instead
  LowestTriangles lowest_;
  std::optional<double> built_looseness_;
  bool tree_is_current_ = false;
  std::uint64_t bounds_since_build_ = 0;
  std::size_t segments_since_change_ = 0;
  ProbeHit last_;
  std::vector<std::uint32_t> last_of_each_;
  // Kept from query to query for their memory.
  std::vector<SegmentKernel> kernels_;
  std::vector<ProbeDescent> descents_;
  std::vector<Contest> forks_;
  SphereBlocks blocks_;
};

}  // namespace

std::unique_ptr<Prober> make_tree_prober(const ProberOptions& options) {
  return std::make_unique<TreeProber>(options);
}

}  // namespace clearance::detail
