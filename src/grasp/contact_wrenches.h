// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The wrenches that the contacts of a grasp can exert: the points whose hull is rated.
#pragma once

#include <span>
#include <vector>

#include <clearance/grasp/grasp_quality.h>

#include "grasp/wrench_hull.h"

namespace clearance::detail {

/// The contacts whose wrenches can be corners: those with the same normal as two others of their
/// finger, and between them, are left out. Order is kept.
void leave_out_between(std::span<const GraspContact> contacts, std::vector<GraspContact>& kept);

/// Of each contact the edges of its pyramid, then its torsion.
void append_wrenches(const GraspContact& contact, const PartFrame& part,
                     const QualityOptions& options, std::vector<Wrench>& wrenches);

/// grasp_quality() with scratch memory.
class GraspRater {
 public:
  double rate(std::span<const GraspContact> contacts, const PartFrame& part,
              const QualityOptions& options);
  [[nodiscard]] const WrenchHull& hull() const { return hull_; }

 private:
  std::vector<GraspContact> contacts_;
  std::vector<Wrench> wrenches_;
  std::vector<std::size_t> ends_;
  WrenchHull hull_;
};

}  // namespace clearance::detail
