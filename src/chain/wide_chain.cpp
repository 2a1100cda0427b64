// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the nodes, changing them, and going back.
#include "chain/wide_chain.h"

#include <algorithm>
#include <bit>
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

/// For the middle one of every eight links, its rotation in a frame common to all: the principal
/// axes of the bonds.
std::vector<Mat3> common_rotations(const Chain& chain) {
  std::vector<Mat3> rotations;
  Mat3 here;
  Mat3 spread = Mat3::zero();
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const std::size_t first = i - i % kChainWidth;
    const std::size_t count = std::min<std::size_t>(kChainWidth, chain.links.size() - first);
    if (i == first + count / 2) rotations.push_back(here);
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
    levels_.emplace_back(count, Pages::Large);
    const std::uint32_t level = level_count() - 1;
    if (level == 1 && centered_) points_ = LargeArray<ChainPoints>(count, Pages::Large);
    for (std::uint32_t i = 0; i < count; ++i) {
      ChainNode& node = levels_[level][i];
      node.saved_in = 0;
      for (std::uint32_t slot = 0; slot < kChainWidth; ++slot) node.boxes.clear(slot);
      node.child.fill(ChainPose::identity());
      if (level == 0) node.child[anchor(0, i)] = ChainPose::from({rotations[i], {}});
      if (has_points(level)) {
        for (ChainGroup& group : points_[i].group) {
          for (auto& row : group.center) store8(row, broadcast8(kFarChainPoint));
        }
      }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t middle = anchor(level, i);
      const Dirty all{
          i,   true, true, static_cast<std::uint8_t>(middle), static_cast<std::uint8_t>(middle + 1),
          0xff};
      level == 0 ? place_links(all) : place_children(level, all);
      fit_boxes(level, i, all.boxes(child_count(level, i)));
    }
    // At least two levels: those of points are the second.
  } while (count > kMostChainTops || level_count() < 2);
  // A change of one or two joints allocates nothing.
  saved_.resize(2 * levels_.size());
  if (points_.size() > 0) saved_points_.resize(2);
  dirty_.reserve(16);
}

FittedBox WideChain::fit_link(std::uint32_t link, const ChainPose& pose) const {
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
  if (box.empty()) return no_box();
  FittedBox fitted{};
  for (std::size_t k = 0; k < 3; ++k) {
    fitted.center[k] = static_cast<float>(box.center()[k]);
    fitted.half[k] = static_cast<float>(0.5 * box.size()[k] * (1.0 + kChainBoxError));
  }
  return fitted;
}

void WideChain::Dirty::merge(const Dirty& other) {
  enter = enter || other.enter;
  leave = leave || other.leave;
  before = std::max(before, other.before);
  behind = std::min(behind, other.behind);
  bent = static_cast<std::uint8_t>(bent | other.bent);
}

WideChain::Dirty WideChain::dirty_above(std::uint32_t joint) const {
  const std::uint32_t slot = joint % kChainWidth;
  const std::uint32_t index = joint / kChainWidth;
  // The joint is between this link and the next. A link does not bend.
  const bool before = slot < anchor(0, index);
  return {index,
          before,
          !before,
          static_cast<std::uint8_t>(before ? slot + 1 : 0),
          static_cast<std::uint8_t>(before ? kChainWidth : slot + 1),
          0};
}

WideChain::Dirty WideChain::dirty_above(std::uint32_t level, const Dirty& child) const {
  const std::uint32_t slot = child.index % kChainWidth;
  const std::uint32_t index = child.index / kChainWidth;
  const std::uint32_t middle = anchor(level, index);
  // The child itself is elsewhere when the way from it to the anchor is another.
  const bool before = slot < middle || (slot == middle && child.enter);
  const bool behind = slot > middle || (slot == middle && child.leave);
  const std::uint32_t end = slot + (slot < middle && child.leave ? 1U : 0U);
  const std::uint32_t begin = slot + (slot > middle && child.enter ? 0U : 1U);
  return {index,
          before,
          behind,
          static_cast<std::uint8_t>(before ? end : 0),
          static_cast<std::uint8_t>(behind ? begin : kChainWidth),
          static_cast<std::uint8_t>(1U << slot)};
}

void WideChain::place_links(const Dirty& dirty) {
  ChainNode& node = levels_[0][dirty.index];
  const std::uint32_t count = child_count(0, dirty.index);
  const Pose* joints = chain.joints.data() + std::size_t{dirty.index} * kChainWidth;
  if (dirty.enter) {
    ChainPose pose = node.child[dirty.before];
    for (std::uint32_t i = dirty.before; i-- > 0;) {
      pose = pose * inverse(ChainPose::from(joints[i]));
      node.child[i] = pose;
    }
    node.enter = pose;
  }
  if (dirty.leave) {
    ChainPose pose = node.child[dirty.behind - 1];
    for (std::uint32_t i = dirty.behind; i < count; ++i) {
      pose = pose * ChainPose::from(joints[i - 1]);
      node.child[i] = pose;
    }
    const bool last = dirty.index + 1 == node_count(0);
    node.leave = last ? pose : pose * ChainPose::from(joints[count - 1]);
  }
}

void WideChain::place_children(std::uint32_t level, const Dirty& dirty) {
  ChainNode& node = levels_[level][dirty.index];
  const std::uint32_t count = child_count(level, dirty.index);
  const ChainNode* below = &levels_[level - 1][std::size_t{dirty.index} * kChainWidth];
  // From one child to its neighbour by way of the link where they meet. Of these products only the
  // last one waits for the one before it.
  if (dirty.enter) {
    ChainPose pose = node.child[dirty.before];
    for (std::uint32_t i = dirty.before; i-- > 0;) {
      pose = pose * (below[i + 1].enter * inverse(below[i].leave));
      node.child[i] = pose;
    }
    node.enter = pose * below[0].enter;
  }
  if (dirty.leave) {
    ChainPose pose = node.child[dirty.behind - 1];
    for (std::uint32_t i = dirty.behind; i < count; ++i) {
      pose = pose * (below[i - 1].leave * inverse(below[i].enter));
      node.child[i] = pose;
    }
    node.leave = pose * below[count - 1].leave;
  }
}

void WideChain::fit_boxes(std::uint32_t level, std::uint32_t index, unsigned children) {
  ChainNode& node = levels_[level][index];
  BoxRows rows = BoxRows::from(node.boxes);
  for (; children != 0; children &= children - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(children));
    const std::uint32_t child = index * kChainWidth + i;
    const ChainPose& pose = node.child[i];
    if (level == 0) {
      if (centered_) {
        const Float4 point{static_cast<float>(pose.row[0][3]), static_cast<float>(pose.row[1][3]),
                           static_cast<float>(pose.row[2][3]), 0.0F};
        rows.put(i, {point, Float4{}});
      } else {
        rows.put(i, fit_link(child, pose));
      }
      continue;
    }
    const ChainNode& below = levels_[level - 1][child];
    if (level == 1 && centered_) {
      const unsigned used = (1U << child_count(0, child)) - 1U;
      const FloatAffine node_from_child(pose);
      ChainGroup& group = points_[index].group[i];
      see_points(below.boxes.center, used, node_from_child, group);
      const float loss = kChainBoxError * (node_from_child.shift() + below.radius());
      rows.put(i, fit_points(group, used, loss));
    } else {
      rows.put(i, fit_box(below.boxes, below.radius(), pose));
    }
  }
  node.set_boxes(rows);
}

void WideChain::update_node(std::uint32_t level, const Dirty& dirty) {
  level == 0 ? place_links(dirty) : place_children(level, dirty);
  fit_boxes(level, dirty.index, dirty.boxes(child_count(level, dirty.index)));
  ++nodes_updated_;
}

void WideChain::update_path(std::uint32_t joint, bool keep_old) {
  Dirty dirty = dirty_above(joint);
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    if (level > 0) dirty = dirty_above(level, dirty);
    if (keep_old) save(level, dirty.index);
    update_node(level, dirty);
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
    tops.pose[i] = tops.pose[i - 1] * (nodes[i - 1].leave * inverse(nodes[i].enter));
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
    parents.push_back(inverse_times(levels_.back()[0].enter, all_tops.pose[i]));
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
  Dirty dirty = dirty_above(joint);
  for (std::uint32_t level = 0; level < level_count() && node_count(level) > kFewNodes; ++level) {
    if (level > 0) dirty = dirty_above(level, dirty);
    const ChainNode& node = levels_[level][dirty.index];
    const std::uint32_t count = child_count(level, dirty.index);
    visit(&node, node.child.data());
    // The children that are placed anew, and the one that they are placed from.
    const std::uint32_t first = dirty.enter ? 0 : dirty.behind - 1U;
    const std::uint32_t end = dirty.leave ? count : dirty.before + 1U;
    visit(node.child.data() + first, node.child.data() + end);
    if (level == 0) {
      const Pose* joints = chain.joints.data() + std::size_t{dirty.index} * kChainWidth;
      const std::size_t last = chain.joints.size() - std::size_t{dirty.index} * kChainWidth;
      visit(joints + first, joints + std::min<std::size_t>(dirty.leave ? end : end - 1U, last));
      continue;
    }
    if (has_points(level)) {
      const unsigned fitted = dirty.boxes(count);
      const auto& groups = points_[dirty.index].group;
      visit(groups + std::countr_zero(fitted), groups + std::bit_width(fitted));
    }
    // Of the children, the ways through and the boxes; the one that bends was visited before.
    for (std::uint32_t i = first; i < end; ++i) {
      if ((dirty.bent >> i & 1U) != 0) continue;
      const ChainNode& child = levels_[level - 1][dirty.index * kChainWidth + i];
      const void* child_end = level == 1 && centered_
                                  ? static_cast<const void*>(child.boxes.half)
                                  : static_cast<const void*>(child.child.data());
      visit(&child, child_end);
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
    dirty_.push_back(dirty_above(c.joint));
  }
  std::sort(dirty_.begin(), dirty_.end(),
            [](const Dirty& a, const Dirty& b) { return a.index < b.index; });
  // Level by level, each node once.
  for (std::uint32_t level = 0; level < level_count(); ++level) {
    std::size_t kept = 0;
    for (const Dirty& below : dirty_) {
      const Dirty d = level == 0 ? below : dirty_above(level, below);
      if (kept > 0 && dirty_[kept - 1].index == d.index) {
        dirty_[kept - 1].merge(d);
      } else {
        dirty_[kept++] = d;
      }
    }
    dirty_.resize(kept);
    for (const Dirty& d : dirty_) {
      save(level, d.index);
      update_node(level, d);
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
    fit_boxes(level, index, 1U << slot);
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
