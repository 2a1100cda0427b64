// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One part of a program, looked at continuously: what of it is proven free of contact, and what is
// not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/check/check.h>

#include "check/joint_chain.h"
#include "check/pair_distance.h"

namespace clearance::detail {

/// The two bodies of a pair and the joints between them.
struct CheckPair {
  BodyPair bodies;
  std::vector<ChainJoint> chain_a;  ///< from the first body to where the two ways to the root meet
  std::vector<ChainJoint> chain_b;
};

/// What all parts have in common.
struct PartScene {
  const ReadyCell& cell;
  const CheckOptions& options;
  std::vector<CheckPair> pairs;
  std::vector<SphereGroups> spheres{};  ///< by body, where they are asked for
  double rounding = 0.0;                ///< what distances at computed poses may be off [m]
  double stretch = 1.0;                 ///< ways may be longer by this, where poses are askew
  double tolerance = 0.0;               ///< closer is contact [m]
  double limit = 0.0;                   ///< closer is reported [m]

  /// Where a body is when the links are at these poses.
  [[nodiscard]] Pose pose_of(std::uint32_t body, std::span<const Pose> links) const {
    const std::uint32_t link = cell.bodies[body].link;
    return link == kNoLink ? Pose::identity() : links[link];
  }
};

/// A part of the program: one sample of the clearance over time.
struct Part {
  const PathPiece* piece = nullptr;
  double from = 0.0;
  double to = 0.0;
  /// The same as fractions of the piece.
  double start = 0.0;
  double end = 1.0;
};

/// A part of a part that is in contact, as looked at in its middle.
struct Leaf {
  std::uint32_t pair = 0;
  double from = 0.0;
  double to = 0.0;
  double time = 0.0;
  double distance = 0.0;  ///< negative: spheres that overlap
  Vec3 point;             ///< in the cell
};

/// What is known about one part.
struct PartResult {
  ClearanceSample sample;
  std::vector<Leaf> leaves;
  std::size_t looks = 0;
  Work work;
};

/// Looks at one part. `memory` has an entry for each pair; it changes the work only.
PartResult look_at_part(const PartScene& scene, const Part& part, std::vector<PairMemory>& memory);

}  // namespace clearance::detail
