// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/place_index.h"

#include <algorithm>

#include "bvh/float8.h"

namespace clearance::detail {
namespace {

// Where places are put that are not to be found: squares of it stay finite.
constexpr float kNowhere = 1e18F;
// Places in the list before it becomes a tree: looking through them takes as long as a walk down.
constexpr std::size_t kRecent = 256;
// A box is passed over when nothing in it can be nearer than the best so far by this factor: trees
// grow no worse by it, and far targets, to which all is about as far, cost a tenth.
constexpr float kNearer = 1.3F;
// Nodes waiting while a tree is walked: seven beside each on the way down, eleven levels of eight
// for all that 32 bits can count.
constexpr std::size_t kWaiting = 96;

}  // namespace

struct PlaceIndex::Best {
  Float8 gap = broadcast8(kNowhere);
  Int8 name = Int8{} - 1;  // kNoPlace
  std::uint64_t compared = 0;
};

struct PlaceIndex::Query {
  float value[kNumbers];
  float scaled[kNumbers];
  float turn_square;
};

PlaceIndex::PlaceIndex(double turn_weight)
    : turn_square_(static_cast<float>(8.0 * turn_weight * turn_weight)),
      turn_scale_(static_cast<float>(2.0 * turn_weight)) {}

void PlaceIndex::put(Block& block, std::size_t lane, const Entry& entry) {
  for (std::size_t k = 0; k < kNumbers; ++k) block.value[k][lane] = entry.value[k];
  block.name[lane] = entry.name;
}

void PlaceIndex::clear(Block& block, std::size_t lane) {
  Entry nothing{};
  for (std::size_t k = 0; k < 3; ++k) nothing.value[k] = kNowhere;
  nothing.name = kNoPlace;
  put(block, lane, nothing);
}

void PlaceIndex::take_all(const Block& block, std::vector<Entry>& entries) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (block.name[lane] == kNoPlace) continue;
    Entry entry{};
    for (std::size_t k = 0; k < kNumbers; ++k) entry.value[k] = block.value[k][lane];
    entry.name = block.name[lane];
    entries.push_back(entry);
  }
}

void PlaceIndex::add(const Place& place, std::uint32_t name) {
  // One sign of the two, so that like turns are close together.
  const double sign = place.turn.w < 0.0 ? -1.0 : 1.0;
  const Entry entry{
      {static_cast<float>(place.position.x), static_cast<float>(place.position.y),
       static_cast<float>(place.position.z), static_cast<float>(sign * place.turn.x),
       static_cast<float>(sign * place.turn.y), static_cast<float>(sign * place.turn.z),
       static_cast<float>(sign * place.turn.w)},
      name};
  const std::size_t lane = recent_count_ % kLanes;
  if (lane == 0) {
    Block& block = recent_.emplace_back();
    for (std::size_t i = 0; i < kLanes; ++i) clear(block, i);
  }
  put(recent_.back(), lane, entry);
  if (++recent_count_ < kRecent) return;

  // The list and all trees up to the first gap become the tree of the gap.
  std::vector<Entry> entries;
  for (const Block& block : recent_) take_all(block, entries);
  recent_.clear();
  recent_count_ = 0;
  std::size_t level = 0;
  for (; level < trees_.size() && !trees_[level].blocks.empty(); ++level) {
    for (const Block& block : trees_[level].blocks) take_all(block, entries);
    trees_[level] = {};
  }
  if (level == trees_.size()) trees_.emplace_back();
  if (!entries.empty()) build(trees_[level], entries.data(), entries.data() + entries.size());
}

void PlaceIndex::bound(Node& node, std::size_t lane, const Entry* begin, const Entry* end) const {
  for (std::size_t k = 0; k < kNumbers; ++k) {
    float low = kNowhere;
    float high = -kNowhere;
    for (const Entry* entry = begin; entry != end; ++entry) {
      low = std::min(low, entry->value[k]);
      high = std::max(high, entry->value[k]);
    }
    // Nothing is as far away as nowhere, which must stay finite when squared.
    const float scale = k < 3 || begin == end ? 1.0F : turn_scale_;
    node.low[k][lane] = scale * low;
    node.high[k][lane] = scale * high;
  }
}

std::uint32_t PlaceIndex::build(Tree& tree, Entry* begin, Entry* end) const {
  // Parts of whole blocks, so that only the last one is not full.
  const auto count = static_cast<std::size_t>(end - begin);
  const std::size_t blocks = (count + kLanes - 1) / kLanes;
  Entry* cut[kLanes + 1];
  for (std::size_t lane = 0; lane <= kLanes; ++lane)
    cut[lane] = begin + std::min(count, blocks * lane / kLanes * kLanes);
  // In three rounds of halves, each across the widest side.
  for (std::size_t step = kLanes; step > 1; step /= 2) {
    for (std::size_t lane = 0; lane < kLanes; lane += step) {
      Entry* from = cut[lane];
      Entry* middle = cut[lane + step / 2];
      Entry* to = cut[lane + step];
      if (middle == from || middle == to) continue;
      Node all{};
      bound(all, 0, from, to);
      std::size_t widest = 0;
      for (std::size_t k = 1; k < kNumbers; ++k) {
        if (all.high[k][0] - all.low[k][0] > all.high[widest][0] - all.low[widest][0]) widest = k;
      }
      std::nth_element(from, middle, to, [widest](const Entry& a, const Entry& b) {
        return a.value[widest] != b.value[widest] ? a.value[widest] < b.value[widest]
                                                  : a.name < b.name;
      });
    }
  }
  Node node{};
  node.bottom = blocks <= kLanes;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    bound(node, lane, cut[lane], cut[lane + 1]);
    if (cut[lane] == cut[lane + 1]) continue;
    if (!node.bottom) {
      node.child[lane] = build(tree, cut[lane], cut[lane + 1]);
      continue;
    }
    node.child[lane] = static_cast<std::uint32_t>(tree.blocks.size());
    Block& block = tree.blocks.emplace_back();
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (cut[lane] + i < cut[lane + 1])
        put(block, i, cut[lane][i]);
      else
        clear(block, i);
    }
  }
  tree.nodes.push_back(node);
  return static_cast<std::uint32_t>(tree.nodes.size() - 1);
}

void PlaceIndex::look_at(const Block& block, const Query& query, Best& best) {
  const auto value = [&block](std::size_t k) { return load8(block.value[k]); };
  const auto at = [&query](std::size_t k) { return broadcast8(query.value[k]); };
  const Float8 dx = value(0) - at(0);
  const Float8 dy = value(1) - at(1);
  const Float8 dz = value(2) - at(2);
  const Float8 c =
      fused(value(3), at(3), fused(value(4), at(4), fused(value(5), at(5), value(6) * at(6))));
  const Float8 turn = broadcast8(query.turn_square) * (broadcast8(1.0F) - abs(c));
  const Float8 gap = fused(dx, dx, fused(dy, dy, fused(dz, dz, turn)));
  const Int8 name = load8(block.name);
  // Names are below 2^31, and compare as they are.
  const Int8 nearer = (gap < best.gap) | ((gap == best.gap) & (name < best.name));
  best.gap = nearer ? gap : best.gap;
  best.name = nearer ? name : best.name;
  best.compared += kLanes;
}

void PlaceIndex::gaps_to(const Node& node, const Query& query, float (&gaps)[kLanes]) {
  const auto outside = [&node](std::size_t k, float at) {
    const Float8 point = broadcast8(at);
    const Float8 gap = max(load8(node.low[k]) - point, point - load8(node.high[k]));
    return max(gap, broadcast8(0.0F));
  };
  Float8 way = broadcast8(0.0F);
  for (std::size_t k = 0; k < 3; ++k) {
    const Float8 gap = outside(k, query.scaled[k]);
    way = fused(gap, gap, way);
  }
  Float8 turn = broadcast8(0.0F);
  Float8 turn_other = turn;
  for (std::size_t k = 3; k < kNumbers; ++k) {
    const Float8 gap = outside(k, query.scaled[k]);
    const Float8 other = outside(k, -query.scaled[k]);
    turn = fused(gap, gap, turn);
    turn_other = fused(other, other, turn_other);
  }
  store8(gaps, way + min(turn, turn_other));
}

std::uint32_t PlaceIndex::near_to(const Place& place, std::uint64_t& compared) const {
  Query query{};
  query.turn_square = turn_square_;
  const double values[kNumbers] = {place.position.x, place.position.y, place.position.z,
                                   place.turn.x,     place.turn.y,     place.turn.z,
                                   place.turn.w};
  for (std::size_t k = 0; k < kNumbers; ++k) {
    query.value[k] = static_cast<float>(values[k]);
    query.scaled[k] = k < 3 ? query.value[k] : turn_scale_ * query.value[k];
  }
  Best best;
  for (const Block& block : recent_) look_at(block, query, best);

  struct Waiting {
    std::uint32_t child;
    bool is_block;
    float gap;
  };
  Waiting stack[kWaiting];
  const auto limit_of = [](const Best& b) { return lowest(b.gap) / (kNearer * kNearer); };
  // The largest first: the nearest is most likely there.
  for (std::size_t level = trees_.size(); level > 0; --level) {
    const Tree& tree = trees_[level - 1];
    if (tree.nodes.empty()) continue;
    std::size_t size = 0;
    stack[size++] = {static_cast<std::uint32_t>(tree.nodes.size() - 1), false, 0.0F};
    float limit = limit_of(best);
    while (size > 0) {
      const Waiting top = stack[--size];
      if (top.gap > limit) continue;
      if (top.is_block) {
        look_at(tree.blocks[top.child], query, best);
        limit = limit_of(best);
        continue;
      }
      const Node& node = tree.nodes[top.child];
      float gaps[kLanes];
      gaps_to(node, query, gaps);
      best.compared += kLanes;
      // The nearest on top.
      const std::size_t base = size;
      for (std::size_t i = 0; i < kLanes; ++i) {
        if (gaps[i] > limit) continue;
        stack[size++] = {node.child[i], node.bottom, gaps[i]};
        if (size - base > 1 && stack[size - 1].gap > stack[size - 2].gap)
          std::swap(stack[size - 1], stack[size - 2]);
      }
    }
  }
  compared += best.compared;
  std::uint32_t found = kNoPlace;
  const float least = lowest(best.gap);
  if (!(least < kNowhere)) return found;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (best.gap[i] == least) found = std::min(found, static_cast<std::uint32_t>(best.name[i]));
  }
  return found;
}

void PlaceIndex::remove_if(const std::function<bool(std::uint32_t)>& gone) {
  const auto sweep = [&gone](Block& block) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (block.name[lane] != kNoPlace && gone(block.name[lane])) clear(block, lane);
    }
  };
  for (Block& block : recent_) sweep(block);
  for (Tree& tree : trees_) {
    for (Block& block : tree.blocks) sweep(block);
  }
}

}  // namespace clearance::detail
