// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What differs between the accepted and the proposed state of a chain: the joints that were set and
// the links that were reshaped, with the values they have in the other state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/chain/chain.h>

namespace clearance::detail {

class ChainProposal {
 public:
  /// Sets a joint of the chain.
  void set_joint(Chain& chain, std::uint32_t joint, const Pose& pose);
  /// The first difference, kept here only: the joint in the chain, which in a long one is in no
  /// cache, is neither read nor written. Until exchange() the chain is as accepted, and the other
  /// state is the proposed one.
  void defer_joint(std::uint32_t joint, const Pose& pose);
  /// New spheres for a link that is a group of spheres, as many as it has.
  void set_spheres(Chain& chain, std::uint32_t link, std::span<const Sphere> spheres);

  /// Forgets the differences.
  void accept();
  /// Takes them back.
  void reject(Chain& chain);
  /// The values in the chain and those kept here trade places.
  void exchange(Chain& chain);

  [[nodiscard]] bool empty() const { return joints_.empty() && links_.empty(); }
  /// Sorted, each once.
  [[nodiscard]] std::span<const std::uint32_t> joints() const { return joints_; }
  [[nodiscard]] std::span<const std::uint32_t> links() const { return links_; }
  /// Of joints(), the poses they have in the other state.
  [[nodiscard]] std::span<const Pose> other_poses() const { return poses_; }
  /// Was a joint in [first, last) set?
  [[nodiscard]] bool joint_in(std::uint32_t first, std::uint32_t last) const {
    return any_in(joints_, first, last);
  }
  /// Was a link in [first, last) reshaped?
  [[nodiscard]] bool link_in(std::uint32_t first, std::uint32_t last) const {
    return any_in(links_, first, last);
  }
  /// Is the pair of links not as accepted: its relative pose or one of its shapes? a < b.
  [[nodiscard]] bool changed(std::uint32_t a, std::uint32_t b) const {
    return joint_in(a, b) || link_in(a, a + 1) || link_in(b, b + 1);
  }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  static bool any_in(const std::vector<std::uint32_t>& sorted, std::uint32_t first,
                     std::uint32_t last) {
    // One or two joints is the usual case: quicker than a search.
    if (sorted.size() <= 2) {
      for (const std::uint32_t i : sorted) {
        if (first <= i && i < last) return true;
      }
      return false;
    }
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), first);
    return found != sorted.end() && *found < last;
  }
  void exchange_spheres(Chain& chain);

  std::vector<std::uint32_t> joints_;
  std::vector<Pose> poses_;  // of joints_, in the other state
  std::vector<std::uint32_t> links_;
  std::vector<std::uint32_t> first_sphere_;  // of links_, in spheres_
  std::vector<Sphere> spheres_;              // of links_, in the other state
};

}  // namespace clearance::detail
