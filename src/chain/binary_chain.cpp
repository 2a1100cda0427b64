// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Building the nodes, changing them, and going back.
#include "chain/binary_chain.h"

#include <algorithm>
#include <utility>

namespace clearance::detail {
namespace {

/// Volumes are moved as if all products were rotations: twice what links may be off, for the
/// directions and lengths of a separation.
constexpr double kMovedVolumes = 2.0;

}  // namespace

BinaryChain::BinaryChain(Chain description, ChainVolume volume)
    : State(std::move(description)),
      volume_(volume),
      kind_(volume == ChainVolume::Rss ? Volume::Rss : Volume::Obb) {
  Level& links = levels_.emplace_back();
  links.volumes.reserve(link_count());
  for (const LinkShape& link : chain.links) links.volumes.push_back(volume_of_link(kind_, link));
  links.saved_in.resize(link_count());
  while (node_count(level_count() - 1) > 1) {
    const std::uint32_t count = (node_count(level_count() - 1) + 1) / 2;
    const std::uint32_t level = level_count();
    Level& next = levels_.emplace_back();
    next.volumes.resize(count);
    next.shortcuts.resize(count);
    next.saved_in.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) fit_node(level, i, true);
  }
  // A change of a few joints allocates nothing.
  saved_.reserve(4 * levels_.size());
  dirty_.reserve(16);
}

double BinaryChain::pose_error(std::uint32_t level, std::uint32_t index) const {
  return pose_slack(2.0 * reach_of(node_volume(level, index)));
}

double BinaryChain::volume_error(std::uint32_t level, std::uint32_t index) const {
  return kMovedVolumes * pose_error(level, index);
}

void BinaryChain::fit_node(std::uint32_t level, std::uint32_t index, bool shortcut_too) {
  const std::uint32_t left = 2 * index;
  const std::uint32_t right = left + 1;
  Level& here = levels_[level];
  if (right >= node_count(level - 1)) {
    // A child without a brother, at the end of the chain.
    here.volumes[index] = node_volume(level - 1, left);
    return;
  }
  if (shortcut_too && right + 1 < node_count(level - 1)) {
    here.shortcuts[index] = shortcut(level - 1, left) * shortcut(level - 1, right);
  }
  // Boxes that are shrunk are no tighter for other axes; the others are, by a quarter of the tests.
  const bool tight = volume_ == ChainVolume::TightObb;
  const RoundedBox box =
      volume_of_two(kind_, tight ? Axes::Principal : Axes::Least, node_volume(level - 1, left),
                    node_volume(level - 1, right), shortcut(level - 1, left));
  here.volumes[index] = tight ? shrunk(level, index, box) : box;
}

RoundedBox BinaryChain::shrunk(std::uint32_t level, std::uint32_t index,
                               const RoundedBox& box) const {
  if (is_empty(box)) return box;
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  Vec3 low;
  Vec3 high;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 axis = box.axes.column(k);
    high[k] = farthest_link(level, index, axis, kNothing);
    low[k] = -farthest_link(level, index, -axis, kNothing);
  }
  RoundedBox tight = box_between(box.axes, low, high);
  // Poses inside the node are good to this.
  tight.radius += pose_error(level - 1, 2 * index) + pose_slack(2.0 * reach_of(box));
  return tight;
}

double BinaryChain::farthest_link(std::uint32_t level, std::uint32_t index, const Vec3& direction,
                                  double known) const {
  if (level == 0) {
    return farthest_along(chain.links[index], node_volume(0, index), direction);
  }
  const std::uint32_t left = 2 * index;
  const std::uint32_t right = left + 1;
  const RoundedBox& left_volume = node_volume(level - 1, left);
  const bool has_left = !is_empty(left_volume);
  const bool has_right = right < node_count(level - 1) && !is_empty(node_volume(level - 1, right));
  if (!has_right) return has_left ? farthest_link(level - 1, left, direction, known) : known;

  // The right child is asked in its own frame.
  const Pose& step = shortcut(level - 1, left);
  const Vec3 turned = transpose_times(step.rotation, direction);
  const double shift = dot(step.translation, direction);
  const double left_bound =
      has_left ? farthest_along(left_volume, direction) : -std::numeric_limits<double>::infinity();
  const double right_bound = farthest_along(node_volume(level - 1, right), turned) + shift;
  const auto ask_left = [&] {
    if (left_bound > known) {
      known = std::max(known, farthest_link(level - 1, left, direction, known));
    }
  };
  const auto ask_right = [&] {
    if (right_bound > known) {
      known = std::max(known, farthest_link(level - 1, right, turned, known - shift) + shift);
    }
  };
  if (left_bound > right_bound) {
    ask_left();
    ask_right();
  } else {
    ask_right();
    ask_left();
  }
  return known;
}

Pose BinaryChain::relative(std::size_t a, std::size_t b) const {
  if (a > b) return inverse(relative(b, a));
  // The longest shortcuts that do not go too far.
  Pose pose = Pose::identity();
  std::size_t here = a;
  while (here < b) {
    std::uint32_t level = 0;
    while (level + 1 < level_count() && (here & ((std::size_t{2} << level) - 1)) == 0 &&
           here + (std::size_t{2} << level) <= b) {
      ++level;
    }
    pose = pose * shortcut(level, static_cast<std::uint32_t>(here >> level));
    here += std::size_t{1} << level;
  }
  return pose;
}

std::vector<Pose> BinaryChain::poses() const {
  std::vector<Pose> parents{Pose::identity()};
  for (std::uint32_t level = level_count() - 1; level-- > 0;) {
    std::vector<Pose> children;
    children.reserve(node_count(level));
    for (std::uint32_t i = 0; i < node_count(level); ++i) {
      children.push_back(i % 2 == 0 ? parents[i / 2] : children.back() * shortcut(level, i - 1));
    }
    parents = std::move(children);
  }
  return parents;
}

std::size_t BinaryChain::tree_bytes() const {
  std::size_t bytes = sizeof *this + saved_.capacity() * sizeof(SavedNode) +
                      dirty_.capacity() * sizeof(std::uint32_t);
  for (const Level& level : levels_) {
    bytes += level.volumes.capacity() * sizeof(RoundedBox) +
             level.shortcuts.capacity() * sizeof(Pose) +
             level.saved_in.capacity() * sizeof(std::uint64_t);
  }
  return bytes;
}

void BinaryChain::save(std::uint32_t level, std::uint32_t index) {
  Level& here = levels_[level];
  if (here.saved_in[index] == proposal_number_) return;
  here.saved_in[index] = proposal_number_;
  saved_.push_back(
      {level, index, here.volumes[index], level == 0 ? Pose::identity() : here.shortcuts[index]});
}

void BinaryChain::change(std::span<const JointChange> changes) {
  dirty_.clear();
  for (const JointChange& c : changes) {
    proposal.set_joint(chain, c.joint, c.pose);
    dirty_.push_back(c.joint);
  }
  std::sort(dirty_.begin(), dirty_.end());
  // Level by level, each node once: those that hold a joint or have one behind them, over which
  // their shortcut goes.
  for (std::uint32_t level = 1; level < level_count(); ++level) {
    for (std::uint32_t& index : dirty_) index /= 2;
    dirty_.erase(std::unique(dirty_.begin(), dirty_.end()), dirty_.end());
    for (const std::uint32_t index : dirty_) {
      save(level, index);
      fit_node(level, index, true);
    }
  }
}

void BinaryChain::reshape(std::size_t link, std::span<const Sphere> spheres) {
  auto index = static_cast<std::uint32_t>(link);
  proposal.set_spheres(chain, index, spheres);
  save(0, index);
  levels_[0].volumes[index] = volume_of_link(kind_, chain.links[index]);
  for (std::uint32_t level = 1; level < level_count(); ++level) {
    index /= 2;
    save(level, index);
    fit_node(level, index, false);
  }
}

void BinaryChain::accept() {
  proposal.accept();
  saved_.clear();
  ++proposal_number_;
}

void BinaryChain::reject() {
  proposal.reject(chain);
  for (const SavedNode& s : saved_) {
    levels_[s.level].volumes[s.index] = s.volume;
    if (s.level > 0) levels_[s.level].shortcuts[s.index] = s.shortcut;
  }
  saved_.clear();
  ++proposal_number_;
}

void BinaryChain::exchange() {
  proposal.exchange(chain);
  for (SavedNode& s : saved_) {
    std::swap(levels_[s.level].volumes[s.index], s.volume);
    if (s.level > 0) std::swap(levels_[s.level].shortcuts[s.index], s.shortcut);
  }
}

void BinaryChain::append_bytes(std::vector<std::byte>& out) const {
  const auto append = [&](const auto& values) {
    const std::span bytes = std::as_bytes(std::span(values));
    out.insert(out.end(), bytes.begin(), bytes.end());
  };
  for (const Level& level : levels_) {
    append(level.volumes);
    append(level.shortcuts);
  }
}

std::unique_ptr<ChainTree::State> make_binary_chain(Chain chain, ChainVolume volume) {
  return std::make_unique<BinaryChain>(std::move(chain), volume);
}

}  // namespace clearance::detail
