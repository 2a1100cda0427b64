// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/chain_proposal.h"

#include <variant>

#include <clearance/base/assert.h>

namespace clearance::detail {

void ChainProposal::set_joint(Chain& chain, std::uint32_t joint, const Pose& pose) {
  const auto at = std::lower_bound(joints_.begin(), joints_.end(), joint);
  if (at == joints_.end() || *at != joint) {
    poses_.insert(poses_.begin() + (at - joints_.begin()), chain.joints[joint]);
    joints_.insert(at, joint);
  }
  chain.joints[joint] = pose;
}

void ChainProposal::defer_joint(std::uint32_t joint, const Pose& pose) {
  CLEARANCE_ASSERT(empty());
  joints_.push_back(joint);
  poses_.push_back(pose);
}

void ChainProposal::set_spheres(Chain& chain, std::uint32_t link, std::span<const Sphere> spheres) {
  auto& present = std::get<LinkSpheres>(chain.links[link]);
  CLEARANCE_ASSERT(present.size() == spheres.size());
  const auto at = std::lower_bound(links_.begin(), links_.end(), link);
  if (at == links_.end() || *at != link) {
    first_sphere_.insert(first_sphere_.begin() + (at - links_.begin()),
                         static_cast<std::uint32_t>(spheres_.size()));
    links_.insert(at, link);
    spheres_.insert(spheres_.end(), present.begin(), present.end());
  }
  std::copy(spheres.begin(), spheres.end(), present.begin());
}

void ChainProposal::accept() {
  joints_.clear();
  poses_.clear();
  links_.clear();
  first_sphere_.clear();
  spheres_.clear();
}

void ChainProposal::reject(Chain& chain) {
  for (std::size_t i = 0; i < joints_.size(); ++i) chain.joints[joints_[i]] = poses_[i];
  exchange_spheres(chain);
  accept();
}

void ChainProposal::exchange(Chain& chain) {
  for (std::size_t i = 0; i < joints_.size(); ++i) std::swap(chain.joints[joints_[i]], poses_[i]);
  exchange_spheres(chain);
}

void ChainProposal::exchange_spheres(Chain& chain) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    auto& present = std::get<LinkSpheres>(chain.links[links_[i]]);
    std::swap_ranges(present.begin(), present.end(), spheres_.begin() + first_sphere_[i]);
  }
}

std::size_t ChainProposal::memory_bytes() const {
  return (joints_.capacity() + links_.capacity() + first_sphere_.capacity()) *
             sizeof(std::uint32_t) +
         poses_.capacity() * sizeof(Pose) + spheres_.capacity() * sizeof(Sphere);
}

}  // namespace clearance::detail
