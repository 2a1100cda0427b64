// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the wide tree. First the upper part is planned: long runs of triangles are split until
// they are short enough to be jobs. The jobs, which do not
// depend on the number of threads, then build their subtrees side by side; the subtrees are put one
// behind the other in the order of their runs, and the upper nodes are fitted around them.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "bvh/wide_fit.h"
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

struct Source {
  std::span<const Vec3> vertices;
  Faces faces;
  Vec3 center;
  double radius = 0.0;

  [[nodiscard]] Triangle triangle(std::uint32_t i) const {
    const auto& f = faces[i];
    return {vertices[f[0]] - center, vertices[f[1]] - center, vertices[f[2]] - center};
  }
};

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
                                 : split_in_half(part, grain);
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

/// A subtree under construction; child numbers count from its own first node and leaf.
struct Subtree {
  std::vector<WideNode> nodes;
  std::vector<WideLeaf> leaves;
  std::uint32_t root = kNoChild;
  Moments moments;
};

/// Chooses the frame of a node and writes its boxes: principal axes or coordinate axes, whichever
/// gives the children less surface.
class NodeFitter {
 public:
  NodeFitter(const CornerArrays& corners, double radius) : corners_(corners), radius_(radius) {}

  void fit(WideNode& node, std::span<const Run> runs, const Moments& moments) const {
    const std::array<Rotation, 2> choices{rotation_of(moments.axes(), moments.centroid()),
                                          rotation_of(Mat3::identity(), moments.centroid())};
    std::array<std::array<RotatedBounds, kWidth>, 2> bounds{};
    std::array<float, 2> area{};
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        bounds[c][i] = bounds_of(corners_, runs[i].first, runs[i].count, choices[c]);
        area[c] += bounds[c][i].half_area();
      }
    }
    const std::size_t best = area[1] < area[0] ? 1 : 0;
    fit_node(node, choices[best], {bounds[best].data(), runs.size()}, radius_);
  }

 private:
  const CornerArrays& corners_;
  double radius_;
};

class SubtreeBuilder {
 public:
  SubtreeBuilder(const Source& source, std::span<SplitItem> items, std::span<SplitItem> scratch,
                 CornerArrays& corners)
      : source_(source),
        items_(items),
        scratch_(scratch),
        corners_(corners),
        fitter_(corners, source.radius) {}

  Subtree build(Run run, int depth) {
    out_.nodes.reserve(run.count / 40 + 1);
    out_.leaves.reserve(run.count / 7 + 1);
    out_.root = add(run, depth, out_.moments);
    return std::move(out_);
  }

 private:
  std::uint32_t add(Run run, int depth, Moments& moments) {
    if (run.count <= kWidth) return add_leaf(run, moments);
    const auto index = static_cast<std::uint32_t>(out_.nodes.size());
    out_.nodes.emplace_back();
    const Opened opened = RunOpener(items_, scratch_, depth).open(run);
    std::array<std::uint32_t, kWidth> child{};
    child.fill(kNoChild);
    for (std::size_t i = 0; i < opened.count; ++i) {
      Moments part;
      child[i] = add(opened.runs[i], depth + 1, part);
      moments.add(part);
    }
    WideNode& node = out_.nodes[index];
    std::copy(child.begin(), child.end(), node.child);
    fitter_.fit(node, {opened.runs.data(), opened.count}, moments);
    return index;
  }

  std::uint32_t add_leaf(Run run, Moments& moments) {
    std::array<Triangle, kWidth> triangles;
    const double least = kLeastWeight * source_.radius * source_.radius;
    WideLeaf leaf;
    std::fill_n(leaf.triangle, kWidth, kNoChild);
    for (std::size_t i = 0; i < run.count; ++i) {
      leaf.triangle[i] = items_[run.first + i].triangle;
      triangles[i] = source_.triangle(leaf.triangle[i]);
      corners_.set(run.first + i, triangles[i]);
      moments.add(triangles[i], least);
    }
    const std::span<const Triangle> used{triangles.data(), run.count};
    fit_leaf(leaf, leaf_axes(used, moments), used);
    out_.leaves.push_back(leaf);
    return static_cast<std::uint32_t>(out_.leaves.size() - 1) | kLeafBit;
  }

  const Source& source_;
  std::span<SplitItem> items_;
  std::span<SplitItem> scratch_;
  CornerArrays& corners_;
  NodeFitter fitter_;
  Subtree out_;
};

/// A node of the upper part: its children are other planned nodes or jobs.
struct PlannedNode {
  Opened opened;
  std::array<std::size_t, kWidth> child{};
  std::array<bool, kWidth> is_job{};
  int depth = 0;
};
struct Job {
  Run run;
  int depth = 0;
};

struct Storage {
  std::vector<WideNode> nodes;
  std::vector<WideLeaf> leaves;
};

class TreeBuilder {
 public:
  TreeBuilder(const Source& source, Threads threads)
      : source_(source),
        threads_(threads),
        items_storage_(new SplitItem[2 * source.faces.size()]),
        items_(items_storage_.get(), source.faces.size()),
        scratch_(items_storage_.get() + source.faces.size(), source.faces.size()),
        corners_(source.faces.size()) {}

  std::shared_ptr<const WideTree> build() {
    make_items();
    plan({0, items_.size()}, 0);
    subtrees_.resize(jobs_.size());
    parallel_for(threads_, jobs_.size(), [&](std::size_t j) {
      subtrees_[j] =
          SubtreeBuilder(source_, items_, scratch_, corners_).build(jobs_[j].run, jobs_[j].depth);
    });
    return assemble();
  }

 private:
  void make_items() {
    const std::size_t pieces = (items_.size() + kProjectRun - 1) / kProjectRun;
    parallel_for(threads_, pieces, [&](std::size_t p) {
      const std::size_t end = std::min(items_.size(), (p + 1) * kProjectRun);
      for (std::size_t i = p * kProjectRun; i < end; ++i) {
        const Triangle t = source_.triangle(static_cast<std::uint32_t>(i));
        const Vec3 low = min(t.a, min(t.b, t.c));
        const Vec3 high = max(t.a, max(t.b, t.c));
        SplitItem& item = items_[i];
        for (std::size_t k = 0; k < 3; ++k) {
          item.low[k] = static_cast<float>(low[k]);
          item.high[k] = static_cast<float>(high[k]);
        }
        item.triangle = static_cast<std::uint32_t>(i);
        item.unused = 0;
      }
    });
  }

  // Returns the number of the planned node, or registers a job and returns its number.
  std::size_t plan(Run run, int depth) {
    if (run.count <= kJobRun) {
      jobs_.push_back({run, depth});
      return jobs_.size() - 1;
    }
    const std::size_t index = planned_.size();
    planned_.emplace_back();
    PlannedNode node;
    node.depth = depth;
    node.opened = RunOpener(items_, scratch_, depth).open(run);
    for (std::size_t i = 0; i < node.opened.count; ++i) {
      node.is_job[i] = node.opened.runs[i].count <= kJobRun;
      node.child[i] = plan(node.opened.runs[i], depth + 1);
    }
    planned_[index] = node;
    return index;
  }

  std::shared_ptr<const WideTree> assemble() {
    auto storage = std::make_shared<Storage>();
    std::vector<std::size_t> first_node(jobs_.size());
    std::vector<std::size_t> first_leaf(jobs_.size());
    std::size_t node_count = planned_.size();
    std::size_t leaf_count = 0;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      first_node[j] = node_count;
      first_leaf[j] = leaf_count;
      node_count += subtrees_[j].nodes.size();
      leaf_count += subtrees_[j].leaves.size();
    }
    storage->nodes.resize(node_count);
    storage->leaves.resize(leaf_count);
    const auto placed = [&](std::uint32_t ref, std::size_t j) {
      if (ref == kNoChild) return ref;
      return (ref & kLeafBit) != 0
                 ? static_cast<std::uint32_t>((ref & ~kLeafBit) + first_leaf[j]) | kLeafBit
                 : static_cast<std::uint32_t>(ref + first_node[j]);
    };
    parallel_for(threads_, jobs_.size(), [&](std::size_t j) {
      std::size_t at = first_node[j];
      for (const WideNode& node : subtrees_[j].nodes) {
        WideNode& copy = storage->nodes[at++];
        copy = node;
        for (std::uint32_t& ref : copy.child) ref = placed(ref, j);
      }
      std::copy(subtrees_[j].leaves.begin(), subtrees_[j].leaves.end(),
                storage->leaves.begin() + static_cast<std::ptrdiff_t>(first_leaf[j]));
    });

    // The upper nodes: children have higher numbers than their parents, so backwards is upwards.
    std::vector<Moments> moments(planned_.size());
    for (std::size_t i = planned_.size(); i-- > 0;) {
      const PlannedNode& plan = planned_[i];
      WideNode& node = storage->nodes[i];
      std::fill_n(node.child, kWidth, kNoChild);
      for (std::size_t c = 0; c < plan.opened.count; ++c) {
        const std::size_t child = plan.child[c];
        moments[i].add(plan.is_job[c] ? subtrees_[child].moments : moments[child]);
        node.child[c] = plan.is_job[c] ? placed(subtrees_[child].root, child)
                                       : static_cast<std::uint32_t>(child);
      }
    }
    const NodeFitter fitter(corners_, source_.radius);
    parallel_for(threads_, planned_.size(), [&](std::size_t i) {
      const Opened& opened = planned_[i].opened;
      fitter.fit(storage->nodes[i], {opened.runs.data(), opened.count}, moments[i]);
    });

    auto tree = std::make_shared<WideTree>();
    tree->center = source_.center;
    tree->radius = source_.radius;
    tree->root = planned_.empty() ? placed(subtrees_[0].root, 0) : 0;
    tree->nodes = storage->nodes;
    tree->leaves = storage->leaves;
    tree->owner = std::move(storage);
    return tree;
  }

  const Source& source_;
  Threads threads_;
  std::unique_ptr<SplitItem[]> items_storage_;  // the items and as much scratch, not zeroed
  std::span<SplitItem> items_;
  std::span<SplitItem> scratch_;
  CornerArrays corners_;
  std::vector<PlannedNode> planned_;
  std::vector<Job> jobs_;
  std::vector<Subtree> subtrees_;
};

}  // namespace

std::shared_ptr<const WideTree> build_wide_tree(std::span<const Vec3> vertices, Faces faces,
                                                const Box& bounds, Threads threads) {
  const Source source{vertices, faces, bounds.center(), 0.5 * bounds.diagonal()};
  return TreeBuilder(source, threads).build();
}

}  // namespace clearance::detail
