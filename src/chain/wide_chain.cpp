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

#include <clearance/geometry/symmetric_eigen.h>

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

/// For each eighth link, its rotation in a frame common to all: the principal axes of the bonds.
std::vector<Mat3> common_rotations(const Chain& chain) {
  std::vector<Mat3> rotations;
  Mat3 here;
  Mat3 spread = Mat3::zero();
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    if (i % kChainWidth == 0) rotations.push_back(here);
    if (i == chain.joints.size()) break;
    const Vec3 bond = here * chain.joints[i].translation;
    spread = spread + outer(bond, bond);
    here = here * chain.joints[i].rotation;
  }
  const Mat3 common_from_first = transpose(eigen_of_symmetric(spread).vectors);
  for (Mat3& r : rotations) r = nearest_rotation(common_from_first * r);
  return rotations;
}

/// Is every link one sphere of this radius?
bool all_of_one_size(const Chain& chain, double radius) {
  return std::all_of(chain.links.begin(), chain.links.end(), [&](const LinkShape& link) {
    const auto* spheres = std::get_if<LinkSpheres>(&link);
    return spheres != nullptr && spheres->size() == 1 && (*spheres)[0].radius == radius;
  });
}

bool all_centered(const Chain& chain) {
  return std::all_of(chain.links.begin(), chain.links.end(), [](const LinkShape& link) {
    return std::get<LinkSpheres>(link)[0].center == Vec3{};
  });
}

}  // namespace

WideChain::WideChain(Chain description)
    : State(std::move(description)),
      skin_(common_radius(chain)),
      all_points_(all_of_one_size(chain, skin_)),
      centered_(all_points_ && all_centered(chain)) {
  const std::vector<Mat3> rotations = common_rotations(chain);
  std::uint32_t count = link_count();
  do {
    count = (count - 1) / kChainWidth + 1;
    levels_.emplace_back(count);
    const std::uint32_t level = level_count() - 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      ChainNode& node = levels_[level][i];
      node.saved_in = 0;
      for (std::uint32_t slot = 0; slot < kChainWidth; ++slot) node.boxes.clear(slot);
      node.child.fill(Affine::identity());
      if (level == 0) node.child[0] = Affine::from({rotations[i], {}});
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      ChainNode& node = levels_[level][i];
      place_children(level, i, 0);
      fit_boxes(level, i, 0, kChainWidth);
      node.set_bounds();
    }
  } while (count > 1);
  // A change of a few joints allocates nothing.
  saved_.resize(4 * levels_.size());
  dirty_.reserve(16);
}

std::uint32_t WideChain::child_count(std::uint32_t level, std::uint32_t index) const {
  const std::uint32_t all = level == 0 ? link_count() : node_count(level - 1);
  return std::min(kChainWidth, all - index * kChainWidth);
}

void WideChain::set_link_box(ChainBoxes& boxes, std::uint32_t slot, std::uint32_t link,
                             const Affine& pose) const {
  if (centered_) {
    for (int k = 0; k < 3; ++k) {
      boxes.center[k][slot] = static_cast<float>(pose.row[k][3]);
      boxes.half[k][slot] = 0.0F;
    }
    return;
  }
  const Pose node_from_link = pose.pose();
  Box box;
  const auto include = [&](const Vec3& center, double radius) {
    // A sphere made smaller than the skin later on counts as being as large.
    const double rest = std::max(radius - skin_, 0.0);
    const Vec3 p = node_from_link * center;
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
    const Vec3 center = node_from_link * own.center();
    const Vec3 half = 0.5 * own.size();
    Vec3 reach;
    for (std::size_t k = 0; k < 3; ++k) reach[k] = dot(abs(node_from_link.rotation[k]), half);
    box.include(center - reach);
    box.include(center + reach);
  }
  if (box.empty()) return boxes.clear(slot);
  for (std::size_t k = 0; k < 3; ++k) {
    boxes.center[k][slot] = static_cast<float>(box.center()[k]);
    boxes.half[k][slot] = static_cast<float>(0.5 * box.size()[k] * (1.0 + kChainBoxError));
  }
}

void WideChain::place_children(std::uint32_t level, std::uint32_t index, std::uint32_t slot) {
  ChainNode& node = levels_[level][index];
  const std::uint32_t count = child_count(level, index);
  const std::uint32_t first = index * kChainWidth;
  Affine pose = node.child[slot];
  for (std::uint32_t i = slot; i < count; ++i) {
    if (level > 0) {
      pose = pose * levels_[level - 1][first + i].through;
    } else if (first + i < chain.joints.size()) {
      pose = pose * Affine::from(chain.joints[first + i]);
    }
    if (i + 1 < count) node.child[i + 1] = pose;
  }
  // A node of links has its frame turned against that of its first link.
  if (level == 0 && index + 1 < levels_[0].size())
    pose = pose * inverse(levels_[0][index + 1].child[0]);
  node.through = pose;
}

void WideChain::fit_boxes(std::uint32_t level, std::uint32_t index, std::uint32_t first,
                          std::uint32_t last) {
  ChainNode& node = levels_[level][index];
  const std::uint32_t end = std::min(last, child_count(level, index));
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t child = index * kChainWidth + i;
    if (level == 0) {
      set_link_box(node.boxes, i, child, node.child[i]);
    } else {
      const ChainNode& below = levels_[level - 1][child];
      fit_box(node.boxes, i, below.boxes, below.radius, node.child[i]);
    }
  }
}

void WideChain::update_node(std::uint32_t level, std::uint32_t index, std::uint32_t slot) {
  place_children(level, index, slot);
  // The box of the child that holds the joint changed with it; a link does not bend.
  fit_boxes(level, index, level == 0 ? slot + 1 : slot, kChainWidth);
  levels_[level][index].set_bounds();
  ++nodes_updated_;
}

void WideChain::update_path(std::uint32_t joint, bool keep_old) {
  prefetch_path(joint);
  std::uint32_t index = joint;
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    const std::uint32_t slot = index % kChainWidth;
    index /= kChainWidth;
    if (keep_old) save(level, index);
    update_node(level, index, slot);
  }
}

void WideChain::settle() {
  if (!pending_) return;
  pending_ = false;
  update_path(proposal.joints()[0], true);
}

Affine WideChain::pending_motion() const {
  return Affine::from(chain.joints[proposal.joints()[0]]) *
         inverse(Affine::from(proposal.other_poses()[0]));
}

Affine WideChain::between_links(std::uint32_t a, std::uint32_t b) const {
  // A link and its pose in the frame of a node, level by level.
  struct Climb {
    std::uint32_t index;
    Affine pose;
  };
  const auto start = [&](std::uint32_t link) {
    return Climb{link / kChainWidth, levels_[0][link / kChainWidth].child[link % kChainWidth]};
  };
  const auto climb = [&](Climb& c, std::uint32_t level) {
    c.pose = levels_[level][c.index / kChainWidth].child[c.index % kChainWidth] * c.pose;
    c.index /= kChainWidth;
  };
  const std::uint32_t joint = pending_ ? proposal.joints()[0] : 0;
  const bool moved = pending_ && (a <= joint) != (b <= joint);
  Climb in_a = start(a);
  Climb in_b = start(b);
  Climb in_joint = start(joint);
  for (std::uint32_t level = 1; in_a.index != in_b.index; ++level) {
    climb(in_a, level);
    climb(in_b, level);
    if (moved) climb(in_joint, level);
  }
  if (!moved) return inverse_times(in_a.pose, in_b.pose);
  // What is behind the joint is not where the nodes have it.
  Affine& behind = a <= joint ? in_b.pose : in_a.pose;
  behind = in_joint.pose * (pending_motion() * inverse_times(in_joint.pose, behind));
  return inverse_times(in_a.pose, in_b.pose);
}

Pose WideChain::relative(std::size_t a, std::size_t b) const {
  if (a == b) return Pose::identity();
  return between_links(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)).pose();
}

std::vector<Pose> WideChain::poses() const {
  settle();
  std::vector<Affine> parents{inverse(levels_[0][0].child[0])};
  for (std::uint32_t level = level_count(); level-- > 0;) {
    std::vector<Affine> children;
    children.reserve(level == 0 ? link_count() : node_count(level - 1));
    for (std::uint32_t i = 0; i < node_count(level); ++i) {
      for (std::uint32_t slot = 0; slot < child_count(level, i); ++slot)
        children.push_back(parents[i] * levels_[level][i].child[slot]);
    }
    parents = std::move(children);
  }
  std::vector<Pose> all;
  all.reserve(parents.size());
  for (const Affine& a : parents) all.push_back(a.pose());
  return all;
}

std::size_t WideChain::tree_bytes() const {
  std::size_t bytes = sizeof *this + saved_.capacity() * sizeof(SavedNode);
  for (const auto& level : levels_) bytes += level.size() * sizeof(ChainNode);
  return bytes;
}

void WideChain::save(std::uint32_t level, std::uint32_t index) {
  ChainNode& node = levels_[level][index];
  if (node.saved_in == proposal_number_) return;
  node.saved_in = proposal_number_;
  if (saved_count_ == saved_.size()) saved_.resize(2 * saved_.size());
  SavedNode& s = saved_[saved_count_++];
  s.level = level;
  s.index = index;
  s.node = node;
}

void WideChain::prefetch_path(std::uint32_t joint) const {
  constexpr std::size_t kLine = 64;  // [bytes] of a cache line
  // Above these levels all nodes fit into a cache of a few megabytes.
  constexpr std::uint32_t kFewNodes = 1024;
  std::uint32_t index = joint / kChainWidth;
  if (node_count(0) > kFewNodes) {
    const auto* joints = reinterpret_cast<const char*>(&chain.joints[joint]);
    const std::size_t last = std::min(chain.joints.size(), std::size_t{index + 1} * kChainWidth);
    for (std::size_t at = 0; at < (last - joint) * sizeof(Pose); at += kLine)
      __builtin_prefetch(joints + at);
  }
  for (std::uint32_t level = 0; level < level_count() && node_count(level) > kFewNodes; ++level) {
    const auto* node = reinterpret_cast<const char*>(&levels_[level][index]);
    for (std::size_t at = 0; at < sizeof(ChainNode); at += kLine) __builtin_prefetch(node + at, 1);
    // Of those behind it under the same parent, the boxes and the way through.
    const std::uint32_t end = std::min(node_count(level), (index | (kChainWidth - 1)) + 1);
    for (std::uint32_t i = index + 1; i < end; ++i) {
      const ChainNode& other = levels_[level][i];
      const auto* boxes = reinterpret_cast<const char*>(&other.boxes);
      for (std::size_t at = 0; at < sizeof(ChainBoxes); at += kLine) __builtin_prefetch(boxes + at);
      const auto* through = reinterpret_cast<const char*>(&other.through);
      for (std::size_t at = 0; at < sizeof(Affine) + sizeof(ChainBox); at += kLine)
        __builtin_prefetch(through + at);
    }
    index /= kChainWidth;
  }
}

void WideChain::change(std::span<const JointChange> changes) {
  if (changes.size() == 1 && proposal.empty()) {
    proposal.set_joint(chain, changes[0].joint, changes[0].pose);
    pending_ = true;
    return;
  }
  settle();
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
      update_node(level, d.index, d.slot);
      d = {d.index / kChainWidth, d.index % kChainWidth};
    }
  }
}

void WideChain::reshape(std::size_t link, std::span<const Sphere> spheres) {
  auto index = static_cast<std::uint32_t>(link);
  settle();
  proposal.set_spheres(chain, index, spheres);
  // Once lost, the short cut for equal spheres does not come back: reshaped chains need it not.
  const bool as_all = spheres.size() == 1 && spheres[0].radius == skin_;
  all_points_ = all_points_ && as_all;
  centered_ = centered_ && as_all && spheres[0].center == Vec3{};
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    const std::uint32_t slot = index % kChainWidth;
    index /= kChainWidth;
    save(level, index);
    fit_boxes(level, index, slot, slot + 1);
    ChainNode& node = levels_[level][index];
    node.set_bounds();
    ++nodes_updated_;
  }
}

void WideChain::accept() {
  if (pending_) update_path(proposal.joints()[0], false);
  pending_ = false;
  proposal.accept();
  saved_count_ = 0;
  ++proposal_number_;
}

void WideChain::reject() {
  pending_ = false;
  proposal.reject(chain);
  for (std::size_t i = 0; i < saved_count_; ++i)
    levels_[saved_[i].level][saved_[i].index] = saved_[i].node;
  saved_count_ = 0;
  ++proposal_number_;
}

void WideChain::exchange() {
  settle();
  proposal.exchange(chain);
  for (std::size_t i = 0; i < saved_count_; ++i)
    std::swap(levels_[saved_[i].level][saved_[i].index], saved_[i].node);
}

void WideChain::append_bytes(std::vector<std::byte>& out) const {
  settle();
  const auto append = [&](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    out.insert(out.end(), bytes, bytes + size);
  };
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    for (std::uint32_t i = 0; i < node_count(level); ++i) {
      const ChainNode& node = levels_[level][i];
      append(&node, offsetof(ChainNode, radius) + sizeof node.radius);
    }
  }
}

std::unique_ptr<ChainTree::State> make_wide_chain(Chain chain) {
  return std::make_unique<WideChain>(std::move(chain));
}

}  // namespace clearance::detail
