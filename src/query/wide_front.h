// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent over two wide trees that remembers. Along a path the same pairs of nodes are opened
// again and again, and most of what they open into is dropped again: for a while, by how far it was
// apart, that is certain without looking.
//
// A front is the tree of the pairs that were opened. Each keeps, for all the pairs it opens into, a
// lower bound of their distance, plus how far B had travelled when the bound was made: a `key`.
// "Travelled" adds up, query after query, a bound of how far any point of B moved relative to A. So
// key - travelled is a lower bound now, and a pair with key > travelled + threshold needs no look.
// Whatever else is visited again at the pose of the moment. All that is kept is proven on its own,
// so a front may be left half walked, used for other queries of the same trees, or thrown away.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>

#include "query/wide_descent.h"

namespace clearance::detail {

struct FrontEntry {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t a = 0;  // the pair of nodes
  std::uint32_t b = 0;
  std::uint32_t child = kNone;  // first of the entries below it
  std::uint32_t next = kNone;   // next entry below the same one
  std::uint32_t keys = kNone;   // where its rows of eight keys begin; none while it is not open
  float key = 0.0F;             // of the pair itself
  float least = 0.0F;           // the least of its keys whose pairs have no entry yet
  std::uint32_t rows = 0;
};

/// Belongs to one Coherence.
class WideFront {
 public:
  /// Called once per query, before anything else: learns which trees are meant and how far B moved.
  /// True when the front may be used for this query.
  bool begin(const Bvh& a, const Bvh& b, const Pose& a_from_b);
  /// Called after a walk that used the front, with the number of pairs that were looked at.
  void end(std::size_t looked_at);
  void forget();

  /// For the walk.
  std::vector<FrontEntry> entries;
  std::vector<float> keys;
  [[nodiscard]] float travelled() const { return travelled_up_; }

 private:
  void start_over();

  // Held, not only compared by address: a tree that is gone must not be taken for its successor.
  std::optional<Bvh> a_;
  std::optional<Bvh> b_;
  Pose pose_;
  double travelled_ = 0.0;
  float travelled_up_ = 0.0F;  // rounded up
  std::size_t size_when_new_ = 0;
  bool fresh_ = false;  // not used again yet
  int rest_ = 0;        // queries to leave the front alone, where it did not pay
  int next_rest_ = 1;
};

/// At least the largest distance between a point of b's bounds at one pose and at the other, seen
/// from A; or of a's bounds, seen from B: the smaller of the two.
double travel_between(const Bvh& a, const Bvh& b, const Pose& a_from_b_then,
                      const Pose& a_from_b_now);

template <class Visitor>
class WideFrontDescent : private WideDescent<Visitor> {
  using Base = WideDescent<Visitor>;
  using Base::a_;
  using Base::b_;
  using Base::pose_;
  using Base::visitor_;
  using Base::work_;

 public:
  WideFrontDescent(const Bvh& a, const Bvh& b, const Pose& a_from_b, std::vector<NodePair>& stack,
                   Visitor& visitor, Work& work, WideFront& front)
      : Base(a, b, a_from_b, stack, visitor, work), front_(front) {}

  /// Visits all pairs below the roots that matter, as WideDescent::run(), in another order.
  void run() {
    if (front_.entries.empty()) front_.entries.push_back({.a = a_.root, .b = b_.root});
    visit(0);
    front_.end(looked_at_);
  }

 private:
  // A key that is surely not above bound + travelled.
  [[nodiscard]] float key_of(float bound) const { return lowered(bound + front_.travelled()); }
  // A pair whose key is above this is certainly farther than what matters.
  [[nodiscard]] float limit() const {
    return (visitor_.threshold() + front_.travelled()) * (1.0F + kSumError);
  }
  // The sum of two floats, neither negative, is off by half a unit in the last place; twice that
  // covers the product as well.
  static constexpr float kSumError = 0x1p-22F;
  static float lowered(float v) { return v * (1.0F - kSumError); }

  // True when the visitor is done.
  bool visit(std::uint32_t e) {
    if (front_.entries[e].key > limit()) return false;
    if (front_.entries[e].keys == FrontEntry::kNone) {
      if (look(e)) return true;
      if (front_.entries[e].keys == FrontEntry::kNone) return false;
    }
    for (std::uint32_t c = front_.entries[e].child; c != FrontEntry::kNone;
         c = front_.entries[c].next) {
      if (visit(c)) return true;
    }
    return front_.entries[e].least <= limit() && visit_new(e);
  }

  // Makes entries for the pairs that have none and matter now.
  bool visit_new(std::uint32_t e) {
    const std::size_t begin = front_.entries[e].keys;
    const std::size_t rows = front_.entries[e].rows;
    Float8 least = broadcast8(std::numeric_limits<float>::infinity());
    bool done = false;
    for (std::size_t j = 0; j < rows && !done; ++j) {
      float* row = &front_.keys[begin + j * kWidth];
      unsigned mask = ~bits_less(broadcast8(limit()), load8(row)) & 0xffU;
      for (; mask != 0 && !done; mask &= mask - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(mask));
        if (front_.keys[begin + j * kWidth + i] > limit()) continue;
        done = visit(add_below(e, j, i));
      }
      least = min(least, load8(&front_.keys[begin + j * kWidth]));
    }
    front_.entries[e].least = done ? 0.0F : lowest(least);
    return done;
  }

  std::uint32_t add_below(std::uint32_t e, std::size_t row, std::size_t column) {
    FrontEntry& parent = front_.entries[e];
    // The key is the entry's from now on.
    float& key = front_.keys[parent.keys + row * kWidth + column];
    FrontEntry child{.a = parent.a, .b = parent.b, .next = parent.child, .key = key};
    key = std::numeric_limits<float>::infinity();
    switch (opening_of(parent)) {
      case Base::Opening::A:
        child.a = a_.nodes[parent.a].child[column];
        break;
      case Base::Opening::B:
        child.b = b_.nodes[parent.b].child[column];
        break;
      case Base::Opening::Both:
        child.a = a_.nodes[parent.a].child[column];
        child.b = b_.nodes[parent.b].child[row];
        break;
    }
    const auto index = static_cast<std::uint32_t>(front_.entries.size());
    parent.child = index;
    front_.entries.push_back(child);
    return index;
  }

  [[nodiscard]] typename Base::Opening opening_of(const FrontEntry& e) const {
    return Base::opening_of((e.a & kLeafBit) != 0, a_.frame(e.a), (e.b & kLeafBit) != 0,
                            b_.frame(e.b));
  }

  // Looks at a pair at the pose of the moment: it gets a new key, or it is opened.
  bool look(std::uint32_t e) {
    ++looked_at_;
    FrontEntry& entry = front_.entries[e];
    const WideFrame& frame_a = a_.frame(entry.a);
    const WideFrame& frame_b = b_.frame(entry.b);
    const RelativeFrame r = pose_.relative(frame_a, frame_b);
    const typename Base::Slab s = this->slab(frame_a, r);
    const float own = this->own_boxes_bound(frame_a, frame_b, r, s);
    work_.volume_tests += 1;
    if (own > (visitor_.threshold() + r.margin) * 1.000001F) {
      entry.key = std::max(entry.key, key_of(own - r.margin));
      return false;
    }
    if ((entry.a & kLeafBit) != 0 && (entry.b & kLeafBit) != 0) {
      float bound = 0.0F;
      const bool done = this->open_leaves(a_.leaves[entry.a & ~kLeafBit],
                                          b_.leaves[entry.b & ~kLeafBit], r, s, &bound);
      entry.key = std::max(entry.key, key_of(std::max(bound, 0.0F)));
      return done;
    }
    open(entry, frame_a, frame_b, r, s);
    return false;
  }

  void open(FrontEntry& entry, const WideFrame& frame_a, const WideFrame& frame_b,
            const RelativeFrame& r, const typename Base::Slab& s) {
    const typename Base::Opening opening = opening_of(entry);
    entry.rows = opening == Base::Opening::Both ? kWidth : 1;
    entry.keys = static_cast<std::uint32_t>(front_.keys.size());
    front_.keys.resize(entry.keys + entry.rows * kWidth, std::numeric_limits<float>::infinity());
    float* rows = &front_.keys[entry.keys];
    if (opening == Base::Opening::Both) {
      const WideNode& a = a_.nodes[entry.a];
      const unsigned used = Base::children_of(a);
      std::size_t count = 0;
      this->open_both(a, b_.nodes[entry.b], r, s,
                      [&](std::size_t j, const PairBounds& bounds, Float8 along, unsigned) {
                        put_row(rows + j * kWidth, max(bounds.bound(), along), used, r.margin);
                        ++count;
                      });
      entry.rows = static_cast<std::uint32_t>(count);
    } else if (opening == Base::Opening::A) {
      const WideNode& a = a_.nodes[entry.a];
      put_row(rows, sqrt(this->squares_a(a, frame_b, r)), Base::children_of(a), r.margin);
    } else {
      const WideNode& b = b_.nodes[entry.b];
      put_row(rows, sqrt(this->squares_b(b, frame_a, r)), Base::children_of(b), r.margin);
    }
  }

  void put_row(float* row, Float8 raw, unsigned used, float margin) const {
    const Float8 bound = max(raw - broadcast8(margin), broadcast8(0.0F));
    store8(row, (bound + broadcast8(front_.travelled())) * broadcast8(1.0F - kSumError));
    for (unsigned unused = ~used & 0xffU; unused != 0; unused &= unused - 1)
      row[std::countr_zero(unused)] = std::numeric_limits<float>::infinity();
  }

  WideFront& front_;
  std::size_t looked_at_ = 0;
};

}  // namespace clearance::detail
