// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/wide_refit.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "bvh/wide_axes.h"
#include "bvh/wide_fit.h"
#include "bvh/wide_leaf.h"
#include "bvh/wide_lid.h"

namespace clearance::detail {
namespace {

/// Leaves, and nodes with few triangles, that one piece of a parallel loop fits.
constexpr std::size_t kLeafBlock = 512;
constexpr std::size_t kNodeBlock = 64;
/// A node of more leaves than this is a piece of its own.
constexpr std::size_t kLargeNode = 2048;
/// Old axes are kept for a set whose coordinates along them correlate by less than this: turning
/// them to the principal axes would make the box thinner by about this fraction at most.
constexpr double kCorrelation = 0.1;
/// Tilt of a flat set below which its axes are kept: ten times what axes in single precision lose.
constexpr double kTilt = 1e-6;

FrameAxes axes_of(const WideFrame& frame) {
  FrameAxes axes;
  for (std::size_t k = 0; k < 3; ++k) std::copy_n(frame.axes[k], 3, axes[k].begin());
  return axes;
}

/// True when the principal axes of the set would fit it no better than these.
bool still_fits(const FrameAxes& kept, const Moments& m) {
  if (!(m.weight > 0.0)) return true;
  std::array<Vec3, 3> axes;
  for (std::size_t k = 0; k < 3; ++k) axes[k] = {kept[k][0], kept[k][1], kept[k][2]};
  const Mat3 covariance = m.covariance();
  std::array<Vec3, 3> rotated;
  for (std::size_t k = 0; k < 3; ++k) rotated[k] = covariance * axes[k];
  std::array<double, 3> variance{};
  for (std::size_t k = 0; k < 3; ++k) variance[k] = std::max(0.0, dot(rotated[k], axes[k]));
  const double flat = kTilt * std::max({variance[0], variance[1], variance[2]});
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    const double mixed = dot(rotated[k], axes[next]);
    if (mixed * mixed > kCorrelation * kCorrelation * variance[k] * variance[next] + flat * flat)
      return false;
  }
  return true;
}

std::size_t count_of(const WideLeaf& leaf) {
  std::size_t count = 0;
  while (count < kWidth && leaf.triangle[count] != kNoChild) ++count;
  return count;
}

class Refitter {
 public:
  Refitter(const WideTree& old, std::span<const Vec3> vertices, Faces faces, const Box& bounds,
           Threads threads)
      : old_(old),
        source_{vertices, faces, bounds.center(), 0.5 * bounds.diagonal()},
        threads_(threads),
        corners_(old.leaves.size()),
        storage_(std::make_shared<WideStorage>()) {
    storage_->nodes = LargeArray<WideNode>(old.nodes.size());
    storage_->leaves = LargeArray<WideLeaf>(old.leaves.size());
  }

  std::shared_ptr<const WideTree> refit() {
    lay_out();
    fit_leaves();
    add_moments();
    fit_nodes();
    auto tree = std::make_shared<WideTree>();
    tree->center = source_.center;
    tree->radius = source_.radius;
    tree->root = old_.root;
    tree->nodes = {storage_->nodes.data(), storage_->nodes.size()};
    tree->leaves = {storage_->leaves.data(), storage_->leaves.size()};
    tree->owner = std::move(storage_);
    return tree;
  }

 private:
  [[nodiscard]] static bool is_leaf(std::uint32_t ref) { return (ref & kLeafBit) != 0; }
  [[nodiscard]] Run run_of(std::uint32_t ref) const {
    return is_leaf(ref) ? Run{leaf_places_[ref & ~kLeafBit], 1} : node_runs_[ref];
  }
  [[nodiscard]] Moments& moments_of(std::uint32_t ref) {
    return is_leaf(ref) ? leaf_moments_[ref & ~kLeafBit] : node_moments_[ref];
  }

  /// Numbers the leaves in the order a visit meets them, so that those of a node are a run.
  void lay_out() {
    leaf_places_.resize(old_.leaves.size());
    node_runs_.resize(old_.nodes.size());
    order_.reserve(old_.nodes.size());
    std::size_t met = 0;
    std::vector<std::uint32_t> stack{old_.root};
    while (!stack.empty()) {
      const std::uint32_t ref = stack.back();
      stack.pop_back();
      if (is_leaf(ref)) {
        leaf_places_[ref & ~kLeafBit] = met++;
        continue;
      }
      node_runs_[ref].first = met;
      order_.push_back(ref);
      const auto& child = old_.nodes[ref].child;
      for (std::size_t i = kWidth; i-- > 0;) {
        if (child[i] != kNoChild) stack.push_back(child[i]);
      }
    }
  }

  void fit_leaves() {
    leaf_moments_.resize(old_.leaves.size());
    const std::size_t blocks = (old_.leaves.size() + kLeafBlock - 1) / kLeafBlock;
    parallel_for(threads_, blocks, [&](std::size_t block) {
      const std::size_t end = std::min(old_.leaves.size(), (block + 1) * kLeafBlock);
      for (std::size_t i = block * kLeafBlock; i < end; i += AxesBatch::kRoom)
        fit_some_leaves({i, std::min(AxesBatch::kRoom, end - i)});
    });
  }

  void fit_some_leaves(Run leaves) {
    const double least = kLeastWeight * source_.radius * source_.radius;
    AxesBatch axes;
    std::array<LeafTriangles, AxesBatch::kRoom> triangles;
    for (std::size_t i = 0; i < leaves.count; ++i) {
      const std::size_t index = leaves.first + i;
      const WideLeaf& old = old_.leaves[index];
      std::copy_n(old.triangle, kWidth, storage_->leaves[index].triangle);
      triangles[i].gather(source_, {old.triangle, count_of(old)});
      const LeafShape shape = triangles[i].shape(least);
      axes.add(shape.moments, shape.normal);
      leaf_moments_[index] = shape.moments;
      corners_[leaf_places_[index]] = triangles[i].rounded();
    }
    axes.solve();
    for (std::size_t i = 0; i < leaves.count; ++i)
      fit_leaf(storage_->leaves[leaves.first + i], axes.axes(i), triangles[i]);
  }

  /// Parents come before their children in the order of the visit, so backwards is upwards.
  void add_moments() {
    node_moments_.resize(old_.nodes.size());
    for (std::size_t i = order_.size(); i-- > 0;) {
      const std::uint32_t ref = order_[i];
      for (const std::uint32_t child : old_.nodes[ref].child) {
        if (child == kNoChild) continue;
        node_moments_[ref].add(moments_of(child));
        node_runs_[ref].count += run_of(child).count;
      }
    }
  }

  void fit_nodes() {
    // The large ones first, one by one: the threads that are done with them share the rest.
    const auto small = std::stable_partition(order_.begin(), order_.end(), [&](std::uint32_t ref) {
      return node_runs_[ref].count > kLargeNode;
    });
    const auto large = static_cast<std::size_t>(small - order_.begin());
    const std::size_t blocks = (order_.size() - large + kNodeBlock - 1) / kNodeBlock;
    parallel_for(threads_, large + blocks, [&](std::size_t piece) {
      if (piece < large) {
        fit_one_node(order_[piece]);
        return;
      }
      const std::size_t first = large + (piece - large) * kNodeBlock;
      const std::size_t end = std::min(order_.size(), first + kNodeBlock);
      for (std::size_t i = first; i < end; ++i) fit_one_node(order_[i]);
    });
  }

  void fit_one_node(std::uint32_t index) {
    const WideNode& old = old_.nodes[index];
    const Moments& moments = node_moments_[index];
    const FrameAxes axes = axes_of(old.frame);
    std::array<FrameAxes, 2> choices{axes, axes};
    std::size_t choice_count = 1;
    if (!still_fits(axes, moments)) choices[choice_count++] = principal_axes(moments);

    std::array<ChildBounds, 2> bounds;
    std::array<Rotation, 2> rotations{};
    for (std::size_t c = 0; c < choice_count; ++c) {
      rotations[c] = rotation_of(choices[c], moments.centroid());
      for (std::size_t i = 0; i < kWidth && old.child[i] != kNoChild; ++i) {
        const Run run = run_of(old.child[i]);
        bounds[c].add(bounds_of({corners_.data() + run.first, run.count}, rotations[c]));
      }
    }
    const std::size_t best =
        choice_count == 2 && bounds[1].half_area() < bounds[0].half_area() ? 1 : 0;
    WideNode& node = storage_->nodes[index];
    std::copy_n(old.child, kWidth, node.child);
    fit_node(node, rotations[best], bounds[best], source_.radius);
    const Run own = node_runs_[index];
    if (own.count <= kLidLeaves) {
      fit_lid(node, {corners_.data() + own.first, own.count}, source_.radius);
    } else {
      node.lid = {.axis = kNoLid};
    }
  }

  const WideTree& old_;
  WideSource source_;
  Threads threads_;
  LargeArray<LeafCorners> corners_;  // in the order of the visit
  std::shared_ptr<WideStorage> storage_;
  std::vector<std::uint32_t> order_;      // of the nodes
  std::vector<std::size_t> leaf_places_;  // in that order
  std::vector<Run> node_runs_;            // of leaves
  std::vector<Moments> leaf_moments_;
  std::vector<Moments> node_moments_;
};

}  // namespace

std::shared_ptr<const WideTree> refit_wide_tree(const WideTree& tree,
                                                std::span<const Vec3> vertices, Faces faces,
                                                const Box& bounds, Threads threads) {
  return Refitter(tree, vertices, faces, bounds, threads).refit();
}

}  // namespace clearance::detail
