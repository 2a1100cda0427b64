// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs of bodies have to be held against each other, and why the others need not.
//
// A pair that is left out is a pair that is never tested: each comes with its reason. By default
// only those are left out that cannot say anything about a program: bodies that do not move against
// each other, neighbours along the robot, links that touch where the robot rests (they touch by
// construction), and what an SRDF or the work cell allows. "Never found in contact in N samples" is
// a guess and not a proof, so such pairs are listed, and tested all the same unless
// leave_out_never asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/check/body.h>
#include <clearance/robot/robot.h>
#include <clearance/robot/srdf.h>

namespace clearance {

/// Why a pair of bodies is what it is.
enum class PairReason : std::uint8_t {
  Rigid,     ///< the two do not move against each other: only fixed joints between them
  Adjacent,  ///< one follows the other along the robot, with no link with shapes between them
  AtRest,    ///< they touch at Robot::rest(), and so by construction
  Srdf,      ///< the SRDF says so
  Allowed,   ///< the work cell says so
  Always,    ///< in contact in all samples
  Never,     ///< in contact in no sample: not a proof that they cannot meet
};
/// "rigid", "adjacent", "at_rest", "srdf", "allowed", "always", "never"
[[nodiscard]] const char* name_of(PairReason reason);

/// Two bodies by number, the smaller first.
using BodyPair = std::pair<std::uint32_t, std::uint32_t>;

struct PairRule {
  BodyPair pair;
  PairReason reason = PairReason::Rigid;
  std::string note{};  ///< the words of the SRDF ("Never", "User", ...); may be empty
};

struct CollisionMatrixOptions {
  /// Of the robot; null: none.
  const Srdf* srdf = nullptr;
  /// Pairs that may touch, by number of body.
  std::vector<BodyPair> allowed{};
  bool leave_out_at_rest = true;
  /// Configurations within the limits (Robot::random) to look at; 0: none.
  std::size_t samples = 0;
  std::uint64_t seed = 1;
  /// Leave out pairs of robot and tool that no sample found in contact. Not safe: a sample of
  /// thousands still misses what happens in a thousandth of all configurations.
  bool leave_out_never = false;
  Threads threads;
  Monitor* monitor = nullptr;
};

struct CollisionMatrix {
  std::vector<BodyPair> tested;    ///< ascending
  std::vector<PairRule> left_out;  ///< ascending by pair; the first reason that holds, as listed
  /// Pairs in `tested` that no sample found in contact: candidates for an SRDF.
  std::vector<BodyPair> never_found;
  std::size_t samples = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> notes;  ///< whole sentences: names of the SRDF that are no links

  /// The rule by which a pair is left out, or null.
  [[nodiscard]] const PairRule* rule(std::uint32_t a, std::uint32_t b) const;
};

/// Sorts all pairs of bodies. Sampling looks at pairs that both move with the robot; what stands in
/// the cell is always tested. Bodies name links of `robot` (asserted). The same answer for any
/// number of threads. Error: cancelled.
[[nodiscard]] Result<CollisionMatrix> collision_matrix(const Robot& robot,
                                                       std::span<const CheckBody> bodies,
                                                       const CollisionMatrixOptions& options = {});

/// Do the two bodies touch, each at the pose of its link (or of the cell)?
[[nodiscard]] bool touch(const CheckBody& a, const Pose& world_from_a, const CheckBody& b,
                         const Pose& world_from_b);

}  // namespace clearance
