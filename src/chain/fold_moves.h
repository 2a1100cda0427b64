// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Angles into joints and spheres, and the draw of a random move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/chain/fold.h>

namespace clearance::detail {

/// An angle that a move changes, and what it becomes.
struct FoldTurn {
  std::uint32_t index = 0;  ///< torsions first, then rotors
  double angle = 0.0;
  bool within_limits = true;
};

class FoldMoves {
 public:
  explicit FoldMoves(const FoldModel& model);

  [[nodiscard]] std::size_t angle_count() const { return torsion_count_ + rotor_count_; }
  [[nodiscard]] bool is_torsion(std::uint32_t index) const { return index < torsion_count_; }

  /// Draws 1 to FoldOptions::moves different angles, each by up to ± largest_angle (or
  /// largest_slide) from where it is.
  void draw(Random& random, const FoldOptions& options, std::span<const double> angles,
            std::vector<FoldTurn>& turns) const;

  /// The joint of a torsion at an angle.
  [[nodiscard]] JointChange joint_at(std::uint32_t torsion, double angle) const;
  /// The link of the rotor with this number among all angles.
  [[nodiscard]] std::uint32_t link_of(std::uint32_t index) const;
  /// The spheres of a link with rotors, at these angles (all of them).
  [[nodiscard]] const LinkSpheres& spheres_at(std::uint32_t link, std::span<const double> angles);
  /// Links that have rotors, ascending.
  [[nodiscard]] std::span<const std::uint32_t> rotor_links() const { return rotor_links_; }

 private:
  const FoldModel* model_;
  std::size_t torsion_count_;
  std::size_t rotor_count_;
  std::vector<std::uint32_t> rotor_links_;
  // Rotors of rotor_links_[i], in the order of the model: [first, first + count) of rotor_order_.
  std::vector<std::uint32_t> first_rotor_;
  std::vector<std::uint32_t> rotor_order_;
  LinkSpheres scratch_;
};

}  // namespace clearance::detail
