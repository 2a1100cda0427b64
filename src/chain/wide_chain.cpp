// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the nodes, changing them, and going back.
#include "chain/wide_chain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "chain/link_pair.h"

namespace clearance::detail {
namespace {

/// The smallest radius of the spheres and capsules; 0 when a link has corners.
double common_radius(const Chain& chain) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const LinkShape& link : chain.links) {
    if (const auto* spheres = std::get_if<LinkSpheres>(&link)) {
      for (const Sphere& s : *spheres) smallest = std::min(smallest, s.radius);
    } else if (const auto* capsule = std::get_if<Capsule>(&link)) {
      smallest = std::min(smallest, capsule->radius);
    } else {
      return 0.0;
    }
  }
  return std::isfinite(smallest) ? smallest : 0.0;
}

void set_box(ChainNode& node, std::uint32_t slot, const Box& box) {
  for (std::size_t k = 0; k < 3; ++k) {
    node.center[k][slot] = box.empty() ? 0.0F : static_cast<float>(box.center()[k]);
    node.half[k][slot] = box.empty()
                             ? kEmptyChainHalf
                             : static_cast<float>(0.5 * box.size()[k] * (1.0 + kChainBoxError));
  }
}

/// The box around all boxes of a child, in its parent's frame.
void fit_box(ChainNode& parent, std::uint32_t slot, const ChainNode& child) {
  const Pose& pose = parent.child[slot];
  const Float8 size[3] = {load8(child.half[0]), load8(child.half[1]), load8(child.half[2])};
  const Float8 nothing = broadcast8(-std::numeric_limits<float>::infinity());
  const Vec3 shift = abs(pose.translation);
  const auto loss =
      kChainBoxError * (static_cast<float>(shift.x + shift.y + shift.z) + child.radius);
  for (std::size_t k = 0; k < 3; ++k) {
    const Float8 m0 = broadcast8(static_cast<float>(pose.rotation[k].x));
    const Float8 m1 = broadcast8(static_cast<float>(pose.rotation[k].y));
    const Float8 m2 = broadcast8(static_cast<float>(pose.rotation[k].z));
    const Float8 t = broadcast8(static_cast<float>(pose.translation[k]));
    const Float8 center =
        fused(m0, load8(child.center[0]),
              fused(m1, load8(child.center[1]), fused(m2, load8(child.center[2]), t)));
    const Float8 half = fused(abs(m0), size[0], fused(abs(m1), size[1], abs(m2) * size[2]));
    const Int8 used = size[0] >= broadcast8(0.0F);
    const float high = highest(used ? center + half : nothing);
    const float low = -highest(used ? half - center : nothing);
    const bool empty = !(low <= high);
    parent.center[k][slot] = empty ? 0.0F : 0.5F * (low + high);
    parent.half[k][slot] = empty ? kEmptyChainHalf : 0.5F * (high - low) + loss;
  }
}

}  // namespace

WideChain::WideChain(Chain description)
    : State(std::move(description)), skin_(common_radius(chain)) {
  std::uint32_t count = link_count();
  do {
    count = (count - 1) / kChainWidth + 1;
    levels_.emplace_back(count);
    saved_in_.emplace_back(count, 0);
    const std::uint32_t level = level_count() - 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      ChainNode& node = levels_[level][i];
      for (std::uint32_t slot = 0; slot < kChainWidth; ++slot) set_box(node, slot, Box{});
      place_children(level, i, 0);
      fit_boxes(level, i, 0, kChainWidth);
      fit_radius(level, i);
    }
  } while (count > 1);
  // A change of a few joints allocates nothing.
  saved_.reserve(4 * levels_.size());
  dirty_.reserve(16);
}

std::uint32_t WideChain::child_count(std::uint32_t level, std::uint32_t index) const {
  const std::uint32_t all = level == 0 ? link_count() : node_count(level - 1);
  return std::min(kChainWidth, all - index * kChainWidth);
}

Box WideChain::core_bounds(std::uint32_t link, const Pose& pose) const {
  Box box;
  const auto include = [&](const Vec3& center, double radius) {
    // A sphere made smaller than the skin later on counts as being as large.
    const double rest = std::max(radius - skin_, 0.0);
    const Vec3 p = pose * center;
    box.include(p - Vec3{rest, rest, rest});
    box.include(p + Vec3{rest, rest, rest});
  };
  const LinkShape& shape = chain.links[link];
  if (const auto* spheres = std::get_if<LinkSpheres>(&shape)) {
    for (const Sphere& s : *spheres) include(s.center, s.radius);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    include(capsule->axis.a, capsule->radius);
    include(capsule->axis.b, capsule->radius);
  } else {
    const Box own = bounds_of(shape);
    const Vec3 center = pose * own.center();
    const Vec3 half = 0.5 * own.size();
    Vec3 reach;
    for (std::size_t k = 0; k < 3; ++k) reach[k] = dot(abs(pose.rotation[k]), half);
    box.include(center - reach);
    box.include(center + reach);
  }
  return box;
}

void WideChain::place_children(std::uint32_t level, std::uint32_t index, std::uint32_t slot) {
  ChainNode& node = levels_[level][index];
  const std::uint32_t count = child_count(level, index);
  const auto step = [&](std::uint32_t i) -> const Pose& {
    const std::uint32_t child = index * kChainWidth + i;
    static constexpr Pose kEnd = Pose::identity();
    if (level > 0) return levels_[level - 1][child].through;
    return child < chain.joints.size() ? chain.joints[child] : kEnd;
  };
  for (std::uint32_t i = slot + 1; i < count; ++i) node.child[i] = node.child[i - 1] * step(i - 1);
  node.through = node.child[count - 1] * step(count - 1);
}

void WideChain::fit_boxes(std::uint32_t level, std::uint32_t index, std::uint32_t first,
                          std::uint32_t last) {
  ChainNode& node = levels_[level][index];
  const std::uint32_t end = std::min(last, child_count(level, index));
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t child = index * kChainWidth + i;
    if (level == 0) {
      set_box(node, i, core_bounds(child, node.child[i]));
    } else {
      fit_box(node, i, levels_[level - 1][child]);
    }
  }
}

void WideChain::fit_radius(std::uint32_t level, std::uint32_t index) {
  ChainNode& node = levels_[level][index];
  Float8 sum = broadcast8(0.0F);
  for (int k = 0; k < 3; ++k) {
    const Float8 reach = max(abs(load8(node.center[k])) + load8(node.half[k]), broadcast8(0.0F));
    sum = fused(reach, reach, sum);
  }
  node.radius = std::sqrt(highest(sum)) * (1.0F + kChainBoxError);
}

Pose WideChain::relative(std::size_t a, std::size_t b) const {
  if (a == b) return Pose::identity();
  // Both links in the frames of their nodes, level by level, until the node is the same.
  Pose in_a = Pose::identity();
  Pose in_b = Pose::identity();
  for (std::uint32_t level = 0;; ++level) {
    const ChainNode& node_a = levels_[level][a / kChainWidth];
    const ChainNode& node_b = levels_[level][b / kChainWidth];
    in_a = node_a.child[a % kChainWidth] * in_a;
    in_b = node_b.child[b % kChainWidth] * in_b;
    a /= kChainWidth;
    b /= kChainWidth;
    if (a == b) return inverse(in_a) * in_b;
  }
}

std::vector<Pose> WideChain::poses() const {
  std::vector<Pose> parents{Pose::identity()};
  for (std::uint32_t level = level_count(); level-- > 0;) {
    std::vector<Pose> children;
    children.reserve(level == 0 ? link_count() : node_count(level - 1));
    for (std::uint32_t i = 0; i < node_count(level); ++i) {
      for (std::uint32_t slot = 0; slot < child_count(level, i); ++slot)
        children.push_back(parents[i] * levels_[level][i].child[slot]);
    }
    parents = std::move(children);
  }
  return parents;
}

std::size_t WideChain::tree_bytes() const {
  std::size_t bytes = sizeof *this + saved_.capacity() * sizeof(SavedNode);
  for (const auto& level : levels_)
    bytes += level.capacity() * (sizeof(ChainNode) + sizeof(std::uint64_t));
  return bytes;
}

void WideChain::save(std::uint32_t level, std::uint32_t index) {
  if (saved_in_[level][index] == proposal_number_) return;
  saved_in_[level][index] = proposal_number_;
  saved_.push_back({level, index, levels_[level][index]});
}

void WideChain::change(std::span<const JointChange> changes) {
  dirty_.clear();
  for (const JointChange& c : changes) {
    proposal.set_joint(chain, c.joint, c.pose);
    dirty_.push_back({c.joint / kChainWidth, c.joint % kChainWidth});
  }
  std::sort(dirty_.begin(), dirty_.end(), [](const Dirty& a, const Dirty& b) {
    return a.index != b.index ? a.index < b.index : a.slot < b.slot;
  });
  // Level by level. Of several changes to one node, the first makes the rest of it anew anyway.
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    std::size_t kept = 0;
    for (const Dirty& d : dirty_) {
      if (kept > 0 && dirty_[kept - 1].index == d.index) continue;
      dirty_[kept++] = d;
    }
    dirty_.resize(kept);
    for (Dirty& d : dirty_) {
      save(level, d.index);
      place_children(level, d.index, d.slot);
      // The box of the child that holds the joint changed with it; a link does not bend.
      fit_boxes(level, d.index, level == 0 ? d.slot + 1 : d.slot, kChainWidth);
      fit_radius(level, d.index);
      ++nodes_updated_;
      d = {d.index / kChainWidth, d.index % kChainWidth};
    }
  }
}

void WideChain::reshape(std::size_t link, std::span<const Sphere> spheres) {
  auto index = static_cast<std::uint32_t>(link);
  proposal.set_spheres(chain, index, spheres);
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    const std::uint32_t slot = index % kChainWidth;
    index /= kChainWidth;
    save(level, index);
    fit_boxes(level, index, slot, slot + 1);
    fit_radius(level, index);
    ++nodes_updated_;
  }
}

void WideChain::accept() {
  proposal.accept();
  saved_.clear();
  ++proposal_number_;
}

void WideChain::reject() {
  proposal.reject(chain);
  for (const SavedNode& s : saved_) levels_[s.level][s.index] = s.node;
  saved_.clear();
  ++proposal_number_;
}

void WideChain::exchange() {
  proposal.exchange(chain);
  for (SavedNode& s : saved_) std::swap(levels_[s.level][s.index], s.node);
}

void WideChain::append_bytes(std::vector<std::byte>& out) const {
  const auto append = [&](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    out.insert(out.end(), bytes, bytes + size);
  };
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    for (const ChainNode& node : levels_[level]) {
      append(&node, offsetof(ChainNode, radius) + sizeof node.radius);
    }
  }
}

std::unique_ptr<ChainTree::State> make_wide_chain(Chain chain) {
  return std::make_unique<WideChain>(std::move(chain));
}

}  // namespace clearance::detail
