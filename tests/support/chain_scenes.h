// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random chains, and brute force over their links: what a ChainTree must agree with.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/chain/chain.h>

namespace clearance::test {

/// What the links of a random chain are.
enum class LinkKind : std::uint8_t {
  Spheres,  ///< one sphere each, all of one size
  Sizes,    ///< one sphere each, of different sizes
  Groups,   ///< groups of zero to six spheres
  Mixed,    ///< groups, capsules, convex bodies and meshes
};
[[nodiscard]] const char* name_of(LinkKind kind);

/// A chain of links about 1 apart, curled up at random; joints turn about any axis. The size of
/// the links is drawn such that moves collide about half of the time.
[[nodiscard]] Chain random_chain(Random& random, std::uint32_t link_count, LinkKind kind);
/// A new pose for a joint of such a chain: a turn by anything from very little to half a turn.
[[nodiscard]] Pose random_joint(Random& random, const Pose& present);
/// New spheres for a link: moved a little, some larger, some smaller.
[[nodiscard]] LinkSpheres reshaped(Random& random, const LinkSpheres& present);

/// How far the last link is from the first, computed to eleven bits more.
[[nodiscard]] double exact_length(const Chain& chain);

/// All pairs of links by brute force, over the poses of link_poses().
class BruteChain {
 public:
  explicit BruteChain(const Chain& chain);
  /// After joints or spheres of the chain have changed.
  void update(const Chain& chain);

  /// Signed gap of two links: below zero where spheres overlap (0 for other shapes that touch);
  /// infinity when one has no body.
  [[nodiscard]] double gap(std::uint32_t a, std::uint32_t b) const;
  /// Calls visit(a, b, gap) for all pairs that are tested and whose gap is at most `cutoff`.
  using PairVisitor = std::function<void(std::uint32_t a, std::uint32_t b, double gap)>;
  void pairs(double cutoff, const PairVisitor& visit) const;
  /// The same for pairs with a changed joint in between, or a reshaped link. Sorted lists.
  void changed_pairs(double cutoff, const std::vector<std::uint32_t>& joints,
                     const std::vector<std::uint32_t>& links, const PairVisitor& visit) const;
  /// What the poses may be off: gaps nearer to a limit than this are not decided here.
  [[nodiscard]] double tolerance() const { return tolerance_; }
  [[nodiscard]] const std::vector<Pose>& poses() const { return poses_; }
  /// Of a link, in the frame of link 0.
  [[nodiscard]] const LinkSpheres& spheres(std::uint32_t link) const { return spheres_[link]; }

 private:
  void rows(std::uint32_t a, std::uint32_t first, double cutoff, const PairVisitor& visit) const;

  const Chain* chain_;
  std::vector<Pose> poses_;
  std::vector<LinkSpheres> spheres_;  // of each link, in the frame of link 0
  std::vector<Sphere> bounds_;  // of each link, in the frame of link 0; radius < 0 without a body
  bool single_;                 // every link is one sphere: the bounds are exact
  double tolerance_ = 0.0;
};

}  // namespace clearance::test
