// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the nodes, changing them, and going back.
#include "chain/wide_chain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
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

/// The same joints, in large pages where that is worth it: a change begins with a look at one of
/// them, and finding its page took as long as fetching it.
void move_to_large_pages(std::vector<Pose>& joints) {
  if (joints.size() * sizeof(Pose) < 2 * kLargePage) return;
  std::vector<Pose> moved;
  moved.reserve(joints.size());
  advise_large_pages(moved.data(), joints.size() * sizeof(Pose));
  moved.assign(joints.begin(), joints.end());
  joints = std::move(moved);
}

}  // namespace

WideChain::WideChain(Chain description)
    : State(std::move(description)),
      skin_(common_radius(chain)),
      all_points_(all_of_one_size(chain, skin_)),
      centered_(all_points_ && all_centered(chain)) {
  move_to_large_pages(chain.joints);
  const std::vector<Mat3> rotations = common_rotations(chain);
  std::uint32_t count = link_count();
  do {
    count = (count - 1) / kChainWidth + 1;
    levels_.emplace_back(count);
    const std::uint32_t level = level_count() - 1;
    if (level == 1 && centered_) points_ = LargeArray<ChainPoints>(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      ChainNode& node = levels_[level][i];
      node.saved_in = 0;
      for (std::uint32_t slot = 0; slot < kChainWidth; ++slot) node.boxes.clear(slot);
      node.child.fill(ChainPose::identity());
      if (level == 0) node.child[0] = ChainPose::from({rotations[i], {}});
      if (has_points(level)) {
        for (ChainGroup& group : points_[i].group) {
          for (auto& row : group.center) store8(row, broadcast8(kFarChainPoint));
        }
      }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      ChainNode& node = levels_[level][i];
      place_children(level, i, 0);
      fit_boxes(level, i, 0, kChainWidth);
      node.set_bounds();
    }
    // At least two levels: those of points are the second.
  } while (count > kMostChainTops || level_count() < 2);
  // A change of a few joints allocates nothing.
  saved_.resize(4 * levels_.size());
  if (points_.size() > 0) saved_points_.resize(4);
  dirty_.reserve(16);
}

void WideChain::set_link_box(ChainBoxes& boxes, std::uint32_t slot, std::uint32_t link,
                             const ChainPose& pose) const {
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
  ChainPose pose = node.child[slot];
  for (std::uint32_t i = slot; i < count; ++i) {
    if (level > 0) {
      pose = pose * levels_[level - 1][first + i].through;
    } else if (first + i < chain.joints.size()) {
      pose = pose * ChainPose::from(chain.joints[first + i]);
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
      if (level == 1 && centered_) {
        const unsigned used = (1U << child_count(0, child)) - 1U;
        const FloatAffine node_from_child(node.child[i]);
        ChainGroup& group = points_[index].group[i];
        see_points(below.boxes.center, used, node_from_child, group);
        const float loss = kChainBoxError * (node_from_child.shift() + below.radius());
        fit_points(node.boxes, i, group, used, loss);
      } else {
        fit_box(node.boxes, i, below.boxes, below.radius(), node.child[i]);
      }
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
  proposal.exchange(chain);
  update_path(proposal.joints()[0], true);
}

ChainPose WideChain::pending_motion() const {
  return ChainPose::from(proposal.other_poses()[0]) *
         inverse(ChainPose::from(chain.joints[proposal.joints()[0]]));
}

WideChain::Tops WideChain::tops() const {
  const LargeArray<ChainNode>& nodes = levels_.back();
  Tops tops;
  tops.count = static_cast<std::uint32_t>(nodes.size());
  tops.pose[0] = ChainPose::identity();
  tops.reach = static_cast<double>(nodes[0].radius());
  for (std::uint32_t i = 1; i < tops.count; ++i) {
    tops.pose[i] = tops.pose[i - 1] * nodes[i - 1].through;
    const ChainPose& pose = tops.pose[i];
    const Vec3 origin{pose.row[0][3], pose.row[1][3], pose.row[2][3]};
    tops.reach = std::max(tops.reach, norm(origin) + static_cast<double>(nodes[i].radius()));
  }
  return tops;
}

ChainPose WideChain::between_links(std::uint32_t a, std::uint32_t b, const Tops* known) const {
  // A link and its pose in the frame of a node, level by level.
  struct Climb {
    std::uint32_t index;
    ChainPose pose;
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
  std::uint32_t level = 1;
  for (; in_a.index != in_b.index && level < level_count(); ++level) {
    climb(in_a, level);
    climb(in_b, level);
    if (moved) climb(in_joint, level);
  }
  if (in_a.index != in_b.index) {
    const auto lift = [&](const Tops& all) {
      in_a.pose = all.pose[in_a.index] * in_a.pose;
      in_b.pose = all.pose[in_b.index] * in_b.pose;
      if (moved) in_joint.pose = all.pose[in_joint.index] * in_joint.pose;
    };
    known != nullptr ? lift(*known) : lift(tops());
  }
  if (!moved) return inverse_times(in_a.pose, in_b.pose);
  // What is behind the joint is not where the nodes have it.
  ChainPose& behind = a <= joint ? in_b.pose : in_a.pose;
  behind = in_joint.pose * (pending_motion() * inverse_times(in_joint.pose, behind));
  return inverse_times(in_a.pose, in_b.pose);
}

const Pose& WideChain::joint(std::size_t i) const {
  if (pending_ && i == proposal.joints()[0]) settle();
  return chain.joints[i];
}

Pose WideChain::relative(std::size_t a, std::size_t b) const {
  if (a == b) return Pose::identity();
  return between_links(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), nullptr)
      .pose();
}

std::vector<Pose> WideChain::poses() const {
  settle();
  const Tops all_tops = tops();
  std::vector<ChainPose> parents;
  for (std::uint32_t i = 0; i < all_tops.count; ++i)
    parents.push_back(inverse_times(levels_[0][0].child[0], all_tops.pose[i]));
  for (std::uint32_t level = level_count(); level-- > 0;) {
    std::vector<ChainPose> children;
    children.reserve(level == 0 ? link_count() : node_count(level - 1));
    for (std::uint32_t i = 0; i < node_count(level); ++i) {
      for (std::uint32_t slot = 0; slot < child_count(level, i); ++slot)
        children.push_back(parents[i] * levels_[level][i].child[slot]);
    }
    parents = std::move(children);
  }
  std::vector<Pose> all;
  all.reserve(parents.size());
  for (const ChainPose& a : parents) all.push_back(a.pose());
  return all;
}

std::size_t WideChain::tree_bytes() const {
  std::size_t bytes = sizeof *this + saved_.capacity() * sizeof(SavedNode) +
                      saved_points_.capacity() * sizeof(SavedPoints);
  for (const auto& level : levels_) bytes += level.size() * sizeof(ChainNode);
  return bytes + points_.size() * sizeof(ChainPoints);
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
  if (!has_points(level)) return;
  if (saved_points_count_ == saved_points_.size()) saved_points_.resize(2 * saved_points_.size());
  SavedPoints& p = saved_points_[saved_points_count_++];
  p.index = index;
  p.points = points_[index];
}

template <class Visit>
void WideChain::visit_path(std::uint32_t joint, const Visit& visit) const {
  // Levels of fewer nodes stay in a cache of a few megabytes.
  constexpr std::uint32_t kFewNodes = 1024;
  std::uint32_t index = joint;
  for (std::uint32_t level = 0; level < level_count() && node_count(level) > kFewNodes; ++level) {
    const std::uint32_t slot = index % kChainWidth;
    index /= kChainWidth;
    const ChainNode& node = levels_[level][index];
    visit(&node, node.child.data());
    visit(&node.child[slot], node.child.data() + kChainWidth);
    if (has_points(level)) {
      const auto& groups = points_[index].group;
      visit(&groups[slot], std::end(groups));
    }
    if (level == 0) {
      const Pose* joints = chain.joints.data();
      visit(joints + joint,
            joints + std::min(chain.joints.size(), std::size_t{index + 1} * kChainWidth));
    } else {
      // Of the children behind the joint, the way through and the boxes.
      for (std::uint32_t i = slot + 1; i < child_count(level, index); ++i) {
        const ChainNode& child = levels_[level - 1][index * kChainWidth + i];
        const void* end = level == 1 && centered_ ? static_cast<const void*>(child.boxes.half)
                                                  : static_cast<const void*>(child.child.data());
        visit(&child, end);
      }
    }
  }
}

namespace {

void prefetch_at(const void* place) {
  __builtin_prefetch(place);
  // To GCC 12 a prefetch is no effect: a function that does nothing else is left out, call and all.
  __asm__ volatile("");
}

}  // namespace

void WideChain::fetch_path(std::uint32_t joint) const {
  constexpr std::size_t kLine = 64;  // [bytes] of a cache line
  visit_path(joint, [](const void* first, const void* end) {
    for (const auto* at = static_cast<const char*>(first); at < end; at += kLine) prefetch_at(at);
  });
}

void WideChain::change(std::span<const JointChange> changes) {
  if (changes.size() == 1 && proposal.empty()) {
    proposal.defer_joint(changes[0].joint, changes[0].pose);
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

void WideChain::forget_saved() {
  saved_count_ = 0;
  saved_points_count_ = 0;
  ++proposal_number_;
}

void WideChain::accept() {
  if (pending_) {
    proposal.exchange(chain);
    update_path(proposal.joints()[0], false);
  }
  pending_ = false;
  proposal.accept();
  forget_saved();
}

void WideChain::reject() {
  if (pending_) {
    // Nothing was touched.
    pending_ = false;
    return proposal.accept();
  }
  proposal.reject(chain);
  for (std::size_t i = 0; i < saved_count_; ++i)
    levels_[saved_[i].level][saved_[i].index] = saved_[i].node;
  for (std::size_t i = 0; i < saved_points_count_; ++i)
    points_[saved_points_[i].index] = saved_points_[i].points;
  forget_saved();
}

void WideChain::exchange() {
  settle();
  proposal.exchange(chain);
  for (std::size_t i = 0; i < saved_count_; ++i)
    std::swap(levels_[saved_[i].level][saved_[i].index], saved_[i].node);
  for (std::size_t i = 0; i < saved_points_count_; ++i)
    std::swap(points_[saved_points_[i].index], saved_points_[i].points);
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
      append(&node, offsetof(ChainNode, saved_in));
    }
  }
  append(points_.data(), points_.size() * sizeof(ChainPoints));
}

std::unique_ptr<ChainTree::State> make_wide_chain(Chain chain) {
  return std::make_unique<WideChain>(std::move(chain));
}

}  // namespace clearance::detail
