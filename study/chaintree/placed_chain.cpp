// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/placed_chain.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <clearance/base/assert.h>

namespace clearance::study {
namespace {

/// The nearest rotation to a matrix that is one to 1e-8: one step of R (3 - RᵀR) / 2, a tenth of
/// the cost of nearest_rotation().
Mat3 straightened(const Mat3& r) {
  return r * (Mat3::diagonal({1.5, 1.5, 1.5}) - 0.5 * (transpose(r) * r));
}

}  // namespace

PlacedChain::PlacedChain(const Chain& chain, Fixed fixed)
    : fixed_(fixed),
      neighbours_(chain.neighbours),
      ignored_(chain.ignored),
      joints_(chain.joints),
      anchors_((chain.links.size() + kAnchorSpacing - 1) / kAnchorSpacing) {
  std::sort(ignored_.begin(), ignored_.end());
  for (std::uint32_t link = 0; link < chain.links.size(); ++link) {
    first_ball_.push_back(static_cast<std::uint32_t>(local_balls_.size()));
    CLEARANCE_ASSERT(std::holds_alternative<LinkSpheres>(chain.links[link]));
    for (const Sphere& sphere : std::get<LinkSpheres>(chain.links[link])) {
      local_balls_.push_back({sphere.center.x, sphere.center.y, sphere.center.z, sphere.radius});
      owners_.push_back(link);
      largest_radius_ = std::max(largest_radius_, sphere.radius);
    }
  }
  first_ball_.push_back(static_cast<std::uint32_t>(local_balls_.size()));
  balls_.resize(local_balls_.size());
  old_balls_.resize(local_balls_.size());
  place_all(Pose::identity());
  propose({});
}

void PlacedChain::place_all(const Pose& world_from_first) {
  Pose world_from_link = world_from_first;
  for (std::size_t link = 0; link + 1 < first_ball_.size(); ++link) {
    if (link > 0) world_from_link = world_from_link * joints_[link - 1];
    if (link % kAnchorSpacing == 0) anchors_[link / kAnchorSpacing] = world_from_link;
    const BallMotion motion(world_from_link);
    for (std::uint32_t ball = first_ball_[link]; ball < first_ball_[link + 1]; ++ball) {
      balls_[ball] = motion * local_balls_[ball];
    }
  }
}

std::vector<Vec3> PlacedChain::centers() const {
  const Pose first_from_world = inverse(anchors_.front());
  std::vector<Vec3> result;
  result.reserve(balls_.size());
  for (const Ball& ball : balls_) result.push_back(first_from_world * Vec3{ball.x, ball.y, ball.z});
  return result;
}

bool PlacedChain::exempt(std::uint32_t ball_a, std::uint32_t ball_b) const {
  const auto [a, b] = std::minmax(owners_[ball_a], owners_[ball_b]);
  return b - a <= neighbours_ ||
         std::binary_search(ignored_.begin(), ignored_.end(), LinkPair{a, b});
}

Pose PlacedChain::world_from_link(std::uint32_t link) const {
  Pose pose = anchors_[link / kAnchorSpacing];
  for (std::uint32_t i = link / kAnchorSpacing * kAnchorSpacing; i < link; ++i) {
    pose = pose * joints_[i];
  }
  return pose;
}

void PlacedChain::propose(std::span<const JointChange> changes) {
  // By joint; of several poses for one joint the last counts.
  changes_.assign(changes.begin(), changes.end());
  if (changes_.size() > 1) {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const JointChange& a, const JointChange& b) { return a.joint < b.joint; });
    std::size_t count = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (i + 1 < changes_.size() && changes_[i + 1].joint == changes_[i].joint) continue;
      changes_[count++] = changes_[i];
    }
    changes_.resize(count);
  }

  // A change at a joint moves all that is behind it; what changed before it moves that again.
  pieces_.clear();
  motions_.clear();
  Pose motion;
  std::uint32_t begin = 0;
  for (const JointChange& change : changes_) {
    const std::uint32_t end_link = change.joint + 1;
    pieces_.push_back({begin, first_ball_[end_link], end_link, true});
    motions_.push_back(motion);
    begin = first_ball_[end_link];
    // Rotations to the last digit: what they are off enters the poses of the next steps twice, and
    // would grow without limit.
    Pose world_from_before = world_from_link(change.joint);
    world_from_before.rotation = straightened(world_from_before.rotation);
    const Pose& old_pose = joints_[change.joint];
    Pose turn{straightened(change.pose.rotation * transpose(old_pose.rotation)), {}};
    turn.translation = change.pose.translation - turn.rotation * old_pose.translation;
    motion = motion * (world_from_before * turn * inverse(world_from_before));
  }
  const auto link_count = static_cast<std::uint32_t>(first_ball_.size() - 1);
  pieces_.push_back({begin, ball_count(), link_count, true});
  motions_.push_back(motion);

  std::size_t stays = 0;
  if (fixed_ == Fixed::Largest) {
    for (std::size_t i = 1; i < pieces_.size(); ++i) {
      if (pieces_[i].end - pieces_[i].begin > pieces_[stays].end - pieces_[stays].begin) stays = i;
    }
    const Pose back = inverse(motions_[stays]);
    for (Pose& m : motions_) m = back * m;
  }
  pieces_[stays].moved = false;
  balls_moved_ = false;
}

void PlacedChain::move_balls() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!pieces_[i].moved) continue;
    const BallMotion motion(motions_[i]);
    for (std::uint32_t ball = pieces_[i].begin; ball < pieces_[i].end; ++ball) {
      old_balls_[ball] = balls_[ball];
      balls_[ball] = motion * balls_[ball];
    }
  }
  balls_moved_ = true;
}

bool PlacedChain::keep() {
  if (!balls_moved_) move_balls();
  for (const JointChange& change : changes_) joints_[change.joint] = change.pose;
  if (++moves_kept_ % kMovesBetweenPlacements == 0) {
    const bool first_moved = pieces_.front().moved;
    Pose first = first_moved ? motions_.front() * anchors_.front() : anchors_.front();
    first.rotation = nearest_rotation(first.rotation);
    place_all(first);
    return true;
  }
  std::uint32_t link = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (; link < pieces_[i].end_link; link += kAnchorSpacing) {
      if (pieces_[i].moved) {
        anchors_[link / kAnchorSpacing] = motions_[i] * anchors_[link / kAnchorSpacing];
      }
    }
  }
  return false;
}

void PlacedChain::undo() {
  if (!balls_moved_) return;
  for (const RigidPiece& piece : pieces_) {
    if (!piece.moved) continue;
    std::copy(old_balls_.begin() + piece.begin, old_balls_.begin() + piece.end,
              balls_.begin() + piece.begin);
  }
}

}  // namespace clearance::study
