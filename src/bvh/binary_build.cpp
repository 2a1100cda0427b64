// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Top-down building of binary trees, as in the paper (section II): split at the fitter's position
// across the axis with the least SA(V_L) + SA(V_R), eq. (4), and fit the volume along that axis.
//
// Large sets are split one level after the other, all sets of a level at once; sets small enough
// are finished each by one thread. Which sets these are depends on their sizes alone, and every
// sum runs in the order of the triangles within the set, so the tree is the same for any number of
// threads.
#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "bvh/binary_tree.h"
#include "bvh/fitters.h"

namespace clearance::detail {
namespace {

/// Sets up to this many triangles are finished by one thread: small enough that two cores share
/// the work evenly, large enough that handing it out costs nothing.
constexpr std::size_t kSubtreeTriangles = 4096;
/// Triangles gathered by one piece of the parallel loop.
constexpr std::size_t kGatherBlock = 65536;
/// Bins along an axis for Fitter::Binned. More change the tree by less than a percent.
constexpr std::size_t kBins = 16;

/// A set of triangles that becomes the node of that number.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t node = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Memory for the work on one set.
struct Scratch {
  std::vector<double> areas;
  std::vector<FramePoint> points;     ///< three to a triangle, in the frame of the volume
  std::vector<FramePoint> centroids;  ///< along the candidate axes, from the split position
  std::vector<FramePoint> sides;      ///< points again, those on the left first
  std::vector<Triangle> right_triangles;
  std::vector<std::uint32_t> right_numbers;
  std::vector<std::pair<double, std::uint32_t>> ranks;
};

/// Scratch memory that is used again: fresh pages for every large set would cost as much as the
/// work on it.
class ScratchPool {
 public:
  std::unique_ptr<Scratch> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Scratch>();
    std::unique_ptr<Scratch> scratch = std::move(free_.back());
    free_.pop_back();
    return scratch;
  }
  void give_back(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> free_;
};

/// Coordinates of a vector along three axes.
class Projection {
 public:
  explicit Projection(const Mat3& axes) {
    for (std::size_t k = 0; k < 3; ++k) rows_[k] = FramePoint{axes[k].x, axes[k].y, axes[k].z, 0.0};
  }
  FramePoint operator()(const Vec3& v) const {
    return rows_[0] * v.x + rows_[1] * v.y + rows_[2] * v.z;
  }

 private:
  std::array<FramePoint, 3> rows_;
};

/// What splits a set: the triangles whose centroid lies below `position` along `axis` go left.
struct Split {
  std::size_t axis = 0;
  double position = 0.0;
  double cost = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool found() const { return cost < std::numeric_limits<double>::infinity(); }
};

class Builder {
 public:
  Builder(std::span<const Vec3> vertices, Faces faces, BinaryTree& tree, Threads threads)
      : tree_(tree), triangles_(faces.size()), numbers_(faces.size()), threads_(threads) {
    const std::size_t count = faces.size();
    parallel_for(threads, (count + kGatherBlock - 1) / kGatherBlock, [&](std::size_t block) {
      const std::size_t end = std::min(count, (block + 1) * kGatherBlock);
      for (std::size_t i = block * kGatherBlock; i < end; ++i) {
        const auto& f = faces[i];
        triangles_[i] = {vertices[f[0]], vertices[f[1]], vertices[f[2]]};
        numbers_[i] = static_cast<std::uint32_t>(i);
      }
    });
    tree_.nodes.resize(2 * count - 1);
  }

  void build() {
    std::vector<Range> small;
    std::vector<Range> large;
    std::vector<Range> next;
    const auto sort_in = [&](const Range& range) {
      (range.size() > kSubtreeTriangles ? next : small).push_back(range);
    };
    sort_in({0, triangles_.size(), 0});
    while (!next.empty()) {
      large = std::exchange(next, {});
      std::vector<std::pair<Range, Range>> halves(large.size());
      parallel_for(threads_, large.size(), [&](std::size_t i) {
        std::unique_ptr<Scratch> scratch = pool_.take();
        halves[i] = split(large[i], *scratch);
        pool_.give_back(std::move(scratch));
      });
      for (const auto& [left, right] : halves) {
        sort_in(left);
        sort_in(right);
      }
    }
    parallel_for(threads_, small.size(), [&](std::size_t i) {
      std::unique_ptr<Scratch> scratch = pool_.take();
      build_subtree(small[i], *scratch);
      pool_.give_back(std::move(scratch));
    });
  }

 private:
  void build_subtree(const Range& whole, Scratch& scratch) {
    // The smaller half waits, the larger is split next; the stack then stays below log2 n entries.
    std::vector<Range> waiting{whole};
    while (!waiting.empty()) {
      Range range = waiting.back();
      waiting.pop_back();
      while (range.size() > 1) {
        auto [left, right] = split(range, scratch);
        if (left.size() < right.size()) std::swap(left, right);
        waiting.push_back(right);
        range = left;
      }
      BinaryNode& leaf = tree_.nodes[range.node];
      leaf.volume = volume_of_triangle(tree_.volume, triangles_[range.begin]);
      leaf.triangle = numbers_[range.begin];
    }
  }

  /// Fits the volume of a set of two triangles or more, and splits it in two.
  std::pair<Range, Range> split(const Range& range, Scratch& scratch) {
    const std::span<const Triangle> set(triangles_.data() + range.begin, range.size());
    const bool turned = tree_.volume == Volume::Rss || tree_.volume == Volume::Obb;
    const bool binned = tree_.fitter == Fitter::Binned;
    const SplitFrame frame = binned && !turned ? SplitFrame{set.front().a, Mat3::identity()}
                                               : split_frame(tree_.fitter, set, scratch.areas);
    const Mat3 volume_axes = turned ? frame.axes : Mat3::identity();
    const Mat3 split_axes = binned ? Mat3::identity() : frame.axes;
    const Extents extents = enter_frames(set, frame.position, volume_axes, split_axes, scratch);

    const Split best = binned ? binned_split(set, scratch) : cheapest_split(scratch);
    BinaryNode& node = tree_.nodes[range.node];
    node.volume = bounding_volume(fit_in_frame(tree_.volume, scratch.points, extents),
                                  frame.position, volume_axes, set);

    const std::size_t middle =
        best.found() ? partition(range, scratch,
                                 [&](std::size_t i) {
                                   return scratch.centroids[i][best.axis] < best.position;
                                 })
                     : median_partition(range, scratch);
    const Range left{range.begin, middle, range.node + 1};
    const Range right{middle, range.end, range.node + 2 * left.size()};
    node.right = static_cast<std::uint32_t>(right.node);
    return {left, right};
  }

  /// Corners and centroids of the set in the two frames that matter; returns the corners' extents.
  static Extents enter_frames(std::span<const Triangle> set, const Vec3& position,
                              const Mat3& volume_axes, const Mat3& split_axes, Scratch& scratch) {
    scratch.points.resize(3 * set.size());
    scratch.centroids.resize(set.size());
    Extents extents = Extents::none();
    const Projection to_volume(volume_axes);
    const Projection to_split(split_axes);
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Vec3 p = set[i].a - position;
      const Vec3 q = set[i].b - position;
      const Vec3 r = set[i].c - position;
      FramePoint* corners = &scratch.points[3 * i];
      corners[0] = to_volume(p);
      corners[1] = to_volume(q);
      corners[2] = to_volume(r);
      for (std::size_t k = 0; k < 3; ++k) extents.include(corners[k]);
      scratch.centroids[i] = to_split((p + q + r) / 3.0);
    }
    return extents;
  }

  /// The axis with the least SA(V_L) + SA(V_R), eq. (4). None when every axis leaves a side empty.
  [[nodiscard]] Split cheapest_split(Scratch& scratch) const {
    const std::size_t count = scratch.centroids.size();
    scratch.sides.resize(3 * count);
    Split best;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Extents left = Extents::none();
      Extents right = Extents::none();
      std::size_t left_end = 0;
      std::size_t right_begin = 3 * count;
      for (std::size_t i = 0; i < count; ++i) {
        const FramePoint* corners = &scratch.points[3 * i];
        const bool goes_left = scratch.centroids[i][axis] < 0.0;
        Extents& extents = goes_left ? left : right;
        for (std::size_t k = 0; k < 3; ++k) {
          extents.include(corners[k]);
          scratch.sides[goes_left ? left_end++ : --right_begin] = corners[k];
        }
      }
      if (left_end == 0 || left_end == 3 * count) continue;
      // Every axis that parts two triangles parts them in the same way.
      if (count == 2) return {axis, 0.0, 0.0};
      const std::span<const FramePoint> sides = scratch.sides;
      const double cost = fit_in_frame(tree_.volume, sides.first(left_end), left).area() +
                          fit_in_frame(tree_.volume, sides.subspan(left_end), right).area();
      if (cost < best.cost) best = {axis, 0.0, cost};
    }
    return best;
  }

  /// The border between bins with the least area-weighted count on its two sides.
  [[nodiscard]] static Split binned_split(std::span<const Triangle> set, const Scratch& scratch) {
    Extents centers = Extents::none();
    for (const FramePoint& c : scratch.centroids) centers.include(c);
    Split best;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double low = centers.low[axis];
      const double scale = static_cast<double>(kBins) / (centers.high[axis] - low);
      if (!(scale < std::numeric_limits<double>::infinity())) continue;
      // The border itself decides who is left of it, so that bins and partition never disagree.
      std::array<double, kBins> borders{};
      for (std::size_t k = 0; k < kBins; ++k) borders[k] = low + static_cast<double>(k) / scale;
      std::array<Box, kBins> boxes;
      std::array<std::size_t, kBins> counts{};
      for (std::size_t i = 0; i < set.size(); ++i) {
        const double c = scratch.centroids[i][axis];
        std::size_t bin =
            std::min(kBins - 1, static_cast<std::size_t>(std::max(0.0, (c - low) * scale)));
        while (bin > 0 && c < borders[bin]) --bin;
        while (bin + 1 < kBins && c >= borders[bin + 1]) ++bin;
        boxes[bin].include(set[i].a);
        boxes[bin].include(set[i].b);
        boxes[bin].include(set[i].c);
        ++counts[bin];
      }
      std::array<double, kBins> right_cost{};
      Box box;
      std::size_t count = 0;
      for (std::size_t k = kBins; k-- > 1;) {
        box.include(boxes[k]);
        count += counts[k];
        right_cost[k] =
            count == 0 ? 0.0 : static_cast<double>(count) * surface_area(0.5 * box.size(), 0.0);
      }
      box = {};
      count = 0;
      for (std::size_t k = 1; k < kBins; ++k) {
        box.include(boxes[k - 1]);
        count += counts[k - 1];
        if (count == 0 || count == set.size()) continue;
        const double cost =
            static_cast<double>(count) * surface_area(0.5 * box.size(), 0.0) + right_cost[k];
        if (cost < best.cost) best = {axis, borders[k], cost};
      }
    }
    return best;
  }

  /// Moves those that go left to the front; both groups keep their order. Returns where the right
  /// one begins.
  template <class GoesLeft>
  std::size_t partition(const Range& range, Scratch& scratch, const GoesLeft& goes_left) {
    scratch.right_triangles.clear();
    scratch.right_numbers.clear();
    std::size_t end = range.begin;
    for (std::size_t i = 0; i < range.size(); ++i) {
      const std::size_t from = range.begin + i;
      if (goes_left(i)) {
        triangles_[end] = triangles_[from];
        numbers_[end++] = numbers_[from];
      } else {
        scratch.right_triangles.push_back(triangles_[from]);
        scratch.right_numbers.push_back(numbers_[from]);
      }
    }
    std::copy(scratch.right_triangles.begin(), scratch.right_triangles.end(),
              triangles_.begin() + static_cast<std::ptrdiff_t>(end));
    std::copy(scratch.right_numbers.begin(), scratch.right_numbers.end(),
              numbers_.begin() + static_cast<std::ptrdiff_t>(end));
    return end;
  }

  /// Half of the set to each side, by rank along the first axis; equal ones by their place.
  std::size_t median_partition(const Range& range, Scratch& scratch) {
    const auto rank = [&](std::size_t i) {
      const double along = scratch.centroids[i][0];
      return std::pair(along, static_cast<std::uint32_t>(i));
    };
    scratch.ranks.resize(range.size());
    for (std::size_t i = 0; i < range.size(); ++i) scratch.ranks[i] = rank(i);
    const auto middle = scratch.ranks.begin() + static_cast<std::ptrdiff_t>(range.size() / 2);
    std::nth_element(scratch.ranks.begin(), middle, scratch.ranks.end());
    const std::pair<double, std::uint32_t> pivot = *middle;
    return partition(range, scratch, [&](std::size_t i) { return rank(i) < pivot; });
  }

  BinaryTree& tree_;
  std::vector<Triangle> triangles_;     // in the order of the leaves, once built
  std::vector<std::uint32_t> numbers_;  // of the triangles
  Threads threads_;
  ScratchPool pool_;
};

}  // namespace

std::shared_ptr<const BinaryTree> build_binary_tree(std::span<const Vec3> vertices, Faces faces,
                                                    Volume volume, Fitter fitter, Threads threads) {
  auto tree = std::make_shared<BinaryTree>();
  tree->volume = volume;
  tree->fitter = fitter;
  Builder(vertices, faces, *tree, threads).build();
  return tree;
}

}  // namespace clearance::detail
