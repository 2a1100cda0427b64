// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The study of "Two-Fingered Grasp Planning for Randomized Bin-Picking" (Dupuis, Léonard, Baumann,
// Croft, Little, 2008): Tables II to IV. Grasps of a con-rod at 3 mm; piles of 25, of which the
// last 15 are candidates; the best 10 % of the robust grasps against six nominal ones; how many
// candidates can be picked, and a paired t-test. Beyond the paper: as many of the robust grasps
// spread (choose.h) instead of the best, these with the rest where none of them is free, and all
// robust ones; how many of the valid picks are buried,
// and what is left when the ways in and out are looked at as well.
//
// The con-rod of the paper is a laser scan that is not public; ours is generated ("clearance
// generate conrod"), with a wire-frame of five segments as in its Figure 3. Its gripper is drawn
// only; ours has the default sizes of gripper.h but for the length of its fingers, which is chosen
// so that the counts of Table II come out nearest. Its piles lie on a ground plane, as ours do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/grasp/grasp.h>
#include <clearance/grasp/gripper.h>
#include <clearance/grasp/pick.h>
#include <clearance/grasp/pile.h>
#include <clearance/query/model.h>

#include "bin_picking/paired_test.h"
#include "claim.h"

namespace clearance::study {

struct BinPickingOptions {
  std::size_t piles = 100;
  std::size_t parts = 25;
  std::size_t candidates = 15;   ///< the last that fell
  double top = 0.1;              ///< of the robust grasps
  double friction = 1.0;         ///< of fingers with rubber on them; the paper does not say
  double step = 0.003;           ///< [m]
  std::size_t triangles = 6000;  ///< of the con-rod
  std::uint64_t seed = 1;        ///< of the first pile
  bool all_readings = true;      ///< those that need grasps of their own too: some 20 s more
  Threads threads;
  Monitor* monitor = nullptr;
};

/// The paper's figures.
struct BinPickingPaper {
  static constexpr GraspCounts kGrasps{
      .sampled = 26650, .feasible = 18041, .stable = 15378, .robust = 4284};
  static constexpr std::size_t kTried = 428;
  static constexpr double kGenerated = 8.0;
  static constexpr double kNominal = 5.0;
  static constexpr double kProbability = 7.55e-25;
};

/// The part with its wire-frame, and the six nominal grasps: across the shank near its ends and in
/// the middle, from either flat side; what Figure 7 of the paper shows.
struct ConRod {
  Model model;
  std::vector<Segment> wire_frame;
  std::vector<Grasp> nominal;
};
[[nodiscard]] Result<ConRod> con_rod(std::size_t triangles);

/// One set of grasps on one pile: how many candidates...
struct PileTally {
  std::size_t valid = 0;     ///< ...have a free grasp (the paper)
  std::size_t buried = 0;    ///< ...of these do not come out straight up
  std::size_t pickable = 0;  ///< ...are left when the ways in and out are looked at
  std::size_t free = 0;      ///< grasps that are free, of all candidates
  std::size_t tried = 0;     ///< grasps that were tried, likewise; without ways
};
struct PileRow {
  std::uint64_t seed = 0;
  double overlap = 0.0;  ///< of meshes, proven [m]
  PileTally generated;
  PileTally nominal;
  PileTally spread;  ///< with as many grasps as `generated`, spread
  PileTally rest;    ///< with these, and the rest of the robust ones where none of them is free
  PileTally all;     ///< with every robust grasp; ways are not looked at
};

/// The valid picks of Table IV under another reading of what the paper leaves open. One choice
/// differs from the study's at a time.
struct BinPickingReading {
  std::string choice;   ///< what is chosen: "nominal grasps", "gripper", "grasps"
  std::string reading;  ///< how
  double mean_generated = 0.0;
  double mean_nominal = 0.0;
  PairedTest test;
  double mean_spread = 0.0;
  PairedTest spread;  ///< against the nominal ones too
};

struct BinPickingStudy {
  GraspSet grasps;
  std::size_t tried = 0;                     ///< grasps in the set {G}, and of the spread choice
  std::vector<std::uint32_t> spread_grasps;  ///< numbers of the robust ones that are spread
  double spread_reach = 0.0;                 ///< of that choice [m]
  std::vector<PileRow> piles;
  PairedTest test;             ///< valid picks, {G} against {N}
  PairedTest pickable;         ///< the same with ways and burying
  PairedTest all;              ///< valid picks, all robust grasps against {N}
  PairedTest spread;           ///< valid picks, the spread choice against {N}
  PairedTest spread_pickable;  ///< the same with ways and burying
  PairedTest spread_best;      ///< valid picks, the spread choice against {G}
  PairedTest rest;             ///< valid picks, the spread choice and the rest against {N}
  PairedTest rest_pickable;    ///< the same with ways and burying
  double mean_generated = 0.0;
  double mean_nominal = 0.0;
  double mean_all = 0.0;
  double mean_spread = 0.0;
  double mean_rest = 0.0;
  std::vector<BinPickingReading> readings;  ///< the study's own first
  /// Figure 8: the first pile with both results.
  Pile example;
  PickResult example_generated;
  PickResult example_nominal;
};
[[nodiscard]] Result<BinPickingStudy> study_bin_picking(const BinPickingOptions& options);
[[nodiscard]] std::vector<Claim> claims_of(const BinPickingStudy& study);

}  // namespace clearance::study
