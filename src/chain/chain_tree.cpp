// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/chain/chain_tree.h>

#include "chain/chain_state.h"

namespace clearance {
namespace {

std::size_t bytes_of(const Chain& chain) {
  std::size_t bytes = chain.links.capacity() * sizeof(LinkShape) +
                      chain.joints.capacity() * sizeof(Pose) +
                      chain.ignored.capacity() * sizeof(LinkPair);
  // Convex bodies and meshes are shared with the caller.
  for (const LinkShape& link : chain.links) {
    if (const auto* spheres = std::get_if<LinkSpheres>(&link))
      bytes += spheres->capacity() * sizeof(Sphere);
  }
  return bytes;
}

}  // namespace

ChainTree::State::State(Chain description) : chain(std::move(description)) {
  for (LinkPair& pair : chain.ignored) {
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  }
  std::sort(chain.ignored.begin(), chain.ignored.end());
  chain.ignored.erase(std::unique(chain.ignored.begin(), chain.ignored.end()), chain.ignored.end());
}

bool ChainTree::State::is_ignored(LinkPair pair) const {
  return std::binary_search(chain.ignored.begin(), chain.ignored.end(), pair);
}

Result<ChainTree> ChainTree::build(Chain chain, const ChainTreeOptions& options) {
  if (Status status = check(chain); !status) return status.error();
  switch (options.volume) {
    case ChainVolume::Wide:
      return ChainTree(detail::make_wide_chain(std::move(chain)));
    case ChainVolume::LooseObb:
    case ChainVolume::TightObb:
    case ChainVolume::Rss:
      return ChainTree(detail::make_binary_chain(std::move(chain), options.volume));
  }
  return Error{ErrorCode::Unsupported, "", "", "this kind of chain tree does not exist", ""};
}

ChainTree::ChainTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChainTree::ChainTree(ChainTree&&) noexcept = default;
ChainTree& ChainTree::operator=(ChainTree&&) noexcept = default;
ChainTree::~ChainTree() = default;

std::size_t ChainTree::link_count() const { return state_->chain.links.size(); }
const Pose& ChainTree::joint(std::size_t i) const { return state_->joint(i); }
const LinkShape& ChainTree::link(std::size_t i) const { return state_->chain.links[i]; }
std::uint32_t ChainTree::neighbours() const { return state_->chain.neighbours; }
Pose ChainTree::relative(std::size_t a, std::size_t b) const {
  CLEARANCE_ASSERT(a < link_count() && b < link_count());
  return state_->relative(a, b);
}
std::vector<Pose> ChainTree::poses() const { return state_->poses(); }
std::size_t ChainTree::memory_bytes() const {
  return sizeof *this + bytes_of(state_->chain) + state_->proposal.memory_bytes() +
         state_->tree_bytes();
}
ChainVolume ChainTree::volume() const { return state_->volume(); }

void ChainTree::change(std::span<const JointChange> changes) {
  for ([[maybe_unused]] const JointChange& change : changes) {
    CLEARANCE_ASSERT(change.joint < state_->chain.joints.size());
    CLEARANCE_ASSERT(is_finite(change.pose.translation));
    CLEARANCE_ASSERT(rigidity_error(change.pose.rotation) <= kRigidTolerance);
  }
  state_->change(changes);
}
void ChainTree::reshape(std::size_t link, std::span<const Sphere> spheres) {
  CLEARANCE_ASSERT(link < link_count());
  state_->reshape(link, spheres);
}
void ChainTree::accept() { state_->accept(); }
void ChainTree::reject() { state_->reject(); }
void ChainTree::exchange() { state_->exchange(); }

ChainCollision ChainTree::collide_changed(ChainMemory* memory) const {
  return state_->collide_changed(memory);
}
ChainCollision ChainTree::collide_self() const { return state_->collide_self(); }
std::vector<LinkPair> ChainTree::contacts() const { return state_->contacts(); }
ChainDistance ChainTree::distance_self() const { return state_->distance_self(); }
void ChainTree::pairs_within(double cutoff, const PairVisitor& visit) const {
  state_->pairs_within(cutoff, false, visit);
}
void ChainTree::changed_pairs_within(double cutoff, const PairVisitor& visit) const {
  state_->pairs_within(cutoff, true, visit);
}
void ChainTree::sphere_pairs_within(double cutoff, const SphereVisitor& visit) const {
  state_->sphere_pairs_within(cutoff, false, visit);
}
void ChainTree::changed_sphere_pairs_within(double cutoff, const SphereVisitor& visit) const {
  state_->sphere_pairs_within(cutoff, true, visit);
}

}  // namespace clearance
