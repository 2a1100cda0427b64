// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The descent over two wide trees that remembers. Along a path the same pairs of nodes are opened
// again and again, and most of what they open into is dropped again: for a while, by how far it was
// apart, that is certain without looking.
//
// A front is the tree of the pairs that were opened. Each keeps, for all the pairs it opens into, a
// lower bound of their distance, plus how far B had travelled when the bound was made: a `key`. It
// is raised when the pair is looked at again; a pair that is opened gets an entry of its own.
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

/// A pair of nodes that was opened.
struct FrontEntry {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t child = kNone;  // first of the entries below it
  std::uint32_t next = kNone;   // next entry below the same one
  std::uint32_t keys = 0;       // where the rows of eight keys of what it opens into begin
  std::uint32_t rows = 0;
  float key = 0.0F;    // of the pair itself
  float least = 0.0F;  // the least of the keys in its rows; pairs with an entry have none there
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
  float travelled_up_ = 0.0F;      // rounded up
  std::size_t size_when_new_ = 0;  // entries
  std::size_t looked_at_when_new_ = 0;
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
    if (!front_.entries.empty()) {
      if (front_.entries[0].key <= limit()) visit(0, false);
    } else {
      float key = 0.0F;
      look(a_.root, b_.root, key);
      if (!front_.entries.empty()) visit(0, true);
    }
    front_.end(looked_at_);
  }

 private:
  // From so many pairs of one entry that are to be looked at on, the keys of all it opens into are
  // made anew first, eight at a time: that takes as long as looking at a handful.
  static constexpr int kManyDue = 3;

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

  // Goes through what is below an entry; `fresh` when it was opened just now. True when the visitor
  // is done.
  bool visit(std::uint32_t e, bool fresh) {
    float below = std::numeric_limits<float>::infinity();
    for (std::uint32_t c = front_.entries[e].child; c != FrontEntry::kNone;
         c = front_.entries[c].next) {
      if (front_.entries[c].key <= limit() && visit(c, false)) return true;
      below = std::min(below, front_.entries[c].key);
    }
    if (front_.entries[e].least <= limit()) {
      if (!fresh && pairs_due(front_.entries[e]) >= kManyDue) raise_rows(front_.entries[e]);
      if (visit_rows(e, below)) return true;
    }
    // The pair is no nearer than the nearest of what is below it.
    FrontEntry& entry = front_.entries[e];
    entry.key = std::max(entry.key, std::min(below, entry.least));
    return false;
  }

  // Pairs in the rows of an entry with keys that no longer say that they are too far.
  [[nodiscard]] unsigned due_in_row(std::size_t row) const {
    return ~bits_less(broadcast8(limit()), load8(&front_.keys[row])) & 0xffU;
  }
  [[nodiscard]] int pairs_due(const FrontEntry& entry) const {
    int count = 0;
    for (std::size_t j = 0; j < entry.rows; ++j)
      count += std::popcount(due_in_row(entry.keys + j * kWidth));
    return count;
  }

  // Looks at the pairs that have no entry and matter now. Brings `below` down to the least key of
  // those that get one.
  bool visit_rows(std::uint32_t e, float& below) {
    const FrontEntry entry = front_.entries[e];
    const typename Base::Opening opening = opening_of(entry);
    Float8 least = broadcast8(std::numeric_limits<float>::infinity());
    for (std::size_t j = 0; j < entry.rows; ++j) {
      const std::size_t row = entry.keys + j * kWidth;
      for (unsigned due = due_in_row(row); due != 0; due &= due - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(due));
        float key = front_.keys[row + i];
        if (key > limit()) continue;
        const std::size_t b = opening == Base::Opening::B ? i : j;
        const auto added = static_cast<std::uint32_t>(front_.entries.size());
        if (look(opening == Base::Opening::B ? entry.a : a_.nodes[entry.a].child[i],
                 opening == Base::Opening::A ? entry.b : b_.nodes[entry.b].child[b], key))
          return true;
        front_.keys[row + i] = key;
        if (front_.entries.size() == added) continue;
        front_.entries[added].next = front_.entries[e].child;
        front_.entries[e].child = added;
        if (visit(added, true)) return true;
        below = std::min(below, front_.entries[added].key);
      }
      least = min(least, load8(&front_.keys[row]));
    }
    front_.entries[e].least = lowest(least);
    return false;
  }

  [[nodiscard]] typename Base::Opening opening_of(const FrontEntry& e) const {
    return Base::opening_of((e.a & kLeafBit) != 0, a_.frame(e.a), (e.b & kLeafBit) != 0,
                            b_.frame(e.b));
  }

  // Looks at a pair at the pose of the moment: its key is raised, or it is opened, and then it has
  // an entry, the last, and no key here any more. True when the visitor is done.
  bool look(std::uint32_t a, std::uint32_t b, float& key) {
    ++looked_at_;
    const WideFrame& frame_a = a_.frame(a);
    const WideFrame& frame_b = b_.frame(b);
    const RelativeFrame r = pose_.relative(frame_a, frame_b);
    const typename Base::Slab s = this->slab(frame_a, r);
    const float own = this->own_boxes_bound(frame_a, frame_b, r, s);
    work_.volume_tests += 1;
    if (own > (visitor_.threshold() + r.margin) * 1.000001F) {
      key = std::max(key, key_of(own - r.margin));
      return false;
    }
    if ((a & b & kLeafBit) != 0) {
      float bound = 0.0F;
      const bool done =
          this->open_leaves(a_.leaves[a & ~kLeafBit], b_.leaves[b & ~kLeafBit], r, s, &bound);
      key = std::max(key, key_of(std::max(bound, 0.0F)));
      return done;
    }
    FrontEntry entry{.a = a, .b = b, .key = key};
    entry.keys = static_cast<std::uint32_t>(front_.keys.size());
    entry.rows = 1;
    if (opening_of(entry) == Base::Opening::Both)
      entry.rows = static_cast<std::uint32_t>(std::popcount(Base::children_of(b_.nodes[b])));
    front_.keys.resize(entry.keys + entry.rows * kWidth, 0.0F);
    raise_rows(entry, r, s);
    front_.entries.push_back(entry);
    key = std::numeric_limits<float>::infinity();
    return false;
  }

  // The keys of the pairs an entry opens into, at the pose of the moment.
  void raise_rows(const FrontEntry& entry) {
    const WideFrame& frame_a = a_.frame(entry.a);
    const RelativeFrame r = pose_.relative(frame_a, b_.frame(entry.b));
    raise_rows(entry, r, this->slab(frame_a, r));
  }
  void raise_rows(const FrontEntry& entry, const RelativeFrame& r, const typename Base::Slab& s) {
    const typename Base::Opening opening = opening_of(entry);
    float* rows = &front_.keys[entry.keys];
    if (opening == Base::Opening::Both) {
      const WideNode& a = a_.nodes[entry.a];
      const unsigned used = Base::children_of(a);
      this->template open_both<Base::Wanted::All>(
          a, b_.nodes[entry.b], r, s,
          [&](std::size_t j, const PairBounds& bounds, Float8 along, unsigned) {
            raise_row(rows + j * kWidth, max(bounds.bound(), along), used, r.margin);
          });
    } else if (opening == Base::Opening::A) {
      const WideNode& a = a_.nodes[entry.a];
      raise_row(rows, sqrt(this->squares_a(a, b_.frame(entry.b), r)), Base::children_of(a),
                r.margin);
    } else {
      const WideNode& b = b_.nodes[entry.b];
      raise_row(rows, sqrt(this->squares_b(b, a_.frame(entry.a), r)), Base::children_of(b),
                r.margin);
    }
  }

  void raise_row(float* row, Float8 raw, unsigned used, float margin) const {
    const Float8 bound = max(raw - broadcast8(margin), broadcast8(0.0F));
    const Float8 now = (bound + broadcast8(front_.travelled())) * broadcast8(1.0F - kSumError);
    store8(row, max(now, load8(row)));
    for (unsigned unused = ~used & 0xffU; unused != 0; unused &= unused - 1)
      row[std::countr_zero(unused)] = std::numeric_limits<float>::infinity();
  }

  WideFront& front_;
  std::size_t looked_at_ = 0;
};

}  // namespace clearance::detail
