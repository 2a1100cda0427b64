// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include <clearance/base/assert.h>
#include <clearance/chain/chain_tree.h>

#include "chain/chain_state.h"
#include "chain/link_pair.h"

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

/// What products of a few dozen poses may be off, as a fraction of the extent: four roundings each,
/// and the distance itself.
constexpr double kPoseError = 2e-14;
/// What each pose of a longer product adds: it is no rotation to the last digit, and nor is the
/// pose it comes from; inverses take it for one.
constexpr double kProductError = 5e-16;
/// The square of the Frobenius norm of RRᵀ - I: a direction becomes longer or shorter by no more
/// than the norm.
double askew_sq(const Mat3& r) {
  const Vec3 lengths{squared_norm(r[0]) - 1.0, squared_norm(r[1]) - 1.0, squared_norm(r[2]) - 1.0};
  const Vec3 angles{dot(r[0], r[1]), dot(r[1], r[2]), dot(r[2], r[0])};
  return squared_norm(lengths) + 2.0 * squared_norm(angles);
}

/// Not quite a rotation, as what seven digits of a text file make; what is none at all is left
/// alone.
bool wants_mending(double error_sq) {
  return error_sq > detail::kRoundedRotation * detail::kRoundedRotation &&
         error_sq <= 9.0 * kRigidTolerance * kRigidTolerance;
}

Pose mended(const Pose& joint) { return {nearest_rotation(joint.rotation), joint.translation}; }

/// How far the origin is from a box.
double offset_of(const Box& box) {
  return box.empty() ? 0.0 : norm(max(max(box.low, -box.high), Vec3{}));
}

}  // namespace

ChainTree::State::State(Chain description) : chain(std::move(description)) {
  for (const Pose& joint : chain.joints)
    accepted_.joint_error_sq = std::max(accepted_.joint_error_sq, askew_sq(joint.rotation));
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    some_bare_ = some_bare_ || is_bare(i);
    accepted_.body_offset =
        std::max(accepted_.body_offset, offset_of(detail::bounds_of(chain.links[i])));
  }
  accepted_.bare_way = summed_bare_way_ = bare_way();
  proposed_ = accepted_;
  weigh();
  for (LinkPair& pair : chain.ignored) {
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  }
  std::sort(chain.ignored.begin(), chain.ignored.end());
  chain.ignored.erase(std::unique(chain.ignored.begin(), chain.ignored.end()), chain.ignored.end());
}

bool ChainTree::State::is_bare(std::size_t link) const {
  const auto* spheres = std::get_if<LinkSpheres>(&chain.links[link]);
  return spheres != nullptr && spheres->empty();
}

double ChainTree::State::bare_way() const {
  double way = 0.0;
  for (std::size_t i = 0; some_bare_ && i < chain.joints.size(); ++i) {
    if (is_bare(i) || is_bare(i + 1)) way += norm(chain.joints[i].translation);
  }
  return way;
}

void ChainTree::State::weigh() {
  const auto either = [&](double Lengths::*length) {
    return std::max(accepted_.*length, proposed_.*length);
  };
  relative_error_ = kPoseError + static_cast<double>(chain.links.size()) *
                                     (std::sqrt(either(&Lengths::joint_error_sq)) + kProductError);
  // Of both links, and of those between them.
  farthest_frame_ = 2.0 * (either(&Lengths::body_offset) + either(&Lengths::bare_way));
}

void ChainTree::State::note_joint(std::uint32_t i, const Pose& pose, double error_sq) {
  const bool bare = some_bare_ && (is_bare(i) || is_bare(i + 1));
  if (!bare && error_sq <= proposed_.joint_error_sq) return;
  // Never less than it is, whichever of several changes of a joint comes last.
  if (bare)
    proposed_.bare_way += std::max(0.0, norm(pose.translation) - norm(joint(i).translation));
  proposed_.joint_error_sq = std::max(proposed_.joint_error_sq, error_sq);
  unlike_ = true;
  weigh();
}

void ChainTree::State::note_spheres(std::span<const Sphere> spheres) {
  const double offset = offset_of(detail::bounds_of(LinkSpheres(spheres.begin(), spheres.end())));
  if (offset <= proposed_.body_offset) return;
  proposed_.body_offset = offset;
  unlike_ = true;
  weigh();
}

void ChainTree::State::note_accepted() {
  if (!unlike_) return;
  unlike_ = false;
  accepted_ = proposed_;
  // Joints that slide to and fro would make it ever more.
  if (accepted_.bare_way > 2.0 * summed_bare_way_)
    accepted_.bare_way = summed_bare_way_ = bare_way();
  proposed_ = accepted_;
  weigh();
}

void ChainTree::State::note_rejected() {
  if (!unlike_) return;
  unlike_ = false;
  proposed_ = accepted_;
  weigh();
}

bool ChainTree::State::is_ignored(LinkPair pair) const {
  return std::binary_search(chain.ignored.begin(), chain.ignored.end(), pair);
}

Result<ChainTree> ChainTree::build(Chain chain, const ChainTreeOptions& options) {
  if (Status status = check(chain); !status) return status.error();
  for (Pose& joint : chain.joints) {
    if (wants_mending(askew_sq(joint.rotation))) joint = mended(joint);
  }
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
  std::vector<JointChange> rigid;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    double error_sq = askew_sq(changes[i].pose.rotation);
    if (wants_mending(error_sq)) {
      if (rigid.empty()) rigid.assign(changes.begin(), changes.end());
      rigid[i].pose = mended(changes[i].pose);
      error_sq = askew_sq(rigid[i].pose.rotation);
    }
    state_->note_joint(changes[i].joint, changes[i].pose, error_sq);
  }
  state_->change(rigid.empty() ? changes : rigid);
}
void ChainTree::reshape(std::size_t link, std::span<const Sphere> spheres) {
  CLEARANCE_ASSERT(link < link_count());
  state_->note_spheres(spheres);
  state_->reshape(link, spheres);
}
void ChainTree::accept() {
  state_->accept();
  state_->note_accepted();
}
void ChainTree::reject() {
  state_->reject();
  state_->note_rejected();
}
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
