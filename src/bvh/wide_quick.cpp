// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The quick build of the wide tree: triangles are sorted along a Hilbert curve
// by their middles; eight that follow each other are a leaf, eight leaves a node, eight nodes a
// node above them, all full but for the last of each level. Frames are the coordinate axes. Nothing
// is compared or tried out, so it takes a quarter of the time of wide_build.cpp; the boxes are
// larger.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "bvh/large_array.h"
#include "bvh/wide_curve.h"
#include "bvh/wide_fit.h"
#include "bvh/wide_leaf.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {
namespace {

/// Triangles, leaves and nodes that one piece of a parallel loop takes.
constexpr std::size_t kSortPiece = std::size_t{1} << 16U;
constexpr std::size_t kLeafPiece = 512;
constexpr std::size_t kNodePiece = 64;
/// Triangles of one cell of the curve above which they are sorted along a finer one.
constexpr std::size_t kCrowd = 64;
/// Finer curves in each other, at most: together they tell apart what a double does.
constexpr int kFinest = 5;
/// The leaf after so many next ones is asked for from memory: its triangles lie anywhere.
constexpr std::size_t kAhead = 4;

/// A place on the curve, above the number of a triangle.
using Key = std::uint64_t;
std::uint32_t triangle_of(Key key) { return static_cast<std::uint32_t>(key); }
std::uint32_t place_of(Key key) { return static_cast<std::uint32_t>(key >> 32U); }

/// Three times the middle of a triangle.
Vec3 middle_of(const WideSource& source, std::uint32_t triangle) {
  const auto& f = source.faces[triangle];
  return source.vertices[f[0]] + source.vertices[f[1]] + source.vertices[f[2]];
}

/// A curve through the cube around a box.
class Curve {
 public:
  explicit Curve(const Box& box) : low_(box.low) {
    const double size = largest_component(box.size());
    const double scale = static_cast<double>(kLastCell + 1) / size;
    scale_ = scale < std::numeric_limits<double>::infinity() ? scale : 0.0;
  }
  /// False for a box so small that all of it is in one cell.
  [[nodiscard]] bool is_useful() const { return scale_ > 0.0; }

  /// Turns the triangle numbers of up to eight keys into keys.
  void place(const WideSource& source, std::span<Key> keys) const {
    alignas(32) float cell[3][kWidth] = {};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Vec3 p = scale_ * ((1.0 / 3.0) * middle_of(source, triangle_of(keys[i])) - low_);
      for (std::size_t k = 0; k < 3; ++k) cell[k][i] = static_cast<float>(p[k]);
    }
    Int8 x[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const Float8 clamped =
          min(max(load8(cell[k]), broadcast8(0.0F)), broadcast8(static_cast<float>(kLastCell)));
      x[k] = __builtin_convertvector(clamped, Int8);
    }
    const Int8 places = places_on_curve(x[0], x[1], x[2]);
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = Key{static_cast<std::uint32_t>(places[i])} << 32U | triangle_of(keys[i]);
  }

 private:
  Vec3 low_;
  double scale_ = 0.0;
};

/// The order of the triangles: by place, in one cell by number. Each pass sorts by ten bits and
/// keeps the order of what is equal in them.
class CurveOrder {
 public:
  CurveOrder(const WideSource& source, const Box& box, Threads threads)
      : source_(source),
        threads_(threads),
        storage_(2 * source.faces.size()),
        keys_(storage_.data(), source.faces.size()),
        other_(storage_.data() + source.faces.size(), source.faces.size()),
        pieces_((source.faces.size() + kSortPiece - 1) / kSortPiece),
        counts_(pieces_) {
    const Curve curve(box);
    parallel_for(threads_, pieces_, [&](std::size_t p) {
      const Run run = piece(p);
      for (std::size_t i = run.first; i < run.first + run.count; ++i) keys_[i] = i;
      for (std::size_t i = 0; i < run.count; i += kWidth)
        curve.place(source_, keys_.subspan(run.first + i, std::min(kWidth, run.count - i)));
    });
    for (unsigned pass = 0; pass < 3; ++pass) sort_by_digit(32U + pass * kCurveBits);
    refine_crowds({0, keys_.size()}, 0);
  }

  [[nodiscard]] std::span<const Key> keys() const { return keys_; }

 private:
  static constexpr std::size_t kDigits = std::size_t{1} << static_cast<unsigned>(kCurveBits);
  [[nodiscard]] Run piece(std::size_t p) const {
    return {p * kSortPiece, std::min(kSortPiece, keys_.size() - p * kSortPiece)};
  }

  void sort_by_digit(unsigned shift) {
    const auto digit_of = [shift](Key key) { return key >> shift & (kDigits - 1); };
    parallel_for(threads_, pieces_, [&](std::size_t p) {
      counts_[p].fill(0);
      const Run run = piece(p);
      for (const Key key : keys_.subspan(run.first, run.count)) ++counts_[p][digit_of(key)];
    });
    // Where the keys of each digit and piece begin.
    std::uint32_t begin = 0;
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      for (auto& counts : counts_) {
        const std::uint32_t count = counts[digit];
        counts[digit] = begin;
        begin += count;
      }
    }
    parallel_for(threads_, pieces_, [&](std::size_t p) {
      const Run run = piece(p);
      for (const Key key : keys_.subspan(run.first, run.count))
        other_[counts_[p][digit_of(key)]++] = key;
    });
    std::swap(keys_, other_);
  }

  /// Where a small part of the mesh has most of the triangles, many are in one cell.
  void refine_crowds(Run run, int depth) {
    if (depth == kFinest) return;
    const std::size_t end = run.first + run.count;
    for (std::size_t i = run.first; i < end;) {
      std::size_t next = i + 1;
      while (next < end && place_of(keys_[next]) == place_of(keys_[i])) ++next;
      if (next - i > kCrowd) refine({i, next - i}, depth);
      i = next;
    }
  }
  void refine(Run crowd, int depth) {
    const std::span<Key> keys = keys_.subspan(crowd.first, crowd.count);
    Box box;
    for (const Key key : keys) box.include((1.0 / 3.0) * middle_of(source_, triangle_of(key)));
    const Curve curve(box);
    if (!curve.is_useful()) return;
    for (std::size_t i = 0; i < keys.size(); i += kWidth)
      curve.place(source_, keys.subspan(i, std::min(kWidth, keys.size() - i)));
    std::sort(keys.begin(), keys.end());
    refine_crowds(crowd, depth + 1);
  }

  const WideSource& source_;
  Threads threads_;
  LargeArray<Key> storage_;
  std::span<Key> keys_;
  std::span<Key> other_;
  std::size_t pieces_;
  std::vector<std::array<std::uint32_t, kDigits>> counts_;
};

class QuickBuilder {
 public:
  QuickBuilder(const WideSource& source, Threads threads) : source_(source), threads_(threads) {}

  std::shared_ptr<const WideTree> build(std::span<const Key> keys) {
    const std::size_t leaf_count = (keys.size() + kWidth - 1) / kWidth;
    // How many nodes the levels have, the lowest first.
    std::vector<std::size_t> levels;
    for (std::size_t count = leaf_count; count > 1;) {
      count = (count + kWidth - 1) / kWidth;
      levels.push_back(count);
    }
    std::size_t first = 0;
    for (const std::size_t count : levels) first += count;
    storage_->nodes = LargeArray<WideNode>(first);
    storage_->leaves = LargeArray<WideLeaf>(leaf_count);

    LargeArray<FrameBounds> below(leaf_count);
    fit_leaves(keys, below);
    Run children{0, leaf_count};
    std::uint32_t flag = kLeafBit;
    for (const std::size_t count : levels) {
      first -= count;  // the root is the first of all
      LargeArray<FrameBounds> own(count);
      fit_level({first, count}, children, flag, below, own);
      below = std::move(own);
      children = {first, count};
      flag = 0;
    }
    auto tree = std::make_shared<WideTree>();
    tree->center = source_.center;
    tree->radius = source_.radius;
    tree->root = flag;
    tree->nodes = {storage_->nodes.data(), storage_->nodes.size()};
    tree->leaves = {storage_->leaves.data(), storage_->leaves.size()};
    tree->owner = std::move(storage_);
    return tree;
  }

 private:
  void fit_leaves(std::span<const Key> keys, const LargeArray<FrameBounds>& bounds) {
    const std::size_t pieces = (bounds.size() + kLeafPiece - 1) / kLeafPiece;
    parallel_for(threads_, pieces, [&](std::size_t p) {
      LeafTriangles triangles;
      const std::size_t end = std::min(bounds.size(), (p + 1) * kLeafPiece);
      for (std::size_t i = p * kLeafPiece; i < end; ++i) {
        fetch(keys, i + kAhead);
        WideLeaf& leaf = storage_->leaves[i];
        const std::size_t count = std::min(kWidth, keys.size() - i * kWidth);
        std::fill_n(leaf.triangle, kWidth, kNoChild);
        for (std::size_t k = 0; k < count; ++k)
          leaf.triangle[k] = triangle_of(keys[i * kWidth + k]);
        triangles.gather(source_, {leaf.triangle, count});
        bounds[i] = fit_straight_leaf(leaf, triangles);
      }
    });
  }
  /// Asks for the corners of a leaf, and for the triangles of a later one.
  void fetch(std::span<const Key> keys, std::size_t leaf) const {
    for (std::size_t i = leaf * kWidth; i < std::min(keys.size(), (leaf + 1) * kWidth); ++i) {
      for (const std::uint32_t v : source_.faces[triangle_of(keys[i])])
        __builtin_prefetch(&source_.vertices[v]);
    }
    const std::size_t later = (leaf + kAhead) * kWidth;
    for (std::size_t i = later; i < std::min(keys.size(), later + kWidth); ++i)
      __builtin_prefetch(&source_.faces[triangle_of(keys[i])]);
  }

  /// The nodes of a level, whose children follow each other.
  void fit_level(Run nodes, Run children, std::uint32_t flag, const LargeArray<FrameBounds>& below,
                 const LargeArray<FrameBounds>& own) {
    const std::size_t pieces = (nodes.count + kNodePiece - 1) / kNodePiece;
    parallel_for(threads_, pieces, [&](std::size_t p) {
      const std::size_t end = std::min(nodes.count, (p + 1) * kNodePiece);
      for (std::size_t i = p * kNodePiece; i < end; ++i) {
        WideNode& node = storage_->nodes[nodes.first + i];
        const std::size_t count = std::min(kWidth, children.count - i * kWidth);
        std::fill_n(node.child, kWidth, kNoChild);
        own[i] = below[i * kWidth];
        for (std::size_t k = 0; k < count; ++k) {
          node.child[k] = static_cast<std::uint32_t>(children.first + i * kWidth + k) | flag;
          own[i].include(below[i * kWidth + k]);
        }
        Rotation frame{kCoordinateAxes, {}};
        for (std::size_t k = 0; k < 3; ++k)
          frame.origin[k] = 0.5F * (own[i].low[k] + own[i].high[k]);
        ChildBounds bounds;
        for (std::size_t k = 0; k < count; ++k) bounds.add(below[i * kWidth + k], frame.origin);
        fit_node(node, frame, bounds, source_.radius);
        node.lid = {.axis = kNoLid};
      }
    });
  }

  const WideSource& source_;
  Threads threads_;
  std::shared_ptr<WideStorage> storage_ = std::make_shared<WideStorage>();
};

}  // namespace

std::shared_ptr<const WideTree> build_wide_tree_quickly(std::span<const Vec3> vertices, Faces faces,
                                                        const Box& bounds, Threads threads) {
  const WideSource source{vertices, faces, bounds.center(), 0.5 * bounds.diagonal()};
  const CurveOrder order(source, bounds, threads);
  return QuickBuilder(source, threads).build(order.keys());
}

}  // namespace clearance::detail
