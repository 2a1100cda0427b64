// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the wide tree. First the upper part is planned: long runs of triangles are divided until
// they are short enough to be jobs. The jobs, which do not depend on the number of threads, divide
// their runs into nodes and leaves side by side. Then all is counted, every node and leaf has its
// place, and the jobs fit theirs; at last the upper nodes are fitted around them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "bvh/large_array.h"
#include "bvh/wide_axes.h"
#include "bvh/wide_fit.h"
#include "bvh/wide_leaf.h"
#include "bvh/wide_lid.h"
#include "bvh/wide_split.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {
namespace {

/// Longest run that one job builds.
constexpr std::size_t kJobRun = 4096;
/// Shorter runs are divided so that leaves and nodes are full, at some cost in where the cuts lie.
constexpr std::size_t kPackedRun = 4096;
/// Triangles that one thread projects at a time for a node of the upper part.
constexpr std::size_t kProjectRun = 16384;
/// Nodes below this depth halve their runs, whatever that costs, so that the depth stays bounded.
constexpr int kSplitDepth = 24;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The parts of a run under division.
struct Opened {
  std::array<Run, kWidth> runs;
  std::size_t count = 0;
};

class RunOpener {
 public:
  RunOpener(std::span<SplitItem> items, std::span<SplitItem> scratch, int depth)
      : items_(items), scratch_(scratch), depth_(depth) {}

  Opened open(Run run) {
    parts_[0] = {run, 0.0F};
    count_ = 1;
    if (run.count > kPackedRun) {
      // The largest surface first, wherever the cut is best.
      while (count_ < kWidth) divide(widest(), 1);
    } else {
      // Full parts, then room for the parts of those that fit whole.
      pack(0, grain_of(run.count));
      while (pull_up()) {
      }
    }
    Opened opened;
    opened.count = count_;
    for (std::size_t i = 0; i < count_; ++i) opened.runs[i] = parts_[i].run;
    return opened;
  }

 private:
  struct Part {
    Run run;
    float area;
  };

  /// How many triangles a child of a run takes at most when the tree below is full.
  static std::size_t grain_of(std::size_t count) {
    std::size_t grain = kWidth;
    while (grain * kWidth < count) grain *= kWidth;
    return grain;
  }

  // Measured when first asked for: most parts are never compared.
  [[nodiscard]] float area(std::size_t i) {
    if (parts_[i].area < 0.0F)
      parts_[i].area = half_area_of(items_.subspan(parts_[i].run.first, parts_[i].run.count));
    return parts_[i].area;
  }

  // The part of more than one triangle with the largest surface; there is one.
  [[nodiscard]] std::size_t widest() {
    std::size_t best = kWidth;
    for (std::size_t i = 0; i < count_; ++i) {
      if (parts_[i].run.count > 1 && (best == kWidth || area(i) > area(best))) best = i;
    }
    return best;
  }

  void divide(std::size_t i, std::size_t grain) {
    const Run r = parts_[i].run;
    const std::span<SplitItem> part = items_.subspan(r.first, r.count);
    const std::size_t left = depth_ < kSplitDepth
                                 ? split_items(part, scratch_.subspan(r.first, r.count), grain)
                                 : split_in_half(part, scratch_.subspan(r.first, r.count), grain);
    for (std::size_t k = count_; k > i + 1; --k) parts_[k] = parts_[k - 1];
    parts_[i].run = {r.first, left};
    parts_[i + 1].run = {r.first + left, r.count - left};
    parts_[i].area = parts_[i + 1].area = -1.0F;
    ++count_;
  }

  // Divides part i until no part of it has more than `grain` triangles.
  void pack(std::size_t i, std::size_t grain) {
    std::size_t end = i + 1;
    while (i < end) {
      if (parts_[i].run.count > grain) {
        divide(i, grain);
        ++end;
      } else {
        ++i;
      }
    }
  }

  // Replaces the widest part whose own parts fit into the free places by those; false: none fits.
  bool pull_up() {
    std::size_t best = kWidth;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t n = parts_[i].run.count;
      if (n <= kWidth) continue;
      const std::size_t grain = grain_of(n);
      if (count_ - 1 + (n + grain - 1) / grain > kWidth) continue;
      if (best == kWidth || area(i) > area(best)) best = i;
    }
    if (best == kWidth) return false;
    pack(best, grain_of(parts_[best].run.count));
    return true;
  }

  std::span<SplitItem> items_;
  std::span<SplitItem> scratch_;
  int depth_;
  std::array<Part, kWidth> parts_{};
  std::size_t count_ = 0;
};

/// What a parent needs to know of a child.
struct Below {
  Moments moments;
  FrameBounds bounds{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  Run leaves;  // in the order of the tree

  void add(const Below& child) {
    moments.add(child.moments);
    bounds.include(child.bounds);
    if (leaves.count == 0) leaves.first = child.leaves.first;
    leaves.count += child.leaves.count;
  }
};

/// A node to be fitted, and what is below it.
struct NodeTask {
  WideNode* node = nullptr;
  const Below* own = nullptr;
  std::array<const Below*, kWidth> children{};
  std::size_t count = 0;
};

/// Chooses the frames of nodes and writes their boxes: principal axes or coordinate axes, whichever
/// gives the children less surface.
class NodeFitter {
 public:
  NodeFitter(const LeafCorners* corners, double radius) : corners_(corners), radius_(radius) {}

  void add(const NodeTask& task) {
    tasks_[axes_.size()] = task;
    axes_.add(task.own->moments);
    if (axes_.size() == AxesBatch::kRoom) finish();
  }

  /// Fits the nodes that have been added and still wait.
  void finish() {
    const std::size_t count = axes_.size();
    if (count == 0) return;
    axes_.solve();
    for (std::size_t i = 0; i < count; ++i) fit(tasks_[i], axes_.axes(i));
  }

 private:
  void fit(const NodeTask& task, const FrameAxes& axes) const {
    const Vec3 centroid = task.own->moments.centroid();
    const Rotation turned = rotation_of(axes, centroid);
    const Rotation straight = rotation_of(kCoordinateAxes, centroid);
    ChildBounds turned_bounds;
    ChildBounds straight_bounds;
    for (std::size_t i = 0; i < task.count; ++i) {
      const Below& child = *task.children[i];
      turned_bounds.add(bounds_of({corners_ + child.leaves.first, child.leaves.count}, turned));
      straight_bounds.add(child.bounds, straight.origin);
    }
    if (straight_bounds.half_area() < turned_bounds.half_area()) {
      fit_node(*task.node, straight, straight_bounds, radius_);
    } else {
      fit_node(*task.node, turned, turned_bounds, radius_);
    }
    if (task.own->leaves.count <= kLidLeaves) {
      fit_lid(*task.node, {corners_ + task.own->leaves.first, task.own->leaves.count}, radius_);
    } else {
      task.node->lid = {.axis = kNoLid};
    }
  }

  const LeafCorners* corners_;
  double radius_;
  AxesBatch axes_;
  std::array<NodeTask, AxesBatch::kRoom> tasks_;
};

/// A run that becomes a subtree. Its nodes and leaves count from its own first ones.
struct Job {
  struct Node {
    std::array<std::uint32_t, kWidth> child;  // as in WideNode
  };
  Run run;
  int depth = 0;
  std::vector<Node> nodes;
  std::vector<Run> leaves;
  std::uint32_t root = kNoChild;
  std::size_t first_node = 0;  // places in the tree
  std::size_t first_leaf = 0;
  Below below;

  [[nodiscard]] std::uint32_t placed(std::uint32_t ref) const {
    if (ref == kNoChild) return ref;
    return (ref & kLeafBit) != 0
               ? static_cast<std::uint32_t>((ref & ~kLeafBit) + first_leaf) | kLeafBit
               : static_cast<std::uint32_t>(ref + first_node);
  }
};

/// A node of the upper part.
struct PlannedNode {
  Run run;
  int depth = 0;
  Opened opened;
  std::array<std::size_t, kWidth> planned{};  // number of the child, where it is no job
  Below below;
};

class TreeBuilder {
 public:
  TreeBuilder(const WideSource& source, Threads threads)
      : source_(source),
        threads_(threads),
        workspace_(2 * source.faces.size() * sizeof(SplitItem)),
        items_(reinterpret_cast<SplitItem*>(workspace_.data()), source.faces.size()),
        scratch_(items_.data() + items_.size(), source.faces.size()),
        order_(source.faces.size()) {}

  std::shared_ptr<const WideTree> build() {
    make_items();
    plan();
    parallel_for(threads_, jobs_.size(), [&](std::size_t j) {
      Job& job = jobs_[j];
      job.nodes.reserve(job.run.count / 40 + 1);
      job.leaves.reserve(job.run.count / 7 + 1);
      job.root = divide(job, job.run, job.depth);
    });
    place();
    parallel_for(threads_, jobs_.size(), [&](std::size_t j) { fit_job(jobs_[j]); });
    fit_planned();
    return finished();
  }

 private:
  void make_items() {
    const std::size_t pieces = (items_.size() + kProjectRun - 1) / kProjectRun;
    parallel_for(threads_, pieces, [&](std::size_t p) {
      const std::size_t end = std::min(items_.size(), (p + 1) * kProjectRun);
      for (std::size_t i = p * kProjectRun; i < end; ++i) {
        const auto& f = source_.faces[i];
        const Vec3 a = source_.vertices[f[0]] - source_.center;
        const Vec3 b = source_.vertices[f[1]] - source_.center;
        const Vec3 c = source_.vertices[f[2]] - source_.center;
        const Vec3 low = min(a, min(b, c));
        const Vec3 high = max(a, max(b, c));
        SplitItem& item = items_[i];
        for (std::size_t k = 0; k < 3; ++k) {
          item.minus_low[k] = static_cast<float>(-low[k]);
          item.high[k] = static_cast<float>(high[k]);
        }
        item.triangle = static_cast<std::uint32_t>(i);
        item.unused = 0;
      }
    });
  }

  // Level by level: the runs of a level are opened side by side.
  void plan() {
    const auto take = [&](Run run, int depth) -> std::size_t {
      if (run.count <= kJobRun) {
        jobs_.push_back({.run = run, .depth = depth});
        return 0;
      }
      planned_.push_back({.run = run, .depth = depth});
      return planned_.size() - 1;
    };
    take({0, items_.size()}, 0);
    std::size_t begin = 0;
    while (begin < planned_.size()) {
      const std::size_t end = planned_.size();
      parallel_for(threads_, end - begin, [&](std::size_t i) {
        PlannedNode& node = planned_[begin + i];
        node.opened = RunOpener(items_, scratch_, node.depth).open(node.run);
      });
      for (; begin < end; ++begin) {
        const Opened opened = planned_[begin].opened;
        const int depth = planned_[begin].depth + 1;
        for (std::size_t c = 0; c < opened.count; ++c) {
          const std::size_t number = take(opened.runs[c], depth);
          planned_[begin].planned[c] = number;
        }
      }
    }
    std::sort(jobs_.begin(), jobs_.end(),
              [](const Job& a, const Job& b) { return a.run.first < b.run.first; });
  }

  std::uint32_t divide(Job& job, Run run, int depth) const {
    if (run.count <= kWidth) {
      for (std::size_t i = run.first; i < run.first + run.count; ++i)
        order_[i] = items_[i].triangle;
      job.leaves.push_back(run);
      return static_cast<std::uint32_t>(job.leaves.size() - 1) | kLeafBit;
    }
    const auto index = static_cast<std::uint32_t>(job.nodes.size());
    job.nodes.emplace_back();
    job.nodes[index].child.fill(kNoChild);
    if (run.count <= kShortRun) {
      const PartSizes parts = leaves_of(items_.subspan(run.first, run.count),
                                        std::span(order_.data() + run.first, run.count));
      for (std::size_t i = 0; i < parts.count; ++i) {
        job.nodes[index].child[i] = static_cast<std::uint32_t>(job.leaves.size()) | kLeafBit;
        job.leaves.push_back({run.first, parts.size[i]});
        run.first += parts.size[i];
      }
      return index;
    }
    const Opened opened = RunOpener(items_, scratch_, depth).open(run);
    for (std::size_t i = 0; i < opened.count; ++i) {
      const std::uint32_t child = divide(job, opened.runs[i], depth + 1);
      job.nodes[index].child[i] = child;
    }
    return index;
  }

  void place() {
    std::size_t node_count = planned_.size();
    std::size_t leaf_count = 0;
    for (Job& job : jobs_) {
      job.first_node = node_count;
      job.first_leaf = leaf_count;
      node_count += job.nodes.size();
      leaf_count += job.leaves.size();
    }
    storage_->nodes = LargeArray<WideNode>(node_count);
    storage_->leaves = LargeArray<WideLeaf>(leaf_count);
    // All is divided, so the items have had their day. Memory that is new to the process costs more
    // than writing to it.
    if (leaf_count * sizeof(LeafCorners) > workspace_.size())
      workspace_ = LargeArray<std::byte>(leaf_count * sizeof(LeafCorners));
    corners_ = reinterpret_cast<LeafCorners*>(workspace_.data());
  }

  void fit_job(Job& job) {
    std::vector<Below> leaves(job.leaves.size());
    for (std::size_t i = 0; i < leaves.size(); i += AxesBatch::kRoom) {
      fit_leaves(job, i, {leaves.data() + i, std::min(AxesBatch::kRoom, leaves.size() - i)});
    }
    // Children have higher numbers than their parents, so backwards is upwards.
    std::vector<Below> nodes(job.nodes.size());
    NodeFitter fitter(corners_, source_.radius);
    for (std::size_t i = nodes.size(); i-- > 0;) {
      WideNode& node = storage_->nodes[job.first_node + i];
      NodeTask task{.node = &node, .own = &nodes[i]};
      for (std::size_t c = 0; c < kWidth; ++c) {
        const std::uint32_t ref = job.nodes[i].child[c];
        node.child[c] = job.placed(ref);
        if (ref == kNoChild) continue;
        const Below& child = (ref & kLeafBit) != 0 ? leaves[ref & ~kLeafBit] : nodes[ref];
        nodes[i].add(child);
        task.children[task.count++] = &child;
      }
      fitter.add(task);
    }
    fitter.finish();
    job.below = nodes.empty() ? leaves[0] : nodes[0];
  }

  // Up to eight leaves of a job, from number `first` on.
  void fit_leaves(const Job& job, std::size_t first, std::span<Below> below) {
    const double least = kLeastWeight * source_.radius * source_.radius;
    AxesBatch axes;
    std::array<LeafTriangles, AxesBatch::kRoom> triangles;
    for (std::size_t i = 0; i < below.size(); ++i) {
      const Run run = job.leaves[first + i];
      const std::size_t place = job.first_leaf + first + i;
      WideLeaf& leaf = storage_->leaves[place];
      std::fill_n(leaf.triangle, kWidth, kNoChild);
      std::copy_n(&order_[run.first], run.count, leaf.triangle);
      triangles[i].gather(source_, {leaf.triangle, run.count});
      const LeafShape shape = triangles[i].shape(least);
      axes.add(shape.moments, shape.normal);
      corners_[place] = triangles[i].rounded();
      below[i].moments = shape.moments;
      below[i].bounds = coordinate_bounds(corners_[place]);
      below[i].leaves = {place, 1};
    }
    axes.solve();
    for (std::size_t i = 0; i < below.size(); ++i)
      fit_leaf(storage_->leaves[job.first_leaf + first + i], axes.axes(i), triangles[i]);
  }

  void fit_planned() {
    std::vector<NodeTask> tasks(planned_.size());
    for (std::size_t i = planned_.size(); i-- > 0;) {
      PlannedNode& plan = planned_[i];
      NodeTask& task = tasks[i];
      task.node = &storage_->nodes[i];
      task.own = &plan.below;
      task.count = plan.opened.count;
      std::fill_n(task.node->child, kWidth, kNoChild);
      for (std::size_t c = 0; c < plan.opened.count; ++c) {
        const Run& run = plan.opened.runs[c];
        if (run.count <= kJobRun) {
          const Job& job = job_of(run);
          task.children[c] = &job.below;
          task.node->child[c] = job.placed(job.root);
        } else {
          task.children[c] = &planned_[plan.planned[c]].below;
          task.node->child[c] = static_cast<std::uint32_t>(plan.planned[c]);
        }
        plan.below.add(*task.children[c]);
      }
    }
    parallel_for(threads_, tasks.size(), [&](std::size_t i) {
      NodeFitter fitter(corners_, source_.radius);
      fitter.add(tasks[i]);
      fitter.finish();
    });
  }

  [[nodiscard]] const Job& job_of(const Run& run) const {
    return *std::lower_bound(jobs_.begin(), jobs_.end(), run.first,
                             [](const Job& job, std::size_t at) { return job.run.first < at; });
  }

  std::shared_ptr<const WideTree> finished() {
    auto tree = std::make_shared<WideTree>();
    tree->center = source_.center;
    tree->radius = source_.radius;
    tree->root = planned_.empty() ? jobs_[0].placed(jobs_[0].root) : 0;
    tree->nodes = {storage_->nodes.data(), storage_->nodes.size()};
    tree->leaves = {storage_->leaves.data(), storage_->leaves.size()};
    tree->owner = std::move(storage_);
    return tree;
  }

  const WideSource& source_;
  Threads threads_;
  LargeArray<std::byte>
      workspace_;  // the items and as much scratch; then the corners of the leaves
  std::span<SplitItem> items_;
  std::span<SplitItem> scratch_;
  LargeArray<std::uint32_t> order_;  // the triangles, leaf by leaf
  std::vector<PlannedNode> planned_;
  std::vector<Job> jobs_;  // in the order of their runs
  LeafCorners* corners_ = nullptr;
  std::shared_ptr<WideStorage> storage_ = std::make_shared<WideStorage>();
};

}  // namespace

std::shared_ptr<const WideTree> build_wide_tree(std::span<const Vec3> vertices, Faces faces,
                                                const Box& bounds, Threads threads) {
  const WideSource source{vertices, faces, bounds.center(), 0.5 * bounds.diagonal()};
  return TreeBuilder(source, threads).build();
}

}  // namespace clearance::detail
