// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Table III of the paper: planning times of its three cases with each fitter, on generated
// stand-ins of the same triangle counts.
//
// Our planner counts its work in tests of volumes, so another tree makes its searches take turns at
// other moments, and another of them may be first: planning times differ by luck as well. What the
// trees alone are worth is seen where all of them answer the same questions: the path that was
// found on our default tree is proven again on every tree, one thread, the same distances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/plan/plan.h>

#include "inertia_fit/inertia_fit.h"

namespace clearance::study {

/// A row of the paper's Table III.
struct PaperCase {
  const char* name;
  const char* generator;  ///< name of the stand-in
  std::size_t body_triangles;
  std::size_t obstacle_triangles;
  std::array<double, kFitterCount> seconds;  ///< planning, by fitter in the order of kTrees
};
[[nodiscard]] const std::array<PaperCase, 3>& paper_cases();

/// One case planned on one tree.
struct PlanningFigures {
  bool planned = false;  ///< false: only the path of the default tree was proven (quick)
  PlanStatus status = PlanStatus::OutOfBudget;
  std::string method;
  double build_s = 0.0;           ///< both trees
  double plan_s = 0.0;            ///< until a path was found and proven, not bettered
  std::uint64_t operations = 0;   ///< of the search
  double length = 0.0;            ///< of the path, the way of its pivot [m]
  double prove_s = 0.0;           ///< proving the path of the default tree again, one thread
  std::uint64_t prove_tests = 0;  ///< pairs of volumes tested in that
};

struct PlanningRow {
  const PaperCase* paper = nullptr;
  std::size_t body_triangles = 0;
  std::size_t obstacle_triangles = 0;
  double relief = 0.0;     ///< [m]; by how much the body was made smaller to be free at its start
  std::size_t looks = 0;   ///< distances in the proof of the default tree's path
  bool same_proof = true;  ///< every tree needed as many, and came to the same clearance
  std::array<PlanningFigures, kTrees.size()> trees;
};

struct PlanningOptions {
  Threads threads{};       ///< of the planner
  double seconds = 300.0;  ///< a tree that takes longer is given up
  /// Stand-ins at their least triangle counts, and only the default tree plans.
  bool quick = false;
  Monitor* monitor = nullptr;
};

/// Plans one case on every tree. Cancelled between trees.
[[nodiscard]] Result<PlanningRow> plan_case(const PaperCase& paper, const PlanningOptions& options);

/// How the trees compare on one case, in a sentence or two.
[[nodiscard]] std::string planning_verdict(const PlanningRow& row);
/// The same over all cases; empty without any.
[[nodiscard]] std::string planning_conclusion(const std::vector<PlanningRow>& rows);

}  // namespace clearance::study
