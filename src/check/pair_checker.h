// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Does one body touch another? For poses that mostly follow each other, eight at a time.
//
// Each patch of B has a proof of its own that it is free of A (clearing.h), so that what is near
// and moves little is asked apart from what is far and moves much. A pose at which all proofs hold
// is free without a question; else only the patches whose proof has ended are asked, and get a new
// one: the way that is clear around a box that holds the patch, and the triangles of the patch
// where that is too short to be of use. Where poses do not follow each other nothing is proven, and
// the bodies are asked as a whole.
//
// The answer at a pose does not depend on what was asked before: contact is when the surfaces are
// closer than the rounding named, or one body is inside the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <clearance/check/body.h>
#include <clearance/query/query.h>

#include "check/body_patches.h"
#include "check/clearing.h"
#include "check/pair_distance.h"

namespace clearance::detail {

class PairChecker {
 public:
  /// What is passed stays where it is and outlives this. `margin` is what single precision loses of
  /// a clear way [m] (kClearingMargin).
  PairChecker(const CheckBody& a, const Sphere& ball_a, const CheckBody& b, const Sphere& ball_b,
              const CoverBox& cover_b, std::span<const BodyPatch> patches_b, double margin);

  /// Begins with eight poses: those of `asked` at which the bodies are proven to be free. The
  /// poses must stay until the next call.
  unsigned free_lanes(const PoseLanes& a_from_b, unsigned asked);

  /// A pose to be answered.
  struct Question {
    Pose a_from_b;
    std::size_t lane = 0;      ///< which of the eight it is
    double rounding = 0.0;     ///< below this the bodies touch [m]
    Pose before;               ///< a_from_b in the configuration before
    bool follows = false;      ///< there was one
    std::uint64_t moment = 0;  ///< the number of the configuration
  };
  bool touches(const Question& question, Work& work);
  /// As free_lanes(), after proofs were made anew.
  unsigned free_lanes_now(unsigned asked);

  /// The answer with nothing remembered or learnt: for poses for which no lane is made.
  bool touches_anyhow(const Pose& a_from_b, double rounding, Work& work);

 private:
  /// Triangles that touched last, and of which surfaces.
  struct Touching {
    const Bvh* a = nullptr;
    const Bvh* b = nullptr;
    Contact triangles;
    std::optional<std::size_t> patch;
  };
  struct Near {
    bool within = false;
    double upper = 0.0;  ///< of the distance, when within [m]
  };
  bool touches_again(const Question& question);
  void remember(const Touching& touching);
  bool whole_touches(const Question& question, Work& work);
  bool whole_clear(const Question& question, Work& work);
  bool patch_meets(std::size_t patch, const Question& question, bool likely, Work& work);
  bool patch_touches(std::size_t patch, const Question& question, Work& work);
  bool point_inside(std::size_t point, const Question& question, Work& work);
  Near cover_within(const CoverBox& cover, PairMemory& memory, const Question& question,
                    double limit, Work& work);
  double clear_way(const CoverBox& cover, PairMemory& memory, double& guess, double least,
                   double most, const Question& question, Work& work);
  [[nodiscard]] bool holds_points(const CoverBox& cover, const Question& question) const;
  void prove_patch(std::size_t patch, const Question& question, double lower);
  void prove_point(std::size_t point, const Question& question, double lower);
  [[nodiscard]] double beyond_bounds(const Sphere& ball, const Pose& a_from_b) const;
  void look_at_patches();
  [[nodiscard]] double clear_of(double lower, double rounding) const;

  const CheckBody* a_;
  const CheckBody* b_;
  std::span<const BodyPatch> patches_;
  const CoverBox* cover_;
  Sphere ball_b_;
  Box bounds_a_;
  double jump_ = 0.0;
  double margin_ = 0.0;

  BallClearing whole_;
  std::uint64_t whole_next_ = 0;     // not to be asked before, unless patches fail in numbers
  double whole_guess_ = 0.0;         // a way that may be clear [m]
  std::vector<double> patch_guess_;  // by patch
  std::vector<BallClearing> clear_patches_;
  std::vector<PointClearing> clear_points_;
  std::vector<Vec3> points_;  // of A, one for each piece of its surface

  // Of the eight poses: where each proof holds.
  const PoseLanes* lanes_ = nullptr;
  unsigned whole_free_ = 0;
  bool looked_ = false;  // at the patches
  std::vector<std::uint8_t> patch_free_;
  std::vector<std::uint8_t> point_free_;

  PairMemory memory_;                           // by pair of models
  PairMemory cover_memory_;                     // by model of A
  std::vector<PairMemory> patch_memory_;        // by patch, by model of A
  std::vector<PairMemory> patch_cover_memory_;  // likewise
  std::optional<Touching> touching_;            // when it was last asked
  std::vector<Touching> recent_;                // with triangles, the last first
};

}  // namespace clearance::detail
